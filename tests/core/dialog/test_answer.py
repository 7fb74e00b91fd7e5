"""Dialogs answered key by key, each seen to have done what it should."""

import re
from dataclasses import replace

import pytest

from paneward.core.delivery.deliver import Order
from paneward.core.delivery.preflight import Terms
from paneward.core.dialog.answer import answer
from paneward.core.dialog.choice import Choice, find_option
from paneward.core.dialog.keys import BLINK, KEYS_PER_STEP, REACTION
from paneward.core.errors import Code, PaneDead
from paneward.core.profiles import BUILT_IN, DEMO, GENERIC, Profile
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.screen.dialogs.menu import read_menu
from paneward.core.terminal.flow import Effect, Phase, Press, SavePhase, Type
from paneward.core.terminal.scene import Scene
from paneward.testing import WORKING, acts, play, scene

QUICK = replace(GENERIC, settle=0.0, floor=False)
LABELS = ("Red", "Green", "Blue, the dark one", "Type something else")
ENTER, DOWN, UP = Press(("Enter",)), Press(("Down",)), Press(("Up",))
IDLE = scene("> ‸")
WORKS = scene("Working on it\n‸")


def order(text: str = "", profile: Profile = QUICK) -> Order:
    return Order(text, Terms(profile, re.compile(profile.prompt), timeout=2.0))


def menu(at: int = 0, labels: tuple[str, ...] = LABELS, question: str = "Which colour?", **facts: object) -> Scene:
    rows = [f"{'❯' if index == at else ' '} {index + 1}. {label}" for index, label in enumerate(labels)]
    return scene("\n".join([question, "", *rows, "", "Enter to choose ‸"]), **facts)  # type: ignore[arg-type]


def ticks(at: int, *ticked: int, submit: bool = False) -> Scene:
    labels = [f"[{'x' if index in ticked else ' '}] {label}" for index, label in enumerate(LABELS[:3])]
    return menu(at, (*labels, *(["Submit"] if submit else [])))


def played(
    choice: Choice, *scenes: Scene, text: str = "", profile: Profile = QUICK, stirs: int = 0
) -> tuple[list[Effect], SendResult]:
    asked, result = play(answer(choice, order(text, profile)), scenes, stirs=stirs)
    return acts(asked), result


def refused(choice: Choice, *scenes: Scene, text: str = "") -> SendResult:
    done, result = played(choice, *scenes, text=text)
    assert (done, result.verdict) == ([], Verdict.FAILED)
    return result


# --- one of the options


def test_the_highlight_is_moved_step_by_step_and_the_dialog_seen_to_close() -> None:
    done, result = played(Choice(select=3), menu(0), menu(1), menu(2), IDLE, IDLE)
    assert done == [DOWN, DOWN, ENTER]
    assert (result.verdict, result.rung, result.enters) == (Verdict.CONFIRMED, Rung.SUBMITTED, 1)


def test_it_goes_up_too() -> None:
    assert played(Choice(select=1), menu(1), menu(0), IDLE)[0] == [UP, ENTER]


def test_the_highlighted_option_needs_only_enter() -> None:
    assert played(Choice(select="red"), menu(0), IDLE)[0] == [ENTER]


def test_a_key_that_was_swallowed_is_pressed_again() -> None:
    done, result = played(Choice(select=2), menu(0), *[menu(0)] * 40, menu(1), IDLE)
    assert done == [DOWN, DOWN, ENTER]
    assert result.success


def test_a_menu_that_does_not_move_is_given_up() -> None:
    done, result = played(Choice(select=2), menu(0))
    assert done == [DOWN] * 3
    assert (result.error_type, bool(result.hint)) == (Code.SEND_FAILED, True)


def test_an_enter_that_was_swallowed_is_pressed_again() -> None:
    done, result = played(Choice(select=1), menu(0), *[menu(0)] * 14, IDLE)
    assert (done, result.enters) == ([ENTER, ENTER], 2)


