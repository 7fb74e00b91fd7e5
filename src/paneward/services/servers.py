"""The connections to tmux servers: each is opened once, by the name or the path of its socket.

Those in which agents live stay open. Others are opened because somebody asked for a pane there: they are closed when
nobody has used them for a while, and there are never many of them.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from paneward.core.errors import Code, Denied
from paneward.ports import Clock
from paneward.services.keeper import Panes

P = TypeVar("P", bound=Panes)
Connect = Callable[[str | None, str | None], AbstractAsyncContextManager[P]]
UNUSED: Final = 300.0  # seconds after which a connection that nobody uses is closed
MOST: Final = 32  # connections to servers in which no agent lives


@dataclass(slots=True)
class Opened(Generic[P]):
    panes: P
    stack: AsyncExitStack
    used_at: float
    users: int = 0  # who use it at this moment


class Servers(Generic[P]):
    def __init__(self, connect: Connect[P], clock: Clock, homes: Callable[[], Collection[str]]) -> None:
        self._connect = connect
        self._clock = clock
        self._homes = homes  # the sockets of the servers in which agents live
        self._opened: dict[str, Opened[P]] = {}  # by the paths of their sockets
        self._called: dict[str | None, str] = {}  # the paths of sockets that were asked for by name
        self._opening = asyncio.Lock()

    def __getitem__(self, path: str) -> P:
        return self._opened[path].panes

    async def at(self, socket: str | None = None) -> P:
        """The connection to a tmux server, for who uses it at once or keeps an agent there."""
        return (await self._at(socket)).panes

    @asynccontextmanager
    async def using(self, socket: str | None = None) -> AsyncIterator[P]:
        """The connection to a tmux server, which is not closed meanwhile."""
        opened = await self._at(socket, users=1)
        try:
            yield opened.panes
        finally:
            opened.users -= 1
            opened.used_at = self._clock.now()

    async def tidy(self) -> None:
        """Close what nobody has used for a while."""
        async with self._opening:
            now = self._clock.now()
            for path in [path for path in self._idle() if now - self._opened[path].used_at >= UNUSED]:
                await self._close(path)

    async def close(self) -> None:
        for path in list(self._opened):
            await self._close(path)

    # --- inside

    async def _at(self, socket: str | None, users: int = 0) -> Opened[P]:
        async with self._opening:
            path = socket if socket and "/" in socket else self._called.get(socket)
            if path is None:
                path = self._called[socket] = await self._open(socket, None)
            elif path not in self._opened:
                await self._open(None, path)
            opened = self._opened[path]
            opened.used_at, opened.users = self._clock.now(), opened.users + users
            return opened

    async def _open(self, name: str | None, path: str | None) -> str:
        if path not in self._homes():
            await self._make_room()
        stack = AsyncExitStack()
        panes = await stack.enter_async_context(self._connect(name, path))
        try:
            path = path or await panes.socket()
        except BaseException:
            await stack.aclose()
            raise
        if path in self._opened:
            await stack.aclose()
        else:
            self._opened[path] = Opened(panes, stack, self._clock.now())
        return path

    async def _make_room(self) -> None:
        """For one more: the one that was not used for longest goes."""
        if len(self._opened.keys() - set(self._homes())) < MOST:
            return
        idle = self._idle()
        if not idle:
            raise Denied(
                f"{MOST} tmux servers are being worked with",
                code=Code.TOO_MANY_STREAMS,
                hint="Wait until some of these requests have ended.",
            )
        await self._close(min(idle, key=lambda path: self._opened[path].used_at))

    def _idle(self) -> list[str]:
        homes = set(self._homes())
        return [path for path, one in self._opened.items() if not one.users and path not in homes]

    async def _close(self, path: str) -> None:
        await self._opened.pop(path).stack.aclose()
