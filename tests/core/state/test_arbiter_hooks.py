"""Hooks at the arbiter: they tell first, are believed until something speaks against them, and freeze nothing."""

import pytest

from paneward.core.profiles import CLAUDE, CODEX
from paneward.core.state.arbiter import LOST, PAINTED, SLOW, STALE, StateMachine
from paneward.core.state.claims import AgentState, Ending, Source
from paneward.core.state.hooks import PROOFS, Heard, What
from tests.core.state.test_arbiter import blank, claude, codex, following, status
from tests.core.state.test_hooks import bash, hook

IDLE, BUSY = AgentState.IDLE, AgentState.BUSY
PERMISSION, QUESTION = AgentState.AWAITING_PERMISSION, AgentState.AWAITING_QUESTION
PROMPT, STOP = hook("UserPromptSubmit", prompt="go"), hook("Stop", last_assistant_message="done")


def told(machine: StateMachine, heard: Heard, now: float) -> AgentState:
    return machine.tell(heard, 0.0, now).state


def test_a_prompt_is_work_before_the_screen_shows_it_and_the_hook_is_named() -> None:
    machine = following(claude("idle", 0.0), CLAUDE)
    standing = machine.tell(PROMPT, 0.0, 1.0)
    assert (standing.state, standing.source) == (BUSY, Source.HOOK)
    assert standing.evidence == "claude's UserPromptSubmit hook"
    assert [claim.source for claim in standing.claims] == [Source.HOOK, Source.SCREEN]


def test_a_prompt_after_a_long_silence_is_work_all_the_same() -> None:
    machine = following(claude("idle", 0.0, quiet=100.0), CLAUDE)
    assert told(machine, PROMPT, 1.0) is BUSY
    assert machine.see(claude("idle", 1.5, quiet=101.5), CLAUDE).state is BUSY
    assert machine.see(claude("idle", 1.0 + SLOW, quiet=100.0 + SLOW), CLAUDE).state is IDLE


def test_an_agent_that_just_started_may_take_its_time_to_show_work() -> None:
    """OpenCode stands at rest for seconds after its first prompt."""
    machine = following(claude("idle", 0.0), CLAUDE)
    told(machine, PROMPT, 1.0)
    assert machine.see(claude("idle", 1.0 + 3 * STALE, quiet=3 * STALE), CLAUDE).state is BUSY
    assert (machine.deadline() or 99.0) <= 1.0 + SLOW
    assert machine.see(claude("thinking", 8.0), CLAUDE).state is BUSY
    machine.see(claude("done", 9.0), CLAUDE)
    assert machine.see(claude("done", 9.0 + PAINTED), CLAUDE).state is IDLE


def test_a_stop_is_rest_while_the_screen_still_shows_work() -> None:
    machine = following(claude("thinking", 0.0), CLAUDE)
    assert told(machine, STOP, 1.0) is IDLE
    assert machine.standing.ending is Ending.DONE
    assert machine.see(claude("done", 1.2), CLAUDE).state is IDLE


def test_work_that_goes_on_after_a_stop_is_work_again() -> None:
    """Another hook of the user's can keep an agent from stopping."""
    machine = following(claude("thinking", 0.0), CLAUDE)
    told(machine, STOP, 1.0)
    assert machine.see(claude("thinking", 1.0 + STALE - 0.1), CLAUDE).state is IDLE
    assert machine.deadline() is not None
    assert machine.see(claude("thinking", 1.0 + STALE), CLAUDE).state is BUSY


def test_an_agent_that_showed_its_work_late_may_show_its_rest_as_late() -> None:
    """On a loaded machine OpenCode showed its first work 13 s after the prompt, and its rest 3 s after the end."""
    machine = following(claude("idle", 0.0), CLAUDE)
    told(machine, PROMPT, 1.0)
    assert machine.see(claude("idle", 13.0, quiet=12.0), CLAUDE).state is BUSY
    machine.see(claude("thinking", 14.0), CLAUDE)
    assert machine.see(claude("thinking", 19.9), CLAUDE).state is BUSY
    assert told(machine, STOP, 20.0) is IDLE
    machine.see(blank(20.1), CLAUDE)  # half painted
    assert machine.see(claude("thinking", 20.2), CLAUDE).state is IDLE
    assert machine.see(claude("thinking", 20.0 + 2 * STALE), CLAUDE).state is IDLE
    assert machine.see(claude("thinking", 33.2), CLAUDE).state is BUSY  # it does go on


