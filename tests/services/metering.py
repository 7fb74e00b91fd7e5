"""A desk for tests of meters: one agent, transcripts that are texts, and a clock that passes when it is told to."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from paneward.core.agent.record import Agent
from paneward.core.errors import AgentNotFound, StoreError
from paneward.core.usage import Account, Budget, Usage
from paneward.ports import Grown, TranscriptPlace
from paneward.services.agents.turns import Turns
from paneward.services.bus import Bus
from paneward.services.usage import Meters
from paneward.store import Store
from paneward.testing import FakeClock
from tests.services.dying import DyingStore

MAIN = "/home/p/main.jsonl"
AGENT = Agent("a", tmux="local:/s", pane="%1", pane_pid=7, kind="claude")


@dataclass
class FakeTranscripts:
    """Transcripts as texts; `place` is where they are found."""

    texts: dict[str, bytes] = field(default_factory=dict)
    found: bool = True
    asked: list[tuple[str, int, tuple[str, ...]]] = field(default_factory=list)
    watched: set[str] = field(default_factory=set)
    news: asyncio.Queue[set[str] | OSError] = field(default_factory=asyncio.Queue)
    failing: bool = False

    async def find(self, kind: str, pane_pid: int, told: Collection[str]) -> TranscriptPlace | None:
        self.asked.append((kind, pane_pid, tuple(told)))
        files = {path: "/subagents/" in path for path in self.texts}
        return TranscriptPlace("", files, frozenset({"/home/p"})) if self.found and files else None

    async def read(self, account: Account, place: TranscriptPlace) -> Grown:
        if self.failing:
            raise RuntimeError("it broke")
        told = more = False
        for path in {*account.files, *place.files}:
            file = account.begin(path, 1, "/subagents/" in path)
            data = self.texts[path][file.read_to :][:20_000]
            told, more = account.feed(path, data) or told, more or bool(data)
        return Grown(told, more)

    def watch(self, directories: Collection[str]) -> None:
        self.watched = set(directories)

    async def changed(self) -> set[str]:
        told = await self.news.get()
        self.news.task_done()
        if isinstance(told, OSError):
            raise told
        return told


class Team:
    """One agent, kept as it is."""

    def __init__(self, store: Store, clock: FakeClock, agent: Agent) -> None:
        self.turns = Turns(store, clock, agent)
        self.refuses = 0

    def all(self) -> list[Agent]:
        return [self.turns.agent]

    def get(self, agent_id: str) -> Agent:
        if agent_id != self.turns.agent.id:
            raise AgentNotFound("nobody")
        return self.turns.agent

    async def spent(self, agent_id: str, usage: Usage, account: Mapping[str, Any], crossed: str) -> None:
        if self.refuses:
            self.refuses -= 1
            raise StoreError("the disk is full")
        await self.turns.spent(usage, account, crossed)


@dataclass
class Desk:
    store: Store
    clock: FakeClock
    files: FakeTranscripts
    team: Team
    meters: Meters

    @property
    def agent(self) -> Agent:
        return self.team.turns.agent

    def become(self, **parts: Any) -> None:
        self.team.turns._agent = replace(self.agent, **parts)

    async def restart(self, budget: Budget | None = None, store: DyingStore | None = None, **agent: Any) -> None:
        """The server was killed, and starts anew."""
        [kept] = await self.store.agents()
        self.team = Team(cast(Store, store or self.store), self.clock, replace(kept, **agent))
        self.meters = Meters(self.store, self.clock, self.files, self.team, Bus(), budget or Budget())

    async def look(self, wake: bool = True) -> float | None:
        """Something happened: until there is nothing to do at this moment."""
        if wake:
            self.meters._wake(["a"], 0.0)
        while (due := await self.meters.tick(self.clock.now())) is not None and due <= self.clock.now():
            pass
        return due

    async def pass_(self, seconds: float) -> None:
        await self.clock.sleep(seconds)

    async def told(self, kind: str = "usage_changed") -> list[dict[str, Any]]:
        return [event.data for event in await self.store.events() if event.kind == kind]


def at_desk(work: Callable[[Desk], Awaitable[None]], budget: Budget | None = None, **agent: Any) -> None:
    async def act() -> None:
        store, clock, files = Store.open(None), FakeClock(), FakeTranscripts()
        try:
            team = Team(store, clock, await store.adopt(replace(AGENT, **agent)))
            await work(Desk(store, clock, files, team, Meters(store, clock, files, team, Bus(), budget or Budget())))
        finally:
            await store.close()

    asyncio.run(act())
