"""Agents, their commands and turns: rows and events together, in one transaction."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from paneward.core.agent.changes import Change
from paneward.core.agent.events import AgentFound, AgentLost, DeliveryChanged, StateChanged, Stored
from paneward.core.agent.record import Actor, Agent, Command, Intent, Stage, Turn
from paneward.core.errors import AgentExists, AgentNotFound, Code
from paneward.core.result import Menu, Option, Rung, SendResult, Verdict
from paneward.store import Store
from tests.store.conftest import Place, say, using

MENU = Menu(
    "Delete the file?", (Option(1, "Yes", "1"), Option(2, "No", checked=False)), 0, None, multi=False, fingerprint="f1"
)
AGENT = Agent(
    "claude-1", "local:/tmp/x", "/tmp/x", "%1", 77, None, "builder", ("fast", "blue"), "claude", "2.1", "/work",
    Stage.AWAITING_INPUT, 5.0, "screen", "a dialog is open", MENU, 3,
)  # fmt: skip
COMMAND = Turn("claude-1", Actor.USER, Intent.COMMAND, "fix it", "delivery", "the composer is empty", delivery="7")
QUESTION = Turn("claude-1", Actor.AGENT, Intent.QUESTION, "Delete the file?", "screen", question=MENU)


async def kinds(store: Store) -> list[str]:
    return [one.kind for one in await store.events()]


def test_an_adopted_agent_is_there_as_it_was_given_with_its_event(place: Place) -> None:
    async def work(store: Store) -> Agent:
        agent = await store.adopt(AGENT)
        [event] = await store.events()
        assert (event.kind, event.agent_id, event.data["agent"]["labels"]) == (
            "agent_adopted",
            "claude-1",
            ["fast", "blue"],
        )
        assert event.data["agent"]["question"]["options"][1]["label"] == "No"
        return agent

    agent = using(place, work)
    assert agent == replace(AGENT, adopted_at=agent.adopted_at, seq=1)
    assert agent.adopted_at > 1_700_000_000
    assert using(place, lambda store: store.agents()) == [agent]


def test_a_name_or_a_pane_that_is_taken_is_refused_and_nothing_is_appended(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.adopt(AGENT)
        for other in (replace(AGENT, pane="%2"), replace(AGENT, id="codex-1")):
            with pytest.raises(AgentExists, match="claude-1") as caught:
                await store.adopt(other)
            assert caught.value.code is Code.AGENT_EXISTS
            assert caught.value.hint
        await store.adopt(replace(AGENT, id="codex-1", tmux="local:/tmp/y"))
        await store.adopt(Agent("no-pane"))
        await store.adopt(Agent("no-pane-either"))
        assert await kinds(store) == ["agent_adopted"] * 4

    using(place, work)


def test_the_pane_of_an_agent_that_is_gone_can_be_adopted(place: Place) -> None:
    async def work(store: Store) -> None:
        agent = await store.adopt(AGENT)
        await store.save(replace(agent, gone="the pane closed"), AgentLost(agent.id, "the pane closed"))
        await store.adopt(replace(AGENT, id="codex-1"))

    using(place, work)


def test_a_saved_agent_has_the_seq_of_its_last_event(place: Place) -> None:
    async def work(store: Store) -> None:
        agent = await store.adopt(AGENT)
        changed = StateChanged(agent.id, "AWAITING_INPUT", "PROCESSING", 9, "delivery", "answered")
        working = replace(agent, stage=Stage.PROCESSING, question=None)
        saved = await store.save(working, changed, AgentLost(agent.id, "x"))
        assert saved == replace(working, seq=3)
        assert await store.agents() == [saved]
        assert await store.save(replace(saved, reason="said again")) == replace(saved, reason="said again")
        assert await kinds(store) == ["agent_adopted", "state_changed", "agent_lost"]

    using(place, work)


def test_who_was_never_adopted_cannot_be_saved_or_forgotten_and_has_no_turns(place: Place) -> None:
    async def work(store: Store) -> None:
        with pytest.raises(AgentNotFound, match="claude-1"):
            await store.save(AGENT, AgentLost(AGENT.id, "x"))
        with pytest.raises(AgentNotFound, match="claude-1"):
            await store.forget(AGENT.id)
        with pytest.raises(AgentNotFound, match="claude-1"):
            await say(store, COMMAND, opens=True)
        assert await store.commands(AGENT.id) == []
        assert await store.events() == []

    using(place, work)


def test_a_turn_opens_a_command_and_others_join_it(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.adopt(AGENT)
        first = await say(store, COMMAND, opens=True)
        second = await say(store, replace(QUESTION, answers=first.id), opens=False)
        assert (first.id, second.id, first.command, second.command) == (1, 2, 1, 1)
        assert first == replace(COMMAND, id=1, command=1, at=first.at)
        assert await store.turns("claude-1") == [second, first]
        assert await store.turns("claude-1", limit=1) == [second]
        assert await store.turns("claude-1", before=2) == [first]
        assert await store.turns("nobody") == []
        assert [agent.command for agent in await store.agents()] == [1]
        stored: Stored = (await store.events())[-1]
        assert (stored.kind, stored.data["turn"]["id"], stored.data["turn"]["command"]) == ("turn_stored", 2, 1)
        assert stored.data["turn"]["question"]["fingerprint"] == "f1"

    using(place, work)


def test_a_new_command_closes_the_open_one_as_replaced(place: Place) -> None:
    async def work(store: Store) -> list[Command]:
        agent = await store.adopt(AGENT)
        await say(store, COMMAND, opens=True)
        await say(store, replace(COMMAND, delivery="8"), opens=True)
        assert (await store.save(replace(agent, command=1))).command == 2  # what is open is told by the commands
        assert (await store.save(agent, ending="done")).command is None
        await store.save(agent, ending="twice")
        late = await say(store, QUESTION, opens=False)
        assert late.command is None
        return await store.commands("claude-1")

    second, first = using(place, work)
    assert (first.id, first.ending, second.id, second.ending) == (1, "replaced", 2, "done")
    assert first.closed_at is not None
    assert second.closed_at is not None
    assert first.opened_at <= first.closed_at <= second.closed_at


def test_a_turn_its_receipt_and_what_it_makes_of_the_agent_are_one_transaction(place: Place) -> None:
    async def work(store: Store) -> None:
        agent = await store.adopt(AGENT)
        row, _ = await store.begin(
            message_id="m", tmux="t", pane="%1", pane_pid=1, text="go", secret=False, events=(AgentLost(agent.id, "x"),)
        )
        turn, receipt = replace(COMMAND, delivery=row.id), SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "it is gone")

        def judge(turn: Turn) -> Change:
            changed = StateChanged(agent.id, "IDLE", "COMMANDED", turn.id, "delivery", "it is gone")
            return Change(replace(agent, stage=Stage.COMMANDED, turn=turn.id), events=(changed,))

        def fail(turn: Turn) -> Change:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await store.take_turn(turn, True, fail, receipt, AgentFound(agent.id, "x"))
        assert [one.id for one in await store.unfinished()] == []  # it is not an agent's
        assert (await store.find("m"), await store.turn_of(row.id)) == (row, None)
        stored, saved = await store.take_turn(turn, True, judge, receipt, AgentFound(agent.id, "x"))
        assert saved is not None
        assert (saved.stage, saved.turn, saved.command, saved.seq) == (Stage.COMMANDED, stored.id, stored.command, 5)
        assert await store.agents() == [saved]
        assert await store.turn_of(row.id) == stored
        found = await store.find("m")
        assert found is not None
        assert found.receipt == receipt
        assert await kinds(store) == ["agent_adopted", "agent_lost", "agent_found", "turn_stored", "state_changed"]
        assert await store.take_turn(turn, True, judge, receipt, AgentFound(agent.id, "again")) == (stored, None)
        assert len(await store.events()) == 5

    using(place, work)


def test_a_delivery_has_at_most_one_turn(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.adopt(AGENT)
        both = await asyncio.gather(say(store, COMMAND, opens=True), say(store, COMMAND, opens=True))
        again = await say(store, replace(COMMAND, text="other words"), opens=True)
        assert both[0] == both[1] == again
        assert len(await store.commands("claude-1")) == 1
        assert await kinds(store) == ["agent_adopted", "turn_stored"]

    using(place, work)


def test_a_turn_is_in_doubt_until_its_delivery_is_confirmed(place: Place) -> None:
    async def work(store: Store) -> None:
        agent = await store.adopt(AGENT)
        sent: dict[str, Any] = {"tmux": "local", "pane": "%1", "pane_pid": 1, "text": "fix it", "secret": False}
        ids = [(await store.begin(message_id=name, **sent))[0].id for name in ("first", "other")]
        doubted = [replace(COMMAND, delivery=id, unconfirmed=True, evidence="typed") for id in ids]
        turns = [await say(store, turn, opens=True) for turn in doubted]
        sure = SendResult(Verdict.CONFIRMED, Rung.ACCEPTED, "it works")
        await store.upgrade(ids[0], sure, DeliveryChanged(agent.id, ids[0], "confirmed", "accepted", "it works"))
        assert await store.turns(agent.id) == [turns[1], replace(turns[0], unconfirmed=False, evidence="it works")]
        row = await store.delivery(ids[0])
        assert row is not None
        assert row.receipt == sure
        assert (await kinds(store))[-1] == "delivery_changed"

    using(place, work)


def test_turns_without_a_delivery_are_each_their_own(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.adopt(AGENT)
        await say(store, QUESTION, opens=False)
        await say(store, QUESTION, opens=False)
        assert len(await store.turns("claude-1")) == 2

    using(place, work)


def test_a_forgotten_agent_leaves_its_history_and_its_name(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.adopt(AGENT)
        await say(store, COMMAND, opens=True)
        await store.forget("claude-1")
        assert await store.agents() == []
        assert [one.ending for one in await store.commands("claude-1")] == ["lost"]
        assert len(await store.turns("claude-1")) == 1
        assert (await store.events())[-1].data == {"agent_id": "claude-1", "purged": False}
        again = await store.adopt(AGENT)
        assert again.command is None

    using(place, work)


def test_agents_come_in_the_order_of_their_adoption(place: Place) -> None:
    async def work(store: Store) -> list[str]:
        for name in ("c", "a", "b"):
            await store.adopt(Agent(name))
        return [agent.id for agent in await store.agents()]

    assert using(place, work) == ["c", "a", "b"]


def test_what_an_agent_asks_is_stored_without_credentials(place: Place) -> None:
    menu = replace(MENU, question="Run `curl -H 'Authorization: Bearer abcdefgh12345678'`?")

    async def work(store: Store) -> str:
        await store.adopt(replace(AGENT, question=menu, reason="password=hunter2hunter2"))
        [agent] = await store.agents()
        assert agent.question is not None
        return agent.question.question + agent.reason

    kept = using(place, work)
    assert "abcdefgh12345678" not in kept
    assert "hunter2" not in kept
