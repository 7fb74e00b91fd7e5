"""Clients that come and go, several at the same time, do not take the tmux server along."""

import asyncio
import random
import subprocess
import sys
from pathlib import Path

import pytest

from paneward.adapters.hosts.host import Host
from paneward.adapters.tmux import door
from paneward.adapters.tmux.control import ControlTmux
from paneward.adapters.tmux.control.client import open_client
from paneward.adapters.tmux.door import Door, server_key
from tests.adapters.conftest import TMUX, TmuxServer

COMES_AND_GOES = """
import asyncio, sys
from paneward.adapters.tmux.control import ControlTmux

async def main():
    for _ in range(int(sys.argv[3])):
        async with ControlTmux(socket_name=sys.argv[1], tmux=sys.argv[4]) as tmux, tmux.watch(sys.argv[2]):
            pass

asyncio.run(main())
"""
PROCESSES, TIMES = 3, 40  # each of which comes with two clients: without the door, tmux 3.3a lived through none of 4


def test_processes_that_come_and_go_at_the_same_time_leave_tmux_alive(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("while :; do seq 1 100; sleep 0.01; done")
    words = [sys.executable, "-c", COMES_AND_GOES, tmux_server.name, pane, str(TIMES), TMUX]
    comers = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(PROCESSES)]
    assert [(comer.communicate()[1], comer.returncode) for comer in comers] == [("", 0)] * PROCESSES
    assert tmux_server.value(pane, "pane_dead") == "0"


def test_clients_that_are_closed_while_they_come_leave_tmux_alive(tmux_server: TmuxServer) -> None:
    pane, rng = tmux_server.new_pane("while :; do seq 1 100; sleep 0.01; done"), random.Random(1)
    argv = [TMUX, "-N", "-L", tmux_server.name, "-C", "attach-session", "-f", "no-output,ignore-size"]

    async def main() -> None:
        entrance = Door("")
        for _ in range(300):
            async with entrance.alone():
                client = open_client(Host(), entrance, argv, 5.0)
                await asyncio.sleep(rng.uniform(0, 0.008))  # it introduces itself in there somewhere
            client.close()
            await entrance.settle()

    asyncio.run(main())
    assert tmux_server.value(pane, "pane_dead") == "0"


def test_one_goes_through_at_a_time() -> None:
    inside = 0

    async def go(way: Door) -> None:
        nonlocal inside
        async with way.alone():
            inside += 1
            await asyncio.sleep(0.001)
            assert inside == 1
            inside -= 1

    async def main() -> None:
        await asyncio.gather(*(go(Door("the same one")) for _ in range(20)))

    asyncio.run(main())


def test_whoever_stands_in_the_door_shuts_nobody_out_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "PATIENCE", 0.05)

    async def main() -> None:
        async with Door("blocked").alone(), Door("blocked").alone():
            pass
        async with Door("blocked").alone():
            pass

    asyncio.run(main())


@pytest.mark.parametrize("mode", [0o777, None], ids=["open to all", "a link"])
def test_a_folder_that_others_can_write_to_holds_no_lock(tmp_path: Path, mode: int | None) -> None:
    entrance, folder = Door("any"), tmp_path / "folder"
    if mode is None:
        (tmp_path / "other").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "other")
    else:
        folder.mkdir()
        folder.chmod(mode)
    entrance._folders = (folder,)

    async def main() -> None:
        async with entrance.alone():
            assert list(folder.iterdir()) == []

    asyncio.run(main())


def test_where_another_user_was_first_the_lock_lies_elsewhere_or_that_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    taken, own = tmp_path / "taken", tmp_path / "own"
    taken.mkdir()
    taken.chmod(0o777)
    entrance = Door("contested")
    entrance._folders = (taken, own)

    async def main() -> None:
        async with entrance.alone():
            assert (len(list(taken.iterdir())), len(list(own.iterdir()))) == (0, 1)

    asyncio.run(main())
    bare = Door("nowhere")
    bare._folders = (taken,)
    assert (bare._ours(), bare._ours()) == (None, None)
    assert len([record for record in caplog.records if "no lock" in record.message]) == 1


def test_the_lock_of_a_server_lies_beside_its_socket(tmux_server: TmuxServer, tmp_path: Path) -> None:
    entrance = Door(str(tmp_path / "socket"))

    async def main() -> None:
        async with entrance.alone():
            assert len(list((tmp_path / ".paneward").glob("*.lock"))) == 1

    asyncio.run(main())


def test_a_server_has_one_key_however_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    monkeypatch.delenv("TMUX", raising=False)
    named = server_key("", "work", None)
    assert server_key("", None, named) == named
    assert server_key("", None, None) == server_key("", "default", None) != named
    monkeypatch.setenv("TMUX", f"{named},12,0")
    assert server_key("", None, None) == named
    assert server_key("away", "work", None) != named


def test_what_is_closed_has_gone_when_all_is_closed(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("cat")

    async def main() -> None:
        tmux = ControlTmux(socket_name=tmux_server.name, tmux=TMUX)
        async with tmux, tmux.watch(pane):
            assert len(tmux_server.run("list-clients", "-F", "#{client_pid}").split()) == 2
        assert tmux_server.run("list-clients") == ""

    asyncio.run(main())
