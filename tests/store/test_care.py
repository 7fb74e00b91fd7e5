"""Retention, purge and export."""

import asyncio
import json
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from paneward.core.agent.events import AgentLost, StateChanged
from paneward.core.agent.record import Actor, Agent, Intent, Turn
from paneward.core.audit import AuditEntry
from paneward.core.result import Rung, SendResult, Verdict
from paneward.store import Store
from paneward.store.rows.deliveries import stamp
from paneward.store.rows.retention import AT_ONCE
from paneward.store.tables import tables
from paneward.store.writer import Transaction
from tests.store.conftest import Place, on_disk, say, using

RECEIPT = SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "the composer is empty again")
PLACE = {"tmux": "s", "pane": "%1", "pane_pid": 1}


async def live(store: Store, name: str, words: str = "go on") -> None:
    """An agent with a delivery, a command, a turn and events."""
    await store.adopt(Agent(name))
    sent = {**PLACE, "text": words, "secret": False, "agent_id": name, "intent": "COMMAND"}
    delivery, _ = await store.begin(message_id=f"{name} {words}", **sent)  # type: ignore[arg-type]
    await store.finish(delivery.id, RECEIPT)
    await say(store, Turn(name, Actor.USER, Intent.COMMAND, words, delivery=delivery.id), opens=True)
    await store.append(StateChanged(name, "IDLE", "COMMANDED", 1, "delivery", words))
    await store.audit(AuditEntry("operator", "send", name, "ok"))


async def age(store: Store, days: float) -> None:
    """Everything that is there was written so many days earlier."""

    def work(tx: Transaction) -> None:
        of, seconds = tables(), days * 86400
        for column in (of.events.c.at, of.turns.c.at, of.commands.c.closed_at, of.audit.c.at):
            tx.connection.execute(column.table.update().values({column: column - seconds}))
        when = stamp(datetime.now(UTC) - timedelta(days=days))
        tx.connection.execute(of.deliveries.update().values(updated_at=when))

    await store._run(work)


async def counts(store: Store) -> dict[str, int]:
    rows = [row async for row in store.export()]
    return {name: sum(row["table"] == name for row in rows) for name in tables().all.tables}


def test_what_is_old_goes_and_seq_goes_on(place: Place) -> None:
    async def work(store: Store) -> None:
        await live(store, "old")
        [old] = await store.agents()
        await store.save(old, ending="done")
        await age(store, 40)
        await live(store, "young")
        assert await store.trim(30) == 7
        assert (store.first_seq, store.last_seq) == (4, 6)
        assert [one.seq for one in await store.events()] == [4, 5, 6]
        left = await counts(store)
        assert (left["agents"], left["commands"], left["turns"], left["deliveries"], left["audit"]) == (2, 1, 1, 1, 1)
        assert await store.trim(30) == 0
        assert (await store.append(AgentLost("young", "x")))[0].seq == 7

    using(place, work)
    assert using(place, first_and_last) == (4, 7)


async def first_and_last(store: Store) -> tuple[int, int]:
    return store.first_seq, store.last_seq


