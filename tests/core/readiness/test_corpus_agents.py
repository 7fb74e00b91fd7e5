"""The real agents' screens before the rules that decide whether a text may be typed."""

import re
from dataclasses import replace

import pytest

from paneward.core.delivery.preflight import Clear, Refusal, Terms, WhenBusy, clear_to_type
from paneward.core.errors import Code
from paneward.core.profiles import BUILT_IN, GENERIC, Profile
from paneward.core.readiness.rules import Assessment, assess
from paneward.core.result import ReadyVerdict
from paneward.core.terminal.scene import ProcessFacts, Scene
from paneward.testing import acts, play
from tests.core.screen.agents import CAPTURES, DIALOGS, Capture, each_of

IDLE = [capture for capture in CAPTURES if capture.truth["state"] == "idle"]
BUSY = [capture for capture in CAPTURES if capture.truth["state"] == "busy"]
FREE = [capture for capture in IDLE if not capture.truth["draft"] and capture.truth["mode"] != "shell"]
MENUS = [capture for capture in DIALOGS if capture.truth["menu"]]
SILENT = 30.0  # seconds: longer than any rule waits
RAW = ProcessFacts("node", "node", 7, reading=True, canonical=False, echo=False, unread=0)


def process(capture: Capture) -> ProcessFacts:
    """As the system shows the agents: reading at all times, but aider, which works in line mode."""
    working = capture.agent == "aider" and capture.truth["state"] == "busy"
    return replace(RAW, canonical=working, echo=working, reading=not working)


def scene(capture: Capture, blind: bool = False, quiet: float = SILENT) -> Scene:
    return Scene(capture.snapshot, None if blind else process(capture), quiet=quiet)


def judged(seen: Scene, profile: Profile) -> Assessment:
    return assess(seen, profile, re.compile(profile.prompt))


def asked(seen: Scene, profile: Profile, when_busy: WhenBusy = WhenBusy.WAIT) -> Clear | Refusal:
    terms = Terms(profile, re.compile(profile.prompt), when_busy, timeout=2.0, draft_hold=1.0)
    effects, answer = play(clear_to_type(terms), [seen])
    assert not acts(effects)
    return answer


@pytest.mark.parametrize("blind", [False, True], ids=["seen", "blind"])
@each_of(CAPTURES)
def test_the_verdict_is_that_of_the_state(capture: Capture, blind: bool) -> None:
    found = judged(scene(capture, blind), capture.profile)
    wanted = {"idle": ReadyVerdict.READY, "busy": None, "dialog": ReadyVerdict.AWAITING_ANSWER}
    assert found.verdict is wanted[capture.truth["state"]]
    assert found.working is (capture.truth["state"] == "busy")
    if capture.dialog:
        assert (found.rule, found.question) == ("dialog", capture.truth["question"])


@each_of(FREE)
def test_an_idle_agent_is_typed_to_at_once(capture: Capture) -> None:
    assert isinstance(asked(scene(capture), capture.profile), Clear)


@each_of([capture for capture in IDLE if capture not in FREE])
def test_a_draft_of_the_operator_is_never_typed_into(capture: Capture) -> None:
    answer = asked(scene(capture), capture.profile)
    assert isinstance(answer, Refusal)
    assert answer.code is Code.OPERATOR_DRAFT


@each_of(DIALOGS)
def test_a_dialog_is_refused_and_nothing_is_pressed(capture: Capture) -> None:
    for when_busy in WhenBusy:
        answer = asked(scene(capture), capture.profile, when_busy)
        assert isinstance(answer, Refusal)
        assert answer.code is Code.BLOCKED_BY_DIALOG
        assert capture.truth["question"] in answer.evidence


@each_of(BUSY)
def test_a_busy_agent_is_waited_for_however_long_it_is_silent(capture: Capture) -> None:
    answer = asked(scene(capture), capture.profile)
    assert isinstance(answer, Refusal)
    assert answer.code is Code.NOT_READY


@pytest.mark.parametrize("blind", [False, True], ids=["seen", "blind"])
@each_of(MENUS)
def test_no_profile_types_into_a_menu_that_is_not_its_own(capture: Capture, blind: bool) -> None:
    """aider's questions are left out: they stand on a line, and a line prompt takes text."""
    seen = scene(capture, blind)
    for profile in BUILT_IN.values():
        if profile.name != "shell":
            assert judged(seen, profile).verdict is not ReadyVerdict.READY, profile.name
            assert isinstance(asked(seen, profile), Refusal), profile.name


@each_of([capture for capture in DIALOGS if not capture.truth["menu"]])
def test_a_question_on_a_line_is_not_taken_for_a_prompt(capture: Capture) -> None:
    found = judged(scene(capture), GENERIC)
    assert (found.verdict, found.rule) == (ReadyVerdict.AWAITING_ANSWER, "question")


@each_of(CAPTURES)
def test_reading_the_terminal_says_nothing_of_agents_that_read_at_all_times(capture: Capture) -> None:
    if not capture.profile.reads:
        asleep = replace(scene(capture), process=replace(RAW, reading=False))
        assert judged(asleep, capture.profile).verdict is judged(scene(capture), capture.profile).verdict


@each_of(DIALOGS[::9])
def test_a_dialog_that_is_being_painted_is_looked_at_again(capture: Capture) -> None:
    found = judged(scene(capture, quiet=0.01), capture.profile)
    assert (found.verdict, found.rule, found.working) == (None, "dialog", False)
    assert found.look_again < 0.1
