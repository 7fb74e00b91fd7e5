"""The recordings of agents: which of them is recorded is stored with the agent, so a new server goes on.

It is stored that a recording began before its first file is made, and that it stopped before its last one is closed: a
server that is killed in between goes on with it, or has a file more than was asked for.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Final, Protocol

from paneward.core.agent.events import RecordingStarted, RecordingStopped
from paneward.core.agent.record import Agent, cut_off
from paneward.core.errors import (
    AgentNotFound,
    Code,
    HostUnreachable,
    InvalidInput,
    PaneDead,
    PaneNotFound,
    PanewardError,
    StoreError,
)
from paneward.core.recording.cast import Header
from paneward.core.recording.recorder import (
    Backdrop,
    KeptRecording,
    Limits,
    Next,
    RecordingEnd,
    Room,
    judged,
    to_remove,
)
from paneward.core.terminal.scene import Snapshot
from paneward.ports import Casts, Clock, OutputWatch, Tape
from paneward.services.recordings.recorder import Recorder

ANEW: Final = "Paneward was started anew"
UNSEEN: Final = "the pane could not be reached"
SOON: Final = 0.2  # seconds until a pane that could not be reached is tried again; doubled each time
LATER: Final = 30.0
PATIENCE: Final = 5.0  # seconds that who asks for a recording waits for its beginning
log = logging.getLogger("paneward.recordings")


class Sights(Protocol):
    """What is needed of the panes of a tmux server."""

    def watch(self, pane: str) -> AbstractAsyncContextManager[OutputWatch]: ...
    async def backdrop(self, snapshot: Snapshot) -> Backdrop: ...


class Recorded(Protocol):
    """What is needed of the agents."""

    def all(self) -> Sequence[Agent]: ...
    def get(self, agent_id: str) -> Agent: ...
    def connection(self, agent_id: str) -> tuple[Sights, str]: ...
    async def mark_recording(self, agent_id: str, name: str, event: RecordingStarted | RecordingStopped) -> Agent: ...


class Over(Exception):
    """It may not go on."""

    def __init__(self, ending: RecordingEnd, detail: str = "") -> None:
        super().__init__(ending)
        self.ending = ending
        self.detail = detail


@dataclass(slots=True)
class RunningRecording:
    reel: "Parts"
    recorder: Recorder
    begun: asyncio.Event  # something is on the disk, or it is over
    over: Over | None = None
    task: asyncio.Task[None] | None = None


class Recordings:
    def __init__(
        self, agents: Recorded, casts: Casts, clock: Clock, limits: Limits, cutoff: Callable[[float], float]
    ) -> None:
        """`cutoff`: what is stamped before that is older than so many seconds, wherever the clock was set."""
        self._agents = agents
        self._casts = casts
        self.clock = clock
        self.limits = limits
        self.cutoff = cutoff
        self._running: dict[str, RunningRecording] = {}
        self._changing = asyncio.Lock()  # which of them run
        self.total = 0  # bytes of all recordings
        self.written = 0  # bytes since the server started
        self._gaps = 0  # of those that are over

    @property
    def gaps(self) -> int:
        """Gaps in recordings since the server started."""
        return self._gaps + sum(one.recorder.gaps for one in self._running.values())

    @property
    def count(self) -> int:
        """How many run."""
        return len(self._running)

    async def start(self) -> None:
        """Go on with those that were running."""
        try:
            await self.make_room(0)
        except OSError as error:
            log.warning("the recordings cannot be looked through: %s", error.strerror)
        self._go_on(ANEW)

    async def close(self) -> None:
        """Leave them as they are: the next server goes on."""
        tasks = [one.task for one in self._running.values() if one.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._running.clear()

    # --- what can be asked for

    async def record(self, agent_id: str) -> tuple[Agent, bool]:
        """Record an agent from now on; False where that is done already."""
        async with self._changing:
            agent = self._agents.get(agent_id)
            if agent.recording:
                self._go_on(UNSEEN)
                return agent, False
            _check(agent)
            name = await self._named(agent_id)
            agent = await self._agents.mark_recording(agent_id, name, RecordingStarted(agent_id, name))
            running = self._begin(agent)
        await self._begun(agent_id, running)
        return agent, True

    async def stop(self, agent_id: str, ending: RecordingEnd = RecordingEnd.ASKED, detail: str = "") -> str:
        """End a recording; its name."""
        async with self._changing:
            return await self._stop(agent_id, ending, detail)

    async def drop(self, agent_id: str, purge: bool = False) -> None:
        """An agent is about to be forgotten; with `purge`, all that was recorded of it too."""
        async with self._changing:
            if self._agents.get(agent_id).recording:
                await self._stop(agent_id, RecordingEnd.FORGOTTEN)
        if purge:
            await self._casts.remove(agent_id)

    async def kept(self, agent_id: str) -> list[KeptRecording]:
        """The recordings of an agent, the oldest first; also of one that was forgotten."""
        found = await self._casts.kept(agent_id)
        if not found:
            self._agents.get(agent_id)
        return self._with_running(found)

    async def tidy(self) -> None:
        """What is too old ends, or goes; so does what there is no room for."""
        cutoff = self.cutoff(self.limits.age)
        for agent_id, one in list(self._running.items()):
            if one.reel.began <= cutoff:
                with contextlib.suppress(PanewardError):  # it has just ended
                    await self.stop(agent_id, RecordingEnd.AGE)
        async with self._changing:
            self._go_on(UNSEEN)
        await self.make_room(0)

    async def make_room(self, more: int) -> None:
        """Remove what is too old, and the oldest until there is room for `more` bytes."""
        kept = self._with_running(await self._casts.kept())
        gone = to_remove(kept, self.limits, self.cutoff(self.limits.age), more)
        for one in gone:
            log.info("%s: the recording %s goes: it is too old, or there is no room for it", one.agent_id, one.name)
            await self._casts.remove(one.agent_id, one.name)
        self.total = sum(one.bytes for one in kept) - sum(one.bytes for one in gone)

    # --- inside

    def _with_running(self, kept: Sequence[KeptRecording]) -> list[KeptRecording]:
        running = {(agent.id, agent.recording) for agent in self._agents.all() if agent.recording}
        return [replace(one, running=(one.agent_id, one.name) in running) for one in kept]

    async def _named(self, agent_id: str) -> str:
        try:
            return await self._casts.fresh_name(agent_id, self.clock.wall())
        except OSError as error:
            raise _unwritable(error) from None

    async def _begun(self, agent_id: str, running: RunningRecording) -> None:
        """Until something is on the disk; one that is over before that has failed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await running.begun.wait()
        if running.over is not None and not running.reel.size:
            detail = f": {running.over.detail}" if running.over.detail else ""
            raise StoreError(
                f"the recording of {agent_id} stopped at once ({running.over.ending}){detail}",
                hint="`paneward cast list` shows what takes the room; the `recording` settings are the limits.",
            )

    def _go_on(self, why: str) -> None:
        """With those that are stored as running and do not: who asked for them may have been cut off right then."""
        for agent in self._agents.all():
            if agent.recording and agent.id not in self._running:
                self._begin(agent, why)

    def _begin(self, agent: Agent, why: str = "") -> RunningRecording:
        reel = Parts(self, self._casts, agent)
        running = self._running[agent.id] = RunningRecording(reel, Recorder(reel, self.clock), reel.begun)
        running.task = asyncio.create_task(self._run(agent, running, why), name=f"recording of {agent.id}")
        return running

    async def _run(self, agent: Agent, running: RunningRecording, why: str) -> None:
        """Until it is over, and that is stored."""
        try:
            await running.reel.recall()
            over = running.over = await self._recorded(agent, running.recorder, why)
        finally:
            running.reel.close()
            running.begun.set()
        wait = SOON
        while True:
            try:
                async with self._changing:
                    if self._running.get(agent.id) is running:
                        await self._stop(agent.id, over.ending, over.detail)
                return
            except AgentNotFound:
                return
            except PanewardError as error:  # a full disk is full for the store as well
                log.warning("%s: that its recording stopped cannot be stored: %s", agent.id, error.message)
            await self.clock.sleep(wait)
            wait = min(wait * 2, LATER)

    async def _recorded(self, agent: Agent, recorder: Recorder, why: str) -> Over:
        wait = SOON
        while True:
            try:
                panes, pane = self._agents.connection(agent.id)
                async with panes.watch(pane) as watch:
                    _check_same(agent, watch.snapshot)
                    wait = SOON
                    await recorder.record(watch, panes.backdrop, why)
            except Over as over:
                return over
            except (PaneNotFound, PaneDead) as error:
                return Over(RecordingEnd.GONE, error.message)
            except AgentNotFound:
                return Over(RecordingEnd.FORGOTTEN)
            except PanewardError as error:
                log.info("%s: its recording waits: %s", agent.id, error.message)
            except Exception:
                log.exception("%s: recording it failed", agent.id)
            why = UNSEEN
            await self.clock.sleep(wait)
            wait = min(wait * 2, LATER)

    async def _stop(self, agent_id: str, ending: RecordingEnd, detail: str = "") -> str:
        agent = self._agents.get(agent_id)
        if not agent.recording:
            raise InvalidInput(
                f"{agent_id} is not recorded",
                code=Code.WRONG_STATE,
                hint=f"`paneward record {agent_id}` begins a recording; `paneward cast list` shows those there are.",
            )
        running = self._running.get(agent_id)
        size = 0 if running is None else running.reel.size
        told = RecordingStopped(agent_id, agent.recording, ending, detail, size)
        await self._agents.mark_recording(agent_id, "", told)
        if running is not None:
            del self._running[agent_id]
            self._gaps += running.recorder.gaps
            await _ended(running.task)
        return agent.recording


