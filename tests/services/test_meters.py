"""What agents use, from their transcripts to the store: with a fake clock and transcripts that are texts."""

import asyncio

import pytest

from paneward.core.agent.events import AgentForgotten, StateChanged, Stored
from paneward.core.agent.record import Stage
from paneward.core.usage import Budget, price, window
from paneward.services.bus import Bus
from paneward.services.usage import AGAIN, EVERY, SOON, TOLD, Meters
from paneward.store import Store
from paneward.testing import FakeClock
from tests.core.usage.transcripts import answer, corpus
from tests.services.dying import DyingStore, Killed
from tests.services.metering import AGENT, MAIN, Desk, FakeTranscripts, Team, at_desk


def test_what_an_agent_used_is_in_its_record_and_in_the_log() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN] = corpus("claude-2.1.325.jsonl")
        await desk.look()
        usage = desk.agent.usage
        assert usage is not None
        assert (usage.tokens_in, usage.tokens_out, usage.tokens_cached) == (17700, 461, 3100)
        assert (usage.at, usage.source, usage.context_used) == (desk.clock.wall(), "transcript", 720)
        assert [agent.usage for agent in await desk.store.agents()] == [usage]
        [told] = await desk.told()
        assert told["usage"]["tokens_in"] == 17700
        assert desk.files.asked == [("claude", 7, ())]
        assert desk.files.watched == {"/home/p"}
        assert desk.meters.tokens == {("claude", "in"): 17700, ("claude", "out"): 461, ("claude", "cached"): 3100}

    at_desk(work)


def test_a_restart_counts_nothing_twice_and_loses_nothing() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN] = answer("a", 1)
        await desk.look()
        await desk.restart()
        await desk.look()
        assert len(await desk.told()) == 1
        desk.files.texts[MAIN] += answer("b", 2) + answer("a", 3, 10, 5)
        await desk.look()
        assert desk.agent.usage is not None
        assert (desk.agent.usage.tokens_in, desk.agent.usage.tokens_out) == (20, 6)

    at_desk(work)


def test_what_was_read_and_not_stored_is_read_again() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN] = answer("a", 1)
        await desk.look()
        desk.become(stage=Stage.PROCESSING)
        desk.files.texts[MAIN] += answer("b", 2)
        await desk.look()
        assert len(await desk.told()) == 1
        await desk.restart()
        await desk.look()
        assert desk.agent.usage is not None
        assert desk.agent.usage.tokens_out == 2

    at_desk(work)


def test_of_an_agent_at_work_it_is_told_every_few_seconds_and_at_the_end_at_once() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN] = answer("m0", 0)
        await desk.look()
        desk.become(stage=Stage.PROCESSING)
        for second in range(1, 10):
            await desk.pass_(1.0)
            desk.files.texts[MAIN] += answer(f"m{second}", second)
            await desk.look()
        assert len(await desk.told()) == 1 + 9 // EVERY
        desk.files.texts[MAIN] += answer("end", 30)
        due = await desk.look()
        assert due is not None
        desk.become(stage=Stage.COMPLETE)
        await desk.look()
        assert [told["usage"]["tokens_out"] for told in await desk.told()][-1] == 11

    at_desk(work)


def test_what_is_held_back_is_told_when_its_time_comes() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN] = answer("a", 1)
        await desk.look()
        desk.become(stage=Stage.PROCESSING)
        desk.files.texts[MAIN] += answer("b", 2)
        due = await desk.look()
        assert due == desk.clock.now() + EVERY
        await desk.pass_(EVERY)
        await desk.look(wake=False)
        assert len(await desk.told()) == 2

    at_desk(work)


def test_an_agent_without_a_transcript_is_looked_at_again_some_times() -> None:
    async def work(desk: Desk) -> None:
        waits = []
        due = await desk.look()
        while due is not None:
            waits.append(round(due - desk.clock.now(), 6))
            await desk.pass_(due - desk.clock.now())
            due = await desk.look(wake=False)
        assert waits == list(AGAIN)
        desk.files.texts[MAIN] = answer("a", 1)
        desk.meters.hear([Stored(9, 0.0, StateChanged.kind, "a", {})])
        await desk.pass_(SOON)
        await desk.look(wake=False)
        assert len(await desk.told()) == 1

    at_desk(work)


