"""The newest delivery to a pane, read from a store's file by the driver alone: a function.

Every `wait` asks for it, and loading all that a `Store` needs would take longer than the rest of it.
"""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from paneward.store.rows.deliveries import Delivery, read_row

PATIENCE = 1.0  # seconds for a file that somebody else holds


def newest_delivery(path: Path, tmux: str, pane: str) -> Delivery | None:
    """None also where there is no such file, or it cannot be read: then the pane alone tells."""
    if not path.exists():
        return None
    with suppress(sqlite3.Error, KeyError, ValueError):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=PATIENCE, uri=True)) as file:
            file.row_factory = sqlite3.Row
            row = file.execute(
                "SELECT * FROM deliveries WHERE pane = ? AND tmux = ? ORDER BY id DESC LIMIT 1", (pane, tmux)
            ).fetchone()
        return None if row is None else read_row(dict(row))
    return None
