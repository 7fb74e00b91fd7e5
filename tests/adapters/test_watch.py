"""Watching over control mode: the gapless join, gaps that are told, and panes that move, flood or die."""

import asyncio
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from paneward.adapters.hosts.host import Host
from paneward.adapters.tmux.control import ControlTmux
from paneward.adapters.tmux.control.watching import PaneWatch
from paneward.core.errors import PaneNotFound, TmuxError, TmuxTimeout
from paneward.core.terminal.scene import Snapshot
from tests.adapters.conftest import TMUX, Connect, LiveTmux, TmuxServer, until

COUNT = 'i=0; while :; do i=$((i+1)); echo "line$i"; done'
HOSTS = pytest.mark.parametrize("host", ["local", "ssh"])


def control(server: TmuxServer, timeout: float = 5.0, link_foreign: bool = False) -> ControlTmux:
    return ControlTmux(Host(), server.name, timeout=timeout, tmux=TMUX, link_foreign=link_foreign)


async def until_async(condition: Callable[[], object]) -> None:
    await asyncio.to_thread(until, condition)


def numbers(text: str) -> list[int]:
    """No blank inside a line: tmux cuts the one at the end of a row that is half written."""
    return [int(found) for found in re.findall(r"line(\d+)\r?\n", text)]


def lines_of(snapshot: Snapshot) -> str:
    """The captured lines before the cursor's, and what stands on the cursor's own line."""
    y = snapshot.history + snapshot.cursor_y
    rows = [row.rstrip(" ") for row in snapshot.rows]  # from tmux 3.5 on there can be blanks that nobody wrote
    return "".join(f"{row}\n" for row in rows[:y]) + rows[y]


@HOSTS
def test_the_stream_goes_on_exactly_where_the_captured_screen_ends(
    tmux_server: TmuxServer, connect_tmux: Connect, host: str
) -> None:
    slow = 'i=0; while :; do i=$((i+1)); echo "line$i"; [ $((i % 50)) -eq 0 ] && sleep 0.01; done'
    pane = tmux_server.new_pane(slow)

    async def main() -> None:
        for _ in range(5):  # also right after attaching
            async with connect_tmux("control", host) as tmux:
                for _ in range(2):
                    await joined_without_gap(tmux)

    async def joined_without_gap(tmux: LiveTmux) -> None:
        async with tmux.watch(pane) as watch:
            assert await watch.wait(2000, 20)
            stream = watch.recent(0)
            assert stream is not None
            seen = numbers(lines_of(watch.snapshot) + stream.decode())
            assert seen == list(range(seen[0], seen[0] + len(seen)))

    asyncio.run(main())


