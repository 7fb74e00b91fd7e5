"""The verification snippet and the adaptive delay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.delivery.snippet import extract_verification_snippet, typing_delay


def test_long_text_produces_snippet() -> None:
    text = "Please look at the failing test first.\nThen fix the parser so that it accepts blanks.\n\n  \n"
    assert extract_verification_snippet(text) == "Then fix the parser so that it accepts blanks."


def test_long_text_produces_snippet_of_at_most_sixty_characters_from_the_end() -> None:
    text = "start " + "x" * 100 + " the very end"
    snippet = extract_verification_snippet(text)
    assert snippet == text[-60:]


def test_short_text_returns_none() -> None:
    assert extract_verification_snippet("x" * 39) is None
    assert extract_verification_snippet("x" * 40) == "x" * 40


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", " \t\n" * 40])
def test_empty_or_whitespace_only_text(text: str) -> None:
    assert extract_verification_snippet(text) is None


def test_text_with_only_short_lines() -> None:
    assert extract_verification_snippet("one\ntwo\nthree\n" * 5) is None
    assert extract_verification_snippet("a first line that is long enough for anything\n" + "y" * 14) is None
    assert extract_verification_snippet("a first line that is long enough for anything\n" + "y" * 15) == "y" * 15


@given(st.text())
def test_a_snippet_is_always_found_in_its_text_and_within_its_bounds(text: str) -> None:
    snippet = extract_verification_snippet(text)
    if snippet is not None:
        assert snippet in text
        assert 15 <= len(snippet) <= 60
        assert len(text) >= 40


@pytest.mark.parametrize(
    ("length", "seconds"), [(0, 0.12), (200, 0.12), (209, 0.12), (210, 0.121), (1000, 0.2), (20_000, 2.1)]
)
def test_the_delay_grows_by_a_millisecond_for_every_ten_characters_beyond_two_hundred(
    length: int, seconds: float
) -> None:
    assert typing_delay(length) == pytest.approx(seconds)


def test_the_base_of_the_delay_can_be_set() -> None:
    assert typing_delay(300, base=0.0) == pytest.approx(0.01)
