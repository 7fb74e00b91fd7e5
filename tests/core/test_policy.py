import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.policy import BURST, KNOWN, Allowance


def test_a_burst_is_allowed_and_then_the_rate() -> None:
    allowance = Allowance(10.0)
    assert [allowance.take("a", 0.0) for _ in range(20)] == [0.0] * 20
    assert allowance.take("a", 0.0) == pytest.approx(0.1)
    assert allowance.take("a", 0.1) == 0.0
    assert allowance.take("a", 0.1) > 0


def test_each_name_has_its_own() -> None:
    allowance = Allowance(1.0)
    while not allowance.take("a", 0.0):
        pass
    assert allowance.take("b", 0.0) == 0.0


def test_who_was_refused_is_told_when_to_come_again() -> None:
    allowance = Allowance(0.5)
    assert allowance.take("a", 0.0) == 0.0
    wait = allowance.take("a", 0.0)
    assert allowance.take("a", wait) == 0.0


def test_names_are_not_kept_without_bound() -> None:
    allowance = Allowance(1.0)
    for number in range(3 * KNOWN):
        allowance.take(str(number), float(number))
    assert len(allowance._left) == KNOWN


@given(st.lists(st.floats(0, 0.2), min_size=1, max_size=200))
def test_never_more_than_the_rate_and_one_burst(pauses: list[float]) -> None:
    allowance, now, taken = Allowance(10.0), 0.0, 0
    for pause in pauses:
        now += pause
        taken += allowance.take("a", now) == 0
    assert taken <= 10.0 * BURST + 10.0 * now + 1
