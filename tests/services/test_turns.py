"""One agent's record: turn first, state second; killed at any write and started again, nothing is lost or doubled."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import pytest

from paneward.core.agent.events import Stored
from paneward.core.agent.record import Actor, Agent, Command, Intent, Stage, Turn
from paneward.core.agent.utterance import Seen
from paneward.core.errors import Code
from paneward.core.result import Menu, Option, Rung, SendResult, Verdict
from paneward.core.state.claims import AgentState, Claim, Ending, Source, Standing
from paneward.services.agents.turns import DOUBT, Turns
from paneward.store import Delivery, Store
from paneward.testing import FakeClock
from tests.services.dying import DyingStore, Killed

ASKED = Menu("Which colour?", (Option(1, "Red"), Option(2, "Green")), 0, None, False, "f1", kind="question")
CONFIRMED = SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "the composer is empty again", pane="%1")
UNCONFIRMED = SendResult(Verdict.UNCONFIRMED, Rung.TYPED, "no composer on the screen", pane="%1")


class Desk:
    """An agent in a store, and its record; `die` begins the next life."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = FakeClock()
        self.writes: DyingStore | None = None
        self.numbers = 0

    async def begin(self) -> None:
        self.turns = Turns(self.store, self.clock, await self.store.adopt(Agent("a", tmux="t", pane="%1")))

    def dies(self, at: int, after: bool) -> None:
        self.writes = DyingStore(self.store, at, after)
        self.turns = Turns(cast(Store, self.writes), self.clock, self.turns.agent)

    async def restart(self) -> None:
        [agent] = await self.store.agents()
        self.turns = Turns(self.store, self.clock, agent)
        await self.turns.recover()

    async def deliver(self, intent: Intent, text: str, receipt: SendResult = CONFIRMED) -> Turn:
        """What a delivery does: the row first, then its receipt with the turn."""
        store = self.writes or self.store
        row, _ = await store.begin(
            message_id=text, tmux="t", pane="%1", pane_pid=1, text=text, secret=False, agent_id="a", intent=intent
        )
        self.turns.hearing.begin(self.turns.agent.question)
        try:
            turn = await self.turns.delivered(row, receipt, text)
            assert turn is not None
            return turn
        finally:
            self.turns.hearing.end(self.clock.now())

    async def see(self, state: AgentState, menu: Menu | None = None, **more: Any) -> None:
        """Looks at an agent that stands so, until nothing more is to be heard."""
        standing = Standing(state, Source.SCREEN, f"it is {state}", 0.0, **more)
        since = self.clock.now()
        for _ in range(4):
            await self.turns.see(Seen(standing, self.clock.now(), menu, quiet=self.clock.now() - since))
            due = self.turns.hearing.deadline()
            if due is None:
                return
            await self.clock.sleep(due - self.clock.now())

    async def events(self, kind: str = "") -> list[Stored]:
        return [event for event in await self.store.events() if kind in ("", event.kind)]


def at_desk(work: Callable[[Desk], Awaitable[Any]]) -> Any:
    async def act() -> Any:
        desk = Desk(Store.open(None))
        await desk.begin()
        try:
            return await work(desk)
        finally:
            await desk.store.close()

    return asyncio.run(act())


Step = Callable[[Desk], Awaitable[Any]]
STORY: list[Step] = [
    lambda desk: desk.deliver(Intent.COMMAND, "fix it"),
    lambda desk: desk.see(AgentState.BUSY),
    lambda desk: desk.see(AgentState.AWAITING_QUESTION, ASKED),
    lambda desk: desk.deliver(Intent.ANSWER, "Red"),
    lambda desk: desk.see(AgentState.BUSY),
    lambda desk: desk.see(AgentState.IDLE),
    lambda desk: desk.see(AgentState.BUSY),
    lambda desk: desk.see(AgentState.AWAITING_PERMISSION, ASKED),
    lambda desk: desk.see(AgentState.BUSY),
    lambda desk: desk.see(AgentState.IDLE),
]
SPOKEN = [
    (Actor.USER, Intent.COMMAND, "fix it", 1),
    (Actor.AGENT, Intent.QUESTION, "Which colour?", 1),
    (Actor.USER, Intent.ANSWER, "Red", 1),
    (Actor.AGENT, Intent.COMPLETION, "", 1),
    (Actor.AGENT, Intent.PROGRESS, "", 2),
    (Actor.AGENT, Intent.QUESTION, "Which colour?", 2),
    (Actor.USER, Intent.ANSWER, "", 2),
    (Actor.AGENT, Intent.COMPLETION, "", 2),
]
STATES = [
    *("IDLE", "COMMANDED", "PROCESSING", "AWAITING_INPUT", "PROCESSING", "COMPLETE"),
    *("PROCESSING", "AWAITING_INPUT", "PROCESSING", "COMPLETE"),
]


