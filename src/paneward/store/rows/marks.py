"""How far what lies outside was taken: functions on a small table, written with what was caused by it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final

from paneward.store.tables import tables

if TYPE_CHECKING:
    import sqlalchemy as sa

UPSERT: Final = (
    "INSERT INTO marks (name, mark) VALUES (:name, :mark) ON CONFLICT (name) DO UPDATE SET mark = excluded.mark"
)


def set_marks(connection: sa.Connection, marks: Mapping[str, str]) -> None:
    if marks:  # one statement: two processes that open a store at the same time write the same mark
        from sqlalchemy import text

        rows = [{"name": name, "mark": mark} for name, mark in marks.items()]
        connection.execute(text(UPSERT), rows)


def drop_marks(connection: sa.Connection, names: Collection[str]) -> None:
    table = tables().marks
    if names:
        connection.execute(table.delete().where(table.c.name.in_(sorted(names))))


def read_marks(connection: sa.Connection) -> dict[str, str]:
    """Of what agents left; the mark of the clock is the store's own."""
    table = tables().marks
    return {row.name: row.mark for row in connection.execute(table.select().where(table.c.name != "clock"))}