def test_hooks_tell_where_transcripts_are() -> None:
    async def work(desk: Desk) -> None:
        for number in range(TOLD + 1):
            desk.meters.told("a", f"/{number}")
            desk.meters.told("a", f"/{number}")
        await desk.pass_(SOON)
        await desk.look(wake=False)
        assert desk.files.asked[-1][2] == tuple(f"/{number}" for number in range(1, TOLD + 1))

    at_desk(work)


def test_a_transcript_on_another_machine_is_not_looked_for() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN] = answer("a", 1)
        await desk.look()
        assert desk.files.asked == []

    at_desk(work, tmux="far:/s")


def test_of_an_agent_that_is_gone_the_rest_is_read() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN] = answer("a", 1)
        await desk.look()
        desk.files.texts[MAIN] += answer("b", 2)
        await desk.restart(gone="its pane closed")
        await desk.look()
        assert len(desk.files.asked) == 1  # another program may have its number by now
        assert desk.agent.usage is not None
        assert desk.agent.usage.tokens_out == 2

    at_desk(work)


def test_where_transcripts_lay_they_are_watched_though_nothing_tells_of_them_any_more() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN] = answer("a", 1)
        await desk.look()
        desk.files.found = False
        await desk.restart()
        assert await desk.look() is None
        assert desk.files.watched == {"/home/p"}

    at_desk(work)


def test_of_a_program_that_tells_nothing_nothing_is_looked_for() -> None:
    async def work(desk: Desk) -> None:
        assert await desk.look() is None
        assert desk.files.asked == []

    at_desk(work, kind="bash")


def test_another_program_in_the_pane_has_an_account_of_its_own() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN] = answer("a", 1)
        await desk.look()
        desk.files.texts = {"/home/p/rollout.jsonl": corpus("codex-0.166.0.jsonl")}
        desk.become(kind="codex")
        await desk.pass_(EVERY)
        await desk.look()
        assert desk.agent.usage is not None
        assert desk.agent.usage.model == "lab-model"

    at_desk(work)


def test_a_store_that_refuses_is_tried_again() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN], desk.team.refuses = answer("a", 1), 1
        due = await desk.look()
        assert due is not None
        assert desk.agent.usage is None
        await desk.pass_(due - desk.clock.now())
        await desk.look(wake=False)
        assert desk.agent.usage is not None

    at_desk(work)


def test_what_cannot_be_read_harms_nobody_else() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN], desk.files.failing = answer("a", 1), True
        assert await desk.look() is None
        desk.files.failing = False
        await desk.look()
        assert desk.agent.usage is not None

    at_desk(work)


def test_who_is_forgotten_has_no_meter() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN] = answer("a", 1)
        await desk.look()
        desk.meters.hear([Stored(9, 0.0, AgentForgotten.kind, "a", {})])
        await desk.look(wake=False)
        assert desk.files.watched == set()
        desk.meters._wake(["nobody"], 0.0)
        assert await desk.look(wake=False) is None

    at_desk(work)


def test_a_budget_nudges_once_and_again_when_it_was_raised_and_crossed() -> None:
    async def nudges(desk: Desk) -> list[tuple[str, str, str]]:
        told = await desk.told("nudge_raised")
        return [(one["nudge_state"], one["nudge_summary"], one["nudge_source"]) for one in told]

    async def work(desk: Desk) -> None:
        first = ("needs_input", "used 1.1k tokens of a budget of 1k", "budget")
        desk.files.texts[MAIN] = answer("a", 1, 900, 0)
        await desk.look()
        assert await nudges(desk) == []
        desk.files.texts[MAIN] += answer("b", 2, 200, 0)
        await desk.look()
        assert await nudges(desk) == [first]
        assert (desk.agent.nudge_state, desk.agent.nudge_seq) == ("needs_input", 1)
        desk.files.texts[MAIN] += answer("c", 3, 200, 0)
        await desk.look()
        await desk.restart(Budget(tokens=1000))
        desk.files.texts[MAIN] += answer("d", 4, 200, 0)
        await desk.look()
        assert await nudges(desk) == [first]
        await desk.restart(Budget(tokens=2000))
        desk.files.texts[MAIN] += answer("e", 5, 300, 0)
        await desk.look()
        assert await nudges(desk) == [first]
        desk.files.texts[MAIN] += answer("f", 6, 300, 0)
        await desk.look()
        assert await nudges(desk) == [first, ("needs_input", "used 2.1k tokens of a budget of 2k", "budget")]
        assert desk.agent.nudge_seq == 2

    at_desk(work, Budget(tokens=1000))


