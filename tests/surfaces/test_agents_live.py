"""The commands on agents, on a real server with demo agents in a private tmux."""

import json
import os
from pathlib import Path

import pytest

from tests.store.conftest import postgres as postgres
from tests.store.conftest import private_cluster as private_cluster
from tests.surfaces.conftest import DEMO_AGENT, Machine
from tests.surfaces.serving import Up, paneward, up

# --- taking in and letting go


def test_an_adopted_pane_has_a_name_and_is_listed(server: Up) -> None:
    pane = server.agent("tester", role="reviewer", label="backend")
    [agent] = server.machine.answer("ps")["agents"]
    assert (agent["id"], agent["pane"], agent["kind"]) == ("tester", pane, "demo")
    assert (agent["role"], agent["labels"], agent["stage"], agent["state"]) == ("reviewer", ["backend"], "IDLE", "IDLE")
    shown = server.machine.paneward("ps").out
    assert "tester" in shown
    assert "reviewer #backend" in shown


def test_without_a_name_it_is_called_by_its_kind_and_a_number(server: Up) -> None:
    pane = server.machine.pane(DEMO_AGENT, name="somewhere")
    assert server.machine.paneward("wait", pane, "--timeout", "60").code == 0
    adopted = server.machine.answer("adopt", "somewhere")
    assert (adopted["agent"]["id"], adopted["agent"]["pane"]) == ("demo-1", pane)


def test_what_cannot_be_adopted_says_why(server: Up) -> None:
    pane = server.agent("tester")
    for words, code, name in [
        ((pane, "--name", "other"), 2, "agent_exists"),
        (("%99",), 4, "pane_not_found"),
        ((pane, "--name", "Not A Name"), 2, "invalid_name"),
        ((pane, "--name", "b", "--profile", "nonsense"), 2, "unknown_profile"),
    ]:
        ran = server.machine.paneward("--json", "adopt", *words)
        assert (ran.code, ran.document["error_type"]) == (code, name)
        assert ran.document["error"]["hint"]


def test_forgetting_leaves_the_pane_alone_and_purging_leaves_nothing(server: Up) -> None:
    pane = server.agent("tester")
    assert server.machine.paneward("send", "tester", "say hello").code == 0
    assert server.machine.answer("forget", "tester")["purged"] is False
    assert server.machine.answer("ps")["agents"] == []
    assert server.machine.paneward("read", pane).code == 0
    assert [one["kind"] for one in server.events("--agent", "tester")][-1] == "agent_forgotten"
    server.machine.paneward("adopt", pane, "--name", "tester")
    assert server.machine.answer("forget", "tester", "--purge")["purged"] is True
    assert not [one for one in server.events("--agent", "tester") if "hello" in json.dumps(one)]
    ran = server.machine.paneward("--json", "forget", "tester")
    assert (ran.code, ran.document["error_type"]) == (4, "agent_not_found")


# --- the verbs, through the server


def test_a_text_for_an_agent_is_a_turn_and_its_work_is_followed(server: Up) -> None:
    server.agent("tester")
    answer = server.machine.answer("send", "tester", "say forty-two")
    assert (answer["verdict"], answer["rung"], answer["profile"]) == ("confirmed", "submitted", "demo")
    server.until("COMPLETE")
    turns = [one["turn"] for one in server.events("--types", "turn_stored", "--agent", "tester")]
    assert (turns[0]["actor"], turns[0]["intent"], turns[0]["text"]) == ("USER", "COMMAND", "say forty-two")
    states = [one["new_state"] for one in server.events("--types", "state_changed")]
    assert states[0] == "COMMANDED"
    assert states[-1] == "COMPLETE"
    assert "forty-two" in server.machine.paneward("read", "tester").out


def test_a_text_for_the_pane_of_an_agent_is_its_turn_too(server: Up) -> None:
    pane = server.agent("tester")
    assert server.machine.paneward("send", pane, "say it").code == 0
    assert [one["agent_id"] for one in server.events("--types", "turn_stored")][:1] == ["tester"]


