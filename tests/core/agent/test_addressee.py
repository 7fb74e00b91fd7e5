"""Who words are meant for."""

from dataclasses import replace
from typing import Any

import pytest

from paneward.core.agent.addressee import Addressee, addressee, expected, nobody_else
from paneward.core.agent.program import program_of
from paneward.core.agent.record import Agent
from paneward.core.errors import Code
from paneward.core.profiles import BUILT_IN
from paneward.core.terminal.scene import ProcessFacts
from paneward.testing import scene

BASH = ProcessFacts("bash", "-bash", 5, shell=True)
DEMO = ProcessFacts("python3", "python3 -m paneward.demo.agent", 6, exe="/usr/bin/python3.11")
REPL = ProcessFacts("python3", "python3 -q", 7, exe="/usr/bin/python3.11")
AGENT = Agent("bob", pane="%1", kind="demo", program=program_of(DEMO))
UNKNOWN = Agent("bob", pane="%1", kind="generic", program=program_of(REPL))


def code(who: Addressee, process: ProcessFacts | None, **facts: Any) -> Code | None:
    error = who.mismatch(scene("‸", process, **facts), BUILT_IN)
    return None if error is None else error.code


@pytest.mark.parametrize(
    ("agent", "process", "wrong"),
    [
        (AGENT, DEMO, False),
        (AGENT, replace(DEMO, pid=99), False),  # it was started again
        (AGENT, BASH, True),
        (AGENT, replace(BASH, pid=DEMO.pid, exe="/bin/bash"), True),  # it became a shell
        (AGENT, REPL, True),
        (UNKNOWN, REPL, False),
        (UNKNOWN, replace(REPL, pid=99), False),  # started again by the same command line
        (UNKNOWN, replace(REPL, command="my-agent", argv="my-agent"), False),  # it gave itself a title
        (UNKNOWN, replace(REPL, command="bash", argv="bash", exe="/bin/bash"), True),  # it became a shell
        (UNKNOWN, replace(REPL, pid=99, argv="python3 other.py"), True),
        (UNKNOWN, BASH, True),
        (replace(UNKNOWN, kind="claude", profile="claude"), REPL, False),  # somebody said what it is
        (replace(UNKNOWN, kind="claude", profile="claude"), BASH, True),
        (replace(UNKNOWN, program=None), REPL, False),  # adopted by an earlier version
        (replace(UNKNOWN, program=None), BASH, True),
        (replace(AGENT, program=None), BASH, True),
        (Agent("sh", kind="shell", program=program_of(BASH)), BASH, False),
        (Agent("sh", kind="shell", program=program_of(BASH)), REPL, False),  # what a shell starts is its work
        (Agent("sh", kind="shell"), REPL, False),
    ],
)
def test_an_agent_is_known_by_its_kind_or_by_its_process(agent: Agent, process: ProcessFacts, wrong: bool) -> None:
    assert code(addressee(agent), process) == (Code.WRONG_PROGRAM if wrong else None)


def test_a_look_without_process_facts_makes_no_agent_a_stranger() -> None:
    assert code(addressee(AGENT), None, command="python3") is None
    assert code(addressee(AGENT), replace(DEMO, argv="")) is None
    assert code(addressee(AGENT), None, command="bash") is Code.WRONG_PROGRAM


def test_where_no_executable_can_be_seen_the_name_tells() -> None:
    far = replace(UNKNOWN, program=program_of(replace(REPL, exe="")))
    assert code(addressee(far), replace(REPL, argv="python3 (working)", exe="")) is None
    assert code(addressee(far), replace(REPL, command="bash", argv="bash", exe="")) is Code.WRONG_PROGRAM


def test_where_processes_cannot_be_seen_tmux_names_the_program() -> None:
    assert code(addressee(AGENT), None, command="bash") is Code.WRONG_PROGRAM
    assert code(Addressee(expect="bash"), None, command="bash") is None


def test_a_pane_of_another_process_is_another_pane() -> None:
    assert code(addressee(replace(AGENT, pane_pid=7)), DEMO, pid=8) is Code.PANE_NOT_FOUND
    assert code(addressee(replace(AGENT, pane_pid=7)), DEMO, pid=7) is None


@pytest.mark.parametrize("name", ["demo", "python3"])
def test_a_program_goes_by_its_name_and_by_that_of_its_profile(name: str) -> None:
    assert code(expected(name), DEMO) is None
    assert code(expected(name), BASH) is Code.WRONG_PROGRAM


def test_a_script_goes_by_its_own_name() -> None:
    assert code(expected("agent.py"), replace(REPL, argv="python3 /opt/agent.py --fast")) is None


def test_nobody_is_the_generic_program() -> None:
    assert code(expected("generic"), REPL) is Code.WRONG_PROGRAM


def test_both_must_hold() -> None:
    assert code(addressee(AGENT, "demo"), DEMO) is None
    assert code(addressee(AGENT, "bash"), DEMO) is Code.WRONG_PROGRAM


def test_a_program_that_ended_is_told_by_others() -> None:
    assert code(addressee(AGENT), BASH, dead=True) is None
    assert code(addressee(AGENT), BASH, gone=True) is None


def test_a_process_that_is_just_ending_is_nobody_yet() -> None:
    assert code(addressee(AGENT), replace(DEMO, argv="")) is None


def test_who_names_nobody_means_whoever_is_there() -> None:
    assert code(expected(None), BASH) is None
    assert expected(addressee(AGENT)) == addressee(AGENT)
    assert nobody_else(scene("‸")) is None


def test_the_hint_says_what_to_do() -> None:
    left = addressee(AGENT).mismatch(scene("‸", BASH), BUILT_IN)
    assert left is not None
    assert left.message == "demo ended or was suspended: bash is in the foreground in its place"
    assert "%1" in left.hint
    other = addressee(replace(UNKNOWN, program=None)).mismatch(
        scene("‸", replace(BASH, command="", argv="x")), BUILT_IN
    )
    assert other is not None
    assert other.message == "its program ended or was suspended: no program is in the foreground in its place"
    known = addressee(UNKNOWN).mismatch(scene("‸", DEMO), BUILT_IN)
    assert known is not None
    assert known.hint.startswith("End python3")
