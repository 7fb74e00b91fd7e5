"""Intents and receipts of deliveries: functions on their table.

Text is redacted before it is written; of a secret only the length is kept, not even a hash, since a short password can
be found by its hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from paneward.core.errors import StoreError
from paneward.core.result import SendResult
from paneward.core.terminal.flow import Phase
from paneward.core.timeline import Timeline
from paneward.store.connection import carry_out
from paneward.store.tables import tables
from paneward.store.written import kept, receipt_of, written

if TYPE_CHECKING:
    import sqlalchemy as sa

KEEP_ROWS = 10_000  # of deliveries to no agent; those to an agent are kept as long as the rest of it
DAY = 86400.0
KEEP_DAYS = 30
KEEP_OPEN_DAYS = 1  # how long an unfinished delivery may still be asked for after a crash


@dataclass(frozen=True, slots=True)
class Delivery:
    id: str
    message_id: str | None
    tmux: str  # which tmux server
    pane: str
    pane_pid: int
    text: str | None  # redacted; None when it is secret
    text_hash: str  # of the real text; empty when it is secret
    length: int
    phase: Phase
    receipt: SendResult | None
    created_at: str  # ISO, UTC
    updated_at: str
    agent_id: str | None = None  # to which it went, if to one
    intent: str = ""  # COMMAND or ANSWER, of a delivery that makes a turn


def text_hash(text: str) -> str:
    """The name under which a text is compared with an earlier one of the same `message_id`."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def begin(
    connection: sa.Connection, place: Mapping[str, Any], text: str, secret: bool, receipt: SendResult | None = None
) -> tuple[Delivery, bool]:
    now = stamp(datetime.now(UTC))
    row = {
        **place,
        "text": None if secret else kept(text),
        "text_hash": "" if secret else text_hash(text),
        "length": len(text),
        "phase": Phase.INTENDED if receipt is None else Phase.DONE,
        "receipt": None if receipt is None else written(receipt),
        "verdict": None if receipt is None else receipt.verdict,
        "created_at": now,
        "updated_at": now,
    }
    inserted = carry_out(connection, _insert(connection.dialect.name), row).fetchone()
    if inserted is not None:
        return read_row({**row, "id": inserted[0]}), True
    known = find(connection, place["message_id"])
    if known is None:
        raise StoreError(f"the delivery {place['message_id']!r} was removed while it was looked up", hint="Try again.")
    return known, False


@cache
def _insert(dialect: str) -> sa.Executable:
    from sqlalchemy.dialects import postgresql, sqlite

    table = tables().deliveries
    insert = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    named = table.c.message_id.is_not(None)
    return insert.on_conflict_do_nothing(index_elements=["message_id"], index_where=named).returning(table.c.id)


def mark(connection: sa.Connection, id: str, phase: Phase) -> None:
    _change(connection, id, {"phase": phase})


def finish(connection: sa.Connection, id: str, receipt: SendResult) -> None:
    _change(connection, id, {"phase": Phase.DONE, "receipt": written(receipt), "verdict": receipt.verdict})


@cache
def _update(names: tuple[str, ...]) -> sa.Update:
    import sqlalchemy as sa

    table = tables().deliveries
    return table.update().where(table.c.id == sa.bindparam("row")).values({name: sa.bindparam(name) for name in names})


def _change(connection: sa.Connection, id: str, values: Mapping[str, Any]) -> None:
    row = {**values, "updated_at": stamp(datetime.now(UTC))}
    if not carry_out(connection, _update(tuple(row)), {**row, "row": _number(id)}).rowcount:
        raise StoreError(f"there is no delivery {id!r}", hint="It was removed by the retention limits.")


def find(connection: sa.Connection, message_id: str) -> Delivery | None:
    return _first(connection, tables().deliveries.c.message_id == message_id)


def by_id(connection: sa.Connection, id: str) -> Delivery | None:
    return _first(connection, tables().deliveries.c.id == _number(id))


def _first(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> Delivery | None:
    row = connection.execute(tables().deliveries.select().where(condition)).mappings().first()
    return None if row is None else read_row(row)


def recent(connection: sa.Connection, limit: int, pane: str | None, agent_id: str | None) -> list[Delivery]:
    """Newest first."""
    table = tables().deliveries
    query = table.select().order_by(table.c.id.desc()).limit(limit)
    if pane is not None:
        query = query.where(table.c.pane == pane)
    if agent_id is not None:
        query = query.where(table.c.agent_id == agent_id)
    return [read_row(row) for row in connection.execute(query).mappings()]


def newest(connection: sa.Connection, tmux: str, pane: str) -> Delivery | None:
    """The last one to a pane."""
    table = tables().deliveries
    query = table.select().where(table.c.pane == pane, table.c.tmux == tmux).order_by(table.c.id.desc()).limit(1)
    row = connection.execute(query).mappings().first()
    return None if row is None else read_row(row)


def unfinished(connection: sa.Connection) -> list[Delivery]:
    """Deliveries to agents that were begun and have no receipt, oldest first."""
    import sqlalchemy as sa

    table, agents = tables().deliveries, sa.select(tables().agents.c.id)
    query = table.select().where(table.c.agent_id.in_(agents), table.c.phase != Phase.DONE).order_by(table.c.id)
    return [read_row(row) for row in connection.execute(query).mappings()]


def sweep(connection: sa.Connection, timeline: Timeline) -> None:
    """Bounded growth without a server. Usually one look at the oldest row tells that there is nothing to do."""
    import sqlalchemy as sa

    rows = tables().deliveries.c
    oldest, open_since = (stamp_of(timeline.cutoff(days * DAY)) for days in (KEEP_DAYS, KEEP_OPEN_DAYS))
    newest = sa.select(sa.func.max(rows.id)).scalar_subquery()
    mine = rows.agent_id.is_(None)
    first = connection.execute(
        sa.select(rows.created_at, newest - rows.id).where(mine).order_by(rows.id).limit(1)
    ).first()
    if first is None or (first[0] >= oldest and first[1] < KEEP_ROWS):
        return
    too_many = sa.or_(rows.created_at < oldest, rows.id <= newest - KEEP_ROWS)
    settled = sa.or_(rows.phase == Phase.DONE, rows.created_at < open_since)
    connection.execute(tables().deliveries.delete().where(mine, too_many, settled))


def stamp_of(seconds: float) -> str:
    """The stamp of a moment in seconds since the epoch; those before it are all alike."""
    return stamp(datetime.fromtimestamp(max(seconds, 0.0), UTC))


def stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def _number(id: str) -> int:
    return int(id) if id.isdecimal() else 0


def read_row(row: Mapping[Any, Any]) -> Delivery:
    """A row of the table, by the names of its columns."""
    values = {field.name: row[field.name] for field in fields(Delivery)}
    receipt = values["receipt"]
    return Delivery(
        **{
            **values,
            "id": str(values["id"]),
            "phase": Phase(values["phase"]),
            "receipt": receipt_of(receipt) if receipt else None,
        }
    )