async def told(desk: Desk) -> tuple[list[Any], list[str], list[Command], list[Any]]:
    """All that the store knows: turns, states, commands, receipts."""
    turns = [(turn.actor, turn.intent, turn.text, turn.command) for turn in reversed(await desk.store.turns("a"))]
    changes = [(event.data["old_state"], event.data["new_state"]) for event in await desk.events("state_changed")]
    for before, after in pairwise(changes):
        assert before[1] == after[0], changes
    deliveries = [(row.message_id, row.receipt and row.receipt.rung) for row in reversed(await desk.store.recent())]
    commands = [replace(one, opened_at=0.0, closed_at=None) for one in reversed(await desk.store.commands("a"))]
    return turns, [changes[0][0], *(after for _, after in changes)], commands, deliveries


def test_the_story_of_an_agent_is_told_in_turns_and_states() -> None:
    async def work(desk: Desk) -> None:
        for step in STORY:
            await step(desk)
        turns, states, commands, deliveries = await told(desk)
        assert turns == SPOKEN
        assert states == STATES
        assert commands == [Command("a", 1, ending="done"), Command("a", 2, ending="done")]
        assert deliveries == [("fix it", Rung.ACTED), ("Red", Rung.ACTED)]
        stored = [event.data["turn"]["id"] for event in await desk.events("turn_stored")]
        assert stored == list(range(1, 9))
        answers = {turn.id: turn.answers for turn in await desk.store.turns("a") if turn.intent is Intent.ANSWER}
        assert answers == {3: 2, 7: 6}

    at_desk(work)


def writes_of_the_story() -> int:
    async def work(desk: Desk) -> int:
        desk.dies(10_000, after=False)
        for step in STORY:
            await step(desk)
        assert desk.writes is not None
        return 10_000 - desk.writes._left

    return int(at_desk(work))


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, writes_of_the_story() + 1))
def test_killed_at_any_write_nothing_is_lost_or_doubled(at: int, after: bool) -> None:
    """The step in which it died is done again: a caller asks again, a look is taken again."""

    async def work(desk: Desk) -> None:
        desk.dies(at, after)
        steps = list(STORY)
        while steps:
            try:
                await steps[0](desk)
            except Killed:
                desk.writes = None
                await desk.restart()
                continue
            steps.pop(0)
        turns, states, commands, _ = await told(desk)
        assert turns == SPOKEN
        assert states == STATES
        assert [command.ending for command in commands] == ["done", "done"]
        events = await desk.events()
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        receipts = [
            tuple(event.data[name] for name in ("delivery_id", "rung")) for event in events if "rung" in event.data
        ]
        assert len(receipts) == len(set(receipts)), receipts

    at_desk(work)


# --- what was refused, and what is not certain


def test_a_refused_transition_is_told_and_loses_no_turn() -> None:
    async def work(desk: Desk) -> None:
        turn = await desk.deliver(Intent.ANSWER, "Red")
        assert desk.turns.agent.stage is Stage.IDLE
        [refused] = await desk.events("transition_refused")
        assert (refused.data["state"], refused.data["said"], refused.data["turn_id"]) == (
            "IDLE",
            "user_answer",
            turn.id,
        )
        assert [one.id for one in await desk.store.turns("a")] == [turn.id]
        await desk.restart()
        assert len(await desk.events("transition_refused")) == 1

    at_desk(work)


