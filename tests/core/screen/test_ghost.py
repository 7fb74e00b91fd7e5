import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.screen.cells import Screen
from paneward.core.screen.ghost import faint, ghost_text
from paneward.core.screen.style import Style
from paneward.core.terminal.scene import Snapshot
from tests.core.screen.drawing import shown

RULE = "\x1b[2m" + "─" * 40 + "\x1b[0m"


@pytest.mark.parametrize("style", ["2", "0;2", "90", "38;5;8", "38;5;240", "38;2;110;110;110", "3;2"])
def test_faint_text_at_the_cursor_is_ghost_text(style: str) -> None:
    assert ghost_text(shown(f"> █\x1b[{style}mTry this out\x1b[0m")) == "Try this out"


def test_ghost_text_may_follow_what_was_typed() -> None:
    assert ghost_text(shown("$ git█\x1b[90m status --short\x1b[39m")) == "status --short"


@pytest.mark.parametrize("style", ["", "\x1b[1m", "\x1b[31m", "\x1b[38;5;252m", "\x1b[97m", "\x1b[38;2;200;10;10m"])
def test_ordinary_text_after_the_cursor_was_typed(style: str) -> None:
    assert ghost_text(shown(f"> he█{style}llo\x1b[0m")) == ""


def test_the_cursor_may_be_drawn_on_its_first_letter() -> None:
    assert ghost_text(shown("❯\u00a0\x1b[7mT\x1b[0;2mry this\x1b[0m", visible=False)) == "Try this"
    assert ghost_text(shown("❯\u00a0\x1b[7m漢\x1b[0;2m字\x1b[0m", visible=False)) == "漢字"


def test_the_cursor_may_be_drawn_on_a_blank_before_it() -> None:
    assert ghost_text(shown("> \x1b[7m \x1b[0;2mType here\x1b[0m", visible=False)) == "Type here"


def test_a_letter_under_the_drawn_cursor_alone_is_no_ghost_text() -> None:
    assert ghost_text(shown("> hell\x1b[7mo\x1b[0m", visible=False)) == ""
    assert ghost_text(shown("> hell\x1b[7mo\x1b[0m       \x1b[2mesc clears\x1b[0m", visible=False)) == ""


def test_nobody_knows_where_text_goes_while_the_cursor_is_hidden_and_none_drawn() -> None:
    assert ghost_text(shown("  █\x1b[2m? for shortcuts\x1b[0m", visible=False)) == ""


def test_a_dim_line_at_the_left_edge_is_output_that_will_be_overwritten() -> None:
    assert ghost_text(shown("█\x1b[2mworking...\x1b[0m")) == ""


def test_separators_and_hints_on_other_lines_are_not_ghost_text() -> None:
    assert ghost_text(shown(f"{RULE}\n❯ █\n{RULE}\n  \x1b[2m? for shortcuts\x1b[0m", width=40)) == ""
    assert ghost_text(shown("\x1b[2m│\x1b[0m > █ \x1b[2m│\x1b[0m")) == ""


def test_a_right_hand_prompt_is_not_ghost_text() -> None:
    assert ghost_text(shown("$ █" + " " * 27 + "\x1b[90m~/work main\x1b[0m", width=40)) == ""
    assert ghost_text(shown("$ ls█\x1b[90m -la\x1b[39m" + " " * 21 + "\x1b[90m~/work main\x1b[0m", width=40)) == "-la"


def test_ghost_text_ends_at_the_border_of_its_box_and_at_ordinary_text() -> None:
    assert ghost_text(shown("\x1b[2m│\x1b[0m > █\x1b[2mType here │\x1b[0m")) == "Type here"
    assert ghost_text(shown("> █\x1b[2mtwo words\x1b[0m|end")) == "two words"


def test_text_drawn_like_what_was_typed_is_typed() -> None:
    assert ghost_text(shown("> \x1b[38;5;245mhel█lo world\x1b[0m")) == ""
    assert ghost_text(shown("> \x1b[38;5;245mhel█\x1b[2mlo world\x1b[0m")) == "lo world"


def test_a_grey_prompt_does_not_make_its_placeholder_typed() -> None:
    assert ghost_text(shown("\x1b[2m│ › █Ask anything\x1b[0m")) == "Ask anything"


def test_a_suggestion_that_did_not_fit_goes_on_in_the_next_row() -> None:
    picture = "> █\x1b[2mrename the function\n  everywhere it is used\x1b[0m\n\n\x1b[2m  ? for help\x1b[0m"
    assert ghost_text(shown(picture, width=26)) == "rename the function everywhere it is used"
    assert ghost_text(shown("> █\x1b[2mabcdef\nghi\x1b[0m", width=8)) == "abcdefghi"


def test_a_hint_below_a_short_suggestion_is_not_part_of_it() -> None:
    assert ghost_text(shown("> █\x1b[2mshort\n  esc to cancel\x1b[0m")) == "short"
    assert (
        ghost_text(shown("> █\x1b[2ma long suggestion\x1b[0m\n  ordinary text below", width=20)) == "a long suggestion"
    )
    assert ghost_text(shown("> █\x1b[2mlong words\x1b[0m now\n\x1b[2mbelow\x1b[0m", width=18)) == "long words"


def test_a_wrapped_suggestion_stays_between_its_borders() -> None:
    picture = "│ > █\x1b[2mrename the\x1b[0m  │\n│   \x1b[2mfunction\x1b[0m    │"
    assert ghost_text(shown(picture, width=30)) == "rename the function"


@pytest.mark.parametrize(
    ("style", "is_faint"), [(Style(fg=250), True), (Style(fg=251), False), (Style(fg="#eeeeee"), False)]
)
def test_bright_greys_are_ordinary_text(style: Style, is_faint: bool) -> None:
    assert faint(style) is is_faint


ROW = st.lists(
    st.sampled_from(["\x1b[2m", "\x1b[7m", "\x1b[0m", "\x1b[90m", "a", " ", "漢", "│", "─", "> "]), max_size=20
)


@given(st.lists(ROW.map("".join), max_size=4), st.integers(0, 30), st.integers(0, 5), st.booleans())
def test_no_screen_crashes_it(rows: list[str], x: int, y: int, visible: bool) -> None:
    seen = Screen.of(Snapshot("%1", tuple(rows), 20, 4, x, y, cursor_visible=visible))
    assert "─" not in ghost_text(seen)


def test_a_suggestion_cut_off_to_a_blank_at_the_right_edge_is_still_seen() -> None:
    typed = "x" * 36
    assert ghost_text(shown(f"> {typed}█\x1b[2m ", width=40)) == " "
    assert ghost_text(shown(f"> {typed}█ ", width=40)) == ""
    assert ghost_text(shown("> x█\x1b[2m ", width=40)) == ""
    assert ghost_text(shown(f"> \x1b[2m{typed}█ ", width=40)) == ""
