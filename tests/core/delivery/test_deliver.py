"""The dialogue of a delivery, played on drawn scenes."""

import re
from collections.abc import Generator
from dataclasses import replace

from paneward.core.delivery.deliver import Order, deliver
from paneward.core.delivery.preflight import Draft, Terms, WhenBusy
from paneward.core.delivery.snippet import typing_delay
from paneward.core.errors import Code, PaneDead
from paneward.core.profiles import DEMO, GENERIC, SHELL, Profile, Typing
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.flow import Effect, Keep, LeaveMode, Look, Paste, Phase, Press, SavePhase, Type, Watch
from paneward.core.terminal.scene import Scene
from paneward.testing import LINES, READING, WORKING, acts, play, scene
from paneward.testing import SHELL as IN_SHELL

RULE = "─" * 40
ENTER = Press(("Enter",))
QUICK = replace(GENERIC, settle=0.0, floor=False)
SETTLES = replace(DEMO, settle=0.04)


def order(
    text: str = "fix it",
    profile: Profile = QUICK,
    when_busy: WhenBusy = WhenBusy.WAIT,
    draft: Draft = Draft.HOLD,
    timeout: float = 5.0,
    **more: object,
) -> Order:
    terms = Terms(profile, re.compile(profile.prompt), when_busy, draft, timeout, draft_hold=1.0)
    return replace(Order(text, terms), **more)  # type: ignore[arg-type]


def box(text: str, above: str = "hello", below: str = "") -> Scene:
    return scene(f"{above}\n{RULE}\n❯\u00a0{text}‸\n{RULE}\n{below}")


def test_a_text_is_typed_submitted_and_proven() -> None:
    asked, result = play(deliver(order()), [scene("> ‸"), scene("> fix it‸"), scene("fix it\n> ‸")])
    assert acts(asked) == [Type("fix it"), ENTER]
    assert (result.verdict, result.rung, result.enters) == (Verdict.CONFIRMED, Rung.SUBMITTED, 1)
    assert result.evidence == "the prompt is back and empty"


def test_each_phase_is_stored_before_the_act_it_announces() -> None:
    asked, _ = play(deliver(order()), [scene("> ‸"), scene("> fix it‸"), scene("> ‸")])
    steps = [effect for effect in asked if isinstance(effect, SavePhase | Type | Press)]
    assert steps == [
        SavePhase(Phase.INTENDED),
        Type("fix it"),
        SavePhase(Phase.TYPED),
        SavePhase(Phase.SUBMITTING),
        ENTER,
    ]


def test_a_prompt_that_only_moved_to_another_row_shows_no_text() -> None:
    """A program ended its loading and dropped what was typed meanwhile: Enter would submit an empty line."""
    asked, result = play(deliver(order()), [scene("⠋ Loading...\n> ‸", None, quiet=9.0), scene("> ‸", None, quiet=9.0)])
    assert acts(asked) == [Type("fix it")]
    assert (result.verdict, result.rung, result.enters) == (Verdict.FAILED, Rung.TYPED, 0)
    assert result.evidence == "what was typed never appeared in the pane; the text was typed but not submitted"


def test_a_text_that_is_gone_before_submit_gets_none() -> None:
    """The program drew its composer anew: Enter would do something else, and an empty composer would prove nothing."""
    asked, result = play(deliver(order(profile=SETTLES)), [box(""), box("fix it"), box(""), box("")])
    assert acts(asked) == [Paste("fix it")]
    assert (result.verdict, result.rung, result.enters) == (Verdict.UNCONFIRMED, Rung.RENDERED, 0)
    assert result.evidence == "the text stood in the composer, and was gone before submit was pressed"


def test_a_composer_that_is_drawn_anew_is_waited_for() -> None:
    asked, result = play(
        deliver(order(profile=SETTLES)), [box(""), box("fix it"), box(""), scene("drawing‸"), box("fix it"), box("")]
    )
    assert acts(asked) == [Paste("fix it"), ENTER]
    assert result.success


def test_a_swallowed_enter_is_pressed_again_and_nothing_is_retyped() -> None:
    held = [scene("> fix it‸")] * 16
    asked, result = play(deliver(order()), [scene("> ‸"), *held, scene("> ‸")])
    assert acts(asked) == [Type("fix it"), ENTER, Press(("CR",))]
    assert result.enters == 2
    assert result.success


