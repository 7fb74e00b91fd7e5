"""The end of a program whose pane stays (`remain-on-exit`), of which tmux itself says nothing.

Here the kernel tells (a pidfd per pane). On another host, or when descriptors run out, a `pane-died` hook wakes
a spare client that is blocked in `wait-for`. It is an entry of its own in the global hook, beside the user's.

What surprised us: `wait-for` answers its own block at once; what waits is the answer to the next line. The
kernel tells before tmux knows, and before the last output came; a background job can hold the terminal open, so
that tmux never calls the pane dead. Up to 3.4 tmux can miss that its child ended: then the hook never comes,
three times in ten, and only a list of the panes tells; so where we rest on the hook we also ask, once a second
or more rarely.
"""

import asyncio
import contextlib
import math
import os
import resource
import secrets
from collections.abc import Awaitable, Callable, Coroutine

from paneward.adapters.tmux.control.client import Client, ClientLost
from paneward.adapters.tmux.control.watching import PaneWatch
from paneward.core.errors import TmuxError
from paneward.core.terminal.control import CommandReply
from paneward.ports import Clock

CONFIRM = (0.0, 0.002, 0.01, 0.05, 0.2, 0.5)  # tmux hears of a death a moment after the kernel tells us
PATROL = 1.0
SPARING = 3000  # a patrol of many panes costs milliseconds: it may take this share of the time


class Deaths:
    """Wakes `check` when the program of a followed pane may have ended."""

    def __init__(
        self,
        local: bool,
        clock: Clock,
        open_spare: Callable[[], Awaitable[Client]],
        ask: Callable[[bytes], Awaitable[CommandReply]],
        check: Callable[[], Awaitable[None]],
        start: Callable[[Coroutine[None, None, None]], None],
    ) -> None:
        self._local = local
        self._clock = clock
        self._open_spare = open_spare
        self._ask = ask
        self._check = check
        self._start = start
        self._pidfds: dict[PaneWatch, int] = {}
        self._hooked: set[PaneWatch] = set()
        self._spare: Client | None = None
        self._channel = ""
        self._hook = ""
        self._many = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2  # descriptors, half of those we may have

    async def follow(self, watch: PaneWatch) -> None:
        if watch.snapshot.dead:
            watch.end()
        elif not self._follow_process(watch):
            self._hooked.add(watch)
            await self._hear_hook()

    def unfollow(self, watch: PaneWatch) -> None:
        self._hooked.discard(watch)
        pidfd = self._pidfds.pop(watch, None)
        if pidfd is not None:
            asyncio.get_running_loop().remove_reader(pidfd)
            os.close(pidfd)

    def _follow_process(self, watch: PaneWatch) -> bool:
        if not self._local or len(self._pidfds) >= self._many:
            return False
        try:
            pidfd = os.pidfd_open(watch.snapshot.pid)
        except ProcessLookupError:
            self._start(self._confirm(watch))
            return True
        except OSError:
            return False
        self._pidfds[watch] = pidfd
        asyncio.get_running_loop().add_reader(pidfd, self._ended, watch)
        return True

    def _ended(self, watch: PaneWatch) -> None:
        self.unfollow(watch)
        self._start(self._confirm(watch))

    async def _confirm(self, watch: PaneWatch) -> None:
        for pause in CONFIRM:
            await self._clock.sleep(pause)
            await self._check()
            if watch.gone:
                return
        watch.end()

    # --- by hook

    async def _hear_hook(self) -> None:
        if self._channel:
            return
        self._channel = f"paneward-died-{secrets.token_hex(6)}"
        self._hook = f"pane-died[{secrets.randbelow(1 << 20) + 1000}]"
        await self._ask(f"set-hook -gw '{self._hook}' 'wait-for -S {self._channel}'".encode())
        self._start(self._listen())
        self._start(self._patrol())

    async def _patrol(self) -> None:
        pause = PATROL
        while True:
            await self._clock.sleep(pause)
            if self._hooked:
                began = self._clock.now()
                await self._check()
                pause = max(PATROL, (self._clock.now() - began) * SPARING)

    async def _listen(self) -> None:
        while True:
            try:
                await self._listen_once()
            except (ClientLost, TmuxError):
                await self._clock.sleep(PATROL)
            await self._check()

    async def _listen_once(self) -> None:
        if self._spare is None or self._spare.lost is not None:
            self._spare = await self._open_spare()
        self._spare.ask(f"wait-for {self._channel}".encode(), timeout=math.inf).add_done_callback(_heed)
        await self._spare.ask(b"display-message -p woken", timeout=math.inf)

    async def close(self) -> None:
        for watch in list(self._pidfds):
            self.unfollow(watch)
        if self._spare is not None:
            self._spare.close()
        if self._hook:
            with contextlib.suppress(ClientLost, TmuxError):
                await self._ask(f"set-hook -guw '{self._hook}'".encode())


def _heed(future: asyncio.Future[CommandReply]) -> None:
    """`wait-for` itself has nothing to say; that the client ended is heard by the next line."""
    if not future.cancelled():
        future.exception()