def test_a_dialog_that_never_closes_is_a_failure() -> None:
    done, result = played(Choice(select=1), menu(0))
    assert done == [ENTER] * 4
    assert (result.error_type, result.rung, result.enters) == (Code.SEND_FAILED, Rung.TYPED, 4)


def test_enter_is_not_pressed_again_while_the_program_works() -> None:
    done, result = played(Choice(select=1), menu(0), *[menu(0, process=WORKING)] * 50, IDLE)
    assert (done, result.success) == ([ENTER], True)


def test_one_look_without_the_dialog_may_be_a_repaint() -> None:
    done, _ = played(Choice(select=1), menu(0), IDLE, *[menu(0)] * 14, IDLE)
    assert done == [ENTER, ENTER]


def test_a_program_that_ends_with_the_answer_has_closed_its_dialog() -> None:
    assert played(Choice(select=1), menu(0), scene("‸", None, dead=True))[1].success


@pytest.mark.parametrize("now", [menu(0, LABELS[:2], "Really?"), IDLE])
def test_a_dialog_that_changes_on_the_way_is_not_answered(now: Scene) -> None:
    done, result = played(Choice(select=3), menu(0), now)
    assert (done, result.error_type) == ([DOWN], Code.STALE_DIALOG)


def test_a_dialog_in_mid_paint_is_waited_for() -> None:
    painting = replace(IDLE, quiet=0.0)
    done, result = played(Choice(select=2), replace(menu(0), quiet=0.0), menu(0), painting, painting, menu(1), IDLE)
    assert (done, result.success) == ([DOWN, ENTER], True)


def test_a_screen_that_never_rests_is_read_as_it_is() -> None:
    assert refused(Choice(select=1), replace(IDLE, quiet=0.0)).error_type is Code.NO_DIALOG


# --- which option


@pytest.mark.parametrize(
    ("wanted", "label"),
    [(1, "Red"), ("green", "Green"), (" GREEN ", "Green"), ("blue, t", LABELS[2]), ("Type", LABELS[3])],
)
def test_an_option_is_found_by_its_number_by_its_label_or_by_how_only_that_begins(
    wanted: int | str, label: str
) -> None:
    seen = read_menu(menu().snapshot)
    assert seen is not None
    assert find_option(seen, wanted).label == label


def test_an_exact_label_goes_before_one_in_another_case_and_that_before_a_beginning() -> None:
    seen = read_menu(menu(labels=("yes", "Yes", "Yes, always", "No")).snapshot)
    assert seen is not None
    assert [find_option(seen, wanted).number for wanted in ("Yes", "yes", "YES, ALWAYS", "n")] == [2, 1, 3, 4]


@pytest.mark.parametrize(("wanted", "why"), [(0, "not one"), (9, "not one"), ("", "not one"), ("ed", "not one")])
def test_an_option_that_is_not_there_is_refused_with_those_that_are(wanted: int | str, why: str) -> None:
    result = refused(Choice(select=wanted), menu())
    assert (result.error_type, why in result.detail, "2. Green" in result.hint) == (Code.UNKNOWN_OPTION, True, True)


def test_a_beginning_that_two_options_share_is_refused_with_both_of_them() -> None:
    result = refused(Choice(select="yes"), menu(labels=("Yes, once", "Yes, always", "No")))
    assert (result.error_type, result.hint) == (Code.UNKNOWN_OPTION, "There are: 1. Yes, once; 2. Yes, always.")


def test_an_answer_that_says_nothing_is_refused() -> None:
    assert refused(Choice(), menu()).error_type is Code.UNKNOWN_OPTION


# --- the dialog that the caller saw


