"""A store in a SQLite file: for all processes of a user, and with a lease for one server beside them.

What surprised us: two processes that both switch a new file to WAL can refuse each other at once, whatever the busy
time-out says, so the first opening is done under a lock on the directory. The lease is a lock of the operating system
on a file beside it: what is killed holds none.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paneward.core.errors import StoreError
from paneward.store.connection import (
    BUSY_MS,
    ELSEWHERE,
    Told,
    connect,
    disconnect,
    hold,
    leased,
    newer,
    quick,
    told,
    transaction,
)
from paneward.store.tables import SCHEMA, tables
from paneward.store.upgrade import upgrade

if TYPE_CHECKING:
    import sqlalchemy as sa


CHECKPOINT = 4000  # pages that a server lets the log beside the file grow to: a commit waits while it is emptied


class SqliteFile:
    beside = True

    def __init__(self, path: Path, lease: str | None = None) -> None:
        self.path = path
        self._lease = lease
        self._held: int | None = None

    def connect_writer(self) -> sa.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self.path.exists() or not self.path.stat().st_size:
            with _alone(self.path.parent):
                self._make()
        connection = self._connect()
        try:
            self._prepare(connection)
        except BaseException:
            disconnect(connection)
            self._let_go()
            raise
        return connection

    def connect_reader(self) -> sa.Connection:
        connection = self._connect()
        pragma(connection, "query_only=1")
        return connection

    def release(self, connection: sa.Connection) -> None:
        if self._held is not None:
            connection.execute(tables().lease.delete())
        disconnect(connection)
        self._let_go()

    def begin(self, connection: sa.Connection) -> None:
        quick(connection, "BEGIN IMMEDIATE")

    def wipe(self, connection: sa.Connection) -> None:
        """`secure_delete` emptied them in the file; the log beside it still has them."""
        pragma(connection, "wal_checkpoint(TRUNCATE)")

    def told(self) -> Told:
        return told(self.path, self._remedy)

    # --- inside

    def _make(self) -> None:
        """A new file takes its name when it is a database. So one without a byte was cut off, and its rows are lost."""
        import sqlite3

        if self.path.exists():
            if not self.path.stat().st_size:
                raise StoreError("the file is empty: what was in it is lost", hint=_emptied(self.path))
            return
        fresh = self.path.with_name(f"{self.path.name}.new")
        for end in ("", "-wal", "-shm", "-journal"):  # of one who was killed here
            fresh.with_name(f"{fresh.name}{end}").unlink(missing_ok=True)
        os.close(_file(fresh))  # SQLite would make it for all to read
        with contextlib.closing(sqlite3.connect(fresh)) as database:
            database.execute("PRAGMA journal_mode=WAL")
        fresh.rename(self.path)

    def _connect(self) -> sa.Connection:
        import sqlalchemy as sa

        connection = connect(sa.URL.create("sqlite", database=str(self.path)))
        pragma(connection, f"busy_timeout={BUSY_MS}")
        return connection

    def _prepare(self, connection: sa.Connection) -> None:
        if pragma(connection, "user_version") != SCHEMA or self._lease is not None:
            with _alone(self.path.parent):
                self._take_over(connection)
        pragma(connection, "synchronous=FULL")
        pragma(connection, "secure_delete=ON")

    def _take_over(self, connection: sa.Connection) -> None:
        """Nobody else makes or changes it at this moment, and no server has it."""
        found = pragma(connection, "user_version")
        if found > SCHEMA:
            raise newer(found)
        self._held = self._locked(connection)
        if found < SCHEMA:
            self._upgrade(connection, found)
        if self._lease is None:
            self._let_go()
            return
        _check(connection)
        pragma(connection, f"wal_autocheckpoint={CHECKPOINT}")
        hold(connection, self._lease)

    def _locked(self, connection: sa.Connection) -> int:
        held = _file(self.path.with_name(f"{self.path.name}.lease"))
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(held)
            raise leased(connection) from None
        return held

    def _let_go(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def _upgrade(self, connection: sa.Connection, found: int) -> None:
        if found:
            _copy(connection, self.path.with_name(f"{self.path.name}.schema-{found}"))
        pragma(connection, "journal_mode=WAL")
        with transaction(connection, "BEGIN IMMEDIATE"):  # killed in the middle, nothing of it is there
            upgrade(connection, found)
            pragma(connection, f"user_version={SCHEMA}")

    def _remedy(self, words: str) -> str:
        """SQLite tells what went wrong in words; this is the one place that reads them."""
        path = self.path
        if "not a database" in words or "malformed" in words:
            return (
                f"The file is damaged. Move it away (`mv {path} {path}.damaged`): a new one is made, without history."
            )
        if "locked" in words:
            return f"Another process has held it for more than {BUSY_MS // 1000} s: `fuser {path}` names it."
        if "full" in words or "I/O" in words:
            return "The disk is full or failing: free some space. Nothing is typed while it cannot be written down."
        return ELSEWHERE


def _emptied(path: Path) -> str:
    copies = sorted(path.parent.glob(f"{path.name}.schema-*"))
    back = f"Bring a copy back (`cp {copies[-1]} {path}`), or begin" if copies else "Begin"
    return f"{back} anew without history: `rm {path}`."


def pragma(connection: sa.Connection, words: str) -> Any:
    result = connection.exec_driver_sql(f"PRAGMA {words}")
    return result.scalar() if result.returns_rows else None


def _file(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Nobody else opens a store in this directory for the first time meanwhile."""
    file = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _check(connection: sa.Connection) -> None:
    words = pragma(connection, "quick_check(1)")
    if words != "ok":
        raise StoreError(f"malformed: {words}", hint="The file is damaged. Move it away: a new one is made.")


def _copy(connection: sa.Connection, target: Path) -> None:
    """What was there before a migration, beside it."""
    import sqlite3

    source = connection.connection.driver_connection
    assert isinstance(source, sqlite3.Connection)
    try:
        os.close(_file(target))
        with contextlib.closing(sqlite3.connect(target)) as copy:
            source.backup(copy)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"no copy could be made before the migration: {target}: {getattr(error, 'strerror', None) or error}",
            hint="Make room for a second file of its size beside it, or move what is there away.",
        ) from None