def test_panes_that_nobody_adopted_go_through_the_server_as_well(server: Up) -> None:
    pane = server.machine.pane(name="shell")
    answer = server.machine.answer("send", "shell", "echo $((6*7))")
    assert (answer["verdict"], answer["pane"]) == ("confirmed", pane)
    assert server.machine.paneward("wait", pane, "--timeout", "30").code == 0
    assert "\n42\n" in server.machine.paneward("read", pane).out
    assert server.machine.answer("keys", pane, "C-l")["rung"] == "typed"
    [row] = server.machine.answer("deliveries", pane, "-n", "1")["deliveries"]
    assert row["pane"] == pane


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("send", "%99", "x"), 4, "pane_not_found"),
        (("send", "PANE", ""), 2, "empty_text"),
        (("keys", "PANE", "Return"), 2, "unknown_key"),
        (("wait", "PANE", "--pattern", "["), 2, "invalid_pattern"),
        (("send", "PANE", "x", "--profile", "emacs"), 2, "unknown_profile"),
        (("answer", "PANE", "--select", "1"), 4, "no_dialog"),
    ],
)
def test_refusals_are_the_same_as_without_a_server(
    server: Up, words: tuple[str, ...], code: int, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = server.machine.pane()
    line = [pane if word == "PANE" else word for word in words]
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("PANEWARD_STATE_DIR", str(tmp_path / "nobody"))
        assert server.machine.paneward("status").code == 4
        alone = server.machine.paneward("--json", *line)
    served = server.machine.paneward("--json", *line)
    assert (served.code, served.document["error_type"]) == (alone.code, alone.document["error_type"]) == (code, error)
    assert served.document["error"]["message"] == alone.document["error"]["message"]


def test_wait_menu_answer_and_explain_know_an_agent_by_its_name(server: Up) -> None:
    server.agent("tester")
    menu = server.asking("ask which colour")
    assert server.machine.paneward("wait", "tester").code == 5
    assert [option["label"] for option in menu["options"]][:3] == ["Red", "Green", "Blue"]
    refused = server.machine.paneward("--json", "send", "tester", "go on")
    assert (refused.code, refused.document["error_type"]) == (5, "blocked_by_dialog")
    explained = server.machine.answer("explain", "tester")
    assert explained["state"]["state"] == "awaiting_question"
    assert server.machine.answer("answer", "tester", "--select", "Green")["verdict"] == "confirmed"
    server.until("COMPLETE")
    assert "You chose Green" in server.machine.paneward("read", "tester").out


def test_an_answer_to_the_pane_of_an_agent_is_its_turn_and_linked_to_the_question(server: Up) -> None:
    pane = server.agent("tester")
    server.asking("ask which colour")
    assert server.machine.answer("answer", pane, "--select", "2")["verdict"] == "confirmed"
    server.until("COMPLETE")
    assert "You chose Green" in server.machine.paneward("read", pane).out
    turns = [one["turn"] for one in server.events("--types", "turn_stored", "--agent", "tester")]
    [question] = [turn for turn in turns if turn["intent"] == "QUESTION"]
    [answer] = [turn for turn in turns if turn["intent"] == "ANSWER"]
    assert (answer["actor"], answer["answers"]) == ("USER", question["id"])


def test_a_profile_that_is_named_counts_for_an_agent_too(server: Up) -> None:
    server.agent("tester")
    ready = server.machine.answer("wait", "tester", "--profile", "demo", "--timeout", "30")
    assert ready["verdict"] == "ready"
    ran = server.machine.paneward("--json", "wait", "tester", "--profile", "nonsense")
    assert (ran.code, ran.document["error_type"]) == (2, "unknown_profile")


def test_the_names_of_agents_are_known_without_a_server_too(machine: Machine) -> None:
    with up(machine) as server:
        pane = server.agent("tester")
    assert machine.answer("send", "tester", "permit rm")["pane"] == pane
    assert machine.paneward("wait", "tester", "--timeout", "30").code == 5
    assert machine.answer("menu", "tester")["menu"]["question"] == "Do you want to proceed?"
    assert machine.answer("explain", "tester")["pane"] == pane
    elsewhere = paneward(machine, "--json", "read", "tester")
    assert elsewhere.code == 0, "its tmux server is known with it"
    assert machine.answer("answer", "tester", "--select", "1")["verdict"] == "confirmed"
    assert machine.answer("keys", "tester", "Escape")["rung"] == "typed"


def test_explain_asks_the_server_and_says_the_same(server: Up, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = server.agent("tester")
    server.asking()
    served = [server.machine.answer("explain", target) for target in ("tester", pane)]
    shown = server.machine.paneward("explain", "tester", "--profile", "generic").out
    wrong = server.machine.paneward("--json", "explain", pane, "--pattern", "(")
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("PANEWARD_STATE_DIR", str(tmp_path / "nobody"))
        assert server.machine.paneward("status").code == 4
        alone = server.machine.answer("explain", pane)
    for found in (*served, alone):
        assert (found["verdict"], found["rule"], found["pane"]) == ("awaiting_answer", alone["rule"], pane)
        assert [one["rule"] for one in found["tried"]] == [one["rule"] for one in alone["tried"]]
        assert (found["menu"], found["size"], found["state"]["state"]) == (
            alone["menu"], alone["size"], alone["state"]["state"],
        )  # fmt: skip
        assert found["screen"] == alone["screen"]
    assert "profile generic" in shown
    assert (wrong.code, wrong.document["error_type"]) == (2, "invalid_pattern")


@pytest.mark.parametrize("kept", ["sqlite", "postgresql"])
def test_deliveries_are_those_of_the_servers_store_wherever_it_is(
    machine: Machine, kept: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kept == "postgresql":
        monkeypatch.setenv("PANEWARD_STORE__URL", request.getfixturevalue("postgres").new_database())
    shell = machine.pane()
    machine.paneward("send", shell, "echo before")
    with up(machine, env=dict(os.environ)) as server:
        pane = server.agent("tester")
        server.machine.paneward("send", "tester", "say hello")
        server.machine.paneward("send", shell, "echo unnamed")

        def texts(*words: str) -> list[str]:
            return [row["text"] for row in machine.answer("deliveries", *words)["deliveries"]]

        served = ["echo unnamed", "say hello"]
        assert texts("-n", "2") == served
        assert texts("tester") == texts(pane) == ["say hello"]
    assert texts() == [*served, "echo before"]
    assert texts("tester") == ["say hello"]


def test_with_a_socket_a_name_means_something_there(server: Up) -> None:
    server.agent("tester")
    assert server.machine.by("-L", "nobody-lives-here", "--json", "read", "tester").code != 0
    assert server.machine.by("--json", "read", "tester").code == 0


def test_a_repeated_message_id_sends_nothing_again(server: Up) -> None:
    server.agent("tester")
    first = server.machine.answer("send", "tester", "say once", "--message-id", "m1")
    again = server.machine.answer("send", "tester", "say once", "--message-id", "m1")
    assert (first["repeated"], again["repeated"]) == (False, True)
    other = server.machine.paneward("--json", "send", "tester", "say twice", "--message-id", "m1")
    assert (other.code, other.document["error_type"]) == (2, "idempotency_conflict")
    assert len(server.events("--types", "turn_stored", "--agent", "tester")) >= 1


# --- respond


@pytest.mark.parametrize(
    ("asked", "words", "said"),
    [
        ("ask which colour", ("--select", "2"), "You chose Green"),
        ("ask which colour", ("--select", "Blue"), "You chose Blue"),
        ("ask which colour", ("--other", "a warm grey"), "You chose a warm grey"),
        ("ask which colour", ("violet",), "You chose violet"),
        ("permit rm -r build", ("--select", "1"), "Ran rm -r build"),
        ("permit rm -r build", ("--other", "I need it"), "Not run: I need it"),
        ("multi what to check", ("--multi", "1", "--multi", "Style"), "You chose Unit tests, Style"),
    ],
)
def test_respond_answers_by_number_by_label_and_in_words(
    server: Up, asked: str, words: tuple[str, ...], said: str
) -> None:
    server.agent("tester")
    server.asking(asked)
    answer = server.machine.answer("respond", "tester", *words)
    assert (answer["ok"], answer["agent_id"], answer["receipt"]["verdict"]) == (True, "tester", "confirmed")
    assert answer["turn_id"]
    server.until("COMPLETE")
    assert said in server.machine.paneward("read", "tester").out
    answers = [one["turn"] for one in server.events("--types", "turn_stored") if one["turn"]["intent"] == "ANSWER"]
    assert [turn["id"] for turn in answers] == [answer["turn_id"]]


def test_respond_refuses_what_does_not_fit_and_the_question_stays(server: Up) -> None:
    server.agent("tester")
    early = server.machine.paneward("--json", "respond", "tester", "yes")
    assert (early.code, early.document["error_type"]) == (5, "wrong_state")
    menu = server.asking()
    for words, code, error in [
        (("--select", "9"), 2, "unknown_option"),
        (("--select", "Perhaps"), 2, "unknown_option"),
        (("--select", "1", "--fingerprint", "0" * 16), 5, "stale_dialog"),
    ]:
        ran = server.machine.paneward("--json", "respond", "tester", *words)
        assert (ran.code, ran.document["error_type"]) == (code, error), words
    assert server.machine.answer("menu", "tester")["menu"]["fingerprint"] == menu["fingerprint"]
    assert server.stands() == "AWAITING_INPUT"
    unknown = server.machine.paneward("--json", "respond", "nobody", "yes")
    assert (unknown.code, unknown.document["error_type"]) == (4, "agent_not_found")


def test_respond_needs_exactly_one_answer(server: Up) -> None:
    for words in (("respond", "tester"), ("respond", "tester", "a", "--select", "1")):
        ran = server.machine.paneward(*words)
        assert ran.code == 2
        assert "exactly one of" in ran.err


def test_the_receipt_of_an_answer_for_people_says_what_became_of_the_agent(server: Up) -> None:
    server.agent("tester")
    server.asking()
    ran = server.machine.paneward("respond", "tester", "--select", "Yes")
    assert ran.code == 0
    assert "✓ confirmed" in ran.out
    assert "tester is PROCESSING" in ran.out