def test_the_fingerprint_of_another_dialog_is_refused() -> None:
    seen = read_menu(menu().snapshot)
    assert seen is not None
    assert played(Choice(select=1, fingerprint=seen.fingerprint), menu(), IDLE)[1].success
    assert (
        refused(Choice(select=1, fingerprint=seen.fingerprint), menu(0, question="Else?")).error_type
        is Code.STALE_DIALOG
    )
    assert refused(Choice(text="x", fingerprint=seen.fingerprint), IDLE, text="x").error_type is Code.STALE_DIALOG


def test_without_a_dialog_only_text_can_be_answered() -> None:
    assert refused(Choice(select=1), IDLE).error_type is Code.NO_DIALOG
    done, result = played(Choice(text="yes"), IDLE, IDLE, scene("> yes‸"), IDLE, text="yes")
    assert (done, result.success) == ([Type("yes"), ENTER], True)
    assert played(Choice(other="yes"), IDLE, IDLE, scene("> yes‸"), IDLE, text="yes")[1].success


def test_a_dialog_that_is_drawn_only_now_is_answered() -> None:
    ask, typed = scene("Your own answer:\n> ‸"), scene("Your own answer:\n> teal‸")
    scenes = (WORKS, *[menu(3)] * 5, ask, ask, ask, typed, IDLE, IDLE)
    done, result = played(Choice(other="teal"), *scenes, text="teal")
    assert (done, result.success) == ([ENTER, Type("teal"), ENTER], True)


@pytest.mark.parametrize(
    ("seen", "code"), [(scene("‸", gone=True), Code.PANE_NOT_FOUND), (scene("‸", dead=True), Code.PANE_DEAD)]
)
def test_a_pane_that_went_away_is_told(seen: Scene, code: Code) -> None:
    assert refused(Choice(select=1), seen).error_type is code
    assert refused(Choice(select=1), replace(menu(), quiet=0.0), seen).error_type is code
    done, result = played(Choice(select=2), menu(0), seen)
    assert (done, result.error_type, bool(result.hint)) == ([DOWN], code, True)


def test_a_failure_of_tmux_is_a_result() -> None:
    flow = answer(Choice(select=1), order())
    next(flow)
    assert flow.send(menu()) == SavePhase(Phase.INTENDED)
    assert flow.send(menu()) == SavePhase(Phase.SUBMITTING)
    assert flow.send(menu()) == ENTER
    with pytest.raises(StopIteration) as done:
        flow.throw(PaneDead("%1 is dead"))
    assert done.value.value.error_type is Code.PANE_DEAD


# --- several


def test_boxes_are_ticked_and_unticked_as_wanted() -> None:
    done, result = played(
        Choice(multi=(1, "blue")), ticks(0, 1), ticks(0, 0, 1), ticks(1, 0, 1), ticks(1, 0), ticks(2, 0),
        ticks(2, 0, 2), IDLE,
    )  # fmt: skip
    space = Press(("Space",))
    assert done == [space, DOWN, space, DOWN, space, ENTER]
    assert result.success


def test_a_submit_row_is_gone_to() -> None:
    done, result = played(
        Choice(multi=(1,)), ticks(0, submit=True), ticks(0, 0, submit=True), ticks(1, 0, submit=True),
        ticks(2, 0, submit=True), ticks(3, 0, submit=True), IDLE,
    )  # fmt: skip
    assert done == [Press(("Space",)), DOWN, DOWN, DOWN, ENTER]
    assert result.success


def test_a_box_that_cannot_be_ticked_is_told() -> None:
    done, result = played(Choice(multi=(1,)), ticks(0))
    assert (done, result.error_type) == ([Press(("Space",))] * KEYS_PER_STEP, Code.SEND_FAILED)
    assert "'Red' could not be ticked" in result.evidence


def test_a_box_that_took_no_key_gets_it_again() -> None:
    long = [ticks(0)] * int(REACTION / BLINK + 6)
    done, result = played(Choice(multi=(1,)), *long, ticks(0, 0), IDLE)
    assert (done, result.success) == ([Press(("Space",)), Press(("Space",)), ENTER], True)


