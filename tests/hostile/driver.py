"""Runs a hostile program on a pseudo-terminal, without tmux: types bytes, collects what it draws, reads its log."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HERE = Path(__file__).parent
PATIENCE = 30.0


def read_log(path: Path) -> list[dict[str, object]]:
    """Every event a program logged so far; a line still being written is left out."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


class Session:
    """A running program: `type` to it, `wait` until something is so."""

    def __init__(self, program: str, log: Path, *options: str, columns: int = 80, rows: int = 24) -> None:
        self.log = log
        self.drawn = ""
        self._master, slave = pty.openpty()
        self.resize(columns, rows, tell=False)
        command = [sys.executable, str(HERE / f"{program}.py"), "--log", str(log), *options]
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)

    def resize(self, columns: int, rows: int, tell: bool = True) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if tell:
            self.process.send_signal(signal.SIGWINCH)

    def type(self, text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        while data:  # a pty takes 4 kB at most before the program reads
            _, writable, _ = select.select([], [self._master], [], 0.01)
            if writable:
                data = data[os.write(self._master, data[:1024]) :]
            self.collect(0)

    def paste(self, text: str) -> None:
        self.type(f"\x1b[200~{text}\x1b[201~")

    def collect(self, seconds: float) -> bool:
        """Take what was drawn; whether there was anything."""
        readable, _, _ = select.select([self._master], [], [], seconds)
        if not readable:
            return False
        try:
            self.drawn += os.read(self._master, 65536).decode("utf-8", "replace")
        except OSError:  # every program on the terminal is gone
            return False
        return True

    def wait(self, condition: Callable[[], bool]) -> None:
        """Until `condition` holds; what was seen instead is in the failure."""
        until = time.monotonic() + PATIENCE
        while not condition():
            dead = self.process.poll() is not None
            more = self.collect(0.01)
            hopeless = time.monotonic() > until or (dead and not more)
            assert not hopeless or condition(), f"log {self.events()} screen {self.drawn[-500:]!r}"

    def let_pass(self, seconds: float) -> None:
        """Some programs judge by the time between keys: there the time itself is the input."""
        until = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() >= until)

    def wait_drawn(self, text: str) -> None:
        self.wait(lambda: text in self.drawn)

    def wait_event(self, event: str, count: int = 1) -> list[dict[str, object]]:
        """The events of that name, once there are `count`."""
        self.wait(lambda: len(self.named(event)) >= count)
        return self.named(event)

    def wait_gone(self) -> int:
        self.wait(lambda: self.process.poll() is not None)
        return self.process.returncode

    def events(self) -> list[dict[str, object]]:
        return read_log(self.log)

    def named(self, event: str) -> list[dict[str, object]]:
        return [line for line in self.events() if line["event"] == event]

    def submitted(self, count: int = 1) -> list[object]:
        """The texts of all submits, once there are `count`."""
        return [line["text"] for line in self.wait_event("submit", count)]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        with suppress(OSError):
            os.close(self._master)


@contextmanager
def running(
    program: str, tmp_path: Path, *options: str, columns: int = 80, rows: int = 24, ready: bool = True
) -> Iterator[Session]:
    """A program that takes input, ended afterwards."""
    session = Session(program, tmp_path / f"{program}.jsonl", *options, columns=columns, rows=rows)
    try:
        if ready:
            session.wait_event("ready")
        yield session
    finally:
        session.close()
