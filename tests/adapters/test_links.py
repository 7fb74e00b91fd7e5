"""More sessions than clients: windows linked into a session of ours, and never left there."""

import asyncio

import pytest

from paneward.adapters.tmux.control import watchers
from paneward.core.errors import TmuxError
from tests.adapters.conftest import TmuxServer
from tests.adapters.test_watch import clients, control, until_async, write_and_hear


def test_the_thirty_first_session_is_refused_by_the_name_of_the_setting(
    tmux_server: TmuxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchers, "SESSIONS", 2)
    panes = [tmux_server.new_pane("exec cat") for _ in range(3)]

    async def main() -> None:
        async with control(tmux_server) as tmux, tmux.watch(panes[0]), tmux.watch(panes[1]):
            with pytest.raises(TmuxError) as refused:
                await tmux.watch(panes[2]).__aenter__()
            assert "tmux.link_foreign" in refused.value.hint
            await tmux.look(panes[2])

    asyncio.run(main())


def test_an_unused_client_makes_room_for_another_session(
    tmux_server: TmuxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchers, "SESSIONS", 1)
    panes = [tmux_server.new_pane("exec cat") for _ in range(3)]

    async def main() -> None:
        async with control(tmux_server) as tmux:
            for pane in panes:
                async with tmux.watch(pane) as watch:
                    await write_and_hear(tmux_server, watch, "hello")
            await until_async(lambda: clients(tmux_server) == 2)

    asyncio.run(main())


def linked(server: TmuxServer) -> list[str]:
    return [name for name in server.run("list-sessions", "-F", "#{session_name}").splitlines() if "paneward" in name]


def test_windows_of_more_sessions_are_linked_watched_and_unlinked(
    tmux_server: TmuxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchers, "SESSIONS", 1)
    panes = [tmux_server.new_pane("exec cat", width=70, height=20) for _ in range(4)]

    async def main() -> None:
        async with control(tmux_server, link_foreign=True) as tmux, tmux.watch(panes[0]), tmux.watch(panes[1]) as stays:
            async with tmux.watch(panes[2]) as watch:
                assert len(linked(tmux_server)) == 1
                await write_and_hear(tmux_server, watch, "hello")
                await write_and_hear(tmux_server, stays, "hello")
                assert (watch.snapshot.width, watch.snapshot.height) == (70, 20)
                assert sorted(info.target for info in await tmux.panes()) == [f"s{n}:0.0" for n in (1, 2, 3, 4)]
            await until_async(lambda: tmux_server.value(panes[2], "window_linked_sessions") == "1")
            tmux_server.run("kill-session", "-t", "=s2")  # its only window lives on by our link
            while not stays.gone:
                assert await stays.wait(stays.output_seq, 20)
            await until_async(lambda: panes[1] not in tmux_server.run("list-panes", "-a", "-F", "#{pane_id}").split())

    asyncio.run(main())
    assert linked(tmux_server) == []
    assert tmux_server.run("list-panes", "-a", "-F", "#{pane_id}").split() == [panes[0], *panes[2:]]


def test_links_left_by_a_crash_are_swept(tmux_server: TmuxServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchers, "SESSIONS", 1)
    panes = [tmux_server.new_pane("exec cat") for _ in range(2)]
    tmux_server.run("new-session", "-d", "-s", "paneward-watch-left", "exec cat")
    tmux_server.run("link-window", "-d", "-s", panes[1], "-t", "=paneward-watch-left:")

    async def main() -> None:
        async with control(tmux_server, link_foreign=True) as tmux, tmux.watch(panes[0]), tmux.watch(panes[1]) as watch:
            assert "paneward-watch-left" not in linked(tmux_server)
            await write_and_hear(tmux_server, watch, "hello")

    asyncio.run(main())
    assert linked(tmux_server) == []


def test_the_session_of_links_ends_with_its_client_and_is_made_anew(
    tmux_server: TmuxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchers, "SESSIONS", 1)
    panes = [tmux_server.new_pane("exec cat") for _ in range(3)]

    async def main() -> None:
        tmux = control(tmux_server, link_foreign=True)
        async with tmux, tmux.watch(panes[0]), tmux.watch(panes[1]) as one, tmux.watch(panes[2]) as two:
            first = linked(tmux_server)
            client = tmux._watchers._home[one].client
            assert client is not None
            client._process.kill()
            await until_async(lambda: not set(first) & set(linked(tmux_server)))
            await write_and_hear(tmux_server, one, "hello")
            await write_and_hear(tmux_server, two, "hello")
            assert not one.gone
            assert len(linked(tmux_server)) == 1

    asyncio.run(main())
    assert linked(tmux_server) == []
    assert {tmux_server.value(pane, "pane_dead") for pane in panes} == {"0"}
