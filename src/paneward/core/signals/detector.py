"""Markers in the output of a program that prints lines. A machine.

Whole lines are judged at once, an unfinished one when nothing came for half a second. Memory is bounded: of an overlong
line the tail is kept, after the markers in the rest were told. What begins like a marker and is none is told once its
line is over.

What surprised us:
- A line that is written over itself (`CR`, a progress bar) shows a marker again and again: it counts as often as it
  stands in one of the layers.
- A program that writes slowly pauses inside a marker. So its beginning is kept when an unfinished line is judged.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from paneward.core.signals.marker import Grammar, Marker
from paneward.core.terminal.ansi import Stripper

FLUSH_AFTER: Final = 0.5  # seconds of silence after which an unfinished line is judged
TAIL: Final = 800  # bytes before a line that tell where it stands
LIMIT: Final = 4096  # bytes of an unfinished line
DOUBT: Final = b"\x18"  # in a line: from here on it may stand elsewhere. No text holds a control
NearMiss = Callable[[str], None]


class Detector:
    """Fed with raw output, it returns the markers that were completed."""

    def __init__(self, grammar: Grammar | None = None, near_miss: NearMiss | None = None, limit: int = LIMIT) -> None:
        self._grammar = grammar or Grammar()
        self._near_miss = near_miss
        self._limit = limit
        self._stripper = Stripper()
        self.row = 0  # the line that is not over, counted from the first that was heard
        self._begun = False  # something is known of what was fed
        self._tail = b""  # the end of the lines before
        self._pending = b""  # of the line that is not over
        self._fed_at: float | None = None  # and is not judged either
        self._line: Counter[str] = Counter()  # markers of this line that were told
        self._layer: Counter[str] = Counter()  # those since its last CR

    def seed(self, text: str) -> None:
        """What stands on the screen before all that will be fed."""
        self._tail = text.encode("utf-8", "surrogateescape")[-TAIL:]

    @property
    def pending(self) -> int:
        """Bytes of the unfinished line that are held."""
        return len(self._pending)

    def feed(self, data: bytes, now: float) -> list[Marker]:
        """The markers that `data` completes."""
        self._begun = True
        text = self._stripper.feed(data)
        if not text:
            return []
        self._fed_at = now
        if b"<" not in text and b"<" not in self._pending:
            self._pass(text)  # most output
            return []
        *lines, rest = (self._pending + text).split(b"\n")
        found = [marker for line in lines for marker in self._over(line)]
        self._pending = rest
        return found + self._trim()

    def skips(self, data: bytes) -> bool:
        """Whether that is left out: no marker begins in it, goes on or ends. It tells no place of later ones."""
        if b"<" in data or data.endswith(b"-") or b"<" in self._pending or self._pending.endswith(b"-"):
            return False
        if self._begun:
            self.gap()
        return True

    def flush(self) -> list[Marker]:
        """Judge the unfinished line: its time is up, or the stream ended."""
        self._fed_at = None
        return self._judge(keep=self._limit)

    def should_flush(self, now: float) -> bool:
        due = self.deadline()
        return due is not None and now >= due

    def deadline(self) -> float | None:
        """When the unfinished line is to be judged."""
        return self._fed_at + FLUSH_AFTER if self._fed_at is not None and self._pending else None

    def gap(self) -> None:
        """Output was lost: what was begun is not told."""
        self._stripper, self._begun = Stripper(), False
        self._tail, self._pending, self._fed_at = b"", b"", None
        self._line.clear()
        self._layer.clear()

    def jump(self, rows: int = 0, column: bool = False) -> list[Marker]:
        """The cursor goes to another row, so many above if that is known; with `column`, to its beginning."""
        found = self.flush()
        self._tail, self._pending = b"", b""
        self._line.clear()
        self._layer.clear()
        self.row = max(self.row - rows, 0)
        if not column:
            self.doubt()
        return found

    def doubt(self) -> None:
        """The cursor goes to another column."""
        if not self._pending.endswith(DOUBT):
            self._pending += DOUBT

    # --- inside

    def _pass(self, text: bytes) -> None:
        """Text without a marker: of its last line, the end is kept."""
        end = text.rfind(b"\n")
        if end >= 0:
            self._pass_by(self._pending + text[: end + 1])
            self._pending = b""
            self.row += text.count(b"\n")
            self._end_line()
        self._pending = (self._pending + text[end + 1 :])[-self._limit :]

    def _over(self, line: bytes) -> list[Marker]:
        """A line that is whole."""
        self._pending = line
        found = self._judge(keep=0)
        if self._near_miss is not None and (missed := self._grammar.near_miss(_decoded(line))):
            self._near_miss(missed)
        self._pass_by(line + b"\n")
        self.row += 1
        self._end_line()
        return found

    def _end_line(self) -> None:
        self._line.clear()
        self._layer.clear()

    def _pass_by(self, lines: bytes) -> None:
        self._tail = (self._tail + lines[-TAIL:])[-TAIL:]

    def _above(self) -> str:
        """What was printed before this line; nothing where some of it was written over."""
        over = b"\r" in self._tail.replace(b"\r\n", b"")
        return "" if over else self._tail.decode("utf-8", "replace")

    def _trim(self) -> list[Marker]:
        return self._judge(keep=self._limit) if len(self._pending) > self._limit else []

    def _judge(self, keep: int) -> list[Marker]:
        """The markers that are held, each told once; of the rest, the end is kept."""
        if b"<" not in self._pending:
            self._pending = self._pending[-keep:] if keep else b""
            return []
        *layers, last = self._pending.split(b"\r")
        found: list[Marker] = []
        for layer in layers:
            found += self._in_layer(layer)[0]
            self._layer.clear()
        more, rest = self._in_layer(last)
        self._pending = rest[-keep:] if keep else b""
        return found + more

    def _in_layer(self, layer: bytes) -> tuple[list[Marker], bytes]:
        """The markers in a layer, and what follows the last of them."""
        whole = layer.decode("utf-8", "surrogateescape")
        text, end, found = _decoded(layer), 0, []
        doubt = whole.find(DOUBT.decode()) % (len(whole) + 1)  # the end, where there is none
        above = self._above()
        for marker, (_, after) in self._grammar.placed(text):
            end = after
            if marker.quoted:
                continue
            self._layer[marker.essence] += 1
            if self._layer[marker.essence] > self._line[marker.essence]:
                self._line[marker.essence] += 1
                found.append(replace(marker, above=above + marker.before, row=self.row, sure=end <= doubt))
        if end == 0:
            return found, layer
        return found, (DOUBT if doubt < len(whole) else b"") + text[end:].encode("utf-8", "surrogateescape")


def _decoded(line: bytes) -> str:
    return line.replace(DOUBT, b"").decode("utf-8", "surrogateescape")
