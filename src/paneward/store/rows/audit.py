"""What was done by whom, and the replies of requests that may come again: functions on their tables."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING

from paneward.core.audit import AuditEntry
from paneward.store.connection import carry_out
from paneward.store.tables import tables
from paneward.store.writer import Transaction
from paneward.store.written import encoded, kept, plain

if TYPE_CHECKING:
    import sqlalchemy as sa

KEEP_REPLIES = 86400.0  # seconds in which a repeated request gets the reply of the first one


@dataclass(frozen=True, slots=True)
class Reply:
    """What a request with an idempotency key was answered with."""

    request_hash: str
    status: int
    body: str
    at: float


def audit(transaction: Transaction, entry: AuditEntry) -> None:
    row = {
        "at": entry.at or transaction.at, "identity": entry.identity, "action": entry.action,
        "agent_id": entry.agent_id, "result": entry.result, "detail": kept(entry.detail),
    }  # fmt: skip
    carry_out(transaction.connection, _insert_audit(), row)


@cache
def _insert_audit() -> sa.Insert:
    return tables().audit.insert()


def audits(connection: sa.Connection, limit: int, before: int | None, agent_id: str | None) -> list[AuditEntry]:
    """Newest first."""
    table = tables().audit
    query = table.select().order_by(table.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(table.c.id < before)
    if agent_id is not None:
        query = query.where(table.c.agent_id == agent_id)
    names = [field.name for field in fields(AuditEntry)]
    return [AuditEntry(**{name: row[name] for name in names}) for row in connection.execute(query).mappings()]


def reply(connection: sa.Connection, identity: str, key: str, cutoff: float) -> Reply | None:
    table = tables().replies
    wanted = (table.c.identity == identity, table.c.key == key, table.c.at > cutoff)
    row = connection.execute(table.select().where(*wanted)).first()
    return None if row is None else Reply(row.request_hash, row.status, row.body, row.at)


def keep_reply(
    transaction: Transaction, identity: str, key: str, request_hash: str, status: int, body: str, cutoff: float
) -> None:
    """The first one holds, until `cutoff`."""
    table, connection = tables().replies, transaction.connection
    connection.execute(table.delete().where(table.c.at <= cutoff))
    row = {"identity": identity, "key": key, "request_hash": request_hash, "status": status, "at": transaction.at}
    connection.execute(_keep(connection.dialect.name), {**row, "body": _redacted(body)})


@cache
def _keep(dialect: str) -> sa.Executable:
    from sqlalchemy.dialects import postgresql, sqlite

    table = tables().replies
    if dialect == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def _redacted(body: str) -> str:
    try:
        data = json.loads(body)
    except ValueError:
        return kept(body)
    return encoded(plain(data))
