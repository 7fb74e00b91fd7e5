"""The verbs on agents, where no pane can be reached: who there is, who is not, and one connection per tmux server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, cast

import pytest

from paneward.core.agent.record import Agent, Answer, Stage
from paneward.core.errors import Code, PaneNotFound, PanewardError, TmuxError
from paneward.services.agents.agents import Agents
from paneward.services.agents.follower import Follower
from paneward.services.panes import Panes
from paneward.services.profile_report import ReportedPane
from paneward.store import Store
from paneward.testing import FakeClock
from tests.live.serving import refusal


class StillClock(FakeClock):
    """Whoever sleeps does so until the end."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.Event().wait()


class FakePanes:
    """A tmux server whose panes can be named, and not followed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.closed = False
        self.failure: PanewardError = TmuxError("no server running")

    async def socket(self) -> str:
        return self.path

    async def place(self, pane: str, profile: str | None = None) -> ReportedPane:
        dead = pane == "%9"
        return ReportedPane(f"local:{self.path}", self.path, pane, 7, dead, profile or "claude", "2.1", "/work")

    @asynccontextmanager
    async def follow(self, pane: str, profile: str | None = None) -> AsyncIterator[Follower]:
        raise self.failure
        yield  # a generator, which never comes here


class Office:
    """Agents of one store, with the connections that were made for them."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.made: list[FakePanes] = []
        self.agents = Agents(store, StillClock(), self._connect)

    def _connect(self, host: str, name: str | None, path: str | None) -> AbstractAsyncContextManager[Panes]:
        return cast(AbstractAsyncContextManager[Panes], self._open(path or f"/tmp/tmux-0/{name or 'default'}"))

    @asynccontextmanager
    async def _open(self, path: str) -> AsyncIterator[FakePanes]:
        panes = FakePanes(path)
        self.made.append(panes)
        try:
            yield panes
        finally:
            panes.closed = True

    @property
    def open(self) -> list[str]:
        return [panes.path for panes in self.made if not panes.closed]


def in_office(work: Callable[[Office], Awaitable[Any]], *agents: Agent) -> Any:
    async def act() -> Any:
        store = Store.open(None)
        for agent in agents:
            await store.adopt(agent)
        office = Office(store)
        await office.agents.start()
        try:
            return await work(office)
        finally:
            await office.agents.close()
            assert office.open == []
            await store.close()

    return asyncio.run(act())


def test_there_is_one_connection_per_tmux_server_however_it_is_called() -> None:
    async def work(office: Office) -> None:
        default = await office.agents.at()
        named = await office.agents.at("work")
        assert await office.agents.at("/tmp/tmux-0/work") is named
        assert await office.agents.at("default") is default
        assert await office.agents.at(None) is default
        assert sorted(office.open) == ["/tmp/tmux-0/default", "/tmp/tmux-0/work"]

    in_office(work)


def test_many_at_once_share_one_connection() -> None:
    async def work(office: Office) -> None:
        found = await asyncio.gather(*(office.agents.at("work") for _ in range(10)))
        assert len(set(map(id, found))) == len(office.made) == 1

    in_office(work)


def test_adopting_makes_up_a_name_and_keeps_what_was_found() -> None:
    async def work(office: Office) -> None:
        first = await office.agents.adopt("%1", role="builder", labels=["x"])
        second = await office.agents.adopt("%2", name="mine", profile="codex")
        third = await office.agents.adopt("%3", socket_name="work")
        assert [agent.id for agent in office.agents.all()] == ["claude-1", "mine", "claude-2"]
        assert (first.role, first.labels, first.kind, first.version, first.cwd) == (
            "builder",
            ("x",),
            "claude",
            "2.1",
            "/work",
        )
        assert (second.profile, second.kind) == ("codex", "codex")
        assert (third.socket, third.pane) == ("/tmp/tmux-0/work", "%3")
        assert office.agents.connection("claude-2")[1] == "%3"
        assert [event.kind for event in await office.store.events()].count("agent_adopted") == 3

    in_office(work)


