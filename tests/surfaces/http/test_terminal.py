"""A pane in a browser: real WebSockets, real panes."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from paneward.core.errors import InvalidInput
from paneward.core.terminal.browser import Pressed, Typed
from paneward.surfaces.http.access.tokens import Role
from paneward.surfaces.http.terminal import MOST_INPUT, PANE_GONE, SEQ, made, parse
from tests.surfaces.http.conftest import Open, Site, listening, until
from tests.surfaces.http.test_routes import run


def path_of(site: Site, pane: str) -> str:
    return f"/api/panes/{pane.replace('%', '%25')}/stream?socket={site.socket}"


@asynccontextmanager
async def terminal(url: str, path: str, **headers: str) -> AsyncIterator[ClientConnection]:
    async with connect(
        url.replace("http", "ws", 1) + path, additional_headers=headers, proxy=None, max_size=None
    ) as socket:
        yield socket


class Screen:
    """What a browser has got so far."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.told: list[dict[str, Any]] = []
        self.output = bytearray()
        self.seqs: list[int] = []

    async def take(self) -> None:
        frame = await self.socket.recv()
        if isinstance(frame, str):
            self.told.append(json.loads(frame))
        else:
            self.seqs.append(SEQ.unpack(frame[:8])[0])
            self.output += frame[8:]

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(30):
            while not condition():
                await self.take()

    async def say(self, **frame: Any) -> None:
        await self.socket.send(json.dumps(frame))


def test_a_snapshot_then_the_output_and_keys_on_the_way_back(open_site: Open) -> None:
    async def test(site: Site) -> None:
        pane = site.tmux.new_pane(["sh", "-c", "printf 'before\\n'; PS1='$ ' exec sh"], remain=True)
        await until(lambda: "before" in site.tmux.screen(pane))
        async with listening(site.api) as url, terminal(url, path_of(site, pane), **site.token) as socket:
            screen = Screen(socket)
            await screen.until(lambda: screen.told)
            first = screen.told[0]
            assert (first["type"], first["pane"], first["width"], first["height"]) == ("snapshot", pane, 80, 24)
            assert first["output_seq"] == 0
            assert first["rows"][0] == "before"
            await screen.say(type="input", data="echo typx\x7fed\r")
            await screen.until(lambda: b"\ntyped\r" in screen.output)
            await screen.say(type="keys", keys=["e", "c", "h", "o", "Space", "k", "Enter"])
            await screen.until(lambda: b"\nk\r" in screen.output)
            assert screen.seqs == sorted(set(screen.seqs))
            assert screen.seqs[-1] == len(screen.output), "nothing was filtered here"

    run(open_site, test)


def test_a_pane_is_never_resized_for_who_looks_at_it(open_site: Open) -> None:
    async def test(site: Site) -> None:
        pane = site.tmux.new_pane("cat")
        async with listening(site.api) as url, terminal(url, path_of(site, pane), **site.token) as socket:
            screen = Screen(socket)
            await screen.say(type="resize", width=20, height=5)
            await screen.until(lambda: len(screen.told) == 2)
            assert screen.told[1] == {"type": "size", "width": 80, "height": 24}
            assert site.tmux.value(pane, "pane_width") == "80"

    run(open_site, test)


def test_a_pane_of_another_size_is_shown_anew(open_site: Open) -> None:
    async def test(site: Site) -> None:
        pane = site.tmux.new_pane("printf 'some words'; exec cat")
        await until(lambda: "some words" in site.tmux.screen(pane))
        async with listening(site.api) as url, terminal(url, path_of(site, pane), **site.token) as socket:
            screen = Screen(socket)
            await screen.until(lambda: screen.told)
            site.tmux.run("resize-window", "-t", pane, "-x", "60", "-y", "20")
            await screen.until(lambda: screen.told[-1].get("width") == 60)
            assert screen.told[-1]["type"] == "snapshot"
            assert screen.told[-1]["height"] == 20
            assert screen.told[-1]["rows"][0] == "some words"
            await screen.say(type="input", data="typed")
            await screen.until(lambda: b"typed" in screen.output)

    run(open_site, test)


def test_what_asks_a_terminal_is_filtered_and_its_answers_are_dropped(open_site: Open) -> None:
    async def test(site: Site) -> None:
        log = site.tmux.home / "got"
        script = (
            f"stty raw -echo; printf 'go'; printf '\\033[c\\033[?1000hon\\033[6n'; exec dd bs=1 2>/dev/null of={log}"
        )
        pane = site.tmux.new_pane(["sh", "-c", f"read x; {script}"])
        async with listening(site.api) as url, terminal(url, path_of(site, pane), **site.token) as socket:
            screen = Screen(socket)
            await screen.say(type="input", data="\r")
            await screen.until(lambda: b"on" in screen.output and screen.output.endswith(b"\x18"))
            assert b"\x1b[c" not in screen.output
            assert b"1000h" not in screen.output
            await until(lambda: log.exists())
            before = log.read_bytes()
            await screen.say(type="input", data="\x1b[?1;2c\x1b[24;80R\x1b[<0;1;1Mz")
            await until(lambda: b"z" in log.read_bytes())
            assert log.read_bytes().removeprefix(before) == b"z"

    run(open_site, test)


