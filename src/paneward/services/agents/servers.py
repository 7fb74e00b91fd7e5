"""The connections to tmux servers: each is opened once, by its host and the name or the path of its socket.

Those in which agents live stay open. Others are opened because somebody asked for a pane there: they are closed when
nobody has used them for a while, and there are never many of them. Hosts do not wait for each other: what is opened or
closed on another machine can take long, and has a lock and a time limit of its own.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from paneward.core.errors import Code, Denied
from paneward.ports import Clock
from paneward.services.panes import Panes

P = TypeVar("P", bound=Panes)
Key = tuple[str, str]  # a host, empty for this machine; the path of a socket there
Connect = Callable[[str, str | None, str | None], AbstractAsyncContextManager[P]]  # host, name or path of a socket
UNUSED: Final = 300.0  # seconds after which a connection that nobody uses is closed
MOST: Final = 32  # connections to servers in which no agent lives
CLOSING: Final = 3.0  # seconds for a connection to another machine to end in order


@dataclass(slots=True)
class Opened(Generic[P]):
    panes: P
    stack: AsyncExitStack
    used_at: float
    users: int = 0  # who use it at this moment


class Servers(Generic[P]):
    def __init__(self, connect: Connect[P], clock: Clock, homes: Callable[[], Collection[Key]]) -> None:
        self._connect = connect
        self._clock = clock
        self._homes = homes  # the servers in which agents live
        self._opened: dict[Key, Opened[P]] = {}
        self._called: dict[tuple[str, str | None], str] = {}  # the paths of sockets that were asked for by name
        self._opening: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # of each host
        self._closing: set[asyncio.Task[None]] = set()

    def __getitem__(self, key: Key) -> P:
        return self._opened[key].panes

    async def at(self, socket: str | None = None, host: str = "") -> P:
        """The connection to a tmux server, for who uses it at once or keeps an agent there."""
        return (await self._at(socket, host)).panes

    @asynccontextmanager
    async def using(self, socket: str | None = None, host: str = "") -> AsyncIterator[P]:
        """The connection to a tmux server, which is not closed meanwhile."""
        opened = await self._at(socket, host, users=1)
        try:
            yield opened.panes
        finally:
            opened.users -= 1
            opened.used_at = self._clock.now()

    async def tidy(self) -> None:
        """Close what nobody has used for a while."""
        while (key := self._unused()) is not None:
            await self._close(key)

    async def drop(self, host: str) -> None:
        """Let go of all servers of a host that is known no longer."""
        for key in [key for key in self._opened if key[0] == host]:
            await self._close(key)
        for called in [called for called in self._called if called[0] == host]:
            del self._called[called]

    async def close(self) -> None:
        for key in list(self._opened):
            await self._close(key)
        if self._closing:
            await asyncio.wait(self._closing)

    # --- inside

    async def _at(self, socket: str | None, host: str, users: int = 0) -> Opened[P]:
        async with self._opening[host]:
            path = socket if socket and "/" in socket else self._called.get((host, socket))
            if path is None:
                path = self._called[host, socket] = await self._open(host, socket, None)
            elif (host, path) not in self._opened:
                await self._open(host, None, path)
            opened = self._opened[host, path]
            opened.used_at, opened.users = self._clock.now(), opened.users + users
            return opened

    async def _open(self, host: str, name: str | None, path: str | None) -> str:
        if path is None or (host, path) not in self._homes():
            await self._make_room()
        stack = AsyncExitStack()
        panes = await stack.enter_async_context(self._connect(host, name, path))
        try:
            path = path or await panes.socket()
        except BaseException:
            await self._end(host, stack)
            raise
        if (host, path) in self._opened:
            await self._end(host, stack)
        else:
            self._opened[host, path] = Opened(panes, stack, self._clock.now())
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
        await self._close(min(idle, key=lambda key: self._opened[key].used_at))

    def _unused(self) -> Key | None:
        now = self._clock.now()
        return next((key for key in self._idle() if now - self._opened[key].used_at >= UNUSED), None)

    def _idle(self) -> list[Key]:
        homes = set(self._homes())
        return [key for key, one in self._opened.items() if not one.users and key not in homes]

    async def _close(self, key: Key) -> None:
        await self._end(key[0], self._opened.pop(key).stack)

    async def _end(self, host: str, stack: AsyncExitStack) -> None:
        """What is elsewhere ends in the background: it may not answer."""
        if not host:
            await stack.aclose()
            return
        task = asyncio.create_task(_in_time(stack))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _in_time(stack: AsyncExitStack) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSING):
            await stack.aclose()
