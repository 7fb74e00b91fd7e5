"""Hosts: when one is tried again, what a name and an option may be."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.agent.record import CUT_OFF, DISCONNECTED, Agent, Stage, cut_off, shown
from paneward.core.errors import Code, InvalidInput
from paneward.core.hosts.host import (
    FIRST,
    LONGEST,
    STEADY,
    TRANSITIONS,
    HostFact,
    HostRecord,
    HostState,
    Reach,
    check_host,
    named_host,
    pause,
)

CHANCES = st.floats(0, 1)


def test_pauses_double_up_to_the_longest() -> None:
    assert [pause(tries, 60.0, 0.0) for tries in range(1, 10)] == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
    assert pause(0, 60.0, 0.0) == FIRST
    assert pause(10_000, 60.0, 0.0) == 60.0


@given(st.integers(0, 5000), st.floats(0.1, 86_400), CHANCES)
def test_chance_takes_at_most_half_of_a_pause_away(tries: int, longest: float, chance: float) -> None:
    whole = pause(tries, longest, 0.0)
    assert 0 < whole / 2 <= pause(tries, longest, chance) <= whole <= longest or longest < FIRST
    assert pause(tries, longest, chance) <= longest


def test_a_host_is_tried_at_once_and_not_while_it_is_connected() -> None:
    reach = Reach()
    assert (reach.state, reach.deadline()) == (HostState.CONNECTING, 0.0)
    reach.answered(5.0)
    assert (reach.state, reach.deadline()) == (HostState.CONNECTED, None)


def test_a_host_that_stays_away_is_tried_ever_more_rarely() -> None:
    reach, dues = Reach(longest=4.0), []
    for _ in range(5):
        reach.failed(100.0, chance=0.0)
        dues.append(reach.deadline())
    assert dues == [100.5, 101.0, 102.0, 104.0, 104.0]
    assert (reach.state, reach.tries) == (HostState.DISCONNECTED, 5)


@pytest.mark.parametrize(("lasted", "tries"), [(STEADY, 1), (STEADY - 1, 4)])
def test_only_a_connection_that_lasted_makes_the_pauses_short_again(lasted: float, tries: int) -> None:
    reach = Reach()
    for _ in range(3):
        reach.failed(0.0, 0.0)
    reach.answered(10.0)
    reach.failed(10.0 + lasted, 0.0)
    assert reach.tries == tries


def test_what_needs_a_human_is_not_tried_until_one_asks() -> None:
    reach = Reach()
    reach.failed(1.0, 0.0, needs_login=True)
    assert (reach.state, reach.deadline()) == (HostState.NEEDS_LOGIN, None)
    reach.asked(7.0)
    assert (reach.state, reach.deadline(), reach.tries) == (HostState.CONNECTING, 7.0, 0)


def test_asking_for_a_host_that_is_connected_changes_nothing() -> None:
    reach = Reach()
    reach.answered(1.0)
    reach.asked(2.0)
    assert (reach.state, reach.deadline()) == (HostState.CONNECTED, None)


def test_every_fact_leads_somewhere_from_every_state() -> None:
    assert set(TRANSITIONS) == set(HostState)
    assert all(set(row) == set(HostFact) for row in TRANSITIONS.values())


# --- what may be asked for

GOOD = HostRecord("build", "me@build.example", ("Port=2222", "ProxyJump=gate"), "/etc/ssh", "work", "/opt/tmux")


@pytest.mark.parametrize("record", [GOOD, HostRecord("a"), HostRecord("a", ssh="ssh://me@[::1]:22")])
def test_a_host_that_ssh_can_be_asked_for_is_taken_as_it_is(record: HostRecord) -> None:
    assert check_host(record) is record


def test_a_host_is_called_by_its_name_unless_ssh_calls_it_otherwise() -> None:
    assert (HostRecord("a").destination, GOOD.destination) == ("a", "me@build.example")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": ""}, Code.INVALID_NAME),
        ({"name": "-oProxyCommand=x"}, Code.INVALID_NAME),
        ({"name": "Two Words"}, Code.INVALID_NAME),
        ({"name": "a" * 64}, Code.INVALID_NAME),
        ({"ssh": "-oProxyCommand=x"}, Code.BAD_REQUEST),
        ({"ssh": "two words"}, Code.BAD_REQUEST),
        ({"ssh": "new\nline"}, Code.BAD_REQUEST),
        ({"ssh": "a" * (LONGEST + 1)}, Code.BAD_REQUEST),
        ({"options": ("Port 22",)}, Code.BAD_REQUEST),
        ({"options": ("-v",)}, Code.BAD_REQUEST),
        ({"options": ("Port=",)}, Code.BAD_REQUEST),
        ({"options": ("Port=2\n2",)}, Code.BAD_REQUEST),
        ({"options": ("User=me", "batchMODE=no")}, Code.BAD_REQUEST),
        ({"config": "-x"}, Code.BAD_REQUEST),
        ({"socket": "a\tb"}, Code.BAD_REQUEST),
        ({"binary": "a" * (LONGEST + 1)}, Code.BAD_REQUEST),
    ],
)
def test_what_ssh_would_take_for_something_else_is_refused(change: dict[str, object], code: Code) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_host(replace(GOOD, **change))  # type: ignore[arg-type]
    assert refused.value.code is code
    assert refused.value.hint


def test_an_unknown_host_is_told_with_those_that_there_are() -> None:
    assert "build, lab" in named_host("x", ["build", "lab"]).hint
    assert "hosts add" in named_host("x", []).hint
    assert named_host("x", []).code is Code.HOST_NOT_FOUND


# --- agents there


def test_an_agent_whose_host_is_away_shows_so_and_keeps_its_state() -> None:
    agent = Agent("a", host="build", gone=f"{CUT_OFF}no route", stage=Stage.PROCESSING)
    assert cut_off(agent)
    assert shown(agent, 0.0) == DISCONNECTED
    assert agent.stage is Stage.PROCESSING


@pytest.mark.parametrize(("host", "gone"), [("", f"{CUT_OFF}x"), ("build", ""), ("build", "%1 closed")])
def test_other_agents_do_not(host: str, gone: str) -> None:
    assert not cut_off(Agent("a", host=host, gone=gone))
