"""What connections to SQLite and to PostgreSQL have in common, and how their failures are told."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from paneward.core.errors import Code, StoreError
from paneward.store.tables import SCHEMA, storable, tables

if TYPE_CHECKING:
    import sqlalchemy as sa

BUSY_MS = 5000  # a write of another process takes a millisecond; longer means that it hangs
ELSEWHERE = "PANEWARD_STATE_DIR names another state directory."
Told = contextlib.AbstractContextManager[None]


def connect(url: sa.URL | str, **arguments: Any) -> sa.Connection:
    """One connection that stays; transactions begin and end by our own words."""
    import sqlalchemy as sa

    engine = sa.create_engine(url, poolclass=sa.StaticPool, isolation_level="AUTOCOMMIT", connect_args=arguments)
    try:
        return engine.connect()
    except BaseException:
        engine.dispose()
        raise


def disconnect(connection: sa.Connection) -> None:
    connection.close()
    connection.engine.dispose()


def quick(connection: sa.Connection, statement: str, parameters: tuple[Any, ...] | dict[str, Any] = ()) -> Any:
    """What every commit says. SQLAlchemy takes longer for it than SQLite."""
    if connection.dialect.name == "sqlite":
        return connection.connection.driver_connection.execute(statement, parameters)  # type: ignore[union-attr]
    return connection.exec_driver_sql(statement, parameters)


def carry_out(connection: sa.Connection, statement: sa.Executable, row: Mapping[str, Any]) -> Any:
    """A statement that is made once and asked often. SQLite gets its words and the values at once: what SQLAlchemy does
    in between takes longer. Of that, text is made storable here as well."""
    if connection.dialect.name != "sqlite":
        return connection.execute(statement, row)
    values = {name: storable(one) if isinstance(one, str) else one for name, one in row.items()}
    return quick(connection, _words(statement, tuple(row)), values)


@lru_cache(256)
def _words(statement: sa.ClauseElement, names: tuple[str, ...]) -> str:
    from sqlalchemy.dialects.sqlite.pysqlite import dialect

    return str(statement.compile(dialect=dialect(paramstyle="named"), column_keys=names))


class ConnectionLost(Exception):
    """The database server closed the connection."""


def lost(connection: sa.Connection) -> bool:
    return connection.invalidated or connection.closed


@contextlib.contextmanager
def noticed(connection: sa.Connection) -> Iterator[None]:
    """Raise `Lost` when the connection turns out to be."""
    from sqlalchemy.exc import DBAPIError

    try:
        yield
    except DBAPIError:
        if lost(connection):
            raise ConnectionLost from None
        raise


@contextlib.contextmanager
def transaction(connection: sa.Connection, begin: str = "BEGIN") -> Iterator[None]:
    connection.exec_driver_sql(begin)
    try:
        yield
    except BaseException:
        connection.exec_driver_sql("ROLLBACK")
        raise
    connection.exec_driver_sql("COMMIT")


@contextlib.contextmanager
def told(where: object, remedy: Callable[[str], str]) -> Iterator[None]:
    """Whatever goes wrong with the store is one clear error that names it."""
    from sqlite3 import Error

    from sqlalchemy.exc import DBAPIError

    try:
        yield
    except StoreError as error:
        if error.message.startswith(str(where)):
            raise
        raise StoreError(f"{where}: {error.message}", code=error.code, hint=error.hint) from None
    except (DBAPIError, Error) as error:
        words = str(getattr(error, "orig", error)).strip()
        raise StoreError(f"{where}: {words}", hint=remedy(words)) from error
    except OSError as error:
        raise StoreError(f"{where}: {error.strerror}", hint=ELSEWHERE) from None


def newer(found: int) -> StoreError:
    return StoreError(
        f"it has schema {found}, this Paneward knows schema {SCHEMA}",
        hint="A newer Paneward wrote it: upgrade, or set PANEWARD_STATE_DIR to another directory.",
    )


def hold(connection: sa.Connection, holder: str) -> None:
    """Write down who has the lease."""
    table = tables().lease
    connection.execute(table.delete())
    connection.execute(table.insert(), {"id": 1, "holder": holder, "at": datetime.now(UTC).timestamp()})


def leased(connection: sa.Connection) -> StoreError:
    """Somebody else has it."""
    import sqlalchemy as sa

    table = tables().lease
    found = sa.inspect(connection).has_table(table.name) and connection.execute(table.select()).first()
    holder = found.holder if found else "another process"
    return StoreError(
        f"in use by {holder}", code=Code.STORE_LEASED, hint="Use that server, end it, or name another store."
    )