def test_of_a_log_that_is_all_old_the_last_event_stays(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.append(*(AgentLost(str(number), "x") for number in range(10)))
        await age(store, 40)
        assert await store.trim(30) == 9

    using(place, work)
    assert using(place, first_and_last) == (10, 10)


def test_an_open_command_keeps_its_turns(place: Place) -> None:
    async def work(store: Store) -> None:
        await live(store, "a")
        await age(store, 40)
        await store.trim(30)
        assert len(await store.turns("a")) == 1
        assert len(await store.commands("a")) == 1

    using(place, work)


def test_a_clock_that_was_moved_leaves_no_hole_in_the_log(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.append(AgentLost("a", "x"))
        await store.append(AgentLost("b", "x"))
        await age(store, 40)
        await store.append(AgentLost("c", "x"))
        events = tables().events
        await store._run(lambda tx: tx.connection.execute(events.update().where(events.c.seq == 1).values(at=tx.at)))
        await store.trim(30)
        assert [one.seq for one in await store.events()] == [1, 2, 3]

    using(place, work)


def test_much_is_removed_in_several_transactions(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await store.append(*(AgentLost(str(number), "x") for number in range(AT_ONCE * 2 + 10)))
        await age(store, 2)
        assert await store.trim(1) == AT_ONCE * 2 + 9
        assert store.first_seq == store.last_seq == AT_ONCE * 2 + 10

    using(tmp_path / "deliveries.db", work)


def test_a_purged_agent_leaves_nothing_but_its_places_in_the_log(place: Place) -> None:
    async def work(store: Store) -> None:
        await live(store, "a", "words of a")
        await live(store, "b", "words of b")
        await store.forget("a", purge=True)
        rows = [row async for row in store.export()]
        assert "words of a" not in json.dumps(rows)
        assert "words of b" in json.dumps(rows)
        events = await store.events(agent_id="a")
        assert [one.seq for one in events] == [1, 2, 3, 7]
        assert [one.data for one in events[:3]] == [{"agent_id": "a", "purged": True}] * 3
        assert events[3].kind == "agent_forgotten"
        assert await store.turns("a") == []
        assert await store.commands("a") == []
        assert await store.recent(agent_id="a") == []
        assert [one.agent_id for one in await store.audits()] == ["b", "a"]

    using(place, work)


def test_purge_reaches_what_the_same_commit_appends(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.adopt(Agent("a"))
        gate = threading.Event()
        store._writer.after(lambda connection: gate.wait(60))
        both = asyncio.gather(store.append(AgentLost("a", "words of a")), store.forget("a", purge=True))
        await asyncio.sleep(0)
        gate.set()
        await both
        assert "words of a" not in json.dumps([row async for row in store.export()])

    using(place, work)


def test_purged_words_are_gone_from_the_disk(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await live(store, "a", "unforgettable words")
        assert b"unforgettable" in on_disk(tmp_path)
        await store.forget("a", purge=True)
        assert b"unforgettable" not in on_disk(tmp_path)

    using(tmp_path / "deliveries.db", work)


def test_everything_can_be_exported_as_json_lines(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paneward.store.store.PAGE", 2)

    async def work(store: Store) -> list[dict[str, Any]]:
        for name in ("a", "b", "c", "d", "e"):
            await live(store, name)
        return [json.loads(json.dumps(row)) async for row in store.export()]

    rows = using(place, work)
    assert [row["seq"] for row in rows if row["table"] == "events"] == list(range(1, 16))
    assert [row["id"] for row in rows if row["table"] == "agents"] == ["a", "b", "c", "d", "e"]
    [first, *_] = [row for row in rows if row["table"] == "deliveries"]
    assert first["receipt"]["verdict"] == "confirmed"
    assert {row["body"]["text"] for row in rows if row["table"] == "turns"} == {"go on"}


def test_deliveries_to_agents_tell_what_a_crash_left_open(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.adopt(Agent("a"))
        sent = {**PLACE, "text": "t", "secret": False, "agent_id": "a"}
        ids = {}
        for name in ("begun", "done", "failed", "keys"):
            intent = "" if name == "keys" else "ANSWER"
            row, _ = await store.begin(message_id=name, intent=intent, **sent)  # type: ignore[arg-type]
            ids[name] = row.id
        await store.finish(ids["failed"], replace(RECEIPT, verdict=Verdict.FAILED))
        await store.finish(ids["keys"], RECEIPT)
        await store.finish(ids["done"], RECEIPT)
        await store.begin(message_id="forgotten", **{**sent, "agent_id": "b"})  # type: ignore[arg-type]
        await store.begin(message_id="of nobody", **PLACE, text="t", secret=False)  # type: ignore[arg-type]
        assert [row.message_id for row in await store.unfinished()] == ["begun"]
        found = await store.delivery(ids["keys"])
        assert found is not None
        assert (found.message_id, found.agent_id, found.intent) == ("keys", "a", "")
        assert await store.delivery("999") is None
        assert await store.delivery("nonsense") is None

    using(place, work)


def test_a_receipt_and_its_event_are_stored_together(place: Place) -> None:
    async def work(store: Store) -> None:
        row, _ = await store.begin(message_id="m", **PLACE, text="t", secret=False, agent_id="a")  # type: ignore[arg-type]
        await store.finish(row.id, RECEIPT, AgentLost("a", "an event beside it"))
        assert [one.kind for one in await store.events()] == ["agent_lost"]
        with pytest.raises(Exception, match="no delivery"):
            await store.finish("999", RECEIPT, AgentLost("a", "never"))
        assert store.last_seq == 1

    using(place, work)
