"""Recordings of agents, on a disk and panes that do what a test says: limits, failures, ends, and going on."""

import asyncio
import errno
import json
from dataclasses import replace

import pytest

from paneward.core.agent.events import RecordingStarted, RecordingStopped
from paneward.core.agent.record import Agent
from paneward.core.errors import (
    Code,
    HostUnreachable,
    PaneDead,
    PaneNotFound,
    PanewardError,
    StoreError,
    TmuxError,
)
from paneward.core.recording.recorder import GAP, KeptRecording
from paneward.services.recordings.recordings import ANEW, UNSEEN, Recordings
from tests.services.taping import END, LIMITS, SEEN, Disk, DiskTape, House, refused, run

# --- from the beginning to the end


def test_a_recording_is_stored_begun_and_ended() -> None:
    async def work(house: House) -> None:
        agent, fresh = await house.recordings.record("worker")
        assert (agent.recording, fresh) == (house.agents["worker"].recording, True)
        assert house.recordings.count == 1
        house.say(b"hello", b" world")
        await house.until(lambda: house.heard() == "hello world")
        assert await house.recordings.stop("worker") == agent.recording
        started, stopped = house.events
        assert started == RecordingStarted("worker", agent.recording)
        size = sum(map(len, house.disk.files.values()))
        assert stopped == RecordingStopped("worker", agent.recording, "asked", "", size)
        assert house.agents["worker"].recording == ""
        assert (house.recordings.count, house.recordings.written, house.disk.closed) == (0, size, 1)

    run(work)


def test_what_is_written_while_it_is_stopped_counts() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        house.disk.hangs = True
        house.say(b"hello")
        await house.until(lambda: house.heard() == "hello")
        await house.recordings.stop("worker")
        size = sum(map(len, house.disk.files.values()))
        assert (house.recordings.written, house.recordings.total) == (size, size)
        assert [event.bytes for event in house.events if isinstance(event, RecordingStopped)] == [size]

    run(work)


def test_who_is_recorded_is_not_recorded_twice() -> None:
    async def work(house: House) -> None:
        answers = await asyncio.gather(*(house.recordings.record("worker") for _ in range(5)))
        assert [fresh for _, fresh in answers] == [True, False, False, False, False]
        assert len({agent.recording for agent, _ in answers}) == 1
        assert len(house.events) == len(house.disk.files) == 1

    run(work)


def test_what_cannot_be_recorded_or_stopped_is_refused() -> None:
    def house() -> House:
        return House(Agent("blind"), Agent("lost", pane="%1", gone="its pane closed"), Agent("idle", pane="%1"))

    async def work(house: House) -> None:
        assert await refused(house.recordings.record("nobody")) is Code.AGENT_NOT_FOUND
        assert await refused(house.recordings.record("blind")) is Code.NO_PANE_ID
        assert await refused(house.recordings.record("lost")) is Code.PANE_NOT_FOUND
        assert await refused(house.recordings.stop("idle")) is Code.WRONG_STATE
        assert await refused(house.recordings.stop("nobody")) is Code.AGENT_NOT_FOUND
        assert await refused(house.recordings.kept("nobody")) is Code.AGENT_NOT_FOUND
        house.disk.full = True
        assert await refused(house.recordings.record("idle")) is Code.STORE_ERROR
        assert house.events == []

    run(work, house)


@pytest.mark.parametrize("asked", [True, False])
def test_one_that_is_stored_as_running_and_does_not_is_gone_on_with(asked: bool) -> None:
    async def work(house: House) -> None:
        house.agents["worker"] = replace(house.agents["worker"], recording="00001000")
        if asked:
            assert (await house.recordings.record("worker"))[1] is False
        else:
            await house.recordings.tidy()
        house.say(b"on")
        await house.until(lambda: house.heard() == "on")
        assert house.events == []
        assert [key[1] for key in house.disk.files] == ["00001000"]

    run(work)


def test_a_server_that_ends_leaves_recordings_running_and_the_next_goes_on() -> None:
    async def work(house: House) -> None:
        agent, _ = await house.recordings.record("worker")
        house.say(b"before")
        await house.until(lambda: house.heard() == "before")
        await house.recordings.close()
        assert house.agents["worker"].recording == agent.recording
        following = house.recordings = Recordings(house, house.disk, house.clock, LIMITS, house.cutoff)
        await following.start()
        house.say(b"after")
        await house.until(lambda: house.heard() == "beforeafter")
        assert [key[1:] for key in house.disk.files] == [(agent.recording, 1), (agent.recording, 2)]
        assert ["m", ANEW] in house.lines()
        assert following.gaps == 1
        await following.stop("worker")
        assert house.ends == [("asked", "")]
        assert following.gaps == 1

    run(work)


