"""The cells of a screen, read from `capture-pane -e`: functions.

A row is kept as tmux printed it. Its plain text and its styled cells are worked out when first asked
for, since most looks at a pane need the text of a few rows only.

What surprised us:
- Styles, and the line-drawing state between SO and SI, run on across line ends: a row means nothing alone.
- tmux cuts trailing blanks but not the style before them, so a drawn cursor at the end of a line shows
  up as a bare `ESC[7m`. One blank in that style is put back.
- tmux counts columns by code point: a heart with its emoji selector is one column, a family joined by
  zero-width joiners is as wide as its first member, each half of a flag is one column.
- OSC 8 hyperlinks (from 3.4) and tabs (from 3.6) can stand in a row.
"""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate

from paneward.core.screen.lazy import lazy
from paneward.core.screen.style import PLAIN, Style, restyle
from paneward.core.terminal.scene import Snapshot

TAB_STOP = 8
ZERO_WIDTH_JOINER = "\u200d"
ROWS_KEPT = 2048  # from one look to the next, most rows stay as they are
CELLS_KEPT_PER_STYLE = 2048  # a screen shows few characters; a hostile one could show a million

# Each pattern begins with a set of characters, which the regex engine can search for at full speed.
_REST_OF_ESCAPE = r"(?:(?<=\x1b)(?:\[[0-?]*+[ -/]*+[@-~]|[\]PX^_][^\x07\x1b]*+(?:\x07|\x1b\\)|[ -/]*+[0-~]))?"
SGR = re.compile(r"\x1b\[[0-9;:]*+m")
_INVISIBLE = re.compile(r"[\x00-\x08\x0a-\x0d\x10-\x1f\x7f-\x9f]" + _REST_OF_ESCAPE)  # all but tab, SO and SI
MARK = re.compile(r"[\x00-\x1f\x7f-\x9f](?:(?<=\x1b)\[([0-9;:]*+)m|" + _REST_OF_ESCAPE + ")")
_PEN_CHANGE = re.compile(r"[\x0e\x0f\x1b](?:(?<=\x1b)\[([0-9;:]*+)m)?")
_DRAWING = re.compile(r"[\x0e\x0f]|[^\x0e\x0f]+")
_NARROW = re.compile(r"[ -~\xa0-\xac\xae-\u02ff\u2010-\u2027\u2190-\u2199\u2500-\u259f]*+")  # one column each
_LINE_DRAWING = str.maketrans("`afgjklmnopqrstuvwxyz{|}~", "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")


@dataclass(frozen=True, slots=True)
class Cell:
    char: str  # one character with its combining marks; "" in the second column of a wide one
    style: Style = PLAIN
    width: int = 1  # columns: 2 for a wide character, 0 for the column that belongs to its left neighbour


BLANK = Cell(" ")


@dataclass(frozen=True, slots=True)
class Pen:
    """What runs on from one row to the next."""

    style: Style = PLAIN
    drawing: bool = False  # between SO and SI: letters are line-drawing characters


FIRST_PEN = Pen()


@dataclass(frozen=True)  # no slots: `lazy` keeps its values in the instance's dictionary
class Rows:
    """The rows of one capture, and with which pen each begins."""

    raw: tuple[str, ...]

    @lazy
    def pens(self) -> tuple[Pen, ...]:
        return tuple(accumulate(self.raw, pen_after, initial=FIRST_PEN))

    @lazy
    def has_drawing(self) -> bool:
        return any("\x0e" in row for row in self.raw)

    def drawing(self, index: int) -> bool:
        return self.has_drawing and self.pens[index].drawing


