"""The event log: functions on its table. Rows are written once, and leave only from the old end."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from paneward.core.events import Stored
from paneward.store.connection import quick
from paneward.store.tables import storable, tables
from paneward.store.written import encoded

if TYPE_CHECKING:
    import sqlalchemy as sa


_ENDS = "SELECT (SELECT min(seq) FROM events), (SELECT max(seq) FROM events)"  # each alone is one look at an end
_INSERT = {
    "sqlite": """INSERT INTO events (seq, at, kind, agent_id, data) SELECT ? + key, ?, json_extract(value, '$[0]'),
        json_extract(value, '$[1]'), json_extract(value, '$[2]') FROM json_each(?)""",
    "postgresql": """INSERT INTO events (seq, at, kind, agent_id, data) SELECT %s + number - 1, %s, value->>0,
        value->>1, (value->2)::text FROM json_array_elements(%s) WITH ORDINALITY AS of (value, number)""",
}


def last_seq(connection: sa.Connection) -> int:
    return _both(connection)[1]


def first_seq(connection: sa.Connection) -> int:
    """The oldest that is kept; 1 for an empty log."""
    return _both(connection)[0]


def _both(connection: sa.Connection) -> tuple[int, int]:
    first, last = quick(connection, _ENDS).fetchone()
    return first or 1, last or 0


def insert_events(connection: sa.Connection, events: Sequence[Stored]) -> None:
    """All of one transaction, in one statement: for each statement the writer has to get back Python's lock, which a
    busy loop keeps for milliseconds."""
    if events:
        first = events[0]
        rows = encoded([(one.kind, one.agent_id and storable(one.agent_id), one.data) for one in events])
        quick(connection, _INSERT[connection.dialect.name], (first.seq, first.at, rows))


def read_events(
    connection: sa.Connection,
    after: int = 0,
    limit: int | None = 1000,
    kinds: Collection[str] = (),
    agent_id: str | None = None,
    before: int | None = None,
) -> list[Stored]:
    """In order of `seq`: the first ones after `after`, or with `before` the last ones before that."""
    table = tables().events
    seq = table.c.seq
    query = table.select().where(seq > after).order_by(seq if before is None else seq.desc()).limit(limit)
    if kinds:
        query = query.where(table.c.kind.in_(sorted(kinds)))
    if agent_id is not None:
        query = query.where(table.c.agent_id == agent_id)
    if before is not None:
        query = query.where(seq < before)
    found = [_stored(row) for row in connection.execute(query)]
    return found if before is None else found[::-1]


def _stored(row: Any) -> Stored:
    return Stored(row.seq, row.at, row.kind, row.agent_id, json.loads(row.data))
