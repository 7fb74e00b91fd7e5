"""The hosts that agents may live on: a task for each keeps a line open to it.

Who works on a host asks its link first, and is told when it is lost; so nobody waits for a host that is silent, and one
that is gone is tried by one task alone, with pauses. What is lost is told by events only when it changes.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import fields
from typing import Final, Protocol

from paneward.core.agent.events import Event, HostConnected, HostDisconnected
from paneward.core.errors import HostUnreachable, LoginNeeded, PanewardError, StoreError
from paneward.core.hosts.host import HostRecord, HostStanding, HostState, HostTrouble, Reach, check_host, named_host
from paneward.ports import Clock
from paneward.store import Store

ALL_DAY: Final = 86400.0  # seconds without anything to do
log = logging.getLogger("paneward.hosts")


class HostConnection(Protocol):
    """A connection to a host that is there."""

    tmux: str  # the version over there

    async def hold(self) -> None: ...  # as long as the host answers; raises why it does not any more


Open = Callable[[HostRecord], AbstractAsyncContextManager[HostConnection]]


class Way(Protocol):
    """Whether the machine of an agent can be reached."""

    @property
    def decided(self) -> bool: ...  # it is known whether it can
    async def up(self) -> None: ...  # until that is known; raises unless it can
    def check(self) -> None: ...  # raises unless it can
    async def rest(self, seconds: float) -> None: ...  # or until it can be reached again


class Here:
    """The way to an agent on this machine."""

    decided = True

    def __init__(self, clock: Clock) -> None:
        self.rest = clock.sleep

    async def up(self) -> None:
        return None

    def check(self) -> None:
        return None


class Link:
    """The way to one host."""

    def __init__(
        self, record: HostRecord, store: Store, clock: Clock, open: Open, chance: Callable[[], float], longest: float
    ) -> None:
        self.record = record
        self._store = store
        self._clock = clock
        self._open = open
        self._chance = chance
        self._reach = Reach(longest)
        self._since = clock.wall()
        self._failure: PanewardError | None = None
        self._tmux = ""
        self._changed = asyncio.Event()
        self._asked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.on_lost: Callable[[], None] = lambda: None

    # --- for who works there

    @property
    def decided(self) -> bool:
        return self._reach.state is not HostState.CONNECTING

    def check(self) -> None:
        if self._reach.state is HostState.CONNECTED:
            return
        failure = self._failure
        if failure is None:
            raise HostUnreachable(f"{self.record.name}: it is being connected to", hint="Wait a moment.")
        if isinstance(failure, HostUnreachable):
            raise type(failure)(failure.message, hint=failure.hint)
        raise HostUnreachable(failure.message, code=failure.code, hint=failure.hint)

    async def up(self) -> None:
        await self.outcome()
        self.check()

    async def rest(self, seconds: float) -> None:
        """A host that cannot be reached is waited for; on one that can, the time counts."""
        down = self._reach.state is not HostState.CONNECTED
        await self._first(self._changed, ALL_DAY if down else seconds)

    # --- its task

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=f"host {self.record.name}")

    async def stop(self) -> None:
        """Who waits for it is told."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        self._failure = HostUnreachable(f"{self.record.name}: nobody connects to it any more")
        self._enter(lambda: self._reach.failed(self._clock.now(), 0.0))

    async def ask(self) -> None:
        """Try it now, and wait for what comes of that."""
        self._enter(lambda: self._reach.asked(self._clock.now()))
        self._asked.set()
        await self.up()

    async def outcome(self) -> None:
        """Until the try that somebody waits for is over."""
        while not self.decided:
            await self._changed.wait()

    async def _run(self) -> None:
        while True:
            await self._pause()
            try:
                async with self._open(self.record) as line:
                    await self._answered(line)
                    await line.hold()
            except PanewardError as failure:
                await self._failed(failure)
            except Exception as failure:
                log.exception("%s: the connection failed", self.record.name)
                await self._failed(HostUnreachable(f"{self.record.name}: {failure!r}", hint="The log tells more."))

    async def _pause(self) -> None:
        """Until it is due."""
        while (due := self._reach.deadline()) is None or due > self._clock.now():
            self._asked.clear()
            await self._first(self._asked, ALL_DAY if due is None else due - self._clock.now())

    async def _first(self, event: asyncio.Event, seconds: float) -> None:
        """Until the event, or for so long."""
        waits = {asyncio.ensure_future(event.wait()), asyncio.ensure_future(self._clock.sleep(seconds))}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()

    async def _answered(self, line: HostConnection) -> None:
        self._tmux, self._failure = line.tmux, None
        self._enter(lambda: self._reach.answered(self._clock.now()))
        await self._tell(HostConnected(self.record.name, line.tmux))

    async def _failed(self, failure: PanewardError) -> None:
        before, self._failure = self._reach.state, failure
        login = isinstance(failure, LoginNeeded)
        self._enter(lambda: self._reach.failed(self._clock.now(), self._chance(), login))
        if self._reach.state is not before:
            log.warning("%s", failure.message)
            state = self._reach.state
            await self._tell(HostDisconnected(self.record.name, state, failure.code, failure.message))

    def _enter(self, step: Callable[[], None]) -> None:
        before = self._reach.state
        step()
        if self._reach.state is before:
            return
        self._since = self._clock.wall()
        self._change()
        if before is HostState.CONNECTED:
            self.on_lost()

    def _change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _tell(self, event: Event) -> None:
        try:
            await self._store.append(event)
        except StoreError as error:
            log.warning("%s: what became of it was not stored: %s", self.record.name, error.message)

    # --- for people

    def standing(self, agents: tuple[str, ...]) -> HostStanding:
        failure, due = self._failure, self._reach.deadline()
        trouble = None if failure is None else HostTrouble(failure.code, failure.message, failure.hint)
        waits = due is not None and self._reach.state is HostState.DISCONNECTED
        record = {one.name: getattr(self.record, one.name) for one in fields(HostRecord)}
        return HostStanding(
            **record,
            state=self._reach.state,
            since=self._since,
            error=trouble,
            tries=self._reach.tries,
            retry_at=self._clock.wall() + max(due - self._clock.now(), 0.0) if waits and due is not None else None,
            tmux=self._tmux,
            agents=agents,
        )