def test_a_text_that_goes_while_we_look_twice_gets_no_second_enter() -> None:
    for looks in range(1, 9):  # whatever look is the first to say that the program waits
        held = [scene("> fix it‸")] * looks
        asked, result = play(deliver(order()), [scene("> ‸"), *held, scene("> ‸")])
        assert acts(asked) == [Type("fix it"), ENTER]
        assert result.success


def test_submit_is_not_pressed_again_while_the_program_has_not_come_back_to_reading() -> None:
    at_work = [scene("> fix it‸", WORKING)] * 40
    asked, result = play(deliver(order()), [scene("> ‸"), scene("> fix it‸"), *at_work, scene("> ‸")])
    assert acts(asked) == [Type("fix it"), ENTER]
    assert result.success


def test_a_composer_that_never_lets_go_is_a_failure_with_its_screen() -> None:
    asked, result = play(deliver(order()), [scene("> ‸"), scene("> fix it‸")])
    assert (result.error_type, result.enters, result.rung) == (Code.SEND_FAILED, 4, Rung.RENDERED)
    assert acts(asked)[1:] == [ENTER, Press(("CR",)), Press(("CR",)), Press(("CR",))]


def test_a_transcript_that_echoes_the_text_is_not_the_composer() -> None:
    echoed = scene("you: fix it\nfix it\n> ‸")
    asked, result = play(deliver(order()), [scene("fix it\n> ‸"), scene("fix it\n> fix it‸"), echoed])
    assert acts(asked) == [Type("fix it"), ENTER]
    assert result.success


def test_a_text_equal_to_the_prompt_is_told_from_it() -> None:
    asked, result = play(deliver(order("> ")), [scene("> ‸"), scene("> > ‸"), scene("> > \n> ‸")])
    assert acts(asked) == [Type("> "), ENTER]
    assert result.success


def test_blanks_alone_are_followed_by_the_cursor() -> None:
    asked, result = play(deliver(order("   ")), [scene("> ‸"), scene(">    ‸"), scene("> ‸")])
    assert acts(asked) == [Type("   "), ENTER]
    assert result.success


def test_a_wrapped_text_is_found_row_by_row() -> None:
    text = "one two three four five six seven"
    drawn = scene("> one two three\n  four five six\n  seven‸", width=20)
    _, result = play(deliver(order(text)), [scene("> ‸", width=20), drawn, scene("> ‸", width=20)])
    assert result.success


def test_a_placeholder_stands_for_a_long_paste() -> None:
    text = "line\n" * 30
    drawn = scene("> [Pasted text #1 +30 lines]‸")
    asked, result = play(deliver(order(text)), [scene("> ‸"), drawn, scene("> ‸")])
    assert acts(asked) == [Paste(text), ENTER]
    assert result.success


def test_the_profile_says_whether_to_type_or_to_paste() -> None:
    scenes = [scene("> ‸"), scene("> fix it‸"), scene("> ‸")]
    asked, _ = play(deliver(order(profile=replace(QUICK, typing=Typing.PASTE))), scenes)
    assert acts(asked)[0] == Paste("fix it")
    asked, _ = play(deliver(order("a\tb", profile=replace(QUICK, typing=Typing.KEYS))), scenes)
    assert acts(asked)[0] == Type("a\tb")


def test_tabs_lines_and_long_texts_are_pasted_where_the_profile_leaves_the_choice() -> None:
    for text in ("a\tb", "a\nb", "x" * 500):
        asked, _ = play(deliver(order(text, timeout=0.1)), [scene("> ‸"), scene("> ‸")])
        assert acts(asked)[0] == Paste(text)


def test_the_adaptive_delay_is_waited_after_the_text_was_seen() -> None:
    assert typing_delay(200, 0.12) == 0.12
    assert typing_delay(1200, 0.12) == 0.22
    text = "x" * 150
    asked, _ = play(deliver(order(text, GENERIC)), [scene("> ‸", width=200), scene(f"> {text}‸", width=200)])
    seen = asked.index(SavePhase(Phase.TYPED))
    waited = [effect for effect in asked[seen : asked.index(ENTER)] if not isinstance(effect, SavePhase)]
    assert len(waited) >= 2  # looks of at most 50 ms until 120 ms have passed