def test_an_unconfirmed_turn_is_marked_and_changes_no_state() -> None:
    async def work(desk: Desk) -> None:
        turn = await desk.deliver(Intent.COMMAND, "fix it", UNCONFIRMED)
        assert (turn.unconfirmed, desk.turns.agent.stage) == (True, Stage.IDLE)
        assert await desk.events("state_changed") == []
        await desk.see(AgentState.IDLE)
        assert desk.turns.agent.stage is Stage.IDLE

    at_desk(work)


@pytest.mark.parametrize("restarted", [False, True])
def test_work_that_begins_soon_proves_that_it_went_in(restarted: bool) -> None:
    async def work(desk: Desk) -> None:
        turn = await desk.deliver(Intent.COMMAND, "fix it", UNCONFIRMED)
        if restarted:
            await desk.restart()
        await desk.see(AgentState.BUSY)
        row = await desk.store.delivery(str(turn.delivery))
        assert row is not None
        assert row.receipt is not None
        assert (row.receipt.verdict, row.receipt.rung) == (Verdict.CONFIRMED, Rung.ACCEPTED)
        [sure] = await desk.store.turns("a")
        assert sure == replace(turn, unconfirmed=False, evidence=row.receipt.evidence)
        changes = [event.data for event in await desk.events("state_changed")]
        assert [(one["new_state"], one["turn_id"]) for one in changes] == [("COMMANDED", turn.id), ("PROCESSING", None)]
        told = [(event.data["verdict"], event.data["rung"]) for event in await desk.events("delivery_changed")]
        assert told == [("unconfirmed", "typed"), ("confirmed", "accepted")]

    at_desk(work)


def test_work_that_begins_much_later_proves_nothing() -> None:
    async def work(desk: Desk) -> None:
        await desk.deliver(Intent.COMMAND, "fix it", UNCONFIRMED)
        await desk.clock.sleep(DOUBT + 1)
        await desk.see(AgentState.BUSY)
        assert [turn.intent for turn in await desk.store.turns("a")] == [Intent.PROGRESS, Intent.COMMAND]
        [row] = await desk.store.recent()
        assert row.receipt is not None
        assert row.receipt.verdict is Verdict.UNCONFIRMED
        assert [turn.unconfirmed for turn in await desk.store.turns("a")] == [False, True]

    at_desk(work)


def test_an_unconfirmed_answer_is_the_one_that_was_heard_and_not_a_second() -> None:
    async def work(desk: Desk) -> None:
        await desk.see(AgentState.AWAITING_QUESTION, ASKED)
        await desk.deliver(Intent.ANSWER, "Red", UNCONFIRMED)
        assert desk.turns.agent.stage == "AWAITING_INPUT"
        await desk.see(AgentState.BUSY)
        assert desk.turns.agent.stage == "PROCESSING"
        answer, question = await desk.store.turns("a")
        assert (answer.intent, answer.unconfirmed, answer.answers) == (Intent.ANSWER, False, question.id)

    at_desk(work)


def test_words_that_join_the_work_open_no_command_and_are_not_upgraded_by_it() -> None:
    async def work(desk: Desk) -> None:
        await desk.see(AgentState.BUSY)
        await desk.deliver(Intent.COMMAND, "and the tests")
        await desk.see(AgentState.BUSY)
        await desk.see(AgentState.IDLE)
        assert [one.ending for one in await desk.store.commands("a")] == ["done"]
        [row] = await desk.store.recent()
        assert row.receipt == CONFIRMED

    at_desk(work)


def test_the_same_delivery_told_twice_counts_once() -> None:
    async def work(desk: Desk) -> None:
        first = await desk.deliver(Intent.COMMAND, "fix it")
        await desk.see(AgentState.BUSY)
        await desk.see(AgentState.IDLE)
        again = await desk.deliver(Intent.COMMAND, "fix it")
        assert (again.id, desk.turns.agent.stage) == (first.id, Stage.COMPLETE)

    at_desk(work)


# --- why


