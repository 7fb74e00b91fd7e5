"""Intents and receipts of deliveries, so that a `message_id` holds over crashes.

One SQLite file for all processes of a user. Each `Store` has one connection, used by one thread; every
write is one statement that commits by itself (WAL, synchronous=FULL) and is on the disk when its await
returns, but for `record`, which waits for nothing. Text is redacted before it is written; of a secret
only the length is kept, not even a hash, since a short password can be found by its hash.

What surprised us: two processes that both switch a new file to WAL can refuse each other at once,
whatever the busy time-out says, so the first opening is done under a lock on the directory.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import json
import logging
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from paneward.core.errors import Code, StoreError
from paneward.core.flow import Phase
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.text import redact
from paneward.schema import KEEP_ROWS, sql

if TYPE_CHECKING:
    import sqlalchemy as sa

SCHEMA = 1  # PRAGMA user_version of the files this version writes
BUSY_MS = 5000  # a write of another process takes a millisecond; longer means that it hangs
KEEP_DAYS = 30
KEEP_OPEN_DAYS = 1  # how long an unfinished delivery may still be asked for after a crash
KEEP_TEXT = 64_000  # characters: the text is kept for people, and its hash and length tell it apart

BEHIND = 100  # receipts that may wait to be written; the next sender waits for the oldest of them

log = logging.getLogger("paneward.store")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Delivery:
    id: str
    message_id: str | None
    tmux: str  # which tmux server
    pane: str
    pane_pid: int
    text: str | None  # redacted; None when it is secret
    text_hash: str  # of the real text; empty when it is secret
    length: int
    phase: Phase
    receipt: SendResult | None
    created_at: str  # ISO, UTC
    updated_at: str


class Store:
    def __init__(self, path: Path | None, connection: sa.Connection, writer: ThreadPoolExecutor) -> None:
        self._path = path
        self._connection = connection
        self._writer = writer
        self._unwritten: list[Callable[[sa.Connection], Any]] = []
        self._behind: deque[Future[None]] = deque()  # the newest that were handed over, written by now or not

    @classmethod
    def open(cls, path: Path | None) -> Self:
        """The store in the file `path`, made if need be; None is a store in memory."""
        writer = ThreadPoolExecutor(1, thread_name_prefix="paneward-store")
        try:
            return cls(path, writer.submit(_open, path).result(), writer)
        except BaseException:
            writer.shutdown()
            raise

    async def begin(
        self,
        *,
        message_id: str | None,
        tmux: str,
        pane: str,
        pane_pid: int,
        text: str,
        secret: bool,
    ) -> tuple[Delivery, bool]:
        """Write down what is about to be typed; or, for a known `message_id`, what was written first, and False."""
        place = {"message_id": message_id, "tmux": tmux, "pane": pane, "pane_pid": pane_pid}
        return await self._run(lambda connection: _begin(connection, place, text, secret))

    async def record(
        self, *, tmux: str, pane: str, pane_pid: int, text: str, secret: bool, receipt: SendResult
    ) -> None:
        """Write down a delivery that is over, behind the caller: without a `message_id` nobody asks for it again.

        It is on the disk before anything that is asked of this store later, and before it is closed.
        """
        place = {"message_id": None, "tmux": tmux, "pane": pane, "pane_pid": pane_pid}
        self._unwritten.append(lambda connection: _begin(connection, place, text, secret, receipt))
        asyncio.get_running_loop().call_soon(self._hand_over)
        if len(self._behind) > BEHIND:
            await asyncio.wrap_future(self._behind.popleft())

    def _hand_over(self) -> None:
        """Waking the writer takes longer than all the rest, so the caller goes first."""
        for work in self._unwritten:
            self._behind.append(self._writer.submit(self._heard, work))
        self._unwritten.clear()

    async def mark(self, id: str, phase: Phase) -> None:
        await self._run(lambda connection: _update(connection, sql().mark, id, phase))

    async def finish(self, id: str, receipt: SendResult) -> None:
        await self._run(lambda connection: _update(connection, sql().finish, id, Phase.DONE, receipt=_written(receipt)))

    async def find(self, message_id: str) -> Delivery | None:
        return await self._run(lambda connection: _find(connection, message_id))

    async def recent(self, limit: int = 50, pane: str | None = None) -> list[Delivery]:
        """The last deliveries, newest first."""
        values = {"most": limit, "pane": pane}
        return await self._run(
            lambda connection: [_read(row) for row in connection.execute(sql().recent, values).mappings()]
        )

    async def close(self) -> None:
        await self._run(_close)
        self._writer.shutdown()

    async def _run(self, work: Callable[[sa.Connection], T]) -> T:
        self._hand_over()
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._attempt, work)

    def _heard(self, work: Callable[[sa.Connection], Any]) -> None:
        """What was typed stays typed: a receipt that cannot be written changes nothing, but somebody hears of it."""
        try:
            self._attempt(work)
        except StoreError as error:
            log.warning("receipt not stored: %s", error.message)

    def _attempt(self, work: Callable[[sa.Connection], T]) -> T:
        with _told(self._path):
            return work(self._connection)


def text_hash(text: str) -> str:
    """The name under which a text is compared with an earlier one of the same `message_id`."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _begin(
    connection: sa.Connection, place: Mapping[str, Any], text: str, secret: bool, receipt: SendResult | None = None
) -> tuple[Delivery, bool]:
    now = _now()
    row = {
        **place,
        "text": None if secret else _kept(text),
        "text_hash": "" if secret else text_hash(text),
        "length": len(text),
        "phase": Phase.INTENDED if receipt is None else Phase.DONE,
        "receipt": None if receipt is None else _written(receipt),
        "created_at": now,
        "updated_at": now,
    }
    inserted = connection.execute(sql().insert, row)
    if inserted.rowcount:
        return _read({**row, "id": inserted.lastrowid}), True
    known = _find(connection, place["message_id"])
    if known is None:
        raise StoreError(f"the delivery {place['message_id']!r} was removed while it was looked up", hint="Try again.")
    return known, False


