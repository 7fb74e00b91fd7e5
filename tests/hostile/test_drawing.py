"""What the hostile programs draw, seen by tmux: rows wrap where a terminal's do, and the cursor is where one types."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.driver import HERE
from tests.hostile.pane import Pane, private_pane


@pytest.fixture
def pane(tmp_path: Path) -> Iterator[Pane]:
    with private_pane(tmp_path) as running:
        yield running


def start(pane: Pane, program: str, *options: str, columns: int = 80, rows: int = 24) -> None:
    pane.start(str(HERE / f"{program}.py"), *options, columns=columns, rows=rows)


@pytest.mark.parametrize(
    ("text", "rows", "place"),
    [
        ("hello", ["> hello"], (7, 0)),
        ("a" * 17, ["> " + "a" * 17], (19, 0)),
        ("a" * 18, ["> " + "a" * 17, "  a"], (3, 1)),
        ("漢字" * 5, ["> " + "漢字" * 4, "  漢字"], (6, 1)),
        ("e\u0301" * 3 + "x", ["> " + "e\u0301" * 3 + "x"], (6, 0)),
        ("👨‍👩‍👧 ok", ["> 👨‍👩‍👧 ok"], (7, 0)),
        ("👨‍👩‍👧" * 9, ["> " + "👨‍👩‍👧" * 8, "  👨‍👩‍👧"], (4, 1)),
        ("a\tb", ["> a    b"], (8, 0)),
        ("one\n\ntwo", ["> one", "", "  two"], (5, 2)),
    ],
)
def test_text_wraps_in_twenty_columns_with_the_cursor_behind_it(
    text: str, rows: list[str], place: tuple[int, int], pane: Pane
) -> None:
    start(pane, "plain_box", columns=20)
    pane.paste(text)
    pane.wait_screen(lambda screen: screen.rstrip().split("\n") == rows)
    pane.wait(lambda: pane.cursor() == place)


def test_a_text_higher_than_the_screen_shows_its_end(pane: Pane) -> None:
    start(pane, "plain_box", columns=20, rows=10)
    pane.paste("\n".join(f"line {number}" for number in range(50)))
    screen = pane.wait_screen(lambda screen: "line 49" in screen)
    assert [line.strip() for line in screen.rstrip().split("\n")] == [f"line {number}" for number in range(41, 50)]


def test_the_transcript_scrolls_into_the_history(pane: Pane) -> None:
    start(pane, "plain_box", rows=6)
    for number in range(20):
        pane.tmux("send-keys", "-l", f"message {number}\r")
    pane.wait_screen(lambda screen: "you: message 19" in screen)
    history = pane.tmux("capture-pane", "-p", "-S", "-").split("\n")
    assert [line for line in history if line.startswith("you:")] == [f"you: message {n}" for n in range(20)]


def test_what_is_only_typed_never_reaches_the_history(pane: Pane) -> None:
    start(pane, "plain_box", rows=6)
    for number in range(20):
        pane.tmux("send-keys", "-l", f"{number} ")
    pane.wait_screen(lambda screen: "18 19" in screen)
    pane.tmux("send-keys", "C-u")
    pane.wait_screen(lambda screen: screen.strip() == ">")
    assert pane.tmux("display-message", "-p", "#{history_size}").strip() == "0"


def test_a_hidden_cursor_is_drawn_as_a_cell(pane: Pane) -> None:
    start(pane, "plain_box", "--no-cursor")
    pane.tmux("send-keys", "-l", "hello")
    pane.wait(lambda: "> hello\x1b[7m " in pane.tmux("capture-pane", "-p", "-e", "-N"))
    assert pane.tmux("display-message", "-p", "#{cursor_flag}").strip() == "0"


def test_ghost_text_is_dim_and_behind_the_cursor(pane: Pane) -> None:
    start(pane, "ghost")
    pane.tmux("send-keys", "-l", "fix it")
    pane.wait(lambda: "> fix it\x1b[2m and run the tests again" in pane.tmux("capture-pane", "-p", "-e"))
    pane.wait(lambda: pane.cursor() == (8, 0))


def test_the_right_side_ends_at_the_edge(pane: Pane) -> None:
    start(pane, "right_prompt", columns=40)
    screen = pane.wait_screen(lambda screen: "main" in screen)
    assert screen.split("\n")[0] == "❯" + " " * 29 + "on main ✓"
    assert pane.cursor() == (2, 0)


def test_the_full_screen_program_keeps_its_box_at_the_bottom(pane: Pane) -> None:
    start(pane, "alt_clock", rows=8)
    pane.tmux("send-keys", "-l", "one\rtwo")
    screen = pane.wait_screen(lambda screen: "> two" in screen)
    lines = screen.removesuffix("\n").split("\n")
    assert (lines[0].split()[:2], lines[1], lines[-1]) == (["all", "systems"], "you: one", "> two")
    pane.wait(lambda: pane.cursor() == (5, 7))
    assert pane.tmux("display-message", "-p", "#{alternate_on}").strip() == "1"


def test_a_resized_box_is_drawn_anew(pane: Pane) -> None:
    start(pane, "plain_box", columns=40)
    pane.tmux("send-keys", "-l", "said\r" + "b" * 30)
    pane.wait_screen(lambda screen: "b" * 30 in screen)
    pane.tmux("resize-window", "-x", "20", "-y", "10")
    pane.wait_screen(lambda screen: screen.rstrip().split("\n") == ["you: said", "> " + "b" * 17, "  " + "b" * 13])
    pane.wait(lambda: pane.cursor() == (15, 2))


def test_a_menu_is_drawn_with_its_highlight(pane: Pane) -> None:
    start(pane, "menu", "--permission")
    pane.tmux("send-keys", "Down")
    screen = pane.wait_screen(lambda screen: "❯ 2." in screen)
    assert [line.strip() for line in screen.split("\n")][2:6] == [
        "1. Yes",
        "❯ 2. Yes, and don't ask again for rm",
        "3. No",
        "4. Type something else",
    ]


def test_a_long_spinner_line_and_a_long_label_are_folded_in_twenty_columns(pane: Pane) -> None:
    start(pane, "menu", "--permission", columns=20)
    pane.tmux("send-keys", "Down")
    screen = pane.wait_screen(lambda screen: "❯ 2." in screen)
    assert "❯ 2. Yes, and don't\n   ask again for rm\n" in screen
    pane.tmux("send-keys", "1")
    pane.wait_screen(lambda screen: screen.rstrip().split("\n") == ["chose: Yes", ">"])
