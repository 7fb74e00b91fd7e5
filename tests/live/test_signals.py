"""What agents tell beside their work, in real panes: heard once, by whatever server runs."""

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from paneward.adapters.hooks.spool import put_signal
from paneward.core.agent.events import Stored
from paneward.core.agent.record import Stage
from tests.adapters.conftest import until
from tests.live.conftest import Ground
from tests.live.serving import Scene, played

LINES = Path(__file__).parent / "lines.py"
PATIENCE = 30.0  # seconds
ASKS = "--<[paneward:needs_input:Which colour?]>--"


async def printer(one: Scene, *options: str, name: str = "worker") -> str:
    """A program that prints what it reads from its terminal, as an agent."""
    pane = one.ground.server.new_pane([sys.executable, str(LINES), *options], remain=True)
    until(lambda: "ready" in one.ground.server.screen(pane))
    await one.agents.adopt(pane, name=name, socket_name=one.ground.server.name)
    await one.agents.tracked()
    return pane


def say(ground: Ground, pane: str, text: str) -> None:
    ground.server.run("send-keys", "-t", pane, "-l", "--", text)
    ground.server.run("send-keys", "-t", pane, "Enter")


async def signals(one: Scene, count: int, name: str = "worker") -> list[Stored]:
    """Once so many were heard."""
    found: list[Stored] = []
    try:
        async with asyncio.timeout(PATIENCE):
            with one.server.bus.subscribe() as news:
                while len(found := await one.store.events(kinds=["signal_seen"], agent_id=name)) < count:
                    await anext(news)
    except TimeoutError:
        panes, pane = one.agents.connection(name)
        raise AssertionError(f"{told(found)} on:\n{await panes.capture(pane)}") from None
    return found


async def nudged(one: Scene, state: str, summary: str | None = None, name: str = "worker") -> dict[str, Any]:
    """Once it has called so, whatever came since."""
    async with asyncio.timeout(PATIENCE):
        with one.server.bus.subscribe() as news:
            while True:
                for event in reversed(await one.store.events(kinds=["nudge_raised"], agent_id=name)):
                    if event.data["nudge_state"] == state and summary in (None, event.data["nudge_summary"]):
                        return event.data
                await anext(news)


def told(events: list[Stored]) -> list[tuple[str, str]]:
    return [(event.data["state"], event.data["message"]) for event in events]


# --- programs that print


