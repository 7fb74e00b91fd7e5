"""Hooks and event files on a real disk: each thing once, whatever is done to the files."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from paneward.adapters.clock import SystemClock
from paneward.adapters.hooks import spool as module
from paneward.adapters.hooks.spool import Spool, put_signal
from paneward.core.state.hooks import END, read_line, read_spooled
from paneward.ports import Spooled

PATIENCE = 20.0


class Late(SystemClock):
    """A clock behind which files are old."""

    def wall(self) -> float:
        return super().wall() + 2 * module.UNFINISHED


class Taker:
    """Takes all that comes, and keeps the marks as a store would."""

    def __init__(self, directory: Path, marks: dict[str, str] | None = None, clock: SystemClock | None = None) -> None:
        self.spool = Spool(directory, clock or SystemClock())
        self.marks = marks if marks is not None else {}
        self.stream: AsyncIterator[list[Spooled]] = self.spool.run(self.marks)

    async def next(self) -> list[str]:
        """What comes next, taken."""
        async with asyncio.timeout(PATIENCE):
            found = await anext(self.stream)
        for one in found:
            self.marks[one.name] = one.mark
            self.spool.taken(one)
        return [one.data.decode() for one in found]

    async def until(self, count: int) -> list[str]:
        got: list[str] = []
        while len(got) < count:
            got += await self.next()
        return got

    async def quiet(self) -> bool:
        """Nothing more comes: something that is written now comes first."""
        (self.spool.spool / "last.0").write_bytes(b"last" + END)
        return await self.next() == ["last" + END.decode()]


def played(work: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(_awaited(work))


async def _awaited(work: Callable[[], Awaitable[None]]) -> None:
    await work()


def hook(directory: Path, name: str, text: str, end: bytes = END) -> None:
    (directory / "spool").mkdir(exist_ok=True)
    (directory / "spool" / name).write_bytes(text.encode() + end)


def test_what_lay_there_comes_in_its_order_and_what_comes_later_wakes(tmp_path: Path) -> None:
    async def work() -> None:
        for number, name in enumerate(("9.0", "10.0", "2.0")):
            hook(tmp_path, name, str(number))
            os.utime(tmp_path / "spool" / name, ns=(number, 1_000_000_000 + number))
        taker = Taker(tmp_path)
        end = END.decode()
        assert await taker.next() == [f"0{end}", f"1{end}", f"2{end}"]
        waiting = asyncio.create_task(taker.next())
        await asyncio.sleep(0)
        hook(tmp_path, "11.0", "later")
        assert await waiting == [f"later{end}"]
        assert taker.spool.waiting() == 0
        await taker.stream.aclose()  # type: ignore[attr-defined]

    played(work)


def test_what_was_marked_before_a_crash_is_not_taken_again(tmp_path: Path) -> None:
    async def work() -> None:
        first = Taker(tmp_path)
        hook(tmp_path, "1.0", "a")
        hook(tmp_path, "2.0", "b")
        found = await anext(first.stream)
        marks = {one.name: one.mark for one in found if one.name == "spool/1.0"}  # killed before both were gone
        await first.stream.aclose()  # type: ignore[attr-defined]
        again = Taker(tmp_path, marks)
        assert await again.next() == [f"b{END.decode()}"]
        hook(tmp_path, "1.0", "another of that name")
        assert await again.next() == [f"another of that name{END.decode()}"]
        assert await again.quiet()

    played(work)


def test_what_is_still_written_waits_and_what_never_ends_does_not_stay(tmp_path: Path) -> None:
    async def work() -> None:
        hook(tmp_path, "1.0", "half", end=b"")
        taker = Taker(tmp_path)
        assert await taker.quiet()
        with (tmp_path / "spool" / "1.0").open("ab") as file:
            file.write(b" and whole" + END)
        assert await taker.next() == [f"half and whole{END.decode()}"]
        hook(tmp_path, "3.0", "torn", end=b"")
        assert await Taker(tmp_path, clock=Late()).next() == ["torn"]
        assert not (tmp_path / "spool" / "3.0").exists()

    played(work)


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    async def work() -> None:
        taker = Taker(tmp_path)
        (tmp_path / "spool" / "folder").mkdir()
        (tmp_path / "spool" / "link").symlink_to("/etc/passwd")
        assert await taker.quiet()

    played(work)


def test_many_come_in_pieces_of_bounded_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 10)
    monkeypatch.setattr(module, "MOST", 2000)

    async def work() -> None:
        for number in range(35):
            hook(tmp_path, f"{number}.0", "x" * (1500 if number < 6 else 1))
        taker, sizes = Taker(tmp_path), list[int]()
        while sum(sizes) < 35:
            sizes.append(len(await taker.next()))
        assert max(sizes) == 10
        assert sizes[0] == 2
        assert await taker.quiet()

    played(work)


# --- event files


def lines(directory: Path, text: str, name: str = "it.jsonl", how: str = "a") -> None:
    with (directory / "events" / name).open(how) as file:
        file.write(text)


def test_whole_lines_come_once_and_a_half_one_when_it_is_whole(tmp_path: Path) -> None:
    async def work() -> None:
        taker = Taker(tmp_path)
        lines(tmp_path, "one\ntwo\nthr")
        assert await taker.next() == ["one", "two"]
        assert await taker.quiet()
        lines(tmp_path, "ee\n")
        assert await taker.next() == ["three"]
        again = Taker(tmp_path, taker.marks)  # after a crash
        lines(tmp_path, "four\n")
        assert await again.next() == ["four"]
        assert await again.quiet()

    played(work)


def test_the_agent_of_an_event_file_is_told_by_its_name(tmp_path: Path) -> None:
    async def work() -> None:
        taker = Taker(tmp_path)
        lines(tmp_path, "one\n", "claude-1.jsonl")
        [found] = await anext(taker.stream)
        assert (found.agent, found.name) == ("claude-1", "events/claude-1.jsonl")

    played(work)


def test_a_file_that_is_cut_short_or_written_anew_is_read_from_its_begin(tmp_path: Path) -> None:
    async def work() -> None:
        taker = Taker(tmp_path)
        lines(tmp_path, "one\ntwo\n")
        await taker.until(2)
        lines(tmp_path, "new\n", how="w")
        assert await taker.next() == ["new"]
        lines(tmp_path, "written anew and longer\n", how="w")
        assert await taker.next() == ["written anew and longer"]

    played(work)


@pytest.mark.parametrize("restarted", [False, True])
def test_what_is_left_of_a_file_that_was_put_aside_comes_first(restarted: bool, tmp_path: Path) -> None:
    async def work() -> None:
        taker = Taker(tmp_path)
        lines(tmp_path, "one\n")
        assert await taker.next() == ["one"]
        await taker.stream.aclose()  # type: ignore[attr-defined]
        lines(tmp_path, "two\nand half")
        (tmp_path / "events/it.jsonl").rename(tmp_path / "events/it.jsonl.1")
        lines(tmp_path, "three\n")
        after = Taker(tmp_path, taker.marks if restarted else dict(taker.marks))
        assert await after.until(3) == ["two", "and half", "three"]
        lines(tmp_path, "four\n")
        assert await after.next() == ["four"]

    played(work)


def test_a_line_without_an_end_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 100)

    async def work() -> None:
        taker = Taker(tmp_path)
        lines(tmp_path, "x" * 250)
        assert await taker.quiet()
        lines(tmp_path, "\nafter\n")
        assert await taker.until(2) == ["x" * 100, "after"]
        assert await taker.quiet()

    played(work)


# --- writing


def test_a_signal_goes_into_the_event_file_or_with_its_pane_into_the_spool(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    env = {"PANEWARD_EVENTS": str(file), "TMUX_PANE": "%3", "TMUX": "/s,1,0"}
    assert put_signal(tmp_path, "working", 'a "b"\n', env) == str(file)
    file.write_text(file.read_text() + '{"half')
    put_signal(tmp_path, "completed", "c", env)
    first, half, last = file.read_text().splitlines()
    assert read_line(first.encode(), 0).text == 'a "b"\n'
    assert half == '{"half'
    assert json.loads(last) == {"state": "completed", "message": "c"}

    del env["PANEWARD_EVENTS"]
    places = [put_signal(tmp_path, "error", "d", env) for _ in range(2)]
    for place in places:
        heard = read_spooled(Path(place).read_bytes(), 0.0)
        assert (heard.state, heard.text, heard.pane, heard.socket) == ("error", "d", "%3", "/s")
    assert len(set(places)) == 2


def test_a_signal_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        put_signal(tmp_path, "error", "d", {"PANEWARD_EVENTS": str(tmp_path / "none" / "x")})