@dataclass(eq=False)  # no slots, as above; not frozen: that would cost a dozen look-ups for each of many rows
class Row:
    raw: str
    width: int = 0  # columns of the pane
    index: int = 0
    capture: Rows = field(default=Rows(("",)), repr=False)

    @lazy
    def text(self) -> str:
        """What can be read, without trailing blanks."""
        return plain(self.raw, self.capture.drawing(self.index)).rstrip(" ") if self.raw else ""

    @lazy
    def cells(self) -> tuple[Cell, ...]:
        """The cells by column, filled with blanks up to the width of the pane."""
        cells = parse_cells(self.raw, self.capture.pens[self.index])
        return cells + (BLANK,) * (self.width - len(cells))

    @lazy
    def unstyled(self) -> bool:
        """Nothing but letters of one column each: the capture is the text."""
        return self.raw.isascii() and self.raw.isprintable() and not self.capture.has_drawing

    @property
    def plain(self) -> bool:
        """No character of it has a style."""
        return self.unstyled and self.capture.pens[self.index].style is PLAIN

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    @property
    def indent(self) -> int:
        """The column of the first character that is not a blank; 0 in a blank row."""
        return next((x for x, cell in enumerate(self.cells) if cell.char.strip()), 0)

    def cell(self, x: int) -> Cell:
        return self.cells[x] if 0 <= x < len(self.cells) else BLANK

    def style(self, x: int) -> Style:
        return self.cell(x).style

    def left(self, x: int) -> str:
        """The text in the columns left of `x`, its trailing blanks included."""
        if self.unstyled:
            return self.raw[: max(x, 0)].ljust(min(x, self.width))
        return "".join(cell.char for cell in self.cells[: max(x, 0)])

    def right(self, x: int) -> str:
        """The text from column `x` on, without trailing blanks."""
        if self.unstyled:
            return self.raw[max(x, 0) :].rstrip(" ")
        return "".join(cell.char for cell in self.cells[max(x, 0) :]).rstrip(" ")

    def styled(self, start: int = 0, end: int | None = None) -> set[Style]:
        """The styles of the visible characters in these columns."""
        return {cell.style for cell in self.cells[max(start, 0) : end] if cell.char.strip()}


NO_ROW = Row("")


@dataclass(frozen=True, eq=False)  # no slots, as above
class Screen:
    snapshot: Snapshot
    rows: tuple[Row, ...]  # exactly as many as the pane is high
    history: tuple[Row, ...]  # scrollback that came with the capture, oldest first

    @staticmethod
    def of(snapshot: Snapshot) -> "Screen":
        return _screen(snapshot)

    @property
    def width(self) -> int:
        return self.snapshot.width

    @property
    def height(self) -> int:
        return self.snapshot.height

    @property
    def cursor(self) -> tuple[int, int]:
        """The hardware cursor as (x, y), shown or hidden."""
        return self.snapshot.cursor_x, self.snapshot.cursor_y

    @property
    def cursor_visible(self) -> bool:
        return self.snapshot.cursor_visible

    @lazy
    def lines(self) -> tuple[str, ...]:
        return tuple(row.text for row in self.rows)

    @property
    def text(self) -> str:
        """The visible text without blank lines at its end."""
        return "\n".join(self.lines).rstrip("\n")

    def row(self, y: int) -> Row:
        return self.rows[y] if 0 <= y < len(self.rows) else NO_ROW


@lru_cache(maxsize=16)  # several questions are asked of one snapshot
def _screen(snapshot: Snapshot) -> Screen:
    split = max(snapshot.history, len(snapshot.rows) - snapshot.height, 0)
    missing = snapshot.height - len(snapshot.rows[split:])
    capture = Rows(snapshot.rows + ("",) * missing)
    rows = tuple(Row(raw, snapshot.width, index, capture) for index, raw in enumerate(capture.raw))
    return Screen(snapshot, rows=rows[split:], history=rows[:split])


@lru_cache(maxsize=ROWS_KEPT)
def plain(row: str, drawing: bool = False) -> str:
    """The characters of a captured row, without styles; `drawing`: it begins between SO and SI."""
    text = SGR.sub("", row)
    if text.isprintable() and not drawing:
        return text
    text = _INVISIBLE.sub("", row)
    if drawing or "\x0e" in text or "\x0f" in text:
        text = _with_lines_drawn(text, drawing)
    return _expand_tabs(text) if "\t" in text else text


def _with_lines_drawn(text: str, drawing: bool) -> str:
    pieces: list[str] = []
    for piece in _DRAWING.findall(text):
        if piece in "\x0e\x0f":
            drawing = piece == "\x0e"
        else:
            pieces.append(piece.translate(_LINE_DRAWING) if drawing else piece)
    return "".join(pieces)


def _expand_tabs(text: str) -> str:
    head, *rest = text.split("\t")
    for piece in rest:
        head += " " * (TAB_STOP - columns(head) % TAB_STOP) + piece
    return head


@lru_cache(maxsize=2048)  # the same rows are measured at every look
def columns(text: str) -> int:
    """How many columns tmux gives to a text without control characters."""
    return len(text) if text.isascii() else len(parse_cells(text, Pen()))


@lru_cache(maxsize=8192)
def char_width(char: str) -> int:
    if "\U0001f1e6" <= char <= "\U0001f1ff":  # half a flag
        return 1
    if char.isascii():
        return 1 if char.isprintable() else 0
    if "\u2500" <= char <= "\u259f":  # frames and blocks
        return 1
    from wcwidth import wcwidth  # a screen may do without its tables

    return max(0, wcwidth(char))


