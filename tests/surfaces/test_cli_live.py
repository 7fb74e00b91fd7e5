"""The command line as a user runs it, on real panes."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from paneward.core.readiness.rules import RULES
from tests.surfaces.conftest import DEMO_AGENT, PANEWARD, Machine, Ran, run


def read(machine: Machine, pane: str) -> str:
    return machine.paneward("read", pane).out


def awaiting(machine: Machine, pane: str) -> None:
    """Nothing goes on in the pane any more."""
    assert machine.paneward("wait", pane, "--timeout", "30", "--accept-stable").code == 0


# --- send


def test_send_types_submits_and_prints_the_receipt(machine: Machine) -> None:
    pane = machine.pane()
    answer = machine.answer("send", pane, "echo $((6*7))")
    assert answer["ok"] is answer["success"] is True
    assert (answer["status"], answer["verdict"], answer["rung"], answer["pane"]) == (
        "ok",
        "confirmed",
        "submitted",
        pane,
    )
    assert answer["evidence"]
    assert answer["enters"] == 1
    assert answer["latency_ms"] > 0
    awaiting(machine, pane)
    assert "\n42\n" in read(machine, pane)


def test_the_receipt_for_people_says_verdict_evidence_and_rung(machine: Machine) -> None:
    pane = machine.pane()
    ran = run([PANEWARD, "-L", machine.socket, "send", pane, "true"], machine.env)
    assert ran.code == 0
    assert re.match(rf"✓ confirmed  {pane}  \S.*\n  rung submitted · 1 Enter · \d", ran.out)
    assert "\x1b" not in ran.out, "colours are for terminals"


@pytest.mark.parametrize(("options", "expected"), [((), "one\ntwo"), (("--exact",), "one\ntwo\n")])
def test_standard_input_loses_only_the_newline_that_ends_it(
    machine: Machine, tmp_path: Path, options: tuple[str, ...], expected: str
) -> None:
    log = tmp_path / "log.jsonl"
    pane = machine.pane(f"{DEMO_AGENT} --busy 0 --log {log}")
    awaiting(machine, pane)
    command = [str(PANEWARD), "-L", machine.socket, "send", pane, "-", *options]
    assert run(command, machine.env, stdin=b"one\ntwo\n").code == 0
    assert f'"text": {json.dumps(expected)}' in log.read_text()


def test_a_file_is_sent(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("echo from-a-file\n")
    pane = machine.pane()
    assert machine.paneward("send", pane, "--file", str(file)).code == 0
    awaiting(machine, pane)
    assert "\nfrom-a-file\n" in read(machine, pane)


def test_a_text_that_looks_like_an_option_goes_behind_two_dashes(machine: Machine) -> None:
    pane = machine.pane("cat")
    assert machine.paneward("send", pane, "--", "--json").code == 0
    assert read(machine, pane).split() == ["--json", "--json"]


def test_a_repeated_message_id_sends_nothing_again(machine: Machine) -> None:
    pane = machine.pane("cat")
    first = machine.answer("send", pane, "only once", "--message-id", "m1")
    again = machine.answer("send", pane, "only once", "--message-id", "m1")
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert read(machine, pane).count("only once") == 2, "typed once and echoed once by cat"
    other = machine.paneward("--json", "send", pane, "another text", "--message-id", "m1")
    assert (other.code, other.document["error_type"]) == (2, "idempotency_conflict")


def test_an_empty_text_is_refused(machine: Machine) -> None:
    ran = machine.paneward("--json", "send", machine.pane(), "")
    assert (ran.code, ran.document["error_type"]) == (2, "empty_text")


def test_a_secret_leaves_no_trace_but_its_length(machine: Machine) -> None:
    pane = machine.pane("cat")
    assert machine.paneward("send", pane, "hunter2", "--secret").code == 0
    [row] = machine.answer("deliveries")["deliveries"]
    assert (row["text"], row["length"]) == (None, 7)
    assert "7 characters, secret" in machine.paneward("deliveries").out


def test_a_pane_that_does_not_exist_is_not_found(machine: Machine) -> None:
    machine.pane()
    ran = machine.paneward("--json", "send", "%99", "x")
    assert (ran.code, ran.document["error_type"]) == (4, "pane_not_found")
    assert ran.document["error"]["hint"]
    assert machine.paneward("read", "%99").code == 4


def test_an_answer_comes_by_standard_input_and_its_secret_leaves_no_trace(machine: Machine) -> None:
    pane = machine.pane("bash --norc -c 'read -sp Password: word; echo; echo got ${#word}; read'")
    assert machine.paneward("wait", pane, "--timeout", "60").code == 5
    line = [str(PANEWARD), "-L", machine.socket, "answer", pane, "--text", "-", "--secret"]
    assert run(line, machine.env, stdin=b"hunter2\n").code == 0
    assert "got 7" in machine.answer("read", pane)["text"]
    [row] = machine.answer("deliveries")["deliveries"]
    assert (row["text"], row["text_hash"], row["length"]) == (None, "", 7)


def test_a_name_that_no_window_has_is_answered_with_those_there_are(machine: Machine) -> None:
    pane = machine.pane(name="builds")
    ran = machine.paneward("--json", "read", "build")
    assert ran.code == 4
    assert f"{pane} (builds)" in ran.document["error"]["hint"]


def test_a_dead_pane_is_not_found(machine: Machine) -> None:
    pane = machine.pane("true")
    assert machine.paneward("wait", pane, "--timeout", "20").code == 4
    ran = machine.paneward("--json", "send", pane, "x")
    assert (ran.code, ran.document["error_type"]) == (4, "pane_dead")


def test_a_window_can_be_named_and_tmux_be_found_by_its_own_variable(machine: Machine) -> None:
    pane = machine.pane(name="builds")
    socket = machine.tmux("display-message", "-p", "#{socket_path}")
    inside = Machine(machine.home, machine.socket, {"TMUX": f"{socket},1,0"})
    ran = run([PANEWARD, "--json", "send", "builds", "true"], inside.env)
    assert ran.document["pane"] == pane
    by_path = run([PANEWARD, "-S", socket, "--json", "panes"], machine.env)
    assert [row["pane"] for row in by_path.document["panes"]] == [pane]


def test_both_transports_give_the_same_answer(machine: Machine) -> None:
    pane = machine.pane("cat")
    for transport in ("control", "exec"):
        answer = machine.answer("--transport", transport, "send", pane, f"by {transport}")
        assert answer["verdict"] == "confirmed"


# --- keys, read, wait


def test_keys_are_pressed_by_name_and_an_unknown_one_is_refused(machine: Machine) -> None:
    pane = machine.pane("cat")
    assert machine.answer("keys", pane, "a", "Space", "b", "Enter")["rung"] == "typed"
    awaiting(machine, pane)
    assert "a b" in read(machine, pane)
    ran = machine.paneward("--json", "keys", pane, "Entre")
    assert (ran.code, ran.document["error_type"]) == (2, "unknown_key")
    assert "Enter" in ran.document["error"]["hint"]


def test_read_prints_the_last_lines_and_styles_on_request(machine: Machine) -> None:
    pane = machine.pane("sh -c 'seq 1 100; printf \"\\033[31mred\\033[0m\\n\"; exec cat'")
    awaiting(machine, pane)
    assert machine.paneward("read", pane, "-n", "3").out == "99\n100\nred\n"
    assert "\x1b[31mred" in machine.paneward("read", pane, "--lines", "1", "--ansi").out
    assert machine.answer("read", pane, "-n", "1") == {"ok": True, "pane": pane, "text": "red"}


def test_wait_tells_ready_busy_asking_and_dead_apart(machine: Machine) -> None:
    idle, busy = machine.pane(), machine.pane("sleep 60")
    asking = machine.pane("bash -c 'read -p \"Continue? [y/N] \"'")
    assert machine.paneward("wait", idle).code == 0
    assert machine.paneward("wait", busy, "--timeout", "0.5").code == 5
    ran = machine.paneward("--json", "wait", asking)
    assert (ran.code, ran.document["verdict"]) == (5, "awaiting_answer")
    assert ran.document["question"] == "Continue? [y/N]"
    assert ran.document["ok"] is ran.document["is_ready"] is False


def test_an_invalid_pattern_is_usage(machine: Machine) -> None:
    ran = machine.paneward("--json", "wait", machine.pane(), "--pattern", "(")
    assert (ran.code, ran.document["error_type"]) == (2, "invalid_pattern")


def test_a_screen_that_stands_still_counts_only_when_it_is_accepted(machine: Machine) -> None:
    pane = machine.pane("cat")
    assert machine.paneward("wait", pane, "--timeout", "2").code == 3
    assert machine.paneward("wait", pane, "--accept-stable").code == 0


# --- menus


@pytest.fixture
def agent(machine: Machine) -> str:
    pane = machine.pane(f"{DEMO_AGENT} --busy 0.3")
    assert machine.paneward("wait", pane, "--timeout", "60").code == 0
    return pane


def ask(machine: Machine, agent: str, text: str) -> Ran:
    assert machine.paneward("send", agent, text).code == 0
    return machine.paneward("--json", "wait", agent)


def test_a_menu_is_data_and_is_answered_by_label_number_and_words(machine: Machine, agent: str) -> None:
    nothing = machine.answer("menu", agent)
    assert (nothing["ok"], nothing["menu"], nothing["error"]["code"]) == (False, None, "NO_DIALOG")
    assert ask(machine, agent, "ask Which one?").code == 5
    menu = machine.answer("menu", agent)["menu"]
    assert (menu["question"], menu["selected"], menu["free_text"]) == ("Which one?", 0, 3)
    assert [option["label"] for option in menu["options"][:3]] == ["Red", "Green", "Blue"]
    assert machine.paneward("send", agent, "x").code == 5
    assert machine.paneward("answer", agent, "--select", "blue").code == 0
    machine.paneward("wait", agent)
    assert "You chose Blue" in read(machine, agent)


@pytest.mark.parametrize(
    ("question", "options", "said"),
    [
        ("ask", ["--select", "2"], "You chose Green"),
        ("ask", ["--other", "plum"], "You chose plum"),
        ("ask", ["--text", "plum"], "You chose plum"),
        ("permit ls", ["--other", "not today"], "Not run: not today"),
        ("multi", ["--multi", "1", "--multi", "style"], "You chose Unit tests, Style"),
    ],
)
def test_each_way_to_answer_arrives(machine: Machine, agent: str, question: str, options: list[str], said: str) -> None:
    assert ask(machine, agent, question).code == 5
    assert machine.paneward("answer", agent, *options).code == 0
    assert machine.paneward("wait", agent).code == 0
    assert said in read(machine, agent)


def test_an_answer_to_another_dialog_or_to_none_is_refused(machine: Machine, agent: str) -> None:
    none = machine.paneward("--json", "answer", agent, "--select", "1")
    assert (none.code, none.document["error_type"]) == (4, "no_dialog")
    ask(machine, agent, "ask")
    stale = machine.paneward("--json", "answer", agent, "--select", "1", "--fingerprint", "0" * 16)
    assert (stale.code, stale.document["error_type"]) == (5, "stale_dialog")
    unknown = machine.paneward("--json", "answer", agent, "--select", "Mauve")
    assert (unknown.code, unknown.document["error_type"]) == (2, "unknown_option")


# --- looking


def test_explain_lists_every_rule_and_marks_the_one_that_won(machine: Machine) -> None:
    pane = machine.pane()
    awaiting(machine, pane)
    answer = machine.answer("explain", pane)
    assert (answer["verdict"], answer["rule"], answer["profile"]) == ("ready", "shell", "shell")
    assert [one["rule"] for one in answer["tried"] if one["decided"]] == ["shell"]
    assert answer["process"]["command"] == "bash"
    shown = machine.paneward("explain", pane).out
    assert re.search(r"▶ +shell +bash is editing a command line", shown)
    assert all(name in shown for name, _ in RULES)
    assert re.search(r"▶ │ bash.*[$#]", shown), "the cursor's row is pointed at"


def test_panes_lists_them_with_targets_and_titles(machine: Machine) -> None:
    pane = machine.pane(name="editor")
    shown = machine.paneward("panes").out
    assert re.search(rf"{pane} +work:0.0 +editor +bash +shell +80x24", shown)


def test_deliveries_lists_the_newest_first(machine: Machine) -> None:
    pane, other = machine.pane("cat"), machine.pane("cat")
    for place, text in ((pane, "first"), (other, "second"), (pane, "third")):
        machine.paneward("send", place, text)
    rows = machine.answer("deliveries")["deliveries"]
    assert [row["text"] for row in rows] == ["third", "second", "first"]
    assert [row["text"] for row in machine.answer("deliveries", pane, "-n", "1")["deliveries"]] == ["third"]


def test_the_doctor_sees_the_server(machine: Machine) -> None:
    machine.pane()
    answer = machine.answer("doctor")
    server = next(check for check in answer["checks"] if check["name"] == "server")
    assert server["state"] == "ok"
    assert server["seen"].startswith("1 pane,")


# --- the shell and the terminal


def completed(machine: Machine, line: str) -> list[str]:
    more = {"_PANEWARD_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    return run([PANEWARD], {**machine.env, **more}).out.split()


def test_the_shell_completes_commands_panes_profiles_and_keys(machine: Machine) -> None:
    pane = machine.pane(name="builds")
    assert "send" in completed(machine, "paneward se")
    assert completed(machine, f"paneward -L {machine.socket} read bui") == ["builds"]
    assert completed(machine, f"paneward -L {machine.socket} read %") == [pane]
    assert completed(machine, "paneward profiles show gene") == ["generic"]
    assert completed(machine, "paneward keys %1 Esc") == ["Escape"]


def on_a_terminal(command: list[str], env: dict[str, str]) -> str:
    """What a person sees."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 65536):
            seen += chunk
    except OSError:  # the terminal closed with the program
        pass
    os.close(ours)
    process.wait()
    return seen.decode()


def test_a_long_wait_shows_a_sign_of_life_on_a_terminal_and_colours(machine: Machine) -> None:
    pane = machine.pane("sleep 60")
    command = [str(PANEWARD), "-L", machine.socket, "wait", pane, "--timeout", "1.5"]
    seen = on_a_terminal(command, machine.env)
    assert f"waiting for {pane}" in seen
    assert re.search("\x1b\\[[0-9;]+m… busy", seen)
    assert "waiting for" not in run(command, machine.env).err