async def _nothing(host: str) -> None:
    return None


class Hosts:
    """All hosts of a server."""

    def __init__(
        self, store: Store, clock: Clock, open: Open, chance: Callable[[], float], longest: float = 60.0
    ) -> None:
        self._store = store
        self._clock = clock
        self._open = open
        self._chance = chance
        self._longest = longest
        self._links: dict[str, Link] = {}
        self._here = Here(clock)
        self.on_lost: Callable[[str], None] = lambda host: None  # told at once
        self.on_removed: Callable[[str], Awaitable[None]] = _nothing
        self.inhabitants: Callable[[str], tuple[str, ...]] = lambda host: ()

    async def load(self) -> None:
        """Those of the store."""
        for record in await self._store.hosts():
            self._link_to(record)

    def start(self) -> None:
        """Begin to connect to all of them; nobody waits for that."""
        for link in self._links.values():
            link.start()

    async def close(self) -> None:
        await asyncio.gather(*(link.stop() for link in self._links.values()))

    def way(self, host: str) -> Way:
        return self._link(host) if host else self._here

    def record(self, host: str) -> HostRecord:
        return self._link(host).record

    def all(self) -> list[HostStanding]:
        return [self.get(name) for name in self._links]

    def get(self, host: str) -> HostStanding:
        return self._link(host).standing(self.inhabitants(host))

    async def add(self, record: HostRecord) -> HostStanding:
        """Remember a host, and try it. That it cannot be reached now does not keep it from being added."""
        link = self._link_to(await self._store.add_host(check_host(record)))
        link.start()
        await link.outcome()
        return self.get(record.name)

    async def connect(self, host: str) -> HostStanding:
        """Try it now, also where that waited for a human; raises unless it is connected then."""
        await self._link(host).ask()
        return self.get(host)

    async def remove(self, host: str) -> None:
        link = self._link(host)
        await self._store.remove_host(host)
        del self._links[host]
        await link.stop()
        await self.on_removed(host)

    # --- inside

    def _link_to(self, record: HostRecord) -> Link:
        link = Link(record, self._store, self._clock, self._open, self._chance, self._longest)
        self._links[record.name] = link
        link.on_lost = lambda: self.on_lost(record.name)
        return link

    def _link(self, host: str) -> Link:
        if host not in self._links:
            raise named_host(host, list(self._links))
        return self._links[host]
