"""The event log and the tables; one writer, grouped commits; SQLite or PostgreSQL.

store.py        the store, as others use it
writer.py       one writer thread; transactions of all works that wait
reader.py       reads beside it
log.py          the event log
agents.py       agents, commands, turns
hosts.py        hosts that agents may live on
deliveries.py   intents and receipts; newest.py the newest to a pane, without the rest of the store
records.py      audit, replies
care.py         retention, purge, export
place.py        where it lies: memory, file.py, postgres.py
connection.py   what connections have in common
upgrade.py      migrations
tables.py       the tables
written.py      records as JSON
names.py        whether an agent has a name, without the rest of the store

The public names, each loaded when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paneward.core.terminal.flow import Phase
    from paneward.store.connection import BUSY_MS
    from paneward.store.deliveries import KEEP_DAYS, KEEP_OPEN_DAYS, KEEP_ROWS, Delivery, text_hash
    from paneward.store.newest import newest_delivery
    from paneward.store.records import KEEP_REPLIES, Reply
    from paneward.store.store import BEHIND, Store
    from paneward.store.tables import SCHEMA
    from paneward.store.written import KEEP_TEXT

_HOMES = {
    "paneward.core.terminal.flow": ("Phase",),
    "paneward.store.connection": ("BUSY_MS",),
    "paneward.store.deliveries": ("KEEP_DAYS", "KEEP_OPEN_DAYS", "KEEP_ROWS", "Delivery", "text_hash"),
    "paneward.store.newest": ("newest_delivery",),
    "paneward.store.records": ("KEEP_REPLIES", "Reply"),
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
