"""What the demo agent draws, as rows of text with colours. Shape: functions.

Rows never fill the last column: terminals disagree on where the cursor is then. Terminals also disagree on how wide a
joined emoji is, so a frame says what stands before the cursor and the painter draws that once more to get there.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

RESET = "\x1b[0m"
DIM, BOLD = "\x1b[2m", "\x1b[1m"
GREY, ACCENT, GOOD = "\x1b[38;5;244m", "\x1b[38;5;173m", "\x1b[38;5;114m"
SAID = "\x1b[38;5;250m"
PROMPT = "❯\u00a0"
RULE = "─"
SGR = re.compile(r"\x1b\[[0-9;]*m")
WIDTHLESS = ("Mn", "Me", "Cf")


@dataclass(frozen=True, slots=True)
class DemoFrame:
    """The region at the bottom of the screen, and where its cursor stands; no cursor in a menu."""

    rows: list[str]
    row: int
    before: str
    cursor: bool = True


@dataclass(frozen=True, slots=True)
class Wrapped:
    rows: list[str]
    row: int
    before: str


def clusters(text: str) -> list[str]:
    """Characters, each with the marks that share its cells."""
    found: list[str] = []
    for char in text:
        joined = unicodedata.category(char) in WIDTHLESS or (bool(found) and found[-1][-1] == "\u200d")
        if joined and found and found[-1] != "\n":
            found[-1] += char
        else:
            found.append(char)
    return found


def cells(text: str) -> int:
    """How many cells a terminal gives to `text`; colours take none."""
    firsts = [cluster[0] for cluster in clusters(SGR.sub("", text))]
    return sum(
        0 if unicodedata.category(c) in WIDTHLESS else 1 + (unicodedata.east_asian_width(c) in "WF") for c in firsts
    )


def printable(text: str) -> str:
    """Tabs as blanks; other control characters, which would move the cursor, as a replacement sign."""
    spaced = text.replace("\t", "    ")
    return "".join("\ufffd" if unicodedata.category(c) == "Cc" and c != "\n" else c for c in spaced)


def cut(text: str, columns: int) -> str:
    """The beginning of a line that fits, with an ellipsis when something is left out. No colours in it."""
    if cells(text) <= columns:
        return text
    kept = ""
    for cluster in clusters(text):
        if cells(kept + cluster) > columns - 1:
            break
        kept += cluster
    return kept + "…"


def wrap(prompt: str, text: str, cursor: int, columns: int) -> Wrapped:
    """Break `text` into rows behind `prompt`, later rows indented, and find the cursor."""
    indent = cells(prompt)
    rows, used = [prompt], indent
    at, place = 0, (0, prompt)
    for cluster in clusters(text):
        drawn = "" if cluster == "\n" else printable(cluster)
        if cluster == "\n" or used + cells(drawn) >= columns:
            rows.append(" " * indent)
            used = indent
        rows[-1] += drawn
        used += cells(drawn)
        at += len(cluster)
        if at <= cursor:
            place = (len(rows) - 1, rows[-1])
    return Wrapped(rows, *place)


def prose(first: str, text: str, columns: int) -> list[str]:
    """Paragraphs broken between words behind a bullet; words that are too long are broken anywhere."""
    indent = cells(first)
    rows: list[str] = []
    for line in printable(text).split("\n"):
        rows += _words(line, max(8, columns - 1 - indent))
    return [(first if number == 0 else " " * indent) + row for number, row in enumerate(rows)]


def _words(line: str, columns: int) -> list[str]:
    rows = [""]
    for word in re.findall(r"\S+\s*|\s+", line):
        if rows[-1] and cells(rows[-1] + word.rstrip()) > columns:
            rows.append("")
        *full, rest = wrap("", rows[-1] + word.rstrip(), 0, columns + 1).rows
        rows[-1:] = [*full, rest + word[len(word.rstrip()) :]]
    return [row.rstrip() for row in rows]


def rule(columns: int) -> str:
    return GREY + RULE * (columns - 1) + RESET


def box(shown: tuple[str, int], ghost: str, busy: bool, footer: str, columns: int, height: int) -> DemoFrame:
    """The input box between its rules, at most `height` rows with its footer; of a long text the part at the cursor."""
    text, cursor = shown
    prompt = f"{GREY}{PROMPT}{RESET}" if busy else PROMPT
    wrapped = wrap(prompt, text, cursor, columns)
    room = max(1, height - 3)
    first = max(0, min(len(wrapped.rows) - room, wrapped.row))
    rows = wrapped.rows[first : first + room]
    if not text:
        rows[0] += DIM + cut(ghost, columns - 1 - cells(prompt)) + RESET
    framed = [rule(columns), *rows, rule(columns), DIM + cut(f"  {footer}", columns - 1) + RESET]
    return DemoFrame(framed, 1 + wrapped.row - first, wrapped.before)


def stacked(above: Sequence[str], frame: DemoFrame, height: int) -> DemoFrame:
    """Rows on top of a frame, as many as fit."""
    room = max(0, height - len(frame.rows))
    kept = list(above[:room])
    return DemoFrame([*kept, *frame.rows], len(kept) + frame.row, frame.before, frame.cursor)
