"""Promise 18: malformed requests are refused, bounded and clean."""

import json

import pytest

from tests.promises.browser import bearer, said_to, signed_in
from tests.promises.test_14_channels_end import terminal
from tests.surfaces.conftest import Machine
from tests.surfaces.serving import Up, reached


@pytest.mark.parametrize(
    "host",
    [
        "[::1].evil",
        "[::1]evil",
        "127.0.0.1:80@evil",
        "127.0.0.1@evil",
        "user@127.0.0.1",
        "127.0.0.1:80:90",
        "127.0.0.1:",
        "127.0.0.1:80/evil",
        "127.0.0.1 evil",
        "localhost\u00e9",
        "[::1",
        "",
    ],
)
def test_a_host_that_could_be_read_in_two_ways_is_refused(server: Up, host: str) -> None:
    asked = f"GET /healthz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n".encode("latin-1")
    head, _, body = said_to(server, asked).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 403 ")
    assert json.loads(body)["error"]["code"] == "FOREIGN_HOST"


@pytest.mark.parametrize("origin", ["http://127.0.0.1:80@evil", "http://[::1].evil", "http://[::1", "null", "evil"])
def test_an_origin_that_could_be_read_in_two_ways_is_refused(server: Up, origin: str) -> None:
    answer = bearer(server, "operator").ask("/api/version", origin=origin)
    assert (answer.status, answer.code) == (403, "FOREIGN_ORIGIN")


def test_an_auditor_touches_nothing_under_whatever_name(server: Up) -> None:
    server.agent("ada")
    for event in ("signal", "Stop"):
        answer = bearer(server, "auditor", agent="ada").ask(f"/hook/ada/{event}", "POST", {"state": "done"})
        assert (answer.status, answer.code) == (403, "FORBIDDEN")


def test_half_a_character_in_a_frame_is_told_and_the_terminal_stays(server: Up) -> None:
    with terminal(server, bearer(server, "coordinator")) as (socket, pane):
        for frame in (
            '{"type":"input","data":"a\\ud800b"}',
            '{"type":"keys","keys":["\\udc00"]}',
            '{"type":"\\ud800"}',
            '{"\\ud800":1}',
            '"\\ud800"',
        ):
            socket.send(frame)
            answers = (json.loads(one) for one in iter(socket.recv, None) if isinstance(one, str))
            told = next(one for one in answers if one["type"] == "error")
            assert told["error"]["code"] in ("BAD_REQUEST", "UNKNOWN_KEY")
        socket.send('{"type":"input","data":"echo still here\\r"}')
        assert reached(lambda: "still here" in server.machine.tmux("capture-pane", "-p", "-t", pane))
    assert "Traceback" not in (server.machine.home / "up.log").read_text()


def test_half_a_character_in_a_body_is_no_failure_of_the_server(server: Up) -> None:
    server.agent("ada")
    operator, half = bearer(server, "operator"), "a\ud800b"
    for path, body in {
        "/api/agents": {"pane": half, "name": half, "role": half, "socket_name": half},
        "/api/agents/ada/send": {"text": half, "message_id": half},
        "/api/agents/ada/keys": {"keys": [half]},
        "/api/respond/ada": {"text": half},
        "/api/panes/x/send": {"text": half},
        "/hook/ada/signal": {"state": "completed", "message": half, "id": half},
        "/hook/ada/Stop": {half: half},
    }.items():
        assert operator.ask(path, "POST", body).status < 500, path
    assert operator.ask("/healthz").status == 200


def test_a_browser_can_sign_out(server: Up) -> None:
    browser = signed_in(server)
    assert browser.ask("/api/version").status == 200
    kept = browser.cookie
    assert browser.ask("/api/signout", "POST", {}).status == 200
    assert browser.cookie.endswith("=")
    browser.cookie = kept
    assert browser.ask("/api/version").status == 401


@pytest.mark.parametrize("verb", [("up", "--detach", "--port", "0"), ("ps",), ("deliveries",)])
def test_a_state_directory_that_others_may_write_to_is_refused(machine: Machine, verb: tuple[str, ...]) -> None:
    place = machine.home / ".local/state/paneward"
    place.mkdir(parents=True)
    place.chmod(0o777)
    said = machine.paneward("--json", *verb)
    assert (said.code, said.document["error"]["code"]) == (1, "STORE_ERROR")
    assert "chmod 700" in said.document["error"]["hint"]
    assert list(place.iterdir()) == []
    place.chmod(0o755)  # others may only look at it: the doctor warns of that
    assert machine.paneward("deliveries").code == 0
