r"""What a program tells its terminal by operating system commands (OSC), found in its raw output. A machine.

Titles (OSC 0 and 2), progress (OSC 9;4) and program status (OSC 7501) say what a program does in so many words, and
the moment it does it: a screen has to be looked at. Memory is bounded: a sequence longer than the limit is skipped.

What surprised us:
- A sequence is torn anywhere by the chunks in which output comes, also between the ESC and the \ that end it.
- ESC begins anew from everywhere, so what an unfinished sequence said is not told.
- Claude Code asks `OSC 7501 ; ?` whether the terminal knows program status. tmux never answers, so that it never says
  more; Codex speaks unasked.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

LONGEST: Final = 4096  # bytes of a sequence; titles and states are short, pictures and clipboards are not
_WHOLE = re.compile(rb"\x1b\](\d{1,5})(?:;([^\x07\x18\x1a\x1b]*+))?(?:\x07|\x1b\\)")
_ENDS = re.compile(rb"[\x07\x18\x1a\x1b]")
_CONTROLS = dict.fromkeys((*range(32), 127))
TITLES = (0, 2)


@dataclass(frozen=True, slots=True)
class Osc:
    code: int
    text: str  # behind the first semicolon, without control characters


class OscReader:
    """Fed with raw output, it returns the commands that were completed."""

    def __init__(self) -> None:
        self._carried = b""
        self._skipping = False  # inside a sequence that was too long

    def feed(self, data: bytes) -> list[Osc]:
        if self._skipping:
            data = self._skip(data)
        if self._carried:
            data = self._carried + data
        elif b"\x1b]" not in data and not data.endswith(b"\x1b"):
            return []  # most output
        found = [_read(match) for match in _WHOLE.finditer(data)]
        self._carry(data)
        return found

    @property
    def open(self) -> bool:
        """A command may go on in what comes next."""
        return self._skipping or bool(self._carried)

    def gap(self) -> None:
        """Output was lost: what was begun is not told."""
        self._carried, self._skipping = b"", False

    def _skip(self, data: bytes) -> bytes:
        end = _ENDS.search(data)
        if end is None:
            return b""
        self._skipping = False
        return data[end.start() :]

    def _carry(self, data: bytes) -> None:
        """Keep what may be the beginning of a command."""
        start = data.rfind(b"\x1b")
        if start > 0 and start == len(data) - 1:  # it may end what began before it
            start = max(data.rfind(b"\x1b]", 0, start), 0) if _open(data[:start]) else start
        rest = data[start:] if start >= 0 else b""
        self._carried = rest if rest == b"\x1b" or _open(rest.removesuffix(b"\x1b")) else b""
        if len(self._carried) > LONGEST:
            self._carried, self._skipping = self._carried[-1:] if self._carried.endswith(b"\x1b") else b"", True
            self._skipping = not self._carried


def _open(data: bytes) -> bool:
    """It ends inside a command."""
    start = data.rfind(b"\x1b]")
    return start >= 0 and _ENDS.search(data, start + 2) is None


def _read(match: re.Match[bytes]) -> Osc:
    return Osc(int(match[1]), (match[2] or b"").decode("utf-8", "replace").translate(_CONTROLS))


# --- what some of them mean


class ProgramStatus(StrEnum):
    """What a program says it does, in the words of OSC 7501."""

    IDLE = "idle"
    WORKING = "working"
    DONE = "done"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Status:
    told: ProgramStatus
    kind: str = ""  # of what blocks it: `permission`, `question`


def read_status(osc: Osc) -> Status | None:
    """The program status that a command tells; None for any other command, and for the question whether we know it."""
    if osc.code != 7501:
        return None
    fields = dict(part.partition("=")[::2] for part in re.split("[:;]", osc.text))
    told = fields.get("state", "").strip()
    return Status(ProgramStatus(told), fields.get("kind", "").strip()) if told in list(ProgramStatus) else None


def read_progress(osc: Osc) -> bool | None:
    """Whether a progress bar is shown (OSC 9;4); None for any other command, and for one that shows an error."""
    if osc.code != 9 or not osc.text.startswith("4;"):
        return None
    kind = osc.text.split(";")[1]
    return {"0": False, "1": True, "3": True}.get(kind)
