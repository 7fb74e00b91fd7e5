"""What the hostile programs share: raw mode, the keys of a terminal, the log, and the cells of a text.

Every program here draws as real terminal programs do, and writes down exactly what was submitted to it, so that a
sender's claim can be judged byte for byte. Shape: machines (`KeyDecoder`) and functions (`layout`), and one class that
holds the tty. What surprised us: terminals disagree on the width of joined emoji, so the cursor is placed by drawing
the text before it once more rather than by counting cells.
"""

from __future__ import annotations

import argparse
import codecs
import json
import os
import re
import select
import signal
import sys
import termios
import time
import tty
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

PASTE_BEGIN, PASTE_END = b"\x1b[200~", b"\x1b[201~"
ESCAPE_WAIT = 0.03  # a lone Escape is told from the start of a sequence by nothing following it
NAMES = {b"\r": "Enter", b"\n": "C-j", b"\t": "Tab", b"\x7f": "Backspace", b"\x08": "Backspace"}
SEQUENCES = {
    b"\x1b[A": "Up",
    b"\x1b[B": "Down",
    b"\x1b[C": "Right",
    b"\x1b[D": "Left",
    b"\x1bOA": "Up",
    b"\x1bOB": "Down",
    b"\x1bOC": "Right",
    b"\x1bOD": "Left",
    b"\x1b[H": "Home",
    b"\x1b[F": "End",
    b"\x1b[1~": "Home",
    b"\x1b[4~": "End",
    b"\x1b[3~": "Delete",
    b"\x1b[Z": "BackTab",
    b"\x1b\r": "M-Enter",
}
SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~]|[^\[O])", re.DOTALL)
UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
SGR = re.compile(r"\x1b\[[0-9;]*m")
CONTROL = re.compile(rb"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that arrived: `text` and `paste` carry characters, `tick` says that time passed, the rest act."""

    name: str
    text: str = ""
    at: float = 0.0


class KeyDecoder:
    """Machine: bytes of a terminal -> keys, whatever the chunks."""

    def __init__(self) -> None:
        self._pending = b""
        self._in_paste = False
        self._utf8 = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    def feed(self, data: bytes, at: float = 0.0) -> list[Key]:
        self._pending += data
        keys: list[Key] = []
        while self._pending:
            taken = self._take_paste() if self._in_paste else self._take_key()
            if taken is None:
                break
            keys += [Key(key.name, key.text, at) for key in taken]
        return keys

    @property
    def holds_escape(self) -> bool:
        """Whether an Escape waits for what follows it."""
        return not self._in_paste and bool(UNFINISHED.match(self._pending))

    def flush(self, at: float = 0.0) -> list[Key]:
        """The Escape that nothing followed, and what was mistaken for its sequence."""
        if not self.holds_escape:
            return []
        rest, self._pending = self._pending[1:], b""
        return [Key("Escape", at=at), *self.feed(rest, at)]

    def _take_paste(self) -> list[Key] | None:
        body, end, rest = self._pending.partition(PASTE_END)
        if not end:
            return None
        self._pending, self._in_paste = rest, False
        return [Key("paste", body.decode("utf-8", "surrogateescape"))]

    def _take_key(self) -> list[Key] | None:
        if self._pending.startswith(b"\x1b"):
            return self._take_sequence()
        control = CONTROL.search(self._pending)
        if control is None or control.start():
            end = control.start() if control else len(self._pending)
            run, self._pending = self._pending[:end], self._pending[end:]
            text = self._utf8.decode(run, final=control is not None)
            return [Key("text", text)] if text else []
        byte, self._pending = self._pending[:1], self._pending[1:]
        return [Key(NAMES.get(byte) or f"C-{chr(byte[0] | 0x60)}")]

    def _take_sequence(self) -> list[Key] | None:
        found = SEQUENCE.match(self._pending)
        if found is None:
            return None
        sequence = found[0]
        self._pending = self._pending[found.end() :]
        if sequence == PASTE_BEGIN:
            self._in_paste = True
            return []
        if sequence == b"\x1b\x1b":
            self._pending = b"\x1b" + self._pending
            return [Key("Escape")]
        return [Key(SEQUENCES.get(sequence) or "M-" + sequence[1:].decode("latin-1"))]


class Log:
    """JSON lines, each on the disk before the program goes on: a killed program has told everything it saw.

    `at` is the machine's monotonic time, the same in every process, so that an observer can tell who was early.
    """

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, event: str, **fields: object) -> None:
        line = json.dumps({"event": event, **fields, "at": monotonic()})
        os.write(self._fd, line.encode() + b"\n")
        os.fsync(self._fd)


