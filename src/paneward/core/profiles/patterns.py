"""Which engine looks for a pattern of a profile: ours, which were tried, by `re`; all others in linear time. Functions.

A pattern is ours if a built-in row has it: then a copy of such a row in a user's file reads what the row reads.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from typing import Any

from paneward.core.pattern import linear
from paneward.core.profiles.agents import AIDER, CLAUDE, CODEX, GEMINI, OPENCODE
from paneward.core.profiles.programs import DEMO, GENERIC, MULTIPLEXER, SHELL

ROWS = (SHELL, CLAUDE, CODEX, OPENCODE, GEMINI, AIDER, DEMO, MULTIPLEXER, GENERIC)


@lru_cache(maxsize=1024)
def compiled(pattern: str, before: str = "", after: str = "", ignore_case: bool = False) -> re.Pattern[str]:
    """A pattern, with ours before and after it; `BadPattern` where it is foreign and cannot be used."""
    whole = f"{before}{pattern}{after}"
    if pattern in _ours():
        return re.compile(whole, re.IGNORECASE if ignore_case else 0)
    return linear(whole, ignore_case)


def search(pattern: str, text: str) -> re.Match[str] | None:
    return compiled(pattern).search(text)


@cache
def _ours() -> frozenset[str]:
    return frozenset(word for row in ROWS for word in _texts(row))


def _texts(value: Any) -> Iterator[str]:
    """Every text in a row, whatever it stands in."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts(getattr(value, field.name))