class _Ink(dict[str, Cell]):
    """The cells of one style by their character: most of a screen is the same few cells again."""

    def __init__(self, style: Style) -> None:
        super().__init__()
        self.style = style

    def __missing__(self, char: str) -> Cell:
        if len(self) >= CELLS_KEPT_PER_STYLE:
            self.clear()
        cell = self[char] = Cell(char, self.style, char_width(char))
        return cell


_ink = lru_cache(maxsize=512)(_Ink)


@lru_cache(maxsize=ROWS_KEPT)
def parse_cells(row: str, pen: Pen) -> tuple[Cell, ...]:
    """The cells of a captured row, by column."""
    cells: list[Cell] = []
    at, style, drawing, changed = 0, pen.style, pen.drawing, False
    for mark in MARK.finditer(row):
        if at < mark.start():
            _draw(cells, row[at : mark.start()], style, drawing)
            changed = False
        at = mark.end()
        if (parameters := mark[1]) is not None:
            style, changed = restyle(style, parameters), True
        elif mark[0] == "\t":
            cells += [_ink(style)[" "]] * (TAB_STOP - len(cells) % TAB_STOP)
        elif mark[0] in "\x0e\x0f":
            drawing = mark[0] == "\x0e"
    if at < len(row):
        _draw(cells, row[at:], style, drawing)
    elif changed and style != PLAIN:
        cells.append(_ink(style)[" "])
    return tuple(cells)


def _draw(cells: list[Cell], text: str, style: Style, drawing: bool) -> None:
    ink = _ink(style)
    if drawing:
        text = text.translate(_LINE_DRAWING)
    if text.isascii() or _NARROW.fullmatch(text):
        cells.extend(map(ink.__getitem__, text))
        return
    for char in text:
        cell = ink[char]
        if cell.width == 0 or (_joins(cells) and not _NARROW.fullmatch(char)):
            _combine(cells, char)
        else:
            cells.append(cell)
            if cell.width == 2:
                cells.append(Cell("", style, 0))


def _base(cells: list[Cell]) -> int:
    """The index of the last cell that holds a character; -1 when there is none."""
    return len(cells) - 1 if not cells or cells[-1].width else len(cells) - 2


def _joins(cells: list[Cell]) -> bool:
    return bool(cells) and cells[_base(cells)].char.endswith(ZERO_WIDTH_JOINER)


def _combine(cells: list[Cell], mark: str) -> None:
    """Put a mark on the character before it; without one it is not shown."""
    base = _base(cells)
    if base >= 0:
        cells[base] = replace(cells[base], char=cells[base].char + mark)


def pen_after(pen: Pen, row: str) -> Pen:
    """The pen at the end of a row that began with `pen`."""
    return pen if not row or row.isprintable() else _pen_after(pen, row)


@lru_cache(maxsize=ROWS_KEPT)
def _pen_after(pen: Pen, row: str) -> Pen:
    style, drawing = pen.style, pen.drawing
    for change in _PEN_CHANGE.finditer(row):
        if (parameters := change[1]) is not None:
            style = restyle(style, parameters)
        elif change[0] in "\x0e\x0f":
            drawing = change[0] == "\x0e"
    return Pen(style, drawing)


def drawn_cursor(screen: Screen) -> tuple[int, int] | None:
    """Where an application that hides the cursor draws one: a single reversed cell, alone of its kind."""
    return None if screen.cursor_visible else _only_reversed(screen)


@lru_cache(maxsize=16)  # several questions are asked of one screen
def _only_reversed(screen: Screen) -> tuple[int, int] | None:
    x, y = screen.cursor
    if x in single_reversed(screen.row(y)):
        return x, y  # most hide the cursor where they draw one: the other rows need not be read
    found = [(x, y) for y, row in enumerate(screen.rows) for x in single_reversed(row)]
    return found[0] if len(found) == 1 else None


def single_reversed(row: Row) -> list[int]:
    """The columns of reversed characters whose neighbours are not reversed."""
    if row.plain:
        return []
    cells = row.cells
    return [
        x
        for x, cell in enumerate(cells)
        if cell.style.reverse
        and cell.width
        and not (x > 0 and cells[x - 1].style.reverse)
        and not row.style(x + cell.width).reverse
    ]


def insertion_point(screen: Screen) -> tuple[int, int]:
    """Where typed text would go, as (x, y): the cursor, or the drawn one while that is hidden."""
    return drawn_cursor(screen) or screen.cursor


def last_lines(snapshot: Snapshot, lines: int, ansi: bool = False) -> str:
    """The last lines of a look, without blank ones below them."""
    rows = [row if ansi else plain(row).rstrip() for row in snapshot.rows]
    while rows and not plain(rows[-1]).strip():
        rows.pop()
    return "\n".join(rows[-lines:] if lines > 0 else [])
