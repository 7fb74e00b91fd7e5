"""Screens for the tests, drawn as strings."""

from paneward.core.screen.cells import Screen
from paneward.core.terminal.scene import Snapshot

CURSOR = "█"  # stands in a drawing where the hardware cursor is; it is no part of the text


def drawn(picture: str, width: int = 80, height: int = 24, visible: bool = True) -> Snapshot:
    """The snapshot of a picture; a hidden cursor rests at the upper left unless the picture shows where."""
    rows = picture.strip("\n").split("\n")
    marked = [y for y, row in enumerate(rows) if CURSOR in row]
    y = marked[0] if marked else 0
    x = len(Screen.of(Snapshot("%1", tuple(rows[: y + 1]), 0, y + 1, 0, 0)).row(y).text.partition(CURSOR)[0])
    clean = tuple(row.replace(CURSOR, "") for row in rows)
    return Snapshot("%1", clean, width, height, x if marked else 0, y, cursor_visible=visible and bool(marked))


def shown(picture: str, width: int = 80, height: int = 24, visible: bool = True) -> Screen:
    return Screen.of(drawn(picture, width, height, visible))
