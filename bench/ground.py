"""Where rows are measured: a private tmux server, programs beside it, and panes that others write into."""

import contextlib
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from paneward.adapters.hosts.host import Host
from paneward.adapters.tmux.control import ControlTmux
from tests.adapters.conftest import TmuxServer

TOP = Path(__file__).resolve().parent.parent


@contextmanager
def private_server() -> Iterator[TmuxServer]:
    """A tmux server with one pane that outlives all others."""
    with TemporaryDirectory(prefix="paneward-bench-", ignore_cleanup_errors=True) as name:
        server = TmuxServer(f"paneward-bench-{uuid.uuid4().hex[:12]}", Path(name))
        server.new_pane("exec cat")
        socket = server.run("display-message", "-p", "#{socket_path}")
        try:
            yield server
        finally:
            server.end()
            with contextlib.suppress(OSError):
                os.unlink(socket)


def control(server: TmuxServer) -> ControlTmux:
    return ControlTmux(Host(), server.name, timeout=30.0)


def command(server: TmuxServer, *words: str) -> list[str]:
    """A tmux command as a process of its own would run it."""
    return [server.tmux, "-L", server.name, *words]


@contextmanager
def beside(module: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A part of the benchmark in a process of its own, which said that it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"bench.{module}", *words],
        cwd=TOP,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        heard(process, "ready")
        yield process
    finally:
        process.kill()
        process.wait()


def heard(process: subprocess.Popen[str], word: str) -> str:
    """Wait for a line that begins with `word`; the rest of it."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.startswith(word):
        raise RuntimeError(f"expected {word!r}, heard {line!r}")
    return line[len(word) :].strip()


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()


SLEEPER = "exec sleep 100000"
SHELL = "PS1='$ ' exec sh"  # at its prompt


@contextmanager
def many_panes(count: int, program: str = SLEEPER) -> Iterator[tuple[TmuxServer, list[tuple[str, str]]]]:
    """A server with one session of `count` windows in which nothing happens: each pane and its terminal."""
    with private_server() as server:
        server.run("new-session", "-d", "-s", "many", "-x", "80", "-y", "24", program)
        for start in range(1, count, 50):
            words = [";", "new-window", "-d", "-t", "many:", program] * min(50, count - start)
            server.run(*words[1:])
        rows = server.run("list-panes", "-s", "-t", "many", "-F", "#{pane_id} #{pane_tty}").splitlines()
        panes = [(pane, tty) for pane, tty in (row.split() for row in rows)]
        assert len(panes) == count
        yield server, panes
