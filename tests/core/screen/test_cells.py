import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.screen import cells
from paneward.core.screen.cells import (
    BLANK,
    Cell,
    Pen,
    Row,
    Screen,
    columns,
    drawn_cursor,
    insertion_point,
    parse_cells,
    plain,
)
from paneward.core.screen.style import PLAIN, Style
from paneward.core.terminal.scene import Snapshot
from tests.core.screen.drawing import shown

DIM, REVERSE = Style(dim=True), Style(reverse=True)


def screen(*rows: str, width: int = 20, height: int = 4, visible: bool = True, x: int = 0, y: int = 0) -> Screen:
    return Screen.of(Snapshot("%1", rows, width, height, x, y, cursor_visible=visible))


def test_there_are_as_many_rows_as_the_pane_is_high() -> None:
    assert screen("a", height=3).lines == ("a", "", "")
    assert [row.text for row in screen("old", "a", "b", height=2).history] == ["old"]
    assert screen("old", "a", "b", height=2).lines == ("a", "b")


def test_history_that_came_with_the_capture_is_kept_apart() -> None:
    seen = Screen.of(Snapshot("%1", ("h1", "h2", "a"), 10, 2, 0, 0, history=2))
    assert [row.text for row in seen.history] == ["h1", "h2"]
    assert seen.lines == ("a", "")
    assert (seen.width, seen.height) == (10, 2)


def test_the_text_of_a_screen_ends_with_its_last_visible_row() -> None:
    assert screen("a", "", "b", height=5).text == "a\n\nb"


def test_rows_outside_the_screen_are_blank() -> None:
    assert screen("a").row(-1).blank
    assert screen("a").row(99).text == ""
    assert screen("a").row(0).text == "a"


def test_styles_run_on_across_line_ends() -> None:
    seen = screen("\x1b[2mdim", "still", "\x1b[0mplain")
    assert [row.styled() for row in seen.rows[:3]] == [{DIM}, {DIM}, {PLAIN}]


def test_line_drawing_runs_on_across_line_ends_and_becomes_box_characters() -> None:
    seen = screen("\x0elqk", "x x", "mqj\x0f q")
    assert seen.lines[:3] == ("┌─┐", "│ │", "└─┘ q")
    assert [cell.char for cell in seen.rows[1].cells[:3]] == ["│", " ", "│"]


def test_a_wide_character_takes_two_columns() -> None:
    row = Row("a漢b", width=6)
    assert [cell.char for cell in row.cells] == ["a", "漢", "", "b", " ", " "]
    assert [cell.width for cell in row.cells] == [1, 2, 0, 1, 1, 1]
    assert row.left(3) == "a漢"
    assert row.right(3) == "b"


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("e\u0301", 1),
        ("漢\u0301", 2),
        ("❤\ufe0f", 1),
        ("👩\u200d👩\u200d👧", 2),
        ("🇩🇪", 2),
        ("👍🏽", 4),
        ("❯\u00a0x", 3),
        ("─│", 2),
    ],
)
def test_columns_are_counted_as_tmux_counts_them(text: str, width: int) -> None:
    assert columns(text) == width
    assert "".join(cell.char for cell in parse_cells(text, Pen())) == text


def test_a_joiner_joins_symbols_and_no_letters() -> None:
    assert columns("👩\u200d⚕") == 2
    assert columns("👩\u200da") == columns("👩\u200d\x1fa") == 3


def test_a_mark_without_a_character_before_it_is_not_shown() -> None:
    assert parse_cells("\u0301", Pen()) == ()


def test_a_tab_reaches_to_the_next_stop() -> None:
    assert Row("ab\tc").text == "ab      c"
    assert Row("漢\tc").text == "漢      c"
    assert Row("漢\tc").cell(8) == Cell("c")


def test_links_and_unknown_sequences_are_skipped() -> None:
    raw = "\x1b]8;;http://x\x1b\\link\x1b]8;;\x07 \x1b[?25h\x1b(Bend\x1bP1;2q\x1b\\\x9b\x07\x1b"
    assert plain(raw) == "link end"
    assert "".join(cell.char for cell in parse_cells(raw, Pen())) == "link end"


