"""A house for tests of recordings: agents, panes and a disk that do what a test says."""

import asyncio
import errno
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from paneward.core.agent.events import RecordingStarted, RecordingStopped
from paneward.core.agent.record import Agent
from paneward.core.errors import AgentNotFound, Code, PanewardError, StoreError, TmuxError
from paneward.core.recording.recorder import Backdrop, KeptRecording, Limits
from paneward.core.terminal.scene import Snapshot
from paneward.services.recordings.recordings import Recordings
from paneward.testing import FakeClock

SEEN = Snapshot("%1", ("screen",), 80, 24, 0, 0, pid=7)
LIMITS = Limits(part=4000, recording=20_000, total=40_000, age=1000.0)
END = object()


class Stream:
    """A watch that tells what the test puts into it."""

    def __init__(self) -> None:
        self.snapshot = SEEN
        self.pieces: asyncio.Queue[Any] = asyncio.Queue()
        self.renewed = 0
        self.stuck = False

    async def chunks(self) -> AsyncIterator[bytes | Snapshot | None]:
        while (piece := await self.pieces.get()) is not END:
            yield piece

    async def renew(self) -> None:
        self.renewed += 1
        if self.stuck:
            raise TmuxError("the watching client ended")
        self.pieces.put_nowait(self.snapshot)


class Disk:
    """Files in memory, on a disk that can be full."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.files: dict[tuple[str, str, int], bytearray] = {}
        self.ended: dict[tuple[str, str], float] = {}
        self.full = False
        self.hangs = False  # what is written lands, and nobody hears of it
        self.closed = 0

    async def fresh_name(self, agent_id: str, wall: float) -> str:
        if self.full:
            raise OSError(errno.EACCES, "Permission denied")
        return f"{int(wall):08}"

    async def open(self, agent_id: str, recording: str) -> tuple["DiskTape", int]:
        part = 1 + sum(key[:2] == (agent_id, recording) for key in self.files)
        self.files[agent_id, recording, part] = bytearray()
        return DiskTape(self, (agent_id, recording, part)), part

    async def kept(self, agent_id: str | None = None) -> list[KeptRecording]:
        names = {key[:2] for key in self.files if agent_id in (None, key[0])}
        return [self._kept(*name) for name in sorted(names)]

    def _kept(self, agent_id: str, name: str) -> KeptRecording:
        parts = [data for key, data in self.files.items() if key[:2] == (agent_id, name)]
        size, ended = sum(map(len, parts)), self.ended.get((agent_id, name), float(name))
        return KeptRecording(agent_id, name, float(name), ended, size, len(parts))

    async def remove(self, agent_id: str, recording: str | None = None) -> None:
        for key in [key for key in self.files if key[0] == agent_id and recording in (None, key[1])]:
            del self.files[key]


@dataclass
class DiskTape:
    disk: Disk
    key: tuple[str, str, int]

    async def write(self, data: bytes) -> None:
        if self.disk.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.disk.files[self.key] += data
        self.disk.ended[self.key[:2]] = self.disk.clock.wall()
        if self.disk.hangs:
            await asyncio.Event().wait()

    def close(self) -> None:
        self.disk.closed += 1


class House:
    """Agents with one pane each, and everything around them."""

    def __init__(self, *agents: Agent, limits: Limits = LIMITS) -> None:
        self.clock = Resting()
        self.disk = Disk(self.clock)
        self.agents = {agent.id: agent for agent in agents or (Agent("worker", pane="%1", pane_pid=7),)}
        self.stream = Stream()
        self.watched = 0
        self.failures: list[Exception] = []  # what looking at the pane raises, one after the other
        self.store_fails = 0
        self.events: list[RecordingStarted | RecordingStopped] = []
        self.recordings = Recordings(self, self.disk, self.clock, limits, self.cutoff)

    def cutoff(self, seconds: float) -> float:
        return self.clock.wall() - seconds

    # what recordings need of agents and of panes

    def all(self) -> list[Agent]:
        return list(self.agents.values())

    def get(self, agent_id: str) -> Agent:
        if agent_id not in self.agents:
            raise AgentNotFound(f"no agent is called {agent_id!r}")
        return self.agents[agent_id]

    def connection(self, agent_id: str) -> tuple["House", str]:
        return self, self.get(agent_id).pane or ""

    async def mark_recording(self, agent_id: str, name: str, event: RecordingStarted | RecordingStopped) -> Agent:
        if self.store_fails:
            self.store_fails -= 1
            raise StoreError("the disk is full")
        self.agents[agent_id] = replace(self.get(agent_id), recording=name)
        self.events.append(event)
        return self.agents[agent_id]

    @asynccontextmanager
    async def watch(self, pane: str) -> AsyncIterator[Any]:
        self.watched += 1
        if self.failures:
            raise self.failures.pop(0)
        yield self.stream

    async def backdrop(self, snapshot: Snapshot) -> Backdrop:
        return Backdrop()

    # what tests ask

    def say(self, *pieces: Any) -> None:
        for piece in pieces:
            self.stream.pieces.put_nowait(piece)

    def lines(self, agent_id: str = "worker") -> list[Any]:
        """All entries of all parts, without the headers and the times."""
        mine = [data for key, data in sorted(self.disk.files.items()) if key[0] == agent_id]
        found = [json.loads(line) for data in mine for line in data.splitlines()]
        return [entry[1:] for entry in found if isinstance(entry, list)]

    def heard(self) -> str:
        return "".join(data for kind, data in self.lines() if kind == "o" and "\x1b[2J" not in data)

    @property
    def ends(self) -> list[tuple[str, str]]:
        return [(event.reason, event.detail) for event in self.events if isinstance(event, RecordingStopped)]

    async def until(self, condition: Callable[[], object]) -> None:
        for _ in range(100_000):
            if condition():
                return
            await asyncio.sleep(0)
        raise AssertionError("waited in vain")


class Resting(FakeClock):
    """Whoever sleeps lets others go on."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        await asyncio.sleep(0)


def run(work: Callable[[House], Awaitable[Any]], house: Callable[[], House] = House) -> Any:
    async def main() -> Any:
        one = house()
        try:
            return await work(one)
        finally:
            await one.recordings.close()

    return asyncio.run(main())


async def refused(work: Awaitable[Any]) -> Code:
    with pytest.raises(PanewardError) as failure:
        await work
    assert failure.value.hint
    return failure.value.code
