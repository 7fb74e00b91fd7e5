"""The demo agent in a real terminal: what it shows, what it takes, what it logs."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paneward.demo.keys import Key, Keyboard
from tests.hostile.pane import Pane, private_pane

AGENT = ("-m", "paneward.demo.agent")
Start = Callable[..., Pane]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with private_pane(tmp_path) as pane:

        def begin(*options: str, columns: int = 80, rows: int = 24) -> Pane:
            pane.start(*AGENT, *options, columns=columns, rows=rows)
            return pane

        yield begin


def submit(pane: Pane, text: str) -> None:
    """Type, see it in the box, send."""
    pane.type(text)
    pane.wait_screen(lambda screen: text in screen)
    pane.press("Enter")


def wait_state(pane: Pane, *states: str) -> None:
    """Until the agent went through these states, in this order, since it started."""
    pane.wait(lambda: [line["state"] for line in pane.named("state")] == list(states))


def texts(pane: Pane, event: str = "submit", count: int = 1) -> list[object]:
    return [line["text"] for line in pane.wait_event(event, count)]


@pytest.mark.parametrize("columns", [20, 40, 80, 120])
def test_it_starts_with_an_empty_box_between_two_rules(columns: int, start: Start) -> None:
    pane = start(columns=columns)
    lines = pane.wait_screen(lambda screen: "help" in screen).rstrip().split("\n")
    rule = "─" * (columns - 1)
    top = lines.index(rule)
    assert lines[top + 1].startswith("❯\u00a0Try")
    assert lines[top + 2] == rule
    assert lines[top + 3].startswith("  help")
    assert all(len(line) < columns for line in lines)
    assert pane.cursor() == (2, top + 1)


def test_the_suggestion_is_dim_and_typing_replaces_it(start: Start) -> None:
    pane = start()
    assert '❯\u00a0\x1b[2mTry "fix the tests"' in pane.tmux("capture-pane", "-p", "-e")
    pane.type("x")
    pane.wait_screen(lambda screen: "❯\u00a0x\n" in screen)


def test_enter_on_the_suggestion_does_nothing(start: Start) -> None:
    pane = start()
    before = pane.tmux("capture-pane", "-p")
    pane.press("Enter")
    pane.wait_event("empty_enter")
    assert pane.named("submit") == []
    assert pane.tmux("capture-pane", "-p") == before


def test_a_message_is_worked_on_and_answered_with_a_marker(start: Start) -> None:
    pane = start("--busy", "0.3")
    submit(pane, "fix the tests")
    pane.wait_screen(lambda screen: "--<[paneward:completed:fix the tests]>--" in screen)
    assert texts(pane) == ["fix the tests"]
    wait_state(pane, "busy", "idle")
    assert "● Done: fix the tests" in pane.tmux("capture-pane", "-p")


@pytest.mark.parametrize("columns", [20, 80])
def test_busy_is_seen_above_the_box_and_in_the_title(columns: int, start: Start) -> None:
    pane = start("--name", "tester", columns=columns)
    pane.wait(lambda: pane.ask("pane_title") == "✳ tester")
    submit(pane, "work 3600")
    screen = pane.wait_screen(lambda screen: "esc to interrupt" in screen)
    assert re.search(r"[✢✳✶✻✽] Working… \(\d+s", screen)
    assert screen.index("esc to interrupt") < screen.rindex("❯\u00a0")
    pane.wait(lambda: pane.ask("pane_title") in ("⠂ tester", "⠐ tester"))


def test_escape_interrupts_the_work(start: Start) -> None:
    pane = start()
    submit(pane, "work 3600")
    pane.wait_screen(lambda screen: "esc to interrupt" in screen)
    pane.press("Escape")
    pane.wait_screen(lambda screen: "● Interrupted." in screen and "esc to interrupt" not in screen)
    wait_state(pane, "busy", "idle")
    pane.wait(lambda: pane.ask("pane_title") == "✳ demo")


def test_what_is_entered_while_busy_waits_its_turn(start: Start) -> None:
    pane = start("--busy", "0.2")
    submit(pane, "work 3600")
    pane.wait_screen(lambda screen: "esc to interrupt" in screen)
    submit(pane, "say later")
    screen = pane.wait_screen(lambda screen: "queued: say later" in screen)
    assert "❯\u00a0say later" not in screen
    assert texts(pane, "queued") == ["say later"]
    pane.press("Escape")
    assert texts(pane, count=2) == ["work 3600", "say later"]
    pane.wait_screen(lambda screen: "● later" in screen)


def test_an_idle_agent_writes_nothing(start: Start) -> None:
    pane = start("--busy", "0.1")
    submit(pane, "hello")
    pane.wait_screen(lambda screen: "completed:hello" in screen)
    out = pane.log.parent / "output"
    pane.tmux("pipe-pane", f"cat > {out}")
    pane.wait(out.exists)
    for presses in (1, 2):  # a key that means nothing
        pane.press("F5")
        pane.wait_event("key", presses)
    pane.type("z")
    pane.wait(lambda: b"z" in out.read_bytes())
    assert out.read_bytes().count(b"\x1b[?25l") == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x" * 801, "[Pasted text #1 +0 lines]"),
        ("1\n2\n3\n4", "[Pasted text #1 +3 lines]"),
        ("1\n2\n3", "1\n  2\n  3\n"),
        ("Grüße\t漢字 👨‍👩‍👧", "Grüße    漢字 👨‍👩‍👧"),
    ],
)
def test_a_paste_is_taken_whole_and_a_long_one_collapsed(text: str, shown: str, start: Start) -> None:
    pane = start()
    pane.paste(text)
    pane.wait_screen(lambda screen: f"❯\u00a0{shown}" in screen)
    pane.press("Enter")
    assert texts(pane) == [text]


def test_two_collapsed_pastes_are_numbered_and_one_backspace_takes_one_out(start: Start) -> None:
    pane = start()
    pane.paste("a\n" * 5)
    pane.paste("b\n" * 5)
    pane.wait_screen(lambda screen: "[Pasted text #1 +5 lines][Pasted text #2 +5 lines]" in screen)
    pane.press("BSpace")
    pane.wait_screen(lambda screen: "#1 +5 lines]\n" in screen)
    pane.press("Enter")
    assert texts(pane) == ["a\n" * 5]


def test_a_permission_digit_acts_at_once(start: Start) -> None:
    pane = start("--busy", "0.2")
    submit(pane, "permit make deploy")
    screen = pane.wait_screen(lambda screen: "3. No, and say why" in screen)
    assert " ❯ 1. Yes\n   2. Yes, and don't ask again\n   3. No, and say why\n" in screen
    assert "❯\u00a0" not in screen
    assert "--<[paneward:needs_input:make deploy]>--" in screen
    pane.press("2")
    pane.wait_screen(lambda screen: "● Ran make deploy" in screen)
    assert pane.named("answer")[0]["labels"] == ["Yes, and don't ask again"]
    wait_state(pane, "busy", "permission", "busy", "idle")


def test_a_refusal_can_say_why(start: Start) -> None:
    pane = start("--busy", "0.2")
    submit(pane, "permit make deploy")
    pane.wait_screen(lambda screen: "3. No, and say why" in screen)
    pane.press("3")
    pane.wait_screen(lambda screen: "❯ 3." in screen)
    pane.type("not on 1 Friday")
    pane.wait_screen(lambda screen: "❯ 3. not on 1 Friday" in screen)
    pane.press("Enter")
    pane.wait_screen(lambda screen: "● Not run: not on 1 Friday" in screen)


def test_text_at_a_permission_menu_changes_nothing(start: Start) -> None:
    pane = start()
    submit(pane, "permit make deploy")
    pane.wait_screen(lambda screen: "❯ 1. Yes" in screen)
    pane.type("please stop")
    assert pane.wait_event("key")[0]["text"] == "please stop"
    assert "❯ 1. Yes" in pane.tmux("capture-pane", "-p")
    assert pane.named("answer") == []


@pytest.mark.parametrize(("keys", "label"), [(["Enter"], "Red"), (["Down", "Down", "Enter"], "Blue"), (["2"], "Green")])
def test_a_question_is_answered_by_arrows_or_digit(keys: list[str], label: str, start: Start) -> None:
    pane = start("--busy", "0.2")
    submit(pane, "ask which one?")
    pane.wait_screen(lambda screen: " which one?\n ❯ 1. Red\n" in screen)
    pane.press(*keys)
    pane.wait_screen(lambda screen: f"● You chose {label}" in screen)
    assert pane.named("answer")[0]["labels"] == [label]


def test_a_question_takes_free_text_in_place(start: Start) -> None:
    pane = start("--busy", "0.2")
    submit(pane, "ask which one?")
    pane.wait_screen(lambda screen: "4. Type something." in screen)
    pane.press("4")
    pane.wait_screen(lambda screen: "❯ 4. Type something." in screen)
    pane.press("Enter")  # an empty answer is none
    pane.paste("2 of\nthem")
    pane.wait_screen(lambda screen: "❯ 4. 2 of\n      them" in screen)
    pane.press("Enter")
    pane.wait_screen(lambda screen: "● You chose 2 of\n  them" in screen)
    assert [line["text"] for line in pane.named("answer")] == ["2 of\nthem"]


def test_several_answers_are_ticked_and_sent_together(start: Start) -> None:
    pane = start("--busy", "0.2")
    submit(pane, "multi")
    pane.wait_screen(lambda screen: "❯ 1. [ ] Unit tests" in screen)
    pane.press("Enter")  # with nothing ticked
    pane.press("1", "Down", "Space", "4", "4")
    pane.wait_screen(lambda screen: "1. [✔]" in screen and "2. [✔]" in screen and "❯ 4. [ ]" in screen)
    pane.press("Enter")
    pane.wait_screen(lambda screen: "● You chose Unit tests, Types" in screen)
    assert [line["numbers"] for line in pane.named("answer")] == [[1, 2]]


def test_escape_cancels_a_question(start: Start) -> None:
    pane = start()
    submit(pane, "ask")
    pane.wait_screen(lambda screen: "❯ 1. Red" in screen)
    pane.press("Escape")
    pane.wait_screen(lambda screen: "● Cancelled." in screen and "❯\u00a0" in screen)
    assert pane.named("answer")[0]["numbers"] == []


def test_control_c_clears_the_box_and_twice_on_an_empty_one_leaves(start: Start) -> None:
    pane = start()
    pane.type("never mind")
    pane.wait_screen(lambda screen: "never mind" in screen)
    pane.press("C-c")
    pane.wait_screen(lambda screen: "never mind" not in screen)
    pane.press("C-c")
    pane.wait_screen(lambda screen: "press ctrl-c again to leave" in screen)
    pane.press("C-c")
    assert pane.wait_event("exit")[0]["status"] == 0
    assert pane.named("submit") == []


@pytest.mark.parametrize(("word", "status"), [("exit", 0), ("crash", 1)])
def test_it_leaves_when_told_and_takes_its_box_away(word: str, status: int, start: Start) -> None:
    pane = start()
    submit(pane, word)
    assert pane.wait_event("exit")[0]["status"] == status
    pane.wait(lambda: pane.ask("pane_dead") == "1")
    assert "─" not in pane.tmux("capture-pane", "-p")


def test_it_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    script = "import subprocess, sys; subprocess.run([sys.executable, *sys.argv[1:]]); subprocess.run(['stty', '-a'])"
    with private_pane(tmp_path) as pane:
        pane.start("-c", f"{script}; input()", *AGENT)
        submit(pane, "exit")
        screen = pane.wait_screen(lambda screen: "echo" in screen)
        assert " icanon" in screen
        assert " echo " in screen
        assert pane.ask("cursor_flag") == "1"


def test_what_was_said_scrolls_into_the_history_and_the_box_never_does(start: Start) -> None:
    pane = start("--busy", "0", rows=10)
    for number in range(8):
        submit(pane, f"message {number}")
        pane.wait_event("submit", number + 1)
    pane.wait_screen(lambda screen: "completed:message 7" in screen)
    lines = pane.history()
    assert [line for line in lines if line.startswith("❯ ")] == [f"❯ message {number}" for number in range(8)]
    assert sum(line.startswith("❯\u00a0") for line in lines) == 1
    assert sum("paneward:completed" in line for line in lines) == 8


def test_a_resize_draws_everything_anew(start: Start) -> None:
    pane = start("--busy", "0", columns=60)
    submit(pane, "hello")
    pane.wait_screen(lambda screen: "completed:hello" in screen)
    pane.type("a draft of " + "more words " * 4)
    pane.tmux("resize-window", "-x", "40", "-y", "20")
    screen = pane.wait_screen(lambda screen: "─" * 39 + "\n" in screen and "─" * 40 not in screen)
    assert "● Done: hello" in screen
    assert screen.count("❯\u00a0") == 1
    pane.press("Enter")
    assert texts(pane, count=2)[1] == "a draft of " + "more words " * 4


def test_a_signal_can_be_called_up(start: Start) -> None:
    pane = start("--busy", "0")
    submit(pane, "signal needs_testing try the [new] button")
    pane.wait_screen(lambda screen: "--<[paneward:needs_testing:try the [new] button]>--" in screen)


def test_a_text_higher_than_the_screen_keeps_its_box_and_its_end_in_view(start: Start) -> None:
    pane = start(rows=10)
    pane.type("w" * 700)
    screen = pane.wait_screen(lambda screen: "enter sends" in screen and "w" * 77 in screen)
    assert screen.count("─" * 79) == 2
    assert pane.ask("history_size") == "0" or "─" not in "".join(pane.history()[: int(pane.ask("history_size"))])
    pane.press("Enter")
    assert texts(pane) == ["w" * 700]


def test_without_a_terminal_it_says_what_it_needs() -> None:
    done = subprocess.run(
        [sys.executable, *AGENT], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr


def test_keys_are_the_same_however_the_bytes_are_cut() -> None:
    stream = "aé\x1b[A\x1b[200~p\r\nq\x1b[201~\x1bOB漢\r\x03".encode()
    whole = Keyboard().feed(stream)
    for cut in range(len(stream)):
        board = Keyboard()
        assert joined(board.feed(stream[:cut]) + board.feed(stream[cut:])) == joined(whole)


def joined(keys: list[Key]) -> list[tuple[str, str]]:
    """Text that came in pieces is the same text."""
    found: list[tuple[str, str]] = []
    for key in keys:
        if found and found[-1][0] == key.name == "text":
            found[-1] = ("text", found[-1][1] + key.text)
        else:
            found.append((key.name, key.text))
    return found


def test_an_escape_that_nothing_follows_is_a_key() -> None:
    board = Keyboard()
    assert board.feed(b"\x1b") == []
    assert board.escape_pending
    assert board.flush() == [Key("Escape")]
    assert board.feed(b"\x1b\r") == [Key("Newline", "\x1b\r")]
