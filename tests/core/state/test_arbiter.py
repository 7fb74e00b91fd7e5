"""The arbiter: every captured screen, and the dialogue of the sources."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.profiles import AIDER, BUILT_IN, CLAUDE, CODEX, GEMINI, GENERIC, SHELL, Profile
from paneward.core.state.arbiter import LOST, PAINTED, STALE, StateMachine
from paneward.core.state.claims import AgentState, Ending, Source, Standing
from paneward.core.terminal.osc import Osc
from paneward.core.terminal.scene import ProcessFacts, Scene
from paneward.testing import SHELL as BASH
from paneward.testing import scene as drawn
from tests.core.readiness.test_corpus_agents import process
from tests.core.screen.agents import CAPTURES, Capture, each_of

IDLE, BUSY = AgentState.IDLE, AgentState.BUSY
PERMISSION, QUESTION = AgentState.AWAITING_PERMISSION, AgentState.AWAITING_QUESTION
UNTOLD = ("opencode", "gemini")  # whose screens do not tell thinking from streaming


def look(capture: Capture, now: float = 0.0, quiet: float = 0.5, **facts: Any) -> Scene:
    return Scene(replace(capture.snapshot, **facts), process(capture), now, quiet=quiet)


def named(name: str) -> Capture:
    return next(capture for capture in CAPTURES if str(capture) == name)


def codex(case: str, now: float, quiet: float = 0.0, **facts: Any) -> Scene:
    return look(named(f"codex/0.166.0/{case}_100"), now, quiet, **facts)


def claude(case: str, now: float, quiet: float = 0.0, version: str = "2.1.325") -> Scene:
    return look(named(f"claude/{version}/{case}_100"), now, quiet)


def status(text: str) -> Osc:
    return Osc(7501, f"state={text}:app=codex")


def title(text: str) -> Osc:
    return Osc(0, text)


def blank(now: float, quiet: float = 0.0, facts: ProcessFacts | None = None) -> Scene:
    return replace(drawn("nothing", process=facts), now=now, quiet=quiet)


def following(first: Scene, profile: Profile) -> StateMachine:
    machine = StateMachine()
    machine.see(first, profile)
    return machine


# --- every captured screen


@each_of(CAPTURES)
def test_every_captured_screen_has_its_state_at_the_first_look(capture: Capture) -> None:
    standing = StateMachine().see(look(capture), capture.profile)
    wanted = {"idle": IDLE, "busy": BUSY, "dialog": PERMISSION if capture.kind == "permission" else QUESTION}
    assert standing.state is wanted[capture.truth["state"]]
    assert standing.evidence
    assert standing.question == (capture.truth["question"] or "")


@each_of([one for one in CAPTURES if one.truth["state"] == "busy"])
def test_what_a_working_agent_does_is_told_where_its_screen_tells(capture: Capture) -> None:
    told = StateMachine().see(look(capture), capture.profile).activity
    untold = capture.agent in UNTOLD and capture.truth["activity"] != "tool"
    assert told == ("" if untold else capture.truth["activity"])


@pytest.mark.parametrize("case", ["done", "tool_done", "error", "interrupted"])
@each_of([one for one in CAPTURES if one.case == "thinking"])
def test_how_a_turn_ended_is_told_by_what_follows_the_last_text(capture: Capture, case: str) -> None:
    after = named(str(capture).replace("thinking", case))
    machine = following(look(capture), capture.profile)
    machine.see(look(after, 10.0, quiet=0.0), after.profile)
    standing = machine.see(look(after, 10.0 + PAINTED), after.profile)
    assert standing.state is IDLE
    assert standing.ending is (Ending.INTERRUPTED if case == "interrupted" else Ending.DONE)
    assert standing.stage == "COMPLETE"


def test_an_agent_that_was_idle_from_the_first_look_on_has_ended_no_turn() -> None:
    standing = StateMachine().see(claude("interrupted", 0.0), CLAUDE)
    assert (standing.ending, standing.stage) == (Ending.NONE, "IDLE")


# --- the strongest source


def test_what_a_program_says_of_itself_counts_more_than_its_screen_and_at_once() -> None:
    machine = worked()
    standing = machine.hear(status("working"), 1.0)
    assert (standing.state, standing.source, standing.since) == (BUSY, Source.STATUS, 1.0)
    assert machine.see(codex("idle", 1.1), CODEX, title_heard=True).state is BUSY
    standing = machine.hear(status("done"), 3.0)
    assert (standing.state, standing.ending) == (IDLE, Ending.DONE)


def test_a_question_of_which_an_agent_tells_counts_when_its_words_show() -> None:
    """On a loaded machine Codex drew its dialog 0.2 s after it said that it is blocked: it was asked twice."""
    machine = following(codex("thinking", 0.0), CODEX)
    assert machine.hear(status("blocked:kind=permission"), 1.0).state is BUSY
    assert machine.deadline() == 1.0 + LOST
    standing = machine.see(codex("permission", 1.5), CODEX, title_heard=True)
    assert (standing.state, standing.source, bool(standing.question)) == (PERMISSION, Source.STATUS, True)


def test_a_question_whose_words_never_show_is_asked_all_the_same() -> None:
    machine = following(codex("thinking", 0.0), CODEX)
    machine.hear(status("blocked:kind=question"), 1.0)
    machine.see(blank(1.1), CODEX, title_heard=True)
    assert machine.see(blank(1.0 + LOST), CODEX, title_heard=True).state is QUESTION


def test_a_program_that_nobody_can_read_is_believed_at_once() -> None:
    machine = following(blank(0.0), GENERIC)
    assert machine.hear(status("blocked:kind=permission"), 1.0).state is PERMISSION
    assert machine.hear(status("blocked:kind=question"), 1.1).state is QUESTION


def test_a_title_counts_more_than_the_screen() -> None:
    machine = worked()
    standing = machine.hear(title("⠋ work"), 1.0)
    assert (standing.state, standing.source) == (BUSY, Source.TITLE)
    assert machine.see(codex("streaming", 1.2), CODEX, title_heard=True).state is BUSY
    assert machine.hear(title("work"), 2.0).state is IDLE


def worked() -> StateMachine:
    """Of a Codex that was seen to work, and is at rest again."""
    machine = following(codex("streaming", -2.0), CODEX)
    machine.hear(title("work"), -1.0)
    machine.see(codex("idle", 0.0), CODEX, title_heard=True)
    assert machine.standing.state is IDLE
    return machine


@pytest.mark.parametrize(("work", "rest"), [(title("⠋ work"), title("work")), (status("working"), status("idle"))])
def test_what_an_agent_tells_of_itself_while_it_starts_is_no_work(work: Osc, rest: Osc) -> None:
    """Codex does, for 20 ms, after its composer is there."""
    machine = following(codex("idle", 0.0), CODEX)
    assert machine.hear(work, 1.0).state is IDLE
    assert machine.deadline() == 1.0 + STALE
    assert machine.hear(rest, 1.02).state is IDLE
    machine.hear(work, 2.0)
    assert machine.see(codex("thinking", 2.05), CODEX, title_heard=True).state is BUSY  # now it shows


def test_what_an_agent_tells_of_itself_before_its_composer_was_seen_is_no_work() -> None:
    """On a loaded machine the title is heard before anybody has looked."""
    machine = following(blank(0.0), CODEX)
    assert machine.hear(title("⠋ work"), 1.0).state is AgentState.STARTING
    assert machine.hear(title("work"), 1.5).state is not BUSY
    assert machine.see(codex("idle", 1.6), CODEX, title_heard=True).state is IDLE
    machine = following(blank(0.0), CODEX)
    machine.hear(title("⠋ work"), 1.0)
    assert machine.see(codex("thinking", 1.1), CODEX, title_heard=True).state is BUSY


def test_an_agent_whose_terminal_tells_of_work_before_its_first_prompt_only_starts() -> None:
    """aider's terminal is in line mode until its prompt is drawn."""
    working = look(named("aider/0.86.2/thinking_100"), 1.0)
    rows = tuple("" if row.lstrip("\x1b[0123456789;m").startswith("> ") else row for row in working.snapshot.rows)
    starting = replace(working, snapshot=replace(working.snapshot, rows=rows))
    machine = following(starting, AIDER)
    assert machine.standing.state is AgentState.STARTING
    assert following(working, AIDER).standing.state is BUSY  # adopted in the middle of a turn
    machine.see(look(named("aider/0.86.2/idle_100"), 2.0), AIDER)
    assert machine.standing.state is IDLE
    assert machine.see(replace(starting, now=3.0), AIDER).state is BUSY


