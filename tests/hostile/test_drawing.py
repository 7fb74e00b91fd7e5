"""What the hostile programs draw, seen by tmux: rows wrap where a terminal's do, and the cursor is where one types."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hostile.driver import HERE, PATIENCE

Run = Callable[..., str]


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Run]:
    """Commands to a private tmux server, which ends with the test."""
    server = ["tmux", "-L", f"hostile-{os.getpid()}-{time.monotonic_ns()}", "-f", "/dev/null"]
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}

    def run(*command: str) -> str:
        done = subprocess.run([*server, *command], env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    yield run
    subprocess.run([*server, "kill-server"], env=environment, capture_output=True, check=False)


def start(tmux: Run, tmp_path: Path, program: str, *options: str, columns: int = 80, rows: int = 24) -> None:
    command = [sys.executable, str(HERE / f"{program}.py"), "--log", str(tmp_path / "log"), *options]
    tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), *command)
    wait(lambda: (tmp_path / "log").exists() and "ready" in (tmp_path / "log").read_text())


def wait(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def wait_screen(tmux: Run, condition: Callable[[str], bool]) -> str:
    """The first screen that satisfies `condition`."""
    until = time.monotonic() + PATIENCE
    while not condition(screen := tmux("capture-pane", "-p")):
        assert time.monotonic() < until, screen
        time.sleep(0.01)
    return screen


def paste(tmux: Run, text: str) -> None:
    tmux("set-buffer", "--", text)
    tmux("paste-buffer", "-p", "-r", "-d")


def cursor(tmux: Run) -> tuple[int, int]:
    column, row = tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split()
    return int(column), int(row)


@pytest.mark.parametrize(
    ("text", "rows", "place"),
    [
        ("hello", ["> hello"], (7, 0)),
        ("a" * 17, ["> " + "a" * 17], (19, 0)),
        ("a" * 18, ["> " + "a" * 17, "  a"], (3, 1)),
        ("漢字" * 5, ["> " + "漢字" * 4, "  漢字"], (6, 1)),
        ("e\u0301" * 3 + "x", ["> " + "e\u0301" * 3 + "x"], (6, 0)),
        ("👨‍👩‍👧 ok", ["> 👨‍👩‍👧 ok"], (7, 0)),
        ("a\tb", ["> a    b"], (8, 0)),
        ("one\n\ntwo", ["> one", "", "  two"], (5, 2)),
    ],
)
def test_text_wraps_in_twenty_columns_with_the_cursor_behind_it(
    text: str, rows: list[str], place: tuple[int, int], tmux: Run, tmp_path: Path
) -> None:
    start(tmux, tmp_path, "plain_box", columns=20)
    paste(tmux, text)
    wait_screen(tmux, lambda screen: screen.rstrip().split("\n") == rows)
    wait(lambda: cursor(tmux) == place)


def test_a_text_higher_than_the_screen_shows_its_end(tmux: Run, tmp_path: Path) -> None:
    start(tmux, tmp_path, "plain_box", columns=20, rows=10)
    paste(tmux, "\n".join(f"line {number}" for number in range(50)))
    screen = wait_screen(tmux, lambda screen: "line 49" in screen)
    assert [line.strip() for line in screen.rstrip().split("\n")] == [f"line {number}" for number in range(41, 50)]


def test_the_transcript_scrolls_into_the_history(tmux: Run, tmp_path: Path) -> None:
    start(tmux, tmp_path, "plain_box", rows=6)
    for number in range(20):
        tmux("send-keys", "-l", f"message {number}\r")
    wait_screen(tmux, lambda screen: "you: message 19" in screen)
    history = tmux("capture-pane", "-p", "-S", "-").split("\n")
    assert [line for line in history if line.startswith("you:")] == [f"you: message {n}" for n in range(20)]


def test_what_is_only_typed_never_reaches_the_history(tmux: Run, tmp_path: Path) -> None:
    start(tmux, tmp_path, "plain_box", rows=6)
    for number in range(20):
        tmux("send-keys", "-l", f"{number} ")
    wait_screen(tmux, lambda screen: "18 19" in screen)
    tmux("send-keys", "C-u")
    wait_screen(tmux, lambda screen: screen.strip() == ">")
    assert tmux("display-message", "-p", "#{history_size}").strip() == "0"


def test_a_hidden_cursor_is_drawn_as_a_cell(tmux: Run, tmp_path: Path) -> None:
    start(tmux, tmp_path, "plain_box", "--no-cursor")
    tmux("send-keys", "-l", "hello")
    wait(lambda: "> hello\x1b[7m " in tmux("capture-pane", "-p", "-e", "-N"))
    assert tmux("display-message", "-p", "#{cursor_flag}").strip() == "0"


def test_ghost_text_is_dim_and_behind_the_cursor(tmux: Run, tmp_path: Path) -> None:
    start(tmux, tmp_path, "ghost")
    tmux("send-keys", "-l", "fix it")
    wait(lambda: "> fix it\x1b[2m and run the tests again" in tmux("capture-pane", "-p", "-e"))
    wait(lambda: cursor(tmux) == (8, 0))


def test_the_right_side_ends_at_the_edge(tmux: Run, tmp_path: Path) -> None:
    start(tmux, tmp_path, "right_prompt", columns=40)
    screen = wait_screen(tmux, lambda screen: "main" in screen)
    assert screen.split("\n")[0] == "❯" + " " * 29 + "on main ✓"
    assert cursor(tmux) == (2, 0)


def test_the_full_screen_program_keeps_its_box_at_the_bottom(tmux: Run, tmp_path: Path) -> None:
    start(tmux, tmp_path, "alt_clock", rows=8)
    tmux("send-keys", "-l", "one\rtwo")
    screen = wait_screen(tmux, lambda screen: "> two" in screen)
    lines = screen.removesuffix("\n").split("\n")
    assert (lines[0].split()[:2], lines[1], lines[-1]) == (["all", "systems"], "you: one", "> two")
    wait(lambda: cursor(tmux) == (5, 7))
    assert tmux("display-message", "-p", "#{alternate_on}").strip() == "1"


def test_a_resized_box_is_drawn_anew(tmux: Run, tmp_path: Path) -> None:
    start(tmux, tmp_path, "plain_box", columns=40)
    tmux("send-keys", "-l", "said\r" + "b" * 30)
    wait_screen(tmux, lambda screen: "b" * 30 in screen)
    tmux("resize-window", "-x", "20", "-y", "10")
    wait_screen(tmux, lambda screen: screen.rstrip().split("\n") == ["you: said", "> " + "b" * 17, "  " + "b" * 13])
    wait(lambda: cursor(tmux) == (15, 2))


def test_a_menu_is_drawn_with_its_highlight(tmux: Run, tmp_path: Path) -> None:
    start(tmux, tmp_path, "menu", "--permission")
    tmux("send-keys", "Down")
    screen = wait_screen(tmux, lambda screen: "❯ 2." in screen)
    assert [line.strip() for line in screen.split("\n")][2:6] == [
        "1. Yes",
        "❯ 2. Yes, and don't ask again for rm",
        "3. No",
        "4. Type something else",
    ]
