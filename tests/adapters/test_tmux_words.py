"""tmux's words, and what stands in the way of reaching it."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from paneward.adapters.hosts.host import Host
from paneward.adapters.tmux.control import ControlTmux
from paneward.adapters.tmux.processes import ExecTmux
from paneward.adapters.tmux.words import check_version, classify, press_commands, version
from paneward.core.errors import (
    HostUnreachable,
    PaneDead,
    PaneNotFound,
    TmuxError,
    TmuxNotInstalled,
    TmuxTooOld,
)
from tests.adapters.conftest import LiveTmux, TmuxServer, free_port, until

BOTH = pytest.mark.parametrize("kind", [ControlTmux, ExecTmux])


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("tmux 3.3a", (3, 3)),
        ("3.2", (3, 2)),
        ("tmux next-3.8", (3, 8)),
        ("tmux 3.1c", (3, 1)),
        ("tmux openbsd-7.5", None),
        ("tmux master", None),
        ("", None),
    ],
)
def test_every_way_to_tell_a_version_is_read(words: str, number: tuple[int, int] | None) -> None:
    assert version(words) == number


def test_what_is_older_than_3_2_is_refused() -> None:
    for fine in ("tmux 3.2", "tmux next-3.8", "tmux master", "tmux openbsd-6.0", "tmux 4.0"):
        check_version(fine)
    for old in ("tmux 3.1c", "tmux 2.9a"):
        with pytest.raises(TmuxTooOld, match=old):
            check_version(old)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("can't find pane: %9", PaneNotFound),
        ("no server running on /tmp/tmux-0/x", PaneNotFound),
        ("error connecting to /tmp/x (No such file or directory)", PaneNotFound),
        ("no sessions", PaneNotFound),
        ("target pane has exited", PaneDead),
        ("sh: 1: exec: tmux: not found", TmuxNotInstalled),
        ("unknown command: foo", TmuxError),
        ("", TmuxError),
    ],
)
def test_tmux_words_are_classified(words: str, kind: type[TmuxError]) -> None:
    assert type(classify("look", words)) is kind


def test_keys_are_sent_in_runs_of_a_kind() -> None:
    assert press_commands("%1", ["Up", "Enter", "CR", "C-c", "y"]) == [
        ("send-keys", "-t", "%1", "Up", "Enter"),
        ("send-keys", "-t", "%1", "-H", "0d", "03"),
        ("send-keys", "-t", "%1", "y"),
    ]
    assert press_commands("%1", []) == []


def refused(make: Callable[[], LiveTmux]) -> TmuxError:
    async def main() -> TmuxError:
        async with make() as tmux:
            with pytest.raises(TmuxError) as caught:
                await tmux.look("%0")
            return caught.value

    return asyncio.run(main())


@BOTH
def test_a_machine_without_tmux_says_so(kind: type[LiveTmux], tmp_path: Path) -> None:
    assert type(refused(lambda: kind(tmux=str(tmp_path / "tmux")))) is TmuxNotInstalled


@BOTH
def test_another_host_without_tmux_says_so(kind: type[LiveTmux], tmp_path: Path, ssh_config: Path) -> None:
    host = Host.ssh("loopback", "-F", str(ssh_config))
    assert type(refused(lambda: kind(host, tmux=str(tmp_path / "tmux")))) is TmuxNotInstalled


@BOTH
def test_a_host_that_cannot_be_reached_is_told_in_ssh_words(kind: type[LiveTmux], ssh_config: Path) -> None:
    host = Host.ssh("loopback", "-F", str(ssh_config), "-p", str(free_port()))
    error = refused(lambda: kind(host))
    assert type(error) is HostUnreachable
    assert "Connection refused" in error.message
    assert "loopback" in error.message


@BOTH
def test_an_old_tmux_is_refused_by_its_own_number(kind: type[LiveTmux], tmp_path: Path) -> None:
    old = tmp_path / "tmux"
    old.write_text('#!/bin/sh\n[ "$1" = -V ] && { echo tmux 3.1c; exit 0; }\necho usage: tmux >&2\nexit 1\n')
    old.chmod(0o755)
    assert type(refused(lambda: kind(tmux=str(old)))) is TmuxTooOld


@BOTH
def test_words_for_the_other_shell_arrive_as_they_are(
    kind: type[LiveTmux], tmux_server: TmuxServer, ssh_config: Path
) -> None:
    tmux_server.new_pane("exec cat")
    words = 'it\'s "quoted" $HOME `id` ; \\ *'

    async def main() -> None:
        host = Host.ssh("loopback", "-F", str(ssh_config))
        async with kind(host, tmux_server.name, tmux=tmux_server.tmux) as tmux:
            await tmux.run("set-option", "-g", "@words", words)
            assert await tmux.run("display-message", "-p", "#{@words}") == [words]

    asyncio.run(main())


def test_an_opened_program_ends_with_the_process_that_opened_it() -> None:
    code = (
        "import os\n"
        "from paneward.adapters.hosts.host import Host\n"
        "pid = Host().spawn(['sleep', '1000']).pid\n"
        "while open(f'/proc/{pid}/comm').read() != 'sleep\\n': pass\n"
        "print(pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    pid = int(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=False).stdout)
    until(lambda: _ends(pid))


def _ends(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True
