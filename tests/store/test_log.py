"""The event log: one rising seq, grouped commits, listeners."""

import asyncio
import logging
import threading
from pathlib import Path

import pytest

from paneward.core.agent.changes import Change
from paneward.core.agent.events import AgentLost, ServerStarted, ServerStopped, StateChanged, Stored
from paneward.core.agent.record import Actor, Agent, Intent, Turn
from paneward.core.errors import AgentExists, StoreError
from paneward.store import Store
from paneward.store.tables import tables
from paneward.store.writer import Transaction
from tests.store.conftest import Place, on_disk, raw, say, using


def changed(agent_id: str = "a", reason: str = "its screen shows work") -> StateChanged:
    return StateChanged(agent_id, "IDLE", "PROCESSING", None, "screen", reason)


def test_events_get_a_rising_seq_and_stay(place: Place) -> None:
    async def write(store: Store) -> tuple[Stored, ...]:
        await store.append(ServerStarted("1.0"))
        return await store.append(changed(), AgentLost("b", "the pane closed"))

    two = using(place, write)
    assert [(one.seq, one.kind, one.agent_id) for one in two] == [(2, "state_changed", "a"), (3, "agent_lost", "b")]

    async def read(store: Store) -> list[Stored]:
        assert (store.first_seq, store.last_seq) == (1, 3)
        return await store.events()

    kept = using(place, read)
    assert kept[1:] == list(two)
    assert kept[0].data == {"version": "1.0"}
    assert kept[1].data["reason"] == "its screen shows work"


def test_an_empty_log_begins_with_one(place: Place) -> None:
    async def work(store: Store) -> tuple[int, int, list[Stored]]:
        return store.first_seq, store.last_seq, await store.events()

    assert using(place, work) == (1, 0, [])


def test_two_hundred_producers_leave_no_gap_and_each_hears_of_its_own(place: Place) -> None:
    async def produce(store: Store, name: str) -> list[tuple[str, int]]:
        own = []
        for number in range(5):
            [stored] = await store.append(changed(name, f"{name} {number}"))
            assert stored.data["reason"] == f"{name} {number}"
            own.append((stored.data["reason"], stored.seq))
        return own

    async def work(store: Store) -> None:
        heard: list[Stored] = []
        store.on_commit = heard.extend
        told = await asyncio.gather(*(produce(store, f"agent-{number}") for number in range(200)))
        assert [one.seq for one in heard] == list(range(1, 1001))
        assert await store.events(limit=2000) == heard
        assert {pair for own in told for pair in own} == {(one.data["reason"], one.seq) for one in heard}

    using(place, work)


def test_works_that_wait_share_a_commit(place: Place) -> None:
    async def work(store: Store) -> None:
        commits: list[int] = []
        store.on_commit = lambda events: commits.append(len(events))
        gate = threading.Event()
        blocked = store._writer.after(lambda connection: gate.wait(60))
        appends = [asyncio.ensure_future(store.append(changed(str(number)))) for number in range(50)]
        adopted = asyncio.ensure_future(store.adopt(Agent("a")))
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*appends, adopted)
        assert blocked.done()
        assert commits == [51]

    using(place, work)


def test_listeners_hear_before_the_await_returns_and_a_bad_one_is_logged(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(store: Store) -> None:
        heard: list[Stored] = []
        store.on_commit = heard.extend
        [stored] = await store.append(changed())
        assert heard == [stored]
        assert store.last_seq == 1

        def bad(events: object) -> None:
            raise RuntimeError("a bad listener")

        store.on_commit = bad
        await store.append(changed())
        assert store.last_seq == 2

    with caplog.at_level(logging.ERROR):
        using(place, work)
    assert "a bad listener" in caplog.text


def test_of_works_in_one_commit_one_that_fails_fails_alone(place: Place) -> None:
    async def work(store: Store) -> None:
        answers = await asyncio.gather(
            store.append(ServerStarted("1")),
            store.adopt(Agent("a", pane="%1")),
            store.adopt(Agent("a", pane="%2")),
            store.save(Agent("nobody"), changed("nobody")),
            store.take_turn(Turn("a", Actor.USER, Intent.COMMAND, "go"), True, lambda _: Change(Agent("a", pane="%1"))),
            store.append(ServerStopped("done")),
            return_exceptions=True,
        )
        assert isinstance(answers[2], AgentExists)
        assert "nobody" in str(answers[3])
        kinds = [(one.seq, one.kind) for one in await store.events()]
        assert kinds == [(1, "server_started"), (2, "agent_adopted"), (3, "turn_stored"), (4, "server_stopped")]
        assert [agent.pane for agent in await store.agents()] == ["%1"]

    using(place, work)


def test_a_work_that_fails_halfway_leaves_no_rows_beside_the_others(place: Place) -> None:
    async def work(store: Store) -> None:
        def halfway(tx: Transaction) -> None:
            tx.append(changed("half"))
            tx.connection.execute(tables().agents.insert(), {"id": "half", "tmux": "", "stage": "IDLE", "body": "{}"})
            raise ZeroDivisionError

        gate = threading.Event()
        store._writer.after(lambda connection: gate.wait(60))
        together = asyncio.gather(
            store.adopt(Agent("a")), store._run(halfway), store.adopt(Agent("b")), return_exceptions=True
        )
        await asyncio.sleep(0)
        gate.set()
        answers = await together
        assert isinstance(answers[1], ZeroDivisionError)
        assert [agent.id for agent in await store.agents()] == ["a", "b"]
        assert [one.agent_id for one in await store.events()] == ["a", "b"]

    using(place, work)


def test_a_work_with_an_error_of_our_own_changes_nothing(place: Place) -> None:
    async def work(store: Store) -> None:
        def wrong(tx: object) -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await store._run(wrong)
        await store.append(changed())
        assert store.last_seq == 1

    using(place, work)


def test_a_cancelled_append_is_stored_all_the_same(place: Place) -> None:
    async def work(store: Store) -> None:
        task = asyncio.ensure_future(store.append(changed()))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await store.append(changed())
        assert [one.seq for one in await store.events()] == [1, 2]

    using(place, work)


@pytest.mark.parametrize(
    ("wanted", "seqs"),
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"after": 4}, [5, 6]),
        ({"limit": 2}, [1, 2]),
        ({"after": 1, "limit": 2}, [2, 3]),
        ({"kinds": ["agent_lost"]}, [2, 4, 6]),
        ({"agent_id": "a"}, [1, 2, 3]),
        ({"agent_id": "b", "kinds": ["state_changed", "agent_lost"], "after": 4}, [5, 6]),
        ({"before": 4}, [1, 2, 3]),
        ({"before": 4, "limit": 2}, [2, 3]),
        ({"before": 7, "limit": 1}, [6]),
        ({"after": 1, "before": 3}, [2]),
        ({"kinds": ["nonsense"]}, []),
    ],
)
def test_events_are_found_by_seq_kind_and_agent(wanted: dict[str, object], seqs: list[int]) -> None:
    async def work(store: Store) -> list[int]:
        await store.append(changed("a"), AgentLost("a", "x"), changed("a"))
        await store.append(AgentLost("b", "x"), changed("b"), AgentLost("b", "x"))
        return [one.seq for one in await store.events(**wanted)]  # type: ignore[arg-type]

    assert using(None, work) == seqs


