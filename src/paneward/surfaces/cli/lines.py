"""What every answer for people is written with: a line, an advice, a table. Shape: functions."""

from collections.abc import Iterable
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text


def say(console: Console, *parts: tuple[str, str]) -> None:
    """One line; on a terminal it is broken between words, elsewhere it stays whole for those who search it."""
    console.print(Text.assemble(*parts))


def advise(console: Console, hint: str) -> None:
    if hint:
        say(console, ("  → ", "cyan"), (hint, ""))


def table(console: Console, heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    console.print(columns(heads, rows))


def columns(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="dim")
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in row))
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
