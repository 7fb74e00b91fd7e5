"""A real server for tests of the command line: a process of its own, on a free port, in the home of the test."""

import json
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.surfaces.conftest import PANEWARD, Machine, Ran, run

TRIES = 3000  # looks at a condition, each a request to a real server


@dataclass(frozen=True)
class Up:
    """A server that runs, and how its test talks to it."""

    machine: Machine
    process: subprocess.Popen[bytes]
    said: Any

    @property
    def state(self) -> Path:
        return self.machine.home / ".local/state/paneward"

    def end(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait()

    def agent(self, name: str = "tester", busy: float = 0.3, **options: str) -> str:
        """A demo agent that was adopted; its pane."""
        pane = self.machine.pane(f"{PANEWARD} demo-agent --busy {busy}", name=f"window-{name}")
        assert self.machine.paneward("wait", pane, "--timeout", "60").code == 0
        more = [word for key, value in options.items() for word in (f"--{key}", value)]
        assert self.machine.paneward("adopt", pane, "--name", name, *more).code == 0
        return pane

    def stands(self, name: str = "tester") -> str:
        [agent] = [one for one in self.machine.answer("ps")["agents"] if one["id"] == name]
        return str(agent["stage"])

    def until(self, stage: str, name: str = "tester") -> None:
        """Wait until the agent is there."""
        assert any(self.stands(name) == stage for _ in range(TRIES)), self.machine.paneward("ps").out

    def asking(self, text: str = "permit rm -r build", name: str = "tester") -> Any:
        """Have the agent ask something; its menu."""
        assert self.machine.paneward("send", name, text).code == 0
        self.until("AWAITING_INPUT", name)
        return self.machine.answer("menu", name)["menu"]

    def events(self, *words: str) -> list[Any]:
        return list(self.machine.answer("events", "-n", "1000", *words)["events"])


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


def gone(pid: int) -> bool:
    """The process ended, or ends: it is looked at until it did."""
    return any(not _alive(pid) for _ in range(100 * TRIES))


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def paneward(machine: Machine, *words: str, **env: str) -> Ran:
    """A command as a process of its own."""
    return run([str(PANEWARD), *words], {**machine.env, **env})
