"""The files of recordings: for their owner alone, named by us alone, whole whatever the disk does."""

import asyncio
import errno
import os
import stat
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from paneward.adapters.recordings import Casts, Tape, export, kept, parts_of, read_parts
from paneward.core.errors import Code, InvalidInput, PanewardError
from paneward.core.recording.cast import OUTPUT, CastLine, Header, joined, written, written_header
from paneward.core.recording.recorder import KeptRecording

NAME = "20261116T084111Z"
BEGAN = 1_794_818_471.0
LINES = written_header(Header(80, 24, BEGAN, "worker", NAME)) + written(CastLine(1.0, OUTPUT, "hello"))


def using(directory: Path, work: Callable[[Casts], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        casts = Casts(directory)
        try:
            return await work(casts)
        finally:
            await casts.close()

    return asyncio.run(main())


def put(directory: Path, part: int, data: bytes = LINES, name: str = NAME, agent: str = "worker") -> Path:
    path = directory / "recordings" / agent / f"{name}.{part}.cast"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def refused(work: Callable[[], object]) -> Code:
    with pytest.raises(PanewardError) as failure:
        work()
    assert failure.value.hint
    return failure.value.code


def test_parts_are_numbered_files_that_only_their_owner_can_read(tmp_path: Path) -> None:
    async def work(casts: Casts) -> list[int]:
        numbers = []
        for data in (LINES, b"second"):
            tape, part = await casts.open("worker", NAME)
            await tape.write(data)
            tape.close()
            numbers.append(part)
        return numbers

    assert using(tmp_path, work) == [1, 2]
    first, second = parts_of(tmp_path, "worker")
    assert (first.name, second.name) == (f"{NAME}.1.cast", f"{NAME}.2.cast")
    assert (first.read_bytes(), second.read_bytes()) == (LINES, b"second")
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    assert [stat.S_IMODE(each.stat().st_mode) for each in (first.parent, first.parent.parent)] == [0o700, 0o700]


def test_a_tenth_part_comes_after_the_ninth(tmp_path: Path) -> None:
    paths = [put(tmp_path, number) for number in (10, 9, 1)]
    assert parts_of(tmp_path, "worker") == list(reversed(paths))


def test_two_recordings_of_one_second_have_two_names(tmp_path: Path) -> None:
    async def work(casts: Casts) -> str:
        return await casts.fresh_name("worker", BEGAN + 0.5)

    assert using(tmp_path, work) == NAME
    put(tmp_path, 1)
    assert using(tmp_path, work) == f"{NAME}-2"
    put(tmp_path, 1, name=f"{NAME}-2")
    assert using(tmp_path, work) == f"{NAME}-3"


def test_what_is_kept_is_told_from_the_files(tmp_path: Path) -> None:
    assert kept(tmp_path) == []
    os.utime(put(tmp_path, 1), (0, BEGAN + 5))
    os.utime(put(tmp_path, 2, b"xx"), (0, BEGAN + 9))
    os.utime(put(tmp_path, 1, b"x", "20261115T000000Z", "other"), (0, 7))
    put(tmp_path, 1, b"x", "not-a-time")
    put(tmp_path, 1, b"x", agent="Not an agent")
    mine = KeptRecording("worker", NAME, BEGAN, BEGAN + 9, len(LINES) + 2, 2)
    assert kept(tmp_path, "worker") == [mine]
    [other, last] = kept(tmp_path)
    assert (other.agent_id, other.name, last) == ("other", "20261115T000000Z", mine)


def test_a_link_is_no_recording(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    put(tmp_path, 1).with_name(f"{NAME}.2.cast").symlink_to(secret)
    assert [path.name for path in parts_of(tmp_path, "worker")] == [f"{NAME}.1.cast"]
    assert kept(tmp_path)[0].parts == 1


@pytest.mark.parametrize("agent", ["..", ".", "", "/etc", "a/../b", "../recordings/worker", "worker\0", "WORKER"])
def test_a_path_is_no_agent(tmp_path: Path, agent: str) -> None:
    put(tmp_path, 1)
    assert refused(lambda: parts_of(tmp_path, agent, NAME)) is Code.RECORDING_NOT_FOUND
    assert kept(tmp_path, agent) == []


@pytest.mark.parametrize(
    "name", ["..", "", "*", f"../{NAME}", f"{NAME}.1.cast", f"../worker/{NAME}", "\0", f"{NAME}-2"]
)
def test_a_path_is_no_recording(tmp_path: Path, name: str) -> None:
    put(tmp_path, 1)
    assert refused(lambda: parts_of(tmp_path, "worker", name)) is Code.RECORDING_NOT_FOUND


def test_one_recording_or_all_of_an_agent_can_be_removed(tmp_path: Path) -> None:
    later = "20261117T000000Z"
    put(tmp_path, 1), put(tmp_path, 2), put(tmp_path, 1, name=later)
    using(tmp_path, lambda casts: casts.remove("worker", NAME))
    assert [one.name for one in kept(tmp_path)] == [later]
    put(tmp_path, 1)
    using(tmp_path, lambda casts: casts.remove("worker"))
    assert list((tmp_path / "recordings").iterdir()) == []
    using(tmp_path, lambda casts: casts.remove("nobody"))


def test_a_full_disk_is_told_and_what_was_written_can_be_read(tmp_path: Path) -> None:
    path = put(tmp_path, 1, LINES + b'[2.0, "o", "tor')

    async def work(casts: Casts) -> int:
        tape = Tape(os.open("/dev/full", os.O_WRONLY), casts._run)
        try:
            with pytest.raises(OSError, match="No space left") as failure:
                await tape.write(b"x")
        finally:
            tape.close()
        return failure.value.errno or 0

    assert using(tmp_path, work) == errno.ENOSPC
    notes: list[str] = []
    assert [entry.data for entry in joined(read_parts([path], notes.append))] == ["hello"]
    assert notes == [f"{path.name}: its last line was cut off, and is left out"]


def test_what_was_asked_for_is_written_also_when_nobody_waits(tmp_path: Path) -> None:
    async def work(casts: Casts) -> None:
        tape, _ = await casts.open("worker", NAME)
        go_on = threading.Event()
        hanging = casts._run(go_on.wait)  # as a disk may do
        writing = asyncio.create_task(tape.write(LINES))
        await asyncio.sleep(0)
        writing.cancel()
        await asyncio.wait({writing})
        tape.close()
        go_on.set()
        await hanging

    using(tmp_path, work)
    assert parts_of(tmp_path, "worker")[0].read_bytes() == LINES


def test_parts_that_cannot_be_read_are_left_out_and_said(tmp_path: Path) -> None:
    files = [
        put(tmp_path, 1, b"x"),
        put(tmp_path, 2),
        put(tmp_path, 4, b""),
        put(tmp_path, 3, b'{"version": 2, "wi'),
        tmp_path / "gone.cast",
    ]
    notes: list[str] = []
    lines = list(export(files, notes.append))
    assert len(lines) == 2
    assert [note.split(" is no")[0].split(" was")[0] for note in notes] == [
        f"{NAME}.1.cast",
        f"{NAME}.3.cast",
        "gone.cast",
    ]


def test_where_nothing_can_be_read_there_is_an_error_at_once(tmp_path: Path) -> None:
    empty = put(tmp_path, 1, b"")
    assert refused(lambda: export([empty], print)) is Code.INVALID_RECORDING
    assert refused(lambda: export([empty, empty], lambda note: None)) is Code.INVALID_RECORDING
    with pytest.raises(InvalidInput, match="Is a directory"):
        export([tmp_path], print)


def test_an_export_is_joined_cut_and_capped(tmp_path: Path) -> None:
    header = written_header(Header(80, 24, BEGAN + 100, "worker", NAME, 2))
    files = [put(tmp_path, 1), put(tmp_path, 2, header + written(CastLine(2.0, OUTPUT, "b")))]
    cut = put(tmp_path, 1, b"".join(export(files, print, 2.0, 0.5)), "20261118T000000Z")
    [part] = read_parts([cut], print)
    assert part.header == Header(80, 24, BEGAN + 0.5, "worker", NAME)
    assert [entry.at for entry in joined(read_parts([cut], print))] == [0.5, 2.5]
    assert len(list(export(files, print, end=50.0))) == 2