def test_trailing_blanks_are_cut_from_the_text_and_not_from_what_is_left_of_a_column() -> None:
    row = Row("ab \x1b[44m  ", width=10)
    assert row.text == "ab"
    assert row.left(4) == "ab  "
    assert row.right(1) == "b"
    assert row.left(-3) == ""
    assert row.right(-3) == "ab"


def test_cells_reach_to_the_width_of_the_pane_and_are_blank_beyond() -> None:
    row = Row("ab", width=5)
    assert len(row.cells) == 5
    assert row.cell(4) == row.cell(77) == row.cell(-1) == BLANK
    assert row.style(77) == PLAIN


def test_the_indent_is_the_column_of_the_first_visible_character() -> None:
    assert Row("   a").indent == 3
    assert Row("   ").indent == 0


def test_a_style_that_tmux_left_behind_when_it_cut_blanks_is_a_blank_in_that_style() -> None:
    assert parse_cells("> \x1b[7m", Pen())[2] == Cell(" ", REVERSE)
    assert len(parse_cells("> \x1b[7m \x1b[0m", Pen())) == 3
    assert len(parse_cells("\x1b[7m> x", Pen())) == 3


def test_a_visible_cursor_is_where_text_goes() -> None:
    seen = screen("ab\x1b[7mc\x1b[0m", x=5, y=2)
    assert drawn_cursor(seen) is None
    assert insertion_point(seen) == (5, 2)


def test_a_drawn_cursor_counts_while_the_real_one_is_hidden() -> None:
    assert insertion_point(screen("", "> ab\x1b[7m", visible=False)) == (4, 1)
    assert insertion_point(screen("", "> \x1b[7mg\x1b[0;2mhost", visible=False)) == (2, 1)
    assert insertion_point(screen("\x1b[7m漢\x1b[0mx", visible=False, y=3)) == (0, 0)


def test_reversed_words_are_no_cursor() -> None:
    seen = screen("\x1b[7mbar\x1b[0m", visible=False, x=1, y=1)
    assert drawn_cursor(seen) is None
    assert insertion_point(seen) == (1, 1)


def test_of_several_reversed_cells_the_one_at_the_hidden_cursor_counts() -> None:
    rows = ("\x1b[7ma\x1b[0m b", "x\x1b[7my\x1b[0mz")
    assert drawn_cursor(screen(*rows, visible=False, x=1, y=1)) == (1, 1)
    assert drawn_cursor(screen(*rows, visible=False, x=9, y=1)) is None


def test_the_cells_kept_for_a_style_stay_few() -> None:
    ink = cells._Ink(PLAIN)
    for number in range(0x4E00, 0x4E00 + 2 * cells.CELLS_KEPT_PER_STYLE):
        assert ink[chr(number)].width == 2
    assert len(ink) <= cells.CELLS_KEPT_PER_STYLE


def test_one_snapshot_is_read_once() -> None:
    assert shown("a") is shown("a")


PIECES = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["\x1b[7m", "\x1b[0m", "\x1b[38;5;246m", "\x0e", "\x0f", "\t", "\x1b", "\x1b]8;;x\x1b\\", "漢", "é", "\u200d"]
    ),
    st.text("\x1b[]0123456789;:mPq\\\x07 ", max_size=8),
)


@given(st.lists(st.lists(PIECES, max_size=8).map("".join), max_size=5), st.integers(0, 30), st.integers(0, 6))
def test_garbage_never_crashes_and_keeps_columns_and_text_together(rows: list[str], width: int, height: int) -> None:
    seen = screen(*rows, width=width, height=height, visible=False)
    insertion_point(seen)
    assert len(seen.rows) == height
    for row in (*seen.history, *seen.rows):
        assert len(row.cells) >= width
        assert sum(cell.width for cell in row.cells) == len(row.cells)
        assert row.left(len(row.cells)) + row.right(len(row.cells)) == row.left(10**6)
        assert not any(char in row.text for char in "\x1b\x0e\x0f\t\n\r")


@given(st.lists(PIECES, max_size=12).map("".join), st.booleans())
def test_the_plain_text_is_the_text_of_the_cells(row: str, drawing: bool) -> None:
    text = "".join(cell.char for cell in parse_cells("." + row, Pen(drawing=drawing))).rstrip(" ")
    assert text == plain("." + row, drawing).rstrip(" ")