def test_what_cannot_be_adopted_is_refused_and_leaves_nothing() -> None:
    async def work(office: Office) -> None:
        await office.agents.adopt("%1", name="mine")
        assert await refusal(office.agents.adopt("%2", name="mine")) is Code.AGENT_EXISTS
        assert await refusal(office.agents.adopt("%2", name="Mine!")) is Code.INVALID_NAME
        assert await refusal(office.agents.adopt("%9")) is Code.PANE_DEAD
        assert [agent.id for agent in office.agents.all()] == ["mine"]
        assert len(await office.store.agents()) == 1

    in_office(work)


def test_one_that_nobody_knows_is_not_found_by_any_verb() -> None:
    async def work(office: Office) -> None:
        agents = office.agents
        verbs = [
            agents.send("x", "hello"), agents.keys("x", "Enter"), agents.respond("x", Answer()), agents.screen("x"),
            agents.menu("x"), agents.explain("x"), agents.wait("x"), agents.forget("x"),
        ]  # fmt: skip
        for verb in verbs:
            assert await refusal(verb) is Code.AGENT_NOT_FOUND
        with pytest.raises(PanewardError):
            agents.get("x")

    in_office(work)


def test_one_without_a_pane_is_known_and_cannot_be_typed_into() -> None:
    async def work(office: Office) -> None:
        agents = office.agents
        assert agents.get("ghost").stage is Stage.AWAITING_INPUT
        for verb in (agents.send("ghost", "x"), agents.keys("ghost", "Enter"), agents.respond("ghost", Answer())):
            assert await refusal(verb) is Code.NO_PANE_ID
        assert await refusal(agents.screen("ghost")) is Code.NO_PANE_ID
        assert office.open == []

    in_office(work, Agent("ghost", stage=Stage.AWAITING_INPUT))


def test_who_asks_nothing_cannot_be_answered_and_that_comes_before_the_body() -> None:
    async def work(office: Office) -> None:
        await office.agents.settled()
        assert await refusal(office.agents.respond("rests", Answer("shout"))) is Code.PANE_NOT_FOUND
        assert office.agents.get("rests").gone == "no server running"
        assert await refusal(office.agents.respond("asks", Answer("shout"))) is Code.INVALID_ANSWER

    resting = Agent("rests", tmux="t", socket="/tmp/s", pane="%1", pane_pid=7)
    asking = Agent("asks", tmux="t", socket="/tmp/s", pane="%2", pane_pid=7, stage=Stage.AWAITING_INPUT)
    in_office(work, resting, asking)


def test_an_agent_that_cannot_be_reached_is_lost_and_the_server_starts() -> None:
    async def work(office: Office) -> None:
        await office.agents.settled()
        agent = office.agents.get("a")
        assert (agent.gone, agent.stage) == ("no server running", Stage.PROCESSING)
        [event] = await office.store.events(kinds=["agent_lost"])
        assert event.data["reason"] == "no server running"

    in_office(work, Agent("a", tmux="t", socket="/tmp/s", pane="%1", pane_pid=7, stage=Stage.PROCESSING))


def test_a_pane_that_is_gone_takes_the_work_with_it() -> None:
    async def work(office: Office) -> None:
        panes = cast(FakePanes, await office.agents.at("/tmp/s"))
        panes.failure = PaneNotFound("can't find pane: %1")
        agent = await office.agents.adopt("%1", socket_path="/tmp/s")
        await office.agents.settled()
        assert office.agents.get(agent.id).gone == "can't find pane: %1"

    in_office(work)


def test_a_forgotten_one_is_watched_no_longer() -> None:
    async def work(office: Office) -> None:
        await office.agents.adopt("%1", name="mine")
        await office.agents.forget("mine")
        assert (office.agents.all(), await office.store.agents()) == ([], [])
        assert (await office.agents.adopt("%1", name="mine")).id == "mine"

    in_office(work)
