"""A panel that a program keeps at the right of its screen, taken away: functions.

Its rows stand beside those of the composer and of dialogs, so that a row read whole would hold both.
"""

from dataclasses import replace
from functools import lru_cache

from paneward.core.profiles.row import Profile
from paneward.core.screen.cells import MARK, SGR, Row, Screen, columns, parse_cells
from paneward.core.terminal.scene import Snapshot


def screen_of(snapshot: Snapshot, profile: Profile | None) -> Screen:
    """The screen as the program means it: without its panel, where it can have one."""
    return Screen.of(without_panel(snapshot) if profile and profile.panel else snapshot)


@lru_cache(maxsize=16)
def without_panel(snapshot: Snapshot) -> Snapshot:
    """The snapshot without the panel that the program keeps at the right: a ground of its own from top to bottom.

    Three rows are looked at, since all would cost more than the rest of the reading. The last is blank without a panel.
    """
    screen = Screen.of(snapshot)
    edges = {_last_ground(screen.row(y)) for y in (screen.height // 2, screen.height - 2, screen.height - 1)}
    edge = edges.pop()
    if edges or not 0 < edge < snapshot.width:
        return snapshot
    return replace(snapshot, rows=tuple(_cropped(row, edge) for row in screen.rows), width=edge, history=0)


def _last_ground(row: Row) -> int:
    """The column from which on the row has the ground that it ends with; 0 where it has no other."""
    cells = parse_cells(row.raw, row.capture.pens[row.index])
    last = row.capture.pens[row.index + 1].style.bg  # of the blanks that tmux cut
    return next((x + 1 for x in range(len(cells) - 1, -1, -1) if cells[x].style.bg != last), 0)


def _cropped(row: Row, edge: int) -> str:
    """What was printed for the columns before `edge`, and the styles of the rest, which run on."""
    column, at = 0, 0
    for mark in (*MARK.finditer(row.raw), None):
        text = row.raw[at : mark.start() if mark else len(row.raw)]
        if column + columns(text) >= edge:
            while columns(text) > edge - column:
                text = text[:-1]
            return row.raw[:at] + text + "".join(SGR.findall(row.raw, at))
        column, at = column + columns(text), mark.end() if mark else at
    return row.raw
