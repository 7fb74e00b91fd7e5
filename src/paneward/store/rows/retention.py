"""Retention, forgetting for good, and export: functions on all tables."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paneward.store.rows.deliveries import stamp_of
from paneward.store.rows.log import chain
from paneward.store.tables import tables
from paneward.store.writer import Transaction
from paneward.store.written import encoded

if TYPE_CHECKING:
    import sqlalchemy as sa

AT_ONCE = 2000  # rows in one transaction: others wait for it
EXPORTED = ("hosts", "agents", "commands", "turns", "deliveries", "events", "audit")
DAY = 86400.0


def purge(transaction: Transaction, agent_id: str) -> None:
    """Remove what was stored of an agent. Its events keep their place in the log, without what they said."""
    import sqlalchemy as sa

    of, connection = tables(), transaction.connection
    connection.execute(of.turns.delete().where(of.turns.c.agent == agent_id))
    connection.execute(of.commands.delete().where(of.commands.c.agent == agent_id))
    connection.execute(of.deliveries.delete().where(of.deliveries.c.agent_id == agent_id))
    gone = {"agent_id": agent_id, "purged": True}
    said = of.events.c.seq.in_(sa.select(chain(agent_id).c.seq))
    connection.execute(of.events.update().where(said).values(data=encoded(gone)))
    unwritten = transaction.events
    unwritten[:] = [replace(one, data=gone) if one.agent_id == agent_id else one for one in unwritten]


def trim(connection: sa.Connection, cutoff: float) -> int:
    """Remove some of what is older; 0 when nothing is left to remove."""
    import sqlalchemy as sa

    of = tables()
    old = stamp_of(cutoff)
    closed = of.commands.c.closed_at < cutoff
    working = sa.select(of.commands.c.id).where(of.commands.c.closed_at.is_(None))
    turns = sa.and_(of.turns.c.at < cutoff, sa.or_(of.turns.c.command.is_(None), of.turns.c.command.not_in(working)))
    return (
        _trim_log(connection, cutoff)
        + _some(connection, of.deliveries.c.id, of.deliveries.c.updated_at < old)
        + _some(connection, of.turns.c.id, turns)
        + _some(connection, of.commands.c.id, closed)
        + _some(connection, of.audit.c.id, of.audit.c.at < cutoff)
    )


def _trim_log(connection: sa.Connection, cutoff: float) -> int:
    """From the old end on: a clock that was moved leaves no hole. The last event stays, so that `seq` goes on."""
    import sqlalchemy as sa

    table = tables().events
    first_kept = sa.select(sa.func.min(table.c.seq)).where(table.c.at >= cutoff).scalar_subquery()
    last = sa.select(sa.func.max(table.c.seq)).scalar_subquery()
    return _some(connection, table.c.seq, table.c.seq < sa.func.coalesce(first_kept, last))


def _some(connection: sa.Connection, key: sa.Column[int], condition: sa.ColumnElement[bool]) -> int:
    import sqlalchemy as sa

    chosen = sa.select(key).where(condition).order_by(key).limit(AT_ONCE)
    return int(connection.execute(key.table.delete().where(key.in_(chosen.scalar_subquery()))).rowcount)


def page(connection: sa.Connection, name: str, after: Any, limit: int) -> list[dict[str, Any]]:
    """The rows of a table after a key, as what JSON knows."""
    table = tables().all.tables[name]
    [key] = table.primary_key.columns
    query = table.select().order_by(key).limit(limit)
    if after is not None:
        query = query.where(key > after)
    return [_opened(dict(row)) for row in connection.execute(query).mappings()]


def key_of(name: str, row: dict[str, Any]) -> Any:
    [key] = tables().all.tables[name].primary_key.columns
    return row[key.name]


def _opened(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: json.loads(value) if name in ("body", "data", "receipt") and value else value
        for name, value in row.items()
    }
