"""Patterns that somebody else wrote: compiled by an engine whose time is linear in the text. Functions.

Python's own `re` can take ages for one search, holds the interpreter meanwhile, and no signal is heard. RE2 cannot. It
lacks lookaround, backreferences and possessive quantifiers, and its `\\w`, `\\d` and `\\b` know ASCII alone.

Surprise: linear means linear in the text times the pattern, and `x{1000}` is a pattern of a thousand parts. So the size
of the compiled pattern has a limit: then one search in a row of 240 columns took at most 45 ms, in a whole screen of
14000 characters at most one second, whatever the pattern was; usual ones take 10 microseconds.
"""

import re
from functools import lru_cache
from typing import Any, Final, cast

MEMORY: Final = 1 << 20  # bytes for a compiled pattern with its automaton
MOST_STEPS: Final = 2000  # of a compiled pattern; a usual one has 10 to 500
LONGEST: Final = 4000  # characters of a pattern
SYNTAX: Final = "RE2's syntax is used: Python's without lookaround and backreferences, for example `opencode> $`."
_BLANKS: Final = r"\s\x0b\x1c-\x1f\x{85}\pZ"  # what Python's `\s` matches: Claude Code's prompt has a no-break space
_LACKS: Final = {
    r"\(\?<?[=!]": "lookaround",
    r"\\[1-9]|\(\?P=": "a backreference",
    r"[*+?}]\+|\(\?>": "a possessive quantifier or an atomic group",
    r"\(\?\(": "a conditional group",
    r"\(\?[a-zA-Z]*[xauL]": "an inline flag other than i, m and s",
}


class BadPattern(ValueError):
    """The pattern cannot be used; the words say why."""


class Linear:
    """A compiled pattern: as much of one of `re` as is used here."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self.pattern = str(compiled.pattern)

    def search(self, text: str) -> Any:
        return self._compiled.search(_encodable(text))

    def match(self, text: str) -> Any:
        return self._compiled.match(_encodable(text))

    def fullmatch(self, text: str) -> Any:
        return self._compiled.fullmatch(_encodable(text))

    def finditer(self, text: str) -> Any:
        return self._compiled.finditer(_encodable(text))


def _encodable(text: str) -> str:
    """RE2 reads UTF-8. A command line may hold bytes that are none: each becomes one mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


@lru_cache(maxsize=256)  # a pattern is looked for again and again
def linear(pattern: str, ignore_case: bool = False) -> re.Pattern[str]:
    """A pattern that finds what it finds in linear time; it is used like one of `re`."""
    import re2  # only where there is a foreign pattern: that takes 3 ms

    if len(pattern) > LONGEST:
        raise BadPattern(f"it is longer than {LONGEST} characters")
    if re.search(r"\{(?:\d*,)?\d{5}", pattern):  # RE2 would look for these very characters
        raise BadPattern("a repetition like {10000} is too large")
    options = re2.Options()
    options.log_errors, options.max_mem, options.case_sensitive = False, MEMORY, not ignore_case
    try:
        compiled = re2.compile(translated(pattern), options)
    except (re2.error, UnicodeEncodeError) as error:
        raise BadPattern(_why(pattern, error)) from None
    if compiled.programsize > MOST_STEPS:
        raise BadPattern("it is too large: fewer or smaller repetitions like {0,500} are needed")
    return cast("re.Pattern[str]", Linear(compiled))


def translated(pattern: str) -> str:
    r"""The pattern in RE2's spelling: `\Z`, `\uXXXX`, escaped letters beyond ASCII, and `\s` for every blank."""
    written: list[str] = []
    inside = False  # a class in brackets
    for found in re.finditer(r"\\u([0-9a-fA-F]{4})|\\(.)|(\[\^?\]?)|.|\n", pattern, re.DOTALL):
        piece = found[0]
        if found[1]:
            piece = rf"\x{{{found[1]}}}"
        elif found[2]:
            piece = _escaped(found[2], inside)
        elif found[3] and not inside:
            inside = True
        elif piece == "]":
            inside = False
        written.append(piece)
    return "".join(written)


def _escaped(char: str, inside: bool) -> str:
    if char == "Z":
        return r"\z"
    if char == "s":
        return _BLANKS if inside else f"[{_BLANKS}]"
    if char == "S" and not inside:
        return f"[^{_BLANKS}]"
    return char if not char.isascii() else f"\\{char}"


def _why(pattern: str, error: Exception) -> str:
    """What the pattern has that the engine lacks, else the engine's own words."""
    for shape, name in _LACKS.items():
        if re.search(shape, pattern):
            return f"it uses {name}, which an engine of linear time lacks"
    said = error.args[0] if error.args else ""
    return said.decode(errors="replace") if isinstance(said, bytes) else str(error)
