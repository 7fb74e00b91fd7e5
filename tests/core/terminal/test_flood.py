"""When a pane is held back, and when it is followed again."""

from hypothesis import given
from hypothesis import strategies as st

from paneward.core.terminal.flood import LASTS, LEVEL, RATE, TRIAL, Flood, Flow

TICK = 0.01  # seconds between two pieces


def poured(flood: Flood, rate: float, begin: float, seconds: float) -> float | None:
    """When it is to be held back, if something prints at that rate for so long."""
    for tick in range(round(seconds / TICK)):
        now = begin + tick * TICK
        if flood.feed(round(rate * TICK), now):
            return now
    return None


def held(now: float = 0.0) -> Flood:
    flood = Flood()
    assert poured(flood, 10 * RATE, now, 2 * LASTS)
    assert flood.flow is Flow.HELD
    return flood


def test_what_lasts_longer_than_a_second_is_a_flood() -> None:
    at = poured(Flood(), 1.2 * RATE, 5.0, 3.0)
    assert at is not None
    assert abs(at - 5.0 - LASTS) < 2 * TICK


def test_a_shorter_one_is_none_however_much_it_is() -> None:
    flood = Flood()
    assert poured(flood, 50 * RATE, 0.0, LASTS) is None
    assert not flood.feed(1, 2.0)
    assert poured(flood, 50 * RATE, 2.0, LASTS) is None


def test_what_prints_slowly_for_ever_is_none() -> None:
    assert poured(Flood(), 0.9 * RATE, 0.0, 60.0) is None


def test_one_great_piece_and_a_little_ever_after_is_none() -> None:
    flood = Flood()
    assert not flood.feed(10**9, 0.0)
    assert poured(flood, 0.5 * RATE, 0.1, 10.0) is None


def test_a_moment_in_which_nobody_reads_does_not_end_a_flood() -> None:
    flood = Flood()
    assert poured(flood, 10 * RATE, 0.0, 0.6) is None
    assert poured(flood, 10 * RATE, 0.6 + 0.8 * LEVEL / RATE, 0.6) is not None


def test_what_was_on_its_way_when_it_was_held_back_counts_for_nothing() -> None:
    flood = held()
    assert not flood.feed(10**9, 2.0)
    flood.begin_trial()
    assert not flood.feed(1, 2.1)


def test_a_trial_ends_as_soon_as_too_much_came() -> None:
    flood = held()
    flood.begin_trial()
    assert not flood.feed(round(RATE * TRIAL), 2.0)
    assert flood.feed(1, 2.0)
    assert flood.flow is Flow.HELD
    assert not flood.end_trial()  # what was asked for before


def test_a_trial_in_which_little_comes_shows_that_it_is_calm() -> None:
    flood = held()
    flood.begin_trial()
    assert not flood.feed(1000, 2.0)
    assert flood.end_trial()
    assert flood.flow is Flow.FOLLOWED
    assert poured(flood, 10 * RATE, 2.1, LASTS) is None  # it has its second again
    assert flood.feed(round(RATE), 2.1 + LASTS)


def test_each_trial_counts_for_itself() -> None:
    flood = held()
    for _ in range(5):
        flood.begin_trial()
        assert flood.feed(round(RATE), 3.0)


PIECES = st.lists(st.tuples(st.integers(0, 300_000), st.floats(0, 0.5)), max_size=40)


@given(PIECES)
def test_chunking_never_changes_what_is_held_back(pieces: list[tuple[int, float]]) -> None:
    whole, split, now = Flood(), Flood(), 0.0
    for size, pause in pieces:
        now += pause
        once = whole.feed(size, now)
        parts = [split.feed(part, now) for part in (size // 3, size - size // 3)]
        assert any(parts) == once
        assert whole.flow is split.flow


@given(PIECES)
def test_what_never_exceeds_the_rate_is_never_held_back(pieces: list[tuple[int, float]]) -> None:
    flood, now = Flood(), 0.0
    for size, pause in pieces:
        assert not flood.feed(size, now)
        now += size / RATE + pause + 1e-6
