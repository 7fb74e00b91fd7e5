"""The output of panes: one `PaneWatch` per watcher, one `SessionWatcher` (a control client) per session.

What surprised us: a client hears the panes of its own session only; when we read too slowly tmux stops telling
(`%pause`) and goes on from now when asked, so the gap is closed by a new capture; a capture on the same client
ends exactly where the following output begins, so joining loses and doubles nothing. Of a pane that floods we stop the
output ourselves (`valve.py`): there is a capture now and then, and no output behind it.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping

from paneward.adapters.tmux.control.client import Client
from paneward.adapters.tmux.control.valve import Valve, let_on
from paneward.core.errors import TmuxError
from paneward.core.terminal.control import Event, Notification, Output, Paused, SessionChanged, pane_sizes
from paneward.core.terminal.scene import Snapshot
from paneward.ports import Clock, always

HELD = 256 << 10  # bytes of recent output that a watch keeps


class PaneWatch:
    """The output of one pane from the moment of joining on; the `Watch` port."""

    def __init__(
        self,
        pane: str,
        clock: Clock,
        again: Callable[["PaneWatch"], Awaitable[None]],
        look: "Look",
        sized: bool = False,
    ) -> None:
        self.pane = pane
        self.sized = sized  # a new size is told by a new snapshot
        self.joined = False  # output that comes before the capture is already on the captured screen
        self.flooding = False  # nothing is heard, and each capture is but a sample
        self.joins = 0
        self.link = ""  # the window that is linked into a session of ours for this watch
        self._clock = clock
        self._again = again  # go on behind a new snapshot
        self._look = look  # take one at its place in the stream
        self._snapshot: Snapshot | None = None
        self._between: deque[tuple[int, Snapshot]] = deque()  # snapshots, each with the output before it
        self._seq = 0
        self._at: float | None = None
        self._gone = False
        self._ring: deque[bytes] = deque()
        self._held = 0
        self._waiters: dict[asyncio.Future[bool], Callable[[], bool]] = {}  # each with whether it is worth waking
        self._saw: tuple[Snapshot, int] | None = None
        self._ears: list[Callable[[bytes | None], None]] = []

    @property
    def snapshot(self) -> Snapshot:
        assert self._snapshot is not None
        return self._snapshot

    @property
    def output_seq(self) -> int:
        return self._seq

    @property
    def last_output_at(self) -> float | None:
        return self._clock.now() if self.flooding else self._at

    @property
    def gone(self) -> bool:
        return self._gone

    def join(self, snapshot: Snapshot) -> None:
        """The stream goes on exactly behind `snapshot`, unless that is a sample of a flood. A second join is a gap: it
        counts as one byte of output."""
        self._snapshot = snapshot
        self.joined = not self.flooding
        self.joins += 1
        if self.joins > 1:
            self._ring.clear()
            self._between.clear()
            self._held = 0
            self._seq += 1
            self._at = self._clock.now()
            self._wake()
            self._say(None)

    def hear(self, data: bytes) -> None:
        if not self.joined:
            return
        self._seq += len(data)
        self._at = self._clock.now()
        self._ring.append(data)
        self._held += len(data)
        while self._held > HELD:
            self._held -= len(self._ring.popleft())
        if self._ears:
            self._say(data)
        if self._waiters:
            self._wake(heard=True)

    def listen(self, ear: Callable[[bytes | None], None]) -> bool:
        self._ears.append(ear)
        return True

    def leave(self, ear: Callable[[bytes | None], None]) -> None:
        if ear in self._ears:
            self._ears.remove(ear)

    def _say(self, data: bytes | None) -> None:
        for ear in self._ears:
            ear(data)

    async def renew(self) -> None:
        await self._look(self, self._put_between)

    def _put_between(self, snapshot: Snapshot) -> None:
        if self.joined:  # else a newer one is on its way
            self._between.append((self._seq, snapshot))
            self._wake()

    def resized(self, size: tuple[int, int]) -> bool:
        """The pane has that size now: a new snapshot is wanted."""
        seen = self._between[-1][1] if self._between else self._snapshot
        return self.sized and self.joined and seen is not None and size != (seen.width, seen.height)

    def end(self) -> None:
        self._gone = True
        self._wake()

    def _wake(self, heard: bool = False) -> None:
        for waiter, matters in self._waiters.items():
            if not waiter.done() and (not heard or matters()):
                waiter.set_result(True)

    async def see(self) -> tuple[Snapshot, int] | None:
        found: list[tuple[Snapshot, int]] = []
        if self.joined and not self._gone:
            with contextlib.suppress(TmuxError):  # whoever looks in another way hears why
                await self._look(self, lambda snapshot: found.append((snapshot, self._seq)))
        return found[0] if found and self.joined else None

    def saw(self, snapshot: Snapshot, seq: int) -> None:
        self._saw = snapshot, seq

    def unmoved(self) -> Snapshot | None:
        """What was seen last, unless something was told since. A screen can also change untold, by a resize or a mode,
        so who types relies on it only with the guard of `seen`, and only where output moves a visible cursor."""
        if self._saw is None or self._gone or not self.joined:
            return None
        snapshot, seq = self._saw
        return snapshot if seq == self._seq and snapshot.cursor_visible else None

    async def wait(self, after: int, timeout: float, matters: Callable[[], bool] = always) -> bool:
        loop = asyncio.get_running_loop()
        until = self._clock.now() + timeout
        while not self._gone and not (self._seq > after and matters()):
            waiter: asyncio.Future[bool] = loop.create_future()
            timer = loop.call_later(until - self._clock.now(), _expire, waiter)
            self._waiters[waiter] = matters
            try:
                if not await waiter:
                    return False
            finally:
                timer.cancel()
                del self._waiters[waiter]
        return True

    def recent(self, after: int) -> bytes | None:
        """Raw output after `output_seq` `after`; None when it is no longer held."""
        missing = self._seq - after
        if missing > self._held:
            return None
        parts: list[bytes] = []
        for part in reversed(self._ring):
            if missing <= 0:
                break
            parts.append(part[-missing:])
            missing -= len(part)
        return b"".join(reversed(parts))

    async def chunks(self) -> AsyncIterator[bytes | Snapshot | None]:
        """The raw output from joining on; None marks a gap, after which `snapshot` is new."""
        at, joins = 0, 1
        while True:
            if self.joins != joins:
                at, joins = self._seq - self._held, self.joins
                yield None
            elif self._between and self._between[0][0] <= at:
                self._snapshot = self._between.popleft()[1]
                yield self._snapshot
            elif at < self._seq:
                data = self.recent(at)
                if data is None:  # the reader was slower than what we hold
                    await self._again(self)
                    continue
                data = data[: self._between[0][0] - at] if self._between else data
                at += len(data)
                yield data
            elif self._gone:
                return
            else:
                await self._next()

    async def _next(self) -> None:
        """Until something is heard: without a timer, which would cost more than the waiting."""
        waiter: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiters[waiter] = always
        try:
            await waiter
        finally:
            del self._waiters[waiter]


Look = Callable[[PaneWatch, Callable[[Snapshot], None]], Awaitable[None]]


def _expire(waiter: asyncio.Future[bool]) -> None:
    if not waiter.done():
        waiter.set_result(False)


# What may mean that a pane closed, died or moved: only a list of the panes can tell.
SUSPICIOUS = frozenset(
    {"window-close", "unlinked-window-close", "unlinked-window-add", "window-add", "layout-change", "sessions-changed"}
)


class SessionWatcher:
    """A control client on one session, and the watches of its panes."""

    def __init__(
        self,
        session: str,
        clock: Clock,
        suspect: Callable[[], None],
        rejoin: Callable[[PaneWatch], None],
        renew: Callable[[PaneWatch], None],
    ) -> None:
        self.session = session
        self.client: Client | None = None
        self.ended = False  # its last client ended by itself
        self.watches: dict[str, set[PaneWatch]] = {}
        self.opening = asyncio.Lock()
        self.linger: asyncio.TimerHandle | None = None
        self._valves: dict[str, Valve] = {}
        self._clock = clock
        self._suspect = suspect
        self._rejoin = rejoin
        self._renew = renew

    def add(self, watch: PaneWatch) -> None:
        if self.linger is not None:
            self.linger.cancel()
            self.linger = None
        self.watches.setdefault(watch.pane, set()).add(watch)
        valve = self._valves.get(watch.pane)
        watch.flooding = valve is not None and valve.flooding

    def remove(self, watch: PaneWatch) -> None:
        watches = self.watches.get(watch.pane, set())
        watches.discard(watch)
        if not watches:
            self.watches.pop(watch.pane, None)
            self._close_valves(watch.pane)

    def hear(self, event: Event) -> None:
        match event:
            case Output(pane, data) if pane in self.watches:
                for watch in self.watches[pane]:
                    watch.hear(data)
                self._valve(pane).hear(len(data))
            case Paused(pane) if pane not in self._valves or not self._valves[pane].held:
                self._resume(pane)
            case SessionChanged(session) if session != self.session:
                self._moved()
            case Notification(name, args) if name in SUSPICIOUS:
                self._suspect()
                self._resized(pane_sizes(args) if name == "layout-change" else {})

    def _valve(self, pane: str) -> Valve:
        if pane not in self._valves:
            assert self.client is not None
            self._valves[pane] = Valve(pane, self.client, self._clock, self._turned)
        return self._valves[pane]

    def _close_valves(self, *panes: str) -> None:
        for pane in panes:
            valve = self._valves.pop(pane, None)
            if valve is not None:
                valve.close()

    def _resume(self, pane: str) -> None:
        """tmux stopped telling: go on from now, and close the gap by a new capture."""
        assert self.client is not None
        let_on(self.client, pane)
        self._cut(self.watches.get(pane, ()))

    def _turned(self, pane: str, flooding: bool) -> None:
        """Its output is held back, or comes again: either way there is a gap."""
        for watch in self.watches[pane]:
            watch.flooding = flooding
        self._cut(self.watches[pane])

    def _cut(self, watches: Iterable[PaneWatch]) -> None:
        for watch in watches:
            watch.joined = False
            self._rejoin(watch)

    def _resized(self, sizes: Mapping[str, tuple[int, int]]) -> None:
        for pane, size in sizes.items():
            for watch in self.watches.get(pane, ()):
                if watch.resized(size):
                    self._renew(watch)

    def _moved(self) -> None:
        """`detach-on-destroy off`: our session is gone and we were put onto another one."""
        if self.client is not None:
            self.client.close()
        self.lost()

    def lost(self) -> None:
        self.client = None
        self.ended = True
        self._close_valves(*self._valves)
        for watches in self.watches.values():
            for watch in watches:
                watch.flooding = False
            self._cut(watches)

    def close(self) -> None:
        self._close_valves(*self._valves)
        if self.linger is not None:
            self.linger.cancel()
        if self.client is not None:
            self.client.close()
            self.client = None
