"""Each rule on its own, then the waiting."""

import re
from dataclasses import replace

import pytest

from paneward.core.errors import Code, InvalidInput
from paneward.core.profiles import DEMO, GENERIC, PROMPT, Profile
from paneward.core.profiles import SHELL as SHELL_PROFILE
from paneward.core.readiness.rules import LOADED, RULES, SETTLED, Assessment, Pace, assess, compile_prompt, wait_ready
from paneward.core.result import ReadyVerdict
from paneward.core.terminal.flow import AnotherProgram
from paneward.core.terminal.scene import Scene
from paneward.testing import LINES, READING, SHELL, WORKING, play, scene

PATTERN = re.compile(PROMPT)


def judge(seen: Scene, profile: Profile = GENERIC) -> Assessment:
    return assess(seen, profile, re.compile(profile.prompt))


@pytest.mark.parametrize(
    ("seen", "rule", "verdict"),
    [
        (scene("> ‸", gone=True), "alive", ReadyVerdict.DEAD),
        (scene("> ‸", dead=True, dead_status="1"), "alive", ReadyVerdict.DEAD),
        (scene("> ‸", replace(READING, unread=3)), "input_unread", None),
        (scene("⠋ Working\n> ‸", quiet=0.1), "busy_mark", None),
        (scene("⠋ Working\n> ‸", quiet=3.0), "prompt", ReadyVerdict.READY),
        (scene("Which?\n❯ 1. Yes\n  2. No\n\n‸"), "menu", ReadyVerdict.AWAITING_ANSWER),
        (scene("Which?\n❯ 1. Yes\n  2. No\n\n‸", quiet=0.0), "menu", None),
        (scene("$ sleep 4\n‸", WORKING), "not_reading", None),
        (scene("Password: ‸", replace(LINES, echo=False)), "echo_off", ReadyVerdict.AWAITING_ANSWER),
        (scene("Continue? [y/N] ‸", LINES), "question", ReadyVerdict.AWAITING_ANSWER),
        (scene("Continue? [y/N] ‸", LINES, quiet=0.0), "question", None),
        (scene("Continue? [y/N] ‸", SHELL), "question", ReadyVerdict.AWAITING_ANSWER),
        (scene("host: ‸", SHELL), "shell", ReadyVerdict.READY),
        (scene("~/project git:(main) ‸", SHELL), "shell", ReadyVerdict.READY),
        (scene("$ ‸", replace(SHELL, canonical=True, echo=True)), "prompt", ReadyVerdict.READY),
        (scene(">>> ‸", READING, quiet=0.0), "prompt", ReadyVerdict.READY),
        (scene("$ ‸", None, quiet=0.1), "prompt_unproven", None),
        (scene("$ ‸", None, quiet=1.0), "prompt_unproven", ReadyVerdict.READY),
        (scene("$ ‸", replace(LINES, reading=None), quiet=1.0), "prompt_unproven", ReadyVerdict.READY),
        (scene("> ‸", replace(READING, young=True)), "prompt_unproven", ReadyVerdict.READY),
        (scene("> ‸", replace(LINES, young=True)), "prompt", ReadyVerdict.READY),
        (scene("nothing known‸", READING, quiet=2.0), "stable", ReadyVerdict.STABLE),
        (scene("nothing known‸", READING, quiet=0.1), "none", None),
    ],
)
def test_each_rule_decides_what_it_can_prove(seen: Scene, rule: str, verdict: ReadyVerdict | None) -> None:
    found = judge(seen)
    assert (found.rule, found.verdict) == (rule, verdict)


@pytest.mark.parametrize("line", ["50%", "done 7 %", "<html>", "  <br/> "])
def test_a_percentage_or_a_tag_is_not_a_prompt(line: str) -> None:
    assert judge(scene(f"{line}‸", None, quiet=0.9)).verdict is None


def test_only_the_live_line_counts_and_history_does_not() -> None:
    assert judge(scene("user@host:~$ make\ncompiling‸", None, quiet=0.9)).verdict is None


def test_text_at_the_right_edge_does_not_hide_the_prompt() -> None:
    assert judge(scene("~ $ ‸                         12:30:01")).verdict is ReadyVerdict.READY


def test_what_was_tried_is_told_in_order_up_to_the_winner() -> None:
    found = judge(scene("$ ‸"))
    names = [tried.rule for tried in found.tried]
    assert names == [name for name, _ in RULES][: len(names)]
    assert [tried.decided for tried in found.tried] == [False] * (len(names) - 1) + [True]


