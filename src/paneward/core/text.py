"""Text on its way in and on its way to disk: functions.

`clean` makes text that is nothing but text: a program that takes a paste would obey an escape sequence
inside it, and an embedded end-of-paste mark would submit what follows. `redact` takes credentials out
of what is stored or logged (`credentials.py`).
"""

import re
from dataclasses import dataclass

from paneward.core.credentials import mask as mask
from paneward.core.credentials import redact as redact

MAX_TEXT = 1_000_000  # bytes of one delivery
CANONICAL_LIMIT = 4095  # bytes of one line: a terminal that collects lines silently cuts the rest

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n?")


@dataclass(frozen=True, slots=True)
class Cleaned:
    text: str
    notes: tuple[str, ...] = ()  # what was changed, for the receipt


def clean(text: str) -> Cleaned:
    """`text` with LF line ends and no control character but tab and newline, and what that changed."""
    text, ends = _LINE_END.subn("\n", text)
    text, controls = _CONTROL.subn("", text)
    text, broken = _SURROGATE.subn("\ufffd", text)
    notes = (
        _note(ends, "line end", "written as LF"),
        _note(controls, "control character", "removed"),
        _note(broken, "lone surrogate", "replaced by U+FFFD"),
    )
    return Cleaned(text, tuple(note for note in notes if note))


def _note(count: int, what: str, fate: str) -> str:
    return f"{count} {what}{'s' if count > 1 else ''} {fate}" if count else ""


def natural(name: str) -> list[tuple[int, str]]:
    """What a name is sorted by: `a2` comes before `a10`."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]
