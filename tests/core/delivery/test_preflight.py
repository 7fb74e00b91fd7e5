"""May it be typed now? Each reason why not, and what is waited for."""

import re
from dataclasses import replace

import pytest

from paneward.core.delivery.preflight import BLIND_QUIET, MODES_LEFT, RAW_QUIET, Clear, Draft, Refusal, Terms, WhenBusy
from paneward.core.delivery.preflight import clear_to_type as preflight
from paneward.core.errors import Code
from paneward.core.profiles import DEMO, GENERIC, Profile
from paneward.core.readiness.rules import SETTLED
from paneward.core.terminal.flow import Effect, LeaveMode, Watch
from paneward.core.terminal.scene import Scene
from paneward.testing import LINES, READING, SHELL, WORKING, acts, play, scene

RULE = "─" * 40
MENU = "Which?\n❯ 1. Yes\n  2. No\n\nEnter to choose, Esc to cancel ‸"


def terms(
    profile: Profile = GENERIC, when_busy: WhenBusy = WhenBusy.WAIT, draft: Draft = Draft.HOLD, hold: float = 1.0
) -> Terms:
    return Terms(profile, re.compile(profile.prompt), when_busy, draft, timeout=5.0, draft_hold=hold)


def asked(*scenes: Scene, on: Terms | None = None) -> tuple[list[Effect], Clear | Refusal]:
    return play(preflight(on or terms()), scenes)


def refused(*scenes: Scene, on: Terms | None = None) -> Refusal:
    effects, answer = asked(*scenes, on=on)
    assert isinstance(answer, Refusal), answer
    assert not [effect for effect in acts(effects) if effect != LeaveMode()]
    return answer


def cleared(*scenes: Scene, on: Terms | None = None) -> Clear:
    answer = asked(*scenes, on=on)[1]
    assert isinstance(answer, Clear), answer
    return answer


def box(text: str, above: str = "hello", **facts: object) -> Scene:
    return scene(f"{above}\n{RULE}\n❯\u00a0{text}‸\n{RULE}", **facts)  # type: ignore[arg-type]


def test_a_prompt_is_typed_at_without_waiting() -> None:
    effects, answer = asked(scene("> ‸"))
    assert answer == Clear(replace(scene("> ‸"), output_seq=1))
    assert not [effect for effect in effects if isinstance(effect, Watch)]


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        (scene("> ‸", gone=True), Code.PANE_NOT_FOUND),
        (scene("> ‸", dead=True), Code.PANE_DEAD),
        (scene(MENU), Code.BLOCKED_BY_DIALOG),
        (scene(MENU, quiet=0.06), Code.BLOCKED_BY_DIALOG),
        (scene("> ‸", input_off=True), Code.NOT_READY),
        (scene("> ‸", synchronized=True), Code.NOT_READY),
    ],
)
def test_what_no_waiting_mends_is_refused_at_once(seen: Scene, code: Code) -> None:
    effects, answer = asked(seen)
    assert isinstance(answer, Refusal)
    assert (answer.code, bool(answer.evidence), bool(answer.hint)) == (code, True, True)
    assert not [effect for effect in effects if isinstance(effect, Watch)]


def test_copy_mode_is_left_before_and_whenever_somebody_enters_it() -> None:
    before, _ = asked(scene("> ‸", in_mode=True), scene("> ‸"))
    busy, scrolled = scene("working‸", WORKING), scene("working‸", WORKING, in_mode=True)
    meanwhile, _ = asked(busy, scrolled, scrolled, scene("> ‸"))
    assert acts(before) == acts(meanwhile) == [LeaveMode()]


def test_somebody_who_stays_in_copy_mode_wants_to_be_there() -> None:
    effects, answer = asked(scene("> ‸", in_mode=True))
    assert acts(effects) == [LeaveMode()] * MODES_LEFT
    assert isinstance(answer, Refusal)
    assert (answer.code, "copy mode" in answer.evidence) == (Code.NOT_READY, True)


def test_copy_mode_of_a_pane_that_went_away_is_not_left() -> None:
    assert refused(scene("> ‸", in_mode=True, gone=True)).code is Code.PANE_NOT_FOUND
    assert refused(scene("> ‸", in_mode=True, dead=True)).code is Code.PANE_DEAD


def test_a_program_at_work_is_waited_for() -> None:
    assert cleared(*[scene("$ make\n‸", WORKING)] * 20, scene("$ ‸", SHELL)).scene.process == SHELL


def test_a_program_that_stays_at_work_is_not_ready() -> None:
    refusal = refused(scene("$ sleep 60\n‸", WORKING))
    assert (refusal.code, "not reading" in refusal.evidence) == (Code.NOT_READY, True)


@pytest.mark.parametrize(
    ("seen", "patience"),
    [
        (scene("no prompt‸", None), BLIND_QUIET),
        (scene("no prompt‸", replace(READING, reading=None)), BLIND_QUIET),
        (scene("no prompt‸", READING), RAW_QUIET),
        (scene("no prompt‸", LINES), 0.0),
        (scene("no prompt‸", replace(LINES, shell=True)), SETTLED),
    ],
)
def test_without_a_prompt_silence_has_to_last_longer_the_less_is_known(seen: Scene, patience: float) -> None:
    assert cleared(replace(seen, quiet=patience)).draft == ""
    if patience:
        assert refused(replace(seen, quiet=patience - 0.1)).code is Code.NOT_READY


def test_a_line_that_asks_takes_text() -> None:
    assert cleared(scene("Continue? [y/N] ‸", LINES))
    assert cleared(scene("Password: ‸", replace(LINES, echo=False)))


