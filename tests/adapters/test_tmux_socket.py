"""Whose a tmux socket is, on this machine and on another one."""

import asyncio
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from paneward.adapters.hosts.host import Host
from paneward.adapters.tmux.control import ControlTmux
from paneward.adapters.tmux.processes import ExecTmux
from paneward.adapters.tmux.socket import NOT_OURS, REMOTE_CHECK, check_socket, tmux_command
from paneward.core.errors import Code, TmuxError

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """The path of a socket in a directory of ours."""
    folder = tmp_path / "it's a folder"
    folder.mkdir(mode=0o755)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "tmux"))
        yield folder / "tmux"


def _here(path: Path) -> str:
    try:
        check_socket(None, str(path))
    except TmuxError as error:
        return f"{error.code}: {error.message}"
    return ""


def _there(path: Path) -> str:
    """As the other side's shell judges it: `echo` stands for tmux."""
    done = subprocess.run(
        ["sh", "-c", REMOTE_CHECK, "echo", str(path), "-u", "two words"], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1)
    assert done.returncode == 1 or done.stdout == f"-S {path} -u two words\n"
    return done.stderr


def judged(path: Path) -> bool:
    """Whether it is ours; both sides say the same."""
    here, there = _here(path), _there(path)
    assert (f"{Code.SOCKET_NOT_OURS}: {NOT_OURS}" in here) == (NOT_OURS in there), (here, there)
    return not here


def test_a_socket_of_ours_in_a_directory_of_ours(place: Path) -> None:
    assert judged(place)


def test_no_socket_yet(place: Path) -> None:
    assert judged(place.with_name("none"))


def test_no_directory_yet(tmp_path: Path) -> None:
    assert judged(tmp_path / "none/tmux")


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777, 0o757])
def test_a_directory_that_others_can_write_to(place: Path, mode: int) -> None:
    place.parent.chmod(mode)
    assert not judged(place)


@pytest.mark.parametrize(("mode", "ours"), [(0o1777, True), (0o777, False), (0o775, False)])
def test_a_directory_higher_up(place: Path, tmp_path: Path, mode: int, ours: bool) -> None:
    tmp_path.chmod(mode)
    assert judged(place) is ours


@as_root
def test_another_users_socket_or_directory(place: Path) -> None:
    os.chown(place, NOBODY, NOBODY)
    assert not judged(place)
    os.chown(place, 0, 0)
    os.chown(place.parent, NOBODY, NOBODY)
    assert not judged(place)


@as_root
def test_a_link_to_another_users_socket(place: Path, tmp_path: Path) -> None:
    os.chown(place, NOBODY, NOBODY)
    (tmp_path / "link").symlink_to(place)
    assert not judged(tmp_path / "link")


@as_root
@pytest.mark.parametrize("kind", [ControlTmux, ExecTmux])
def test_a_socket_on_another_host_is_judged_there(place: Path, kind: type[ControlTmux] | type[ExecTmux]) -> None:
    os.chown(place, NOBODY, NOBODY)

    async def main() -> None:
        async with kind(Host(["sh", "-c"], name="box"), None, str(place)) as tmux:
            await tmux.panes()

    with pytest.raises(TmuxError) as caught:
        asyncio.run(main())
    assert caught.value.code is Code.SOCKET_NOT_OURS


def test_a_name_is_left_to_tmux_which_judges_its_own_directory() -> None:
    assert tmux_command("tmux", False, "work", None, "-N") == ["tmux", "-u", "-N", "-L", "work"]
    assert tmux_command("tmux", True, None, "/run/s") == ["tmux", "-u", "-S", "/run/s"]
    assert tmux_command("tmux", False, None, None) == ["tmux", "-u"]
