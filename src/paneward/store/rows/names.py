"""Whether an agent has a name, read from a store's file by the driver alone: a function."""

import sqlite3
from contextlib import closing
from pathlib import Path

PATIENCE = 1.0  # seconds for a file that somebody else holds


def is_agent(path: Path, name: str) -> bool | None:
    """None where the file cannot be read."""
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=PATIENCE, uri=True)) as file:
            return file.execute("SELECT 1 FROM agents WHERE id = ?", (name,)).fetchone() is not None
    except sqlite3.Error:
        return None