@pytest.mark.parametrize("failure", [PaneNotFound("can't find pane: %1"), PaneDead("%1 is dead")])
def test_a_pane_that_is_gone_ends_it(failure: PanewardError) -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        house.failures = [failure]
        house.say(END)
        await house.until(lambda: house.events[1:])
        assert house.ends == [("gone", failure.message)]

    run(work)


def test_another_program_in_the_pane_is_not_recorded() -> None:
    async def work(house: House) -> None:
        house.stream.snapshot = replace(SEEN, pid=8)
        assert await refused(house.recordings.record("worker")) is Code.STORE_ERROR
        assert house.disk.files == {}
        await house.until(lambda: house.events[1:])
        assert house.ends[0][0] == "gone"

    run(work)


def test_a_pane_that_cannot_be_reached_for_a_while_is_a_gap() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        house.failures = [HostUnreachable("no route"), TmuxError("busy"), RuntimeError("a mistake of ours")]
        house.say(b"a", END)
        await house.until(lambda: house.watched == 5)
        house.say(b"b")
        await house.until(lambda: house.heard() == "ab")
        assert [kind for kind, _ in house.lines()] == ["o", "o", "m", "o", "o"]
        assert ["m", UNSEEN] in house.lines()
        assert len(house.disk.files) == 1

    run(work)


def test_a_gap_in_the_output_is_told_and_counted() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        house.say(b"a", None, b"b")
        await house.until(lambda: house.heard() == "ab")
        assert ["m", GAP] in house.lines()
        assert house.recordings.gaps == 1

    run(work)


def test_an_agent_that_is_forgotten_is_recorded_no_longer() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        await house.recordings.drop("worker")
        assert house.ends == [("forgotten", "")]
        [left] = await house.recordings.kept("worker")
        assert not left.running
        await house.recordings.drop("worker", purge=True)
        assert house.disk.files == {}

    run(work)


def test_an_agent_that_is_gone_from_the_store_ends_it_quietly() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        del house.agents["worker"]
        house.say(END)
        await house.until(lambda: all(one.task and one.task.done() for one in house.recordings._running.values()))
        assert house.ends == []

    run(work)


# --- limits


def test_a_long_recording_goes_on_in_the_next_part_with_the_screen_and_loses_nothing() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        words = [f"{number:05} " * 50 for number in range(40)]
        for number, word in enumerate(words, 1):
            house.say(word.encode())
            await house.until(lambda number=number: house.heard() == "".join(words[:number]))  # type: ignore[misc]
        sizes = [len(data) for data in house.disk.files.values()]
        assert len(sizes) == house.stream.renewed + 1 > 2
        assert all(json.loads(data.splitlines()[1])[2].count("screen") == 1 for data in house.disk.files.values())
        assert not any(kind == "m" for kind, _ in house.lines())

    run(work)


def test_a_next_part_that_cannot_begin_waits_for_the_next_snapshot() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        house.stream.stuck = True
        house.say(b"x" * 5000, b"y", None, b"z")
        await house.until(lambda: house.heard().endswith("z"))
        assert house.heard() == "x" * 5000 + "yz"
        assert [key[2] for key in house.disk.files] == [1, 2]
        assert ["m", GAP] in house.lines()
        assert house.stream.renewed == 1

    run(work)


def test_a_recording_that_is_long_enough_stops_and_says_so() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        house.say(*[b"x" * 1000] * 40)
        await house.until(lambda: house.ends)
        assert house.ends[0][0] == "limit"
        assert sum(map(len, house.disk.files.values())) <= LIMITS.recording
        assert house.agents["worker"].recording == ""

    run(work)


def test_what_an_earlier_server_recorded_counts() -> None:
    async def work(house: House) -> None:
        name = f"{int(house.clock.wall()) - 10}"
        house.disk.files["worker", name, 1] = bytearray(b"\n" * (LIMITS.recording - 1000))
        house.agents["worker"] = replace(house.agents["worker"], recording=name)
        await house.recordings.start()
        house.say(b"x" * 1000)
        await house.until(lambda: house.ends)
        assert house.ends[0][0] == "limit"

    run(work)


