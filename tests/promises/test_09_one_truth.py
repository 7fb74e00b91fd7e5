"""Promise 9: `ps`, `wait`, `explain`, `respond`, the library and the HTTP API tell one truth about an agent."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.serving import Up, reached

TICKING = Path(__file__).with_name("ticking.py")
RESTING = ("IDLE", "COMPLETE")


def truths(server: Up, name: str = "tester") -> tuple[str, str, str]:
    """What `ps`, `wait` and `explain` say."""
    machine = server.machine
    waited = machine.paneward("--json", "wait", name, "--timeout", "0").document["verdict"]
    return server.stands(name), waited, machine.answer("explain", name)["state"]["state"]


Say = Callable[..., None]


@pytest.fixture
def say(server: Up, monkeypatch: pytest.MonkeyPatch) -> Say:
    """Speak as the agent itself would, by `paneward signal` in its pane."""
    events = server.state / "events" / "tester.jsonl"
    events.parent.mkdir(exist_ok=True)

    def said(*words: str) -> None:
        with monkeypatch.context() as of_the_agent:
            of_the_agent.setenv("PANEWARD_EVENTS", str(events))
            assert server.machine.paneward("signal", *words).code == 0

    return said


@pytest.mark.parametrize("kind", ["clock", "rain", "toil"])
def test_a_program_that_never_stops_painting_is_at_rest_when_wait_says_so(server: Up, kind: str) -> None:
    machine = server.machine
    pane = machine.pane(f"{sys.executable} {TICKING} {kind}")
    assert machine.paneward("wait", pane, "--timeout", "60").code == 0
    assert machine.paneward("adopt", pane, "--name", "tester").code == 0
    assert machine.paneward("send", "tester", "hello").code == 0
    assert machine.answer("wait", "tester", "--timeout", "120")["verdict"] == "ready"
    assert truths(server) == ("COMPLETE", "ready", "idle")


def test_a_program_that_wakes_only_to_paint_is_not_at_work(server: Up) -> None:
    machine = server.machine
    pane = machine.pane(f"{sys.executable} {TICKING} toil")
    assert machine.paneward("wait", pane, "--timeout", "60").code == 0
    assert machine.paneward("adopt", pane, "--name", "tester").code == 0
    assert machine.paneward("send", "tester", "hello").code == 0
    assert machine.answer("wait", "tester", "--timeout", "120")["verdict"] == "ready"

    def frame() -> int:
        return int(machine.tmux("capture-pane", "-p", "-t", pane).split("frame ")[1].split()[0])

    for _ in range(50):
        before = frame()
        while frame() == before:
            pass
        assert machine.answer("wait", "tester", "--timeout", "0")["verdict"] == "ready"
    told = [one for one in server.events("--agent", "tester") if one["kind"] == "state_changed"]
    assert [one["new_state"] for one in told][-1] == "COMPLETE", told
    assert [one["new_state"] for one in told].count("PROCESSING") <= 1, told


def test_who_says_that_it_needs_input_asks_on_every_surface_and_can_be_answered(server: Up, say: Say) -> None:
    server.agent("tester")
    say("needs_input", "Which database?")
    server.until("AWAITING_INPUT")
    waited = server.machine.paneward("--json", "wait", "tester", "--timeout", "30")
    assert (waited.code, waited.document["verdict"]) == (5, "awaiting_answer")
    assert waited.document["question"] == "Which database?"
    assert truths(server) == ("AWAITING_INPUT", "awaiting_answer", "awaiting_question")
    [agent] = server.machine.answer("ps")["agents"]
    assert (agent["question"]["question"], agent["nudge_state"]) == ("Which database?", "needs_input")
    raised = [one for one in server.events("--agent", "tester") if one["kind"] == "nudge_raised"]
    assert len(raised) == 1, "one call, however many surfaces tell of it"
    answered = server.machine.answer("respond", "tester", "the small one")
    assert (answered["ok"], answered["new_state"]) == (True, "PROCESSING"), answered
    assert server.machine.answer("wait", "tester", "--timeout", "60")["verdict"] == "ready"
    assert truths(server) == ("COMPLETE", "ready", "idle")
    assert "the small one" in server.machine.paneward("read", "tester").out


def test_what_is_asked_during_work_is_asked_when_that_ends(server: Up, say: Say) -> None:
    server.agent("tester")
    assert server.machine.paneward("send", "tester", "work 3").code == 0
    server.until("PROCESSING")
    say("needs_input", "Go on?")
    server.until("AWAITING_INPUT")
    assert truths(server) == ("AWAITING_INPUT", "awaiting_answer", "awaiting_question")


@pytest.mark.parametrize("state", ["completed", "error", "idle", "working"])
def test_what_it_says_otherwise_ends_its_asking_on_every_surface(server: Up, say: Say, state: str) -> None:
    server.agent("tester")
    say("needs_input", "Which database?")
    server.until("AWAITING_INPUT")
    say(state, "never mind")
    assert reached(lambda: server.stands() in RESTING), truths(server)
    assert truths(server)[1:] == ("ready", "idle")


def test_an_option_cannot_be_chosen_where_words_are_asked_for(server: Up, say: Say) -> None:
    server.agent("tester")
    say("needs_input", "Which database?")
    server.until("AWAITING_INPUT")
    refused: Any = server.machine.paneward("--json", "respond", "tester", "--select", "1").document
    assert refused["error_type"] == "invalid_answer", refused
