"""Agents, their commands and turns: functions on their tables, each one work.

Which command of an agent is open is told by the table of commands alone, and its last event by the log: what an agent
says of them when it is saved counts for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from paneward.core.agent.changes import Change
from paneward.core.agent.events import AgentAdopted, AgentForgotten, TurnAmended, TurnStored
from paneward.core.agent.record import Agent, Command, Turn
from paneward.core.errors import AgentExists, AgentNotFound
from paneward.store.connection import carry_out
from paneward.store.rows.hosts import check_known
from paneward.store.rows.retention import purge
from paneward.store.tables import tables
from paneward.store.writer import Transaction
from paneward.store.written import agent_of, encoded, plain, turn_of, written

if TYPE_CHECKING:
    import sqlalchemy as sa

NUDGE = ("nudge_state", "nudge_summary", "nudge_source", "nudge_seq", "last_signal_at")  # each has a column
SAVED = ("tmux", "pane", "stage", "body", *NUDGE)


def adopt(transaction: Transaction, agent: Agent) -> Agent:
    _check_free(transaction.connection, agent)
    check_known(transaction.connection, agent.host)
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


def save(transaction: Transaction, change: Change) -> Agent:
    agent = change.agent
    for event in change.events:
        transaction.append(event)
    if change.ending:
        _close(transaction, agent.id, change.ending)
    seq = transaction.seq if change.events else agent.seq
    saved = replace(agent, seq=seq, command=_open(transaction.connection, agent.id))
    row = _row(saved)
    row["saved"] = row.pop("id")
    beside = {"heard": change.heard, "account": change.account}
    row |= {name: encoded(value) for name, value in beside.items() if value is not None}
    statement = _statements().save[change.heard is not None, change.account is not None]
    if not carry_out(transaction.connection, statement, row).rowcount:
        raise AgentNotFound(f"no agent is called {agent.id!r}")
    return saved


def take_turn(transaction: Transaction, turn: Turn, opens: bool, judge: Callable[[Turn], Change]) -> tuple[Turn, Agent]:
    connection = transaction.connection
    command = _opened(transaction, turn.agent) if opens else turn.command or _open(connection, turn.agent)
    fresh = replace(turn, command=command, at=turn.at or transaction.at, id=0)
    row = {"agent": fresh.agent, "command": command, "delivery": fresh.delivery, "at": fresh.at, "body": written(fresh)}
    fresh = replace(fresh, id=carry_out(connection, _statements().take, row).fetchone()[0])
    transaction.append(TurnStored(fresh.agent, fresh))
    return fresh, save(transaction, judge(fresh))


def amend_turn(transaction: Transaction, turn: Turn, change: Change) -> Agent:
    """Its words became known later."""
    table, amended = tables().turns, replace(turn, id=0)
    transaction.connection.execute(table.update().where(table.c.id == turn.id).values(body=written(amended)))
    transaction.append(TurnAmended(turn.agent, turn))
    return save(transaction, change)


def turn_of_delivery(connection: sa.Connection, delivery: str) -> Turn | None:
    row = connection.execute(_statements().turn_of, {"wanted": delivery}).first()
    return None if row is None else _turn(row)


def confirm_turn(transaction: Transaction, delivery: str, evidence: str) -> None:
    """What a delivery said went in after all."""
    turn, table = turn_of_delivery(transaction.connection, delivery), tables().turns
    if turn is not None and turn.unconfirmed:
        sure = replace(turn, unconfirmed=False, evidence=evidence, id=0)
        transaction.connection.execute(table.update().where(table.c.id == turn.id).values(body=written(sure)))


def _opened(transaction: Transaction, agent_id: str) -> int:
    _close(transaction, agent_id, "replaced")
    row = {"agent": agent_id, "opened_at": transaction.at, "closed_at": None, "ending": ""}
    return int(carry_out(transaction.connection, _statements().open, row).fetchone()[0])


def _open(connection: sa.Connection, agent_id: str) -> int | None:
    [found] = carry_out(connection, _statements().which_is_open, {"owner": agent_id}).fetchone()
    return None if found is None else int(found)


def _close(transaction: Transaction, agent_id: str, ending: str) -> None:
    row = {"owner": agent_id, "closed_at": transaction.at, "ending": ending}
    carry_out(transaction.connection, _statements().close, row)


@dataclass(frozen=True, slots=True)
class _Statements:
    """What is asked at every turn, made once: to put a statement together takes longer than to carry it out."""

    save: Mapping[tuple[bool, bool], sa.Update]  # with `heard`, with `account`
    take: sa.Executable
    turn_of: sa.Select[Any]
    open: sa.Executable
    which_is_open: sa.Select[Any]
    close: sa.Update


@cache
def _statements() -> _Statements:
    import sqlalchemy as sa

    agents, turns, commands = tables().agents, tables().turns, tables().commands
    mine = (commands.c.agent == sa.bindparam("owner"), commands.c.closed_at.is_(None))

    def saving(*names: str) -> sa.Update:
        values: dict[str, Any] = {name: sa.bindparam(name) for name in names}
        return agents.update().where(agents.c.id == sa.bindparam("saved")).values(values)

    return _Statements(
        save={
            (False, False): saving(*SAVED),
            (True, False): saving(*SAVED, "heard"),
            (False, True): saving(*SAVED, "account"),
            (True, True): saving(*SAVED, "heard", "account"),
        },
        take=turns.insert().returning(turns.c.id),
        turn_of=turns.select().where(turns.c.delivery == sa.bindparam("wanted")),
        open=commands.insert().returning(commands.c.id),
        which_is_open=sa.select(sa.func.max(commands.c.id)).where(*mine),
        close=commands.update().where(*mine).values(closed_at=sa.bindparam("closed_at"), ending=sa.bindparam("ending")),
    )


# --- reading


def read_agents(connection: sa.Connection, only: str | None = None) -> list[Agent]:
    """In order of adoption; or the one of this name."""
    import sqlalchemy as sa

    table, heads, commands = tables().agents, tables().heads, tables().commands
    seq = sa.select(heads.c.seq).where(heads.c.agent_id == table.c.id).scalar_subquery()
    mine = sa.and_(commands.c.agent == table.c.id, commands.c.closed_at.is_(None))
    command = sa.select(sa.func.max(commands.c.id)).where(mine).scalar_subquery()
    columns = [table.c[name] for name in NUDGE]
    wanted = sa.select(table.c.body, seq.label("seq"), command.label("command"), *columns)
    rows = connection.execute(wanted if only is None else wanted.where(table.c.id == only)).mappings()
    agents = [
        replace(agent_of(json.loads(row["body"])), command=row["command"], seq=row["seq"] or 0, **_fields(row, NUDGE))
        for row in rows
    ]
    return sorted(agents, key=lambda agent: (agent.adopted_at, agent.id))


def read_beside(connection: sa.Connection, agent_id: str, column: str) -> dict[str, Any] | None:
    """What is kept beside the record of an agent: which of its signals were `heard`, the `account` of its use."""
    table = tables().agents
    kept = connection.execute(table.select().where(table.c.id == agent_id)).mappings().first()
    value: dict[str, Any] | None = None if kept is None or kept[column] is None else json.loads(kept[column])
    return value


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
        **{name: plain(getattr(agent, name)) for name in NUDGE},
    }  # fmt: skip


def _fields(row: Any, names: Sequence[str]) -> dict[str, Any]:
    return {name: row[name] for name in names}
