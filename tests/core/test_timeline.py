"""How old something is when the clock on the wall jumps."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.timeline import MOST_MOVES, UNWITNESSED, ClockReading, Move, Timeline

DAY = 86400.0
START = ClockReading(1_700_000_000.0, "boot", 1000.0)


def later(last: ClockReading, seconds: float, moved: float = 0.0) -> ClockReading:
    """The same machine, still on."""
    return replace(last, wall=last.wall + seconds + moved, uptime=last.uptime + seconds)


def rebooted(last: ClockReading, seconds: float) -> ClockReading:
    return ClockReading(last.wall + seconds, f"{last.boot}+", 5.0)


def test_without_moves_the_cutoff_is_the_wall_less_the_age() -> None:
    timeline = Timeline(START).observed(later(START, 40 * DAY))
    assert timeline.cutoff(30 * DAY) == START.wall + 10 * DAY
    assert (timeline.lived, timeline.moves) == (40 * DAY, ())


def test_a_clock_set_ahead_makes_nothing_old() -> None:
    now = later(START, 60, moved=40 * DAY)
    timeline = Timeline(START).observed(now)
    assert timeline.cutoff(30 * DAY) == START.wall + 60 - 30 * DAY
    assert timeline.cutoff(DAY) < START.wall


def test_a_clock_set_back_does_not_make_what_is_new_old() -> None:
    timeline = Timeline(START).observed(later(START, 60, moved=-40 * DAY))
    assert timeline.cutoff(30 * DAY) == timeline.last.wall - 30 * DAY
    assert timeline.cutoff(DAY) < timeline.last.wall


def test_ahead_and_back_again_is_as_if_it_had_not_been_for_what_is_older() -> None:
    ahead = later(START, 60, moved=40 * DAY)
    timeline = Timeline(START).observed(ahead).observed(later(ahead, 60, moved=-40 * DAY))
    assert timeline.last.wall == START.wall + 120
    assert timeline.cutoff(30 * DAY) == START.wall + 120 - 30 * DAY


def test_a_move_that_is_older_than_the_age_no_longer_matters() -> None:
    ahead = later(START, 60, moved=40 * DAY)
    timeline = Timeline(START).observed(ahead).observed(later(ahead, 31 * DAY))
    assert timeline.cutoff(30 * DAY) == timeline.last.wall - 30 * DAY
    assert timeline.cutoff(31 * DAY + 1) == timeline.last.wall - 71 * DAY - 1


def test_between_two_boots_the_wall_is_believed_for_a_night() -> None:
    night = Timeline(START).observed(rebooted(START, 8 * 3600.0))
    assert (night.lived, night.moves) == (8 * 3600.0, ())
    month = Timeline(START).observed(rebooted(START, 40 * DAY))
    assert (month.lived, month.moves) == (UNWITNESSED, (Move(UNWITNESSED, 40 * DAY - UNWITNESSED),))
    assert month.cutoff(DAY) < START.wall  # what is kept for a day is kept
    back = Timeline(START).observed(rebooted(START, -DAY))
    assert (back.lived, back.moves) == (0.0, (Move(0.0, -DAY),))


def test_without_a_boot_to_compare_the_wall_is_believed_as_far() -> None:
    bare = ClockReading(0.0)
    assert Timeline(bare).observed(ClockReading(3600.0)).lived == 3600.0
    assert Timeline(bare).observed(ClockReading(DAY)).lived == UNWITNESSED


def test_an_uptime_that_fell_is_another_boot() -> None:
    assert Timeline(START).observed(ClockReading(START.wall + DAY, "boot", 1.0)).lived == UNWITNESSED


def test_small_corrections_add_up_to_a_move() -> None:
    timeline, now = Timeline(START), START
    for _ in range(3):
        now = later(now, 10, moved=25)
        timeline = timeline.observed(now)
    assert timeline.moves == (Move(30, 75),)


def test_what_was_set_back_may_be_older_than_it_looks() -> None:
    stamp = START.wall
    timeline = Timeline(START).observed(later(START, 3600, moved=-3600))
    assert timeline.last.wall - stamp == 0
    assert timeline.at_most(stamp) == 3600
    assert Timeline(START).observed(later(START, 5)).at_most(stamp) == 5
    assert Timeline(START).observed(rebooted(START, 40 * DAY)).at_most(stamp) == 40 * DAY


def test_many_moves_are_put_together() -> None:
    timeline, now = Timeline(START), START
    for _ in range(MOST_MOVES + 50):
        now = later(now, 10, moved=100)
        timeline = timeline.observed(now)
    assert len(timeline.moves) == MOST_MOVES
    assert sum(move.seconds for move in timeline.moves) == pytest.approx((MOST_MOVES + 50) * 100)


@given(
    st.lists(st.tuples(st.floats(0, 5 * DAY), st.floats(-60 * DAY, 60 * DAY)), min_size=1, max_size=12),
    st.floats(1, 40 * DAY),
)
def test_nothing_younger_than_the_age_is_ever_beyond_the_cutoff(steps: list[tuple[float, float]], age: float) -> None:
    timeline, now, true, rows = Timeline(START), START, 0.0, [(0.0, START.wall)]
    for seconds, moved in steps:
        now, true = later(now, seconds, moved), true + seconds
        timeline = timeline.observed(now)
        rows.append((true, now.wall))
    for written, stamp in rows:
        if stamp < timeline.cutoff(age):
            assert true - written >= age - 61 * (len(steps) + 1)
        assert timeline.at_most(stamp) >= true - written - 61