@pytest.mark.parametrize("after", [False, True])
def test_killed_at_the_write_it_counts_once_and_nudges_once(after: bool) -> None:
    async def work(desk: Desk) -> None:
        budget = Budget(tokens=10)
        desk.files.texts[MAIN] = answer("a", 1) + answer("b", 2)
        await desk.restart(budget, DyingStore(desk.store, 1, after))
        with pytest.raises(Killed):
            await desk.look()
        for _ in range(2):
            await desk.restart(budget)
            await desk.look()
        assert desk.agent.usage is not None
        assert (desk.agent.usage.tokens_in, desk.agent.usage.tokens_out) == (20, 2)
        assert len(await desk.told("nudge_raised")) == len(await desk.told()) == desk.agent.nudge_seq == 1

    at_desk(work)


def test_two_budgets_that_are_crossed_at_once_are_one_nudge() -> None:
    async def work(desk: Desk) -> None:
        desk.files.texts[MAIN] = answer("a", 1, 900, 100)
        await desk.look()
        [told] = await desk.told("nudge_raised")
        assert told["nudge_summary"] == (
            "used 1k tokens of a budget of 500; used $1.10 of a budget of $1.00; 50% of its context left"
        )

    budget = Budget(500, 1.0, 60, (price("claude-* 1000 2000"),), (window("claude-* 2000"),))
    at_desk(work, budget)


def test_it_runs_woken_by_events_and_by_news_of_files() -> None:
    async def act() -> None:
        store, clock, files, bus, written = Store.open(None), FakeClock(), FakeTranscripts(), Bus(), asyncio.Event()
        team = Team(store, clock, await store.adopt(AGENT))
        store.on_commit = lambda events: written.set()
        meters = Meters(store, clock, files, team, bus, Budget())
        files.texts[MAIN] = answer("a", 1)
        running = asyncio.create_task(meters.run())
        try:
            async with asyncio.timeout(60):
                await written.wait()
                written.clear()
                files.texts[MAIN] += answer("b", 2)
                await clock.sleep(EVERY)
                await files.news.put({"/elsewhere"})
                await files.news.put({"/home/p"})
                await written.wait()
                written.clear()
                files.texts[MAIN] += answer("c", 3)
                await clock.sleep(EVERY)
                bus.publish([Stored(9, 0.0, StateChanged.kind, "a", {})])
                await written.wait()
            bus.close()
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            told = [
                event.data["usage"]["tokens_out"] for event in await store.events() if event.kind == "usage_changed"
            ]
            await store.close()
        assert told == [1, 2, 3]

    asyncio.run(act())


def test_what_fails_is_begun_anew() -> None:
    async def act() -> None:
        store, clock, files, bus, written = Store.open(None), FakeClock(), FakeTranscripts(), Bus(), asyncio.Event()
        team = Team(store, clock, await store.adopt(AGENT))
        store.on_commit = lambda events: written.set()
        meters = Meters(store, clock, files, team, bus, Budget())
        running = asyncio.create_task(meters.run())
        try:
            async with asyncio.timeout(60):
                await files.news.put(OSError("nothing can be watched any more"))
                await files.news.join()
                files.texts[MAIN] = answer("a", 1)
                await written.wait()
            assert not running.done()
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await store.close()

    asyncio.run(act())
