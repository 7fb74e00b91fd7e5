"""Keys by name, and the Enter among them."""

from dataclasses import replace

import pytest

from paneward.core.delivery.press import Keys, press
from paneward.core.errors import Code, PaneDead
from paneward.core.result import Rung, Verdict
from paneward.core.terminal.flow import Press
from paneward.core.terminal.scene import Scene
from paneward.testing import WORKING, acts, play, scene

BEFORE, TYPED, TAKEN = scene("> ‸"), scene("> hi‸"), scene("you: hi\n> ‸")


def test_keys_are_pressed_as_they_are_and_only_that_is_claimed() -> None:
    asked, result = play(press(Keys(("Escape", "C-u"))), [BEFORE])
    assert acts(asked) == [Press(("Escape", "C-u"))]
    assert (result.verdict, result.rung, result.enters) == (Verdict.CONFIRMED, Rung.TYPED, 0)


def test_without_an_enter_there_is_nothing_to_verify() -> None:
    asked, result = play(press(Keys(("Up",), verify=True)), [BEFORE])
    assert (acts(asked), result.rung) == ([Press(("Up",))], Rung.TYPED)


def test_an_enter_is_verified_before_the_keys_that_follow_it() -> None:
    asked, result = play(press(Keys(("h", "i", "Enter", "Up"), verify=True)), [BEFORE, TYPED, TYPED, TAKEN])
    assert acts(asked) == [Press(("h", "i")), Press(("Enter",)), Press(("Up",))]
    assert (result.verdict, result.rung, result.enters) == (Verdict.CONFIRMED, Rung.SUBMITTED, 1)


def test_an_enter_that_moved_nothing_is_pressed_again() -> None:
    asked, result = play(press(Keys(("Enter",), verify=True)), [TYPED, TYPED, *[TYPED] * 14, TAKEN])
    assert acts(asked) == [Press(("Enter",)), Press(("Enter",))]
    assert (result.success, result.enters) == (True, 2)


def test_an_enter_is_not_pressed_again_while_the_program_works() -> None:
    asked, result = play(
        press(Keys(("Enter",), verify=True)), [TYPED, TYPED, *[replace(TYPED, process=WORKING)] * 40, TAKEN]
    )
    assert (acts(asked), result.success) == ([Press(("Enter",))], True)


def test_where_the_process_cannot_be_seen_time_decides() -> None:
    _, result = play(press(Keys(("Enter",), verify=True, retries=1)), [replace(TYPED, process=None)])
    assert (result.error_type, result.enters) == (Code.SEND_FAILED, 2)


@pytest.mark.parametrize("process", [TYPED.process, WORKING])
def test_enters_that_change_nothing_are_a_failure(process: object) -> None:
    asked, result = play(press(Keys(("Enter",), verify=True)), [replace(TYPED, process=process)])  # type: ignore[arg-type]
    assert acts(asked) == [Press(("Enter",))] * 4
    assert (result.verdict, result.error_type, result.enters) == (Verdict.FAILED, Code.SEND_FAILED, 4)
    assert result.hint


@pytest.mark.parametrize(
    ("seen", "code"),
    [(scene("> ‸", gone=True), Code.PANE_NOT_FOUND), (scene("> ‸", dead=True), Code.PANE_DEAD)],
)
def test_a_pane_that_went_away_is_told_before_and_left_open_after_enter(seen: Scene, code: Code) -> None:
    asked, result = play(press(Keys(("Enter",))), [seen])
    assert (acts(asked), result.error_type, bool(result.hint)) == ([], code, True)
    _, after = play(press(Keys(("Enter",), verify=True)), [TYPED, TYPED, seen])
    assert (after.verdict, after.enters) == (Verdict.UNCONFIRMED, 1)


def test_a_failure_of_tmux_is_a_result() -> None:
    flow = press(Keys(("Enter",)))
    next(flow)
    assert flow.send(BEFORE) == Press(("Enter",))
    with pytest.raises(StopIteration) as done:
        flow.throw(PaneDead("%1 is dead"))
    assert (done.value.value.error_type, done.value.value.rung) == (Code.PANE_DEAD, Rung.NOTHING)
