"""The output of a pane on its way into a recording: a machine. And when a recording is long enough: functions.

tmux is the terminal of the program; a recording only shows, as a terminal in a browser does. So it holds what
`core/terminal/browser.py` lets through: no query, no mouse mode and no write to a clipboard reaches who plays it.

A snapshot is painted where the output begins or has a gap, and at a new size, since tmux arranges the lines anew. With
`Backdrop` it also brings what a screen does not show and later output rests on: the region that scrolls, the modes,
and the screen below the alternate one. What surprised us:

- Captured rows carry their styles on from one to the next, so they are painted in order.
- Line drawing comes as letters between SO and SI: G1 has to hold it, as programs under tmux expect anyway.
- A cursor behind the last column waits to wrap: no sequence puts it there, only the character before it, written anew.
- tmux shows nothing for bytes that are no text, so they are not recorded.
- The style that is in effect at the cursor is the one thing that tmux tells nobody: until the program sets one, what it
  prints is plain.
"""

import codecs
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from paneward.core.recording.cast import CAPTION, OUTPUT, RESIZE, CastLine, Header, size_of, written, written_header
from paneward.core.terminal.browser import TerminalFilter
from paneward.core.terminal.scene import Snapshot

GAP: Final = "some output was not recorded"
# Out of the alternate screen, all of it scrolls, nothing inserted, wrapping, letters, no style, an empty screen.
_RESET: Final = "\x1b[?1049l\x1b[r\x1b[?6l\x1b[4l\x1b[?7h\x0f\x1b(B\x1b)0\x1b[0m\x1b[H\x1b[2J"
_STYLE: Final = re.compile(r"\x1b\[[0-9;:]*m")


@dataclass(frozen=True, slots=True)
class Backdrop:
    """What a snapshot does not show, and later output rests on."""

    region: tuple[int, int] | None = None  # first and last row that scroll; None: all do
    wrap: bool = True
    insert: bool = False
    origin: bool = False  # rows are counted from the region on
    below: tuple[str, ...] = ()  # the rows below an alternate screen
    below_x: int = 0  # where the cursor goes when that is left
    below_y: int = 0


def painted(snapshot: Snapshot, behind: Backdrop | None = None) -> str:
    """What makes any terminal of that size show the screen, and go on as tmux does."""
    behind = behind or Backdrop()
    screen = snapshot.rows[-snapshot.height :]
    parts = [_RESET]
    if snapshot.alternate:
        parts += [*_rows(behind.below), _place(behind.below_x, behind.below_y), "\x1b[?1049h\x1b[H\x1b[2J"]
    parts += [*_rows(screen), "\x1b[0m", _modes(snapshot, behind)]
    if snapshot.cursor_x < snapshot.width or behind.origin:
        first = behind.region[0] if behind.region and behind.origin else 0
        parts.append(_place(snapshot.cursor_x, snapshot.cursor_y - first))
    else:
        parts += _waiting(screen, snapshot.cursor_y)
    parts.append("\x1b[?25h" if snapshot.cursor_visible else "\x1b[?25l")
    return "".join(parts)


def _rows(rows: Sequence[str]) -> list[str]:
    return [f"\x1b[{number};1H{row}" for number, row in enumerate(rows, 1) if row]


def _place(x: int, y: int) -> str:
    return f"\x1b[{y + 1};{x + 1}H"


def _modes(snapshot: Snapshot, behind: Backdrop) -> str:
    region = "" if behind.region in (None, (0, snapshot.height - 1)) else _region(*behind.region or (0, 0))
    return (
        region
        + ("" if behind.wrap else "\x1b[?7l")
        + ("\x1b[4h" if behind.insert else "")
        + ("\x1b[?6h" if behind.origin else "")
    )


def _region(first: int, last: int) -> str:
    return f"\x1b[{first + 1};{last + 1}r"


def _waiting(rows: Sequence[str], y: int) -> list[str]:
    """The row of the cursor once more, with the style that it begins in: what is full waits to wrap."""
    styles = [style for row in rows[:y] for style in _STYLE.findall(row)]
    return ["".join(styles), f"\x1b[{y + 1};1H", *rows[y : y + 1], "\x1b[0m"]


