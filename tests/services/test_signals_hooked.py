"""What hooks and event files tell, and the nudges that come of it."""

import json

import pytest

from paneward.core.agent.record import Stage
from paneward.core.signals import Channel, Signal, SignalState
from paneward.core.state.claims import AgentState
from tests.services.test_listening import NOW, Room, in_room

BUSY, IDLE = AgentState.BUSY, AgentState.IDLE


def nudge_of(room: Room) -> tuple[str, str, str, int]:
    agent = room.turns.agent
    return agent.nudge_state, agent.nudge_summary, agent.nudge_source, agent.nudge_seq


async def mark(room: Room, state: SignalState, message: str) -> None:
    """The agent prints a marker."""
    room.turns._tracker.heard(Signal(state, message, Channel.MARKER, room.clock.now(), "key"))
    await room.turns.signalled()


async def write(room: Room, line: bytes, at: float) -> None:
    room.pile.put(line, at, agent="a")
    await room.hear()


def test_a_line_of_the_event_file_sets_the_nudge() -> None:
    async def work(room: Room) -> None:
        await write(room, b'{"state": "needs_testing", "message": "try\\u0007 it"}', room.clock.wall())
        assert nudge_of(room) == ("needs_testing", "try it", "event_file", 1)
        (seen,) = await room.events("signal_seen")
        assert (seen.data["source"], seen.data["caught_up"]) == ("event_file", False)

    in_room(work)


def test_a_signal_that_waited_for_a_server_is_told_as_one_of_the_past() -> None:
    async def work(room: Room) -> None:
        await write(room, b'{"state": "error", "message": "x"}', room.clock.wall() - 60)
        assert [one.data["caught_up"] for one in await room.events("signal_seen")] == [True]

    in_room(work)


@pytest.mark.parametrize("first", ["marker", "file"])
def test_the_same_thing_by_marker_and_by_file_is_one_signal(first: str) -> None:
    async def work(room: Room) -> None:
        async def by_file() -> None:
            await write(room, b'{"state": "needs_input", "message": "which branch?"}', room.clock.wall())

        if first == "file":
            await by_file()
        await mark(room, SignalState.NEEDS_INPUT, "which bra")
        if first == "marker":
            await by_file()
        assert nudge_of(room) == ("needs_input", "which branch?", "event_file", 1)

    in_room(work)


def test_last_words_told_by_a_hook_are_those_of_the_nudge() -> None:
    async def work(room: Room) -> None:
        await room.prompt("go", NOW)
        await room.see(BUSY)
        await room.stop("All\ntests pass.", NOW + 1)
        assert room.turns.agent.stage is Stage.COMPLETE
        assert nudge_of(room)[:3] == ("completed", "All tests pass.", "hook")
        assert await room.events("signal_seen") == []  # it stands so; it has not signalled

    in_room(work)


def test_words_that_come_after_the_end_was_seen_ring_no_second_time() -> None:
    async def work(room: Room) -> None:
        await room.sent("go")
        await room.see(BUSY)
        await room.see(IDLE)
        before = nudge_of(room)
        assert before[:2] == ("completed", "")
        seen = (await room.store.turns("a"))[0]
        await room.stop("All tests pass.", seen.at + 1)
        assert nudge_of(room) == ("completed", "All tests pass.", "hook", before[3])

    in_room(work)


def test_a_stop_hook_does_not_overrule_what_the_agent_asked_in_words() -> None:
    async def work(room: Room) -> None:
        await room.prompt("go", NOW)
        await room.see(BUSY)
        await mark(room, SignalState.NEEDS_INPUT, "which branch?")
        await room.stop("Which branch? --<[paneward:needs_input:which branch?]>--", NOW + 1)
        assert room.turns.agent.stage is Stage.COMPLETE
        assert nudge_of(room)[:3] == ("needs_input", "which branch?", "marker")

    in_room(work)


def test_a_secret_that_is_signalled_is_not_written_down() -> None:
    async def work(room: Room) -> None:
        room.turns._tracker.keep_secret("hunter2-hunter2")
        await write(room, b'{"state": "error", "message": "bad: hunter2-hunter2"}', room.clock.wall())
        assert nudge_of(room)[:2] == ("error", "bad: …")
        await room.prompt("go", NOW)
        await room.stop("It said hunter2-hunter2.", NOW + 1)
        assert "hunter2" not in json.dumps([line async for line in room.store.export()])

    in_room(work)