def test_ghost_text_is_dismissed_before_enter() -> None:
    ghosted = scene("> fix it‸\x1b[2m and test\x1b[0m")
    asked, result = play(deliver(order()), [scene("> ‸"), ghosted, scene("> fix it‸"), scene("> ‸")])
    assert acts(asked) == [Type("fix it"), Press(("Escape",)), ENTER]
    assert result.success


def test_enter_waits_until_escape_took_the_ghost_text_away() -> None:
    ghosted = scene("> fix it‸\x1b[2m and test\x1b[0m")
    asked, result = play(deliver(order()), [scene("> ‸"), *[ghosted] * 9, scene("> fix it‸"), scene("> ‸")])
    assert acts(asked) == [Type("fix it"), Press(("Escape",)), ENTER]
    escaped = asked.index(Press(("Escape",)))
    assert asked[escaped : asked.index(ENTER)].count(Watch(0.03)) >= 6
    assert result.success


def test_dim_text_that_escape_does_not_take_away_holds_nothing_up_for_long() -> None:
    hint = scene("> fix it‸\x1b[2m and test\x1b[0m")
    asked, result = play(deliver(order()), [scene("> ‸"), *[hint] * 60, scene("> ‸")])
    assert acts(asked)[:3] == [Type("fix it"), Press(("Escape",)), ENTER]
    assert result.success


def test_a_suggestion_that_enter_accepted_is_not_submitted_and_no_success() -> None:
    grown = scene("> fix it and test‸")
    asked, result = play(deliver(order()), [scene("> ‸"), scene("> fix it‸"), *[grown] * 40])
    assert acts(asked) == [Type("fix it"), ENTER]
    assert (result.verdict, result.enters) == (Verdict.UNCONFIRMED, 1)


def test_a_program_that_draws_slowly_is_given_the_time_to_react() -> None:
    late, held = [scene("> ‸", quiet=0.1)] * 30, [scene("> fix it‸")] * 40
    asked, result = play(deliver(order()), [scene("> ‸"), *late, *held, scene("> ‸")])
    assert acts(asked) == [Type("fix it"), ENTER]
    assert result.success


def test_ghost_text_is_left_alone_when_the_caller_or_the_profile_says_so() -> None:
    scenes = [scene("> ‸"), scene("> fix it‸\x1b[2m and test\x1b[0m"), scene("> ‸")]
    for wish in (order(ghost=False), order(profile=replace(QUICK, escape_dismisses=False))):
        asked, _ = play(deliver(wish), scenes)
        assert Press(("Escape",)) not in asked


def test_without_verification_only_typing_is_claimed() -> None:
    asked, result = play(deliver(order(verify=False)), [scene("> ‸"), scene("> fix it‸")])
    assert acts(asked) == [Type("fix it"), ENTER]
    assert (result.success, result.rung) == (True, Rung.TYPED)


def test_a_framed_composer_is_read_between_its_rules() -> None:
    asked, result = play(deliver(order(profile=DEMO)), [box(""), box("fix it"), box("", above="fix it")])
    assert acts(asked) == [Paste("fix it"), ENTER]
    assert result.evidence == "the composer is empty again"


def test_a_dialog_that_opens_at_once_proves_the_submit() -> None:
    dialog = scene("Run it?\n❯ 1. Yes\n  2. No\n\n‸")
    _, result = play(deliver(order(profile=DEMO)), [box(""), box("fix it"), dialog, dialog])
    assert (result.verdict, result.evidence) == (Verdict.CONFIRMED, "a dialog opened")


def test_a_composer_that_vanished_without_a_trace_is_unconfirmed() -> None:
    _, result = play(deliver(order(profile=DEMO)), [box(""), box("fix it"), scene("???‸")])
    assert (result.verdict, result.error_type) == (Verdict.UNCONFIRMED, None)


def test_other_text_in_the_composer_means_that_ours_is_gone() -> None:
    _, result = play(deliver(order(profile=DEMO)), [box(""), box("fix it"), box("new draft"), box("new draft")])
    assert result.evidence == "the composer holds other text"


