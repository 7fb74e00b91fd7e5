"""The pane as a terminal: its output as it comes, recorded or shown, and what somebody types there."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace

from paneward.adapters.tmux.words import BACKDROP, read_backdrop
from paneward.core.recording.recorder import Backdrop
from paneward.core.terminal.browser import Pressed, Stroke, Typed
from paneward.core.terminal.keys import check_keys
from paneward.core.terminal.scene import Snapshot
from paneward.ports import Clock, OutputWatch, Tmux
from paneward.services.delivery.driver import pane_of
from paneward.services.recordings.recorder import Recorder, Reel


class Terminals:
    """The panes of one tmux server as terminals."""

    def __init__(self, tmux: Tmux, clock: Clock) -> None:
        self._tmux = tmux
        self._clock = clock

    async def take_strokes(self, pane: str, strokes: Iterable[Stroke]) -> None:
        """What somebody does in a terminal of their own, as it comes: like an operator at the keyboard of the pane."""
        for stroke in strokes:
            match stroke:
                case Typed(text):
                    await self._tmux.type(pane, text)
                case Pressed(keys):
                    check_keys(keys)
                    await self._tmux.press(pane, *keys)

    @asynccontextmanager
    async def watch(self, pane: str) -> AsyncIterator[OutputWatch]:
        """The output of a pane, from its screen of this moment on, without a gap; a new size brings a new snapshot."""
        async with self._tmux.watch(await pane_of(self._tmux, pane), sized=True) as watch:
            yield watch

    async def record(self, pane: str, reel: Reel) -> None:
        """Write the output of a pane as asciicast until it closes."""
        async with self.watch(pane) as watch:
            await Recorder(reel, self._clock).record(watch, self.backdrop)

    async def backdrop(self, snapshot: Snapshot) -> Backdrop:
        """What a snapshot of a pane does not show, and its later output rests on."""
        facts = await self._tmux.run("display-message", "-p", "-t", snapshot.pane, BACKDROP)
        behind = read_backdrop("".join(facts))
        if not snapshot.alternate:
            return behind
        below = await self._tmux.run("capture-pane", "-p", "-e", "-N", "-a", "-q", "-t", snapshot.pane)
        return replace(behind, below=tuple(below))
