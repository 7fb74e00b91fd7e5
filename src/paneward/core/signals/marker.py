"""The grammar of markers: `--<[paneward:state:message]>--`. Functions.

The word can be another one, and `schmux` is understood too. A message may hold `]`. Markdown takes the square brackets
of a marker for a link, so that one without them counts as well. Other text may stand around it, since a redraw joins
what were two lines.

What is quoted is no signal: text behind a prompt was typed, text in quotes or behind `echo` is source, and so are lines
with a number, a comment sign or a plus before them. A word that is no state makes no marker, so that the form itself
can be written about.

What surprised us: agents wrap a marker wherever they like, in its head too, and put blanks or none there. So a marker
is told from others by its characters alone (`essence`), and its head may have blanks between its parts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from paneward.core.signals.signal import SignalState, worded

WORD: Final = "paneward"
ALSO: Final = "schmux"
NEAR: Final = 640  # characters before a marker that tell where it stands
AROUND: Final = 128  # characters before a marker that tell whether it is quoted
MESSAGE: Final = 4096  # characters of a message that are looked at; fewer are kept
STATES: Final = frozenset(SignalState)
_UNSTEADY: Final = dict.fromkeys(map(ord, " \u00a0[]()*_`"))
_OPENING: Final = r"\[?"
_QUOTES: Final = {"'": "'", '"': '"', "`": "`", "“": "”", "‘": "’", "«": "»"}
_TYPED = re.compile(r"(?:^|\s)\S*(?<!\d)[$#%❯›»>]\s+$|^\s*[#>]\s*$")  # a prompt, a comment sign or a quotation
_SOURCE = re.compile(
    r"(?:^|[\s;&|(])(?:(?:echo|printf)(?:\s+\S{1,8})?|print|cat|grep)\W*$"  # what prints it
    r"|(?://|/\*|<!--|\|)\s*$"  # a comment, a cell of a table
    r"|^\W*\d+(?:\s*[:|│+-])?\s*$"  # the number of a line
    r"|^\s*\+\s*$"  # a line that was added
)


@dataclass(frozen=True)  # no slots: `essence` is kept
class Marker:
    state: SignalState
    message: str
    before: str = ""  # what stands before it on its line
    quoted: bool = False
    above: str = field(default="", compare=False)  # the end of what was printed before it, where that is known
    row: int = field(default=0, compare=False)  # of the output, counted from the first that was heard
    sure: bool = field(default=True, compare=False)  # its line was written from its beginning, without a jump

    @cached_property
    def essence(self) -> str:
        """What tells it from other markers, however it was wrapped, and whatever markdown made of its brackets."""
        return f"{self.state}:{self.message.translate(_UNSTEADY)}"


class Grammar:
    """Finds markers in a line; `word` is what stands behind the bracket."""

    def __init__(self, word: str = WORD) -> None:
        self.words: Sequence[str] = tuple(dict.fromkeys((word, ALSO)))
        names = "|".join(map(re.escape, self.words))
        start = rf"-\s?-\s?<\s?{{}}\s?(?:{names})\s?:"
        body = rf"\s?(?P<state>\w+)\s?:(?P<message>(?:(?!{start.format(_OPENING)}).)*?)"
        head = start.format(r"(?P<bracket>\[)?")
        self._whole = re.compile(rf"{head}{body}(?(bracket)\]\s?)>\s?-\s?-", re.DOTALL)
        self._start = re.compile(start.format(_OPENING))

    def find(self, line: str) -> list[Marker]:
        """The markers in a line, quoted ones too."""
        return [marker for marker, _ in self.placed(line)]

    def placed(self, line: str) -> Iterator[tuple[Marker, tuple[int, int]]]:
        """The markers in a line, and where each begins and ends."""
        if ">" not in line:
            return
        closings: dict[str, int] = {}
        for found in self._whole.finditer(line):
            if found["state"] in STATES:
                start, end = found.span()
                message = worded(found["message"][:MESSAGE])
                before, quoted = line[max(start - NEAR, 0) : start], _is_quoted(line, start, end, closings)
                yield Marker(SignalState(found["state"]), message, before, quoted), (start, end)

    def start(self, line: str, at: int = 0) -> int | None:
        """Where a marker begins, whole or not."""
        found = self._start.search(line, at)
        return None if found is None else found.start()

    def near_miss(self, line: str) -> str:
        """What begins like a marker in this line and is none; empty where nothing does."""
        rest = self._whole.sub(lambda found: "" if found["state"] in STATES else found[0], line)
        found = self._start.search(rest)
        if found is None or _is_quoted(rest, found.start(), found.end(), {}):
            return ""
        return worded(line[:MESSAGE])


def is_quoted(before: str, after: str) -> bool:
    """By what stands around it, it is written about, or was typed."""
    return _is_quoted(before + after, len(before), len(before), {})


def _is_quoted(line: str, start: int, end: int, closings: dict[str, int]) -> bool:
    """The same of a part of a line; `closings` keeps where each quotation mark stands last."""
    far = start > AROUND
    before = f"x{line[start - AROUND : start]}" if far else line[:start]  # a line may hold thousands of markers
    closing = _QUOTES.get(before.rstrip()[-1:])
    if closing is not None:
        if closing not in closings:
            closings[closing] = line.rfind(closing)
        if closings[closing] >= end:
            return True
    return bool(_TYPED.search(before) or _SOURCE.search(before))