def test_a_box_that_was_ticked_late_is_left_alone() -> None:
    long = [ticks(0)] * int(REACTION / BLINK + 3)
    done, result = played(Choice(multi=(1,)), *long, ticks(0, 0), ticks(0, 0), IDLE)
    assert (done, result.success) == ([Press(("Space",)), ENTER], True)


def test_several_answers_need_a_dialog_that_takes_them() -> None:
    assert refused(Choice(multi=(1, 2)), menu()).error_type is Code.UNKNOWN_OPTION


# --- free text


@pytest.mark.parametrize("choice", [Choice(text="teal"), Choice(other="teal")])
def test_free_text_goes_through_the_option_that_opens_a_field(choice: Choice) -> None:
    ask, typed = scene("Type your answer:\n> ‸"), scene("Type your answer:\n> teal‸")
    done, result = played(choice, menu(3), menu(3), ask, ask, ask, typed, IDLE, IDLE, text="teal")
    assert done == [ENTER, Type("teal"), ENTER]
    assert result.success


def field(text: str) -> Scene:
    rows = [f"  {index + 1}. {label}" for index, label in enumerate(LABELS[:3])]
    ghost = "" if text else "\x1b[2mType something else\x1b[0m"
    return scene("\n".join(["Which colour?", "", *rows, f"❯ 4. {text}‸{ghost}", "", "Enter to choose"]))


def test_a_field_in_place_is_typed_into_without_opening_it() -> None:
    seen = read_menu(field("").snapshot)
    assert seen is not None
    done, result = played(Choice(other="teal"), field(""), field(""), field("teal"), IDLE, IDLE, text="teal")
    assert done == [Type("teal"), ENTER]
    assert result.success


def test_a_field_whose_cursor_moves_right_before_typing_is_judged_again() -> None:
    scenes = [*[field("")] * 2, WORKS, field(""), field(""), field("teal"), IDLE, IDLE]
    done, result = played(Choice(other="teal"), *scenes, text="teal", stirs=2)
    assert done == [*[Type("teal")] * 3, ENTER]
    assert result.success


def test_a_field_that_closes_right_before_typing_is_not_typed_into() -> None:
    done, result = played(Choice(other="teal"), field(""), field(""), WORKS, text="teal", stirs=1)
    assert (done, result.error_type, result.rung) == ([Type("teal")], Code.STALE_DIALOG, Rung.NOTHING)


def test_a_field_that_does_not_open_is_told() -> None:
    done, result = played(Choice(other="teal"), menu(3), text="teal")
    assert (done, result.error_type) == ([ENTER] * 4, Code.SEND_FAILED)


def test_a_dialog_without_a_field_takes_no_text() -> None:
    result = refused(Choice(text="teal"), menu(0, LABELS[:3]), text="teal")
    assert (result.error_type, bool(result.hint)) == (Code.NO_FREE_TEXT, True)


def test_a_framed_profile_reads_a_field_without_its_frame() -> None:
    rows = ["Which colour?", "", "  1. Red", "❯ 2. ‸\x1b[2mType something else\x1b[0m", "", "Enter to choose"]
    typed = [*rows[:3], "❯ 2. teal‸", *rows[4:]]
    empty, full = scene("\n".join(rows)), scene("\n".join(typed))
    rule = "─" * 40
    back = scene(f"{rule}\n❯\u00a0‸\n{rule}")
    done, result = played(Choice(other="teal"), empty, empty, full, back, back, text="teal", profile=DEMO)
    assert done[-1] == ENTER
    assert result.verdict in (Verdict.CONFIRMED, Verdict.UNCONFIRMED)


# --- what is special about agents

CLAUDE = BUILT_IN["claude"]
RULES = "─" * 40
COMPOSER = scene(f"{RULES}\n❯\u00a0‸\n{RULES}")


