"""Texts that a program would not take as text: what is typed, what is refused, and what is taken back."""

import re
from dataclasses import replace

import pytest

from paneward.core.delivery.deliver import SWALLOWED_EARLY, UNSEEN_YET, Order, deliver
from paneward.core.delivery.preflight import Draft, Terms, WhenBusy
from paneward.core.errors import Code
from paneward.core.profiles import CLAUDE, GENERIC, Mark, Profile, Where, at_version
from paneward.core.profiles.row import Guard
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.flow import Effect, Keep, Paste, Press, Type
from paneward.core.terminal.scene import Scene
from paneward.testing import LINES, acts, play, scene

RULE = "─" * 40
ENTER, CUT = Press(("Enter",)), Press(("C-c",))
QUICK = replace(at_version(CLAUDE, "2.1.325"), settle=0.0)
NOWHERE = replace(QUICK, guards=(Guard("^/", "command"),))
BARE = replace(QUICK, guards=())
DIALOG = scene(f"{RULE}\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel‸")


def box(text: str, glyph: str = "❯", above: str = "hello", **facts: object) -> Scene:
    return scene(f"{above}\n{RULE}\n{glyph}\u00a0{text}‸\n{RULE}\n", **facts)  # type: ignore[arg-type]


def order(
    text: str, profile: Profile = QUICK, draft: Draft = Draft.HOLD, busy: WhenBusy = WhenBusy.WAIT, **more: object
) -> Order:
    terms = Terms(profile, re.compile(profile.prompt), busy, draft, timeout=5.0, draft_hold=1.0)
    return replace(Order(text, terms), **more)  # type: ignore[arg-type]


def delivered(wanted: Order, *scenes: Scene) -> tuple[list[Effect], SendResult]:
    asked, result = play(deliver(wanted), scenes)
    return acts(asked), result


def test_what_was_added_is_typed_with_the_text_and_said_in_the_receipt() -> None:
    done, result = delivered(order("!ls", notes=("1 line end written as LF",)), box(""), box(" !ls"), box(""))
    assert done == [Paste(" !ls"), ENTER]
    assert result.success
    assert result.notes[0] == "1 line end written as LF"
    assert "a blank before the text" in result.notes[1]


def test_a_text_that_cannot_be_given_as_one_is_refused_before_anything_is_looked_at() -> None:
    asked, result = play(deliver(order("/clear", NOWHERE)), [box("")])
    assert (asked, result.error_type, result.rung) == ([], Code.NOT_TAKEN_AS_TEXT, Rung.NOTHING)
    assert "as_command" in result.hint


def test_as_a_command_it_is_typed_as_it_is() -> None:
    done, result = delivered(order("/clear", NOWHERE, as_command=True), box(""), box("/clear"), box(""))
    assert done == [Paste("/clear"), ENTER]
    assert (result.success, result.notes) == (True, ())


def test_a_command_that_shows_something_in_place_of_the_composer_was_taken() -> None:
    panel = scene("Help\n\n  Esc to close‸")
    done, result = delivered(order("/help", as_command=True), box(""), box("/help"), panel)
    assert done == [Paste("/help"), ENTER]
    assert (result.success, result.evidence) == (True, "the composer made room for what the command shows")
    assert delivered(order("help me"), box(""), box("help me"), panel)[1].verdict is Verdict.UNCONFIRMED


def test_of_a_refusal_nothing_is_said_to_have_been_added() -> None:
    done, result = delivered(order("!ls"), DIALOG)
    assert (done, result.error_type, result.notes) == ([], Code.BLOCKED_BY_DIALOG, ())


def test_a_text_for_a_shell_stands_behind_the_prompt_that_its_first_character_became() -> None:
    scenes = [box(""), box("ls", "!"), box("ls", "!"), box("")]
    done, result = delivered(order("!ls", as_command=True), *scenes)
    assert done == [Paste("!ls"), ENTER]
    assert result.success


def test_a_swallowed_enter_in_a_shell_is_pressed_again() -> None:
    held = [box("ls", "!")] * int(SWALLOWED_EARLY / 0.01)
    done, result = delivered(order("!ls", as_command=True), box(""), *held, box(""))
    assert done[:3] == [Paste("!ls"), ENTER, Press(("CR",))]
    assert result.success


@pytest.mark.parametrize(("text", "shown", "glyph"), [("!ls", "ls", "!"), ("/clear", "/clear", "❯")])
def test_a_text_that_the_composer_took_for_something_else_is_not_submitted_but_taken_out(
    text: str, shown: str, glyph: str
) -> None:
    done, result = delivered(order(text, BARE), box(""), box(shown, glyph), box(shown, glyph), box(""))
    assert done == [Paste(text), CUT]
    assert (result.verdict, result.error_type) == (Verdict.FAILED, Code.NOT_TAKEN_AS_TEXT)
    assert "taken out again" in result.evidence


@pytest.mark.parametrize("cut", [(), ("C-c",)])
def test_what_cannot_be_taken_out_is_said_to_stand_there(cut: tuple[str, ...]) -> None:
    done, result = delivered(order("!ls", replace(BARE, cut=cut)), box(""), box("ls", "!"))
    assert ENTER not in done
    assert "still stands there" in result.evidence


