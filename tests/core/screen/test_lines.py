import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.screen.lines import Line, LineKind, is_rule, lines, typing_at
from tests.core.screen.drawing import shown


def line(row: str, width: int = 40) -> Line:
    return lines(shown(row, width=width, height=1))[0]


@pytest.mark.parametrize(
    "row", ["─────", "╭────╮", "  ╰──╯", "╭─ Title ──╮", "── Title ──", "└", "-----", "│──────│", "╹▀▀▀▀"]
)
def test_a_row_that_only_draws_is_a_rule(row: str) -> None:
    assert line(row).kind is LineKind.RULE


AS_PATTERN = re.compile(r"[│|\s]*(?:[─╭]{2,}(?:.*[─╭]{2,}|[─╭\s]*)|[─╭]|[-=_]{3,})[│|\s]*")  # of cubic time


@given(st.text("─╭│| \u00a0-=_a", max_size=12))
def test_a_rule_is_told_as_by_its_pattern(row: str) -> None:
    assert is_rule(row) is (AS_PATTERN.fullmatch(row) is not None)


@pytest.mark.parametrize("row", ["-", "--", "a ─── b", "- item", "x"])
def test_a_row_that_says_something_is_text(row: str) -> None:
    assert line(row).kind is LineKind.TEXT


@pytest.mark.parametrize(
    ("row", "text", "x", "edge"),
    [
        ("  hello", "hello", 2, 40),
        ("│  hello   │", "hello", 3, 11),
        ("┃ hello", "hello", 2, 40),
        ("| a |", "a", 2, 4),
        ("| a", "| a", 0, 40),
        ("a | b |", "a | b |", 0, 40),
        ("│ 漢字 │", "漢字", 2, 7),
    ],
)
def test_borders_are_no_part_of_the_text(row: str, text: str, x: int, edge: int) -> None:
    read = line(row)
    assert (read.text, read.x, read.edge) == (text, x, edge)


@pytest.mark.parametrize("row", ["", "   ", "│", "│     │", "|"])
def test_a_row_without_words_is_blank(row: str) -> None:
    assert line(row).kind is (LineKind.TEXT if row == "|" else LineKind.BLANK)


def test_the_end_is_counted_in_columns() -> None:
    assert line("│ 漢字 │").end == 6


@pytest.mark.parametrize("row", ["> ", "❯ text", "$ ls", "ada@host:~$ ", "(venv) host# ls", "zsh% ", "› hi"])
def test_a_place_to_type_is_a_prompt(row: str) -> None:
    assert line(row).prompt


@pytest.mark.parametrize("row", ["Esc to cancel", "12% left", "a > b", "cost: 3 $"])
def test_a_status_line_is_no_prompt(row: str) -> None:
    assert not line(row).prompt


def test_hints_name_keys() -> None:
    assert line("Esc to cancel").keys_hint
    assert line("↑/↓ move").keys_hint
    assert not line("Compiling the parser").keys_hint
    assert not line("──────").keys_hint


def test_a_line_is_an_aside_when_all_of_it_is_faint_or_slanted() -> None:
    assert line("\x1b[3mall of it\x1b[0m").aside
    assert line("\x1b[2mone\x1b[0;3m two\x1b[0m").aside
    assert not line("\x1b[3mhalf\x1b[0m of it").aside
    assert not line("").aside


def test_a_line_is_faint_when_all_of_it_is() -> None:
    assert line("\x1b[2mall of it\x1b[0m").faint
    assert not line("\x1b[2mhalf\x1b[0m of it").faint
    assert not line("").faint


def test_text_goes_where_a_cursor_can_be_seen() -> None:
    assert typing_at(shown("a█")) == (1, 0)
    assert typing_at(shown("a\x1b[7m \x1b[0mb", visible=False)) == (1, 0)
    assert typing_at(shown("ab", visible=False)) is None
