"""Promise 14: every open channel ends with its token."""

import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.promises.browser import Browser, bearer, signed_in
from tests.surfaces.serving import Up, reached

SHORT = 3.0  # seconds that a token is good
OVER = 4401


@contextmanager
def terminal(server: Up, who: Browser) -> Iterator[tuple[ClientConnection, str]]:
    """A terminal at a shell, as a browser opens it."""
    pane = server.machine.pane()
    query = urllib.parse.urlencode({"socket": server.machine.tmux("display-message", "-p", "#{socket_path}")})
    url = f"{who.url.replace('http', 'ws', 1)}/api/panes/{urllib.parse.quote(pane, safe='')}/stream?{query}"
    headers = {**who.headers, **({"cookie": who.cookie} if who.cookie else {})}
    with connect(url, additional_headers=headers) as socket:
        socket.recv()  # the snapshot
        yield socket, pane


def closed_with(socket: ClientConnection) -> int | None:
    """Read until the server closes."""
    try:
        while True:
            socket.recv()
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


def types_nothing(server: Up, socket: ClientConnection, pane: str) -> bool:
    try:
        socket.send('{"type":"input","data":"echo typed\\r"}')
    except ConnectionClosed:
        return "typed" not in server.machine.tmux("capture-pane", "-p", "-t", pane)
    return False


def test_a_terminal_ends_when_its_token_has_expired(server: Up) -> None:
    with terminal(server, bearer(server, "coordinator", SHORT)) as (socket, pane):
        assert closed_with(socket) == OVER
        assert types_nothing(server, socket, pane)


def test_an_event_stream_ends_when_its_token_has_expired(server: Up) -> None:
    who = bearer(server, "participant", SHORT)
    with who.open("/api/events/stream") as stream:
        assert stream.status == 200
        assert b"paneward" in stream.read()  # to its end
    assert who.ask("/api/version").status == 401


def test_a_question_that_waits_ends_when_its_token_has_expired(server: Up) -> None:
    pane = server.machine.pane("sleep 600")
    socket = server.machine.tmux("display-message", "-p", "#{socket_path}")
    query = urllib.parse.urlencode({"socket": socket, "timeout": 3600})
    answer = bearer(server, "coordinator", SHORT).ask(f"/api/panes/{urllib.parse.quote(pane, safe='')}/wait?{query}")
    assert (answer.status, answer.code) == (401, "UNAUTHORIZED")


def test_what_a_browser_holds_open_ends_when_it_is_signed_out_from_elsewhere(server: Up) -> None:
    browser, operator = signed_in(server), bearer(server, "operator")
    [device, *_] = operator.ask("/api/devices").document["devices"]
    with browser.open("/api/events/stream") as stream, terminal(server, browser) as (socket, pane):
        assert operator.ask(f"/api/devices/{device['id']}", "DELETE").status == 200
        stream.read()
        assert closed_with(socket) == OVER
        assert types_nothing(server, socket, pane)
    assert browser.ask("/api/version").status == 401
    gone: Any = operator.ask(f"/api/devices/{device['id']}", "DELETE")
    assert (gone.status, gone.code) == (404, "NO_SUCH_DEVICE")


def test_what_a_good_token_opened_stays_open(server: Up) -> None:
    with terminal(server, bearer(server, "coordinator")) as (socket, pane):
        with terminal(server, bearer(server, "coordinator", SHORT)) as (other, _):
            assert closed_with(other) == OVER
        socket.send('{"type":"input","data":"echo typed\\r"}')
        assert reached(lambda: "typed" in server.machine.tmux("capture-pane", "-p", "-t", pane))
