"""Where a program's input stands on the screen, and whether our text stands in it: functions.

Agents echo what was submitted into their transcript, so a text is looked for at the insertion point only,
never on the whole screen. Rows are compared without blanks: programs wrap, indent and expand tabs as they
like, and none of that says whether the text is there. Marks without a width of their own (joiners,
selectors) are left out too, since terminals drop some of them.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

from paneward.core.profiles.patterns import compiled
from paneward.core.profiles.row import Profile
from paneward.core.screen.boxed import in_box, typing_point
from paneward.core.screen.cells import Row, Screen, columns, insertion_point
from paneward.core.screen.frames import Region, region
from paneward.core.screen.ghost import ghost_text
from paneward.core.screen.panel import screen_of

ENOUGH = 48  # characters that end at the cursor and equal the end of a text: chance does not do that
MARGIN = 3  # cells at the right edge that a program may leave free before it wraps
BORDERS = "│┃|║▌▐"
_DRAFT = re.compile(r"(?:[$#>%❯›»]|(?i:[\[(]y(?:es)?/n(?:o)?[\])][?:]?))\s+(\S.*)$")


@dataclass(frozen=True, slots=True)
class Composer:
    """The input of a program as it stands on the screen."""

    before: str  # all that stands left of the insertion point on its row: with an empty input, the prompt
    text: str  # what stands in it, as far as it can be told from the prompt; no ghost text
    ghost: str
    rows: tuple[str, ...]  # the rows from its first (or the top of the screen) to the insertion point
    x: int
    y: int
    region: Region | None = field(default=None, compare=False)  # of a framed one; the colour of its glyph may change

    def holds(self, text: str, profile: Profile) -> bool:
        """Our text ends at the insertion point, or its placeholder does."""
        return ends_with(self.rows, essence(text)) or self.has_placeholder(profile)

    def has_placeholder(self, profile: Profile) -> bool:
        tail = next((row.rstrip() for row in reversed(self.rows) if row.strip()), "")
        return any(compiled(pattern, "(?:", r")\s*$").search(tail) for pattern in profile.placeholders)


@lru_cache(maxsize=64)
def essence(text: str) -> str:
    """The characters of a text that can be compared: no blanks, no marks that terminals may drop."""
    if text.isascii():
        return "".join(text.split())
    return "".join(char for char in unicodedata.normalize("NFC", text) if not (char.isspace() or _weightless(char)))


def _weightless(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc", "Cs", "Co", "Cn")


def ends_with(rows: tuple[str, ...], wanted: str) -> bool:
    """The rows, read backwards from the insertion point, spell the end of `wanted`."""
    rest = wanted
    for row in reversed(rows):
        seen = essence(row)
        if not seen:
            continue  # a blank line of the text, or an empty row of the box
        if rest.endswith(seen):
            rest = rest[: -len(seen)]
            if not rest or len(wanted) - len(rest) >= ENOUGH:
                return True
            continue
        return seen.endswith(rest[-ENOUGH:])
    return not rest


def goes_on(rows: tuple[str, ...], end: str, width: int) -> bool:
    """The row with which a text ended, `end`, still stands there, and the text goes on right behind it."""
    end = end.rstrip()
    for below, row in enumerate(reversed(rows)):
        if not end or not row.strip():
            return False
        if row.rstrip() == end:
            return below > 0 and columns(end) >= width - MARGIN
        if row.startswith(end):
            return not row[len(end) :].startswith("  ")
    return False


@lru_cache(maxsize=16)  # several questions are asked of one look
def read_composer(screen: Screen, profile: Profile) -> Composer | None:
    """The composer of the program, or None where the profile says what it looks like and it is not there."""
    if not profile.framed:
        return _at_cursor(screen)
    return _framed(screen_of(screen.snapshot, profile), profile)


def _at_cursor(screen: Screen) -> Composer:
    x, y = typing_point(screen)
    row = screen.row(y)
    ghost = ghost_text(screen)
    left = row.left(x)
    beyond = "" if ghost or in_box(screen) else _contiguous(row, x)  # behind the end of a box stands only a hint
    rows = (*(_bare(line.text) for line in screen.rows[:y]), _bare(left))
    return Composer(left, _draft(screen, y, left) + beyond, ghost, rows, x, y)


def _contiguous(row: Row, x: int) -> str:
    """Text that begins right at the cursor: the rest of a draft in which the cursor was moved back."""
    right = row.right(x)
    word = re.match(r"\S.*?(?=\s{2,}|$)", right)
    return word.group().rstrip(BORDERS).rstrip() if word and word.group()[0] not in BORDERS else ""


def _draft(screen: Screen, y: int, left: str) -> str:
    """Unsent text left of the cursor, after a prompt; empty where no prompt can be told from it."""
    joined = left
    for above in range(y - 1, max(y - 20, -1), -1):
        if _DRAFT.search(joined) or not _full(screen.row(above)):
            break
        joined = screen.row(above).left(screen.width) + joined
    found = _DRAFT.search(joined)
    return found.group(1).rstrip(BORDERS).rstrip() if found else ""


def _full(row: Row) -> bool:
    if row.unstyled:
        return 0 < row.width <= len(row.raw) and row.raw[row.width - 1] != " "
    return row.width > 0 and len(row.cells) >= row.width and bool(row.cells[row.width - 1].char.strip())


def _bare(text: str) -> str:
    """A row without the borders of a box around it."""
    stripped = text.strip()
    if stripped and stripped[0] in BORDERS:
        return stripped.strip(BORDERS)
    return text


def _framed(screen: Screen, profile: Profile) -> Composer | None:
    found = region(screen, profile)
    if found is None:
        return None
    x, y = insertion_point(screen)
    ghost = ghost_text(screen) or _known_ghost(screen, found, profile)
    # A suggestion runs on over the rows below; of its first row, what stands left of the cursor was typed.
    last = y + 1 if ghost else found.bottom
    rows = [found.row(screen, i, x) if i == y and ghost else found.row(screen, i) for i in range(found.top, last)]
    until = (*rows[: y - found.top], found.row(screen, y, x))
    return Composer(
        before=screen.row(y).left(x),
        text="\n".join(row.rstrip() for row in rows).strip("\n"),
        ghost=ghost,
        rows=until,
        x=x,
        y=y,
        region=found,
    )


def _known_ghost(screen: Screen, found: Region, profile: Profile) -> str:
    """What an empty composer shows in a terminal without colours, told by its words: the cursor stands at their
    beginning."""
    if not profile.ghosts or insertion_point(screen) != (found.left, found.top):
        return ""
    shown = " ".join(" ".join(found.row(screen, i) for i in range(found.top, found.bottom)).split())
    return shown if any(compiled(pattern).fullmatch(shown) for pattern in profile.ghosts) else ""
