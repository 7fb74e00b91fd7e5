"""A tmux socket is used only where it is ours, and only for roles that may name one.

Who serves a tmux socket rules its clients. So before a client connects, the owner of the socket and of the directories
on the way to it is looked at: for -L, -S, $TMUX, TMUX_TMPDIR, the library, both transports and HTTP.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from paneward import PanewardError, connect
from tests.surfaces.conftest import TMUX, Machine
from tests.surfaces.serving import Up, reached

FORGED = Path(__file__).with_name("forged_tmux.py")
NOBODY = 65534
VERBS = (["panes"], ["read", "%0"], ["send", "%0", "x"], ["wait", "%0"], ["keys", "%0", "Enter"], ["explain", "%0"])
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can play another user")


@contextmanager
def forged(socket: Path, target: Path, uid: int | None = None) -> Iterator[None]:
    command = [sys.executable, str(FORGED), str(socket), str(target), *([] if uid is None else [str(uid)])]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"listening\n"
            yield
        finally:
            process.kill()


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A directory that all can write to, as /tmp is."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and len(folder.parts) > 2:
            folder.chmod(folder.stat().st_mode | 0o011)
    place = tmp_path / "shared"
    place.mkdir()
    place.chmod(0o1777)
    return place


def test_the_forged_server_has_power_over_a_bare_client(shared: Path, tmp_path: Path) -> None:
    """Otherwise the rest of this page would prove nothing."""
    owned, command = tmp_path / "owned", [TMUX, "-S", str(shared / "tmux"), "list-sessions"]
    with forged(shared / "tmux", owned), subprocess.Popen(command, stdout=subprocess.DEVNULL) as client:
        try:
            assert reached(lambda: owned.exists() and owned.read_text() == "owned\n")
        finally:
            client.kill()


@as_root
@pytest.mark.parametrize("transport", ["control", "exec"])
@pytest.mark.parametrize("verb", VERBS, ids=lambda words: words[0])
def test_a_server_of_another_user_is_not_connected_to(
    machine: Machine, shared: Path, tmp_path: Path, verb: list[str], transport: str
) -> None:
    with forged(shared / "tmux", tmp_path / "owned", NOBODY):
        ran = machine.by("-S", str(shared / "tmux"), "--transport", transport, *verb)
    assert (ran.code, "SOCKET_NOT_OURS" in ran.out + ran.err) == (1, True), ran
    assert not (tmp_path / "owned").exists()


@as_root
def test_the_socket_of_the_environment_is_looked_at_too(
    machine: Machine, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with forged(shared / "tmux", tmp_path / "owned", NOBODY):
        monkeypatch.setenv("TMUX", f"{shared}/tmux,1,0")
        assert "SOCKET_NOT_OURS" in machine.by("panes").err
        monkeypatch.delenv("TMUX")
        (tmp_path / "link").symlink_to(shared / "tmux")
        assert "SOCKET_NOT_OURS" in machine.by("-S", str(tmp_path / "link"), "panes").err
    assert not (tmp_path / "owned").exists()


@as_root
def test_the_library_refuses_it_too(shared: Path, tmp_path: Path) -> None:
    async def panes() -> None:
        async with connect(socket_path=str(shared / "tmux")) as tmux:
            await tmux.panes()

    with forged(shared / "tmux", tmp_path / "owned", NOBODY), pytest.raises(PanewardError, match="another user"):
        asyncio.run(panes())
    assert not (tmp_path / "owned").exists()


def test_a_socket_of_ours_where_others_could_replace_it_is_refused(machine: Machine, shared: Path) -> None:
    tmux = [TMUX, "-S", str(shared / "mine"), "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "cat"], check=True, env=machine.env)
    try:
        ran = machine.by("-S", str(shared / "mine"), "panes")
        assert (ran.code, f"others can write to {shared}" in ran.err) == (1, True), ran
        shared.chmod(0o755)
        assert machine.by("-S", str(shared / "mine"), "panes").code == 0
    finally:
        subprocess.run([*tmux, "kill-server"], check=True, env=machine.env)


def test_a_directory_on_the_way_that_others_can_change_is_refused(machine: Machine, tmp_path: Path) -> None:
    machine.pane()
    assert machine.paneward("panes").code == 0
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert "others can write" in machine.by("-S", str(tmp_path / "open/deep/socket"), "panes").err


# --- roles


@pytest.mark.parametrize("role", ["participant", "auditor"])
def test_who_may_only_look_may_not_name_a_tmux_server(server: Up, role: str) -> None:
    machine = server.machine
    machine.pane()
    path = machine.tmux("display-message", "-p", "#{socket_path}")
    token = machine.answer("token", "--role", role, "--agent", "worker")["token"]
    asked: dict[str, Any] = {
        "headers": {"authorization": f"Bearer {token}"},
        "params": {"socket": path},
        "timeout": 120.0,
    }
    for route in ("", "/%250/screen", "/%250/wait", "/%250/menu", "/%250/explain"):
        refused = httpx.get(f"{server.said['url']}/api/panes{route}", **asked)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN"), route
    server.agent("worker")
    assert httpx.get(f"{server.said['url']}/api/panes", **asked).status_code == 200


@as_root
def test_a_server_of_another_user_is_refused_to_everybody(server: Up, shared: Path, tmp_path: Path) -> None:
    with forged(shared / "tmux", tmp_path / "owned", NOBODY):
        ran = server.machine.by("-S", str(shared / "tmux"), "panes")
    assert (ran.code, "SOCKET_NOT_OURS" in ran.err) == (1, True), ran
    assert not (tmp_path / "owned").exists()
