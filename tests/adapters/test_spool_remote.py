"""The spool of a host, by its own script in a local shell: each file once, and only what is whole."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from paneward.adapters.clock import SystemClock
from paneward.adapters.hosts import spool as spool_remote
from paneward.adapters.hosts.host import Host, HostGate
from paneward.adapters.hosts.spool import RemoteSpool
from paneward.core.errors import HostUnreachable
from paneward.ports import Spooled

BODY = b'claude\t%1\t/tmp/s,1,0\n{"a": "\xc3\xa4"}\n.\n'


class Box:
    def __init__(self, directory: Path) -> None:
        self.directory = directory / "spool"
        self.directory.mkdir(parents=True)
        self.gate = HostGate("box")
        self.gate.open()
        self.spool = RemoteSpool(Host(name="box", gate=self.gate), self.gate, SystemClock())
        self.found: list[Spooled] = []

    def put(self, name: str, data: bytes = BODY) -> None:
        (self.directory / f"x{name}").write_bytes(data)
        (self.directory / f"x{name}").rename(self.directory / name)

    async def listen(self, marks: dict[str, str], keep: bool = False) -> None:
        async for found in self.spool.run(marks):
            self.found += found
            for one in () if keep else found:
                self.spool.taken(one)

    @property
    def left(self) -> list[str]:
        return sorted(os.listdir(self.directory))


async def reached(condition: Callable[[], bool]) -> None:
    for _ in range(3000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("waited in vain")


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    monkeypatch.setenv("PANEWARD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(spool_remote, "EVERY", 0.01)
    return Box(tmp_path / "state")


def listening(box: Box, work: Callable[[], Awaitable[None]], marks: dict[str, str] | None = None) -> None:
    async def act() -> None:
        task = asyncio.ensure_future(box.listen(marks or {}))
        try:
            await work()
        finally:
            task.cancel()
            await asyncio.wait({task})

    asyncio.run(act())


def test_what_is_there_and_what_comes_is_told_once_and_removed(box: Box) -> None:
    box.put("10.0")

    async def work() -> None:
        await reached(lambda: len(box.found) == 1)
        box.put("9.0", BODY * 3)
        await reached(lambda: len(box.found) == 2 and not box.left)

    listening(box, work)
    assert [(one.name, one.data, one.agent) for one in box.found] == [
        ("box:spool/10.0", BODY, None),
        ("box:spool/9.0", BODY * 3, None),
    ]
    assert abs(box.found[0].at - SystemClock().wall()) < 600


def test_what_is_being_written_waits_for_its_end_and_other_files_are_left_alone(box: Box) -> None:
    box.put("1.0", BODY[:10])
    box.put("notes.txt")

    async def work() -> None:
        box.put("2.0")
        await reached(lambda: len(box.found) == 1)
        box.put("1.0")
        await reached(lambda: len(box.found) == 2 and box.left == ["notes.txt"])

    listening(box, work)
    assert [one.name for one in box.found] == ["box:spool/2.0", "box:spool/1.0"]


def test_what_was_taken_before_the_connection_broke_is_removed_and_not_told_again(box: Box) -> None:
    box.put("1.0")

    async def first() -> None:
        task = asyncio.ensure_future(box.listen({}, keep=True))
        await reached(lambda: len(box.found) >= 1)
        task.cancel()
        await asyncio.wait({task})

    asyncio.run(first())
    [taken, *_] = box.found
    box.found.clear()

    async def work() -> None:
        box.put("2.0")
        await reached(lambda: len(box.found) == 1 and not box.left)

    listening(box, work, {taken.name: taken.mark, "spool/2.0": "of this machine"})
    assert [one.name for one in box.found] == ["box:spool/2.0"]


def test_a_host_that_is_away_is_waited_for(box: Box) -> None:
    async def work() -> None:
        box.put("1.0")
        await reached(lambda: len(box.found) == 1)
        box.gate.shut(HostUnreachable("box: away"))
        box.put("2.0")
        await asyncio.sleep(0.1)
        assert len(box.found) == 1
        box.gate.open()
        await reached(lambda: len(box.found) == 2 and not box.left)

    listening(box, work)


def test_a_server_over_there_keeps_its_own_hooks(box: Box) -> None:
    (box.directory.parent / "server.json").write_text("{}")
    box.put("1.0")

    async def work() -> None:
        await asyncio.sleep(0.2)
        assert box.found == []
        (box.directory.parent / "server.json").unlink()
        await reached(lambda: len(box.found) == 1)

    listening(box, work)


def test_a_host_without_a_spool_tells_nothing(box: Box) -> None:
    box.directory.rmdir()

    async def work() -> None:
        await asyncio.sleep(0.1)
        box.directory.mkdir()
        box.put("1.0")
        await reached(lambda: len(box.found) == 1)

    listening(box, work)