def test_a_framed_composer_decides_for_a_profile_that_has_one() -> None:
    rule = "─" * 40
    assert judge(scene(f"{rule}\n❯ ‸\n{rule}"), DEMO).rule == "composer"
    assert judge(scene(f"{rule}\n❯ ‸\n{rule}"), DEMO).verdict is ReadyVerdict.READY
    assert judge(scene("starting‸"), DEMO).verdict is None


LOADS = replace(DEMO, started=r"(?s)Welcome(?:[^G]|G[^o])*\Z")
BOX = "─" * 40 + "\n❯ ‸\n" + "─" * 40
YOUNG = replace(READING, young=True)


@pytest.mark.parametrize(
    ("above", "quiet", "left"),
    [
        ("", 0.1, LOADED - 0.1),
        ("", LOADED, 0.0),
        ("Welcome\n", 0.1, SETTLED - 0.1),
        ("Welcome\n", SETTLED, 0.0),
        ("Welcome\nGoodbye\n$ agent --resume\n", SETTLED, LOADED - SETTLED),
    ],
)
def test_an_agent_that_was_just_started_shows_its_composer_before_it_has_loaded(
    above: str, quiet: float, left: float
) -> None:
    found = judge(scene(above + BOX, YOUNG, quiet=quiet), LOADS)
    assert found.verdict is (None if left else ReadyVerdict.READY)
    assert not left or found.look_again == pytest.approx(left)
    assert judge(scene(above + BOX, READING, quiet=quiet), LOADS).verdict is ReadyVerdict.READY, "it is not young"
    assert judge(scene(above + BOX, YOUNG, quiet=quiet), DEMO).verdict is ReadyVerdict.READY, "it does not load"


def test_a_pane_with_another_program_is_not_judged_by_the_profile_of_the_first() -> None:
    with pytest.raises(AnotherProgram):
        play(wait_ready(DEMO, PATTERN, 5.0, program="sh start"), [scene("loading‸", WORKING)])


def test_an_invalid_pattern_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"\[") as caught:
        compile_prompt("[")
    assert caught.value.code is Code.INVALID_PATTERN


def test_waiting_ends_with_the_first_proof() -> None:
    busy, ready = scene("$ make\n‸", WORKING), scene("$ make\n$ ‸", SHELL)
    _, result = play(wait_ready(SHELL_PROFILE, PATTERN, 10), [busy, busy, ready])
    assert (result.verdict, result.rule, result.is_ready) == (ReadyVerdict.READY, "shell", True)


def test_a_program_at_work_is_busy_when_the_time_is_up() -> None:
    _, result = play(wait_ready(SHELL_PROFILE, PATTERN, 2), [scene("$ sleep 4\n‸", WORKING)])
    assert result.verdict is ReadyVerdict.BUSY
    assert result.elapsed >= 2


def test_a_screen_that_proves_nothing_times_out() -> None:
    _, result = play(wait_ready(GENERIC, PATTERN, 2), [scene("painting‸", READING, quiet=0.01)])
    assert result.verdict is ReadyVerdict.TIMEOUT
    assert result.screen == "painting"


def test_a_stable_screen_counts_only_for_those_who_accept_it() -> None:
    still = scene("no prompt at all‸", READING, quiet=3.0)
    _, patient = play(wait_ready(GENERIC, PATTERN, 2), [still])
    _, early = play(wait_ready(GENERIC, PATTERN, 2, accept_stable=True), [still])
    assert (patient.verdict, patient.is_ready) == (ReadyVerdict.STABLE, False)
    assert (early.verdict, early.is_ready, early.elapsed) == (ReadyVerdict.STABLE, True, 0)


def test_a_question_comes_with_its_words() -> None:
    _, result = play(wait_ready(GENERIC, PATTERN, 2), [scene("Continue? [y/N] ‸", LINES)])
    assert (result.verdict, result.question) == (ReadyVerdict.AWAITING_ANSWER, "Continue? [y/N]")


def test_looks_without_output_become_rarer_until_output_comes() -> None:
    pace, busy = Pace(), judge(scene("x‸", WORKING))
    naps = [pace.next(busy, replace(scene("x‸"), output_seq=4)) for _ in range(20)]
    assert naps[0] < naps[1] < naps[5]
    assert naps[-1] == naps[-2] == max(naps)
    assert pace.next(busy, replace(scene("x‸"), output_seq=5)) == naps[0]
