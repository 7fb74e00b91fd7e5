"""The judgement of states: a wrong one is seen, and so is one that was taken back."""

from paneward.core.state.claims import AgentState, Ending, Source, Standing
from prove.states import outcome
from prove.truth import BURST, SILENCE, Era, Record, judge

IDLE, BUSY, PERMISSION = AgentState.IDLE, AgentState.BUSY, AgentState.AWAITING_PERMISSION


def record(*said: tuple[float, AgentState], printed: tuple[float, ...] = ()) -> Record:
    """Ten seconds: it rests, from 2 on it may work, from 3 on it does, from 8 on it rests again."""
    eras = [
        Era(0.0, frozenset({IDLE}), "before", strict=True),
        Era(2.0, frozenset({IDLE, BUSY}), "submitted"),
        Era(3.0, frozenset({BUSY}), "works", strict=True),
        Era(8.0, frozenset({IDLE}), "done", strict=True),
    ]
    told = [(at, Standing(state, Source.SCREEN, "seen", at)) for at, state in said]
    samples = []
    for step in range(200):
        at = step * 0.05
        samples.append((at, next(state for since, state in reversed(said) if since <= at)))
    return Record(eras, told, samples, list(printed))


def test_what_is_said_in_time_is_right() -> None:
    right, wrong, reversals = judge(record((0, IDLE), (2.5, BUSY), (8.1, IDLE), printed=(2.4, 3.1, 8.2)))
    assert (right, wrong, reversals) == (200, [], [])


def test_a_state_counts_as_wrong_from_the_first_output_after_the_change_on() -> None:
    right, [wrong], _ = judge(record((0, IDLE), (2.5, BUSY), (8.4, IDLE), printed=(8.2, 8.3, 8.305, 8.35)))
    assert (wrong.start, wrong.end, wrong.state, wrong.why) == (8.2, 8.4, BUSY, "done")
    assert wrong.events == 2, f"what comes within {BURST} s is one"
    assert right == 196


def test_without_output_it_counts_after_the_silence() -> None:
    _, [wrong], _ = judge(record((0, IDLE), (2.5, BUSY), (9.0, IDLE)))
    assert (wrong.start, wrong.end) == (8.0 + SILENCE, 9.0)
    assert wrong.silence > SILENCE


def test_a_third_state_is_wrong_even_while_two_are_right() -> None:
    right, wrong, _ = judge(record((0, IDLE), (2.2, PERMISSION), (2.8, BUSY), (8.0, IDLE)))
    assert [(one.state, one.why) for one in wrong] == [(PERMISSION, "submitted")]
    assert right == 188


def test_a_state_that_is_taken_back_is_told() -> None:
    _, _, [reversal] = judge(record((0, IDLE), (2.2, BUSY), (2.4, IDLE), (2.6, BUSY), (8.0, IDLE)))
    assert reversal == "submitted: idle > busy > idle > busy"


def test_a_turn_holds_only_if_nothing_is_wrong_for_long_and_its_end_is_told() -> None:
    done = Standing(IDLE, Source.SCREEN, "seen", 8.0, ending=Ending.DONE)
    fine = record((0, IDLE), (2.5, BUSY), (8.1, IDLE))
    assert outcome(fine, "done", done).ok
    assert not outcome(fine, "interrupted", done).ok
    assert not outcome(record((0, IDLE), (2.5, BUSY), (9.5, IDLE)), "done", done).ok
    assert not outcome(record((0, IDLE), (2.2, BUSY), (2.4, IDLE), (2.6, BUSY), (8.0, IDLE)), "done", done).ok