def test_a_busy_mark_without_a_composer_proves_the_submit() -> None:
    busy = scene("✻ Working… (1s · esc to interrupt)‸")
    _, result = play(deliver(order(profile=DEMO)), [box(""), box("fix it"), busy, busy])
    assert result.success


def test_a_terminal_that_collects_lines_hands_them_over_at_enter() -> None:
    _, result = play(deliver(order()), [scene("‸", LINES), scene("fix it‸", LINES), scene("fix it\n‸", LINES)])
    assert (result.success, result.evidence) == (True, "the program took the line")


def test_a_secret_is_submitted_unseen() -> None:
    hidden = replace(LINES, echo=False)
    asked, result = play(deliver(order("hunter2")), [scene("Password: ‸", hidden)])
    assert acts(asked) == [Type("hunter2"), ENTER]
    assert (result.success, result.rung) == (True, Rung.SUBMITTED)


def test_a_line_the_terminal_would_cut_is_refused_before_typing() -> None:
    asked, result = play(deliver(order("x" * 5000)), [scene("‸", LINES)])
    assert (result.error_type, acts(asked)) == (Code.TEXT_TOO_LONG, [])


def test_a_shell_that_starts_a_command_has_taken_it() -> None:
    running = scene("$ fix it\n‸", replace(IN_SHELL, pid=99, shell=False, reading=False, canonical=True, echo=True))
    _, result = play(deliver(order(profile=SHELL)), [scene("$ ‸", IN_SHELL), scene("$ fix it‸", IN_SHELL), running])
    assert result.evidence == "the program left its prompt to work on it"


def test_a_new_line_under_the_text_is_no_proof_while_the_program_waits_for_more() -> None:
    grown = scene("> fix it\n  ‸")
    asked, result = play(deliver(order()), [scene("> ‸"), scene("> fix it‸"), grown])
    assert result.verdict is Verdict.UNCONFIRMED
    assert acts(asked) == [Type("fix it"), ENTER]


def test_a_new_line_at_the_margin_of_a_working_program_is_proof() -> None:
    working = scene("> fix it\n‸", WORKING)
    _, result = play(deliver(order()), [scene("> ‸"), scene("> fix it‸"), working])
    assert result.evidence == "the cursor went to a new line and the program works"


def test_what_never_appears_is_not_submitted() -> None:
    asked, result = play(deliver(order()), [scene("> ‸", quiet=9.0)])
    assert (result.error_type, acts(asked)) == (Code.SEND_FAILED, [Type("fix it")])
    assert "but not submitted" in result.evidence


def test_what_the_program_has_not_read_yet_is_waited_for() -> None:
    unread = [scene("> ‸", replace(READING, unread=6), quiet=9.0)] * 50
    _, result = play(deliver(order()), [scene("> ‸"), *unread, scene("> fix it‸"), scene("> ‸")])
    assert result.success


def test_a_text_shown_in_another_form_is_submitted_and_followed() -> None:
    asked, result = play(deliver(order()), [scene("> ‸"), scene("> ******‸", quiet=2.0), scene("> ‸")])
    assert acts(asked) == [Type("fix it"), ENTER]
    assert result.success


def test_two_texts_in_one_composer_are_never_submitted() -> None:
    for drawn in ("> oh fix it‸", "> fix it oh‸"):
        asked, result = play(deliver(order()), [scene("> ‸"), scene(drawn)])
        assert (result.error_type, acts(asked)) == (Code.OPERATOR_DRAFT, [Type("fix it")])
    _, framed = play(deliver(order(profile=DEMO)), [box(""), box("oh fix it")])
    assert framed.error_type is Code.OPERATOR_DRAFT


def test_a_pane_that_closes_is_told_by_how_far_it_came() -> None:
    _, typing = play(deliver(order()), [scene("> ‸"), scene("> ‸", gone=True)])
    assert (typing.error_type, typing.rung) == (Code.PANE_NOT_FOUND, Rung.TYPED)
    _, dying = play(deliver(order()), [scene("> ‸"), scene("> ‸", dead=True)])
    assert dying.error_type is Code.PANE_DEAD
    _, after = play(deliver(order()), [scene("> ‸"), scene("> fix it‸"), scene("> fix it‸", gone=True)])
    assert (after.verdict, after.enters) == (Verdict.UNCONFIRMED, 1)
    slow = order(profile=replace(QUICK, settle=1.0))
    _, settling = play(deliver(slow), [scene("> ‸"), scene("> fix it‸"), scene("> fix it‸", gone=True)])
    assert settling.error_type is Code.PANE_NOT_FOUND


