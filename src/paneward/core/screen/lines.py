"""Rows freed from the boxes drawn around them: functions.

A `Line` is what a row says between its borders, with the columns where that begins and ends. A rule is a row
that only draws: the edge of a box, with or without a title, or a separator.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from paneward.core.screen.cells import Row, Screen, columns, insertion_point
from paneward.core.screen.ghost import faint
from paneward.core.screen.style import Style

_DRAWN = "─━═╌┄┈╭╮╰╯┌┐└┘├┤┬┴┼╔╗╚╝╠╣╹▀▄▔▁"
_BLANKS = "".join(char for char in map(chr, range(0x3001)) if char.isspace())
_SIDES = "│┃║|" + _BLANKS
_ONLY_DRAWN = re.compile(rf"[{_DRAWN}](?:[{_DRAWN}][{_DRAWN}\s]*+)?|[-=_]{{3,}}")
_BORDERS = set("│┃║▌▐")
_PROMPT = re.compile(r"(?:[❯›»>$#%]|.*[\w~)\]][$#❯›»>]|.*[A-Za-z~)\]]%)(?:\s.*)?")
_KEYS = re.compile(
    r"\b(?:esc|escape|enter|return|tab|space|ctrl|shift|arrows?|arrow keys|navigate|select|cancel|confirm|toggle"
    r"|press|submit|quit|help|move|choose|pick|scroll|filter|back)\b|[↑↓←→⇆⏎↵⌃▲▼]|\^[A-Z]\b",
    re.IGNORECASE,
)


class LineKind(StrEnum):
    TEXT = "text"
    BLANK = "blank"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Line:
    y: int
    kind: LineKind
    text: str  # without borders, and without blanks around it
    x: int  # the column where the text begins
    edge: int  # the column where the text has to end: the right border, or the edge of the pane
    row: Row

    @property
    def end(self) -> int:
        """The column after the last character."""
        return self.x + columns(self.text)

    @property
    def style(self) -> Style:
        return self.row.style(self.x)

    @property
    def keys_hint(self) -> bool:
        """It tells which keys do what."""
        return self.kind is LineKind.TEXT and bool(_KEYS.search(self.text))

    @property
    def prompt(self) -> bool:
        """It looks like a place to type: a prompt with or without text behind it."""
        return self.kind is LineKind.TEXT and bool(_PROMPT.fullmatch(self.text))

    @property
    def faint(self) -> bool:
        styles = self.row.styled(self.x, self.end)
        return bool(styles) and all(map(faint, styles))

    @property
    def aside(self) -> bool:
        """All of it is faint or slanted, as hints are; slanted alone where there are no colours."""
        styles = self.row.styled(self.x, self.end)
        return bool(styles) and all(faint(style) or style.italic for style in styles)

    @property
    def highlighted(self) -> bool:
        """All of it stands out by its ground."""
        styles = self.row.styled(self.x, self.end)
        return bool(styles) and all(style.highlighted for style in styles)


def lines(screen: Screen) -> list[Line]:
    width = screen.width
    return [_line(y, row, width) for y, row in enumerate(screen.rows)]


def _line(y: int, row: Row, width: int) -> Line:
    text = row.text
    if not text:
        return Line(y, LineKind.BLANK, "", 0, width, row)
    if is_rule(text):
        return Line(y, LineKind.RULE, text.strip(), row.indent, width, row)
    start, end = _between_borders(text)
    inner = text[start:end]
    kind = LineKind.TEXT if inner.strip() else LineKind.BLANK
    edge = columns(text[:end]) if end < len(text) else width
    return Line(y, kind, inner.strip(), start + len(inner) - len(inner.lstrip()), edge, row)


def is_rule(text: str) -> bool:
    """It only draws. Between two drawn ends may stand a title."""
    drawn = text.strip(_SIDES)
    if len(drawn) >= 4 and all(char in _DRAWN for char in drawn[:2] + drawn[-2:]):
        return True
    return _ONLY_DRAWN.fullmatch(drawn) is not None


def _between_borders(text: str) -> tuple[int, int]:
    """Where the text inside a box begins and ends; a bare `|` is a border only when there are two."""
    start, last = len(text) - len(text.lstrip()), text[-1:]
    first = text[start : start + 1]
    if first in _BORDERS or (first == last == "|" and start + 1 < len(text)):
        return start + 1, len(text) - (start + 1 < len(text) and last in {*_BORDERS, "|"})
    return 0, len(text)


def typing_at(screen: Screen) -> tuple[int, int] | None:
    """Where text would go, when the screen shows it: a visible cursor or a drawn one."""
    at = insertion_point(screen)
    return at if screen.cursor_visible or screen.row(at[1]).style(at[0]).reverse else None
