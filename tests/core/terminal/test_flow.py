"""The effects are data: compared by value, and played by tests as by the driver."""

from dataclasses import FrozenInstanceError

import pytest

from paneward.core.terminal.flow import (
    Effect,
    Flow,
    Keep,
    LeaveMode,
    Look,
    Paste,
    Phase,
    Press,
    Rest,
    SavePhase,
    Type,
    Watch,
)
from paneward.testing import Endless, acts, play, scene


def test_effects_are_equal_by_what_they_ask_for() -> None:
    assert (Type("a"), Press(("Enter",))) == (Type("a"), Press(("Enter",)))
    effects: list[Effect] = [Type("a"), Paste("a")]
    assert effects[0] != effects[1]
    with pytest.raises(FrozenInstanceError):
        Type("a").text = "b"  # type: ignore[misc]


def test_the_process_is_looked_at_unless_it_is_left_out() -> None:
    assert Look().process
    assert Watch(1.0).process
    assert not Watch(1.0, process=False).process


def test_the_phases_are_in_the_order_of_a_delivery() -> None:
    assert list(Phase) == ["intended", "typed", "submitting", "done"]


def test_what_a_flow_did_is_told_without_its_looks() -> None:
    looks: list[Effect] = [Look(), Watch(1.0), Rest(1.0), SavePhase(Phase.TYPED)]
    done: list[Effect] = [Type("a"), Paste("b"), Press(("Enter",)), Keep("c"), LeaveMode()]
    assert acts([*looks, *done]) == done


def test_a_flow_is_sent_the_next_scene_by_a_look_and_the_last_one_by_an_act() -> None:
    def flow() -> Flow[list[str]]:
        first = yield Look()
        act = yield Type("x")
        watched = yield Watch(9.0)
        rested = yield Rest(2.0)
        end = yield Look()
        assert (watched.now, rested.now, end.now) == (0.05, 2.05, 2.05)
        return [seen.snapshot.rows[0] for seen in (first, act, watched, rested, end)]

    asked, rows = play(flow(), [scene("a‸"), scene("b‸"), scene("c‸")])
    assert rows == ["a", "a", "b", "c", "c"]
    assert asked == [Look(), Type("x"), Watch(9.0), Rest(2.0), Look()]


def test_a_flow_that_never_ends_is_an_error() -> None:
    def flow() -> Flow[None]:
        while True:
            yield Look()

    with pytest.raises(Endless):
        play(flow(), [scene("a‸")], limit=10)
