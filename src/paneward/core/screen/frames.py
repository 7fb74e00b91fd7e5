"""Where on the screen a program's input stands, by the kind of its frame: functions.

What surprised us:
- A draft can hold a line of dashes, so what counts as a rule is for the profile to say, and it begins at the edge.
- Codex draws no frame at all: a bold glyph, indented rows, a blank row, a footer. Only the cursor tells the
  composer from the transcript, which looks alike; in dialogs it is hidden.
- OpenCode closes its box with a corner below; dialogs and messages have the same bar and no corner.
- aider begins every row with its prompt, those that it wrapped as well.
- Gemini CLI has three boxes: between half blocks in 24-bit colours, between plain rules without colours, and with
  fewer colours no rules at all but a ground of its own, one blank row higher and lower than the text. tmux cuts those
  blanks, so a blank row of the text and the last row of the ground look alike.
"""

import re
from dataclasses import dataclass, field

from paneward.core.profiles.patterns import compiled
from paneward.core.profiles.row import Frame, Profile
from paneward.core.screen.cells import Row, Screen, insertion_point
from paneward.core.screen.style import PLAIN, Colour, Style, fits

FOOTER = 4  # rows that may stand below a composer without a frame
PADDING = 2  # columns between a bar and the text
_SCROLLED = re.compile(r"\s{2,}[↑↓]$")


@dataclass(frozen=True, slots=True)
class Region:
    """The rows of the input and its columns."""

    top: int
    bottom: int  # the first row below it
    left: int  # the column where text begins
    edge: int  # the column where it has to end
    glyph: str = ""
    style: Style = field(default=PLAIN)  # of the glyph
    cut: bool = False  # more text stands in it than is shown
    colourless: bool = False  # its rules are drawn without a colour: so is the rest of the screen

    def row(self, screen: Screen, y: int, end: int | None = None) -> str:
        """The text of one of its rows, without trailing blanks; up to column `end`, with them."""
        cells = screen.row(y).cells[self.left : self.edge if end is None else end]
        text = "".join(cell.char for cell in cells)
        return text if end is not None else _SCROLLED.sub("", text.rstrip(" "))


def region(screen: Screen, profile: Profile) -> Region | None:
    """Where the input stands; None where the profile says what it looks like and it is not there."""
    match profile.frame:
        case Frame.RULES:
            return _between_rules(screen, profile) or (_on_ground(screen, profile) if profile.ground else None)
        case Frame.BAR:
            return _behind_bar(screen)
        case Frame.GLYPH:
            return _under_glyph(screen, profile)
        case Frame.LINES:
            return _prompted_lines(screen, profile)
    return None


def _prompt(row: Row, profile: Profile) -> tuple[str, Style] | None:
    """The prompt at the start of a row, drawn as the profile says."""
    found = compiled(profile.glyph, r"\s*(?:", ")").match(row.text + "  ")
    if found is None:
        return None
    shown = next((x for x, char in enumerate(found[0]) if char.strip()), 0)
    style = row.style(shown)
    return (found[0], style) if fits(style, profile.glyph_style) else None


def _between_rules(screen: Screen, profile: Profile) -> Region | None:
    x, y = insertion_point(screen)
    rule = compiled(profile.rule)
    top = next((i for i in range(y - 1, -1, -1) if rule.match(screen.row(i).text)), None)
    bottom = next((i for i in range(y + 1, screen.height) if rule.match(screen.row(i).text)), None)
    if top is None or bottom is None or not (prompt := _prompt(screen.row(top + 1), profile)):
        return None
    left = len(prompt[0]) if y == top + 1 else min(len(prompt[0]), x)
    colourless = screen.row(top).style(0).fg is None
    return Region(top + 1, bottom, left, screen.width, *prompt, colourless=colourless)


def _on_ground(screen: Screen, profile: Profile) -> Region | None:
    """The rows around the cursor on a background of their own, from the prompt to the blank row above the footer."""
    x, y = insertion_point(screen)
    ground = screen.row(y).style(0).bg
    if ground is None:
        return None
    top = next((i for i in range(y, -1, -1) if _prompts_at_edge(screen.row(i), profile)), None)
    if top is None or not all(_stands_on(screen.row(i), ground) for i in range(top, y)):
        return None
    footer = next((i for i in range(y + 1, screen.height) if not _stands_on(screen.row(i), ground)), None)
    prompt = _prompt(screen.row(top), profile)
    if footer is None or footer - 1 <= y or not screen.row(footer - 1).blank or prompt is None:
        return None
    left = len(prompt[0]) if y == top else min(len(prompt[0]), x)
    return Region(top, footer - 1, left, screen.width, *prompt)


def _prompts_at_edge(row: Row, profile: Profile) -> bool:
    """The prompt begins in the first column: what stands in the composer is indented."""
    return compiled(profile.glyph).match(row.text + "  ") is not None


def _stands_on(row: Row, ground: Colour) -> bool:
    return row.blank or row.style(0).bg == ground


def _behind_bar(screen: Screen) -> Region | None:
    """The rows around the cursor behind one bar of one colour, closed by a corner."""
    _, y = insertion_point(screen)
    bar = screen.row(y).indent
    style = screen.row(y).style(bar)

    def inside(at: int) -> bool:
        cell = screen.row(at).cell(bar)
        return cell.char == "┃" and cell.style.fg == style.fg

    if not screen.cursor_visible or not inside(y):
        return None
    top = next((i + 1 for i in range(y, -1, -1) if not inside(i)), 0)
    bottom = next((i for i in range(y, screen.height) if not inside(i)), screen.height)
    corner = screen.row(bottom)
    if corner.cell(bar).char != "╹" or bottom - top < 3:
        return None
    edge = bar + 1 + len(corner.text[bar + 1 :]) - len(corner.text[bar + 1 :].lstrip("▀"))
    return Region(top + 1, bottom - 1, bar + 1 + PADDING, edge, "┃", style)


def _under_glyph(screen: Screen, profile: Profile) -> Region | None:
    x, y = insertion_point(screen)
    bottom = next((i for i in range(screen.height - 1, y, -1) if screen.row(i).blank and i < _last(screen)), None)
    if not screen.cursor_visible or bottom is None or _last(screen) - bottom > FOOTER:
        return None
    for top in range(y, -1, -1):
        row = screen.row(top)
        if prompt := _prompt(row, profile):
            left = len(prompt[0])
            cut = bool(_SCROLLED.search(row.text)) or bool(_SCROLLED.search(screen.row(bottom - 1).text))
            return Region(top, bottom, left, screen.width, *prompt, cut) if x >= left else None
        if row.left(PADDING).strip():
            return None
    return None


def _last(screen: Screen) -> int:
    """The last row that shows something."""
    return next((i for i in range(screen.height - 1, -1, -1) if not screen.row(i).blank), -1)


def _prompted_lines(screen: Screen, profile: Profile) -> Region | None:
    x, y = insertion_point(screen)
    prompt = _prompt(screen.row(y), profile)
    if prompt is None or not screen.cursor_visible or x < len(prompt[0]):
        return None
    top = next((i + 1 for i in range(y, -1, -1) if _prompt(screen.row(i), profile) != prompt), 0)
    bottom = next((i for i in range(y, screen.height) if _prompt(screen.row(i), profile) != prompt), screen.height)
    return Region(top, bottom, len(prompt[0]), screen.width, *prompt, cut=top == 0)