def test_work_that_never_shows_is_believed_when_it_is_told_for_long_enough() -> None:
    machine = following(codex("idle", 0.0), CODEX)
    machine.hear(title("⠋ work"), 2.0)
    assert machine.see(codex("idle", 2.0 + STALE), CODEX, title_heard=True).state is BUSY


def test_the_title_of_a_look_is_not_believed_where_the_stream_tells_titles() -> None:
    machine = worked()
    machine.hear(title("⠋ work"), 1.0)
    assert machine.see(codex("idle", 1.1, title="work"), CODEX, title_heard=True).state is BUSY
    assert machine.see(codex("idle", 1.2, title="work"), CODEX, title_heard=False).state is IDLE


def test_a_title_that_never_told_of_work_says_nothing_of_rest() -> None:
    machine = following(claude("thinking", 0.0), CLAUDE)
    machine.hear(title("✳ Claude Code"), 0.1)
    machine.see(claude("idle", 1.0), CLAUDE, title_heard=True)
    assert machine.standing.state is BUSY, "only the screen tells, so it has to stand for a moment"


def test_a_title_at_rest_says_nothing_while_the_screen_is_being_painted() -> None:
    machine = following(claude("thinking", 0.0, version="2.1.197"), CLAUDE)
    machine.hear(title("⠂ Claude Code"), 0.5)
    machine.see(blank(1.0), CLAUDE, title_heard=True)
    assert machine.hear(title("✳ Claude Code"), 1.1).state is BUSY
    assert machine.see(claude("permission", 1.2), CLAUDE, title_heard=True).state is PERMISSION