def test_the_oldest_recording_makes_room_for_the_newest() -> None:
    async def work(house: House) -> None:
        house.disk.files = {("old", "1", 1): bytearray(20_000), ("old", "2", 1): bytearray(19_000)}
        house.disk.ended = {("old", "1"): house.clock.wall() - 20, ("old", "2"): house.clock.wall() - 10}
        await house.recordings.start()
        assert house.recordings.total == 39_000
        await house.recordings.record("worker")
        house.say(*[b"x" * 1000] * 15)
        await house.until(lambda: house.heard() == "x" * 15_000)
        assert sorted({key[:2] for key in house.disk.files} - {("worker", house.agents["worker"].recording)}) == [
            ("old", "2")
        ]
        assert house.recordings.total == sum(map(len, house.disk.files.values())) <= LIMITS.total

    run(work)


def test_where_those_that_run_take_all_the_room_the_next_to_write_stops() -> None:
    agents = [Agent(name, pane="%1", pane_pid=7) for name in ("a", "b")]

    async def work(house: House) -> None:
        house.disk.files["a", "1", 1] = bytearray(9500)
        house.agents["a"] = replace(house.agents["a"], recording="1")
        house.clock._now = 0.0
        await house.recordings.make_room(0)
        await house.recordings.record("b")
        house.say(b"x" * 1000)
        await house.until(lambda: house.ends)
        assert house.ends[0][0] == "limit"
        assert len(house.disk.files["a", "1", 1]) == 9500

    run(work, lambda: House(*agents, limits=replace(LIMITS, total=10_000)))


def test_what_is_too_old_stops_and_is_removed_later() -> None:
    async def work(house: House) -> None:
        agent, _ = await house.recordings.record("worker")
        house.clock._now += LIMITS.age - 1
        house.say(b"x")
        await house.until(lambda: house.heard() == "x")
        await house.recordings.tidy()
        assert house.ends == []
        house.clock._now += 1
        await house.recordings.tidy()
        assert house.ends == [("age", "")]
        assert [one.name for one in await house.recordings.kept("worker")] == [agent.recording]
        house.clock._now += LIMITS.age
        await house.recordings.tidy()
        assert house.disk.files == {}
        assert house.recordings.total == 0

    run(work)


def test_output_after_that_ends_it_too() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        house.clock._now += LIMITS.age
        house.say(b"x")
        await house.until(lambda: house.ends)
        assert house.ends == [("age", "")]
        assert house.heard() == ""

    run(work)


# --- a disk that is full


def test_a_full_disk_ends_it_and_says_so() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        house.disk.full = True
        house.say(b"x")
        await house.until(lambda: house.ends)
        assert house.ends == [("failed", "No space left on device")]

    run(work)


def test_a_disk_that_is_full_from_the_beginning_is_told_to_who_asked() -> None:
    class FullAfterwards(Disk):
        async def open(self, agent_id: str, recording: str) -> tuple[DiskTape, int]:
            raise OSError(errno.ENOSPC, "No space left on device")

    async def work(house: House) -> None:
        house.disk = house.recordings._casts = FullAfterwards(house.clock)
        assert await refused(house.recordings.record("worker")) is Code.STORE_ERROR
        await house.until(lambda: house.ends)
        assert house.ends == [("failed", "No space left on device")]

    run(work)


def test_that_it_ended_is_stored_as_soon_as_the_store_takes_it() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        house.disk.full, house.store_fails = True, 3
        house.say(b"x")
        await house.until(lambda: house.ends)
        assert house.ends == [("failed", "No space left on device")]
        assert house.agents["worker"].recording == ""
        await house.until(lambda: house.recordings.count == 0)

    run(work)


def test_a_stop_that_cannot_be_stored_leaves_it_running() -> None:
    async def work(house: House) -> None:
        await house.recordings.record("worker")
        house.store_fails = 1
        assert await refused_by_store(house)
        house.say(b"still")
        await house.until(lambda: house.heard() == "still")
        await house.recordings.stop("worker")

    run(work)


async def refused_by_store(house: House) -> bool:
    with pytest.raises(StoreError):
        await house.recordings.stop("worker")
    return house.recordings.count == 1


def test_recordings_that_cannot_be_looked_through_do_not_keep_a_server_from_starting() -> None:
    class Closed(Disk):
        async def kept(self, agent_id: str | None = None) -> list[KeptRecording]:
            raise OSError(errno.EACCES, "Permission denied")

    async def work(house: House) -> None:
        house.agents["worker"] = replace(house.agents["worker"], recording="00001000")
        house.disk = house.recordings._casts = Closed(house.clock)
        await house.recordings.start()
        house.say(b"on")
        await house.until(lambda: house.heard() == "on")

    run(work)
