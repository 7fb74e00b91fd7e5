"""The event log and the tables; one writer, grouped commits; SQLite or PostgreSQL.

store.py        the store, as others use it
writer.py       one writer thread; transactions of all works that wait
reader.py       reads beside it
rows/           log.py the event log; agents.py agents, commands, turns; hosts.py hosts that agents may live on;
                deliveries.py intents and receipts; audit.py audit and replies; marks.py how far what lies outside was
                taken; retention.py retention, purge, export; timeline.py how old rows are; newest.py and names.py one
                answer each without the rest of the store
place.py        where it lies: memory, file.py, postgres.py
connection.py   what connections have in common
upgrade.py      migrations
tables.py       the tables
written.py      records as JSON

The public names, each loaded when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paneward.core.terminal.flow import Phase
    from paneward.store.connection import BUSY_MS
    from paneward.store.rows.audit import KEEP_REPLIES, Reply
    from paneward.store.rows.deliveries import KEEP_DAYS, KEEP_OPEN_DAYS, KEEP_ROWS, Delivery, text_hash
    from paneward.store.rows.newest import newest_delivery
    from paneward.store.store import BEHIND, Store
    from paneward.store.tables import SCHEMA
    from paneward.store.written import KEEP_TEXT

_HOMES = {
    "paneward.core.terminal.flow": ("Phase",),
    "paneward.store.connection": ("BUSY_MS",),
    "paneward.store.rows.deliveries": ("KEEP_DAYS", "KEEP_OPEN_DAYS", "KEEP_ROWS", "Delivery", "text_hash"),
    "paneward.store.rows.newest": ("newest_delivery",),
    "paneward.store.rows.audit": ("KEEP_REPLIES", "Reply"),
    "paneward.store.store": ("BEHIND", "Store"),
    "paneward.store.tables": ("SCHEMA",),
    "paneward.store.written": ("KEEP_TEXT",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = [
    "BEHIND",
    "BUSY_MS",
    "KEEP_DAYS",
    "KEEP_OPEN_DAYS",
    "KEEP_REPLIES",
    "KEEP_ROWS",
    "KEEP_TEXT",
    "SCHEMA",
    "Delivery",
    "Phase",
    "Reply",
    "Store",
    "newest_delivery",
    "text_hash",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'paneward.store' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value
