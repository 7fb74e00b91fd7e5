"""Ghost text: what an application shows after the cursor as if it stood there, and nobody typed: functions.

Told by the style of the cells at and after the insertion point, never by searching for an escape sequence:
separators, hints and right-hand prompts are dim too.

What surprised us:
- An application that draws its own cursor draws it on the first letter of the suggestion, so that letter
  is reversed and only the rest is dim; or it draws it on a blank in front of the suggestion.
- A hidden cursor is parked anywhere. Without a drawn one nobody knows where text would go.
"""

import re
from itertools import pairwise, takewhile

from paneward.core.screen.cells import Cell, Row, Screen, columns, drawn_cursor
from paneward.core.screen.style import Colour, Style

EDGE = 3  # columns at the right edge in which a suggestion may be cut off to a blank
GAP = 2  # so many plain blanks end a suggestion: what follows stands at the right edge for itself
GREYS = {8, 59, 102, 145, *range(232, 251)}  # of the palette; brighter ones are ordinary text on dark ground
RULES = set("─━═╌┄┈│┃║╎┆┊|▌▐▏▕╭╮╰╯┌┐└┘├┤┬┴┼")
_PROMPT_ONLY = re.compile(r"^[\s│┃║|▌▐]*(?:\S{0,3}[❯›»>$#%:?!])?\s*$")


def ghost_text(screen: Screen) -> str:
    """The suggestion at the insertion point; "" when there is none."""
    drawn = drawn_cursor(screen)
    if drawn is None and (not screen.cursor_visible or screen.cursor[0] == 0):
        return ""
    x, y = drawn or screen.cursor
    if screen.row(y).plain:
        return ""
    first = _suggestion(screen.row(y), x)
    style = next((cell.style for cell in first if faint(cell.style) and cell.char.strip()), None)
    if style is None and _cut_off(screen.row(y), x):
        return " "
    if style is None or _typed_alike(screen.row(y), x, style):
        return ""
    return _with_wrapped(screen, y, x + len(first), _text(first), style)


def _cut_off(row: Row, x: int) -> bool:
    """A suggestion of which only a leading blank fitted into the row: faint, where nothing was typed."""
    rest = row.cells[x : row.width]
    if not rest or len(rest) > EDGE or any(cell.char.strip() for cell in rest):
        return False
    return faint(rest[0].style) and not _typed_alike(row, x, rest[0].style)


def faint(style: Style) -> bool:
    return style.dim or (_grey(style.fg) and not style.bold)


def _grey(colour: Colour) -> bool:
    if isinstance(colour, str):
        channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        return max(channels) - min(channels) <= 16 and 0x20 <= max(channels) <= 0xC0
    return colour in GREYS


def _suggestion(row: Row, x: int) -> list[Cell]:
    """The cells from the cursor to the end of the faint text; none when no such text begins there."""
    under, after = row.cell(x), list(row.cells[x + 1 :])
    if faint(under.style):
        return _faint_run([under, *after])
    run = _faint_run(after[under.width - 1 :]) if under.width else []
    if not run or not (under.style.reverse or under.char == " "):
        return []
    return [*row.cells[x : x + under.width], *run]


def _faint_run(cells: list[Cell]) -> list[Cell]:
    run: list[Cell] = []
    for cell in cells:
        blank = not cell.char.strip() and cell.width > 0
        if cell.char in RULES or not (blank or faint(cell.style)):
            break
        run.append(cell)
        if len(run) >= GAP and all(cell.char == " " and not faint(cell.style) for cell in run[-GAP:]):
            break
    while run and run[-1].char == " ":
        run.pop()
    return run if run and faint(run[0].style) else []


def _text(cells: list[Cell]) -> str:
    return "".join(cell.char for cell in cells).strip(" ")


def _typed_alike(row: Row, x: int, style: Style) -> bool:
    """What was typed looks the same: then this is typed too, and the cursor was moved into it."""
    if _PROMPT_ONLY.match(row.left(x)):
        return False
    typed = next((cell.style for cell in reversed(row.cells[:x]) if cell.char.strip()), None)
    return typed is not None and typed._replace(reverse=False) == style._replace(reverse=False)


def _with_wrapped(screen: Screen, y: int, end: int, text: str, style: Style) -> str:
    """Add the rows below that exist only because the suggestion did not fit into its first row."""
    for row, below in pairwise(screen.rows[y:]):
        start, cells = _inside(below)
        more, edge = _text(cells), _right_edge(row)
        if not more or _styles(cells) != {style} or end + 1 + columns(more.split()[0]) < edge or _goes_on(row, end):
            break
        text += more if end >= edge else f" {more}"
        end = start + columns(more)
    return text


def _goes_on(row: Row, end: int) -> bool:
    return any(cell.char.strip() and cell.char not in RULES for cell in row.cells[end:])


def _styles(cells: list[Cell]) -> set[Style]:
    return {cell.style for cell in cells if cell.char.strip()}


def _inside(row: Row) -> tuple[int, list[Cell]]:
    """The cells between the borders of a box, from the first visible one on, and its column."""
    start = next((x for x, cell in enumerate(row.cells) if cell.char.strip() and cell.char not in RULES), 0)
    return start, list(takewhile(lambda cell: cell.char not in RULES, row.cells[start:]))


def _right_edge(row: Row) -> int:
    """The column where the text of a row has to end: before the border, or the pane's edge, with a margin."""
    border = next((x for x in range(len(row.cells) - 1, 0, -1) if row.cells[x].char.strip()), 0)
    return border - 1 if border and row.cells[border].char in RULES else row.width - 2