def test_an_interruption_of_which_no_hook_tells_is_seen_at_once() -> None:
    machine = following(claude("idle", 0.0), CLAUDE)
    told(machine, PROMPT, 1.0)
    assert machine.see(claude("thinking", 1.1), CLAUDE).state is BUSY
    machine.see(claude("interrupted", 3.0), CLAUDE)
    assert machine.see(claude("interrupted", 3.0 + PAINTED), CLAUDE).state is IDLE


def test_work_of_which_no_hook_tells_is_seen_at_once_after_a_stop_that_showed() -> None:
    machine = following(claude("thinking", 0.0), CLAUDE)
    told(machine, STOP, 1.0)
    machine.see(claude("done", 1.1), CLAUDE)
    assert machine.see(claude("thinking", 5.0), CLAUDE).state is BUSY


def test_a_stop_that_never_came_freezes_nothing() -> None:
    machine = following(claude("idle", 0.0), CLAUDE)
    told(machine, PROMPT, 1.0)  # the turn was so short that no look saw its work, and its stop is lost
    assert machine.see(claude("done", 1.5), CLAUDE).state is BUSY
    assert machine.see(claude("done", 1.5 + SLOW, quiet=STALE), CLAUDE).state is IDLE


def test_a_permission_counts_when_its_dialog_shows_and_has_its_words_then() -> None:
    machine = following(claude("thinking", 0.0), CLAUDE)
    assert told(machine, bash("PermissionRequest"), 1.0) is BUSY  # not drawn yet
    standing = machine.see(claude("permission", 1.2), CLAUDE)
    assert (standing.state, standing.kind) == (PERMISSION, "permission")
    assert standing.question


def test_a_permission_that_somebody_gave_without_a_dialog_is_none() -> None:
    machine = following(claude("thinking", 0.0), CLAUDE)
    told(machine, bash("PermissionRequest"), 1.0)
    for now in (1.5, 1.0 + STALE, 10.0, 100.0):
        assert machine.see(claude("thinking", now), CLAUDE).state is BUSY


@pytest.mark.parametrize("then", ["thinking", "interrupted"])
def test_a_dialog_that_was_answered_is_over_at_once(then: str) -> None:
    machine = following(claude("thinking", 0.0), CLAUDE)
    told(machine, bash("PermissionRequest"), 1.0)
    machine.see(claude("permission", 1.2), CLAUDE)
    machine.see(claude(then, 3.0), CLAUDE)
    assert machine.see(claude(then, 3.0 + PAINTED), CLAUDE).state is (BUSY if then == "thinking" else IDLE)


def test_a_notification_does_not_make_another_dialog_of_the_one_that_shows() -> None:
    machine = following(claude("permission", 0.0), CLAUDE)
    notice = hook("Notification", notification_type="permission_prompt")
    assert told(machine, notice, 6.0) is PERMISSION
    assert machine.see(claude("permission", 7.0), CLAUDE).state is PERMISSION


def test_where_the_screen_tells_nothing_hooks_tell_all() -> None:
    machine = following(claude("idle", 0.0), CLAUDE)
    machine.see(blank(1.0), CLAUDE)
    assert told(machine, PROMPT, 1.0) is BUSY
    assert machine.see(blank(60.0), CLAUDE).state is BUSY
    told(machine, bash("PermissionRequest"), 61.0)
    assert machine.see(blank(61.0 + LOST), CLAUDE).state is PERMISSION
    assert told(machine, bash("PostToolUse"), 67.0) is BUSY
    assert told(machine, STOP, 70.0) is IDLE


def test_a_hook_is_believed_for_its_time_only() -> None:
    machine = following(claude("idle", 0.0), CLAUDE)
    machine.see(blank(1.0), CLAUDE)
    told(machine, PROMPT, 1.0)
    over = 1.0 + PROOFS[What.PROMPT].lasts
    due = machine.deadline()
    assert due is not None
    assert due <= over
    assert machine.see(blank(over), CLAUDE).state is AgentState.UNKNOWN


def test_a_newer_word_of_the_program_itself_goes_before_an_older_hook() -> None:
    machine = following(codex("idle", 0.0), CODEX)
    machine.hear(status("working"), 1.0)
    assert told(machine, hook("Stop", "codex"), 2.0) is IDLE
    machine.hear(status("blocked:kind=permission"), 3.0)
    assert machine.see(codex("permission", 3.0 + PAINTED), CODEX).state is PERMISSION


def test_another_program_in_the_pane_has_other_hooks() -> None:
    machine = following(claude("thinking", 0.0), CLAUDE)
    told(machine, PROMPT, 1.0)
    machine.see(codex("idle", 2.0), CODEX)
    assert Source.HOOK not in [claim.source for claim in machine.standing.claims]
