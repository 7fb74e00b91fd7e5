"""The event log: functions on its table. Rows are written once, and leave only from the old end.

The events of an agent are a chain: each names the one before. An index by agent would be written to at as many places
as there are agents, with each commit; the heads of all chains lie side by side.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import chain as joined
from typing import TYPE_CHECKING, Any

from paneward.core.agent.events import Stored
from paneward.store.connection import quick
from paneward.store.tables import storable, tables
from paneward.store.written import encoded, encoded_each

if TYPE_CHECKING:
    import sqlalchemy as sa

_ENDS = "SELECT (SELECT min(seq) FROM events), (SELECT max(seq) FROM events)"  # each alone is one look at an end
_HEADS = {
    "sqlite": "SELECT agent_id, seq FROM heads WHERE agent_id IN (SELECT value FROM json_each(?))",
    "postgresql": "SELECT agent_id, seq FROM heads WHERE agent_id IN (SELECT json_array_elements_text(%s))",
}
_INSERT = "INSERT INTO events (seq, at, kind, agent_id, data, prev) VALUES {}"
_MOVE = "INSERT INTO heads (agent_id, seq) VALUES {} ON CONFLICT (agent_id) DO UPDATE SET seq = excluded.seq"
AT_ONCE = 256  # rows of one statement, at most


def last_seq(connection: sa.Connection) -> int:
    return _both(connection)[1]


def first_seq(connection: sa.Connection) -> int:
    """The oldest that is kept; 1 for an empty log."""
    return _both(connection)[0]


def _both(connection: sa.Connection) -> tuple[int, int]:
    first, last = quick(connection, _ENDS).fetchone()
    return first or 1, last or 0


def insert_events(connection: sa.Connection, events: Sequence[Stored]) -> None:
    """All of one transaction, in few statements: for each the writer has to get back Python's lock, which a busy loop
    keeps for milliseconds."""
    if not events:
        return
    names = {storable(one.agent_id) for one in events if one.agent_id is not None}
    found = quick(connection, _HEADS[connection.dialect.name], (encoded([*names]),))
    heads = dict(found.fetchall())
    _insert(connection, _INSERT, [*_chained(events, heads)])
    _insert(connection, _MOVE, [*heads.items()])


def _chained(events: Sequence[Stored], heads: dict[str, int]) -> Iterator[tuple[Any, ...]]:
    for one, data in zip(events, encoded_each([one.data for one in events]), strict=True):
        name = None if one.agent_id is None else storable(one.agent_id)
        yield one.seq, one.at, one.kind, name, data, None if name is None else heads.get(name)
        if name is not None:
            heads[name] = one.seq


def _insert(connection: sa.Connection, words: str, rows: list[tuple[Any, ...]]) -> None:
    """In statements of 256, 128, 64, ... rows, so that there are few of them, and few to be known."""
    begin, count = 0, AT_ONCE
    while begin < len(rows):
        while count > len(rows) - begin:
            count //= 2
        values = tuple(joined.from_iterable(rows[begin : begin + count]))
        quick(connection, _statement(connection.dialect.name, words, len(rows[0]), count), values)
        begin += count


@cache
def _statement(dialect: str, words: str, width: int, count: int) -> str:
    row = ", ".join(["%s" if dialect == "postgresql" else "?"] * width)
    return words.format(", ".join([f"({row})"] * count))


def read_events(
    connection: sa.Connection,
    after: int = 0,
    limit: int | None = 1000,
    kinds: Collection[str] = (),
    agent_id: str | None = None,
    before: int | None = None,
) -> list[Stored]:
    """In order of `seq`: the first ones after `after`, or with `before` the last ones before that."""
    rows = tables().events if agent_id is None else chain(agent_id, after)
    seq = rows.c.seq
    query = rows.select().where(seq > after).limit(limit)
    if kinds:
        query = query.where(rows.c.kind.in_(sorted(kinds)))
    if before is None:
        query = query.order_by(seq)
    else:
        query = query.where(seq < before)
        query = query.order_by(seq.desc()) if agent_id is None else query  # a chain is walked from its newest on
    return sorted((_stored(row) for row in connection.execute(query)), key=lambda one: one.seq)


def chain(agent_id: str, after: int = 0) -> sa.CTE:
    """The events of an agent, newest first."""
    import sqlalchemy as sa

    events, heads = tables().events, tables().heads
    head = sa.select(events).join(heads, heads.c.seq == events.c.seq).where(heads.c.agent_id == agent_id)
    newer = head.cte("chain", recursive=True)
    older = sa.select(events).join(newer, newer.c.prev == events.c.seq).where(events.c.seq > after)
    return newer.union_all(older)


def _stored(row: Any) -> Stored:
    return Stored(row.seq, row.at, row.kind, row.agent_id, json.loads(row.data))
