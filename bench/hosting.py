"""A server in a process of its own: `python -m bench.hosting STATE`, with `--http` also its doors. It says `ready`, its
megabytes and the seconds until what its agents told before was known; with doors, their port and a token too."""

import asyncio
import os
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvloop

from bench.row import resident_mb
from paneward.app.server import Server, serve
from paneward.config import ServerSettings, Settings
from paneward.surfaces.http.access.tokens import Access
from paneward.surfaces.http.app import build
from paneward.surfaces.http.listen import listener


@asynccontextmanager
async def served(directory: Path) -> AsyncIterator[tuple[Server, int, str]]:
    """With doors: the server, its port, and a token."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
        settings = Settings(server=ServerSettings(rate_per_second=100_000.0, max_streams=100_000))
        async with serve(settings, directory, url=f"http://127.0.0.1:{port}") as server:
            access = Access.open(directory, server.clock)
            web = listener(build(server, access))
            serving = asyncio.ensure_future(web._serve([sock]))
            while not web.started:  # noqa: ASYNC110 - uvicorn tells it nowhere else
                await asyncio.sleep(0.01)
            yield server, port, access.token
            web.end()
            await serving


async def main(state: Path, http: bool) -> None:
    if http:
        async with served(state) as (server, port, token):
            await _host(server, str(port), token)
    else:
        async with serve(Settings(), state, url="http://bench") as server:
            await _host(server)


async def _host(server: Server, *doors: str) -> None:
    began = time.monotonic()
    await server.agents.settled()
    size = resident_mb(os.getpid())
    await server.agents.tracked()
    print("ready", f"{size:.2f}", f"{time.monotonic() - began:.4f}", *doors, flush=True)
    await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    uvloop.run(main(Path(sys.argv[1]), "--http" in sys.argv))
