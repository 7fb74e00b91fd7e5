"""The hosts that agents may live on: functions on their table, each one work."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from paneward.core.agent.events import HostAdded, HostRemoved
from paneward.core.errors import Code, Denied, InvalidInput
from paneward.core.hosts.host import MOST, HostRecord, named_host
from paneward.store.tables import tables
from paneward.store.writer import Transaction
from paneward.store.written import encoded, host_of, raw

if TYPE_CHECKING:
    import sqlalchemy as sa


def add(transaction: Transaction, record: HostRecord) -> HostRecord:
    known = read_hosts(transaction.connection)
    if any(one.name == record.name for one in known):
        raise InvalidInput(
            f"a host is called {record.name!r} already",
            code=Code.HOST_EXISTS,
            hint="`paneward hosts list` shows it; remove it first to change it.",
        )
    if len(known) >= MOST:
        raise Denied(f"{MOST} hosts are the most", code=Code.TOO_MANY_STREAMS, hint="Remove one first.")
    fresh = replace(record, added_at=record.added_at or transaction.at)
    transaction.append(HostAdded(fresh.name, fresh.destination))
    transaction.connection.execute(tables().hosts.insert(), {"name": fresh.name, "body": encoded(raw(fresh))})
    return fresh


def remove(transaction: Transaction, name: str, inhabitants: list[str]) -> None:
    """`inhabitants` are the agents that live there: none may be left."""
    if inhabitants:
        raise InvalidInput(
            f"{', '.join(inhabitants[:5])} on {name!r} {'is' if len(inhabitants) == 1 else 'are'} watched",
            code=Code.HOST_IN_USE,
            hint="`paneward forget AGENT` first; the agents themselves run on.",
        )
    table = tables().hosts
    if not transaction.connection.execute(table.delete().where(table.c.name == name)).rowcount:
        raise named_host(name, [one.name for one in read_hosts(transaction.connection)])
    transaction.append(HostRemoved(name))


def check_known(connection: sa.Connection, name: str) -> None:
    if name and name not in (known := [one.name for one in read_hosts(connection)]):
        raise named_host(name, known)


def read_hosts(connection: sa.Connection) -> list[HostRecord]:
    """In order of their names."""
    table = tables().hosts
    rows = connection.execute(table.select().order_by(table.c.name))
    return [host_of(json.loads(row.body)) for row in rows]
