"""A store in PostgreSQL: the tables of the current schema of a database.

The lease is a lock of the writer's session: what is killed holds none, and a writer that lost its connection takes it
again before it writes. Of what was there before a migration a copy is made in a schema of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paneward.core.errors import StoreError
from paneward.store.connection import BUSY_MS, Told, connect, disconnect, hold, leased, newer, told, transaction
from paneward.store.tables import SCHEMA, tables
from paneward.store.upgrade import upgrade

if TYPE_CHECKING:
    import sqlalchemy as sa

UPGRADE_MS = 60_000  # another process may make the tables or change them, which takes longer than a write
LEASE = "hashtext('paneward lease'), hashtext(current_schema())"
ALONE = "hashtext('paneward alone'), hashtext(current_schema())"


class Postgres:
    beside = True

    def __init__(self, url: sa.URL, lease: str | None = None) -> None:
        self._url = url
        self._lease = lease

    def connect_writer(self) -> sa.Connection:
        connection = self._connect()
        try:
            self._prepare(connection)
        except BaseException:
            disconnect(connection)
            raise
        return connection

    def connect_reader(self) -> sa.Connection:
        connection = self._connect()
        connection.exec_driver_sql("SET default_transaction_read_only = on")
        return connection

    def release(self, connection: sa.Connection) -> None:
        if self._lease is not None and not (connection.invalidated or connection.closed):
            connection.execute(tables().lease.delete())
        disconnect(connection)

    def begin(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")
        if self._lease is None:  # who has the lease is alone with the log
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({ALONE})")

    def wipe(self, connection: sa.Connection) -> None:
        for name in ("turns", "commands", "deliveries", "events"):
            connection.exec_driver_sql(f"VACUUM {name}")

    def told(self) -> Told:
        return told(self._url.render_as_string(hide_password=True), _remedy)

    # --- inside

    def _connect(self) -> sa.Connection:
        try:
            connection = connect(self._url)
        except ModuleNotFoundError as error:
            raise StoreError(f"no {error.name}", hint="`pip install 'paneward[postgres]'` brings it.") from None
        connection.exec_driver_sql(f"SET lock_timeout = {BUSY_MS}")
        return connection

    def _prepare(self, connection: sa.Connection) -> None:
        if self._lease is None and _schema(connection) == SCHEMA:
            return
        with transaction(connection):
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {UPGRADE_MS}")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({ALONE})")
            self._take_over(connection)

    def _take_over(self, connection: sa.Connection) -> None:
        """Nobody else makes or changes it at this moment, and no server has it."""
        found = _schema(connection)
        if found > SCHEMA:
            raise newer(found)
        if not connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({LEASE})").scalar():
            raise leased(connection)
        if found < SCHEMA:
            _copy(connection, found)
            upgrade(connection, found)
        if self._lease is None:
            connection.exec_driver_sql(f"SELECT pg_advisory_unlock({LEASE})")
        else:
            hold(connection, self._lease)


def _schema(connection: sa.Connection) -> int:
    """Of the tables there are; 0 when there are none."""
    import sqlalchemy as sa

    if not sa.inspect(connection).has_table("alembic_version"):
        return 0
    return int(connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() or 0)


def _copy(connection: sa.Connection, found: int) -> None:
    """What was there before a migration, in a schema of its own."""
    import sqlalchemy as sa
    from sqlalchemy.exc import DBAPIError

    if not found:
        return
    copy = f"paneward_schema_{found}"
    inspector = sa.inspect(connection)
    if copy in inspector.get_schema_names():
        return
    try:
        connection.exec_driver_sql(f"CREATE SCHEMA {copy}")
        for name in inspector.get_table_names():
            connection.exec_driver_sql(f'CREATE TABLE {copy}."{name}" AS TABLE "{name}"')
    except DBAPIError as error:
        raise StoreError(
            f"no copy could be made before the migration: {error.orig}",
            hint=f"Make one with `pg_dump`, then say so: `CREATE SCHEMA {copy}`. Or let this role make schemas.",
        ) from error


def _remedy(words: str) -> str:
    """PostgreSQL tells what went wrong in words; this is the one place that reads them."""
    if "connection" in words or "server closed" in words or "shutting down" in words:
        return "Is PostgreSQL running, and is store.url right? What was not acknowledged may be stored or not."
    if "authentication" in words or "permission denied" in words or "does not exist" in words:
        return "store.url names the user, the host and the database; the user must own its tables there."
    if "lock timeout" in words:
        return f"Another session has held it for more than {BUSY_MS // 1000} s: see pg_stat_activity."
    if "read-only" in words:
        return "The database takes no writes: it is a replica, or set read-only."
    if "No space left" in words or "disk full" in words:
        return "The disk of the database is full: free some space. Nothing is typed while it cannot be written down."
    return "See the log of PostgreSQL."
