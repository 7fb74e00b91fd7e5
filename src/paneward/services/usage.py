"""What agents use, read from what they write beside their work, and stored as it changes.

A meter is looked at when something was written where the transcripts of its agent lie, and when the agent's state
changes; nothing is polled. Looks come one after the other, each reads a bounded piece, and what they find is told every
few seconds at most, or when the agent comes to rest.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from paneward.core.agent.events import AgentAdopted, AgentForgotten, AgentFound, AgentLost, StateChanged, Stored
from paneward.core.agent.record import RESTING, Agent
from paneward.core.errors import AgentNotFound, StoreError
from paneward.core.usage import KINDS, Account, Budget, Tally, Usage, crossed
from paneward.ports import Clock, TranscriptPlace, Transcripts
from paneward.services.bus import Bus
from paneward.store import Store

START: Final = 0.5  # seconds after the start: agents are to be followed first
SOON: Final = 0.3  # seconds after something was written: an answer is several lines
EVERY: Final = 3.0  # seconds between two things that are told of an agent at work
AGAIN: Final = (0.5, 2.0, 8.0)  # seconds after which an agent that has no transcript yet is looked at again
ANEW: Final = 1.0  # seconds until what failed is begun anew
HERE: Final = "local:"  # how the tmux servers of this machine are called
TURNS: Final = (AgentAdopted.kind, AgentFound.kind, AgentLost.kind, StateChanged.kind)
TOLD: Final = 8  # transcripts that hooks told of are remembered
log = logging.getLogger("paneward.usage")


class Spenders(Protocol):
    """The agents."""

    def all(self) -> Sequence[Agent]: ...
    def get(self, agent_id: str) -> Agent: ...
    async def spent(self, agent_id: str, usage: Usage, account: Mapping[str, Any], crossed: str) -> None: ...


@dataclass(slots=True)
class Meter:
    """Of one agent."""

    account: Account | None = None
    due: float | None = None  # when it is looked at next
    told: list[str] = field(default_factory=list)  # transcripts that its hooks told of
    place: TranscriptPlace | None = None
    found_at: float = float("-inf")
    tries: int = 0  # looks in a row that found no transcript
    news: bool = False  # something was read that is not stored
    stored_at: float = float("-inf")

    def wake(self, at: float) -> None:
        self.due = at if self.due is None else min(self.due, at)


class Meters:
    def __init__(
        self, store: Store, clock: Clock, transcripts: Transcripts, agents: Spenders, bus: Bus, budget: Budget
    ) -> None:
        self._store = store
        self._clock = clock
        self._transcripts = transcripts
        self._agents = agents
        self._bus = bus
        self._budget = budget
        self._meters: dict[str, Meter] = {}
        self._stirred = asyncio.Event()
        self.tokens: Counter[tuple[str, str]] = Counter()  # since the start, by kind of agent and kind of token

    async def run(self) -> None:
        """Until it is cancelled. What fails is begun anew."""
        while True:
            try:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(self._hear())
                    tasks.create_task(self._notice())
                    tasks.create_task(self._work())
            except* Exception:
                log.exception("what agents use could not be read for a moment")
            await self._clock.sleep(ANEW)

    def told(self, agent_id: str, transcript: str) -> None:
        """A hook of an agent says where its transcript is."""
        meter = self._meters.setdefault(agent_id, Meter())
        if transcript not in meter.told:
            meter.told = [*meter.told, transcript][-TOLD:]
        self._wake([agent_id], SOON)

    # --- what wakes a meter

    async def _hear(self) -> None:
        while True:
            with self._bus.subscribe() as news:
                self._wake([agent.id for agent in self._agents.all()], START)
                async for batch in news:
                    self.hear(batch)
            if not news.lagged:
                return  # the bus is closed

    def hear(self, events: Iterable[Stored]) -> None:
        for event in events:
            if event.kind == AgentForgotten.kind:
                self._meters.pop(event.agent_id or "", None)
            elif event.kind in TURNS and event.agent_id is not None:
                self._wake([event.agent_id], SOON)

    async def _notice(self) -> None:
        while True:
            places = await self._transcripts.changed()
            meters = self._meters.items()
            self._wake([name for name, one in meters if one.place and one.place.directories & places], SOON)

    def _wake(self, names: Iterable[str], after: float) -> None:
        for name in names:
            meter = self._meters.setdefault(name, Meter())
            meter.tries = 0
            meter.wake(self._clock.now() + after)
        self._stirred.set()

    # --- looking

    async def _work(self) -> None:
        while True:
            self._stirred.clear()
            due = await self.tick(self._clock.now())
            waits: list[asyncio.Task[Any]] = [asyncio.create_task(self._stirred.wait())]
            if due is not None:
                waits.append(asyncio.create_task(self._clock.sleep(max(due - self._clock.now(), 0.0))))
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in waits:
                    one.cancel()

    async def tick(self, now: float) -> float | None:
        """Look at those whose time has come; when the next one's comes."""
        for name in [name for name, one in self._meters.items() if one.due is not None and one.due <= now]:
            try:
                await self._look(name)
            except AgentNotFound:
                self._meters.pop(name, None)
            except Exception:
                log.exception("%s: what it uses cannot be read", name)
        directories = {place for one in self._meters.values() if one.place for place in one.place.directories}
        self._transcripts.watch(directories)
        return min((one.due for one in self._meters.values() if one.due is not None), default=None)

    async def _look(self, name: str) -> None:
        meter, agent = self._meters[name], self._agents.get(name)
        meter.due = None
        if agent.kind not in KINDS or not agent.tmux.startswith(HERE):
            return
        if meter.account is None and (kept := await self._store.account(agent.id)) is not None:
            meter.account = Account.read(kept)
        if not agent.gone:
            await self._find(meter, agent)
        if meter.account is None:
            return
        before = _counted(meter.account)
        place = meter.place or _known(meter.account)
        grown = await self._transcripts.read(meter.account, place)
        self._tally(agent.kind, before, _counted(meter.account))
        meter.news = meter.news or grown.told
        if grown.more:
            meter.wake(self._clock.now())
        elif meter.news:
            await self._tell(meter, agent)
        elif place.asked is not None and meter.tries < len(AGAIN):  # it may know a moment later
            meter.wake(self._clock.now() + AGAIN[meter.tries])
            meter.tries += 1

    async def _find(self, meter: Meter, agent: Agent) -> None:
        """Its transcripts, which may be others than before."""
        now = self._clock.now()
        if meter.place is not None and now < meter.found_at + EVERY:
            meter.wake(meter.found_at + EVERY)
            return
        place = await self._transcripts.find(agent.kind, agent.pane_pid, meter.told)
        if place is not None:
            meter.place, meter.found_at = place, now
            if meter.account is None or meter.account.kind != agent.kind:
                meter.account = Account(agent.kind, place.since)
        elif meter.account is not None and meter.account.files:
            meter.place = meter.place or _known(meter.account)
        elif meter.place is None and meter.tries < len(AGAIN):
            meter.wake(now + AGAIN[meter.tries])
            meter.tries += 1

    async def _tell(self, meter: Meter, agent: Agent) -> None:
        now, account = self._clock.now(), meter.account
        assert account is not None
        if now < meter.stored_at + EVERY and agent.stage not in RESTING:
            meter.wake(meter.stored_at + EVERY)
            return
        usage = self._budget.complete(account.usage(self._clock.wall()), account.tallies)
        words, told = crossed(self._budget, usage, account.told)
        written = {**account.written(), "told": told}
        try:
            await self._agents.spent(agent.id, usage, written, "; ".join(words))
        except StoreError as error:
            log.warning("%s: what it uses is not stored yet: %s", agent.id, error.message)
            meter.wake(now + EVERY)
            return
        account.told, meter.news, meter.stored_at = told, False, now

    def _tally(self, kind: str, before: Tally, after: Tally) -> None:
        more = after.beyond(before)
        for name, count in (("in", more.fresh), ("out", more.out), ("cached", more.cached)):
            if count:
                self.tokens[kind, name] += count


def _known(account: Account) -> TranscriptPlace:
    """Where its transcripts lay."""
    return TranscriptPlace(account.since, {}, frozenset(path.rpartition("/")[0] for path in account.files))


def _counted(account: Account) -> Tally:
    return sum(account.tallies.values(), Tally())