def _kept(text: str) -> str:
    encodable = redact(text).encode("utf-8", "replace").decode()
    return encodable if len(encodable) <= KEEP_TEXT else f"{encodable[:KEEP_TEXT]}…"


def _update(connection: sa.Connection, statement: sa.Update, id: str, phase: Phase, **more: str) -> None:
    values = {"wanted": int(id), "phase": phase, "updated_at": _now(), **more}
    if not connection.execute(statement, values).rowcount:
        raise StoreError(f"there is no delivery {id!r}", hint="It was removed by the retention limits.")


def _find(connection: sa.Connection, message_id: str) -> Delivery | None:
    row = connection.execute(sql().by_message, {"wanted": message_id}).mappings().first()
    return None if row is None else _read(row)


def _read(row: Mapping[Any, Any]) -> Delivery:
    values = {field.name: row[field.name] for field in fields(Delivery)}
    receipt = values["receipt"]
    return Delivery(
        **{
            **values,
            "id": str(values["id"]),
            "phase": Phase(values["phase"]),
            "receipt": _receipt(receipt) if receipt else None,
        }
    )


def _written(receipt: SendResult) -> str:
    values = {field.name: getattr(receipt, field.name) for field in fields(SendResult)}
    return json.dumps({**values, **{name: redact(values[name]) for name in ("evidence", "detail", "dump")}})


def _receipt(written: str) -> SendResult:
    """A receipt as it was written, also by a later version that knows more fields."""
    values = json.loads(written)
    known = {field.name: values[field.name] for field in fields(SendResult) if field.name in values}
    return SendResult(
        **{
            **known,
            "verdict": Verdict(known["verdict"]),
            "rung": Rung(known["rung"]),
            "error_type": Code(known["error_type"]) if known.get("error_type") else None,
            "notes": tuple(known.get("notes", ())),
        }
    )


