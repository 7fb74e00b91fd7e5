"""The one way to the terminal: what is printed passes here, and the foreign in it is made harmless. Shape: functions.

Titles, roles, messages and errors come from agents, hooks and other machines. A terminal would obey the escape
sequences in them: write to the clipboard, answer queries as if somebody typed, hide or reorder text. So control
characters are left out of what people read, and are escaped in JSON. Colours are added behind that (`show/console.py`).
"""

import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from paneward.core.terminal.harmless import escaped, harmless

_STYLE = re.compile(r"(\x1b\[[0-9;:]{0,80}m)")


class Harmless:
    """A file or a pipe that is written no control characters."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        return self._file.write(harmless(text))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        self._file.flush()

    def isatty(self) -> bool:
        return False


def print_words(text: str, styles: bool = False, end: str = "\n") -> None:
    """Text as it is; with `styles`, the colours of a screen are kept, and nothing else that a terminal would obey."""
    parts = _STYLE.split(text) if styles else [text]
    sys.stdout.write("".join(part if number % 2 else harmless(part) for number, part in enumerate(parts)) + end)


def print_json(answer: Any, flush: bool = False, indent: int | None = None) -> None:
    """One document on standard output."""
    print(json_text(answer, indent), flush=flush)


def json_text(answer: Any, indent: int | None = None) -> str:
    import json

    return escaped(json.dumps(answer, ensure_ascii=False, indent=indent))
