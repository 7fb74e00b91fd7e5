"""Real parts for live tests: a private tmux server per test, a private sshd per run.

`PANEWARD_TEST_TMUX` names the tmux under test. Nothing here touches the user's own tmux, home or ssh files.
"""

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from paneward.adapters.hosts.host import Host
from paneward.adapters.tmux.control import ControlTmux
from paneward.adapters.tmux.processes import ExecTmux

TMUX = os.environ.get("PANEWARD_TEST_TMUX", "tmux")
SSHD = shutil.which("sshd") or shutil.which("/usr/sbin/sshd")
LiveTmux = ControlTmux | ExecTmux


@dataclass
class TmuxServer:
    """A tmux server of its own name and home, which ends with the test."""

    name: str
    home: Path
    tmux: str = TMUX
    sessions: int = field(default=0)

    @property
    def env(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "SHELL": "/bin/sh",
        }

    def run(self, *args: str) -> str:
        """Any tmux command; its words, or an exception."""
        done = subprocess.run(
            [self.tmux, "-u", "-L", self.name, "-f", "/dev/null", *args],
            env=self.env,
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        if done.returncode:
            raise RuntimeError(f"tmux {args}: {done.stderr.strip()}")
        return done.stdout.rstrip("\n")

    def new_pane(
        self, command: str | Sequence[str] = "sh", width: int = 80, height: int = 24, remain: bool = False
    ) -> str:
        """A pane in a session of its own; `remain` keeps it when its program ends."""
        words = [command] if isinstance(command, str) else list(command)
        self.sessions += 1
        size = ("-x", str(width), "-y", str(height))
        stay = (";", "set-option", "-p", "remain-on-exit", "on") if remain else ()
        pane = self.run("new-session", "-d", "-s", f"s{self.sessions}", *size, "-P", "-F", "#{pane_id}", *words, *stay)
        if self.run("display-message", "-p", "-t", pane, "#{pane_width} #{pane_height}") != f"{width} {height}":
            self.run("resize-window", "-t", pane, "-x", str(width), "-y", str(height))
        return pane

    def value(self, pane: str, name: str) -> str:
        return self.run("display-message", "-p", "-t", pane, f"#{{{name}}}")

    def screen(self, pane: str) -> str:
        return self.run("capture-pane", "-p", "-t", pane)

    def end(self) -> None:
        """End this server; by its process id if it does not listen any more."""
        pid = ""
        with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired):
            pid = self.run("display-message", "-p", "#{pid}")
            self.run("kill-server")
            return
        if pid:
            with contextlib.suppress(ProcessLookupError):  # it ended with its last pane, just before
                os.kill(int(pid), signal.SIGKILL)


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for evidence; fail when it does not come."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


@pytest.fixture
def tmux_server(tmp_path: Path) -> Iterator[TmuxServer]:
    if shutil.which(TMUX) is None:
        pytest.skip("tmux is not installed")
    home = tmp_path / "home"
    home.mkdir()
    server = TmuxServer(f"paneward-test-{uuid.uuid4().hex[:12]}", home)
    yield server
    server.end()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _write_sshd(home: Path, port: int) -> tuple[Path, Path]:
    """Keys and two configuration files: for sshd, and for ssh."""
    for key in ("host_key", "user_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", home / key], check=True)
    (home / "authorized_keys").write_bytes((home / "user_key.pub").read_bytes())
    server, client = home / "sshd_config", home / "ssh_config"
    server.write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {home}/host_key\nAuthorizedKeysFile {home}/authorized_keys\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\nPidFile none\n"
        f"MaxStartups 100\nMaxSessions 100\nPrintMotd no\nSetEnv HOME={home}\n"  # no start-up files of the user
    )
    client.write_text(
        f"Host loopback\n HostName 127.0.0.1\n Port {port}\n User {getpass.getuser()}\n IdentityFile {home}/user_key\n"
        f" IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile {home}/known_hosts\n"
        " GlobalKnownHostsFile /dev/null\n StrictHostKeyChecking accept-new\n LogLevel ERROR\n"
    )
    return server, client


@pytest.fixture(scope="session")
def ssh_config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The ssh configuration under which `loopback` is a private sshd on this machine."""
    if SSHD is None or shutil.which("ssh-keygen") is None:
        pytest.skip("sshd is not installed")
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd of root insists on its empty directory
    home = tmp_path_factory.mktemp("sshd")
    port = free_port()
    server, client = _write_sshd(home, port)
    with open(home / "log", "wb") as log:
        process = subprocess.Popen([SSHD, "-D", "-e", "-f", server], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        until(lambda: listens(port) or process.poll() is not None)
        assert process.poll() is None, (home / "log").read_text()
        yield client
    finally:
        process.terminate()
        process.wait()


Connect = Callable[..., LiveTmux]


@pytest.fixture
def connect_tmux(tmux_server: TmuxServer, request: pytest.FixtureRequest) -> Connect:
    """`connect_tmux(transport, host)`: the port to this test's server; use it as `async with`, or close it."""

    def connect(
        transport: str = "control", host: str = "local", *, name: str | None = None, timeout: float = 5.0
    ) -> LiveTmux:
        place = Host.ssh("loopback", "-F", str(request.getfixturevalue("ssh_config"))) if host == "ssh" else Host()
        kind = ControlTmux if transport == "control" else ExecTmux
        return kind(place, name or tmux_server.name, timeout=timeout, tmux=TMUX)

    return connect


WAYS = [("control", "local"), ("exec", "local"), ("control", "ssh"), ("exec", "ssh")]


@pytest.fixture(params=WAYS, ids=["-".join(way) for way in WAYS])
def any_way(request: pytest.FixtureRequest) -> tuple[str, str]:
    transport, host = request.param
    return transport, host


@pytest.fixture
def any_tmux(any_way: tuple[str, str], connect_tmux: Connect) -> Callable[[], LiveTmux]:
    """The same test over both transports, here and over ssh."""
    return lambda: connect_tmux(*any_way)
