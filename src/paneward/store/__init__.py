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
"""

from paneward.core.flow import Phase
from paneward.store.connection import BUSY_MS
from paneward.store.deliveries import KEEP_DAYS, KEEP_OPEN_DAYS, KEEP_ROWS, Delivery, text_hash
from paneward.store.newest import newest_delivery
from paneward.store.records import KEEP_REPLIES, Reply
from paneward.store.store import BEHIND, Store
from paneward.store.tables import SCHEMA
from paneward.store.written import KEEP_TEXT

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
