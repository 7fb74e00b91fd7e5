"""One writer with grouped commits: all works that wait are run in one transaction, each in a savepoint.

A work that fails fails alone; when the commit fails, all of its group fail. `seq` is given here, read from the log at
the begin of each transaction, so that it rises without a gap whoever wrote last. Events are written together at the
end of the transaction. After the commit the loop is woken once: listeners hear of the events, then the awaits return.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from paneward.core.agent.events import Event, Stored, agent_of
from paneward.core.errors import PanewardError
from paneward.core.timeline import Timeline
from paneward.store.connection import ConnectionLost, disconnect, lost, noticed, quick
from paneward.store.rows.deliveries import sweep
from paneward.store.rows.log import first_seq, insert_events, last_seq, read_events
from paneward.store.rows.timeline import observe
from paneward.store.written import record

if TYPE_CHECKING:
    import sqlalchemy as sa

    from paneward.store.place import Database

MOST = 1000  # works in one transaction: the first of them waits for the last
log = logging.getLogger("paneward.store")


@dataclass(slots=True)
class Transaction:
    """What a work is run in."""

    connection: sa.Connection
    seq: int  # of the last event
    at: float  # seconds since the epoch
    events: list[Stored] = field(default_factory=list)

    def append(self, event: Event) -> Stored:
        self.seq += 1
        stored = Stored(self.seq, self.at, event.kind, agent_of(event), record(event))
        self.events.append(stored)
        return stored

    def take_back(self, seq: int) -> None:
        """What a failed work appended."""
        if seq < self.seq:
            del self.events[seq - self.seq :]
            self.seq = seq


@dataclass(slots=True)
class Work:
    """Something to do in a transaction, and who waits for it."""

    run: Callable[[Transaction], Any]
    future: asyncio.Future[Any]
    rows: bool = True  # it changes rows, not only the log
    result: Any = None
    error: Exception | None = None

    def settle(self) -> None:
        if self.future.done():
            return  # cancelled: nobody waits any more
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Writer:
    def __init__(self, place: Database) -> None:
        self._place = place
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="paneward-store")
        self._guard = threading.Lock()
        self._works: deque[Work] = deque()
        self._awake = False
        self._connection: sa.Connection
        self.timeline: Timeline
        self._seq = 0  # the last in the log
        self.first_seq, self.last_seq = 1, 0  # as listeners know them
        self.on_commit: Callable[[Sequence[Stored]], None] | None = None

    def open(self) -> None:
        """Connect, in the writer's thread."""
        try:
            self._thread.submit(self._open).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def _open(self) -> None:
        with self._place.told():
            self._connection = self._place.connect_writer()
            self.timeline = observe(self._connection)
            sweep(self._connection, self.timeline)
            self.first_seq, self.last_seq = first_seq(self._connection), last_seq(self._connection)
            self._seq = self.last_seq

    def put(self, work: Work) -> None:
        with self._guard:
            self._works.append(work)
            if self._awake:
                return
            self._awake = True
        self._thread.submit(self._drain)

    def after(self, work: Callable[[sa.Connection], object]) -> Future[None]:
        """After all that was put, outside of any transaction."""
        return self._thread.submit(self._outside, work)

    def _outside(self, work: Callable[[sa.Connection], object]) -> None:
        with self._place.told():
            work(self._connection)

    def shutdown(self) -> None:
        self._thread.shutdown()

    # --- in the writer's thread

    def _drain(self) -> None:
        while works := self._taken():
            events: Sequence[Stored] = ()
            try:
                events = self._group(works)
            except Exception as error:  # noqa: BLE001  whatever it is, those who wait are told
                for work in works:
                    work.error, work.result = error, None
            self._answer(works, events)

    def _taken(self) -> list[Work]:
        with self._guard:
            works = [self._works.popleft() for _ in range(min(MOST, len(self._works)))]
            self._awake = bool(works)
            return works

    def _group(self, works: list[Work]) -> list[Stored]:
        """One transaction; what it added to the log, with what others had added before."""
        with self._place.told():
            self._begin()
            try:
                missed = self._missed()
                transaction = Transaction(self._connection, self._seq, _now())
                kept = self._run(works, transaction)
                insert_events(self._connection, transaction.events)
                quick(self._connection, "COMMIT" if kept else "ROLLBACK")
            except BaseException:
                self._rollback()
                raise
        self._seq = transaction.seq
        return missed + transaction.events

    def _begin(self) -> None:
        """A database server that was away closed the connection: nothing is lost by trying again."""
        if not lost(self._connection):
            with contextlib.suppress(ConnectionLost), noticed(self._connection):
                self._place.begin(self._connection)
                return
        disconnect(self._connection)
        self._connection = self._place.connect_writer()
        self._place.begin(self._connection)

    def _missed(self) -> list[Stored]:
        """Events that are in the log without our knowing: of another process, or of a commit whose answer was lost."""
        missed: list[Stored] = []
        if last_seq(self._connection) > self._seq:
            missed = read_events(self._connection, after=self._seq, limit=None)
            self._seq = missed[-1].seq
        return missed

    def _run(self, works: list[Work], transaction: Transaction) -> bool:
        if len(works) > 1:
            for work in works:
                self._one(work, transaction)
            return True
        [work] = works
        self._try(work, transaction)
        return work.error is None

    def _one(self, work: Work, transaction: Transaction) -> None:
        if not work.rows:  # nothing but the list of events can be touched
            _try(work, transaction)
            return
        quick(self._connection, "SAVEPOINT work")
        self._try(work, transaction)
        if work.error is not None:
            try:
                quick(self._connection, "ROLLBACK TO work")
            except Exception:  # noqa: BLE001  a full disk ends the whole transaction; its words are the first error's
                raise work.error from None
        quick(self._connection, "RELEASE work")

    def _try(self, work: Work, transaction: Transaction) -> None:
        _try(work, transaction)
        if work.error is not None:
            try:
                with self._place.told():
                    raise work.error
            except Exception as error:  # noqa: BLE001  it is told to the one who waits for this work
                work.error = error

    def _rollback(self) -> None:
        with contextlib.suppress(Exception):  # SQLite may have rolled back by itself; a lost connection has as well
            self._connection.exec_driver_sql("ROLLBACK")

    def _answer(self, works: list[Work], events: Sequence[Stored]) -> None:
        loops = {work.future.get_loop(): None for work in works}
        for number, loop in enumerate(loops):
            heard = events if number == 0 else ()
            mine = [work for work in works if work.future.get_loop() is loop]
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
                loop.call_soon_threadsafe(self._settle, mine, heard)

    def _settle(self, works: list[Work], events: Sequence[Stored]) -> None:
        """In the loop."""
        if events:
            self._tell(events)
        for work in works:
            work.settle()

    def _tell(self, events: Sequence[Stored]) -> None:
        self.last_seq = events[-1].seq
        if self.on_commit is not None:
            try:
                self.on_commit(events)
            except Exception:
                log.exception("a listener of the log failed")


def _try(work: Work, transaction: Transaction) -> None:
    seq = transaction.seq
    try:
        work.result = work.run(transaction)
    except Exception as error:  # noqa: BLE001  it is told to the one who waits for this work
        transaction.take_back(seq)
        work.error = error


def _now() -> float:
    return datetime.now(UTC).timestamp()


def heard(future: asyncio.Future[Any]) -> None:
    """What was typed stays typed: a receipt that cannot be written changes nothing, but somebody hears of it."""
    error = None if future.cancelled() else future.exception()
    if error is not None:
        log.warning("receipt not stored: %s", error.message if isinstance(error, PanewardError) else error)
