"""What every answer for people is written with: a line, an advice, a table. Shape: functions, and what they write on.

rich is loaded for a terminal. Elsewhere the plain words are written, whole: for those who search them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeAlias, cast

from paneward.surfaces.cli.output import Harmless

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDE = 10_000  # columns where no terminal says how many there are: nothing is broken or cut
NARROW = 60  # columns of a terminal below which a table is written as one paragraph per row


class StyledWords(NamedTuple):
    """Words in a style of rich."""

    text: str
    style: str = ""


class Paper:
    """What is no terminal: a file, or a pipe."""

    is_terminal = False
    width = WIDE

    def __init__(self, file: TextIO) -> None:
        self.file = Harmless(file)

    def print(self, *things: Any, **how: Any) -> None:
        """What only rich can draw."""
        from paneward.surfaces.cli.show.console import HarmlessConsole

        file = cast("TextIO", self.file)
        HarmlessConsole(file=file, highlight=False, emoji=False, width=WIDE).print(*things, **how)


Output: TypeAlias = "Console | Paper"


def terminal(stderr: bool = False) -> Output:
    """Colours and line breaks for a terminal; elsewhere the plain words."""
    stream = sys.stderr if stderr else sys.stdout
    if not stream.isatty():
        return Paper(stream)
    from paneward.surfaces.cli.show.console import HarmlessConsole

    return HarmlessConsole(stderr=stderr, highlight=False, emoji=False)


def say(console: Output, *parts: tuple[str, str]) -> None:
    """One line; on a terminal it is broken between words, elsewhere it stays whole for those who search it."""
    if isinstance(console, Paper):
        console.file.write("".join(text for text, _ in parts) + "\n")
        return
    from rich.text import Text

    console.print(Text.assemble(*parts))


def advise(console: Output, hint: str) -> None:
    if hint:
        say(console, ("  → ", "cyan"), (hint, ""))


def table(console: Output, heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    if isinstance(console, Paper):
        console.file.writelines(f"{line}\n" for line in _plain(list(heads), [_cells(row) for row in rows]))
    elif console.width < NARROW:
        for row in rows:
            _paragraph(console, list(heads), _cells(row))
    else:
        console.print(columns(heads, rows))


def _cells(row: Iterable[Any]) -> list[StyledWords]:
    """Plain words and rich's own texts, as words."""
    return [
        cell if isinstance(cell, StyledWords) else StyledWords(getattr(cell, "plain", None) or str(cell))
        for cell in row
    ]


def _plain(heads: list[str], rows: list[list[StyledWords]]) -> Iterable[str]:
    """Columns side by side; a cell may have several lines."""
    split = [[cell.text.split("\n") for cell in row] for row in rows]
    widths = [max([len(head), *(len(line) for row in split for line in row[at])]) for at, head in enumerate(heads)]
    yield _padded(heads, widths)
    yield "─" * (sum(widths) + 2 * (len(widths) - 1))
    for row in split:
        for at in range(max(map(len, row))):
            yield _padded([cell[at] if at < len(cell) else "" for cell in row], widths)


def _padded(cells: list[str], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _paragraph(console: Output, heads: list[str], row: list[StyledWords]) -> None:
    """One row for a narrow terminal: its first two cells, then each other one that says something."""
    say(console, (row[0].text, "bold"), ("  ", ""), *row[1:2])
    for head, cell in zip(heads[2:], row[2:], strict=False):
        if cell.text.strip(" -"):
            say(console, (f"  {head} ", "dim"), cell)


def columns(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="dim")
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        cells = list(row)
        table.add_row(*(cell if isinstance(cell, Text) else Text(*_cells([cell])[0]) for cell in cells))
    return table


def milliseconds(spent: float) -> str:
    return f"{spent:.0f} ms" if spent < 1000 else f"{spent / 1000:.1f} s"


def ago(seconds: float) -> str:
    """How long something lasts, in one unit."""
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"


def short(text: str, most: int = 48) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