def test_a_progress_bar_tells_of_work_until_it_is_taken_away() -> None:
    machine = following(claude("idle", 0.0), CLAUDE)
    assert machine.hear(Osc(9, "4;3;0"), 1.0).source is Source.PROGRESS
    assert machine.hear(Osc(9, "4;0;0"), 2.0).state is IDLE
    machine.hear(Osc(9, "4;1;10"), 3.0)
    assert machine.see(claude("idle", 30.0), CLAUDE).state is IDLE, "it is not believed for ever"


def test_a_title_tells_that_something_is_asked_and_the_screen_what() -> None:
    gemini = named("gemini/0.61.0/permission_100")
    machine = following(look(named("gemini/0.61.0/thinking_100")), GEMINI)
    assert machine.hear(title("✋  Action Required (work)"), 1.0).state is BUSY
    assert machine.deadline() is not None
    standing = machine.see(look(gemini, 1.01), GEMINI, title_heard=True)
    assert (standing.state, standing.kind) == (PERMISSION, "permission")
    working = look(named("gemini/0.61.0/tool_100"), 2.0, quiet=0.0)
    assert machine.see(working, GEMINI, title_heard=True).state is PERMISSION, "its title tells of it still"
    assert machine.hear(title("✦  Working… (work)"), 2.01).state is BUSY


def test_a_question_that_no_screen_shows_is_told_in_the_end() -> None:
    machine = following(codex("thinking", 0.0), CODEX)
    machine.hear(title("[ ! ] Action Required | work"), 1.0)
    machine.see(codex("thinking", 1.1), CODEX, title_heard=True)
    assert machine.standing.state is BUSY
    assert machine.see(codex("thinking", 1.1 + LOST), CODEX, title_heard=True).state is QUESTION


# --- evidence against a stronger source


