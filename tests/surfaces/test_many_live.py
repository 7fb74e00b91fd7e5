"""Many agents at once, what happened to them, and what goes on: on a real server with demo agents."""

import json
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.conftest import PANEWARD, Machine
from tests.surfaces.serving import Up, paneward, reached, up

# What a shell started in the background ignores Ctrl-C, and so does all that it starts: tests may be run so.
HEEDS = ("env", "--default-signal=INT")


@contextmanager
def lines_of(machine: Machine, *words: str) -> Iterator[Iterator[Any]]:
    """The JSON lines that a command goes on printing; it is ended at the end."""
    command = [*HEEDS, str(PANEWARD), "--json", *words]
    with subprocess.Popen(command, env=machine.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield map(json.loads, iter(process.stdout.readline, b""))
        finally:
            process.terminate()


# --- several at once


def test_a_text_goes_to_all_of_a_role_and_to_nobody_else(server: Up) -> None:
    server.agent("a", role="reviewer")
    server.agent("b", label="reviewer")
    server.agent("c", role="builder")
    answer = server.machine.answer("send", "--to", "reviewer", "say look here", "--message-id", "round-1")
    assert answer["ok"] is True
    assert sorted(one["target"] for one in answer["outcomes"]) == ["a", "b"]
    assert sorted(one["message_id"] for one in answer["outcomes"]) == ["round-1.a", "round-1.b"]
    told = server.events("--types", "turn_stored")
    assert {one["agent_id"] for one in told} <= {"a", "b"}
    nobody = server.machine.paneward("--json", "send", "--to", "testers", "x")
    assert (nobody.code, nobody.document["error_type"]) == (4, "agent_not_found")


def test_one_that_is_blocked_does_not_stop_the_others(server: Up) -> None:
    server.agent("a")
    server.agent("b")
    server.asking(name="a")
    ran = server.machine.paneward("--json", "send", "--to", "all", "say on")
    outcomes = {one["target"]: one["verdict"] for one in ran.document["outcomes"]}
    assert (ran.code, outcomes) == (5, {"a": "failed", "b": "confirmed"})
    shown = server.machine.paneward("wait", "--to", "all", "--timeout", "30")
    assert shown.code == 5
    assert "a\n? awaiting_answer" in shown.out


def test_wait_for_any_ends_with_the_first_and_for_all_with_the_last(server: Up) -> None:
    server.agent("slow", busy=600)
    server.agent("fast")
    assert server.machine.paneward("send", "slow", "work 600").code == 0
    server.until("PROCESSING", "slow")
    first = server.machine.answer("wait", "slow", "fast", "--any", "--timeout", "60")
    assert [(one["target"], one["verdict"]) for one in first["outcomes"]] == [("fast", "ready")]
    both = server.machine.paneward("--json", "wait", "slow", "fast", "--timeout", "1")
    assert both.code == 5
    assert [one["verdict"] for one in both.document["outcomes"]] == ["busy", "ready"]


@pytest.mark.parametrize("words", [("send", "--to", "all", "x"), ("wait", "--to", "all")])
def test_groups_need_a_server(machine: Machine, words: tuple[str, ...]) -> None:
    machine.pane()
    ran = machine.paneward("--json", *words)
    assert (ran.code, ran.document["error_type"]) == (4, "server_not_running")


# --- events


def test_a_page_of_events_can_be_filtered_and_has_no_gaps(server: Up) -> None:
    server.agent("tester")
    server.machine.paneward("send", "tester", "say hello")
    server.until("COMPLETE")
    every = server.events("--after", str(server.since))
    assert [one["seq"] for one in every] == [server.since + number for number in range(1, len(every) + 1)]
    assert {one["kind"] for one in server.events("--types", "state_changed")} == {"state_changed"}
    behind = server.events("--after", str(every[2]["seq"]))
    assert behind[0]["seq"] == every[2]["seq"] + 1
    newest = server.machine.answer("events", "-n", "2")["events"]
    assert [one["seq"] for one in newest] == [one["seq"] for one in server.events()][-2:]
    assert "→ COMPLETE" in server.machine.paneward("events").out


def test_following_misses_nothing_and_repeats_nothing_through_restarts(machine: Machine) -> None:
    seen: list[int] = []
    with up(machine) as server:
        server.agent("tester")
        with lines_of(machine, "events", "--follow", "--after", "0") as events:
            seen += [next(events)["seq"] for _ in range(2)]
            server.end()
            for _ in range(2):
                with up(machine) as again:
                    assert machine.paneward("send", "tester", "say hello").code == 0
                    again.until("COMPLETE")
                    last = again.events()[-1]["seq"]
                    while seen[-1] < last:
                        seen.append(next(events)["seq"])
    assert seen == list(range(1, len(seen) + 1))


def test_watching_shows_each_change_of_an_agent(server: Up) -> None:
    server.agent("tester")
    with lines_of(server.machine, "ps", "--watch") as documents:
        assert [agent["stage"] for agent in next(documents)["agents"]] == ["IDLE"]
        server.machine.paneward("send", "tester", "permit rm")
        assert any(one["agents"][0]["stage"] == "AWAITING_INPUT" for one in documents)


@pytest.mark.parametrize("words", [("events", "--follow"), ("ps", "--watch")])
def test_ctrl_c_ends_what_goes_on_without_a_word(server: Up, words: tuple[str, ...]) -> None:
    command = [*HEEDS, str(PANEWARD), "--json", *words]
    with subprocess.Popen(command, env=server.machine.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert (process.returncode, errors.decode()) == (130, "")


def test_a_person_sees_the_agents_as_a_table_that_is_drawn_anew(server: Up) -> None:
    server.agent("tester")
    master, slave = pty.openpty()
    command = [*HEEDS, str(PANEWARD), "ps", "--watch"]
    with subprocess.Popen(command, env=server.machine.env, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        seen = b""
        while b"tester" not in seen:
            seen += os.read(master, 65536)
        assert server.machine.paneward("send", "tester", "permit rm").code == 0
        while b"AWAITING_INPUT" not in seen:
            seen += os.read(master, 65536)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    os.close(master)


# --- around


def test_the_status_line_tells_who_asks_and_who_works(server: Up) -> None:
    server.agent("a")
    server.agent("b")
    server.asking(name="a")
    server.until("IDLE", "b")
    assert server.machine.paneward("status", "--tmux").out == "1 asks · 1 idle\n"
    assert server.machine.answer("status")["states"] == {"AWAITING_INPUT": 1, "IDLE": 1}


def test_the_popup_answers_those_that_ask_one_after_the_other(server: Up, monkeypatch: pytest.MonkeyPatch) -> None:
    server.agent("a")
    server.asking("ask which colour", "a")
    command = [str(PANEWARD), "popup", "--answer"]
    done = subprocess.run(command, env=server.machine.env, input=b"9\n2\n", capture_output=True, check=True)
    assert "1. Red" in done.stdout.decode()
    assert "✗ UNKNOWN_OPTION" in done.stdout.decode()  # it keeps its place after a number that is not there
    assert "✓ confirmed" in done.stdout.decode()
    server.until("COMPLETE", "a")
    assert "You chose Green" in server.machine.paneward("read", "a").out
    again = subprocess.run(command, env=server.machine.env, input=b"", capture_output=True, check=True)
    assert again.stdout.decode() == "nobody asks anything\n"


def test_it_is_shown_wherever_one_answers_for_what_a_permission_is_asked(server: Up) -> None:
    server.agent("a")
    assert server.asking("permit rm -r build", "a")["about"] == "Permission to run a command\n  rm -r build"
    popup = paneward(server.machine, "popup", "--answer")  # nobody types: the question is left alone
    for shown in (popup, server.machine.paneward("menu", "a")):
        assert "  │   rm -r build\nDo you want to proceed?\n" in shown.out
    assert "Do you want to proceed? · Permission to run a command rm -r" in server.machine.paneward("ps").out
    [agent] = server.machine.answer("ps")["agents"]
    assert agent["question"]["about"].endswith("rm -r build")


def test_an_auditor_looks_and_touches_nothing(server: Up, tmp_path: Path) -> None:
    server.agent("tester")
    token = server.machine.answer("token", "--role", "auditor", "--agent", "nightly")["token"]
    (tmp_path / "auditor").write_text(token)
    env = {"PANEWARD_TOKEN_FILE": str(tmp_path / "auditor")}
    assert paneward(server.machine, "ps", **env).code == 0
    refused = paneward(server.machine, "-L", server.machine.socket, "--json", "send", "tester", "x", **env)
    assert (refused.code, refused.document["error_type"]) == (1, "forbidden")
    ended = paneward(server.machine, "--json", "down", **env)
    assert ended.document["error_type"] == "forbidden"
    assert server.machine.paneward("status").code == 0
    assert server.machine.paneward("token", "--revoke", token).code == 0
    assert paneward(server.machine, "--json", "ps", **env).document["error_type"] == "unauthorized"


def test_export_prints_everything_one_object_per_line(server: Up) -> None:
    server.agent("tester")
    server.machine.paneward("send", "tester", "say exported")
    server.until("COMPLETE")
    lines = [json.loads(line) for line in server.machine.paneward("export").out.splitlines()]
    assert {"agents", "turns", "deliveries", "events", "commands"} <= {line["table"] for line in lines}
    assert "say exported" in json.dumps(lines)


def test_an_agent_that_ends_is_lost_and_says_why(server: Up) -> None:
    pane = server.agent("tester")
    server.machine.tmux("kill-pane", "-t", pane)
    assert reached(lambda: "lost" in server.machine.paneward("ps").out)
    assert "tester" in server.machine.paneward("ps").out
    ran = server.machine.paneward("--json", "send", "tester", "x")
    assert ran.code == 4


def test_names_of_agents_are_completed(server: Up) -> None:
    server.agent("tester")
    env = {"_PANEWARD_COMPLETE": "complete_bash", "COMP_WORDS": "paneward respond te", "COMP_CWORD": "2"}
    assert paneward(server.machine, **env).out.split() == ["tester"]
