"""A real server for tests of the command line: a process of its own, on a free port, in the home of the test.

Where a server is only what commands talk to, the tests that one worker runs share one (the fixture `server`): each has
a tmux of its own there, sees the events since its begin, and leaves no agent behind.
"""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.surfaces.conftest import DEMO_AGENT, PANEWARD, Machine, Ran, run

TRIES = 3000  # looks at a condition, each a request to a real server
PAUSE = 0.03  # seconds between them: the cores are needed for what is waited for


@dataclass(frozen=True)
class Up:
    """A server that runs, and how its test talks to it."""

    machine: Machine
    process: subprocess.Popen[bytes]
    said: Any
    since: int = 0  # the number of the last event before the test

    @property
    def state(self) -> Path:
        return self.machine.home / ".local/state/paneward"

    def end(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait()

    def agent(self, name: str = "tester", busy: float = 0.3, **options: str) -> str:
        """A demo agent that was adopted; its pane."""
        pane = self.machine.pane(f"{DEMO_AGENT} --busy {busy}", name=f"window-{name}")
        assert self.machine.paneward("wait", pane, "--timeout", "60").code == 0
        more = [word for key, value in options.items() for word in (f"--{key}", value)]
        assert self.machine.paneward("adopt", pane, "--name", name, *more).code == 0
        return pane

    def stands(self, name: str = "tester") -> str:
        [agent] = [one for one in self.machine.answer("ps")["agents"] if one["id"] == name]
        return str(agent["stage"])

    def until(self, stage: str, name: str = "tester") -> None:
        """Wait until the agent is there."""
        assert reached(lambda: self.stands(name) == stage), self.machine.paneward("ps").out

    def asking(self, text: str = "permit rm -r build", name: str = "tester") -> Any:
        """Have the agent ask something; its menu."""
        assert self.machine.paneward("send", name, text).code == 0
        self.until("AWAITING_INPUT", name)
        return self.machine.answer("menu", name)["menu"]

    def events(self, *words: str) -> list[Any]:
        """What was told since the test began, or since the number that is asked for."""
        since = [] if "--after" in words else ["--after", str(self.since)]
        return list(self.machine.answer("events", "-n", "1000", *since, *words)["events"])


@contextmanager
def up(machine: Machine, *words: str, env: Mapping[str, str] | None = None) -> Iterator[Up]:
    """A server in the foreground, as `paneward up` runs it; ended at the end."""
    command = [str(PANEWARD), "--json", "up", "--port", "0", *words]
    with open(machine.home / "up.log", "ab") as log:
        process = subprocess.Popen(command, env={**machine.env, **(env or {})}, stdout=subprocess.PIPE, stderr=log)
    with process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            assert said, (machine.home / "up.log").read_text()
            yield Up(machine, process, json.loads(said))
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait()


def reached(condition: Callable[[], object]) -> bool:
    """Whether it came to that: it is looked at again and again."""
    for _ in range(TRIES):
        if condition():
            return True
        time.sleep(PAUSE)
    return False


def gone(pid: int) -> bool:
    """The process ended, or ends: it is looked at until it did."""
    return reached(lambda: not _alive(pid))


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def paneward(machine: Machine, *words: str, **env: str) -> Ran:
    """A command as a process of its own."""
    return run([str(PANEWARD), *words], {**machine.env, **env})
