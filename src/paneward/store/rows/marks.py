"""How far what lies outside was taken: functions on a small table, written with what was caused by it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from paneward.store.tables import tables

if TYPE_CHECKING:
    import sqlalchemy as sa


def set_marks(connection: sa.Connection, marks: Mapping[str, str]) -> None:
    drop_marks(connection, marks)
    if marks:
        connection.execute(tables().marks.insert(), [{"name": name, "mark": mark} for name, mark in marks.items()])


def drop_marks(connection: sa.Connection, names: Collection[str]) -> None:
    table = tables().marks
    if names:
        connection.execute(table.delete().where(table.c.name.in_(sorted(names))))


def read_marks(connection: sa.Connection) -> dict[str, str]:
    """Of what agents left; the mark of the clock is the store's own."""
    table = tables().marks
    return {row.name: row.mark for row in connection.execute(table.select().where(table.c.name != "clock"))}
