"""Markers in the output of a program that prints, clears, scrolls and draws again. A machine.

The output is cut where the cursor goes upwards, anywhere or to another column. Between the cuts it is read by lines
(`detector.py`); what stood where the cursor goes back to may be drawn again (`page.py`). So a marker is heard when it
is printed, however far it scrolls at once, and a page that is drawn again tells nothing.

A line that was not written from its beginning may show something else than was written (`Marker.sure`): only the screen
tells that.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from paneward.core.signals.detector import Detector
from paneward.core.signals.marker import Grammar, Marker
from paneward.core.signals.memory import Known, Sighting, alike, as_known, sketch
from paneward.core.signals.page import Page

_PLACES: Final = rb"(?:[0-9]*(?:;(?P<column>[0-9]*))?[Hf]|[123]J|[0-9]*[dSTLMu]|[0-9;]*r)"
_SCREENS: Final = rb"\?(?:1049|1047|47)(?P<screen>[hl])"
_COLUMNS: Final = rb"(?P<aside>[0-9]*[BCDEGPae`@])"
MOVES: Final = re.compile(
    rb"\x1b\[(?:(?P<count>[0-9]*)(?P<up>[AF])|(?P<place>%b)|%b|%b)|\x1b(?P<other>[M8c])|(?P<back>\x08)"
    % (_PLACES, _SCREENS, _COLUMNS)
)
_TORN: Final = re.compile(rb"\x1b(?:\[[0-9;?]{0,16})?\Z")
FIRST: Final = (b"", b"0", b"1")  # column or row


@dataclass(frozen=True, slots=True)
class HeardMarker:
    """A marker of the output."""

    marker: Marker
    known: Known
    new: bool  # it is not one that is drawn again


class Stream:
    def __init__(self, grammar: Grammar | None = None, near_miss: Callable[[str], None] | None = None) -> None:
        self._detector = Detector(grammar, near_miss)
        self._page = Page()
        self._torn = b""  # the beginning of a sequence

    # --- what is heard

    def feed(self, data: bytes, now: float) -> list[HeardMarker]:
        """The markers that `data` completes."""
        found: list[HeardMarker] = []
        for text, move in self._cut(data):
            found += self._tell(self._detector.feed(text, now) if text else [])
            if move is not None:
                found += self._move(move)
        return found

    def skips(self, data: bytes) -> bool:
        """Whether that is left out: no marker begins in it, goes on or ends."""
        whole, torn = _parted(self._torn + data)
        if not self._detector.skips(whole):
            return False
        if self._page:
            for text, move in self._cut(data):
                self._detector.row += text.count(b"\n")
                if move is not None:
                    self._move(move)
        self._torn = torn
        return True

    def flush(self) -> list[HeardMarker]:
        """Judge the unfinished line: its time is up, or the stream ended."""
        return self._tell(self._detector.flush())

    def should_flush(self, now: float) -> bool:
        return self._detector.should_flush(now)

    def deadline(self) -> float | None:
        return self._detector.deadline()

    def gap(self) -> None:
        """Output was lost: what was begun is not told."""
        self._detector.gap()
        self._torn = b""

    # --- what is known otherwise

    def seed(self, text: str, standing: list[tuple[int, Sighting]]) -> None:
        """What stands on the screen, with its scrollback, before all that will be fed: each marker with its row."""
        self._detector.seed(text)
        self._detector.row = text.count("\n")
        self._page = Page()
        for row, one in standing:
            self._page.place(row, as_known(one.essence, one.above))

    def seen(self, one: Sighting) -> None:
        """A marker that the screen has told."""
        self._page.place(self._detector.row, as_known(one.essence, one.above))

    def accounts_for(self, one: Sighting, shown: Sequence[Sighting], height: int) -> bool:
        """As many of that marker were heard as are shown on a screen of that height. What scrolled off it does not
        count: a later turn may say the same."""
        known = as_known(one.essence, one.above)
        alikes = (as_known(other.essence, other.above) for other in shown if other.essence == one.essence)
        return self._page.count(known, self._detector.row - height) >= sum(alike(known, other) for other in alikes)

    def begin_turn(self) -> None:
        """What was drawn before will not be drawn again."""
        self._page.lay_ghosts()

    # --- inside

    def _cut(self, data: bytes) -> Iterator[tuple[bytes, re.Match[bytes] | None]]:
        """What is written, and how the cursor moves behind it."""
        data, self._torn = _parted(self._torn + data)
        at = 0
        for move in MOVES.finditer(data):
            yield data[at : move.start()], move
            at = move.end()
        yield data[at:], None

    def _tell(self, markers: list[Marker]) -> list[HeardMarker]:
        told = []
        for marker in markers:
            known = as_known(marker.essence, sketch(marker.above))
            told.append(HeardMarker(marker, known, self._page.write(marker.row, known) if marker.sure else True))
        return told

    def _move(self, move: re.Match[bytes]) -> list[HeardMarker]:
        if move["aside"] or move["back"]:
            if move["aside"] in (b"G", b"1G", b"`", b"1`"):
                self._detector.feed(b"\r", 0.0)
            else:
                self._detector.doubt()
            return []
        if move["up"] or move["other"] == b"M":
            return self._climb(int((move["count"] or b"1")[:4]) or 1, move["up"] == b"F")
        found = self._tell(self._detector.jump(column=_is_first(move) or (_stays(move) and not self._detector.pending)))
        match move["screen"]:
            case b"h":
                self._page.enter_alternate()
            case b"l":
                self._page.leave_alternate()
            case _:
                self._page.clear()
        return found

    def _climb(self, rows: int, first: bool) -> list[HeardMarker]:
        found = self._tell(self._detector.jump(rows, first or not self._detector.pending))
        self._page.rewind(self._detector.row)
        return found


def _parted(data: bytes) -> tuple[bytes, bytes]:
    """What is whole, and the beginning of a sequence behind it."""
    begins = data.rfind(b"\x1b")
    torn = begins >= 0 and _TORN.match(data, begins)
    return (data[:begins], data[begins:]) if torn else (data, b"")


def _stays(move: re.Match[bytes]) -> bool:
    """The cursor stays, and what is around it is erased or scrolled."""
    return (move["place"] or b"")[-1:] in (b"J", b"S", b"T", b"L", b"M")


def _is_first(move: re.Match[bytes]) -> bool:
    """The cursor goes to the first column."""
    if move["other"] == b"c" or move["screen"]:
        return True
    place = move["place"] or b""
    return place[-1:] in (b"H", b"f", b"r") and (move["column"] or b"") in FIRST
