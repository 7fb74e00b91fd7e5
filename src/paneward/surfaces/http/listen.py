"""uvicorn, set up for Paneward: fast parts, no waiting for streams that would never end."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import uvicorn

from paneward.surfaces.http.access.connections import bounded
from paneward.surfaces.http.app import HttpApp

DRAIN = 10  # seconds that requests get to end
STUCK = 0.5  # seconds that a client gets to read the end of its stream
DATE = 1.0  # seconds for which the date in the answers is right


class Listener(uvicorn.Server):
    """Ends when it is told, and the streams first: a client that waits for events would hold the server open."""

    def __init__(self, config: uvicorn.Config, drain: Callable[[], None]) -> None:
        super().__init__(config)
        self._drain = drain
        self._ended = asyncio.Event()

    def end(self) -> None:
        self.should_exit = True
        self._ended.set()

    async def main_loop(self) -> None:
        """uvicorn's own looks ten times a second whether it should end, which is most of what an idle server does."""
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                async with asyncio.timeout(DATE):
                    await self._ended.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._drain()
        stuck = asyncio.get_running_loop().call_later(STUCK, self._abort_stuck)
        try:
            await super().shutdown(sockets)
        finally:
            stuck.cancel()

    def _abort_stuck(self) -> None:
        """Who does not read what was written would be waited for."""
        for connection in list(self.server_state.connections):
            flow = getattr(connection, "flow", None)
            if flow is not None and flow.write_paused:
                flow._transport.abort()


def listener(api: HttpApp, host: str = "127.0.0.1", port: int = 0, **options: Any) -> Listener:
    """What serves `api`; `await .serve()` runs it until `.end()`. Options are those of uvicorn."""
    config = uvicorn.Config(
        api,
        host=host,
        port=port,
        **{
            "loop": "uvloop",
            "http": bounded(),
            "ws": "websockets-sansio",
            "ws_per_message_deflate": False,  # costs more time than a local connection gains
            "ws_max_size": 1 << 20,
            "access_log": False,
            "log_config": None,
            "server_header": False,
            "proxy_headers": False,
            "timeout_graceful_shutdown": DRAIN,
            "lifespan": "on",
            **options,
        },
    )
    return Listener(config, api.drain)
