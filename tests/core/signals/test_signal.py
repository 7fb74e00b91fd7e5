from dataclasses import replace

import pytest

from paneward.core.signals.signal import TOGETHER, Channel, Signal, SignalState, joined, same_thing

ASKS = Signal(SignalState.NEEDS_INPUT, "which colour?", Channel.MARKER, 10.0)


def later(
    source: Channel, state: SignalState = SignalState.NEEDS_INPUT, message: str = "", seconds: float = 1.0
) -> Signal:
    return Signal(state, message, source, 10.0 + seconds)


@pytest.mark.parametrize("source", [one for one in Channel if one not in (Channel.MARKER, Channel.BUDGET)])
def test_another_channel_tells_the_same_thing(source: Channel) -> None:
    assert same_thing(ASKS, later(source))
    assert same_thing(later(source), ASKS)
    assert not same_thing(ASKS, later(source, seconds=TOGETHER + 0.1))


def test_a_budget_tells_what_no_agent_says() -> None:
    assert not same_thing(ASKS, later(Channel.BUDGET))
    assert not same_thing(later(Channel.BUDGET), ASKS)


def test_the_same_channel_tells_two_things() -> None:
    assert not same_thing(ASKS, later(Channel.MARKER))


def test_the_text_is_that_of_the_strongest_channel() -> None:
    hook = later(Channel.HOOK, message="by hook")
    assert joined(ASKS, hook).message == "by hook"
    assert joined(hook, ASKS).message == "by hook"
    assert joined(ASKS, later(Channel.SCREEN, message="on the screen")).message == "which colour?"
    assert joined(ASKS, later(Channel.HOOK)).message == "which colour?"


def test_an_agent_that_asked_in_words_and_rests_still_asks() -> None:
    rests = later(Channel.SCREEN, SignalState.COMPLETED)
    assert same_thing(ASKS, rests)
    assert joined(ASKS, rests).state is SignalState.NEEDS_INPUT
    assert joined(rests, ASKS).state is SignalState.NEEDS_INPUT
    assert not same_thing(ASKS, later(Channel.HOOK, SignalState.COMPLETED))  # in words, it says something else


def test_work_is_never_what_something_else_is() -> None:
    works = replace(ASKS, state=SignalState.WORKING)
    assert not same_thing(works, later(Channel.SCREEN))
    assert not same_thing(ASKS, later(Channel.OSC, SignalState.WORKING))


@pytest.mark.parametrize("source", [Channel.OSC, Channel.BELL])
def test_a_notification_takes_the_state_of_what_it_comes_with(source: Channel) -> None:
    calls, done = later(source, message="look here"), later(Channel.SCREEN, SignalState.COMPLETED, "done")
    assert same_thing(calls, done)
    assert joined(calls, done).state is SignalState.COMPLETED
    assert joined(done, calls).state is SignalState.COMPLETED
    assert joined(calls, done).message == ("look here" if source is Channel.OSC else "done")
