"""The input of a program: found at the cursor or in its frame, and compared without blanks."""

import textwrap
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from paneward.core.profiles import DEMO, GENERIC
from paneward.core.screen.cells import Screen
from paneward.core.screen.composer import ENOUGH, Composer, ends_with, essence, goes_on, read_composer
from paneward.testing import snapshot

RULE = "─" * 40
WORDS = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyzäöüß0123456789.,;-'\"$漢字 "), min_size=1, max_size=300)


def at_cursor(drawing: str, **size: int) -> Composer:
    found = read_composer(Screen.of(snapshot(drawing, **size)), GENERIC)
    assert found is not None
    return found


def framed(drawing: str) -> Composer | None:
    return read_composer(Screen.of(snapshot(drawing)), DEMO)


# --- the essence of a text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a b\tc\nd", "abcd"),
        ("  ", ""),
        ("Cafe\u0301", "Café"),
        ("zero\u200bwidth\u00a0gap", "zerowidthgap"),
        ("❤\ufe0f", "❤"),
        ("ein\u00adfach", "einfach"),
    ],
)
def test_the_essence_has_no_blanks_and_nothing_that_terminals_drop(text: str, kept: str) -> None:
    assert essence(text) == kept


@given(st.text(max_size=80))
def test_the_essence_of_an_essence_is_itself(text: str) -> None:
    once = essence(text)
    assume(unicodedata.is_normalized("NFC", once))  # taking a mark out may make its neighbours join
    assert essence(once) == once


# --- a text that ends at the cursor


def wrapped(text: str, width: int, indent: int) -> tuple[str, ...]:
    """As programs draw it: behind a prompt, cut anywhere, later rows indented."""
    flat = " ".join(text.split())
    return tuple(("> " if not at else " " * indent) + flat[at : at + width] for at in range(0, len(flat), width))


@given(WORDS, st.integers(3, 120), st.integers(0, 4), st.booleans())
def test_a_text_is_found_however_it_is_wrapped(text: str, width: int, indent: int, above: bool) -> None:
    assume(essence(text))
    rows = (("you: what was said before", "") if above else ()) + wrapped(text, width, indent)
    assert ends_with(rows, essence(text))


@given(WORDS, st.integers(20, 120))
def test_a_text_is_found_when_it_is_wrapped_at_words(text: str, width: int) -> None:
    assume(essence(text))
    rows = textwrap.wrap(" ".join(text.split()), width, initial_indent="> ", subsequent_indent="  ")
    assert ends_with(tuple(rows), essence(text))


@given(WORDS, WORDS, st.integers(3, 120))
def test_another_text_is_not_found(text: str, other: str, width: int) -> None:
    wanted, seen = essence(text), essence(other)
    assume(wanted and not f">{seen}".endswith(wanted[-ENOUGH:]))
    assert not ends_with(wrapped(other, width, 2), wanted)


@given(WORDS, st.integers(3, 120), st.sampled_from("abcxyz!"))
def test_a_text_with_more_behind_it_does_not_end_there(text: str, width: int, more: str) -> None:
    wanted = essence(text)
    assume(wanted and not (wanted + more).endswith(wanted[-ENOUGH:]))
    assert not ends_with(wrapped(text + more, width, 2), wanted)


def test_a_long_text_is_known_by_its_end() -> None:
    text = "word " * 200 + "and the very end of it all, which nobody else would have written"
    assert ends_with(("scrolled away", *wrapped(text, 70, 2)[-3:]), essence(text))
    assert not ends_with(("scrolled away", "  written"), essence(text))


def test_blank_rows_are_no_part_of_it() -> None:
    assert ends_with(("> above", "", "  below", ""), "abovebelow")
    assert not ends_with(("", ""), "below")


# --- a text that goes on


@pytest.mark.parametrize(
    ("rows", "goes"),
    [
        (("> fix it and test",), True),
        (("> fix it",), False),
        (("> fix it", "done"), False),
        (("> fix it", ""), False),
        (("> fix it            on main",), False),
        (("$ other",), False),
        (("> fix it and", "  test"), True),
        (("> other", "  thing"), False),
        ((), False),
    ],
)
def test_a_text_goes_on_only_right_behind_its_end(rows: tuple[str, ...], goes: bool) -> None:
    assert goes_on(rows, "> fix it", 80) is goes


def test_a_row_that_is_full_goes_on_below() -> None:
    assert goes_on(("> fix it", "  and test"), "> fix it", 10)
    assert not goes_on(("> fix it", "  and test"), "> fix it", 40)
    assert not goes_on(("> fix it",), "> fix it", 10)
    assert not goes_on(("> fix it",), "", 10)


# --- at the cursor


@pytest.mark.parametrize(
    ("drawing", "text"),
    [
        ("> ‸", ""),
        ("> half a th‸", "half a th"),
        ("> ha‸lf a th", "half a th"),
        ("> ‸half a th", "half a th"),
        ("user@host:~$ ls -l‸", "ls -l"),
        ("no prompt at all‸", ""),
        ("│ > half a th‸      │", "half a th"),
        ("❯ ‸                      12:30", ""),
        ("Continue? [y/N] yes‸", "yes"),
    ],
)
def test_a_draft_is_told_from_its_prompt(drawing: str, text: str) -> None:
    assert at_cursor(drawing).text == text


def test_a_draft_that_was_wrapped_by_the_terminal_is_read_whole() -> None:
    assert at_cursor("> abcdefgh\nijklmnopqr\nst‸", width=10).text == "abcdefghijklmnopqrst"
    assert at_cursor("> abc\nst‸", width=10).text == ""


def test_ghost_text_is_no_draft() -> None:
    found = at_cursor("> ‸\x1b[2mtry this\x1b[0m")
    assert (found.text, found.ghost, found.before) == ("", "try this", "> ")


def test_the_rows_have_no_borders() -> None:
    assert at_cursor("│ > one  │\n│   two‸  │").rows == (" > one  ", "   two")


def test_a_text_or_its_placeholder_is_held() -> None:
    assert at_cursor("> fix it‸").holds("fix it", GENERIC)
    assert at_cursor("> [Pasted text #1 +30 lines]‸").holds("anything", GENERIC)
    assert not at_cursor("> [Pasted text #1] and‸").holds("anything", GENERIC)
    assert not Composer("", "", "", (), 0, 0).has_placeholder(GENERIC)


# --- between rules


def test_a_framed_composer_is_read_without_glyph_and_indent() -> None:
    found = framed(f"said\n{RULE}\n❯\u00a0first\n  second‸\n{RULE}\nhint")
    assert found is not None
    assert (found.text, found.before) == ("first\nsecond", "  second")
    assert [row.rstrip() for row in found.rows] == ["first", "second"]


def test_ghost_text_in_a_frame_is_no_text() -> None:
    found = framed(f'{RULE}\n❯\u00a0‸\x1b[2mTry "fix it"\x1b[0m\n{RULE}')
    assert found is not None
    assert (found.text, found.ghost) == ("", 'Try "fix it"')


@pytest.mark.parametrize(
    "drawing",
    [
        "❯\u00a0‸",
        f"{RULE}\n❯\u00a0‸",
        f"❯\u00a0‸\n{RULE}",
        f"{RULE}\nno glyph‸\n{RULE}",
    ],
)
def test_without_its_rules_and_glyph_there_is_no_framed_composer(drawing: str) -> None:
    assert framed(drawing) is None
