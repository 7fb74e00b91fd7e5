"""The table of deliveries, and all that is ever said to it: data.

Built when the first store is opened: importing SQLAlchemy takes a fifth of a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from paneward.core.flow import Phase

if TYPE_CHECKING:
    import sqlalchemy as sa

KEEP_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Statements:
    tables: sa.MetaData
    insert: sa.Insert
    by_message: sa.Select[Any]
    recent: sa.Select[Any]
    mark: sa.Update
    finish: sa.Update
    oldest: sa.Select[Any]
    trim: sa.Delete


@cache
def sql() -> Statements:
    import sqlalchemy as sa
    from sqlalchemy.dialects.sqlite import insert

    table, bind = _table(), sa.bindparam
    rows, named = table.c, table.c.message_id.is_not(None)
    sa.Index("message_ids", rows.message_id, unique=True, sqlite_where=named)
    newest = sa.select(sa.func.max(rows.id)).scalar_subquery()
    mark = sa.update(table).where(rows.id == bind("wanted"))
    mark = mark.values(phase=bind("phase"), updated_at=bind("updated_at"))
    too_many = sa.or_(rows.created_at < bind("oldest"), rows.id <= newest - KEEP_ROWS)
    settled = sa.or_(rows.phase == Phase.DONE, rows.created_at < bind("open_since"))
    any_pane = bind("pane", type_=sa.Text).is_(None)
    return Statements(
        tables=table.metadata,
        insert=insert(table).on_conflict_do_nothing(index_elements=["message_id"], index_where=named),
        by_message=sa.select(table).where(rows.message_id == bind("wanted")),
        recent=sa.select(table)
        .where(sa.or_(any_pane, rows.pane == bind("pane")))
        .order_by(rows.id.desc())
        .limit(bind("most", type_=sa.Integer)),
        mark=mark,
        finish=mark.values(receipt=bind("receipt")),
        oldest=sa.select(rows.created_at, newest - rows.id).order_by(rows.id).limit(1),
        trim=sa.delete(table).where(too_many, settled),
    )


def _table() -> sa.Table:
    import sqlalchemy as sa

    def text(name: str, nullable: bool = False) -> sa.Column[str]:
        return sa.Column(name, sa.Text, nullable=nullable)

    return sa.Table(
        "deliveries",
        sa.MetaData(),
        sa.Column("id", sa.Integer, primary_key=True),  # SQLite's own row number: no index of its own to keep up
        text("message_id", nullable=True),
        text("tmux"),
        text("pane"),
        sa.Column("pane_pid", sa.Integer, nullable=False),
        text("text_hash"),
        sa.Column("length", sa.Integer, nullable=False),
        text("phase"),
        text("created_at"),
        text("updated_at"),
        text("text", nullable=True),  # the wide columns last: a scan of the others does not read them
        text("receipt", nullable=True),
    )