class Tty:
    """The terminal in raw mode. Signals and resizes arrive in `read` as data, through a pipe."""

    def __init__(self, columns: int | None = None, flush_input: bool = True) -> None:
        self._limit = columns
        self._when = termios.TCSAFLUSH if flush_input else termios.TCSADRAIN
        self._wake_read, self._wake_write = os.pipe()
        self.resized = False
        self.most = 4096

    def __enter__(self) -> Tty:
        self._saved = termios.tcgetattr(0)
        tty.setraw(0, self._when)
        os.set_blocking(self._wake_write, False)
        signal.set_wakeup_fd(self._wake_write)  # a signal that comes just before `select` ends its wait too
        signal.signal(signal.SIGWINCH, self._on_resize)
        for ending in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(ending, lambda number, _frame: sys.exit(128 + number))
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, termios.error):  # the terminal may be gone already
            self.write("\x1b[0m\x1b[?2004l\x1b[?25h")
            termios.tcsetattr(0, termios.TCSADRAIN, self._saved)

    def _on_resize(self, _number: int, _frame: FrameType | None) -> None:
        self.resized = True

    def size(self) -> tuple[int, int]:
        """Columns and rows; `--columns` only narrows."""
        columns, rows = os.get_terminal_size(0)
        columns, rows = columns or 80, rows or 24
        return max(4, min(columns, self._limit or columns)), max(3, rows)

    def write(self, text: str) -> None:
        data = text.encode("utf-8", "surrogateescape")
        while data:
            data = data[os.write(1, data) :]

    def read(self, timeout: float | None) -> bytes:
        """What was typed, or nothing when the time is up or the window changed; EOFError when the terminal went."""
        ready, _, _ = select.select([0, self._wake_read], [], [], timeout)
        if self._wake_read in ready:
            os.read(self._wake_read, 1024)
        if 0 not in ready:
            return b""
        try:
            data = os.read(0, self.most)
        except OSError as gone:
            raise EOFError from gone
        if not data:
            raise EOFError
        return data


def read_line(log: Log, prompt: str, ready: bool = False) -> str | None:
    """Ask on a canonical tty and log the answer byte for byte; nothing at the end of the input."""
    os.write(1, prompt.encode())
    if ready:
        log.write("ready")
    try:
        data = os.read(0, 8192)
    except OSError:
        return None
    if not data:
        return None
    line = data.removesuffix(b"\n").decode("utf-8", "surrogateescape")
    if line:
        log.write("submit", text=line)
    else:
        log.write("empty_enter")
    return line


def clusters(text: str) -> list[str]:
    """Characters with the marks that share their cells."""
    found: list[str] = []
    for char in text:
        joins = unicodedata.category(char) in ("Mn", "Me", "Cf") or (bool(found) and found[-1].endswith("\u200d"))
        if found and joins and found[-1] not in "\n\t":
            found[-1] += char
        else:
            found.append(char)
    return found


def width(cluster: str) -> int:
    first = cluster[0]
    if unicodedata.category(first) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(first) in ("W", "F") else 1


def cells(text: str) -> int:
    """How many cells a terminal gives to `text`; colours take none."""
    return sum(width(cluster) for cluster in clusters(SGR.sub("", text)))


def fitting(text: str, limit: int) -> str:
    """As much of the beginning of `text` as fits into `limit` cells."""
    kept = ""
    for cluster in clusters(text):
        if cells(kept + cluster) > limit:
            break
        kept += cluster
    return kept


def shown(char: str) -> str:
    """What is drawn for it: a tab as four blanks, a control character as a caret and a letter."""
    if char == "\t":
        return "    "
    if unicodedata.category(char) == "Cc":
        return "^" + chr((ord(char) & 0x1F) | 0x40)
    return char.encode("utf-8", "replace").decode()


def folded(row: str, columns: int) -> list[str]:
    """A row with colours, broken where the terminal would break it."""
    rows, used = [""], 0
    for token in re.split(f"({SGR.pattern})", row):
        if token.startswith("\x1b"):
            rows[-1] += token
            continue
        for cluster in clusters(token):
            if used + width(cluster) >= columns:
                rows.append("  ")
                used = 2
            rows[-1] += cluster
            used += width(cluster)
    return rows


@dataclass(frozen=True, slots=True)
class Layout:
    """Rows of a text, which of them the cursor is on, and what stands before it there."""

    rows: list[str]
    row: int
    before: str


def layout(prompt: str, text: str, cursor: int, columns: int) -> Layout:
    """Wrap `text` behind `prompt`; later rows are indented by the prompt's width. The last column stays free: a
    terminal whose row is full keeps the cursor on it."""
    indent = cells(prompt)
    rows, used, at = [prompt], indent, 0
    place = (0, prompt) if cursor == 0 else None
    for cluster in clusters(text):
        drawn = "" if cluster == "\n" else "".join(shown(char) for char in cluster)
        if cluster == "\n" or used + cells(drawn) >= columns:
            rows.append(" " * indent)
            used = indent
        rows[-1] += drawn
        used += cells(drawn)
        at += len(cluster)
        if at >= cursor and place is None:
            place = (len(rows) - 1, rows[-1])
    return Layout(rows, *(place or (len(rows) - 1, rows[-1])))


def parser(description: str | None) -> argparse.ArgumentParser:
    """The options that every program takes."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--log", type=Path, required=True, help="file for one JSON line per thing that happened")
    options.add_argument("--no-cursor", action="store_true", help="hide the cursor and draw a reversed cell instead")
    options.add_argument("--delay-ms", type=float, default=0, help="draw this long after the input came")
    options.add_argument("--columns", type=int, help="draw no wider than this")
    return options


def monotonic() -> float:
    return time.monotonic()
