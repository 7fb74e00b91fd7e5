"""One writer per pane, with real processes."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from paneward.adapters.tmux import pane_lock as lock
from paneward.adapters.tmux.pane_lock import pane_lock, sweep
from paneward.core.errors import Code, PanewardError, StoreError

LONG = 30.0  # seconds no test ever waits

HOLDER = """
import asyncio, sys
from pathlib import Path
from paneward.adapters.tmux.pane_lock import pane_lock

async def hold():
    async with pane_lock(Path(sys.argv[1]), "server %3", 30):
        print("held", flush=True)
        sys.stdin.readline()

asyncio.run(hold())
"""
WRITER = """
import asyncio, sys
from pathlib import Path
from paneward.adapters.tmux.pane_lock import pane_lock

async def write(task):
    for turn in range(20):
        async with pane_lock(Path(sys.argv[1]), "server %3", 60):
            for part in ("a", "b", "c"):
                with open(sys.argv[2], "a") as out:
                    out.write(part)
                await asyncio.sleep(0)

async def main():
    await asyncio.gather(*(write(task) for task in range(3)))

asyncio.run(main())
"""


@contextmanager
def holder(folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def take(folder: Path, timeout: float = LONG, key: str = "server %3") -> None:
    async def main() -> None:
        async with pane_lock(folder, key, timeout):
            pass

    asyncio.run(main())


def lock_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("paneward-lock")]


async def until_a_thread_waits() -> None:
    while not lock_threads():  # noqa: ASYNC110 - the thread of the lock has no event to wait for
        await asyncio.sleep(0)


def join_lock_threads() -> None:
    for thread in lock_threads():
        thread.join(LONG)
        assert not thread.is_alive()


def test_a_free_pane_is_taken_without_waiting_and_again(tmp_path: Path) -> None:
    take(tmp_path / "locks", timeout=0)
    take(tmp_path / "locks", timeout=0)
    assert lock_threads() == []


def test_the_lock_file_and_its_directory_are_private(tmp_path: Path) -> None:
    take(tmp_path / "locks")
    assert (tmp_path / "locks").stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "locks").iterdir()] == [0o600]


def test_two_tasks_never_hold_one_pane_together(tmp_path: Path) -> None:
    seen: list[str] = []

    async def write(name: str) -> None:
        async with pane_lock(tmp_path, "server %3", LONG):
            for _ in range(5):
                seen.append(name)
                await asyncio.sleep(0)

    async def main() -> None:
        await asyncio.gather(*(write(name) for name in "abcdef"))

    asyncio.run(main())
    assert "".join(seen) == "".join(name * 5 for name in "abcdef")
    assert lock_threads() == []


def test_two_panes_do_not_wait_for_each_other(tmp_path: Path) -> None:
    async def main() -> None:
        async with pane_lock(tmp_path, "server %3", 0), pane_lock(tmp_path, "server %4", 0):
            pass

    asyncio.run(main())


def test_processes_and_their_tasks_never_mix_what_they_write(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path / "locks"), str(tmp_path / "out")]
    writers = [subprocess.Popen(command) for _ in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert (tmp_path / "out").read_text() == "abc" * 3 * 3 * 20


def test_a_time_out_names_the_pane_and_the_process_that_holds_it(tmp_path: Path) -> None:
    with holder(tmp_path) as process, pytest.raises(PanewardError) as caught:
        take(tmp_path, timeout=0.05)
    assert caught.value.code is Code.TIMEOUT
    assert caught.value.message == f"another sender holds pane %3 (pid {process.pid})"
    assert "Nothing was typed" in caught.value.hint


def test_a_time_out_behind_a_task_of_the_same_process_names_this_process(tmp_path: Path) -> None:
    async def main() -> None:
        async with pane_lock(tmp_path, "server %3", LONG), pane_lock(tmp_path, "server %3", 0.01):
            pass

    with pytest.raises(PanewardError, match=f"holds pane %3 .pid {os.getpid()}."):
        asyncio.run(main())


def test_a_holder_that_ends_lets_the_waiter_in(tmp_path: Path) -> None:
    async def main(process: subprocess.Popen[str]) -> None:
        waiting = asyncio.create_task(wait())
        await until_a_thread_waits()
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        await waiting

    async def wait() -> None:
        async with pane_lock(tmp_path, "server %3", LONG):
            pass

    with holder(tmp_path) as process:
        asyncio.run(main(process))


def test_a_killed_holder_frees_the_pane(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        process.send_signal(signal.SIGKILL)
        take(tmp_path)


def test_a_waiter_that_gave_up_lets_go_as_soon_as_it_is_let_in(tmp_path: Path) -> None:
    with holder(tmp_path), pytest.raises(PanewardError):
        take(tmp_path, timeout=0.05)
    join_lock_threads()
    take(tmp_path, timeout=0)
    assert lock._orphans == {}


def test_waiters_that_give_up_again_and_again_leave_one_thread_behind(tmp_path: Path) -> None:
    with holder(tmp_path):
        for _ in range(5):
            with pytest.raises(PanewardError):
                take(tmp_path, timeout=0.02)
        assert len(lock_threads()) == 1
    join_lock_threads()
    take(tmp_path, timeout=0)


def test_a_waiter_adopts_the_thread_of_one_that_gave_up_and_gets_the_pane(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        with pytest.raises(PanewardError):
            take(tmp_path, timeout=0.02)
        process.kill()
        take(tmp_path)
    take(tmp_path, timeout=0)


def test_a_cancelled_waiter_holds_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        waiting = asyncio.create_task(wait())
        await until_a_thread_waits()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    async def wait() -> None:
        async with pane_lock(tmp_path, "server %3", LONG):
            pytest.fail("it was let in")

    with holder(tmp_path):
        asyncio.run(main())
    join_lock_threads()
    take(tmp_path, timeout=0)


def test_an_error_inside_frees_the_pane(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(ValueError, match="inside"):
            async with pane_lock(tmp_path, "server %3", LONG):
                raise ValueError("inside")
        async with pane_lock(tmp_path, "server %3", 0):
            pass

    asyncio.run(main())


def child_with_files_of(folder: Path) -> subprocess.Popen[bytes]:
    links = {file: os.path.realpath(f"/proc/self/fd/{file}") for file in map(int, os.listdir("/proc/self/fd"))}
    files = [file for file, link in links.items() if link.startswith(str(folder))]
    assert files
    return subprocess.Popen(["sleep", "30"], pass_fds=files)


def test_a_child_that_inherited_the_file_does_not_keep_the_pane(tmp_path: Path) -> None:
    async def main() -> subprocess.Popen[bytes]:
        async with pane_lock(tmp_path, "server %3", LONG):
            return child_with_files_of(tmp_path)

    with asyncio.run(main()) as child:
        try:
            take(tmp_path, timeout=0)
        finally:
            child.kill()


def test_a_directory_that_cannot_be_written_is_a_clear_error() -> None:
    with pytest.raises(StoreError, match="cannot lock /proc/paneward/"):
        take(Path("/proc/paneward"))


def test_a_sweep_removes_what_is_old_and_free_and_nothing_else(tmp_path: Path) -> None:
    take(tmp_path, key="old")
    take(tmp_path, key="new")
    old, new = sorted(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    os.utime(old, (0, 0))
    with holder(tmp_path):
        held = next(path for path in tmp_path.iterdir() if path not in (old, new))
        os.utime(held, (0, 0))
        assert sweep(tmp_path, older_than=1000.0) == 1
    assert sorted(tmp_path.iterdir()) == sorted([new, held])


def lock_file(folder: Path) -> Path:
    return next(folder.iterdir())


def test_a_lock_on_a_swept_file_does_not_count(tmp_path: Path) -> None:
    async def main(process: subprocess.Popen[str]) -> None:
        waiting = asyncio.create_task(wait())
        await until_a_thread_waits()
        lock_file(tmp_path).unlink()
        process.kill()
        await waiting

    async def wait() -> None:
        async with pane_lock(tmp_path, "server %3", LONG):
            assert lock_file(tmp_path).read_text().strip() == str(os.getpid())

    with holder(tmp_path) as process:
        asyncio.run(main(process))