def test_the_terminal_of_an_agent_and_the_end_of_its_pane(open_site: Open) -> None:
    async def test(site: Site) -> None:
        site.tmux.new_pane("cat")
        pane = await site.adopt("ada")
        async with listening(site.api) as url, terminal(url, "/api/agents/ada/stream", **site.token) as socket:
            screen = Screen(socket)
            await screen.until(lambda: screen.told)
            site.tmux.run("kill-pane", "-t", pane)
            with pytest.raises(ConnectionClosed) as ended:
                await screen.until(lambda: False)
            assert ended.value.rcvd is not None
            assert ended.value.rcvd.code == PANE_GONE
            assert screen.told[-1]["type"] == "gone"
            await until(lambda: not site.api._streams._open)

    run(open_site, test)


def test_a_flood_is_bridged_by_a_new_snapshot(open_site: Open) -> None:
    async def test(site: Site) -> None:
        pane = site.tmux.new_pane("read x; seq 1 400000; echo the end; exec cat")
        async with listening(site.api) as url, terminal(url, path_of(site, pane), **site.token) as socket:
            screen = Screen(socket)
            await screen.until(lambda: screen.told)
            await screen.say(type="input", data="\r")
            await until(lambda: "the end" in site.tmux.screen(pane))
            shown = lambda: b"the end" in screen.output[-200:] or "the end" in json.dumps(screen.told[-1])  # noqa: E731
            await screen.until(shown)
            assert all(one["type"] == "snapshot" for one in screen.told)

    run(open_site, test)


def test_who_may_only_look_cannot_type_and_typing_is_on_record(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("ada")  # an auditor may look at the tmux servers in which agents live
        pane = site.tmux.new_pane("cat")
        auditor = {"authorization": f"Bearer {site.access.mint(Role.AUDITOR, 'eve')}"}
        async with listening(site.api) as url:
            async with terminal(url, path_of(site, pane), **auditor) as socket:
                screen = Screen(socket)
                await screen.say(type="input", data="rm -r /\r")
                await screen.until(lambda: len(screen.told) == 2)
                assert screen.told[1]["error"]["code"] == "FORBIDDEN"
            async with terminal(url, path_of(site, pane), **site.token) as socket:
                screen = Screen(socket)
                for word in ("hello", "again"):
                    await screen.say(type="input", data=word)
                await screen.until(lambda: b"again" in screen.output)
        entries = [one for one in await site.server.store.audits(10) if one.action == "terminal"]
        assert [(one.identity, one.detail) for one in entries] == [
            ("operator", f"{pane}: somebody types in a terminal")
        ]
        assert site.tmux.screen(pane).strip() == "helloagain"

    run(open_site, test)


@pytest.mark.parametrize(
    ("headers", "path", "status", "code"),
    [
        ({"authorization": "Bearer wrong"}, "", 401, "UNAUTHORIZED"),
        ({"origin": "http://evil.example"}, "", 403, "FOREIGN_ORIGIN"),
        ({}, "/api/agents/nobody/stream", 404, "AGENT_NOT_FOUND"),
        ({}, "/api/panes/%2599/stream", 404, "PANE_NOT_FOUND"),
    ],
)
def test_a_refused_terminal_says_why(
    open_site: Open, headers: dict[str, str], path: str, status: int, code: str
) -> None:
    async def test(site: Site) -> None:
        pane = site.tmux.new_pane("cat")
        where = f"{path}?socket={site.socket}" if path else path_of(site, pane)
        async with listening(site.api) as url:
            with pytest.raises(InvalidStatus) as refused:
                async with terminal(url, where, **{**site.token, **headers}):
                    raise AssertionError("it was let in")
        assert refused.value.response.status_code == status
        assert json.loads(refused.value.response.body or b"{}")["error"]["code"] == code

    run(open_site, test)


def test_a_rebound_host_gets_no_terminal(open_site: Open) -> None:
    async def test(site: Site) -> None:
        pane = site.tmux.new_pane("cat")
        async with listening(site.api) as url:
            port = url.rpartition(":")[2]
            rebound = f"ws://evil.example:{port}{path_of(site, pane)}"
            with pytest.raises(InvalidStatus) as refused:
                async with connect(rebound, host="127.0.0.1", additional_headers=site.token, proxy=None):
                    raise AssertionError("it was let in")
        assert refused.value.response.status_code == 403

    run(open_site, test)


# --- frames


@pytest.mark.parametrize(
    "text",
    [
        None, "", "x", "[]", "1", "{}", '{"type":"input"}', '{"type":"input","data":3}', '{"type":"keys","keys":"a"}',
        '{"type":"keys","keys":[1]}', '{"type":"paint"}', json.dumps({"type": "input", "data": "x" * (MOST_INPUT + 1)}),
    ],
)  # fmt: skip
def test_a_frame_that_is_not_understood_is_told(text: str | None) -> None:
    with pytest.raises(InvalidInput, match="not understood"):
        parse(text)


def test_frames_become_strokes() -> None:
    assert made(parse('{"type":"input","data":"a\\r"}')) == [Typed("a"), Pressed(("Enter",))]
    assert made(parse('{"type":"keys","keys":["Up"]}')) == [Pressed(("Up",))]
    with pytest.raises(InvalidInput, match="Nonsense"):
        made(parse('{"type":"keys","keys":["Nonsense"]}'))
