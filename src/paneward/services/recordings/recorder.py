"""Records what one pane shows: its output as it comes, and a snapshot where that begins, has a gap, or a new size.

Nobody who prints waits for it. The watch holds what was heard and not yet written, and no more than that: where the
disk is too slow, the watch has a gap, and the recording says so and goes on with the screen.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

from paneward.core.errors import PanewardError
from paneward.core.recording.cast import Header
from paneward.core.recording.recorder import GAP, Backdrop, Scribe
from paneward.core.terminal.scene import Snapshot
from paneward.ports import Clock, OutputWatch

Behind = Callable[[Snapshot], Awaitable[Backdrop]]


class Reel(Protocol):
    """Where the lines go: parts, one after the other."""

    async def begin(self, snapshot: Snapshot) -> Header: ...  # the next part
    async def write(self, lines: bytes) -> bool: ...  # False: the next part is due


class Recorder:
    def __init__(self, reel: Reel, clock: Clock) -> None:
        self._reel = reel
        self._clock = clock
        self._scribe = Scribe()
        self._due = True  # the next snapshot begins a part

    @property
    def gaps(self) -> int:
        return self._scribe.gaps

    async def record(self, watch: OutputWatch, behind: Behind, why: str = "") -> None:
        """Until the pane is gone; `why` output is missing before this. What the reel raises ends it too."""
        await self._see(watch.snapshot, behind, why)
        async for piece in watch.chunks():
            if isinstance(piece, bytes):
                await self._hear(piece, watch)
            elif piece is None:
                await self._see(watch.snapshot, behind, GAP if self._due else None)
            else:
                await self._see(piece, behind)

    async def _hear(self, data: bytes, watch: OutputWatch) -> None:
        lines = self._scribe.hear(data, self._clock.now())
        if lines and not await self._reel.write(lines) and not self._due:
            self._due = True
            with suppress(PanewardError):  # what was lost comes back with a gap, and that is a snapshot too
                await watch.renew()

    async def _see(self, snapshot: Snapshot, behind: Behind, why: str | None = "") -> None:
        """A snapshot; `why` output is missing before it, None for the usual reason."""
        backdrop = None
        with suppress(PanewardError):  # it closes, or cannot be reached: the screen is known
            backdrop = await behind(snapshot)
        now, scribe = self._clock.now(), self._scribe
        if self._due:
            header = await self._reel.begin(snapshot)
            lines = scribe.begin(header, snapshot, backdrop, now, why or "")
            self._due = False
        elif why is None:
            lines = scribe.gap(snapshot, backdrop, now)
        else:
            lines = scribe.see(snapshot, backdrop, now, why)
        await self._reel.write(lines)
