"""A watching process that dies or stops in the middle of output harms nobody. `make prove` does it 200 times."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from paneward.adapters.hosts.host import REMOTE_PDEATH, Host
from paneward.adapters.tmux.control import ControlTmux
from tests.adapters.conftest import TMUX, TmuxServer, until
from tests.adapters.test_watch import lines_of, numbers

PROGRAM = """
import os, sys
progress = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
number = 0
while True:
    lines = "".join(f"line{n}\\n" for n in range(number, number + 100))
    os.write(1, lines.encode())
    number += 100
    os.pwrite(progress, b"%020d" % number, 0)
"""
WATCHER = """
import asyncio, sys
from paneward.adapters.tmux.control import ControlTmux

async def main():
    async with ControlTmux(socket_name=sys.argv[1], tmux=sys.argv[3]) as tmux, tmux.watch(sys.argv[2]) as watch:
        print("watching", flush=True)
        async for chunk in watch.chunks():
            pass

asyncio.run(main())
"""
GROWTH = 10 << 20


class Flood:
    """A pane whose program prints as fast as it can and counts its lines in a file."""

    def __init__(self, server: TmuxServer) -> None:
        program = server.home / "flood.py"
        program.write_text(PROGRAM)
        self.server = server
        self.progress = server.home / "progress"
        self.pane = server.new_pane(["python3", str(program), str(self.progress)])
        self.runs_on(5000)
        self.size = self.rss()

    def count(self) -> int:
        return int(self.progress.read_bytes() or b"0") if self.progress.exists() else 0

    def runs_on(self, lines: int = 20_000) -> None:
        start = self.count()
        until(lambda: self.count() >= start + lines, 60)

    def rss(self) -> int:
        pid = self.server.run("display-message", "-p", "#{pid}")
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def clients(self) -> list[str]:
        return self.server.run("list-clients", "-F", "#{client_pid}").split()


@contextmanager
def watcher(flood: Flood) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", WATCHER, flood.server.name, flood.pane, TMUX]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "watching\n"
        try:
            yield process
        finally:
            process.kill()


def joins_without_a_gap(flood: Flood) -> None:
    async def main() -> None:
        tmux = ControlTmux(Host(), flood.server.name, tmux=TMUX)
        async with tmux, tmux.watch(flood.pane) as watch:
            assert await watch.wait(3000, 20)
            stream = watch.recent(0) or b""
            if watch.joins == 1:  # else the flood was told as a gap
                seen = numbers(lines_of(watch.snapshot) + stream.decode())
                assert seen == list(range(seen[0], seen[0] + len(seen)))

    asyncio.run(main())


@pytest.mark.parametrize("round", range(3))
def test_a_killed_watcher_stalls_nobody_and_leaves_nothing(tmux_server: TmuxServer, round: int) -> None:
    flood = Flood(tmux_server)
    with watcher(flood) as process:
        assert len(flood.clients()) == 2
        flood.runs_on(1000 * round)
        process.kill()
        process.wait()
        flood.runs_on()
        until(lambda: flood.clients() == [])
        joins_without_a_gap(flood)
    assert flood.rss() - flood.size <= GROWTH


def test_a_stopped_watcher_stalls_nobody_and_tmux_does_not_grow(tmux_server: TmuxServer) -> None:
    flood = Flood(tmux_server)
    with watcher(flood) as process:
        process.send_signal(signal.SIGSTOP)
        flood.runs_on(1_500_000)  # more than the second of patience that tmux has with it
        assert flood.rss() - flood.size <= GROWTH
        joins_without_a_gap(flood)
        process.send_signal(signal.SIGCONT)
        flood.runs_on()
        process.send_signal(signal.SIGSTOP)
        flood.runs_on()
    until(lambda: flood.clients() == [])
    flood.runs_on()
    assert flood.rss() - flood.size <= GROWTH


def test_the_input_of_what_we_open_stays_open_until_it_is_gone_itself() -> None:
    process = Host().spawn(["sleep", "1000"])
    with process:
        try:
            until(lambda: Path(f"/proc/{process.pid}/comm").read_text() == "sleep\n")  # no longer on its way there
            assert process.stdin is not None
            ours = os.readlink(f"/proc/self/fd/{process.stdin.fileno()}")
            held = [os.readlink(fd) for fd in Path(f"/proc/{process.pid}/fd").iterdir()]
        finally:
            process.kill()
    assert held.count(ours) == 2  # it reads from it, and can write to it


@pytest.mark.parametrize("parent", ['while [ ! -e "$1" ]; do sleep 0.01; done', ""], ids=["later", "at once"])
def test_what_was_begun_over_ssh_ends_if_its_parent_died_before_it_asked_for_that(tmp_path: Path, parent: str) -> None:
    setpriv = shutil.which("setpriv")
    assert setpriv
    late, reached, go = (tmp_path / name for name in ("setpriv", "reached", "go"))
    late.write_text(f'#!/bin/sh\ntouch {reached}\nwhile [ ! -e {go} ]; do sleep 0.01; done\nexec {setpriv} "$@"\n')
    late.chmod(0o755)
    begun = subprocess.run(
        ["sh", "-c", f'sh -c "$0" sh sleep 1000 >/dev/null 2>&1 & echo $!; {parent}', REMOTE_PDEATH, str(reached)],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    child = int(begun.stdout)
    go.touch()
    try:
        until(lambda: _gone(child))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def _gone(pid: int) -> bool:
    try:
        return b"State:\tZ" in Path(f"/proc/{pid}/status").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return True