def test_a_text_that_only_looks_like_a_command_is_submitted() -> None:
    done, result = delivered(order("\n/x", BARE), box(""), box("/x"), box(""))
    assert done == [Paste("\n/x"), ENTER]
    assert result.success


def test_a_program_that_ends_at_a_guarded_text_was_not_asked_to() -> None:
    gone = box("", dead=True, dead_status="0")
    assert delivered(order("exit"), box(""), box("[Pasted text #1 +3 lines]"), gone)[1].verdict is Verdict.UNCONFIRMED
    assert delivered(order("exit", as_command=True), box(""), box("exit"), gone)[1].success


def test_a_composer_that_is_empty_once_may_be_in_mid_paint() -> None:
    done, result = delivered(order("fix it"), box(""), box("fix it"), box(""), box("fix it"), box(""), box(""))
    assert done == [Paste("fix it"), ENTER]
    assert result.evidence == "the composer is empty again"


def test_the_receipt_says_that_the_agent_had_trouble_before() -> None:
    troubled = "  ⎿  Not logged in · Please run /login"
    done, result = delivered(order("fix it"), *(box(text, above=troubled) for text in ("", "fix it", "", "")))
    assert (done, result.success) == ([Paste("fix it"), ENTER], True)
    assert result.notes == ("before this, the agent had said why it cannot work: sign_in",)


def test_the_receipt_names_what_else_proves_it() -> None:
    waiting = scene(f"  \x1b[48;5;237m❯ fix it\x1b[0m\n\n✻ Working… \n{RULE}\n\x1b[38;5;246m❯\x1b[39m\u00a0‸\n{RULE}\n")
    queued = replace(
        waiting,
        snapshot=replace(
            waiting.snapshot, rows=("  ❯ \x1b[48;5;237mfix it\x1b[0m", *waiting.snapshot.rows[1:]), cursor_x=2
        ),
    )
    done, result = delivered(order("fix it"), box(""), box("fix it"), queued)
    assert done == [Paste("fix it"), ENTER]
    assert result.evidence == "the composer is empty again, and the text waits its turn"


def test_a_paste_that_is_drawn_late_is_waited_for() -> None:
    late = [box("", quiet=at / 10) for at in range(int(UNSEEN_YET * 10) - 5)]
    done, result = delivered(order("fix it"), *late, box("fix it"), box(""))
    assert done == [Paste("fix it"), ENTER]
    assert result.success


# --- the draft that is put aside


def test_a_draft_is_given_back_to_an_empty_composer_only() -> None:
    scenes = [box("mine"), box(""), box("fix it"), box(""), box("")]
    done, result = delivered(order("fix it", draft=Draft.STASH), *scenes)
    assert done == [Keep("mine"), CUT, Paste("fix it"), ENTER, Paste("mine"), Keep(None)]
    assert (result.success, result.notes) == (True, ())


@pytest.mark.parametrize("after", [DIALOG, box("", title="ASKS"), box("new words"), scene("what is this?‸")])
def test_what_is_no_empty_composer_does_not_get_the_draft(after: Scene) -> None:
    asks = replace(QUICK, dialog=(Mark(Where.TITLE, "^ASKS"),))
    scenes = [box("mine"), box(""), box("fix it"), box(""), box(""), after]
    done, result = delivered(order("fix it", asks, draft=Draft.STASH), *scenes)
    assert done == [Keep("mine"), CUT, Paste("fix it"), ENTER]
    assert result.success
    assert "paneward-draft-1" in result.notes[0]


@pytest.mark.parametrize(("text", "glyph"), [("[Pasted text #1 +39 lines]", "❯"), ("ls", "!"), ("/cle", "❯")])
def test_a_draft_that_would_not_be_the_same_again_is_never_taken_out(text: str, glyph: str) -> None:
    done, result = delivered(order("fix it", draft=Draft.STASH), box(text, glyph))
    assert (done, result.error_type) == ([], Code.OPERATOR_DRAFT)


def test_what_an_earlier_send_left_there_is_taken_out_and_not_given_back() -> None:
    wanted = order("fix it", draft=Draft.HOLD)
    wanted = replace(wanted, terms=replace(wanted.terms, leftover="left"))
    done, result = delivered(wanted, box("left"), box(""), box("fix it"), box(""), box(""))
    assert done == [Keep("left"), CUT, Paste("fix it"), ENTER]
    assert result.success
    assert "paneward-draft-1" in result.notes[0]


# --- the question that a line answers


@pytest.mark.parametrize(
    "asked", ["Overwrite? [y/N] yes\nDelete ALL? [Y/n] ‸", "Overwrite? [y/N] yes\nOverwrite? [y/N] ‸"]
)
def test_a_line_is_not_submitted_when_another_question_came_up(asked: str) -> None:
    before = scene("Overwrite? [y/N] ‸", LINES)
    done, result = delivered(order("yes", GENERIC), before, scene(asked, LINES, quiet=2.0))
    assert (done, result.error_type) == ([Type("yes")], Code.STALE_DIALOG)


def test_a_secret_that_is_not_shown_is_submitted_behind_its_question() -> None:
    hidden = replace(LINES, echo=False)
    done, _ = delivered(order("hunter2", GENERIC), scene("Password: ‸", hidden), scene("Password: ‸", hidden))
    assert done[:2] == [Type("hunter2"), ENTER]