def test_a_known_composer_that_is_not_there_is_waited_for() -> None:
    assert cleared(*[scene("starting‸", quiet=9.0)] * 5, box(""), on=terms(DEMO))
    assert refused(scene("starting‸", quiet=9.0), on=terms(DEMO)).code is Code.NOT_READY


# --- the operator's draft


def test_a_draft_is_held_for_until_it_goes() -> None:
    assert cleared(*[scene("> half a th‸")] * 8, scene("> ‸")).draft == ""


def test_a_draft_that_stays_is_named_and_left() -> None:
    refusal = refused(scene("> half a th‸"))
    assert (refusal.code, "half a th" in refusal.evidence, bool(refusal.hint)) == (Code.OPERATOR_DRAFT, True, True)


def test_the_hold_counts_anew_for_a_new_draft() -> None:
    draft, empty = scene("> half a th‸"), scene("> ‸", WORKING)
    almost = [draft] * 15  # 50 ms each
    assert cleared(*almost, empty, *almost, scene("> ‸"))


def test_the_hold_is_never_longer_than_the_time_given() -> None:
    effects, answer = asked(scene("> half a th‸"), on=terms(hold=60.0))
    assert isinstance(answer, Refusal)
    assert sum(0.05 for effect in effects if isinstance(effect, Watch)) == pytest.approx(5.0, abs=0.3)


def test_a_draft_is_refused_at_once_when_the_caller_says_so() -> None:
    effects, answer = asked(scene("> half a th‸"), on=terms(draft=Draft.REFUSE))
    assert isinstance(answer, Refusal)
    assert answer.code is Code.OPERATOR_DRAFT
    assert not [effect for effect in effects if isinstance(effect, Watch)]


def test_a_draft_is_put_aside_only_where_it_can_be_given_back_whole() -> None:
    stash = terms(DEMO, draft=Draft.STASH)
    assert cleared(box("my own"), on=stash).draft == "my own"
    assert refused(box("x" * 75), on=stash).code is Code.OPERATOR_DRAFT  # wrapped, it cannot be read back
    two = scene(f"{RULE}\n❯\u00a0first\n  second‸\n{RULE}")
    assert refused(two, on=stash).code is Code.OPERATOR_DRAFT
    assert refused(scene("> mine‸"), on=terms(draft=Draft.STASH)).code is Code.OPERATOR_DRAFT
    assert refused(box("my own"), on=terms(replace(DEMO, cut=()), draft=Draft.STASH)).code is Code.OPERATOR_DRAFT


# --- a program at work, when the caller does not want to wait

BUSY = box("", above="✻ Working (esc to interrupt)", quiet=0.1)


def test_work_is_refused_when_the_caller_says_so() -> None:
    refusal = refused(BUSY, on=terms(DEMO, WhenBusy.REFUSE))
    assert (refusal.code, "busy" in refusal.evidence) == (Code.NOT_READY, True)


@pytest.mark.parametrize("when", [WhenBusy.QUEUE, WhenBusy.STEER, WhenBusy.INTERRUPT])
def test_the_profile_says_with_which_keys(when: WhenBusy) -> None:
    keyed = replace(DEMO, queue=("Tab",), steer=("Enter",), interrupt=("Escape",))
    keys = {WhenBusy.QUEUE: ("Tab",), WhenBusy.STEER: ("Enter",), WhenBusy.INTERRUPT: ("Escape",)}[when]
    answer = cleared(BUSY, on=terms(keyed, when))
    assert (answer.submit or answer.interrupt) == keys
    assert bool(answer.interrupt) == (when is WhenBusy.INTERRUPT)
    without = refused(BUSY, on=terms(replace(DEMO, queue=(), steer=(), interrupt=()), when))
    assert f"no keys to {when}" in without.evidence


def test_a_draft_forbids_to_queue() -> None:
    busy = box("my own", above="✻ Working (esc to interrupt)", quiet=0.1)
    assert refused(busy, on=terms(DEMO, WhenBusy.QUEUE)).code is Code.OPERATOR_DRAFT


def test_work_that_is_not_at_its_composer_is_not_queued_to() -> None:
    assert "composer" in refused(scene("...‸", replace(READING, unread=3)), on=terms(DEMO, WhenBusy.QUEUE)).evidence


def test_nobody_who_waits_for_nothing_is_asked_about_work() -> None:
    assert cleared(box(""), on=terms(DEMO, WhenBusy.QUEUE)) == cleared(box(""), on=terms(DEMO))


@pytest.mark.parametrize("draft", list(Draft))
def test_what_an_earlier_send_left_there_is_taken_out(draft: Draft) -> None:
    found = cleared(box("fix  it"), on=replace(terms(DEMO, draft=draft), leftover="fix it\n"))
    assert (found.draft, found.ours) == ("fix  it", True)


@pytest.mark.parametrize("leftover", ["", "fix", "fix it now"])
def test_anything_else_is_somebodys_draft(leftover: str) -> None:
    answer = refused(box("fix it"), on=replace(terms(DEMO, draft=Draft.REFUSE), leftover=leftover))
    assert (answer.code, answer.evidence) == (Code.OPERATOR_DRAFT, "unsent text stands in the composer: 'fix it'")


@pytest.mark.parametrize("draft", [Draft.HOLD, Draft.REFUSE])
def test_what_an_earlier_send_left_where_it_cannot_be_taken_out_is_told(draft: Draft) -> None:
    answer = refused(scene("> fix it‸"), on=replace(terms(draft=draft), leftover="fix it"))
    assert answer.code is Code.OPERATOR_DRAFT
    assert answer.evidence == "the text of an earlier send stands in the composer, and was never submitted: 'fix it'"