class Scribe:
    """The lines of a part, from snapshots and output; `now` is monotonic. How output is cut never changes its text."""

    def __init__(self) -> None:
        self._began = 0.0
        self._last = 0.0
        self._size = ""
        self._streams = False  # output was heard
        self.gaps = 0
        self._forget()

    def begin(self, header: Header, snapshot: Snapshot, behind: Backdrop | None, now: float, why: str = "") -> bytes:
        """The header and the first screen; `why` this is not the beginning of the recording."""
        self._began, self._last = now, 0.0
        self._size = size_of(header.width, header.height)
        self._forget()
        self.gaps += bool(why)
        caption = self._entry(CAPTION, why, now) if why else b""
        return written_header(header) + caption + self._entry(OUTPUT, painted(snapshot, behind), now)

    def hear(self, data: bytes, now: float) -> bytes:
        """Output; what is cut off in the middle of a character or a sequence waits for the rest."""
        self._streams = True
        text = self._decoder.decode(self._filter.feed(data))
        return self._entry(OUTPUT, text, now) if text else b""

    def see(self, snapshot: Snapshot, behind: Backdrop | None, now: float, why: str = "") -> bytes:
        """A new snapshot, of another size perhaps; `why` output is missing before it."""
        self._forget()
        lines, size = [], size_of(snapshot.width, snapshot.height)
        if why:
            self.gaps += 1
            lines.append(self._entry(CAPTION, why, now))
        if size != self._size:
            self._size = size
            lines.append(self._entry(RESIZE, size, now))
        return b"".join([*lines, self._entry(OUTPUT, painted(snapshot, behind), now)])

    def gap(self, snapshot: Snapshot, behind: Backdrop | None, now: float) -> bytes:
        """A snapshot behind a gap. Where no output is ever heard, snapshots are all there is: nothing is missing."""
        return self.see(snapshot, behind, now, GAP if self._streams else "")

    def _entry(self, kind: str, data: str, now: float) -> bytes:
        self._last = max(self._last, now - self._began)
        return written(CastLine(self._last, kind, data))

    def _forget(self) -> None:
        """Half a character, or half a sequence, has no meaning before a snapshot."""
        self._filter = TerminalFilter()
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")


# --- names

NAME: Final = re.compile(r"[0-9]{8}T[0-9]{6}Z(?:-[0-9]{1,4})?")  # of a recording: when it began
FILE: Final = re.compile(rf"({NAME.pattern})\.([0-9]{{1,6}})\.cast")


def file_name(recording: str, part: int) -> str:
    return f"{recording}.{part}.cast"


def is_name(text: str) -> bool:
    return NAME.fullmatch(text) is not None


def order(name: str) -> tuple[str, int, str]:
    """Of names, by the beginning: `…Z-10` comes after `…Z-2`."""
    return name[:16], len(name), name


# --- limits


class RecordingEnd(StrEnum):
    """Why a recording stopped."""

    ASKED = "asked"  # somebody said so
    LIMIT = "limit"  # it is as long as it may be, or there is no room left for it
    AGE = "age"  # it went on for as long as recordings are kept
    GONE = "gone"  # the pane closed, or the program in it ended
    FORGOTTEN = "forgotten"  # its agent was
    FAILED = "failed"  # it could not be written


@dataclass(frozen=True, slots=True)
class Limits:
    part: int  # bytes of a part
    recording: int  # bytes of a recording
    total: int  # bytes of all recordings
    age: float  # seconds that a recording goes on, and is kept after its end


@dataclass(frozen=True, slots=True)
class KeptRecording:
    """A recording on the disk."""

    agent_id: str
    name: str
    began: float  # seconds since the epoch
    ended: float  # the last time that something was written
    bytes: int
    parts: int
    running: bool = False


@dataclass(frozen=True, slots=True)
class Room:
    """What is taken before a write."""

    part: int
    recording: int
    total: int
    age: float


class Next(StrEnum):
    WRITE = "write"
    NEXT_PART = "next part"
    MAKE_ROOM = "make room"
    STOP = "stop"


def judged(room: Room, more: int, limits: Limits) -> tuple[Next, RecordingEnd | None]:
    """What to do with `more` bytes. No limit is ever passed, but by a part that begins with a screen that is larger."""
    if room.age >= limits.age:
        return Next.STOP, RecordingEnd.AGE
    if room.recording + more > limits.recording:
        return Next.STOP, RecordingEnd.LIMIT
    if room.total + more > limits.total:
        return Next.MAKE_ROOM, RecordingEnd.LIMIT
    if room.part and room.part + more > limits.part:
        return Next.NEXT_PART, None
    return Next.WRITE, None


def to_remove(kept: Collection[KeptRecording], limits: Limits, cutoff: float, more: int = 0) -> list[KeptRecording]:
    """Those that ended before `cutoff`, then the oldest until there is room for `more` bytes. One that runs is left
    alone; where those that run take all the room, nothing else goes for them."""
    over = sorted((one for one in kept if not one.running), key=lambda one: (one.ended, one.agent_id, one.name))
    left = sum(one.bytes for one in kept) + more
    helps = left - sum(one.bytes for one in over) <= limits.total
    gone: list[KeptRecording] = []
    for one in over:
        if one.ended <= cutoff or (helps and left > limits.total):
            gone.append(one)
            left -= one.bytes
    return gone
