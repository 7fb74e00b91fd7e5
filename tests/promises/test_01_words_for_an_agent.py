"""Words for an agent go to that agent's program or nowhere, by every verb and on every surface.

A pane outlives its programs: an agent that was started from a shell exits, is suspended or replaced, and what is typed
then reaches somebody else.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from paneward.app import connect
from paneward.client.remote import found
from paneward.config import Settings, TmuxSettings
from paneward.core.errors import Code
from paneward.core.result import Rung, Verdict
from tests.surfaces.conftest import DEMO_AGENT, TMUX, Machine
from tests.surfaces.serving import Up, reached, up

PYTHON = Path(sys.executable).name
REPL = f"{sys.executable} -q"


def comes(machine: Machine, pane: str, program: str) -> None:
    """Wait until this program has the terminal of the pane."""
    assert reached(lambda: machine.tmux("display-message", "-p", "-t", pane, "#{pane_current_command}") == program)


def started(machine: Machine, command: str = DEMO_AGENT, *adoption: str) -> str:
    """An agent that was started from a shell, adopted as `bob`; its pane."""
    pane = machine.pane()
    assert machine.paneward("wait", pane, "--timeout", "60").code == 0
    machine.tmux("send-keys", "-t", pane, command, "Enter")
    comes(machine, pane, PYTHON)
    assert machine.paneward("wait", pane, "--timeout", "60").code == 0
    assert machine.paneward("adopt", pane, "--name", "bob", "--role", "builder", *adoption).code == 0
    return pane


def quit_agent(machine: Machine, pane: str) -> None:
    machine.paneward("send", "bob", "exit")
    comes(machine, pane, "bash")


def suspend_agent(machine: Machine, pane: str) -> None:
    pid = machine.tmux("display-message", "-p", "-t", pane, "#{pane_pid}")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    assert len(children) == 1
    machine.tmux("run-shell", f"kill -STOP {children[0]}")
    comes(machine, pane, "bash")


def replace_agent(machine: Machine, pane: str) -> None:
    quit_agent(machine, pane)
    machine.tmux("send-keys", "-t", pane, REPL, "Enter")
    comes(machine, pane, PYTHON)
    assert machine.paneward("wait", pane, "--timeout", "60").code == 0


def respawn_pane(machine: Machine, pane: str) -> None:
    machine.tmux("respawn-pane", "-k", "-t", pane, "exec bash --norc --noprofile")
    comes(machine, pane, "bash")


def refused(machine: Machine, *words: str) -> str:
    """The code with which a command ended that typed nothing."""
    ran = machine.paneward("--json", *words)
    assert ran.code == 4, ran
    document = ran.document
    [told] = document.get("outcomes", [document])
    assert told["error"]["hint"]
    return str(told["error_type"] or told["error"]["code"]).upper()


WAYS = {"exits": quit_agent, "is suspended": suspend_agent, "is replaced": replace_agent, "is respawned": respawn_pane}
VERBS = {
    "send": ("send", "bob", "touch it"),
    "send with a profile": ("send", "bob", "touch it", "--profile", "shell"),
    "send --to": ("send", "--to", "builder", "touch it"),
    "keys": ("keys", "bob", "x", "Enter"),
    "keys, verified": ("keys", "bob", "x", "Enter", "--verify"),
    "answer": ("answer", "bob", "--text", "touch it"),
    "menu": ("menu", "bob"),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_verb_types_into_what_an_agent_leaves_behind(server: Up, way: str) -> None:
    machine = server.machine
    pane = started(machine)
    WAYS[way](machine, pane)
    before = machine.tmux("capture-pane", "-p", "-t", pane)

    expected = "PANE_NOT_FOUND" if way == "is respawned" else "WRONG_PROGRAM"
    assert {name: refused(machine, *words) for name, words in VERBS.items()} == dict.fromkeys(VERBS, expected)
    waited = machine.paneward("--json", "wait", "bob", "--timeout", "20")
    assert waited.code == 4
    assert waited.document["verdict"] == "dead"
    assert machine.paneward("wait", "--any", "bob", "--timeout", "20").code == 4

    assert machine.tmux("capture-pane", "-p", "-t", pane) == before
    assert machine.paneward("read", "bob").code == 0  # to look is always allowed
    if way != "is respawned":
        words = ("send", pane, "print(6 * 7)" if way == "is replaced" else "echo $((6 * 7))")
        assert machine.paneward(*words).code == 0  # who names the pane means what is in it


def test_an_agent_that_was_started_again_in_its_pane_gets_its_words(server: Up) -> None:
    machine = server.machine
    pane = started(machine)
    quit_agent(machine, pane)
    assert refused(machine, "send", "bob", "touch it") == "WRONG_PROGRAM"

    machine.tmux("send-keys", "-t", pane, DEMO_AGENT, "Enter")
    comes(machine, pane, PYTHON)
    assert machine.answer("send", "bob", "hello again")["verdict"] == "confirmed"


def test_words_that_wait_are_not_typed_into_what_is_left(server: Up, tmp_path: Path) -> None:
    """The agent ends while a text waits for it."""
    machine = server.machine
    pane = started(machine, f"{DEMO_AGENT} --busy 600")
    assert machine.paneward("send", "bob", "work").code == 0
    server.until("PROCESSING", "bob")
    pid = machine.tmux("display-message", "-p", "-t", pane, "#{pane_pid}")
    [child] = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    machine.tmux("run-shell", "-b", f"sleep 1; kill -KILL {child}")

    assert refused(machine, "send", "bob", f"touch {tmp_path}/it", "--timeout", "60") == "WRONG_PROGRAM"
    assert "touch" not in machine.tmux("capture-pane", "-p", "-t", pane)


def test_an_agent_of_an_unknown_kind_is_known_by_its_process(server: Up) -> None:
    machine = server.machine
    pane = started(machine, REPL)
    assert machine.answer("send", "bob", "print(6 * 7)")["verdict"] == "confirmed"

    machine.tmux("send-keys", "-t", pane, "import os; os.execvp('bash', ['bash', '--norc'])", "Enter")
    comes(machine, pane, "bash")
    assert refused(machine, "send", "bob", "touch it") == "WRONG_PROGRAM"
    assert machine.answer("wait", "bob", "--timeout", "20")["verdict"] == "dead"


def test_a_profile_that_was_given_by_name_does_not_make_a_shell_the_agent(server: Up) -> None:
    machine = server.machine
    pane = started(machine, REPL, "--profile", "generic")
    machine.tmux("send-keys", "-t", pane, "exit()", "Enter")
    comes(machine, pane, "bash")
    assert refused(machine, "send", "bob", "touch it") == "WRONG_PROGRAM"


def test_without_a_server_the_same_holds(machine: Machine) -> None:
    with up(machine) as server:
        pane = started(machine)
        quit_agent(machine, pane)
        server.end()
    before = machine.tmux("capture-pane", "-p", "-t", pane)

    alone = {name: words for name, words in VERBS.items() if name != "send --to"}
    assert {name: refused(machine, *words) for name, words in alone.items()} == dict.fromkeys(alone, "WRONG_PROGRAM")
    assert machine.answer("wait", "bob", "--timeout", "20")["verdict"] == "dead"
    assert machine.tmux("capture-pane", "-p", "-t", pane) == before


def test_a_pane_can_be_sent_to_on_condition_of_its_program(server: Up) -> None:
    machine = server.machine
    pane = machine.pane()
    assert machine.paneward("wait", pane, "--timeout", "60").code == 0
    for words in (("send", pane, "touch it"), ("keys", pane, "x"), ("answer", pane, "--text", "x")):
        assert refused(machine, *words, "--expect", PYTHON) == "WRONG_PROGRAM"
    assert machine.answer("send", pane, REPL, "--expect", "bash")["verdict"] == "confirmed"
    comes(machine, pane, PYTHON)
    assert machine.answer("send", pane, "print(6 * 7)", "--expect", PYTHON)["verdict"] == "confirmed"
    assert refused(machine, "send", pane, "touch it", "--expect", "bash") == "WRONG_PROGRAM"


def test_the_library_and_http_refuse_alike(server: Up) -> None:
    machine = server.machine
    pane = started(machine)
    quit_agent(machine, pane)
    before = machine.tmux("capture-pane", "-p", "-t", pane)

    async def by_library() -> list[Code | None]:
        async with connect(machine.socket, settings=Settings(tmux=TmuxSettings(binary=TMUX))) as tmux:
            sent = [
                await tmux.send_text(pane, "touch it", expect="demo"),
                await tmux.send_keys(pane, "x", "Enter", expect="demo"),
                await tmux.answer(pane, "touch it", expect="demo"),
            ]
        assert all(one.verdict is Verdict.FAILED and one.rung is Rung.NOTHING for one in sent)
        return [one.error_type for one in sent]

    def by_http(path: str, body: dict[str, Any]) -> str:
        remote = found(server.state)
        assert remote is not None
        place: Any = {} if "agents" in path else {"socket": machine.socket}
        return str(remote.post(path, body, **place)["error"]["code"])

    assert asyncio.run(by_library()) == [Code.WRONG_PROGRAM] * 3
    asked: dict[str, dict[str, Any]] = {
        "/api/agents/bob/send": {"text": "touch it"},
        "/api/agents/bob/keys": {"keys": ["x", "Enter"]},
        f"/api/panes/{pane.replace('%', '%25')}/send": {"text": "touch it", "expect": "demo"},
        f"/api/panes/{pane.replace('%', '%25')}/keys": {"keys": ["x"], "expect": "demo"},
        f"/api/panes/{pane.replace('%', '%25')}/answer": {"text": "touch it", "expect": "demo"},
    }
    for path, body in asked.items():
        assert by_http(path, body) == "WRONG_PROGRAM", path
    assert machine.tmux("capture-pane", "-p", "-t", pane) == before
