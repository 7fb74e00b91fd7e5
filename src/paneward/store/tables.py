"""The tables: data. Built when the first store is opened: importing SQLAlchemy takes a fifth of a second.

What is looked for has a column; the rest of a record lies beside it as JSON, so that a new field needs no migration.
Migrations make these tables in files and in PostgreSQL; a test holds the two against each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlalchemy as sa

SCHEMA = 6  # of the stores this version writes: the number of its newest migration


@dataclass(frozen=True, slots=True)
class Tables:
    all: sa.MetaData
    deliveries: sa.Table
    events: sa.Table  # `prev` is the one before of the same agent
    heads: sa.Table  # the last event of each agent
    agents: sa.Table
    commands: sa.Table
    turns: sa.Table
    audit: sa.Table
    replies: sa.Table
    lease: sa.Table
    marks: sa.Table  # how far what lies outside was taken
    hosts: sa.Table


@cache
def tables() -> Tables:
    import sqlalchemy as sa

    kept = sa.MetaData()
    return Tables(
        all=kept,
        deliveries=_deliveries(kept),
        events=sa.Table(
            "events", kept, _number("seq", primary_key=True, autoincrement=False), _moment("at"), _text("kind"),
            _text("agent_id", nullable=True), _text("data"), _number("prev", nullable=True),
        ),
        heads=sa.Table("heads", kept, _text("agent_id", primary_key=True), _number("seq")),
        agents=sa.Table(
            "agents", kept, _text("id", primary_key=True), _text("tmux"), _text("pane", nullable=True),
            _text("stage"), _text("body"), _text("nudge_state", server_default=""),
            _text("nudge_summary", server_default=""), _text("nudge_source", server_default=""),
            _number("nudge_seq", server_default="0"), _moment("last_signal_at", nullable=True),
            _text("heard", nullable=True), _text("account", nullable=True),
        ),
        commands=sa.Table(
            "commands", kept, _number("id", primary_key=True), _text("agent"), _moment("opened_at"),
            _moment("closed_at", nullable=True), _text("ending"), sa.Index("commands_of_agents", "agent", "id"),
        ),
        turns=sa.Table(
            "turns", kept, _number("id", primary_key=True), _text("agent"), _number("command", nullable=True),
            _text("delivery", nullable=True), _moment("at"), _text("body"), sa.Index("turns_of_agents", "agent", "id"),
            sa.Index("turns_of_deliveries", "delivery", unique=True),
        ),
        audit=sa.Table(
            "audit", kept, _number("id", primary_key=True), _moment("at"), _text("identity"), _text("action"),
            _text("agent_id", nullable=True), _text("result"), _text("detail"),
        ),
        replies=sa.Table(
            "replies", kept, _text("identity", primary_key=True),
            _text("key", primary_key=True), _text("request_hash"),
            _number("status"), _moment("at"), _text("body"), sa.Index("replies_by_age", "at"),
        ),
        lease=sa.Table(
            "lease", kept, _number("id", primary_key=True, autoincrement=False), _text("holder"), _moment("at"),
        ),
        marks=sa.Table("marks", kept, _text("name", primary_key=True), _text("mark")),
        hosts=sa.Table("hosts", kept, _text("name", primary_key=True), _text("body")),
    )  # fmt: skip


def _deliveries(kept: sa.MetaData) -> sa.Table:
    import sqlalchemy as sa

    table = sa.Table(
        "deliveries", kept, _number("id", primary_key=True), _text("message_id", nullable=True), _text("tmux"),
        _text("pane"), _number("pane_pid"), _text("text_hash"), _number("length"), _text("phase"), _text("created_at"),
        _text("updated_at"), _text("text", nullable=True), _text("receipt", nullable=True),
        _text("agent_id", nullable=True), _text("intent", server_default=""),
        _text("verdict", nullable=True),
    )  # fmt: skip
    named = table.c.message_id.is_not(None)
    sa.Index("message_ids", table.c.message_id, unique=True, sqlite_where=named, postgresql_where=named)
    owned = table.c.agent_id.is_not(None)
    sa.Index("deliveries_of_agents", table.c.agent_id, table.c.id, sqlite_where=owned, postgresql_where=owned)
    return table


@cache
def _words() -> sa.types.TypeDecorator[str]:
    """Text of any kind: what UTF-8 or PostgreSQL has no place for is written as an escape."""
    import sqlalchemy as sa

    class Words(sa.types.TypeDecorator[str]):
        impl = sa.Text
        cache_ok = True

        def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
            return value if value is None or value.isalnum() else storable(value)

    return Words()


def storable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")


def _text(name: str, nullable: bool = False, **more: Any) -> sa.Column[str]:
    import sqlalchemy as sa

    return sa.Column(name, _words(), **{"nullable": nullable, **more})


def _number(name: str, **more: Any) -> sa.Column[int]:
    """SQLite calls its own row number INTEGER: any other name would have an index of its own."""
    import sqlalchemy as sa

    wide: sa.types.TypeEngine[int] = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return sa.Column(name, wide, **{"nullable": False, **more})


def _moment(name: str, nullable: bool = False) -> sa.Column[float]:
    """Seconds since the epoch."""
    import sqlalchemy as sa

    return sa.Column(name, sa.Double, nullable=nullable)