def test_the_same_selection_on_every_database(place: Place) -> None:
    async def work(store: Store) -> list[int]:
        await store.append(changed("a"), AgentLost("a", "x"), changed("b"), AgentLost("a", "x"), changed("a"))
        return [one.seq for one in await store.events(1, 2, ["state_changed", "agent_lost"], "a", 5)]

    assert using(place, work) == [2, 4]


def test_events_of_another_process_are_heard_of_with_the_next_commit(place: Place) -> None:
    async def work(store: Store) -> list[int]:
        heard: list[int] = []
        store.on_commit = lambda events: heard.extend(one.seq for one in events)
        await store.append(changed("mine"))
        other = Store.open(place)
        await other.append(changed("other's"), changed("other's"))
        await other.close()
        [stored] = await store.append(changed("mine"))
        assert stored.seq == 4
        return heard

    assert using(place, work) == [1, 2, 3, 4]


def test_reads_do_not_wait_for_the_writer(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.append(changed())
        gate = threading.Event()
        blocked = store._run(lambda tx: gate.wait(60))
        busy = asyncio.ensure_future(blocked)
        await asyncio.sleep(0)
        assert len(await store.events()) == 1
        assert not busy.done()
        gate.set()
        assert await busy

    using(place, work)


def test_the_reader_writes_nothing(place: Place) -> None:
    async def work(store: Store) -> None:
        with pytest.raises(StoreError, match=r"(?i)read-?only"):
            await store._read(lambda connection: connection.exec_driver_sql("DELETE FROM events"))

    using(place, work)


def test_what_is_said_in_an_event_is_stored_without_credentials(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"

    async def work(store: Store) -> list[Stored]:
        await store.adopt(Agent("a"))
        await store.append(changed(reason="export API_KEY=0123456789abcdef"))
        turn = Turn("a", Actor.USER, Intent.COMMAND, f"use sk-ant-api03-AbCdEfGhIjKlMnOp {'x' * 300}")
        await say(store, turn, opens=True)
        return await store.events()

    _, one, two = using(path, work)
    assert one.data["reason"] == "export API_KEY=[redacted: secret]"
    assert two.data["turn"]["text"].startswith("use [redacted: API key] xxx")
    assert b"0123456789abcdef" not in on_disk(tmp_path)
    assert b"AbCdEfGhIjKlMnOp" not in on_disk(tmp_path)


@pytest.mark.parametrize("text", ["\udc80 lone", "nul \x00 inside", "🧪 quote ' and \" and \\", "x" * 100_000])
def test_any_text_can_stand_in_an_event(place: Place, text: str) -> None:
    async def work(store: Store) -> None:
        await store.append(changed(reason=text), AgentLost(text[:50], text))
        first, second = await store.events()
        first.data["reason"].encode()
        second.data["agent_id"].encode()
        assert second.data["reason"] == first.data["reason"]
        assert len(await store.events(agent_id=text[:50])) == 1

    using(place, work)


def test_a_loop_that_is_gone_is_no_trouble_for_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    store = Store.open(path)
    gate = threading.Event()

    async def leave() -> None:
        asyncio.ensure_future(store._run(lambda tx: gate.wait(60)))  # noqa: RUF006
        await asyncio.sleep(0)

    asyncio.run(leave())
    gate.set()

    async def go_on() -> None:
        await store.append(changed())
        await store.close()

    asyncio.run(go_on())
    assert raw(path, "SELECT count(*) FROM events") == [(1,)]
