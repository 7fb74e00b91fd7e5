"""Two demo agents beside a server, in a tmux server of their own: one works, one asks, and neither ever runs dry.

Shape: one context. They are adopted as any other, and forgotten with all that was stored of them when the server ends.

Surprise: what uvloop runs inherits more than its own pipes, and a tmux server that is started so holds them open for as
long as it lives; whoever waits for their end waits with it. So tmux is run from a thread here.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import cycle
from typing import TYPE_CHECKING

from paneward.core.agent.record import RESTING
from paneward.core.errors import PanewardError
from paneward.demo.tour import end_server, tmux

if TYPE_CHECKING:
    from paneward.app.server import Server

WORK = 6.0  # seconds that they work on a text
REST = 8.0  # seconds before the next one
TASKS = {
    "demo-builder": ("fix the failing test", "work 20", "say all tests pass"),
    "demo-asker": ("permit rm -r build", "ask which colour the button should have", "multi what to check"),
}


@asynccontextmanager
async def nobody(server: "Server") -> AsyncIterator[None]:
    yield


@asynccontextmanager
async def company(server: "Server") -> AsyncIterator[None]:
    """Both agents, for as long as the server is there."""
    socket = f"paneward-demo-{os.getpid()}"
    busy: list[asyncio.Task[None]] = []
    await _clear(server)
    try:
        panes = {name: await _start(socket, name) for name in TASKS}  # all, before a client of ours comes to that tmux
        for name, pane in panes.items():
            await server.agents.adopt(pane, name=name, socket_name=socket, role="demo")
            busy.append(asyncio.create_task(_keep_busy(server, name)))
        yield
    finally:
        for task in busy:
            task.cancel()
        await asyncio.gather(*busy, return_exceptions=True)
        for name in TASKS:
            with suppress(PanewardError):
                await server.agents.forget(name, purge=True)
        await asyncio.to_thread(asyncio.run, end_server(socket))


async def _clear(server: "Server") -> None:
    """A server that was killed leaves its demo agents behind, and their tmux server."""
    left = [agent for agent in await server.store.agents() if agent.id in TASKS]
    for agent in left:
        with suppress(PanewardError):
            await server.agents.forget(agent.id, purge=True)
    for socket in {os.path.basename(agent.socket) for agent in left}:
        if socket.startswith("paneward-demo-"):
            await asyncio.to_thread(asyncio.run, end_server(socket))


async def _start(socket: str, name: str) -> str:
    agent = [sys.executable, "-P", "-m", "paneward", "demo-agent", "--name", name, "--busy", str(WORK)]
    begin = ["new-session", "-d", "-s", name, "-x", "100", "-y", "30", "-P", "-F", "#{pane_id}"]
    return await asyncio.to_thread(asyncio.run, tmux(socket, *begin, *agent))


async def _keep_busy(server: "Server", name: str) -> None:
    """Give it the next text whenever it rests. An answer to what it asks is left to people."""
    for text in cycle(TASKS[name]):
        with suppress(PanewardError):
            await server.agents.send(name, text)
        while True:
            await server.clock.sleep(REST)
            if server.agents.get(name).stage in RESTING:
                break