def test_a_dialog_that_opened_later_overrules_a_word_of_work() -> None:
    machine = following(codex("thinking", 0.0), CODEX)
    machine.hear(status("working"), 1.0)
    machine.see(codex("permission", 2.0), CODEX, title_heard=True)
    assert machine.standing.state is BUSY
    assert machine.deadline() == pytest.approx(2.0 + PAINTED)
    standing = machine.see(codex("permission", 2.0 + PAINTED), CODEX, title_heard=True)
    assert (standing.state, standing.source) == (PERMISSION, Source.SCREEN)
    again = machine.deadline()
    assert again is None or again > 2.0 + PAINTED, "what is due is in the future, or nobody would ever rest"


def test_what_was_said_before_a_gap_is_not_believed_after_it() -> None:
    machine = following(codex("idle", 0.0), CODEX)
    machine.hear(status("working"), 1.0)
    machine.gap()
    machine.see(codex("done", 2.0), CODEX)
    assert machine.see(codex("done", 2.0 + PAINTED), CODEX).state is IDLE


def test_a_word_that_comes_after_a_dialog_was_seen_closes_it() -> None:
    machine = following(codex("permission", 0.0), CODEX)
    assert machine.hear(status("working"), 1.0).state is BUSY
    assert machine.see(codex("permission", 1.1), CODEX, title_heard=True).state is BUSY


def test_a_word_of_work_that_was_lost_freezes_nothing() -> None:
    machine = following(codex("idle", 0.0), CODEX)
    machine.hear(status("working"), 1.0)
    assert machine.see(codex("done", 5.0, quiet=STALE - 0.1), CODEX, title_heard=True).state is BUSY
    assert machine.see(codex("done", 5.2, quiet=STALE), CODEX, title_heard=True).state is IDLE


def test_marks_of_work_that_are_just_being_wiped_do_not_undo_a_word_of_rest() -> None:
    machine = following(codex("idle", 0.0), CODEX)
    machine.hear(status("working"), 1.0)
    machine.hear(status("done"), 2.0)
    assert machine.see(codex("thinking", 2.1, title=""), CODEX, title_heard=True).state is IDLE
    assert machine.see(codex("thinking", 2.5, title=""), CODEX, title_heard=True).state is IDLE
    assert machine.see(codex("thinking", 2.1 + STALE, title=""), CODEX, title_heard=True).state is BUSY


# --- no flicker


def test_a_screen_that_is_being_painted_changes_nothing() -> None:
    machine = following(claude("thinking", 0.0), CLAUDE)
    assert machine.see(blank(1.0), CLAUDE).state is BUSY
    assert machine.see(claude("thinking", 1.1), CLAUDE).state is BUSY
    assert machine.see(blank(2.0), CLAUDE).state is BUSY
    standing = machine.see(blank(2.0 + LOST), CLAUDE)
    assert (standing.state, standing.source) == (AgentState.UNKNOWN, Source.NONE)


def test_a_composer_that_is_seen_for_an_instant_ends_no_work() -> None:
    machine = following(claude("thinking", 0.0), CLAUDE)
    assert machine.see(claude("idle", 1.0), CLAUDE).state is BUSY
    assert machine.see(claude("thinking", 1.01), CLAUDE).state is BUSY
    assert machine.see(claude("idle", 2.0), CLAUDE).state is BUSY
    assert machine.see(claude("idle", 2.0 + PAINTED), CLAUDE).state is IDLE


def test_a_terminal_that_tells_of_work_is_believed_at_once() -> None:
    thinking, idle = (named(f"aider/0.86.2/{case}_100") for case in ("thinking", "done"))
    machine = following(look(thinking), AIDER)
    assert machine.standing.state is BUSY
    assert (machine.deadline() or 0) > 0, "it may change without output"
    assert machine.see(replace(look(idle, 1.0, quiet=0.0), process=None), AIDER).state is BUSY
    assert machine.see(look(idle, 1.01, quiet=0.0), AIDER).state is IDLE


