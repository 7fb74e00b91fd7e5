"""The least that types and looks: a control client on blocking pipes that judges nothing.

It is the floor of a send and of a prompt: tmux, the program and the pipes cost this much whoever asks.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from bench.ground import command
from paneward.adapters.process import local_facts
from tests.adapters.conftest import TmuxServer


class BareClient:
    """Hears one pane."""

    def __init__(self, to: int, back: int, pane: str, pid: int, tty: str) -> None:
        self._to = to
        self._back = back
        self._pane = pane
        self._pid = pid
        self._tty = tty
        self._heard = b""

    def send(self, text: str) -> None:
        """Paste, await the output, press Enter, await the output, capture."""
        self._say(f"set-buffer -b bare -- '{text}'\npaste-buffer -p -r -d -b bare -t {self._pane}")
        self._await_output(text[-8:].encode())
        self._say(f"send-keys -t {self._pane} Enter")
        self.prompt()

    def prompt(self) -> None:
        """Await output that ends in a prompt, read the process, capture."""
        self._await_output(b"> ")
        local_facts(self._pid, self._tty)
        self._heard = b""
        self._say(f"capture-pane -p -e -t {self._pane}")
        while b"\n%end " not in self._heard or not self._heard.endswith(b"\n"):
            self._read()
        self._heard = b""

    def press(self, key: str) -> None:
        self._say(f"send-keys -t {self._pane} {key}")

    def _say(self, line: str) -> None:
        os.write(self._to, f"{line}\n".encode())

    def _read(self) -> None:
        self._heard += os.read(self._back, 1 << 16)

    def _await_output(self, end: bytes) -> None:
        start = f"%output {self._pane} ".encode()
        while True:
            *lines, self._heard = self._heard.split(b"\n")
            if any(line.startswith(start) and line.endswith(end) for line in lines):
                return
            self._read()


@contextmanager
def bare_client(server: TmuxServer, pane: str) -> Iterator[BareClient]:
    pid, tty = server.run("display-message", "-p", "-t", pane, "#{pane_pid} #{pane_tty}").split()
    process = subprocess.Popen(
        command(server, "-C", "attach-session", "-t", pane, "-f", "ignore-size"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    to, back = process.stdin.fileno(), process.stdout.fileno()
    try:
        greeting = b""
        while b"%session-changed" not in greeting or not greeting.endswith(b"\n"):
            greeting += os.read(back, 1 << 16)
        yield BareClient(to, back, pane, int(pid), tty)
    finally:
        process.kill()
        process.wait()