def test_the_deciding_fact_is_kept_with_the_losers() -> None:
    async def work(desk: Desk) -> None:
        claims = (
            Claim(Source.TITLE, AgentState.BUSY, "title 'working'", 1.0),
            Claim(Source.SCREEN, AgentState.IDLE, "the composer is on the screen", 1.0),
            Claim(Source.PROGRESS, AgentState.BUSY, "OSC 9;4", 1.0),
        )
        standing = Standing(AgentState.BUSY, Source.TITLE, "title 'working'", 1.0, claims=claims)
        await desk.turns.see(Seen(standing, desk.clock.now()))
        [change] = await desk.events("state_changed")
        assert (change.data["source"], change.data["reason"]) == ("title", "title 'working'")
        assert change.data["others"] == ["screen: idle (the composer is on the screen)"]
        agent = desk.turns.agent
        assert (agent.source, agent.reason, agent.since) == ("title", "title 'working'", desk.clock.wall())

    at_desk(work)


def test_an_interrupted_command_says_so() -> None:
    async def work(desk: Desk) -> None:
        await desk.see(AgentState.BUSY)
        await desk.see(AgentState.IDLE, ending=Ending.INTERRUPTED)
        assert [one.ending for one in await desk.store.commands("a")] == ["interrupted"]

    at_desk(work)


# --- lost and found


def test_a_program_that_ends_is_lost_with_what_it_worked_on_and_found_when_it_is_back() -> None:
    async def work(desk: Desk) -> None:
        await desk.see(AgentState.BUSY)
        await desk.see(AgentState.DEAD)
        await desk.see(AgentState.DEAD)
        assert (desk.turns.agent.gone, desk.turns.agent.stage) == ("it is dead", Stage.IDLE)
        assert [one.ending for one in await desk.store.commands("a")] == ["lost"]
        await desk.see(AgentState.IDLE)
        assert desk.turns.agent.gone == ""
        kinds = [event.kind for event in await desk.events()]
        assert kinds.count("agent_lost") == kinds.count("agent_found") == 1

    at_desk(work)


def test_a_pane_that_cannot_be_reached_for_a_moment_loses_no_state() -> None:
    async def work(desk: Desk) -> None:
        await desk.see(AgentState.BUSY)
        await desk.turns.lose("tmux does not answer")
        assert (desk.turns.agent.stage, desk.turns.agent.gone) == (Stage.PROCESSING, "tmux does not answer")
        await desk.see(AgentState.BUSY)
        assert (desk.turns.agent.stage, desk.turns.agent.gone) == (Stage.PROCESSING, "")

    at_desk(work)


def test_a_failed_delivery_has_no_turn() -> None:
    failed = SendResult(Verdict.FAILED, Rung.TYPED, "still there", Code.SEND_FAILED)
    row = Delivery("1", "m", "t", "%1", 1, "x", "", 1, "done", failed, "", "", "a", "COMMAND")  # type: ignore[arg-type]

    async def work(desk: Desk) -> list[Delivery]:
        await desk.store.begin(
            message_id="m", tmux="t", pane="%1", pane_pid=1, text="x", secret=False, agent_id="a", intent="COMMAND"
        )
        assert await desk.turns.delivered(row, failed, "x") is None
        await desk.restart()
        assert await desk.store.turns("a") == []
        [event] = await desk.events("delivery_changed")
        assert (event.data["verdict"], event.data["error_type"]) == ("failed", "SEND_FAILED")
        return await desk.store.unfinished()

    assert at_desk(work) == []


@pytest.mark.parametrize("at", range(1, 4))
@pytest.mark.parametrize("after", [False, True])
def test_words_in_doubt_that_turn_out_to_have_gone_in_are_one_turn_wherever_the_server_was_killed(
    at: int, after: bool
) -> None:
    async def work(desk: Desk) -> None:
        await desk.deliver(Intent.COMMAND, "fix it")
        await desk.see(AgentState.AWAITING_QUESTION, ASKED)
        await desk.deliver(Intent.ANSWER, "Red", UNCONFIRMED)
        desk.dies(at, after)
        await desk.turns.recover()
        with contextlib.suppress(Killed):
            await desk.see(AgentState.BUSY)
        desk.writes = None
        await desk.restart()
        await desk.see(AgentState.BUSY)
        answers = [turn for turn in await desk.store.turns("a") if turn.intent is Intent.ANSWER]
        assert [(turn.text, turn.unconfirmed) for turn in answers] == [("Red", False)]
        assert desk.turns.agent.stage is Stage.PROCESSING

    at_desk(work)