def test_recent_output_is_held_to_a_bound_and_said_to_be_lost_beyond(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("stty -echo; read x; seq 1 60000; read x")

    async def main() -> None:
        async with control(tmux_server) as tmux, tmux.watch(pane) as watch:
            await tmux.press(pane, "Enter")
            while not (tail := watch.recent(max(0, watch.output_seq - 20)) or b"").endswith(b"60000\r\n"):
                assert await watch.wait(watch.output_seq, 20)
            assert tail == b"59998\r\n59999\r\n60000\r\n"[-20:]
            assert watch.recent(watch.output_seq) == b""
            assert watch.recent(0) is None
            assert watch.joins > 1 or watch.output_seq == sum(len(f"{n}\r\n") for n in range(1, 60001))

    asyncio.run(main())


def test_chunks_are_the_output_without_loss(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("stty -echo; printf ready; read x; seq 1 2000; printf 'é\\\\\\033[1m\\377END'; read x")
    until(lambda: tmux_server.screen(pane) == "ready")
    expected = "".join(f"{n}\r\n" for n in range(1, 2001)).encode() + "é\\\033[1m".encode() + b"\xffEND"

    async def main() -> None:
        async with control(tmux_server) as tmux, tmux.watch(pane) as watch:
            await tmux.press(pane, "Enter")
            heard = b""
            async for chunk in watch.chunks():
                assert isinstance(chunk, bytes)
                heard += chunk
                if heard.endswith(b"END"):
                    break
            assert heard == expected

    asyncio.run(main())


@HOSTS
def test_a_snapshot_that_is_asked_for_comes_at_its_place_in_the_output(
    tmux_server: TmuxServer, connect_tmux: Connect, host: str
) -> None:
    pane = tmux_server.new_pane('i=0; while :; do i=$((i+1)); echo "line$i"; [ $((i % 9)) -eq 0 ] && sleep 0.01; done')

    async def main() -> None:
        async with connect_tmux("control", host) as tmux, tmux.watch(pane, sized=True) as watch:
            heard, snapshots = lines_of(watch.snapshot), 0
            async for chunk in watch.chunks():
                if isinstance(chunk, bytes):
                    heard += chunk.decode().replace("\r", "")
                elif chunk is None:
                    heard, snapshots = lines_of(watch.snapshot), 0  # a machine that stood still: from here anew
                else:
                    assert heard.endswith(lines_of(chunk))
                    snapshots += 1
                if snapshots == 5:
                    return
                if isinstance(chunk, bytes):
                    await watch.renew()

    asyncio.run(main())


def test_a_new_size_is_told_by_a_snapshot_to_who_asked_for_it(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("exec cat")

    async def main() -> None:
        async with control(tmux_server) as tmux, tmux.watch(pane, sized=True) as sized, tmux.watch(pane) as other:
            told = sized.chunks()
            for width, height in ((100, 30), (60, 20)):
                tmux_server.run("resize-window", "-t", pane, "-x", str(width), "-y", str(height))
                while (chunk := await anext(told)) is None or isinstance(chunk, bytes):
                    continue
                assert (chunk.width, chunk.height) == (width, height)
                assert sized.snapshot == chunk
            await tmux.type(pane, "x")
            while not isinstance(chunk := await anext(told), bytes):
                continue
            assert chunk == b"x"
            assert other.snapshot.width == 80

    asyncio.run(main())


def test_a_flood_is_a_gap_that_is_told_and_closed_by_a_new_screen(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane(COUNT)
    quiet = tmux_server.run("split-window", "-t", pane, "-P", "-F", "#{pane_id}", "exec cat")

    async def main() -> None:
        async with control(tmux_server) as tmux, tmux.watch(pane) as flood, tmux.watch(quiet) as other:
            client = tmux._watchers._sessions[flood.snapshot.session].client
            assert client is not None
            await until_async(lambda: clients(tmux_server) == 2)
            asyncio.get_running_loop().remove_reader(client._from)  # we stop reading, as under load
            await asyncio.sleep(2.5)  # what is tried here is tmux's own second of patience
            asyncio.get_running_loop().add_reader(client._from, client._readable)
            joins = flood.joins
            gaps = 0
            async for chunk in flood.chunks():
                gaps += chunk is None
                if gaps and flood.joins > joins:
                    break
            assert numbers(lines_of(flood.snapshot)), "the new screen shows the program still running"
            await tmux.type(quiet, "hello")
            assert await other.wait(0, 20)

    asyncio.run(main())


def _children() -> list[str]:
    return [word for task in Path("/proc/self/task").iterdir() for word in (task / "children").read_text().split()]


def clients(server: TmuxServer) -> int:
    return len(server.run("list-clients", "-F", "#{client_pid}").splitlines())


async def write_and_hear(server: TmuxServer, watch: PaneWatch, word: str) -> None:
    """Something new is printed and heard, on the stream or on the new screen."""
    server.run("send-keys", "-t", watch.pane, word, "Enter")
    while word.encode() not in (watch.recent(watch.output_seq - 10) or b"") + "".join(watch.snapshot.rows).encode():
        assert await watch.wait(watch.output_seq, 20)
        assert not watch.gone


def test_a_human_who_detaches_all_others_costs_a_gap_and_no_command(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("exec cat")

    async def main() -> None:
        async with control(tmux_server) as tmux, tmux.watch(pane) as watch:
            for round in range(3):
                tmux_server.run("detach-client", "-s", "s1")
                assert (await tmux.look(pane)).pane == pane
                await until_async(lambda: clients(tmux_server) == 2)
                await write_and_hear(tmux_server, watch, f"word{round}")
                assert not watch.gone

    asyncio.run(main())


@pytest.mark.parametrize("option", ["on", "off"])
def test_the_end_of_the_watched_session_ends_the_watch_and_nothing_else(tmux_server: TmuxServer, option: str) -> None:
    pane = tmux_server.new_pane("exec cat")
    other = tmux_server.new_pane("exec cat")
    tmux_server.run("set-option", "-g", "detach-on-destroy", option)

    async def main() -> None:
        async with control(tmux_server) as tmux, tmux.watch(pane) as watch, tmux.watch(other) as stays:
            tmux_server.run("kill-session", "-t", "=s1")
            while not watch.gone:
                assert await watch.wait(watch.output_seq, 20)
            with pytest.raises(PaneNotFound):
                await tmux.look(pane)
            await write_and_hear(tmux_server, stays, "hello")
            assert not stays.gone

    asyncio.run(main())


def test_a_pane_that_moves_to_another_session_is_followed(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("exec cat")
    tmux_server.run("split-window", "-t", pane, "exec cat")
    tmux_server.new_pane("exec cat")

    async def main() -> None:
        async with control(tmux_server) as tmux, tmux.watch(pane) as watch:
            tmux_server.run("break-pane", "-d", "-s", pane, "-t", "=s2:")
            await write_and_hear(tmux_server, watch, "hello")
            assert not watch.gone

    asyncio.run(main())


def test_two_watches_of_one_pane_share_a_client_and_hear_the_same(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("exec cat")

    async def main() -> None:
        async with control(tmux_server) as tmux, tmux.watch(pane) as one, tmux.watch(pane) as two:
            await write_and_hear(tmux_server, one, "hello")
            await two.wait(one.output_seq - 1, 20)
            assert one.recent(0) == two.recent(0)
            assert clients(tmux_server) == 2

    asyncio.run(main())


def test_watching_neither_resizes_nor_changes_the_session(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("exec cat", width=61, height=13)
    tmux_server.run("set-environment", "-t", "s1", "DISPLAY", ":77")
    before = tmux_server.run("show-environment", "-t", "s1")

    async def main() -> None:
        async with control(tmux_server) as tmux, tmux.watch(pane):
            assert ((await tmux.look(pane)).width, (await tmux.look(pane)).height) == (61, 13)
            assert tmux_server.run("show-environment", "-t", "s1") == before

    asyncio.run(main())
    assert tmux_server.value(pane, "pane_width") == "61"


def test_closing_leaves_no_process_no_hook_and_no_buffer(tmux_server: TmuxServer, connect_tmux: Connect) -> None:
    pane = tmux_server.new_pane("exec cat")
    connect_tmux("control", "ssh")  # starts the sshd
    before = _children()

    async def main() -> None:
        for host in ("local", "ssh"):
            async with connect_tmux("control", host) as tmux, tmux.watch(pane):
                await tmux.paste(pane, "x")
                await tmux.process(await tmux.look(pane))
            await until_async(lambda: clients(tmux_server) == 0)

    asyncio.run(main())
    assert tmux_server.run("list-buffers") == ""
    assert "paneward" not in tmux_server.run("show-hooks", "-gw")
    assert _children() == before


def test_a_tmux_that_hangs_is_a_timeout_and_is_usable_again_afterwards(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("exec cat")
    pid = int(tmux_server.run("display-message", "-p", "#{pid}"))

    async def main() -> None:
        async with control(tmux_server, timeout=0.3) as tmux:
            await tmux.look(pane)
            os.kill(pid, signal.SIGSTOP)
            try:
                with pytest.raises(TmuxTimeout, match=r"0\.3 s"):
                    await tmux.look(pane)
                with pytest.raises(TmuxTimeout):
                    await tmux.look(pane)
            finally:
                os.kill(pid, signal.SIGCONT)
            assert (await tmux.look(pane)).pane == pane

    asyncio.run(main())


def test_a_write_under_way_when_the_client_dies_is_reported_as_unknown_and_never_repeated(
    tmux_server: TmuxServer,
) -> None:
    pane = tmux_server.new_pane("exec cat")
    pid = int(tmux_server.run("display-message", "-p", "#{pid}"))

    async def main() -> None:
        async with control(tmux_server) as tmux:
            await tmux.look(pane)
            os.kill(pid, signal.SIGSTOP)
            writing = asyncio.create_task(tmux.type(pane, "once"))
            reading = asyncio.create_task(tmux.look(pane))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert tmux._client is not None
            tmux._client._process.kill()
            with pytest.raises(TmuxError, match="unknown whether"):
                await writing
            os.kill(pid, signal.SIGCONT)
            assert (await reading).pane == pane  # a look is simply repeated
            assert "".join((await tmux.look(pane)).rows).count("once") <= 1

    asyncio.run(main())


def test_an_ended_server_is_no_pane_to_be_found(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("exec cat")

    async def main() -> None:
        async with control(tmux_server) as tmux, tmux.watch(pane) as watch:
            tmux_server.run("kill-server")
            while not watch.gone:
                assert await watch.wait(watch.output_seq, 20)
            with pytest.raises(PaneNotFound, match=r"no server|error connecting|server exited"):
                await tmux.look(pane)

    asyncio.run(main())


def test_a_client_inside_tmux_itself_is_not_refused(tmux_server: TmuxServer, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = tmux_server.new_pane("exec cat")
    socket = tmux_server.run("display-message", "-p", "#{socket_path}")
    monkeypatch.setenv("TMUX", f"{socket},1,0")

    async def main() -> None:
        async with ControlTmux(tmux=TMUX) as tmux, tmux.watch(pane):
            assert await tmux.identity() == f"local:{socket}"

    asyncio.run(main())


def test_a_server_by_its_socket_path(tmux_server: TmuxServer) -> None:
    pane = tmux_server.new_pane("exec cat")
    socket = Path(tmux_server.run("display-message", "-p", "#{socket_path}"))

    async def main() -> None:
        async with ControlTmux(socket_path=str(socket), tmux=TMUX) as tmux:
            assert (await tmux.look(pane)).pane == pane

    asyncio.run(main())
