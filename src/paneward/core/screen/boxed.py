"""A box with a prompt in it, where no cursor is shown: functions.

A program that hides the cursor and draws none leaves it wherever its last frame ended. Where it takes input is then
told by the only frame on the screen that begins with a prompt.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from paneward.core.screen.cells import Screen, columns, drawn_cursor
from paneward.core.screen.ghost import faint

_TOP = re.compile(r"[╭┌╔┏][─━═╌┄].*?[╮┐╗┓]")
_BOTTOM = re.compile(r"[╰└╚┗][─━═╌┄].*?[╯┘╝┛]")
_SIDES = frozenset("│┃║")
_GLYPH = re.compile(r" ?[❯›»>$#%](?: |$)")


@dataclass(frozen=True, slots=True)
class _Box:
    """Its sides as columns, its first row inside, and the row of its lower edge."""

    left: int
    right: int
    top: int
    bottom: int


def typing_point(screen: Screen) -> tuple[int, int]:
    """Where typed text would go, as (x, y): the cursor, the drawn one, or the end of what stands in the only box."""
    return drawn_cursor(screen) or in_box(screen) or screen.cursor


@lru_cache(maxsize=16)  # several questions are asked of one screen
def in_box(screen: Screen) -> tuple[int, int] | None:
    """Behind what stands in the only box with a prompt, where the cursor is hidden and none is drawn."""
    if screen.cursor_visible or drawn_cursor(screen):
        return None
    boxes = [box for y in range(screen.height) for box in _boxes(screen, y) if _has_prompt(screen, box)]
    return _end(screen, boxes[0]) if len(boxes) == 1 else None


def _boxes(screen: Screen, y: int) -> list[_Box]:
    """The boxes of which the upper edge stands in row `y`."""
    text = screen.row(y).text
    edges = [(columns(text[: one.start()]), columns(text[: one.end()]) - 1) for one in _TOP.finditer(text)]
    return [box for left, right in edges if (box := _closed(screen, y + 1, left, right))]


def _closed(screen: Screen, top: int, left: int, right: int) -> _Box | None:
    for y in range(top, screen.height):
        row = screen.row(y)
        if row.cell(left).char in _SIDES and row.cell(right).char in _SIDES:
            continue
        found = _BOTTOM.match(row.text[len(row.left(left)) :])
        closes = y > top and found is not None and columns(found[0]) == right - left + 1
        return _Box(left, right, top, y) if closes else None
    return None


def _inside(screen: Screen, box: _Box, y: int) -> str:
    """The text of a row between the sides; of words that are only faint, blanks."""
    cells = screen.row(y).cells[box.left + 1 : box.right]
    return "".join(" " if cell.width and faint(cell.style) else cell.char for cell in cells)


def _has_prompt(screen: Screen, box: _Box) -> bool:
    cells = screen.row(box.top).cells[box.left + 1 : box.right]
    return bool(_GLYPH.match("".join(cell.char for cell in cells).rstrip() + " "))


def _end(screen: Screen, box: _Box) -> tuple[int, int]:
    last = next((y for y in range(box.bottom - 1, box.top, -1) if _inside(screen, box, y).strip()), box.top)
    said = _inside(screen, box, last).rstrip()
    glyph = _GLYPH.match(_inside(screen, box, box.top).rstrip() + " ")
    least = len(glyph[0].rstrip()) + 1 if last == box.top and glyph else 0
    return box.left + 1 + max(columns(said), least), last
