"""The store: the event log, agents with their commands and turns, deliveries with their receipts, the audit.

What an await returned of is on the disk (`record` alone waits for nothing). Reads have a connection of their own and
never wait for the writer; in memory there is one connection for both.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from paneward.core.agent.changes import Change
from paneward.core.agent.events import Event, Stored
from paneward.core.agent.record import Agent, Command, Turn
from paneward.core.audit import AuditEntry
from paneward.core.hosts.host import HostRecord
from paneward.core.result import SendResult
from paneward.core.terminal.flow import Phase
from paneward.store.place import Database, place_of
from paneward.store.reader import Reader
from paneward.store.rows import agents, deliveries, hosts, log, marks
from paneward.store.rows import audit as records
from paneward.store.rows import retention as care
from paneward.store.rows import timeline as lifetime
from paneward.store.rows.audit import KEEP_REPLIES, Reply
from paneward.store.rows.deliveries import Delivery
from paneward.store.writer import Transaction, Work, Writer, heard

if TYPE_CHECKING:
    import sqlalchemy as sa

BEHIND = 100  # receipts that may wait to be written; the next sender waits for the oldest of them
PAGE = 500  # rows that an export reads at once
T = TypeVar("T")


class Store:
    def __init__(self, place: Database) -> None:
        self._place = place
        self._writer = Writer(place)
        self._reader = Reader(place) if place.beside else None  # none: reads go through the writer
        self._unwritten: list[Work] = []
        self._behind: deque[asyncio.Future[Any]] = deque()  # the newest that were handed over, written by now or not

    @classmethod
    def open(cls, place: Path | str | None, *, lease: str | None = None) -> Self:
        """The store at a path or a URL, made or brought up to date if need be; None is a store in memory.

        With `lease`, words that tell people who it is, nobody else can open it with one.
        """
        store = cls(place_of(place, lease))
        store._writer.open()
        return store

    # --- deliveries

    async def begin(
        self,
        *,
        message_id: str | None,
        tmux: str,
        pane: str,
        pane_pid: int,
        text: str,
        secret: bool,
        agent_id: str | None = None,
        intent: str = "",
        events: Sequence[Event] = (),
    ) -> tuple[Delivery, bool]:
        """Write down what is about to be typed, and events with it; or, for a known `message_id`, what was written
        first, and False."""
        place = {"message_id": message_id, "tmux": tmux, "pane": pane, "pane_pid": pane_pid}
        owner = {"agent_id": agent_id, "intent": intent}

        def work(tx: Transaction) -> tuple[Delivery, bool]:
            row, fresh = deliveries.begin(tx.connection, {**place, **owner}, text, secret)
            _append(tx, events if fresh else ())
            return row, fresh

        return await self._run(work)

    async def record(
        self,
        *,
        tmux: str,
        pane: str,
        pane_pid: int,
        text: str,
        secret: bool,
        receipt: SendResult,
        agent_id: str | None = None,
        intent: str = "",
    ) -> None:
        """Write down a delivery that is over, behind the caller: without a `message_id` nobody asks for it again.

        It is on the disk before anything that is asked of this store later, and before it is closed.
        """
        place = {"message_id": None, "tmux": tmux, "pane": pane, "pane_pid": pane_pid}
        owner = {"agent_id": agent_id, "intent": intent}
        loop = asyncio.get_running_loop()
        work = Work(
            lambda tx: deliveries.begin(tx.connection, {**place, **owner}, text, secret, receipt), loop.create_future()
        )
        work.future.add_done_callback(heard)
        self._unwritten.append(work)
        loop.call_soon(self._hand_over)
        while self._behind and self._behind[0].done():
            self._behind.popleft()
        if len(self._behind) > BEHIND:
            await asyncio.wait([self._behind[0]])

    def _hand_over(self) -> None:
        """Waking the writer takes longer than all the rest, so the caller goes first."""
        for work in self._unwritten:
            self._behind.append(work.future)
            self._writer.put(work)
        self._unwritten.clear()

    async def mark(self, id: str, phase: Phase) -> None:
        await self._run(lambda tx: deliveries.mark(tx.connection, id, phase))

    async def finish(self, id: str, receipt: SendResult, *events: Event) -> None:
        """Store the receipt, and events with it."""

        def work(tx: Transaction) -> None:
            deliveries.finish(tx.connection, id, receipt)
            _append(tx, events)

        await self._run(work)

    async def upgrade(self, id: str, receipt: SendResult, *events: Event, change: Change | None = None) -> Agent | None:
        """Store a receipt that later evidence confirmed, and what that makes of the agent; the turn of the delivery is
        in doubt no more."""

        def work(tx: Transaction) -> Agent | None:
            deliveries.finish(tx.connection, id, receipt)
            agents.confirm_turn(tx, id, receipt.evidence)
            _append(tx, events)
            return None if change is None else agents.save(tx, change)

        return await self._run(work)

    async def find(self, message_id: str) -> Delivery | None:
        return await self._read(lambda connection: deliveries.find(connection, message_id))

    async def delivery(self, id: str) -> Delivery | None:
        return await self._read(lambda connection: deliveries.by_id(connection, id))

    async def recent(self, limit: int = 50, pane: str | None = None, agent_id: str | None = None) -> list[Delivery]:
        """The last deliveries, newest first."""
        return await self._read(lambda connection: deliveries.recent(connection, limit, pane, agent_id))

    async def newest(self, tmux: str, pane: str) -> Delivery | None:
        """The last delivery to a pane of a tmux server."""
        return await self._read(lambda connection: deliveries.newest(connection, tmux, pane))

    async def unfinished(self) -> list[Delivery]:
        """Deliveries to agents that were begun and have no receipt, oldest first."""
        return await self._read(deliveries.unfinished)

    # --- the log

    @property
    def last_seq(self) -> int:
        return self._writer.last_seq

    @property
    def first_seq(self) -> int:
        """Of the oldest event that is kept; 1 for an empty log."""
        return self._writer.first_seq

    @property
    def on_commit(self) -> Callable[[Sequence[Stored]], None] | None:
        """Called in the loop with the events of each commit, in order of seq, before the awaits of its works return."""
        return self._writer.on_commit

    @on_commit.setter
    def on_commit(self, listener: Callable[[Sequence[Stored]], None] | None) -> None:
        self._writer.on_commit = listener

    async def append(self, *events: Event) -> tuple[Stored, ...]:
        future: asyncio.Future[tuple[Stored, ...]] = asyncio.get_running_loop().create_future()
        self._put(Work(lambda tx: _append(tx, events), future, rows=False))
        return await future

    async def events(
        self,
        after: int = 0,
        limit: int = 1000,
        kinds: Collection[str] = (),
        agent_id: str | None = None,
        before: int | None = None,
    ) -> list[Stored]:
        """In order of seq: the first ones after `after`, or with `before` the last ones before that."""
        return await self._read(lambda connection: log.read_events(connection, after, limit, kinds, agent_id, before))

    # --- agents, commands, turns

    async def adopt(self, agent: Agent) -> Agent:
        return await self._run(lambda tx: agents.adopt(tx, agent))

    async def forget(self, agent_id: str, purge: bool = False) -> None:
        """The agent is watched no longer. With `purge` what was stored of it goes too, from the disk as well."""
        await self._run(lambda tx: agents.forget(tx, agent_id, purge))
        if purge:
            await asyncio.wrap_future(self._writer.after(self._place.wipe))

    async def agents(self, only: str | None = None) -> list[Agent]:
        """In order of adoption; or the one of this name."""
        return await self._read(lambda connection: agents.read_agents(connection, only))

    async def save(
        self,
        agent: Agent,
        *events: Event,
        ending: str = "",
        heard: Mapping[str, Any] | None = None,
        account: Mapping[str, Any] | None = None,
    ) -> Agent:
        """The row as given and the events; with `ending` its open command is closed, with `heard`, which of its signals
        were heard is written, with `account`, how its use was counted. The agent with the seq of the last event and its
        open command."""
        return await self._run(lambda tx: agents.save(tx, Change(agent, None, events, ending, heard, account)))

    async def heard(self, agent_id: str) -> dict[str, Any] | None:
        """Which signals of an agent were heard."""
        return await self._read(lambda connection: agents.read_beside(connection, agent_id, "heard"))

    async def account(self, agent_id: str) -> dict[str, Any] | None:
        """How the use of an agent was counted."""
        return await self._read(lambda connection: agents.read_beside(connection, agent_id, "account"))

    async def take_turn(
        self,
        turn: Turn,
        opens: bool,
        judge: Callable[[Turn], Change],
        receipt: SendResult | None = None,
        *events: Event,
        entry: AuditEntry | None = None,
    ) -> tuple[Turn, Agent | None]:
        """Store a turn, and the agent as `judge` finds it by that turn; of a turn by delivery, its receipt as well,
        `events`, and who asked for it. It opens a command, which closes an open one as `replaced`, or joins it.

        A delivery has at most one turn: the known one is returned without an agent, and nothing is stored.
        """

        def work(tx: Transaction) -> tuple[Turn, Agent | None]:
            if turn.delivery is not None and (known := agents.turn_of_delivery(tx.connection, turn.delivery)):
                return known, None
            if turn.delivery is not None and receipt is not None:
                deliveries.finish(tx.connection, turn.delivery, receipt)
            _append(tx, events)
            if entry is not None:
                records.audit(tx, entry)
            return agents.take_turn(tx, turn, opens, judge)

        return await self._run(work)

    async def amend_turn(self, turn: Turn, change: Change) -> Agent:
        """The words of a stored turn are known now; and what that makes of its agent."""
        return await self._run(lambda tx: agents.amend_turn(tx, turn, change))

    async def turn_of(self, delivery_id: str) -> Turn | None:
        """What a delivery has made."""
        return await self._read(lambda connection: agents.turn_of_delivery(connection, delivery_id))

    async def turns(self, agent_id: str, limit: int = 50, before: int | None = None) -> list[Turn]:
        """Newest first."""
        return await self._read(lambda connection: agents.read_turns(connection, agent_id, limit, before))

    async def commands(self, agent_id: str, limit: int = 50) -> list[Command]:
        """Newest first."""
        return await self._read(lambda connection: agents.read_commands(connection, agent_id, limit))

    # --- what lies outside

    async def take(self, names: Mapping[str, str], done: Collection[str], *events: Event) -> tuple[Stored, ...]:
        """Mark what was taken, together with the events it caused; of what is `done` no mark is needed any more."""

        def work(tx: Transaction) -> tuple[Stored, ...]:
            marks.drop_marks(tx.connection, done)
            marks.set_marks(tx.connection, names)
            return _append(tx, events)

        return await self._run(work)

    async def marks(self) -> dict[str, str]:
        return await self._read(marks.read_marks)

    # --- hosts

    async def add_host(self, record: HostRecord) -> HostRecord:
        return await self._run(lambda tx: hosts.add(tx, record))

    async def remove_host(self, name: str) -> None:
        """A host where no agent lives."""

        def work(tx: Transaction) -> None:
            hosts.remove(tx, name, [one.id for one in agents.read_agents(tx.connection) if one.host == name])

        await self._run(work)

    async def hosts(self) -> list[HostRecord]:
        """In order of their names."""
        return await self._read(hosts.read_hosts)

    # --- audit and idempotency

    async def audit(self, entry: AuditEntry) -> None:
        await self._run(lambda tx: records.audit(tx, entry))

    async def audits(
        self, limit: int = 100, before: int | None = None, agent_id: str | None = None
    ) -> list[AuditEntry]:
        """Newest first."""
        return await self._read(lambda connection: records.audits(connection, limit, before, agent_id))

    async def reply(self, identity: str, key: str) -> Reply | None:
        """What an earlier request with this idempotency key was answered with."""
        return await self._read(lambda connection: records.reply(connection, identity, key, self.cutoff(KEEP_REPLIES)))

    async def keep_reply(self, identity: str, key: str, request_hash: str, status: int, body: str) -> None:
        cutoff = self.cutoff(KEEP_REPLIES)
        await self._run(lambda tx: records.keep_reply(tx, identity, key, request_hash, status, body, cutoff))

    # --- care

    def cutoff(self, seconds: float) -> float:
        """What is stamped before that is older than so many seconds, wherever the clock on the wall was set."""
        return self._writer.timeline.observed(lifetime.reading()).cutoff(seconds)

    def at_most(self, stamp: float) -> float:
        """How old something of this stamp can be."""
        return self._writer.timeline.observed(lifetime.reading()).at_most(stamp)

    async def watch_clock(self) -> None:
        """Write down how much time has passed, and whether the clock on the wall was moved, where that is news."""
        known = self._writer.timeline
        if lifetime.worth_writing(known, known.observed(lifetime.reading())):
            self._writer.timeline = await self._run(lambda tx: lifetime.observe(tx.connection))

    async def trim(self, days: float) -> int:
        """Remove what is older; how many rows that were."""
        await self.watch_clock()
        cutoff, total = self.cutoff(days * care.DAY), 0
        while removed := await self._run(lambda tx: care.trim(tx.connection, cutoff)):
            total += removed
        self._writer.first_seq = await self._read(log.first_seq)
        return total

    async def export(self) -> AsyncIterator[dict[str, Any]]:
        """Everything but the replies to requests, row by row, as what JSON knows."""
        for name in care.EXPORTED:
            after: Any = None
            while rows := await self._read(partial(care.page, name=name, after=after, limit=PAGE)):
                for row in rows:
                    yield {"table": name, **row}
                after = care.key_of(name, rows[-1])

    async def close(self) -> None:
        """After all that was asked for."""
        self._hand_over()
        if self._reader is not None:
            self._reader.close()
        try:
            await asyncio.wrap_future(self._writer.after(self._place.release))
        finally:
            self._writer.shutdown()

    # --- inside

    async def _run(self, work: Callable[[Transaction], T], rows: bool = True) -> T:
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._put(Work(work, future, rows))
        return await future

    def _put(self, work: Work) -> None:
        """After what was to be written behind its caller."""
        if self._unwritten:
            self._hand_over()
        self._writer.put(work)

    async def _read(self, work: Callable[[sa.Connection], T]) -> T:
        if self._reader is None:
            return await self._run(lambda tx: work(tx.connection))
        self._hand_over()
        if waiting := [future for future in self._behind if not future.done()]:
            await asyncio.wait(waiting)
        return await self._reader.run(work)


def _append(tx: Transaction, events: Sequence[Event]) -> tuple[Stored, ...]:
    return tuple([tx.append(event) for event in events])  # of a list: a generator takes twice as long
