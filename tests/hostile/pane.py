"""A program in a pane of a private tmux server: what a terminal shows of it, and what it logged."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.hostile.driver import PATIENCE, read_log

KEEP = ("remain-on-exit", "on")


class Pane:
    def __init__(self, home: Path) -> None:
        self.log = home / "log.jsonl"
        self._server = ["tmux", "-L", f"pane-{os.getpid()}-{time.monotonic_ns()}", "-f", "/dev/null"]
        self._environment = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
        }

    def tmux(self, *command: str) -> str:
        done = subprocess.run(
            [*self._server, *command], env=self._environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    def start(self, *program: str, columns: int = 80, rows: int = 24) -> None:
        """Start it with the interpreter of the tests and wait until it takes input."""
        command = [sys.executable, *program, "--log", str(self.log)]
        self.tmux(
            "new-session", "-d", "-x", str(columns), "-y", str(rows), *command, ";", "set", "remain-on-exit", "on"
        )
        self.wait(lambda: bool(self.named("ready")))

    def close(self) -> None:
        subprocess.run([*self._server, "kill-server"], env=self._environment, capture_output=True, check=False)

    # -- typing ---------------------------------------------------------------------------------------------------

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", "--", text)

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def paste(self, text: str) -> None:
        self.tmux("set-buffer", "--", text)
        self.tmux("paste-buffer", "-p", "-r", "-d")

    # -- seeing ---------------------------------------------------------------------------------------------------

    def wait(self, condition: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < until, f"{self.events()}\n{self.tmux('capture-pane', '-p')}"
            time.sleep(0.01)

    def wait_screen(self, condition: Callable[[str], bool]) -> str:
        """The first screen that satisfies `condition`."""
        seen: list[str] = []

        def look() -> bool:
            seen[:] = [self.tmux("capture-pane", "-p")]
            return condition(seen[0])

        self.wait(look)
        return seen[0]

    def ask(self, variable: str) -> str:
        return self.tmux("display-message", "-p", f"#{{{variable}}}").strip()

    def cursor(self) -> tuple[int, int]:
        return int(self.ask("cursor_x")), int(self.ask("cursor_y"))

    def history(self) -> list[str]:
        return self.tmux("capture-pane", "-p", "-S", "-").split("\n")

    # -- the log --------------------------------------------------------------------------------------------------

    def events(self) -> list[dict[str, object]]:
        return read_log(self.log)

    def named(self, event: str) -> list[dict[str, object]]:
        return [line for line in self.events() if line["event"] == event]

    def wait_event(self, event: str, count: int = 1) -> list[dict[str, object]]:
        """The events of that name, once there are `count`."""
        self.wait(lambda: len(self.named(event)) >= count)
        return self.named(event)


@contextmanager
def private_pane(home: Path) -> Iterator[Pane]:
    pane = Pane(home)
    try:
        yield pane
    finally:
        pane.close()
