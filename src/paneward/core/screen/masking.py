"""A screen with its credentials crossed out, cell by cell: functions.

Everything stays in its place, so that what is read from the screen afterwards is what was read before. A credential may
be torn by a style or by the end of a row: it is looked for in what the rows spell, and once more with rows joined that
had no room left.
"""

import re
from collections.abc import Sequence

from paneward.core.screen.cells import columns
from paneward.core.text import mask

MARGIN = 4  # columns that a program may leave free, and draw a border in, before it wraps
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f](?:(?<=\x1b)\[[0-?]*+[ -/]*+[@-~])?")
_AROUND = " │┃║|▌▐"

Place = tuple[int, int]  # row and index into it


def mask_rows(rows: Sequence[str], width: int) -> tuple[str, ...]:
    """The captured rows of a pane of `width` columns, without credentials."""
    written = [list(row) for row in rows]
    for spell in (_row_by_row, _joined):
        places, text = spell(rows, width)
        for place, before, after in zip(places, text, mask(text), strict=True):
            if place and before != after:
                written[place[0]][place[1]] = after
    return tuple("".join(row) for row in written)


def _seen(row: str) -> list[int]:
    """The indexes of what shows."""
    unseen = {index for found in _UNSEEN.finditer(row) for index in range(*found.span())}
    return [index for index in range(len(row)) if index not in unseen]


def _row_by_row(rows: Sequence[str], width: int) -> tuple[list[Place | None], str]:
    places: list[Place | None] = []
    for y, row in enumerate(rows):
        places += [*((y, index) for index in _seen(row)), None]
    return places, _spelled(rows, places)


def _joined(rows: Sequence[str], width: int) -> tuple[list[Place | None], str]:
    """Without borders and indents, and without a line end where the row was full."""
    places: list[Place | None] = []
    for y, row in enumerate(rows):
        seen = _seen(row)
        text = "".join(row[index] for index in seen)
        start, end = len(text) - len(text.lstrip(_AROUND)), len(text.rstrip(_AROUND))
        places += [(y, index) for index in seen[start:end]]
        if columns(text[:end]) < width - MARGIN:
            places.append(None)
    return places, _spelled(rows, places)


def _spelled(rows: Sequence[str], places: list[Place | None]) -> str:
    return "".join(rows[place[0]][place[1]] if place else "\n" for place in places)
