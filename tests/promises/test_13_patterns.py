"""Promise 13: no pattern of anybody can hold the server, and `down` and signals work while it is busy."""

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import pytest

from tests.surfaces.conftest import Machine
from tests.surfaces.serving import Up, reached, up

EVIL = r"(a+)+\Z!"  # takes `re` 2^n steps in a row of n letters
ROW = "a" * 40


def ask(server: Up, path: str, token: str = "", **query: str) -> Any:
    words = f"?{urllib.parse.urlencode(query)}" if query else ""
    request = urllib.request.Request(f"{server.said['url']}{path}{words}")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


def token_of(server: Up, role: str) -> str:
    return str(server.machine.answer("token", "--role", role)["token"])


def test_a_pattern_of_a_participant_does_not_hold_the_server(server: Up) -> None:
    pane = server.machine.pane(f"sh -c 'printf {ROW}; exec cat'")
    assert reached(lambda: ROW in server.machine.tmux("capture-pane", "-p", "-t", pane))
    token, socket = token_of(server, "operator"), server.machine.tmux("display-message", "-p", "#{socket_path}")
    path = f"/api/panes/{urllib.parse.quote(pane, safe='')}"
    seen = json.loads(ask(server, f"{path}/explain", token, pattern=EVIL, socket=socket))
    assert seen["assessment"]["verdict"] != "ready"
    ready = json.loads(ask(server, f"{path}/wait", token, pattern=EVIL, socket=socket, timeout="1"))
    assert ready["verdict"] != "ready"
    assert ask(server, "/healthz") == "ok\n"


@pytest.mark.parametrize(
    ("pattern", "lacks"), [(r"(?=a)b", "lookaround"), (r"(a)\1", "backreference"), ("(?:a{1000}){1000}", "repetition")]
)
def test_what_the_engine_lacks_is_said(server: Up, pattern: str, lacks: str) -> None:
    pane = server.machine.pane()
    said = server.machine.paneward("--json", "wait", pane, "--pattern", pattern)
    failure = json.loads(said.out)["error"]
    assert (said.code, failure["code"]) == (2, "INVALID_PATTERN")
    assert lacks in failure["message"]


def test_a_pattern_in_the_configuration_does_not_hold_the_server(machine: Machine) -> None:
    config = machine.home / ".config/paneward/config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"readiness": {"prompt_pattern": EVIL}}))
    pane = machine.pane(f"sh -c 'printf {ROW}; exec cat'")
    with up(machine) as server:
        assert machine.paneward("adopt", pane, "--name", "ada").code == 0
        assert machine.answer("explain", "ada")["verdict"] != "ready"
        assert ask(server, "/healthz") == "ok\n"


def test_a_profile_of_the_user_does_not_hold_the_server(machine: Machine) -> None:
    profiles, config = machine.home / "profiles.yaml", machine.home / ".config/paneward/config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"profiles": {"file": str(profiles)}}))
    marks = [{"where": "screen", "pattern": EVIL}]
    row = {"match": [EVIL, "cat"], "prompt": EVIL, "busy": marks, "started": EVIL}
    profiles.write_text(json.dumps({"evil": row}))
    pane = machine.pane(f"sh -c 'printf {ROW}; exec cat'")
    with up(machine) as server:
        assert machine.paneward("adopt", pane, "--name", "ada").code == 0
        assert machine.answer("explain", "ada")["profile"] == "evil"
        assert ask(server, "/healthz") == "ok\n"
