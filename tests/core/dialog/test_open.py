"""A dialog before it is answered, and after a crash cut an answer off: the pane is read before any key is pressed."""

from dataclasses import replace

import pytest

from paneward.core.dialog.answer import answer
from paneward.core.dialog.choice import Choice
from paneward.core.dialog.open import alive, unclear, words_in_field
from paneward.core.errors import Code, PaneDead, PaneNotFound
from paneward.core.profiles import BUILT_IN
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.screen.dialogs.asked import read_asked
from paneward.core.terminal.flow import Effect, Paste, Phase, Press, Rest, SavePhase, Type
from paneward.core.terminal.scene import Scene
from paneward.testing import acts, play, scene
from tests.core.dialog.test_answer import DOWN, ENTER, IDLE, menu, order

DEMO = BUILT_IN["demo"]
ASKED = read_asked(menu().snapshot, order().profile)
assert ASKED is not None
SEEN = ASKED.fingerprint
FIELD = """───────────────────────────────────────────────────────────────
 Question

 which colour
   1. Red
   2. Green
 ❯ 3. {}‸

 ↑↓ enter, or a digit · esc cancels"""
COMPOSER = """
───────────────────────────────────────────────────────────────
❯ ‸
───────────────────────────────────────────────────────────────
  enter sends"""


def resumed(
    choice: Choice, phase: Phase, *scenes: Scene, text: str = "", demo: bool = False
) -> tuple[list[Effect], SendResult]:
    how = replace(order(text, DEMO) if demo else order(text), resume=phase)
    asked, result = play(answer(choice, how), scenes)
    assert isinstance(asked[0], Rest), "what was typed may still be on its way to the screen"
    return acts(asked), result


# --- an option


def test_an_answer_of_which_no_key_chose_is_given() -> None:
    done, result = resumed(Choice(2, fingerprint=SEEN), Phase.INTENDED, menu(0), menu(0), menu(1), IDLE)
    assert (done, result.verdict) == ([DOWN, ENTER], Verdict.CONFIRMED)


def test_a_dialog_that_is_gone_was_answered() -> None:
    done, result = resumed(Choice(2, fingerprint=SEEN), Phase.SUBMITTING, IDLE)
    assert (done, result.verdict, result.rung) == ([], Verdict.CONFIRMED, Rung.SUBMITTED)


def test_another_dialog_in_its_place_means_the_same() -> None:
    done, result = resumed(Choice(2, fingerprint=SEEN), Phase.SUBMITTING, menu(0, question="Which size?"))
    assert (done, result.verdict) == ([], Verdict.CONFIRMED)


def test_the_same_dialog_may_be_open_anew_and_is_not_answered_twice() -> None:
    done, result = resumed(Choice(2, fingerprint=SEEN), Phase.SUBMITTING, menu(1))
    assert (done, result.verdict, result.rung) == ([], Verdict.UNCONFIRMED, Rung.TYPED)
    assert "Which colour?" in result.evidence


def test_a_dialog_that_somebody_else_closed_before_any_key_is_stale() -> None:
    done, result = resumed(Choice(2, fingerprint=SEEN), Phase.INTENDED, IDLE)
    assert (done, result.error_type, result.rung) == ([], Code.STALE_DIALOG, Rung.NOTHING)


# --- words


def field(words: str) -> Scene:
    return scene(FIELD.format(words), title="demo")


def test_words_that_stand_in_the_field_are_handed_in_and_not_typed_again() -> None:
    choice = Choice(other="a colour of my own", fingerprint="f")
    for phase in (Phase.INTENDED, Phase.TYPED, Phase.SUBMITTING):
        done, result = resumed(
            choice, phase, field("a colour of my own"), scene(COMPOSER), text="a colour of my own", demo=True
        )
        assert (done, result.verdict) == ([Press(("Enter",))], Verdict.CONFIRMED)


def test_words_that_stood_there_and_no_longer_do_are_unclear() -> None:
    choice = Choice(other="a colour of my own", fingerprint="f")
    done, result = resumed(choice, Phase.TYPED, scene(COMPOSER), text="a colour of my own", demo=True)
    assert (done, result.verdict) == ([], Verdict.UNCONFIRMED)


def test_words_of_somebody_else_are_not_ours() -> None:
    ours = replace(order("a colour of my own", DEMO))
    assert words_in_field(Choice(other="x"), ours, field("their own")) is None
    assert words_in_field(Choice(2), ours, field("a colour of my own")) is None
    assert words_in_field(Choice(other="x"), ours, field("a colour of my own")) is not None


def test_words_without_a_dialog_go_on_as_a_message_does() -> None:
    done, result = resumed(Choice(text="fix it"), Phase.SUBMITTING, IDLE, text="fix it")
    assert (done, result.verdict) == ([], Verdict.CONFIRMED)
    done, result = resumed(
        Choice(text="fix it"), Phase.TYPED, scene("> fix it‸"), scene("> fix it‸"), IDLE, text="fix it"
    )
    assert done == [ENTER]
    assert not any(isinstance(effect, Type | Paste) for effect in done)


# --- what is written down


def test_each_step_is_written_down_before_it_is_taken() -> None:
    asked, _ = play(answer(Choice(2), order()), [menu(0), menu(1), IDLE])
    steps = [effect for effect in asked if isinstance(effect, SavePhase | Press)]
    assert steps == [SavePhase(Phase.INTENDED), DOWN, SavePhase(Phase.SUBMITTING), ENTER]


def test_a_refusal_writes_nothing_down() -> None:
    asked, result = play(answer(Choice("violet"), order()), [menu(0)])
    assert result.error_type is Code.UNKNOWN_OPTION
    assert [effect for effect in asked if isinstance(effect, SavePhase | Press)] == [SavePhase(Phase.INTENDED)]


def test_a_pane_that_went_away_is_told() -> None:
    with pytest.raises(PaneNotFound):
        alive(scene("‸", gone=True))
    with pytest.raises(PaneDead):
        alive(scene("‸", dead=True))


def test_why_it_is_unclear_is_told_in_words() -> None:
    assert "field" in unclear(None, Phase.TYPED)
    assert unclear(ASKED, Phase.SUBMITTING).endswith(": Which colour?")
    assert unclear(None, Phase.SUBMITTING).endswith("the same dialog is open")