def _now() -> str:
    return _stamp(datetime.now(UTC))


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def _open(path: Path | None) -> sa.Connection:
    with _told(path):
        if path is None:
            return _prepared(_connect(None))
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # SQLite would make it for all to read
        connection = _connect(str(path))
        try:
            return _prepared(connection, path.parent)
        except BaseException:
            _close(connection)
            raise


def _connect(database: str | None) -> sa.Connection:
    import sqlalchemy as sa

    url = sa.URL.create("sqlite", database=database)
    engine = sa.create_engine(url, poolclass=sa.StaticPool, isolation_level="AUTOCOMMIT")
    return engine.connect()


def _close(connection: sa.Connection) -> None:
    connection.close()
    connection.engine.dispose()


def _prepared(connection: sa.Connection, directory: Path | None = None) -> sa.Connection:
    _pragma(connection, f"busy_timeout={BUSY_MS}")
    if _pragma(connection, "user_version") != SCHEMA:
        with _alone(directory):
            _create(connection)
    _pragma(connection, "synchronous=FULL")
    _trim(connection)
    return connection


def _pragma(connection: sa.Connection, words: str) -> Any:
    result = connection.exec_driver_sql(f"PRAGMA {words}")
    return result.scalar() if result.returns_rows else None


@contextlib.contextmanager
def _alone(directory: Path | None) -> Iterator[None]:
    """Nobody else makes a store in this directory meanwhile."""
    if directory is None:
        yield
        return
    file = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _create(connection: sa.Connection) -> None:
    found = _pragma(connection, "user_version")
    if found > SCHEMA:
        raise StoreError(
            f"it has schema {found}, this Paneward knows schema {SCHEMA}",
            hint="A newer Paneward wrote it: upgrade, or set PANEWARD_STATE_DIR to another directory.",
        )
    _pragma(connection, "journal_mode=WAL")
    connection.exec_driver_sql("BEGIN IMMEDIATE")  # killed in the middle, nothing of it is there
    sql().tables.create_all(connection)
    _pragma(connection, f"user_version={SCHEMA}")
    connection.exec_driver_sql("COMMIT")


def _trim(connection: sa.Connection) -> None:
    """Bounded growth. Usually one look at the oldest row tells that there is nothing to do."""
    now = datetime.now(UTC)
    oldest, open_since = _stamp(now - timedelta(days=KEEP_DAYS)), _stamp(now - timedelta(days=KEEP_OPEN_DAYS))
    first = connection.execute(sql().oldest).first()
    if first is None or (first[0] >= oldest and first[1] < KEEP_ROWS):
        return
    connection.execute(sql().trim, {"oldest": oldest, "open_since": open_since})


@contextlib.contextmanager
def _told(path: Path | None) -> Iterator[None]:
    """Whatever goes wrong with the file is one clear error that names it."""
    from sqlalchemy.exc import DBAPIError

    where = path or "the store in memory"
    try:
        yield
    except StoreError as error:
        raise StoreError(f"{where}: {error.message}", hint=error.hint) from None
    except DBAPIError as error:
        raise StoreError(f"{where}: {error.orig}", hint=_remedy(error.orig, path)) from error
    except OSError as error:
        raise StoreError(f"{where}: {error.strerror}", hint=_ELSEWHERE) from None


_ELSEWHERE = "PANEWARD_STATE_DIR names another state directory."


def _remedy(error: BaseException | None, path: Path | None) -> str:
    """SQLite tells what went wrong in words; this is the one place that reads them."""
    words = str(error)
    if "not a database" in words or "malformed" in words:
        return f"The file is damaged. Move it away (`mv {path} {path}.damaged`): a new one is made, without history."
    if "locked" in words:
        return f"Another process has held it for more than {BUSY_MS // 1000} s: `fuser {path}` names it."
    if "full" in words or "I/O" in words:
        return "The disk is full or failing: free some space. Nothing is typed while it cannot be written down."
    return _ELSEWHERE
