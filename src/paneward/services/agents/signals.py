"""What an agent tells beside its work, found in what its follower hears and sees anyway; nothing is captured twice.

Of an agent with a frame the screen is read, of every other program the output (`core/signals`); where that clears the
screen or moves upwards, the screen is read too, until the next turn. Both readers share one memory, so that each marker
counts once. What scrolled off a screen before anybody looked is read from the scrollback. Other channels come in by
`heard`.

What is found waits here until it is stored: a store that fails loses nothing, and a server that is killed finds it
again on the screen.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from paneward.config import SignalSettings
from paneward.core.profiles import Profile
from paneward.core.screen.cells import Screen
from paneward.core.signals.channels import Bells, notified, silent
from paneward.core.signals.marker import Grammar
from paneward.core.signals.memory import Memory
from paneward.core.signals.painted import Painted, Shown, look
from paneward.core.signals.signal import Channel, Signal, SignalState, masked
from paneward.core.signals.stream import HeardMarker, Stream
from paneward.core.terminal.osc import OscReader
from paneward.core.terminal.scene import Scene, Snapshot

PAINTS: Final = re.compile(rb"\x1b(?:\[[0-9;]*[AFHfd]|\[[0-3]?J|M|[8c]|\[u|\[\?(?:1049|1047|47)h)")
ANCHOR: Final = 3  # rows by which it is told whether all that followed them is still there
NONE: Final = Snapshot("", (), 0, 0, 0, 0)
REDRAWN: Final = 0.1  # seconds without output after which a screen of another size is drawn
REDRAWS: Final = 1.0  # the same, of a program that never falls quiet
ALONE: Final = 0.3  # seconds after which a bell that came with nothing else is all there is
SECRETS: Final = 32  # texts that an agent may repeat without their being written down
MOST: Final = 1000  # signals and near misses that may wait to be stored; more are a flood


@dataclass(frozen=True, slots=True)
class Found:
    """What waits to be stored."""

    signals: tuple[Signal, ...] = ()
    missed: tuple[str, ...] = ()  # what begins like a marker and is none
    lost: str = ""  # why output was lost

    def __bool__(self) -> bool:
        return bool(self.signals or self.missed or self.lost)


class Tracker:
    """Fed by the follower of one agent."""

    def __init__(
        self,
        now: Callable[[], float] = lambda: 0.0,
        on_news: Callable[[], None] = lambda: None,
        settings: SignalSettings | None = None,
    ) -> None:
        settings = settings or SignalSettings()
        self.memory = Memory()
        self.past = settings.catchup_lines  # lines of scrollback that are read at least
        self.behind = True  # the past has to be read first
        self._lost = False  # some was lost while it is read
        self._now = now
        self._on_news = on_news
        self._bell = settings.bell
        self._grammar = Grammar(settings.word)
        self._found = Found()
        self._stream = Stream(self._grammar, self._miss)
        self._commands = OscReader()
        self._bells = Bells()
        self._painted = Painted()
        self._profile: Profile | None = None
        self._heard = True  # output comes here; else only looks tell
        self._meanwhile: list[HeardMarker] = []  # what was printed while the past is to be read
        self._escape = b""  # the first byte of a sequence that is cut there, as one chunk in some is
        self._hinted = False  # since the last look something was painted that may begin a marker
        self._unseen: int | None = None  # rows of scrollback that were there when what scrolled by is to be read
        self._expected: set[str] = set()  # what may have been printed, and the screen is to show
        self._last = NONE  # look
        self._read: tuple[str, ...] = ()  # the rows that were read last
        self._resized_at: float | None = None  # when the pane was seen to have another size, if that is all
        self._anchor: tuple[str, ...] = ()  # the end of what was seen before output was lost
        self._at = 0.0  # when the newest output came
        self._rang: float | None = None  # when the bell rang, if nothing was told since
        self._secrets: tuple[str, ...] = ()

    # --- other channels

    def heard(self, signal: Signal) -> None:
        """A signal that came another way: a hook, the event file. Whoever found it knows that it is new."""
        self._tell(signal)

    def keep_secret(self, text: str) -> None:
        """It was told this, and may repeat it: that is not written down."""
        self._secrets = (*self._secrets, text)[-SECRETS:]

    def veiled(self, text: str) -> str:
        """Without what is not to be written down."""
        return masked(text, self._secrets)

    # --- what the follower hears and sees

    def hear(self, data: bytes | None) -> None:
        """Output, the moment it comes; None: some was lost."""
        self._at = self._now()
        if data is None:
            self.gap()
            return
        data, self._escape = _whole(self._escape + data)
        self._hinted = self._hinted or b"<" in data
        if self.reads_screen and self._only_shows(data):
            return  # most output of programs that paint
        for osc in self._commands.feed(data):
            signal = notified(osc, self._at)
            if signal is not None:
                self._tell(signal)
        if self._framed:
            if self._bells.feed(data) and self._bell and self._rang is None:
                self._rang = self._at
                self._on_news()
            return
        self.memory.paints = self.memory.paints or PAINTS.search(data) is not None
        self._printed(self._stream.feed(data, self._at))

    def _only_shows(self, data: bytes) -> bool:
        """There is nothing in it but what the screen will tell."""
        if self._commands.open or not silent(data):
            return False
        return not self._bells.open if self._framed else self._stream.skips(data)

    def unheard(self) -> None:
        self._heard = False

    def gap(self) -> None:
        """Output was lost, or nobody listened: the past has to be read."""
        self._escape = b""
        self._stream.gap()
        self._commands.gap()
        self._bells.gap()
        self._unseen = None
        if not self.behind:
            self._anchor = tuple(row for row in self._last.rows if row.strip())[-ANCHOR:]
        self.behind = self._lost = True
        self._on_news()

    def see(self, scene: Scene, profile: Profile) -> None:
        """A look at the pane."""
        self._profile = profile
        if scene.gone or self.behind:
            return
        seen, before = scene.snapshot, self._last
        self._last = seen
        if (seen.width, seen.height) != (before.width, before.height) and before.width:
            self._resized_at = scene.now
        elif self._scrolled_by(before, seen):
            self.behind, self._unseen = True, before.scrolled
            self._on_news()
            return
        if self.reads_screen and not self._is_cropped(scene.now, scene.quiet):
            shown = self._painted.shown if seen.rows == self._read else look(seen, profile, self._grammar)
            self._read = seen.rows
            self._take(self._painted.see(shown, scene.now, scene.quiet))
            if self._expected and scene.quiet >= Painted.SETTLES:
                self._miss_expected()

    def _scrolled_by(self, before: Snapshot, seen: Snapshot) -> bool:
        """What nobody has seen, or nobody was sure of, may stand above the screen of a program of which only the screen
        tells."""
        hinted, self._hinted = self._hinted or not self._heard or self._painted.unsure, False
        return hinted and (self._framed or not self._heard) and before.width > 0 and seen.scrolled != before.scrolled

    def _is_cropped(self, now: float, quiet: float) -> bool:
        """tmux has cut the rows to a new width, and the program has not drawn them anew."""
        if self._resized_at is None:
            return False
        if self._at > self._resized_at and (quiet >= REDRAWN or now >= self._resized_at + REDRAWS):
            self._resized_at = None
            return False
        return True

    def tick(self, now: float, unmoved: bool) -> None:
        """Time passed; `unmoved`: nothing was printed since the last look."""
        if self.behind:
            return
        if self._stream.should_flush(now):
            self._printed(self._stream.flush())
        if self._rang is not None and now >= self._rang + ALONE:
            self._tell(Signal(SignalState.NEEDS_INPUT, "", Channel.BELL, self._rang))
        if not self.reads_screen or not unmoved:
            return
        if self._resized_at is not None and self._profile is not None:
            scene = Scene(self._last, now=now, quiet=now - self._at)
            self.see(scene, self._profile)
        else:
            self._take(self._painted.still(now))
            for line in self._painted.missed(now):
                self._miss(line)

    def finish(self) -> None:
        """The program ended: what it left is all there will be."""
        self._printed(self._stream.flush())
        if self.reads_screen and not self.behind:
            self._take(self._painted.see(self._painted.shown, self._now(), Painted.MISSES))

    def deadline(self) -> float | None:
        """When to call `tick` although nothing happens."""
        if self.behind:
            return None
        rings = None if self._rang is None else self._rang + ALONE
        reads = self._painted.deadline() if self.reads_screen else self._stream.deadline()
        if self._resized_at is not None:
            reads = self._at + REDRAWN if self._at > self._resized_at else None
        dues = (rings, reads)
        return min((due for due in dues if due is not None), default=None)

    def look_back(self) -> None:
        """The past is about to be read: what is lost from here on may not be in it."""
        self._lost = False

    def wants_more(self, past: Snapshot, profile: Profile) -> bool:
        """So much scrollback is not enough."""
        if self._unseen is not None:
            return past.history < min(_rows_since(self._unseen, past), past.scrolled)
        return past.history >= self.past > 0 and not self._knows_any(past, profile)

    def catch_up(self, past: Snapshot, profile: Profile) -> None:
        """The screen with its scrollback: whatever is unknown there was told while nobody listened. Of what was heard
        meanwhile, the beginning is on that screen already."""
        if self._unseen is not None:
            self._look_up(past, profile)
            return
        self._profile, lost = profile, self._lost
        shown = look(past, profile, self._grammar)
        if self._anchor and self._gapes(past):
            self._found = replace(self._found, lost="more was printed than tmux holds")
        if not self._framed:
            self.memory.paints = self.memory.paints or shown.copied  # by a program that nobody saw drawing
        if self.memory.paints and not self._framed:
            self._take_drawn(past, profile)
        else:
            self._take(shown, old=True)
            self._painted.know(look(replace(past, rows=past.rows[past.history :], history=0), profile, self._grammar))
        printed = [*self._meanwhile, *self._stream.flush()]
        known = _overlap([one.marker.essence for one in shown.spotted], [one.marker.essence for one in printed])
        self._meanwhile, self._anchor, self.behind = [], (), False
        told = [one for one in shown.spotted if one.row < past.history or self.memory.knows(one.marker.essence)]
        self._stream.seed("\n".join(Screen.of(past).lines), [(one.row, one.sighting) for one in told])
        self._last = replace(past, rows=past.rows[-past.height :], history=0)
        self._printed(printed[known:])
        self._expected.clear()
        if lost:
            self.gap()

    def begin_turn(self, ours: bool, prompt: str = "") -> None:
        """A prompt was submitted; by us: the screen has come to rest before. An answer to a dialog has no prompt."""
        self.memory.begin_turn(ours, prompt)
        if ours:
            self.memory.paints = False
            self._stream.begin_turn()

    def _knows_any(self, past: Snapshot, profile: Profile) -> bool:
        """Something on it was heard before, so that all above it was, too."""
        return any(self.memory.knows(one.essence) for one in look(past, profile, self._grammar).sightings)

    @property
    def reads_screen(self) -> bool:
        return self.memory.paints or self._framed or not self._heard

    def _look_up(self, past: Snapshot, profile: Profile) -> None:
        """Read what scrolled by since the last look, with the screen below it. Where nothing did, the screen has time
        until it is sure."""
        assert self._unseen is not None
        unseen = min(_rows_since(self._unseen, past), past.history)
        self._unseen, self.behind, self._profile = None, False, profile
        shown = look(replace(past, rows=past.rows[past.history - unseen :], history=unseen), profile, self._grammar)
        self._last = replace(past, rows=past.rows[past.history :], history=0)
        screen = look(self._last, profile, self._grammar)
        if any(one.row < unseen for one in shown.spotted):
            self._take(shown)
            self._take(screen)  # where the screen stands now
            self._painted.know(screen)
        else:
            self._take(self._painted.see(screen, self._now(), 0.0))
        if self._lost:
            self.gap()

    # --- what waits to be stored

    @property
    def found(self) -> Found:
        return self._found

    def stored(self, found: Found) -> None:
        """That was written down."""
        self._found = Found(
            self._found.signals[len(found.signals) :],
            self._found.missed[len(found.missed) :],
            "" if found.lost else self._found.lost,
        )

    # --- inside

    @property
    def _framed(self) -> bool:
        return self._profile is not None and self._profile.framed

    @property
    def _reads_output(self) -> bool:
        return self._heard and not self._framed

    def _gapes(self, past: Snapshot) -> bool:
        """What was seen before is not there any more; or it is everywhere, and much may have gone unseen."""
        rows = [row for row in past.rows if row.strip()]
        length = len(self._anchor)
        places = sum(tuple(rows[at : at + length]) == self._anchor for at in range(len(rows) - length + 1))
        return not places or (places > 1 and past.history >= self.past and not self.reads_screen)

    def _take_drawn(self, past: Snapshot, profile: Profile) -> None:
        """Of a program that paints, its scrollback. Its screen may be half drawn: that is told when it stands still."""
        above, drawn = past.rows[: past.history], past.rows[past.history :]
        scrolled = replace(past, rows=(*above, *[""] * len(drawn)))
        self._take(look(scrolled, profile, self._grammar).once(), old=True)
        shown = look(replace(past, rows=drawn, history=0), profile, self._grammar).once()
        self._take(self._painted.see(shown, self._now(), 0.0))

    def _printed(self, told: list[HeardMarker]) -> None:
        """Markers in the output. Of a program that paints, its screen tells those that may show something else."""
        if self.behind:
            if len(self._meanwhile) + len(told) > MOST:
                self._lose("more was told than can be kept while the scrollback is read")
            self._meanwhile = [*self._meanwhile, *told][-MOST:]
            return
        for one in told:
            marker = one.marker
            if self.reads_screen and not marker.sure:
                if len(self._expected) < MOST:
                    self._expected.add(marker.essence)
            elif one.new:
                key = self.memory.remember(one.known)
                self._tell(Signal(marker.state, marker.message, Channel.MARKER, self._at, key))

    def _take(self, shown: Shown | None, old: bool = False) -> None:
        if shown is None:
            return
        spotted = {id(one.sighting): one.marker for one in shown.spotted}
        for sighting, key in self.memory.see(shown.sightings, old):
            if (
                not old
                and self._reads_output
                and self._stream.accounts_for(sighting, shown.sightings, self._last.height)
            ):
                continue
            marker = spotted[id(sighting)]
            self._tell(Signal(marker.state, marker.message, Channel.MARKER, self._at, key, old))
            self._stream.seen(sighting)
        self._miss_expected()

    def _miss_expected(self) -> None:
        """What was printed and does not show was scrolled away before anybody looked."""
        if not all(map(self.memory.knows, self._expected)):
            self.gap()
        self._expected.clear()

    def _lose(self, why: str) -> None:
        self._found = replace(self._found, lost=self._found.lost or why)
        self._on_news()

    def _tell(self, signal: Signal) -> None:
        signal = replace(signal, message=self.veiled(signal.message))
        self._rang = None  # that is what the bell was for
        if len(self._found.signals) < MOST:
            self._found = replace(self._found, signals=(*self._found.signals, signal))
        else:
            self._lose("more was told at once than can be kept")
        self._on_news()

    def _miss(self, line: str) -> None:
        if len(self._found.missed) < MOST:
            self._found = replace(self._found, missed=(*self._found.missed, self.veiled(line)))
        self._on_news()


def _whole(data: bytes) -> tuple[bytes, bytes]:
    """Without a last byte that begins a sequence, and that byte."""
    return (data[:-1], data[-1:]) if data.endswith(b"\x1b") else (data, b"")


def _rows_since(scrolled: int, past: Snapshot) -> int:
    """How many rows have scrolled by; all that there are, where tmux has forgotten some."""
    return past.scrolled - scrolled if past.scrolled >= scrolled else past.scrolled


def _overlap(past: list[str], new: list[str]) -> int:
    """How many of the new ones are the end of the past."""
    return next((count for count in range(min(len(past), len(new)), 0, -1) if past[-count:] == new[:count]), 0)