def test_an_activity_that_is_seen_for_an_instant_is_not_told() -> None:
    machine = following(claude("tool", 0.0), CLAUDE)
    assert machine.see(claude("streaming", 1.0), CLAUDE).activity == "tool"
    assert machine.see(claude("tool", 1.1), CLAUDE).activity == "tool"
    machine.see(claude("streaming", 1.2), CLAUDE)
    assert machine.see(claude("streaming", 1.3), CLAUDE).activity == "streaming"


def test_work_that_was_broken_off_may_say_so_later_than_it_rests() -> None:
    machine = following(codex("streaming", 0.0), CODEX)
    machine.hear(status("working"), 1.0)
    assert machine.hear(status("idle"), 2.0).ending is Ending.DONE
    assert machine.see(codex("interrupted", 2.1), CODEX, title_heard=True).ending is Ending.INTERRUPTED
    assert machine.see(codex("interrupted", 9.9), CODEX, title_heard=True).since == 2.0


# --- life and death


def test_an_agent_starts_until_its_composer_is_seen() -> None:
    machine = following(blank(0.0), CLAUDE)
    assert machine.standing.state is AgentState.STARTING
    assert machine.see(claude("idle", 1.0), CLAUDE).state is IDLE


@pytest.mark.parametrize("facts", [{"gone": True}, {}])
def test_a_pane_that_is_gone_or_dead_is_dead_whatever_was_said(facts: dict[str, Any]) -> None:
    machine = following(codex("idle", 0.0), CODEX)
    machine.hear(status("working"), 1.0)
    last = codex("thinking", 2.0, dead=not facts, dead_status="1")
    assert machine.see(replace(last, **facts), CODEX, title_heard=True).state is AgentState.DEAD


def test_an_agent_that_fell_back_to_the_shell_is_dead() -> None:
    machine = following(claude("thinking", 0.0), CLAUDE)
    standing = machine.see(replace(drawn("me@host:~$ ‸", process=BASH), now=1.0), SHELL)
    assert (standing.state, standing.source) == (AgentState.DEAD, Source.PROCESS)
    assert "Claude Code ended" in standing.evidence
    assert machine.see(claude("idle", 2.0), CLAUDE).state is IDLE


def test_a_program_without_a_composer_is_judged_by_the_rules_of_readiness() -> None:
    machine = following(replace(drawn("me@host:~$ ‸", process=BASH), now=0.0), SHELL)
    assert machine.standing.state is IDLE
    machine = following(replace(drawn("Overwrite? [y/N] ‸"), now=0.0), GENERIC)
    assert (machine.standing.state, machine.standing.question) == (QUESTION, "Overwrite? [y/N]")


# --- properties

FACTS = st.one_of(
    st.sampled_from([status(text) for text in ("working", "done", "idle", "blocked:kind=permission")]),
    st.sampled_from([title(text) for text in ("⠋ work", "work", "[ ! ] Action Required | work")]),
    st.sampled_from(["idle", "thinking", "streaming", "permission", "question", "done", "interrupted"]),
)


def fed(machine: StateMachine, fact: Osc | str, now: float) -> Standing:
    if isinstance(fact, str):
        return machine.see(codex(fact, now), CODEX, title_heard=True)
    return machine.hear(fact, now)


@given(st.lists(FACTS, max_size=20))
def test_a_fact_that_is_told_again_changes_nothing_and_every_state_has_its_evidence(facts: list[Osc | str]) -> None:
    machine = following(codex("idle", 0.0), CODEX)
    for step, fact in enumerate(facts):
        standing = fed(machine, fact, step + 1.0)
        settled = fed(machine, fact, step + 1.2)
        assert standing.evidence
        assert fed(machine, fact, step + 1.3).state is settled.state, "no reversal without a new fact"
        assert settled.since <= step + 1.2
        due = machine.deadline()
        assert due is None or due > step + 1.3


@pytest.mark.parametrize("profile", BUILT_IN.values(), ids=lambda profile: profile.name)
def test_nothing_is_said_before_the_first_look(profile: Profile) -> None:
    assert profile.name
    assert StateMachine().standing.state is AgentState.UNKNOWN
    assert StateMachine().deadline() is None