def permission(at: int = 0, command: str = "ls", **facts: object) -> Scene:
    rows = [
        f"{'❯' if index == at else ' '} {index + 1}. {label}" for index, label in enumerate(("Yes", "Always", "No"))
    ]
    text = "\n".join([RULES, command, "", "Do you want to proceed?", *rows, "", "Esc to cancel"])
    return replace(scene(text, **facts), quiet=1.0)  # type: ignore[arg-type]


def trust() -> Scene:
    asked = "Quick safety check: Is this a project you created or one you trust?"
    return scene(
        "\n".join([RULES, asked, "", "❯ 1. Yes, I trust this folder", "  2. No, exit", "", "Enter to confirm"])
    )


def test_a_dialog_of_the_start_is_answered_only_when_that_is_asked_for() -> None:
    done, result = played(Choice(select=1), trust(), profile=CLAUDE)
    assert (done, result.error_type, "trust" in result.evidence) == ([], Code.BLOCKED_BY_DIALOG, True)
    done, result = played(Choice(select=1, startup=True), trust(), COMPOSER, COMPOSER, profile=CLAUDE)
    assert (done, result.success) == ([ENTER], True)


def test_a_dialog_must_have_stood_for_a_while() -> None:
    fresh = replace(permission(), quiet=0.0)
    asked, _ = play(answer(Choice(select=1), order("", CLAUDE)), [fresh, *[fresh] * 20, COMPOSER])
    looks = [isinstance(effect, Press) for effect in asked].index(True)
    assert looks > 5


def test_an_enter_that_an_agent_lost_is_pressed_again_with_the_highlight_back_in_its_place() -> None:
    elsewhere = [permission(2)] * 120
    done, result = played(
        Choice(select=1), permission(), *elsewhere, permission(1), permission(), COMPOSER, profile=CLAUDE
    )
    assert (done[0], done[-1], set(map(str, done[1:-1]))) == (ENTER, ENTER, {str(UP)})
    assert (result.success, result.enters) == (True, 2)


def test_an_agent_that_has_not_taken_the_key_yet_is_not_pressed_again() -> None:
    slow = permission(process=replace(WORKING, reading=True, unread=1))
    done, result = played(Choice(select=1), permission(), *[slow] * 300, COMPOSER, profile=CLAUDE)
    assert (done, result.success) == ([ENTER], True)


def test_a_dialog_that_stands_while_the_agent_says_that_it_was_answered_gets_no_second_key() -> None:
    """Gemini CLI shows it until it has started anew."""
    profile = replace(CLAUDE, menus=replace(CLAUDE.menus, answered="^it restarts"))
    stands = permission(command="ls\n it restarts to apply it")
    done, result = played(Choice(select=1), permission(), stands, stands, profile=profile)
    assert (done, result.success, result.enters) == ([ENTER], True, 1)
    assert result.evidence == "the dialog was answered: it restarts to apply it"


def test_the_next_dialog_is_told_and_left_alone() -> None:
    done, result = played(Choice(select=1), permission(), permission(command="rm -rf /"), profile=CLAUDE)
    assert (done, result.success) == ([ENTER], True)
    assert "the next one asks: Do you want to proceed?" in result.evidence


def test_a_dialog_that_cannot_be_read_any_more_is_not_taken_for_closed() -> None:
    done, result = played(Choice(select=1), permission(), scene("what is this‸"), profile=CLAUDE)
    assert (done, result.verdict) == ([ENTER], Verdict.UNCONFIRMED)


def test_a_letter_and_enter_answer_a_question_on_a_line() -> None:
    asked = scene("foo.txt\nCreate new file? (Y)es/(N)o [Yes]: ‸")
    typed = scene("foo.txt\nCreate new file? (Y)es/(N)o [Yes]: n‸")
    done, result = played(Choice(select="no"), asked, typed, scene("> ‸"), profile=BUILT_IN["aider"])
    assert (done, result.success) == ([Type("n"), ENTER], True)
