"""The way to the hosts of a server: a gate for each, opened by the line to it; all other connections go through it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from paneward.adapters.clock import SystemClock
from paneward.adapters.hosts.host import HostGate
from paneward.adapters.hosts.spool import RemoteSpool
from paneward.adapters.hosts.ssh import SshConnection, open_line
from paneward.app.connecting import connect, host_of, socket_at
from paneward.app.connection import Connection
from paneward.config import Settings
from paneward.core.agent.record import Agent
from paneward.core.hosts.host import HostRecord
from paneward.core.state.hooks import Heard
from paneward.services.hooks import Ear, Listening
from paneward.store import Store

Find = Callable[[Heard, str | None, str], tuple[Agent, Ear] | None]


class OpenLine:
    """A line, and the gate that it keeps open."""

    def __init__(self, line: SshConnection, gate: HostGate) -> None:
        self.tmux = line.tmux
        self._line = line
        self._gate = gate

    async def hold(self) -> None:
        await self._line.hold(self._gate)


class Lines:
    def __init__(self, settings: Settings, directory: Path, store: Store, clock: SystemClock) -> None:
        self._settings = settings
        self._directory = directory
        self._store = store
        self._clock = clock
        self._gates: dict[str, HostGate] = {}
        self._find: Find | None = None
        self._counts: Counter[str] = Counter()
        self._listening: dict[str, asyncio.Task[None]] = {}

    def listen(self, find: Find, counts: Counter[str]) -> None:
        """From here on, tell the agents that `find` finds what their hooks on hosts have told."""
        self._find, self._counts = find, counts

    async def forget(self, host: str) -> None:
        """Listen to a host no longer."""
        if (task := self._listening.pop(host, None)) is not None:
            task.cancel()
            await asyncio.wait({task})

    async def close(self) -> None:
        for host in list(self._listening):
            await self.forget(host)

    @asynccontextmanager
    async def open(self, record: HostRecord) -> AsyncIterator[OpenLine]:
        gate, times = self._gate(record), self._settings.hosts
        line = open_line(
            host_of(record),
            gate,
            self._clock,
            tmux=record.binary or self._settings.tmux.binary,
            connect_timeout=times.connect_timeout,
            silent_after=times.silent_after,
        )
        async with line as opened:
            self._hear(record, gate)
            yield OpenLine(opened, gate)

    def _hear(self, record: HostRecord, gate: HostGate) -> None:
        """What hooks there tell, from the first time on that it is connected."""
        if record.name in self._listening or self._find is None:
            return
        spool = RemoteSpool(host_of(record, gate), gate, self._clock)
        listening = Listening(self._store, self._clock, spool, partial(self._whose, record.name))
        listening.counts = self._counts
        self._listening[record.name] = asyncio.create_task(listening.run(), name=f"hooks on {record.name}")

    def _whose(self, host: str, heard: Heard, agent: str | None) -> tuple[Agent, Ear] | None:
        return None if self._find is None else self._find(heard, agent, host)

    def connect(
        self, record: HostRecord, name: str | None, path: str | None
    ) -> AbstractAsyncContextManager[Connection]:
        """A connection to a tmux server there; nothing is tried until it is used."""
        name, path = socket_at(record, name, path)
        settings = self._settings
        if record.binary:
            settings = replace(settings, tmux=replace(settings.tmux, binary=record.binary))
        host = host_of(record, self._gate(record))
        return connect(
            name, path, host, settings.tmux.transport, settings=settings, state=self._directory, store=self._store
        )

    def _gate(self, record: HostRecord) -> HostGate:
        return self._gates.setdefault(record.name, HostGate(record.name))
