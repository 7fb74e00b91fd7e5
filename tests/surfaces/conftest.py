"""A tmux server of its own for each live test, and the command as a user runs it."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paneward.surfaces.cli import main

if TYPE_CHECKING:
    from tests.surfaces.serving import Up

TMUX = os.environ.get("PANEWARD_TEST_TMUX", "tmux")
PANEWARD = Path(sys.executable).with_name("paneward")
DEMO_AGENT = f"{sys.executable} -m paneward.demo.agent"  # without the command line around it: that takes longer to load


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output: nothing before it, nothing after it, nothing beside it."""
        assert self.err == ""
        return json.loads(self.out)


def run(command: Sequence[str | Path], env: Mapping[str, str], stdin: bytes = b"", timeout: float = 90) -> Ran:
    done = subprocess.run(command, env=env, input=stdin, capture_output=True, check=False, timeout=timeout)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@dataclass(frozen=True)
class Machine:
    """A home with its own tmux server."""

    home: Path
    socket: str
    more: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        base = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/bash"}
        own = {"HOME": str(self.home), "TMUX_TMPDIR": str(self.home), "PANEWARD_TMUX__BINARY": TMUX}
        return {**base, **own, **self.more}

    def tmux(self, *words: str) -> str:
        done = run([TMUX, "-u", "-L", self.socket, "-f", "/dev/null", *words], self.env)
        assert done.code == 0, done.err
        return done.out.strip()

    def pane(self, command: str = "bash --norc --noprofile", name: str = "window") -> str:
        stay = [";", "set-option", "-p", "remain-on-exit", "on"]  # in one go: the program may end at once
        return self.tmux(*self._begin(), "-n", name, "-P", "-F", "#{pane_id}", f"exec {command}", *stay)

    def _begin(self) -> list[str]:
        listed = run([TMUX, "-L", self.socket, "list-sessions"], self.env)
        return ["new-window"] if listed.code == 0 else ["new-session", "-d", "-s", "work", "-x", "80", "-y", "24"]

    def paneward(self, *words: str) -> Ran:
        """A command, run in this process: a start of Python for each would take most of the time."""
        return self.by("-L", self.socket, *words)

    def by(self, *words: str) -> Ran:
        """The same, with no tmux named beforehand."""
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            code = main(list(words))
        return Ran(code, out.getvalue(), err.getvalue())

    def answer(self, *words: str) -> Any:
        """The JSON a command answers with."""
        return self.paneward("--json", *words).document


@contextlib.contextmanager
def lived_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """A machine of this home, with a tmux server that nobody else has; commands run on it."""
    if shutil.which(TMUX) is None:
        pytest.skip("tmux is not installed")
    found = Machine(home, f"paneward-cli-{uuid.uuid4().hex[:12]}")
    for name in ("TMUX", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PANEWARD_CONFIG", "PANEWARD_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in found.env.items():
        monkeypatch.setenv(name, value)
    try:
        yield found
    finally:
        with contextlib.suppress(AssertionError):
            found.tmux("kill-server")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    with lived_in(tmp_path, monkeypatch) as found:
        yield found


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Up]":
    """A server for all tests of a worker that only talk to one."""
    from tests.surfaces.serving import up

    with up(Machine(tmp_path_factory.mktemp("home"), "nobody-lives-here")) as server:
        yield server


@pytest.fixture
def server(running: "Up", monkeypatch: pytest.MonkeyPatch) -> "Iterator[Up]":
    """The shared server, for one test."""
    with lived_in(running.machine.home, monkeypatch) as machine:
        assert machine.answer("ps")["agents"] == []
        [last] = machine.answer("events", "-n", "1")["events"]
        yield replace(running, machine=machine, since=last["seq"])
        for agent in machine.answer("ps")["agents"]:
            assert machine.paneward("forget", agent["id"], "--purge").code == 0
