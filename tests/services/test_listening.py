"""Hooks become turns and receipts: each once, also when the server is killed at any write."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from paneward.core.agent.record import Actor, Agent, Intent, Stage
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.state.claims import AgentState
from paneward.core.state.hooks import END, Heard
from paneward.ports import Spooled
from paneward.services.agents.follower import Follower
from paneward.services.delivery.receipts import FRESH, began_at
from paneward.services.hooks import Ear, Listening
from paneward.store import Delivery, Store
from tests.services.dying import Killed
from tests.services.test_turns import CONFIRMED, UNCONFIRMED, Desk

NOTHING = SendResult(Verdict.FAILED, Rung.NOTHING, "busy", pane="%1")
FAILED = SendResult(Verdict.FAILED, Rung.RENDERED, "it still holds the text", pane="%1")
BUSY, IDLE = AgentState.BUSY, AgentState.IDLE


class Pile:
    """What lies in a spool; what was taken is gone."""

    def __init__(self) -> None:
        self.files: list[Spooled] = []
        self.number = 0

    def hook(self, at: float, head: str = "claude\t%1\t/s,1,0", **body: Any) -> None:
        self.put(head.encode() + b"\n" + json.dumps({"session_id": "s", **body}).encode() + END, at)

    def put(self, data: bytes, at: float, agent: str | None = None) -> None:
        self.number += 1
        name = f"spool/{self.number}" if agent is None else f"events/{agent}.jsonl"
        self.files.append(Spooled(name, str(self.number), data, at, agent))

    def taken(self, spooled: Spooled) -> None:
        self.files.remove(spooled)

    async def run(self, marks: Mapping[str, str]) -> AsyncIterator[list[Spooled]]:
        """What is there now, without what was marked; then nothing more."""
        self.files = [one for one in self.files if marks.get(one.name) != one.mark]
        if self.files:
            yield list(self.files)
        raise Killed


class Mute:
    """An arbiter whom nobody asks."""

    def tell(self, heard: Heard, age: float) -> None:
        pass


class Room(Desk):
    """An agent with an ear."""

    async def begin(self) -> None:
        await super().begin()
        self.pile = Pile()
        self.listen(self.store)

    def listen(self, store: Any) -> None:
        self.ear = Ear(cast(Store, store), self.clock, self.turns)
        self.listening = Listening(cast(Store, store), self.clock, self.pile, self.find)

    def find(self, heard: Heard, agent_id: str | None) -> tuple[Agent, Ear] | None:
        known = heard.pane == "%1" or agent_id == "a"
        return (self.turns.agent, self.ear) if known else None

    def dies(self, at: int, after: bool) -> None:
        super().dies(at, after)
        self.listen(self.writes)

    async def restart(self) -> None:
        self.writes = None
        await super().restart()
        self.listen(self.store)
        await self.ear.recall()
        await self.hear()

    async def hear(self) -> None:
        """All that lies there, and what it leads to."""
        try:
            await self.listening.run()
        except Killed:
            if self.writes is not None and self.writes.dead:
                raise
        self.ear.tell(cast(Follower, Mute()))
        await self.ear.settle()

    async def sent(self, text: str, receipt: SendResult = CONFIRMED) -> Delivery:
        await self.deliver(Intent.COMMAND, text, receipt)
        return await self.row(text)

    async def row(self, text: str) -> Delivery:
        found = await self.store.find(text)
        assert found is not None
        return found

    async def prompt(self, text: str, at: float, **body: Any) -> None:
        self.pile.hook(at, hook_event_name="UserPromptSubmit", prompt=text, **body)
        await self.hear()

    async def stop(self, text: str, at: float, **body: Any) -> None:
        self.pile.hook(at, hook_event_name="Stop", last_assistant_message=text, **body)
        await self.hear()

    async def spoken(self) -> list[tuple[Actor, Intent, str]]:
        return [(turn.actor, turn.intent, turn.text) for turn in reversed(await self.store.turns("a", 500))]


def in_room(work: Callable[[Room], Awaitable[Any]]) -> Any:
    async def act() -> Any:
        room = Room(Store.open(None))
        await room.begin()
        try:
            return await work(room)
        finally:
            await room.store.close()

    return asyncio.run(act())


COMMAND, COMPLETION = (Actor.USER, Intent.COMMAND), (Actor.AGENT, Intent.COMPLETION)
NOW = 2e9  # seconds since the epoch: after everything that the store has stamped


# --- a prompt


def test_what_somebody_typed_is_a_command_with_its_exact_text() -> None:
    async def work(room: Room) -> None:
        await room.prompt("fix\tit\n please ", NOW)
        assert await room.spoken() == [(*COMMAND, "fix\tit\n please ")]
        agent = room.turns.agent
        assert (agent.stage, agent.source, agent.conversation) == (Stage.COMMANDED, "hook", "s")
        assert agent.reason == "claude's UserPromptSubmit hook"
        await room.see(BUSY)
        assert room.turns.agent.stage is Stage.PROCESSING
        assert len(await room.store.commands("a")) == 1

    in_room(work)


@pytest.mark.parametrize("receipt", [CONFIRMED, UNCONFIRMED, FAILED], ids=lambda one: str(one.verdict))
def test_our_own_text_makes_no_second_turn_and_its_receipt_is_the_strongest(receipt: SendResult) -> None:
    async def work(room: Room) -> None:
        if receipt is FAILED:  # nothing became of it, as far as was known: no turn
            row, _ = await room.store.begin(
                message_id="fix it", tmux="t", pane="%1", pane_pid=1, text="fix it", secret=False, agent_id="a",
                intent=Intent.COMMAND,
            )  # fmt: skip
            await room.store.finish(row.id, receipt)
        else:
            row = await room.sent("fix it", receipt)
        await room.prompt("fix it", began_at(row) + 1)
        assert await room.spoken() == [(*COMMAND, "fix it")]
        found = (await room.row("fix it")).receipt
        assert found is not None
        assert (found.verdict, found.rung, found.error_type) == (Verdict.CONFIRMED, Rung.ACCEPTED, None)
        assert found.evidence == "claude's UserPromptSubmit hook told of it, with its text"
        assert room.turns.agent.stage is Stage.COMMANDED
        assert (await room.events("delivery_changed"))[-1].data["verdict"] == "confirmed"

    in_room(work)


def test_a_later_prompt_of_the_same_text_is_somebody_elses() -> None:
    async def work(room: Room) -> None:
        at = began_at(await room.sent("go on"))
        await room.prompt("go on", at + 1, prompt_id="1")
        await room.stop("done", at + 2, prompt_id="1")
        await room.prompt("go on", at + 3, prompt_id="2")
        assert await room.spoken() == [(*COMMAND, "go on"), (*COMPLETION, "done"), (*COMMAND, "go on")]

    in_room(work)


def test_two_equal_texts_of_ours_are_told_of_twice() -> None:
    async def work(room: Room) -> None:
        first = await room.sent("go on")
        row, _ = await room.store.begin(
            message_id="2", tmux="t", pane="%1", pane_pid=1, text="go on", secret=False, agent_id="a", intent="COMMAND"
        )
        await room.store.finish(row.id, CONFIRMED)
        for number in ("1", "2"):
            await room.prompt("go on", began_at(row) + 1, prompt_id=number)
        receipts = [(await room.row(one)).receipt for one in ("go on", "2")]
        assert all(one is not None and one.hook for one in receipts)
        assert len({one.hook for one in receipts if one}) == 2
        assert first.id != row.id

    in_room(work)


@pytest.mark.parametrize("late", [-2.0, FRESH + 1])
def test_a_delivery_of_another_time_is_not_meant(late: float) -> None:
    async def work(room: Room) -> None:
        row = await room.sent("fix it")
        await room.prompt("fix it", began_at(row) + late)
        assert await room.spoken() == [(*COMMAND, "fix it"), (*COMMAND, "fix it")]

    in_room(work)


def test_a_refused_delivery_is_not_meant() -> None:
    async def work(room: Room) -> None:
        row, _ = await room.store.begin(
            message_id="m", tmux="t", pane="%1", pane_pid=1, text="fix it", secret=False, agent_id="a", intent="COMMAND"
        )
        await room.store.finish(row.id, NOTHING)
        await room.prompt("fix it", began_at(row) + 1)
        found = (await room.row("m")).receipt
        assert found == NOTHING
        assert await room.spoken() == [(*COMMAND, "fix it")]

    in_room(work)


def test_a_secret_that_a_hook_tells_of_is_written_nowhere() -> None:
    async def work(room: Room) -> None:
        row, _ = await room.store.begin(
            message_id="m", tmux="t", pane="%1", pane_pid=1, text="hunter2-hunter2", secret=True, agent_id="a",
            intent=Intent.COMMAND,
        )  # fmt: skip
        await room.turns.delivered(row, UNCONFIRMED, "")
        await room.prompt("hunter2-hunter2", began_at(row) + 1)
        found = (await room.row("m")).receipt
        assert found is not None
        assert found.verdict is Verdict.CONFIRMED
        kept = [line async for line in room.store.export()]
        assert "hunter2" not in json.dumps(kept)
        assert await room.spoken() == [(*COMMAND, "")]

    in_room(work)


def test_what_is_told_while_our_words_go_in_waits_for_them() -> None:
    async def work(room: Room) -> None:
        room.turns.hearing.begin()
        await room.prompt("fix it", NOW)
        assert await room.spoken() == []
        room.turns.hearing.end(room.clock.now())
        await room.ear.settle()
        assert await room.spoken() == [(*COMMAND, "fix it")]

    in_room(work)


# --- a stop


def test_the_words_of_a_stop_are_those_of_the_end() -> None:
    async def work(room: Room) -> None:
        await room.prompt("fix it", NOW)
        await room.see(BUSY)
        await room.stop("It is fixed.", NOW + 1)
        await room.see(IDLE)
        assert await room.spoken() == [(*COMMAND, "fix it"), (*COMPLETION, "It is fixed.")]
        assert [command.ending for command in await room.store.commands("a")] == ["done"]
        assert room.turns.agent.stage is Stage.COMPLETE

    in_room(work)


def test_an_end_that_was_seen_first_gets_its_words_later() -> None:
    async def work(room: Room) -> None:
        await room.prompt("fix it", NOW)
        await room.see(BUSY)
        await room.see(IDLE)
        [_, end] = reversed(await room.store.turns("a"))
        assert end.text == ""
        await room.stop("It is fixed.", end.at + 0.1)
        assert await room.spoken() == [(*COMMAND, "fix it"), (*COMPLETION, "It is fixed.")]
        [amended] = await room.events("turn_amended")
        assert amended.data["turn"]["text"] == "It is fixed."
        await room.stop("And more.", end.at + 0.2)
        assert (await room.spoken())[-1] == (*COMPLETION, "It is fixed.")

    in_room(work)


def test_the_stop_of_the_turn_before_does_not_end_the_next_one() -> None:
    async def work(room: Room) -> None:
        row = await room.sent("next")
        await room.stop("of the one before", began_at(row) - 0.5)
        assert room.turns.agent.stage is Stage.COMMANDED
        assert await room.spoken() == [(*COMMAND, "next")]

    in_room(work)


def test_a_stop_of_an_agent_at_rest_is_nothing_new() -> None:
    async def work(room: Room) -> None:
        await room.stop("hello", NOW)
        assert await room.spoken() == []
        assert room.turns.agent.stage is Stage.IDLE

    in_room(work)


# --- what is not the agent's own


def test_a_storm_is_one_command() -> None:
    async def work(room: Room) -> None:
        for number in range(400):
            room.pile.hook(NOW + number / 4, hook_event_name="UserPromptSubmit", prompt="go")
        await room.hear()
        assert await room.spoken() == [(*COMMAND, "go")]
        assert len(await room.events("hook_heard")) == 1
        assert room.listening.counts == {"prompt_submitted": 1, "echo": 399}

    in_room(work)


def test_the_hooks_of_an_agent_within_the_agent_are_not_its_own() -> None:
    async def work(room: Room) -> None:
        await room.store.save(replace(room.turns.agent, kind="claude"))
        await room.restart()
        await room.prompt("fix it", NOW)
        room.pile.hook(NOW + 1, "codex\t%1\t/s,1,0", hook_event_name="Stop")
        room.pile.hook(NOW + 1, hook_event_name="SessionStart", source="startup", session_id="inner")
        room.pile.hook(NOW + 2, hook_event_name="UserPromptSubmit", prompt="inner", session_id="inner")
        room.pile.hook(NOW + 3, hook_event_name="Stop", session_id="inner")
        room.pile.hook(NOW + 4, hook_event_name="Stop", agent_id="sub", last_assistant_message="of a sub-agent")
        await room.hear()
        assert room.turns.agent.stage is Stage.COMMANDED
        assert await room.spoken() == [(*COMMAND, "fix it")]

    in_room(work)


def test_a_conversation_that_was_compacted_goes_on_under_another_id() -> None:
    async def work(room: Room) -> None:
        await room.prompt("fix it", NOW)
        room.pile.hook(NOW + 1, hook_event_name="SessionStart", source="compact", session_id="t")
        await room.stop("done", NOW + 2, session_id="t")
        assert room.turns.agent.stage is Stage.COMPLETE
        await room.prompt("next", NOW + 3, session_id="t")
        assert room.turns.agent.conversation == "t"

    in_room(work)


def test_an_agent_that_was_started_anew_has_another_conversation() -> None:
    async def work(room: Room) -> None:
        await room.prompt("fix it", NOW)
        await room.stop("done", NOW + 1)
        await room.prompt("again", NOW + 2, session_id="new")
        assert (await room.spoken())[-1] == (*COMMAND, "again")

    in_room(work)


def test_what_belongs_to_nobody_or_cannot_be_read_is_counted_and_gone(caplog: pytest.LogCaptureFixture) -> None:
    async def work(room: Room) -> None:
        room.pile.hook(NOW, "claude\t%9\t/s,1,0", hook_event_name="Stop")
        room.pile.hook(NOW, "claude\t\t", hook_event_name="Stop")
        for number in range(100):
            room.pile.put(b"rubbish %d" % number, NOW)
        room.pile.put(b"", NOW, agent="a")
        room.pile.put(b"{", NOW, agent="a")
        await room.hear()
        assert room.listening.counts == {"nobody": 2, "malformed": 101}
        assert room.pile.files == []
        assert await room.spoken() == []

    in_room(work)
    assert 1 <= sum("of that kind" in record.message for record in caplog.records) <= 8


def test_a_signal_is_in_the_log_once_with_its_place() -> None:
    async def work(room: Room) -> None:
        room.pile.put(b'{"state": "completed", "message": "tests are green"}', NOW, agent="a")
        room.pile.put(b'{"state": "completed", "message": "tests are green"}', NOW + 1, agent="a")
        room.pile.hook(NOW + 9, "signal\t%1\t/s,1,0", state="needs_input", message="which?")
        await room.hear()
        told = [(one.data["what"], one.data["signal"], one.data["text"]) for one in await room.events("hook_heard")]
        assert told == [("signal", "completed", "tests are green"), ("signal", "needs_input", "which?")]
        assert (await room.store.marks())["events/a.jsonl"] == "2"

    in_room(work)
