"""Asciicast v2: a recording as lines of JSON, written, read, joined, shortened. Data and functions.

The first line is the header, each other one `[seconds, kind, data]`: output `o`, a new size `r`, a caption `m`. A
recording has parts, each a file that can be played alone: it begins with the screen as it was. What belongs to a part
and has no place in the format stands in the header under `paneward`, which players leave alone.

What surprised us: a process that is killed leaves a line without its end, and a full disk can leave one in the middle;
what cannot be read is left out and said, never guessed.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from paneward.core.errors import Code, InvalidInput
from paneward.core.terminal.harmless import escaped

VERSION: Final = 2
OUTPUT, RESIZE, CAPTION = "o", "r", "m"
DIGITS: Final = 6  # of a second
LONGEST_LINE: Final = 8 << 20  # bytes: what is written here is never so long
MOST_CELLS: Final = 65_535  # columns or rows
_json = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).encode


@dataclass(frozen=True, slots=True)
class Header:
    """How a part begins."""

    width: int
    height: int
    began: float = 0.0  # seconds since the epoch
    title: str = ""  # whose output this is
    recording: str = ""  # the name of the recording
    part: int = 1


@dataclass(frozen=True, slots=True)
class CastLine:
    """One line of a cast."""

    at: float  # seconds since its beginning
    kind: str
    data: str


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a recording that is being read, entry by entry."""

    header: Header
    entries: Iterator[CastLine]


# --- written


def written_header(header: Header) -> bytes:
    own = {"recording": header.recording, "part": header.part, "began": round(header.began, DIGITS)}
    found: dict[str, Any] = {
        "version": VERSION,
        "width": header.width,
        "height": header.height,
        "timestamp": int(header.began),
        "title": header.title,
        "env": {"TERM": "tmux-256color"},
        "paneward": own,
    }
    return _line(found)


def written(entry: CastLine) -> bytes:
    return _line([round(entry.at, DIGITS), entry.kind, entry.data])


def _line(value: Any) -> bytes:
    return escaped(_json(value)).encode("utf-8", "replace") + b"\n"


def size_of(width: int, height: int) -> str:
    return f"{width}x{height}"


# --- read


def read_part(lines: Iterable[bytes], name: str, note: Callable[[str], None]) -> Part:
    """The header at once, the entries as they are asked for. What is left out is told to `note`."""
    following = iter(lines)
    first = next(following, b"")
    if not first.endswith(b"\n"):
        raise _no_cast(name, "its first line was cut off" if first else "it is empty")
    return Part(read_header(first, name), _entries(following, name, note))


def read_header(line: bytes, name: str) -> Header:
    found: Any = _parsed(line)
    if not isinstance(found, dict) or "version" not in found:
        raise _no_cast(name, "its first line is no header")
    if found["version"] != VERSION:
        raise _no_cast(name, f"it has version {found['version']!r:.20}")
    width: Any = found.get("width")
    height: Any = found.get("height")
    if not (_is_size(width) and _is_size(height)):
        raise _no_cast(name, f"its size is {width!r:.20} by {height!r:.20}")
    own: Any = found.get("paneward")
    own = own if isinstance(own, dict) else {}
    began: Any = own.get("began", found.get("timestamp", 0))
    part = own.get("part", 1)
    return Header(
        width=width,
        height=height,
        began=float(began) if _is_time(began) else 0.0,
        title=str(found.get("title") or ""),
        recording=str(own.get("recording") or ""),
        part=part if isinstance(part, int) else 1,
    )


def _entries(lines: Iterator[bytes], name: str, note: Callable[[str], None]) -> Iterator[CastLine]:
    """The entries; their times never run backwards, whatever the file says."""
    last = 0.0
    for number, line in enumerate(lines, 2):
        if not line.endswith(b"\n"):
            long = f"line {number} is too long, and left out with all behind it"
            note(f"{name}: {long if len(line) > LONGEST_LINE else 'its last line was cut off, and is left out'}")
            return
        entry = read_entry(line)
        if entry is None:
            if line.strip():
                note(f"{name}: line {number} cannot be read, and is left out")
            continue
        last = max(last, entry.at)
        yield replace(entry, at=last)


def read_entry(line: bytes) -> CastLine | None:
    """None for what is none."""
    match _parsed(line):
        case [int() | float() as at, str(kind), str(data)] if _is_time(at):
            return CastLine(float(at), kind, data)
    return None


def _parsed(line: bytes) -> Any:
    if len(line) > LONGEST_LINE:
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_CELLS


def _is_time(value: Any) -> bool:
    """A number of seconds that still has microseconds; no infinity."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e10


def _no_cast(name: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"{name} is no asciicast that can be read: {why}",
        code=Code.INVALID_RECORDING,
        hint="Version 2 is read; `paneward cast list` shows the recordings there are.",
    )


# --- joined, cut and shortened


def joined(parts: Iterable[Part]) -> Iterator[CastLine]:
    """The entries of all parts, each part at its place in time; a part of another size begins with that size."""
    began, last, size = None, 0.0, ""
    for part in parts:
        header = part.header
        began = header.began if began is None else began
        offset = last = max(header.began - began, last)
        fresh = size_of(header.width, header.height)
        if size and fresh != size:
            yield CastLine(offset, RESIZE, fresh)
        size = fresh
        for entry in part.entries:
            last = max(last, offset + entry.at)
            size = entry.data if entry.kind == RESIZE else size
            yield replace(entry, at=last)


def clipped(entries: Iterable[CastLine], start: float = 0.0, end: float = math.inf) -> Iterator[CastLine]:
    """What lies between two moments, counted from the first. What came before is shown at once: the screen needs it."""
    for entry in entries:
        if entry.at > end:
            return
        if entry.at >= start:
            yield replace(entry, at=entry.at - start)
        elif entry.kind != CAPTION:
            yield replace(entry, at=0.0)


def capped(entries: Iterable[CastLine], idle: float) -> Iterator[CastLine]:
    """No pause is longer than `idle` seconds."""
    last = at = 0.0
    for entry in entries:
        at += min(max(entry.at - last, 0.0), idle)
        last = entry.at
        yield replace(entry, at=at)


def exported(header: Header, entries: Iterable[CastLine]) -> Iterator[bytes]:
    """The lines of one cast."""
    yield written_header(header)
    for entry in entries:
        yield written(entry)
