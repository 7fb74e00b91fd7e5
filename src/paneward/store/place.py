"""Where a store lies: memory, a SQLite file, or PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from paneward.core.errors import StoreError
from paneward.store.connection import Told, connect, disconnect, told
from paneward.store.file import SqliteFile
from paneward.store.postgres import Postgres
from paneward.store.tables import tables

if TYPE_CHECKING:
    import sqlalchemy as sa

_URLS = "Allowed: a path, sqlite:////a/path, postgresql://user@host/database."


class Database(Protocol):
    beside: bool  # reads have a connection of their own

    def connect_writer(self) -> sa.Connection: ...  # made or brought up to date, and leased if it was asked for
    def connect_reader(self) -> sa.Connection: ...
    def release(self, connection: sa.Connection) -> None: ...  # the writer's connection, and the lease
    def begin(self, connection: sa.Connection) -> None: ...
    def wipe(self, connection: sa.Connection) -> None: ...  # removed rows, from the disk, as far as it can be done
    def told(self) -> Told: ...


class InMemory:
    """For one process, gone with it."""

    beside = False

    def connect_writer(self) -> sa.Connection:
        connection = connect("sqlite://")
        tables().all.create_all(connection)
        return connection

    def connect_reader(self) -> sa.Connection:
        raise NotImplementedError("memory has one connection")

    def release(self, connection: sa.Connection) -> None:
        disconnect(connection)

    def begin(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    def wipe(self, connection: sa.Connection) -> None:
        pass

    def told(self) -> Told:
        return told("the store in memory", lambda words: "")


def place_of(place: Path | str | None, lease: str | None) -> Database:
    """A path, a SQLAlchemy URL, or None for memory."""
    if place is None or place in ("sqlite://", "sqlite:///:memory:"):
        return InMemory()
    if isinstance(place, Path) or "://" not in place:
        return SqliteFile(Path(place), lease)
    return _by_url(place, lease)


def _by_url(text: str, lease: str | None) -> Database:
    import sqlalchemy as sa
    from sqlalchemy.exc import ArgumentError

    try:
        url = sa.make_url(text)
    except (ArgumentError, ValueError):
        raise StoreError("the URL of the store cannot be read", hint=_URLS) from None
    kind = url.get_backend_name()
    if kind == "sqlite" and url.database:
        return SqliteFile(Path(url.database), lease)
    if kind == "postgresql":
        return Postgres(url.set(drivername="postgresql+psycopg"), lease)
    raise StoreError(f"no store can be kept in {kind!r}", hint=_URLS)
