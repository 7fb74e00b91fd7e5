"""The line to a host, by a real ssh: how it is found to be there, and to be gone."""

import asyncio
import contextlib
import socket
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from paneward.adapters.clock import SystemClock
from paneward.adapters.hosts.host import Host, HostGate
from paneward.adapters.hosts.ssh import SshConnection, open_line
from paneward.core.errors import HostUnreachable, LoginNeeded, TmuxError, TmuxNotInstalled, TmuxTooOld
from tests.adapters.conftest import TMUX
from tests.live.sshd import Sshd
from tests.live.sshd import sshd as sshd


def box(config: Path, *options: str, gate: HostGate | None = None) -> Host:
    return Host.ssh("loopback", "-F", str(config), *options, name="box", gate=gate)


def opened(
    host: Host,
    gate: HostGate,
    work: Callable[[SshConnection], Awaitable[None]],
    tmux: str = TMUX,
    connect_timeout: float = 60.0,
    silent_after: float = 60.0,
) -> None:
    async def act() -> None:
        line = open_line(
            host, gate, SystemClock(), tmux=tmux, connect_timeout=connect_timeout, silent_after=silent_after
        )
        async with line as found:
            await work(found)

    asyncio.run(act())


async def nothing(line: SshConnection) -> None:
    return None


def refused_by(gate: HostGate) -> str:
    with pytest.raises(HostUnreachable) as refused:
        gate.check()
    return refused.value.message


def test_a_host_that_is_there_tells_its_tmux_and_opens_the_gate(sshd: Sshd) -> None:
    gate = HostGate("box")
    assert refused_by(gate) == "box: it is not connected yet"
    version = subprocess.run([TMUX, "-V"], capture_output=True, text=True, check=True).stdout

    async def work(line: SshConnection) -> None:
        assert line.tmux == version.strip().removeprefix("tmux ")
        gate.check()
        holding = asyncio.ensure_future(line.hold(gate))
        await asyncio.wait({holding}, timeout=0.2)
        assert not holding.done()
        holding.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await holding

    opened(box(sshd.config), gate, work)
    assert refused_by(gate) == "box: it is not connected"


def test_when_it_is_cut_all_that_is_open_to_the_host_ends_at_once(sshd: Sshd) -> None:
    gate = HostGate("box")
    other = box(sshd.config, gate=gate)
    seen: list[subprocess.Popen[bytes]] = []

    async def work(line: SshConnection) -> None:
        seen.append(other.spawn(["cat"]))
        sshd.cut()
        await line.hold(gate)

    with pytest.raises(HostUnreachable, match=r"^box: ") as lost:
        opened(box(sshd.config), gate, work)
    [process] = seen
    assert process.wait() != 0
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()
    assert refused_by(gate) == lost.value.message
    with pytest.raises(HostUnreachable):
        other.spawn(["cat"])
    with pytest.raises(HostUnreachable):
        asyncio.run(other.run(["true"]))


def test_silence_is_noticed(sshd: Sshd) -> None:
    async def work(line: SshConnection) -> None:
        sshd.hang()
        await line.hold(gate)

    gate = HostGate("box")
    with pytest.raises(HostUnreachable, match=r"box: no answer within 0\.3 s"):
        opened(box(sshd.config), gate, work, silent_after=0.3)


def test_a_place_that_takes_connections_and_says_nothing_is_given_up(sshd: Sshd) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host = box(sshd.config, "-o", f"Port={silent.getsockname()[1]}")
        with pytest.raises(HostUnreachable, match=r"box: no answer within 0\.3 s"):
            opened(host, HostGate("box"), nothing, connect_timeout=0.3)


def test_a_connection_that_ssh_would_ask_for_ends_the_line(sshd: Sshd) -> None:
    gate = HostGate("box")
    other = box(sshd.config, "-o", "PubkeyAuthentication=no", gate=gate)

    async def work(line: SshConnection) -> None:
        with pytest.raises(LoginNeeded, match="Permission denied") as refused:
            await other.run(["true"], timeout=60.0)
        assert "`ssh -F" in refused.value.hint
        assert "BatchMode" not in refused.value.hint
        await line.hold(gate)

    with pytest.raises(LoginNeeded):
        opened(box(sshd.config), gate, work)
    with pytest.raises(LoginNeeded):
        gate.check()


def test_a_tmux_that_is_missing_or_too_old_is_said(sshd: Sshd, tmp_path: Path) -> None:
    old = tmp_path / "tmux-1.8"
    old.write_text("#!/bin/sh\necho tmux 1.8\n")
    old.chmod(0o755)
    cases: list[tuple[str, type[TmuxError]]] = [(str(old), TmuxTooOld), (str(tmp_path / "none"), TmuxNotInstalled)]
    for tmux, error in cases:
        gate = HostGate("box")
        with pytest.raises(error, match=r"^box: ") as refused:
            opened(box(sshd.config), gate, nothing, tmux=tmux)
        assert refused.value.hint
        assert refused_by(gate)


def test_what_a_shell_prints_when_it_starts_is_not_taken_for_an_answer(sshd: Sshd) -> None:
    (sshd.config.parent / ".bashrc").write_text("echo welcome; echo tmux 1.0\n")

    async def work(line: SshConnection) -> None:
        assert "1.0" not in line.tmux

    opened(box(sshd.config), HostGate("box"), work)


def test_without_ssh_the_host_cannot_be_reached() -> None:
    with pytest.raises(HostUnreachable, match="no-such-ssh"):
        opened(Host(["no-such-ssh", "host"], name="box"), HostGate("box"), nothing)
