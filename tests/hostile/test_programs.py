"""Each hostile program does what it is there for: driven through a pseudo-terminal, judged by its log."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.hostile.driver import Session, running
from tests.hostile.texts import CANONICAL, TEXTS, expected

BOXES = (
    "plain_box",
    "early_enter_swallowed",
    "early_enter_newline",
    "transcript_echo",
    "paste_placeholder",
    "paste_editor",
    "alt_clock",
    "right_prompt",
)


def enter_late(session: Session) -> None:
    session.let_pass(0.2)
    session.type("\r")


@pytest.mark.parametrize("program", BOXES)
def test_a_paste_and_a_late_enter_arrive_exactly(program: str, tmp_path: Path) -> None:
    with running(program, tmp_path) as session:
        session.paste("Grüße 👨‍👩‍👧\tand\n\nmore \\")
        enter_late(session)
        assert session.submitted() == ["Grüße 👨‍👩‍👧\tand\n\nmore \\"]
        assert session.named("key") == session.named("empty_enter") == []


@pytest.mark.parametrize("program", BOXES)
def test_an_enter_on_an_empty_box_is_told(program: str, tmp_path: Path) -> None:
    with running(program, tmp_path) as session:
        session.type("\r")
        session.wait_event("empty_enter")
        assert session.named("submit") == []


@pytest.mark.parametrize("program", BOXES)
def test_control_c_ends_it_with_the_terminal_restored(program: str, tmp_path: Path) -> None:
    with running(program, tmp_path) as session:
        session.type("\x03")
        assert session.wait_gone() == 0
        session.wait_event("exit")
        session.wait_drawn("\x1b[?2004l")


def test_a_terminated_program_says_so(tmp_path: Path) -> None:
    with running("plain_box", tmp_path) as session:
        session.process.send_signal(signal.SIGTERM)
        session.wait_gone()
        session.wait_event("exit")


@pytest.mark.parametrize("name", TEXTS)
def test_the_plain_box_takes_every_text_as_a_paste(name: str, tmp_path: Path) -> None:
    with running("plain_box", tmp_path) as session:
        session.paste(expected(TEXTS[name]))
        session.type("\r")
        assert session.submitted() == [expected(TEXTS[name])]


@pytest.mark.parametrize("name", sorted(CANONICAL))
def test_the_canonical_reader_takes_every_text_that_fits(name: str, tmp_path: Path) -> None:
    with running("canonical", tmp_path) as session:
        session.type(expected(TEXTS[name]) + "\n")
        assert session.submitted() == [expected(TEXTS[name])]


def test_a_paste_survives_any_cut(tmp_path: Path) -> None:
    with running("plain_box", tmp_path) as session:
        for byte in "\x1b[200~é🚀\n漢\x1b[201~".encode():
            session.type(bytes([byte]))
            session.collect(0.005)
        session.type("\r")
        assert session.submitted() == ["é🚀\n漢"]


def test_an_embedded_end_of_paste_breaks_out_and_submits(tmp_path: Path) -> None:
    with running("plain_box", tmp_path) as session:
        session.paste("harmless\x1b[201~\rrm\r")
        assert session.submitted(2) == ["harmless", "rm"]


def test_a_carriage_return_inside_a_paste_is_kept_so_that_it_shows(tmp_path: Path) -> None:
    with running("plain_box", tmp_path) as session:
        session.paste("a\rb")
        session.type("\r")
        assert session.submitted() == ["a\rb"]


def test_what_was_submitted_stands_in_the_transcript(tmp_path: Path) -> None:
    with running("plain_box", tmp_path) as session:
        session.type("hello\r")
        session.wait_drawn("you: hello")


def test_editing_keys_edit(tmp_path: Path) -> None:
    with running("plain_box", tmp_path) as session:
        session.type("abx\x7fd\x1b[Dc\x01>\x05<")
        session.type("\r")
        assert session.submitted() == [">abcd<"]


def test_a_resize_is_survived(tmp_path: Path) -> None:
    with running("plain_box", tmp_path) as session:
        session.type("before ")
        session.wait_drawn("before")
        session.resize(30, 10)
        session.wait_drawn("\x1b[H")
        session.type("after\r")
        assert session.submitted() == ["before after"]


def test_the_echo_can_come_late(tmp_path: Path) -> None:
    with running("plain_box", tmp_path, "--delay-ms", "2000") as session:
        session.type("slow\r")
        session.submitted()
        assert "slow" not in session.drawn
        session.wait_drawn("slow")


def test_an_early_enter_is_swallowed_and_a_late_one_counts(tmp_path: Path) -> None:
    with running("early_enter_swallowed", tmp_path) as session:
        session.type("hello\r")
        session.wait_event("swallowed")
        enter_late(session)
        assert session.submitted() == ["hello"]


def test_an_early_enter_becomes_a_newline(tmp_path: Path) -> None:
    with running("early_enter_newline", tmp_path) as session:
        session.type("hello\r")
        session.wait_event("newline")
        enter_late(session)
        assert session.submitted() == ["hello\n"]


def test_enter_takes_the_ghost_text_and_does_not_submit(tmp_path: Path) -> None:
    with running("ghost", tmp_path) as session:
        session.type("fix it")
        session.wait_drawn("\x1b[2m and run")
        session.type("\r")
        session.wait_event("key")
        session.type("\r")
        assert session.submitted() == ["fix it and run the tests again"]


def test_escape_dismisses_the_ghost_text(tmp_path: Path) -> None:
    with running("ghost", tmp_path) as session:
        session.type("fix it\x1b")
        assert session.wait_event("key")[0]["dismissed"]
        session.type("\r")
        assert session.submitted() == ["fix it"]


def test_escape_and_enter_close_together_are_a_newline(tmp_path: Path) -> None:
    with running("ghost", tmp_path) as session:
        session.type("fix it\x1b\r")
        session.wait_drawn("> fix it\r\n\x1b[2K  ")
        session.type("\r")
        assert session.submitted() == ["fix it\n"]


def test_escape_waits_for_its_enter(tmp_path: Path) -> None:
    with running("ghost", tmp_path, "--meta-ms", "60000") as session:
        session.type("fix it\x1b")
        session.let_pass(0.3)
        session.type("\r")
        session.wait_drawn("> fix it\r\n\x1b[2K  ")
        assert session.named("key") == []


def test_the_transcript_repeats_the_text_behind_the_same_prompt(tmp_path: Path) -> None:
    with running("transcript_echo", tmp_path) as session:
        session.type("hello\r")
        session.wait_drawn("> hello\r\n\x1b[2K> ")


@pytest.mark.parametrize(("text", "label"), [("x" * 201, "+0 lines"), ("a\nb\nc", "+2 lines")])
def test_a_long_paste_is_shown_as_a_placeholder_and_sent_whole(text: str, label: str, tmp_path: Path) -> None:
    with running("paste_placeholder", tmp_path) as session:
        session.type("see ")
        session.paste(text)
        session.wait_drawn(f"> see [Pasted text #1 {label}]")
        session.type(" ok\r")
        assert session.submitted() == [f"see {text} ok"]


def test_a_short_paste_is_shown_as_it_is(tmp_path: Path) -> None:
    with running("paste_placeholder", tmp_path) as session:
        session.paste("x" * 199)
        session.wait_drawn("xxx")
        session.type("\r")
        session.submitted()
        assert "Pasted" not in session.drawn


@pytest.mark.parametrize("visible", [True, False])
def test_what_is_typed_while_loading_is_lost(visible: bool, tmp_path: Path) -> None:
    options = ["--drop-visible"] if visible else []
    with running("slow_start", tmp_path, *options, ready=False) as session:
        session.wait_drawn("Loading...")
        assert ("> " in session.drawn) is visible
        session.type("lost\r")
        session.wait_event("ready")
        session.type("kept\r")
        assert session.submitted() == ["kept"]
        assert session.named("dropped")


def test_what_is_typed_while_busy_is_ignored(tmp_path: Path) -> None:
    with running("busy_ignores", tmp_path, ready=False) as session:
        session.wait_drawn("Working (")
        assert "> " in session.drawn
        session.type("lost\r")
        session.wait_event("ready")
        session.type("kept\r")
        assert session.submitted() == ["kept"]
        session.type("lost too")
        session.wait_event("idle")
        assert session.submitted() == ["kept"]


def test_escape_interrupts_the_work(tmp_path: Path) -> None:
    with running("busy_ignores", tmp_path, "--start-seconds", "3600", ready=False) as session:
        session.wait_drawn("esc to interrupt")
        session.type("\x1b")
        assert session.wait_event("key")[0]["interrupted"]
        session.wait_event("ready")


def test_what_is_entered_while_busy_is_queued_and_executed(tmp_path: Path) -> None:
    with running("busy_queues", tmp_path, ready=False) as session:
        session.wait_drawn("Working (")
        session.type("one\r")
        session.wait_event("queued")
        session.wait_drawn("queued: one")
        session.type("two\r")
        assert session.submitted(2) == ["one", "two"]
        session.wait_event("ready")
        session.type("three\r")
        assert session.submitted(3)[2] == "three"


def test_type_ahead_is_unseen_and_executed(tmp_path: Path) -> None:
    with running("busy_queues", tmp_path, "--type-ahead", "--work-seconds", "0.3", ready=False) as session:
        session.wait_drawn("Working (")
        session.type("one\rtwo\r")
        assert session.submitted(2) == ["one", "two"]


def test_the_paste_editor_splits_what_is_typed(tmp_path: Path) -> None:
    with running("paste_editor", tmp_path) as session:
        session.type("one\ttab\ntwo\r")
        assert session.submitted(2) == ["onetab", "two"]
        assert session.wait_event("key")[0]["key"] == "Tab"


def test_the_clock_runs_on_the_alternate_screen(tmp_path: Path) -> None:
    with running("alt_clock", tmp_path) as session:
        session.wait_drawn("\x1b[?1049h")
        session.wait(lambda: session.drawn.count("all systems") > 5)
        session.type("hello\r")
        session.wait_drawn("you: hello")


def test_yes_or_no_is_asked_and_answered(tmp_path: Path) -> None:
    with running("yes_no", tmp_path) as session:
        session.wait_drawn("Continue? [y/N] ")
        session.type("y\n")
        assert session.submitted() == ["y"]
        assert session.wait_gone() == 0


def test_yes_or_no_can_ask_again_and_an_empty_line_is_told(tmp_path: Path) -> None:
    with running("yes_no", tmp_path, "--loop") as session:
        session.type("\n")
        session.wait_event("empty_enter")
        session.type("no\n\x04")
        assert session.submitted() == ["no"]
        session.wait_gone()


@pytest.mark.parametrize("kind", ["read", "getch", "echo"])
def test_a_key_is_taken_without_enter(tmp_path: Path, kind: str) -> None:
    with running("one_key", tmp_path, "--kind", kind) as session:
        session.type("y")
        session.wait_drawn("backups")
        session.type("\n")
        assert session.submitted(2) == ["y", "\n"]


def test_a_line_editor_wants_enter(tmp_path: Path) -> None:
    with running("one_key", tmp_path, "--kind", "line") as session:
        session.type("yes\r")
        assert session.submitted() == ["yes"]


def test_a_password_is_not_echoed(tmp_path: Path) -> None:
    with running("password", tmp_path) as session:
        session.wait_drawn("Password: ")
        session.type("s3cret pass\n")
        assert session.submitted() == ["s3cret pass"]
        session.wait_drawn("Welcome")
        assert "s3cret" not in session.drawn


@pytest.mark.parametrize("right", ["branch", "clock"])
def test_the_right_side_stands_at_the_edge_until_text_needs_the_room(right: str, tmp_path: Path) -> None:
    with running("right_prompt", tmp_path, "--right", right, columns=40) as session:
        mark = "on main" if right == "branch" else ":"
        session.wait_drawn(mark)
        session.type("x" * 37)
        session.wait_drawn("x" * 37)
        last = session.drawn.rpartition("\r\x1b[2K")[2]
        assert mark not in last
        session.type("\r")
        assert session.submitted() == ["x" * 37]


def test_output_pauses_in_mid_line(tmp_path: Path) -> None:
    with running("pause_output", tmp_path, "--seconds", "1.5", ready=False) as session:
        session.wait_drawn("Downloading: 50%")
        assert "done" not in session.drawn
        assert session.events() == []
        session.wait_event("ready")
        session.type("go\r")
        assert session.submitted() == ["go"]
        assert "50% ... 100%, done." in session.drawn


@pytest.mark.parametrize("options", [("--pause", "select"), ("--pause", "epoll", "--raw"), ("--pause", "child")])
def test_what_is_typed_into_a_pause_is_thrown_away(options: tuple[str, ...], tmp_path: Path) -> None:
    with running("pause_output", tmp_path, "--seconds", "1.5", *options, ready=False) as session:
        session.wait_drawn("Downloading: 50%")
        session.type("lost\r")
        session.wait_event("ready")
        session.type("go\r")
        assert session.submitted() == ["go"]
        assert session.named("empty_enter") == []


@pytest.mark.parametrize("how", ["select", "poll", "recv"])
def test_what_is_typed_behind_a_client_that_connects_is_thrown_away(how: str, tmp_path: Path) -> None:
    with running("connecting", tmp_path, "--seconds", "1.5", "--how", how, "--says", "far$ ", ready=False) as session:
        session.wait_drawn("far$ ")
        session.type("lost\r")
        session.wait_event("ready")
        session.type("go\r")
        assert session.submitted() == ["go"]
        assert session.named("empty_enter") == []


def test_a_flood_comes_before_the_prompt(tmp_path: Path) -> None:
    with running("flood", tmp_path) as session:
        session.wait(lambda: len(session.drawn) >= 300_000)
        session.type("go\r")
        assert session.submitted() == ["go"]


@pytest.mark.parametrize("prompt", ["> ", ""])
def test_a_canonical_line_is_cut_by_the_kernel_at_4095_bytes(prompt: str, tmp_path: Path) -> None:
    with running("canonical", tmp_path, "--prompt", prompt) as session:
        session.wait(lambda: session.drawn.startswith(prompt))
        session.type("x" * 5000 + "\n")
        assert session.submitted() == ["x" * 4095]


@pytest.mark.parametrize(("how", "status"), [("exit", 0), ("kill", -9)])
def test_the_dropper_goes_in_the_middle_of_a_paste(how: str, status: int, tmp_path: Path) -> None:
    with running("dropper", tmp_path, "--how", how, "--after-bytes", "50") as session:
        session.type("\x1b[200~" + "x" * 100)
        assert session.wait_gone() == status
        assert session.wait_event("exit")[0]["received"] == 50
        assert session.named("submit") == []


def test_a_draft_stands_in_the_box_and_is_typed_on(tmp_path: Path) -> None:
    with running("draft", tmp_path, "--draft", "half a thou") as session:
        session.wait_drawn("> half a thou")
        session.type("ght\r")
        assert session.submitted() == ["half a thought"]


def test_a_draft_can_go_by_itself(tmp_path: Path) -> None:
    with running("draft", tmp_path, "--gone-after", "0.3") as session:
        session.wait_event("draft_erased")
        session.type("mine\r")
        assert session.submitted() == ["mine"]
