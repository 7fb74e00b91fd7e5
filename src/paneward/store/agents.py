"""Agents, their commands and turns: functions on their tables, each one work.

Which command of an agent is open is told by the table of commands alone, and its last event by the log: what an agent
says of them when it is saved counts for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paneward.core.agent import Agent, Command, Turn
from paneward.core.errors import AgentExists, AgentNotFound
from paneward.core.events import AgentAdopted, AgentForgotten, Event, TurnStored
from paneward.store.care import purge
from paneward.store.tables import tables
from paneward.store.writer import Transaction
from paneward.store.written import agent_of, turn_of, written

if TYPE_CHECKING:
    import sqlalchemy as sa


def adopt(transaction: Transaction, agent: Agent) -> Agent:
    _check_free(transaction.connection, agent)
    fresh = replace(
        agent,
        command=None,
        since=agent.since or transaction.at,
        adopted_at=agent.adopted_at or transaction.at,
        seq=transaction.seq + 1,
    )
    transaction.append(AgentAdopted(fresh.id, fresh))
    transaction.connection.execute(tables().agents.insert(), _row(fresh))
    return fresh


def _check_free(connection: sa.Connection, agent: Agent) -> None:
    for other in read_agents(connection):
        if other.id == agent.id:
            raise AgentExists(f"an agent is called {agent.id!r} already")
        if agent.pane is not None and (other.tmux, other.pane) == (agent.tmux, agent.pane) and not other.gone:
            raise AgentExists(f"{agent.pane} is the pane of the agent {other.id!r}")


def forget(transaction: Transaction, agent_id: str, purged: bool) -> None:
    connection = transaction.connection
    _close(transaction, agent_id, "lost")
    table = tables().agents
    if not connection.execute(table.delete().where(table.c.id == agent_id)).rowcount:
        raise AgentNotFound(f"no agent is called {agent_id!r}")
    if purged:
        purge(transaction, agent_id)
    transaction.append(AgentForgotten(agent_id, purged))


def save(transaction: Transaction, agent: Agent, events: Sequence[Event]) -> Agent:
    for event in events:
        transaction.append(event)
    seq = transaction.seq if events else agent.seq
    saved = replace(agent, seq=seq, command=_open(transaction.connection, agent.id))
    table, row = tables().agents, _row(saved)
    if not transaction.connection.execute(table.update().where(table.c.id == agent.id).values(row)).rowcount:
        raise AgentNotFound(f"no agent is called {agent.id!r}")
    return saved


def take_turn(transaction: Transaction, turn: Turn, opens: bool) -> Turn:
    connection, table = transaction.connection, tables().turns
    known = _turn_of_delivery(connection, turn.delivery)
    if known is not None:
        return known
    if connection.execute(tables().agents.select().where(tables().agents.c.id == turn.agent)).first() is None:
        raise AgentNotFound(f"no agent is called {turn.agent!r}")
    command = _opened(transaction, turn.agent) if opens else _open(connection, turn.agent)
    fresh = replace(turn, command=command, at=turn.at or transaction.at, id=0)
    row = {"agent": fresh.agent, "command": command, "delivery": fresh.delivery, "at": fresh.at, "body": written(fresh)}
    id = connection.execute(table.insert().returning(table.c.id), row).scalar_one()
    fresh = replace(fresh, id=id)
    transaction.append(TurnStored(fresh.agent, fresh))
    return fresh


def _turn_of_delivery(connection: sa.Connection, delivery: str | None) -> Turn | None:
    if delivery is None:
        return None
    table = tables().turns
    row = connection.execute(table.select().where(table.c.delivery == delivery)).first()
    return None if row is None else _turn(row)


def confirm_turn(transaction: Transaction, delivery: str, evidence: str) -> None:
    """What a delivery said went in after all."""
    turn, table = _turn_of_delivery(transaction.connection, delivery), tables().turns
    if turn is not None and turn.unconfirmed:
        sure = replace(turn, unconfirmed=False, evidence=evidence, id=0)
        transaction.connection.execute(table.update().where(table.c.id == turn.id).values(body=written(sure)))


def _opened(transaction: Transaction, agent_id: str) -> int:
    _close(transaction, agent_id, "replaced")
    table = tables().commands
    row = {"agent": agent_id, "opened_at": transaction.at, "closed_at": None, "ending": ""}
    return int(transaction.connection.execute(table.insert().returning(table.c.id), row).scalar_one())


def _open(connection: sa.Connection, agent_id: str) -> int | None:
    import sqlalchemy as sa

    table = tables().commands
    return connection.execute(
        sa.select(sa.func.max(table.c.id)).where(table.c.agent == agent_id, table.c.closed_at.is_(None))
    ).scalar()


def close_command(transaction: Transaction, agent_id: str, ending: str) -> None:
    _close(transaction, agent_id, ending)


def _close(transaction: Transaction, agent_id: str, ending: str) -> None:
    table = tables().commands
    still_open = table.update().where(table.c.agent == agent_id, table.c.closed_at.is_(None))
    transaction.connection.execute(still_open.values(closed_at=transaction.at, ending=ending))


# --- reading


def read_agents(connection: sa.Connection) -> list[Agent]:
    """In order of adoption."""
    import sqlalchemy as sa

    table, heads, commands = tables().agents, tables().heads, tables().commands
    seq = sa.select(heads.c.seq).where(heads.c.agent_id == table.c.id).scalar_subquery()
    mine = sa.and_(commands.c.agent == table.c.id, commands.c.closed_at.is_(None))
    command = sa.select(sa.func.max(commands.c.id)).where(mine).scalar_subquery()
    rows = connection.execute(sa.select(table.c.body, seq, command))
    agents = [replace(agent_of(json.loads(body)), command=open_one, seq=last or 0) for body, last, open_one in rows]
    return sorted(agents, key=lambda agent: (agent.adopted_at, agent.id))


def read_turns(connection: sa.Connection, agent_id: str, limit: int, before: int | None) -> list[Turn]:
    table = tables().turns
    query = table.select().where(table.c.agent == agent_id).order_by(table.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(table.c.id < before)
    return [_turn(row) for row in connection.execute(query)]


def read_commands(connection: sa.Connection, agent_id: str, limit: int) -> list[Command]:
    table = tables().commands
    query = table.select().where(table.c.agent == agent_id).order_by(table.c.id.desc()).limit(limit)
    return [Command(row.agent, row.id, row.opened_at, row.closed_at, row.ending) for row in connection.execute(query)]


def _turn(row: Any) -> Turn:
    return replace(turn_of(json.loads(row.body)), id=row.id)


def _row(agent: Agent) -> dict[str, Any]:
    return {
        "id": agent.id, "tmux": agent.tmux, "pane": agent.pane, "stage": agent.stage.value, "body": written(agent),
    }  # fmt: skip