def test_what_a_program_prints_is_heard_without_a_browser(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        pane = await printer(one)
        say(ground, pane, "marker needs_testing Try the [new] page")
        [event] = await signals(one, 1)
        assert told([event]) == [("needs_testing", "Try the [new] page")]
        assert (event.data["source"], event.data["caught_up"], event.data["key"] != "") == ("marker", False, True)
        called = await nudged(one, "needs_testing")
        assert (called["nudge_summary"], called["nudge_source"]) == ("Try the [new] page", "marker")
        async with asyncio.timeout(PATIENCE):
            while one.agents.get("worker").last_signal_at is None:  # noqa: ASYNC110 - nothing else tells it
                await asyncio.sleep(0)  # the log is read by another thread, and may be first
        say(ground, pane, "marker working again")
        [_, working] = await signals(one, 2)
        after = await one.store.events(after=working.seq, kinds=["nudge_cleared"])
        assert [event.data["nudge_seq"] for event in after][:1] == [working.data["nudge_seq"]]
        assert working.data["nudge_seq"] > event.data["nudge_seq"]

    played(ground, work)


@pytest.mark.parametrize("how", ["home", "carriage", "alternate"])
def test_fifty_redraws_are_one_signal(ground: Ground, how: str) -> None:
    async def work(one: Scene) -> None:
        pane = await printer(one)
        say(ground, pane, f"redraw {how} 50")
        say(ground, pane, "marker idle the end")
        found = await signals(one, 2)
        assert told(found) == [("error", f"drawn by {how}"), ("idle", "the end")]

    played(ground, work)


def test_an_unfinished_line_is_heard_when_nothing_follows(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        pane = await printer(one)
        say(ground, pane, "bare error no newline here")
        assert told(await signals(one, 1)) == [("error", "no newline here")]
        say(ground, pane, "marker idle the end")
        assert told(await signals(one, 2))[1:] == [("idle", "the end")]

    played(ground, work)


def test_what_is_typed_or_quoted_rings_nothing_and_what_is_broken_is_a_near_miss(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        pane = await printer(one)
        say(ground, pane, f"raw it prints '{ASKS}' then")
        say(ground, pane, f'raw echo "{ASKS}"')
        say(ground, pane, "raw --<[paneward:completed:never closed")
        say(ground, pane, "junk")
        say(ground, pane, "marker idle the end")
        assert told(await signals(one, 1)) == [("idle", "the end")]
        [miss] = await one.store.events(kinds=["near_miss"])
        assert "never closed" in miss.data["line"]

    played(ground, work)


def test_a_flood_hides_no_signal_or_the_gap_is_told(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        pane = await printer(one)
        say(ground, pane, "flood 30000")
        say(ground, pane, "marker idle the end")
        await nudged(one, "idle")
        found = told(await signals(one, 1))
        gaps = await one.store.events(kinds=["output_lost"])
        assert found[-1] == ("idle", "the end")
        assert bool(gaps) or found[:-1] == [("completed", "in the middle")]

    played(ground, work)


def test_what_is_said_behind_a_deluge_rings_once_and_the_gap_is_told(ground: Ground) -> None:
    rains = Path(ground.server.home) / "rains"
    rains.touch()

    async def work(one: Scene) -> None:
        pane = await printer(one)
        say(ground, pane, "marker error before it")
        await signals(one, 1)
        say(ground, pane, f"deluge {rains}")
        await sampled(one)
        more_than_tmux_holds = rained(pane) + 5000
        await asyncio.to_thread(until, lambda: rained(pane) > more_than_tmux_holds)
        say(ground, pane, "marker needs_input behind it")
        rains.unlink()
        await nudged(one, "needs_input", "behind it")
        say(ground, pane, "marker idle the end")
        expected = [("error", "before it"), ("needs_input", "behind it"), ("idle", "the end")]
        assert told(await signals(one, 3)) == expected
        rung = [event.data["nudge_summary"] for event in await one.store.events(kinds=["nudge_raised"])]
        assert rung.count("behind it") == 1
        assert await one.store.events(kinds=["output_lost"])

    async def sampled(one: Scene) -> None:
        follower = one.agents._keepers["worker"]._follower
        assert follower is not None
        while not follower.flooding:
            assert await follower._watch.wait(follower._watch.output_seq, PATIENCE)

    def rained(pane: str) -> int:
        return max(map(int, re.findall(r"number (\d+)", ground.server.screen(pane))), default=0)

    played(ground, work)


# --- one server after the other


def test_the_next_server_hears_what_was_told_meanwhile_and_nothing_twice(ground: Ground) -> None:
    async def first(one: Scene) -> str:
        pane = await printer(one)
        say(ground, pane, "raw Some words with which the program begins its work.")
        say(ground, pane, "marker error one")
        say(ground, pane, "marker idle two")
        await signals(one, 2)
        return pane

    async def second(one: Scene) -> None:
        found = await signals(one, 4)
        assert told(found) == [("error", "one"), ("idle", "two"), ("error", "one"), ("needs_input", "three")]
        assert [event.data["caught_up"] for event in found] == [False, False, True, True]
        raised = await one.store.events(after=found[1].seq, kinds=["nudge_raised"])
        called = [event.data["nudge_summary"] for event in raised if event.data["nudge_source"] == "marker"]
        assert called[-1] == "three"
        assert "one" not in called  # however many are caught up with, the last of them calls

    async def third(one: Scene) -> None:
        await one.agents.tracked()
        say(ground, pane, "marker idle the end")
        found = await signals(one, 5)
        assert told(found)[4:] == [("idle", "the end")]
        seqs = [event.data["nudge_seq"] for event in found]
        assert seqs == sorted(set(seqs))

    pane = played(ground, first)
    say(ground, pane, "lines 300")
    say(ground, pane, "marker error one")
    say(ground, pane, "marker needs_input three")
    until(lambda: ":three]>--" in ground.server.screen(pane))
    played(ground, second)
    played(ground, third)


def test_what_a_painted_agent_told_is_heard_once_over_restarts_and_resizes(ground: Ground) -> None:
    async def first(one: Scene) -> str:
        play = await one.adopt()
        await one.agents.send("worker", "signal needs_testing Try it")
        assert told(await signals(one, 1)) == [("needs_testing", "Try it")]
        await one.until(Stage.COMPLETE)
        return play.pane

    async def again(one: Scene) -> None:
        await one.agents.tracked()
        for width in (50, 120, 80):
            ground.server.run("resize-window", "-t", pane, "-x", str(width))
        await one.agents.send("worker", "signal needs_testing Try it")
        found = await signals(one, 2)
        assert told(found) == [("needs_testing", "Try it")] * 2
        assert found[0].data["key"] != found[1].data["key"]
        await one.until(Stage.COMPLETE)

    pane = played(ground, first)
    played(ground, again)


# --- nudges


def test_every_state_that_needs_the_human_is_a_call_marker_or_not(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        await one.adopt()
        await one.asked("ask which colour")
        called = await nudged(one, "needs_input")
        assert called["nudge_summary"] == "which colour"
        await one.agents.keys("worker", "Enter")
        assert one.agents.get("worker").nudge_seq > called["nudge_seq"]
        await one.until(Stage.COMPLETE)
        assert (await nudged(one, "completed", "chose Red"))["nudge_source"] == "marker"
        await one.agents.send("worker", "crash")
        await nudged(one, "error")
        seqs = [event.data["nudge_seq"] for event in await one.store.events(kinds=["nudge_raised", "nudge_cleared"])]
        assert seqs == sorted(seqs)

    played(ground, work)


def test_a_signal_of_another_channel_sets_the_nudge_and_the_same_by_marker_is_one(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        pane = await printer(one)
        agent = one.agents.get("worker")
        env = {"TMUX_PANE": pane, "TMUX": f"{agent.socket},1,0"}
        put_signal(one.server.directory, "needs_input", "by file", env)
        called = await nudged(one, "needs_input")
        assert (called["nudge_source"], called["nudge_summary"]) == ("event_file", "by file")
        say(ground, pane, "marker needs_input by marker")
        say(ground, pane, "marker idle the end")
        await nudged(one, "idle")
        raised = await one.store.events(kinds=["nudge_raised"])
        assert "by marker" not in [event.data["nudge_summary"] for event in raised]

    played(ground, work)


def test_a_notification_of_the_terminal_is_a_signal(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        pane = await printer(one)
        say(ground, pane, "osc 777;notify;Agent;needs your permission")
        [event] = await signals(one, 1)
        assert (event.data["source"], *told([event])) == ("osc", ("needs_input", "Agent: needs your permission"))

    played(ground, work)
