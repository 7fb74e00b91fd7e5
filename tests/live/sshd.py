"""A private sshd that can be cut off, kept away and hung up, as machines are."""

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.conftest import SSHD, _write_sshd, free_port, listens, until


class Sshd:
    def __init__(self, home: Path) -> None:
        self.port = free_port()
        self._home = home
        self._server, self.config = _write_sshd(home, self.port)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert SSHD is not None
        with open(self._home / "log", "ab") as log:
            self._process = subprocess.Popen(
                [SSHD, "-D", "-e", "-f", self._server], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        until(lambda: listens(self.port))

    def cut(self) -> None:
        """End all connections; new ones are taken."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """Be away."""
        if self._process is not None:
            self.go_on()
            sessions = self.sessions()
            self._process.kill()
            self._process.wait()
            for pid in sessions:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._process = None

    def hang(self) -> None:
        """Answer nobody, and refuse nobody."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)
        self._signal(signal.SIGCONT)

    def sessions(self) -> list[int]:
        """The processes of sshd that serve one connection each."""
        assert self._process is not None
        return [pid for pid in _below(self._process.pid) if _name(pid).startswith("sshd")]

    def signed_in(self) -> int:
        """How many connections were taken so far."""
        return (self._home / "log").read_text().count("Accepted publickey")

    def _signal(self, number: int) -> None:
        for pid in self.sessions():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


def _below(pid: int) -> list[int]:
    try:
        children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [*children, *(one for child in children for one in _below(child))]


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


@contextlib.contextmanager
def running(home: Path) -> Iterator[Sshd]:
    """One that runs; `loopback` in its configuration is this machine."""
    if SSHD is None or shutil.which("ssh-keygen") is None:
        pytest.skip("sshd is not installed")
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd of root insists on its empty directory
    home.mkdir()
    found = Sshd(home)
    found.start()
    try:
        yield found
    finally:
        found.stop()


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    with running(tmp_path / "sshd") as found:
        yield found


@pytest.fixture
def second_sshd(tmp_path: Path) -> Iterator[Sshd]:
    with running(tmp_path / "second-sshd") as found:
        yield found
