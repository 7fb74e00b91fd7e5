"""One look at a pane by one process of tmux, without a loop: the same as by the other ways, and its failures."""

import asyncio
import stat
from pathlib import Path

import pytest

from paneward.adapters.tmux.glance import Glance
from paneward.adapters.tmux.processes import ExecTmux
from paneward.core.errors import PaneNotFound, TmuxNotInstalled, TmuxTimeout, TmuxTooOld
from tests.adapters.conftest import TmuxServer


def glance(server: TmuxServer, tmux: str = "", timeout: float = 30.0) -> Glance:
    return Glance(server.name, None, timeout, tmux or server.tmux)


def fake(place: Path, script: str) -> str:
    program = place / "tmux-fake"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


def test_it_sees_what_the_other_ways_see(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("seq 1 60; printf 'ready \\033[31mred; '; exec cat")
    once = glance(tmux_server)
    while "ready" not in "".join((seen := once.look(pane, 100)).rows):
        pass

    async def look() -> object:
        async with ExecTmux(socket_name=tmux_server.name, tmux=tmux_server.tmux) as tmux:
            return await tmux.look(pane, history=100)

    assert seen == asyncio.run(look())
    assert seen.rows[0] == "1"
    assert once.resolve(pane) == pane


def test_a_pane_that_is_not_there_is_told(tmux_server: TmuxServer) -> None:
    tmux_server.new_pane("cat")
    with pytest.raises(PaneNotFound, match="%77"):
        glance(tmux_server).look("%77", 1)
    with pytest.raises(PaneNotFound, match="no pane is called 'nobody'"):
        glance(tmux_server).resolve("nobody")


def test_a_server_that_is_not_there_is_told(tmux_server: TmuxServer) -> None:
    with pytest.raises(PaneNotFound):
        Glance(f"{tmux_server.name}-gone", None, 30.0, tmux_server.tmux).look("%0", 1)


def test_no_tmux_an_old_one_and_one_that_hangs_are_told(tmux_server: TmuxServer, tmp_path: Path) -> None:
    with pytest.raises(TmuxNotInstalled):
        glance(tmux_server, str(tmp_path / "none")).look("%0", 1)
    with pytest.raises(TmuxTooOld, match=r"3\.0"):
        glance(tmux_server, fake(tmp_path, "echo 3.0a")).look("%0", 1)
    with pytest.raises(TmuxTimeout, match="did not answer"):
        glance(tmux_server, fake(tmp_path, "exec sleep 600"), timeout=0.05).look("%0", 1)
