from dataclasses import replace

import pytest

from paneward.core.agent import nudge
from paneward.core.agent.record import Agent
from paneward.core.signals import Channel, Signal, SignalState

NOW, WALL = 100.0, 5000.0
QUIET = Agent("a")
ASKS = Signal(SignalState.NEEDS_INPUT, "which?", Channel.MARKER, NOW, "1.x.1")
DONE = Signal(SignalState.COMPLETED, "all done", Channel.MARKER, NOW, "1.y.1")


def hear(agent: Agent, *signals: Signal, last: Signal | None = None, now: float = NOW) -> nudge.SignalEffect:
    return nudge.hear(agent, signals, last, now, WALL + now)


def kinds(heard: nudge.SignalEffect) -> list[str]:
    return [event.kind for event in heard.events]


def test_a_signal_sets_the_nudge_and_is_logged_with_it() -> None:
    heard = hear(QUIET, replace(ASKS, at=NOW - 0.25))
    agent = heard.agent
    assert (agent.nudge_state, agent.nudge_summary, agent.nudge_source) == ("needs_input", "which?", "marker")
    assert (agent.nudge_seq, agent.last_signal_at) == (1, WALL + NOW)
    assert kinds(heard) == ["signal_seen", "nudge_raised"]
    seen, raised = (vars_of(event) for event in heard.events)
    assert (seen["lag"], seen["nudge_seq"], raised["nudge_seq"]) == (0.25, 1, 1)


def vars_of(event: object) -> dict[str, object]:
    return {name: getattr(event, name) for name in event.__slots__}  # type: ignore[attr-defined]


def test_the_newest_signal_sets_the_nudge_and_each_counts() -> None:
    heard = hear(QUIET, ASKS, DONE)
    assert (heard.agent.nudge_state, heard.agent.nudge_seq) == ("completed", 2)
    assert kinds(heard) == ["signal_seen", "signal_seen", "nudge_raised"]


def test_work_clears_it_and_counts() -> None:
    asking = hear(QUIET, ASKS)
    heard = hear(asking.agent, replace(ASKS, state=SignalState.WORKING), last=asking.last)
    assert (heard.agent.nudge_state, heard.agent.nudge_summary, heard.agent.nudge_seq) == ("", "", 2)
    assert kinds(heard) == ["signal_seen", "nudge_cleared"]
    assert kinds(hear(QUIET, replace(ASKS, state=SignalState.WORKING))) == ["signal_seen"]


def test_the_same_by_another_channel_changes_the_words_and_not_the_number() -> None:
    seen = hear(QUIET, Signal(SignalState.NEEDS_INPUT, "on the screen", Channel.SCREEN, NOW))
    assert kinds(seen) == ["nudge_raised"]
    better = hear(seen.agent, replace(ASKS, at=NOW + 1), last=seen.last, now=NOW + 1)
    assert (better.agent.nudge_summary, better.agent.nudge_source, better.agent.nudge_seq) == ("which?", "marker", 1)
    assert kinds(better) == ["signal_seen", "nudge_raised"]
    worse = hear(better.agent, Signal(SignalState.NEEDS_INPUT, "x", Channel.SCREEN, NOW + 2), last=better.last)
    assert (worse.agent, worse.events) == (better.agent, ())


def test_what_was_attended_to_is_not_raised_by_its_echo() -> None:
    asking = hear(QUIET, ASKS)
    cleared = nudge.clear(asking.agent, "somebody attends to it")
    echo = hear(cleared.agent, Signal(SignalState.NEEDS_INPUT, "x", Channel.SCREEN, NOW + 1), last=asking.last)
    assert echo.agent.nudge_state == ""
    assert echo.agent.nudge_seq == 2


def test_clearing_nothing_is_nothing() -> None:
    assert nudge.clear(QUIET, "why") == nudge.SignalEffect(QUIET)
    assert kinds(nudge.clear(hear(QUIET, ASKS).agent, "why")) == ["nudge_cleared"]


def test_work_overrules_what_stood_and_not_what_was_said_just_now() -> None:
    asking = hear(QUIET, ASKS)
    assert nudge.works(asking.agent, asking.last, NOW + 0.1).agent == asking.agent
    assert nudge.works(asking.agent, asking.last, NOW + 2).agent.nudge_state == ""
    screen = hear(QUIET, Signal(SignalState.NEEDS_INPUT, "x", Channel.SCREEN, NOW))
    assert nudge.works(screen.agent, screen.last, NOW + 0.1).agent.nudge_state == ""


def test_a_budget_has_a_number_of_its_own_and_changes_nothing_between_the_agents_signals() -> None:
    """What the agent says within the same seconds is one signal, and what the budget says stays."""
    seen = hear(QUIET, Signal(SignalState.COMPLETED, "", Channel.SCREEN, NOW))
    spent = Signal(SignalState.NEEDS_INPUT, "used 2k tokens of a budget of 1k", Channel.BUDGET, NOW)
    crossed = nudge.hear(seen.agent, [spent], seen.last, NOW, WALL)
    assert crossed.agent.nudge_seq == seen.agent.nudge_seq + 1
    assert crossed.last == seen.last
    said = Signal(SignalState.COMPLETED, "all done", Channel.HOOK, NOW + 1)
    after = nudge.hear(crossed.agent, [said], crossed.last, NOW + 1, WALL)
    assert (after.agent.nudge_summary, after.agent.nudge_seq) == (spent.message, crossed.agent.nudge_seq)
    recalled = nudge.recalled(crossed.agent, NOW, WALL)
    assert recalled is not None
    assert hear(crossed.agent, replace(ASKS, at=NOW)).agent.nudge_seq == crossed.agent.nudge_seq + 1


def test_after_a_restart_the_record_tells_the_last_signal() -> None:
    agent = hear(QUIET, ASKS).agent
    last = nudge.recalled(agent, 3.0, WALL + NOW + 2)
    assert last is not None
    assert (last.state, last.message, last.source, last.at) == ("needs_input", "which?", "marker", 1.0)
    assert nudge.recalled(agent, 3.0, WALL + NOW + 60) is None
    assert nudge.recalled(QUIET, 3.0, WALL) is None
    assert nudge.recalled(replace(agent, nudge_source="a word of a later version"), 3.0, WALL + NOW) is not None


@pytest.mark.parametrize("keys", [("Enter",), ("x", "Enter"), ("Tab",), ("BTab",), ("Escape",)])
def test_keys_that_attend(keys: tuple[str, ...]) -> None:
    assert nudge.attends(keys)


@pytest.mark.parametrize("keys", [(), ("x",), ("Up", "Down"), ("C-c",), ("M-Enter",), ("PageUp",)])
def test_keys_that_only_look(keys: tuple[str, ...]) -> None:
    assert not nudge.attends(keys)
