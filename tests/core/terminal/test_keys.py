"""Which key names may be pressed, and what is said about the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.errors import Code, InvalidInput
from paneward.core.terminal.keys import MOVING, NAMES, check_keys


def refusal(key: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        check_keys(["Enter", key])
    assert caught.value.code is Code.UNKNOWN_KEY
    assert repr(key) in caught.value.message
    return caught.value


@pytest.mark.parametrize("key", [*NAMES, *(name.lower() for name in NAMES)])
def test_every_named_key_is_known_in_any_case(key: str) -> None:
    check_keys([key])


@pytest.mark.parametrize("key", MOVING)
def test_moving_keys_take_every_modifier(key: str) -> None:
    check_keys([f"C-{key}", f"M-{key}", f"S-{key}", f"C-M-S-{key}"])


@pytest.mark.parametrize(
    "key", ["C-c", "c-c", "^c", "^C", "^[", "C-Space", "M-Enter", "M-x", "C-M-a", "M-é", "C-/", "C-?"]
)
def test_combinations_that_reach_a_program_are_known(key: str) -> None:
    check_keys([key])


@pytest.mark.parametrize("key", ["a", "Z", "1", ";", "-", "^", "#", "é", "日", "🧪", " ", "~"])
def test_one_printable_character_is_a_key(key: str) -> None:
    check_keys([key])


@pytest.mark.parametrize("key", ["S-Enter", "S-Tab", "S-a", "F13", "C-Foo", "None", "Any", "C-", "M-^a", "0x41"])
def test_what_tmux_types_out_as_text_is_refused(key: str) -> None:
    refusal(key)


@pytest.mark.parametrize("key", ["C-Enter", "C-Tab", "C-1", "C-:", "C-BSpace", "C-Escape", "C-KP1", "C-BTab", "C-é"])
def test_what_tmux_swallows_or_strips_of_its_modifier_is_refused(key: str) -> None:
    refusal(key)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("Return", "Enter"),
        ("Entr", "Enter"),
        ("Retrn", "Enter"),
        ("Esc", "Escape"),
        ("Backspace", "BSpace"),
        ("S-Tab", "BTab"),
        ("Shift+Tab", "BTab"),
        ("Ctrl+C", "C-c"),
        ("ctrl-x", "C-x"),
        ("Alt-b", "M-b"),
        ("M-Pageup1", "M-PageUp"),
        ("\n", "Enter"),
        ("\x1b", "Escape"),
    ],
)
def test_a_near_miss_is_told_the_name_it_means(key: str, meant: str) -> None:
    assert meant in refusal(key).hint.removeprefix("Did you mean ").removesuffix("?").split(" or ")


def test_text_is_sent_to_send_text() -> None:
    assert "send_text" in refusal("git status").hint


@pytest.mark.parametrize("key", ["", "C-é", "\x00"])
def test_what_resembles_nothing_is_told_what_keys_look_like(key: str) -> None:
    assert "Enter, Escape, Up" in refusal(key).hint


def test_no_keys_are_fine() -> None:
    check_keys([])


@given(st.text(min_size=2, max_size=12).filter(lambda text: text[1] != "-" and text[0] != "^"))
def test_no_text_of_several_characters_passes_but_a_name(text: str) -> None:
    if text.lower() not in {name.lower() for name in NAMES}:
        assert refusal(text).hint