def test_copy_mode_entered_in_between_is_left_before_enter() -> None:
    slow = order(profile=replace(QUICK, settle=0.04))
    scenes = [scene("> ‸"), scene("> fix it‸"), scene("> fix it‸", in_mode=True), scene("> fix it‸"), scene("> ‸")]
    asked, result = play(deliver(slow), scenes)
    assert acts(asked) == [Type("fix it"), LeaveMode(), ENTER]
    assert result.success


def test_a_draft_is_stashed_and_given_back_where_the_profile_can() -> None:
    scenes = [box("my own"), box(""), box("fix it"), box("")]
    asked, result = play(deliver(order(profile=DEMO, draft=Draft.STASH)), scenes)
    assert acts(asked) == [Keep("my own"), Press(("C-c",)), Paste("fix it"), ENTER, Paste("my own"), Keep(None)]
    assert result.success


def test_a_draft_that_cannot_be_taken_out_is_left_alone() -> None:
    asked, result = play(deliver(order(profile=DEMO, draft=Draft.STASH)), [box("my own")])
    assert result.error_type is Code.OPERATOR_DRAFT
    assert not any(isinstance(effect, Paste) for effect in asked)


def test_a_queued_text_uses_the_keys_of_the_profile() -> None:
    def at_work(text: str) -> Scene:
        return scene(f"✻ esc to interrupt\n{RULE}\n❯\u00a0{text}‸\n{RULE}", quiet=0.1)

    queueing = replace(DEMO, queue=("Tab",))
    asked, result = play(
        deliver(order(profile=queueing, when_busy=WhenBusy.QUEUE)), [at_work(""), at_work("fix it"), at_work("")]
    )
    assert acts(asked) == [Paste("fix it"), Press(("Tab",))]
    assert result.success


def throw_at(flow: Generator[Effect, Scene, SendResult], scenes: list[Scene], at: type[Effect]) -> SendResult:
    effect, rest = next(flow), list(scenes)
    try:
        while not isinstance(effect, at):
            effect = flow.send(rest.pop(0) if len(rest) > 1 and isinstance(effect, Look | Watch) else rest[0])
        flow.throw(PaneDead("%1 is dead"))
    except StopIteration as done:
        result: SendResult = done.value
        return result
    raise AssertionError("the flow went on")


def test_a_failure_of_tmux_is_a_result_that_says_how_far_it_came() -> None:
    early = throw_at(deliver(order()), [scene("> ‸")], Type)
    assert (early.error_type, early.rung) == (Code.PANE_DEAD, Rung.NOTHING)
    late = throw_at(deliver(order()), [scene("> ‸"), scene("> fix it‸")], Press)
    assert (late.error_type, late.rung) == (Code.PANE_DEAD, Rung.RENDERED)


def resumed(phase: Phase, scenes: list[Scene]) -> tuple[list[Effect], SendResult]:
    asked, result = play(deliver(order(resume=phase)), scenes)
    return acts(asked), result


def test_after_a_crash_a_text_that_stands_there_is_only_submitted() -> None:
    for phase in (Phase.INTENDED, Phase.TYPED, Phase.SUBMITTING):
        done, result = resumed(phase, [scene("> fix it‸"), scene("> ‸")])
        assert done == [ENTER]
        assert result.success


def test_after_a_crash_before_typing_the_text_is_typed() -> None:
    done, result = resumed(Phase.INTENDED, [scene("> ‸"), scene("> ‸"), scene("> fix it‸"), scene("> ‸")])
    assert done == [Type("fix it"), ENTER]
    assert result.success


def test_after_a_crash_a_text_that_is_gone_is_never_typed_again() -> None:
    done, result = resumed(Phase.TYPED, [scene("> ‸")])
    assert (done, result.verdict) == ([], Verdict.UNCONFIRMED)
    done, result = resumed(Phase.SUBMITTING, [scene("> ‸")])
    assert (done, result.verdict) == ([], Verdict.CONFIRMED)