async def _ended(task: asyncio.Task[None] | None) -> None:
    if task is not None and task is not asyncio.current_task():
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _check(agent: Agent) -> None:
    if agent.pane is None:
        raise InvalidInput(f"{agent.id} has no pane", code=Code.NO_PANE_ID, hint="Only what is in a pane is recorded.")
    if cut_off(agent):
        raise HostUnreachable(f"{agent.id}: {agent.gone}", hint="`paneward hosts` tells when its host is tried again.")
    if agent.gone:
        raise PaneNotFound(f"{agent.id}: {agent.gone}", hint="Start it again, forget it, and adopt its new pane.")


def _check_same(agent: Agent, seen: Snapshot) -> None:
    if seen.dead or seen.pid != agent.pane_pid:
        raise PaneDead(f"the program in {seen.pane} ended, or another one lives there")


def _unwritable(error: OSError) -> StoreError:
    return StoreError(f"recordings cannot be written: {error.strerror}", hint="PANEWARD_STATE_DIR names another place.")


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """A disk that takes no more ends a recording."""
    try:
        yield
    except OSError as error:
        raise Over(RecordingEnd.FAILED, error.strerror or str(error)) from None


class Parts:
    """The files of one recording, within the limits; the `Reel` of a server."""

    def __init__(self, house: Recordings, casts: Casts, agent: Agent) -> None:
        self._house = house
        self._casts = casts
        self._agent = agent
        self._tape: Tape | None = None
        self._part = 0  # bytes of the part
        self.began = house.clock.wall()
        self.begun = asyncio.Event()
        self.size = 0

    async def recall(self) -> None:
        """What an earlier server recorded of it counts too."""
        with contextlib.suppress(OSError):  # the first write will tell
            for one in await self._casts.kept(self._agent.id):
                if one.name == self._agent.recording:
                    self.began, self.size = one.began, one.bytes

    async def begin(self, snapshot: Snapshot) -> Header:
        self.close()
        with _told():
            self._tape, part = await self._casts.open(self._agent.id, self._agent.recording)
        self._part = 0
        wall, name = self._house.clock.wall(), self._agent.recording
        return Header(snapshot.width, snapshot.height, wall, self._agent.id, name, part)

    async def write(self, lines: bytes) -> bool:
        assert self._tape is not None
        following = await self._judged(len(lines))
        self._count(len(lines))  # first: who stops the recording does not stop a write that was asked for
        try:
            with _told():
                await self._tape.write(lines)
        except Over:
            self._count(-len(lines))
            raise
        self.begun.set()
        return following is not Next.NEXT_PART

    def _count(self, more: int) -> None:
        self._part += more
        self.size += more
        self._house.total += more
        self._house.written += more

    async def _judged(self, more: int) -> Next:
        house = self._house
        following, ending = judged(self._room(), more, house.limits)
        if following is Next.MAKE_ROOM:
            await house.make_room(more)
            following, ending = judged(self._room(), more, house.limits)
        if following in (Next.STOP, Next.MAKE_ROOM):
            assert ending is not None
            raise Over(
                ending, f"{self.size} bytes, {house.total} of all recordings" if ending is RecordingEnd.LIMIT else ""
            )
        return following

    def _room(self) -> Room:
        house = self._house
        age = house.limits.age + house.cutoff(house.limits.age) - self.began
        return Room(self._part, self.size, house.total, age)

    def close(self) -> None:
        if self._tape is not None:
            self._tape.close()
            self._tape = None
