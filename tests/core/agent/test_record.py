"""What an agent is: the table of its states, its name, how it is shown, and what it may be answered."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.agent.record import (
    DONE_FOR,
    SILENT,
    SPOKEN,
    TRANSITIONS,
    Actor,
    Agent,
    Answer,
    AnswerMode,
    Said,
    Stage,
    check_answer,
    check_name,
    choice_of,
    free_name,
    next_stage,
    number_of,
    opens,
    shown,
)
from paneward.core.dialog.choice import Choice
from paneward.core.errors import Code, InvalidInput
from paneward.core.result import Menu, Option

STAGES, SAYINGS = st.sampled_from(Stage), st.sampled_from(Said)
# The table as it was agreed upon, written down a second time: rows are states, columns who said what.
AGREED = """
                USER_COMMAND  USER_ANSWER  AGENT_PROGRESS   AGENT_QUESTION  AGENT_COMPLETION
IDLE            COMMANDED     -            PROCESSING       AWAITING_INPUT  COMPLETE
COMPLETE        COMMANDED     -            PROCESSING       AWAITING_INPUT  COMPLETE
COMMANDED       COMMANDED     -            PROCESSING       AWAITING_INPUT  COMPLETE
PROCESSING      PROCESSING    PROCESSING   PROCESSING       AWAITING_INPUT  COMPLETE
AWAITING_INPUT  COMMANDED     PROCESSING   AWAITING_INPUT   AWAITING_INPUT  COMPLETE
"""
MENU = Menu(
    "Which colour?",
    (Option(1, "Red"), Option(2, "Green"), Option(4, "Blue"), Option(5, "Type something.")),
    selected=0,
    free_text=3,
    multi=False,
    fingerprint="f1",
)


def agreed() -> dict[tuple[Stage, Said], Stage | None]:
    head, *rows = AGREED.strip().splitlines()
    return {
        (Stage(row.split()[0]), Said[said]): None if to == "-" else Stage(to)
        for row in rows
        for said, to in zip(head.split(), row.split()[1:], strict=True)
    }


# --- the table


@pytest.mark.parametrize(("entry", "to"), agreed().items(), ids=lambda one: str(one))
def test_every_entry_of_the_table_is_the_agreed_one(entry: tuple[Stage, Said], to: Stage | None) -> None:
    assert next_stage(*entry) is to


def test_the_agreed_table_has_every_state_and_everything_that_can_be_said() -> None:
    assert set(agreed()) == {(stage, said) for stage in Stage for said in Said}
    assert set(TRANSITIONS) == set(Stage)


@given(STAGES, st.lists(SAYINGS, max_size=30))
def test_whatever_is_said_the_agent_stays_in_the_table(stage: Stage, sayings: list[Said]) -> None:
    for said in sayings:
        stage = next_stage(stage, said) or stage
        assert stage in TRANSITIONS


@given(STAGES, st.lists(SAYINGS, max_size=30))
def test_a_refused_transition_changes_nothing_of_what_follows(stage: Stage, sayings: list[Said]) -> None:
    kept, without = stage, stage
    for said in sayings:
        refused = next_stage(kept, said) is None
        kept = next_stage(kept, said) or kept
        without = without if refused else next_stage(without, said) or without
    assert kept is without


@given(STAGES, SAYINGS)
def test_only_an_answer_that_nobody_asked_for_is_refused(stage: Stage, said: Said) -> None:
    refused = next_stage(stage, said) is None
    assert refused == (said is Said.USER_ANSWER and stage not in (Stage.AWAITING_INPUT, Stage.PROCESSING))


@given(STAGES)
def test_a_question_waits_for_its_answer_and_a_completion_ends_it(stage: Stage) -> None:
    asked = next_stage(stage, Said.AGENT_QUESTION)
    assert asked is Stage.AWAITING_INPUT
    assert next_stage(asked, Said.AGENT_PROGRESS) is Stage.AWAITING_INPUT
    assert next_stage(asked, Said.USER_ANSWER) is Stage.PROCESSING
    assert next_stage(stage, Said.AGENT_COMPLETION) is Stage.COMPLETE


@given(STAGES, st.lists(SAYINGS, min_size=1, max_size=40))
def test_between_two_commands_that_open_lies_an_end_or_the_first_is_replaced(stage: Stage, said: list[Said]) -> None:
    """What opens a command while one is open replaces it: only the user does that, and never while it works."""
    is_open = stage not in (Stage.IDLE, Stage.COMPLETE)
    for one in said:
        if opens(stage, one):
            assert not is_open or (one is Said.USER_COMMAND and stage is not Stage.PROCESSING)
        to = next_stage(stage, one) or stage
        is_open = to not in (Stage.IDLE, Stage.COMPLETE)
        stage = to


@given(STAGES)
def test_an_answer_opens_no_command_and_words_that_join_the_work_neither(stage: Stage) -> None:
    assert not opens(stage, Said.USER_ANSWER)
    assert not opens(Stage.PROCESSING, Said.USER_COMMAND)
    assert opens(stage, Said.USER_COMMAND) or stage is Stage.PROCESSING


def test_everything_that_can_be_said_has_its_speaker() -> None:
    assert set(SPOKEN) == set(Said)
    assert len(set(SPOKEN.values())) == len(SPOKEN)
    assert {said for said, (actor, _) in SPOKEN.items() if actor is Actor.USER} == {Said.USER_COMMAND, Said.USER_ANSWER}


# --- how it is shown


def test_a_command_that_is_done_shows_for_a_minute() -> None:
    agent = Agent("a", stage=Stage.COMPLETE, since=1000.0)
    assert shown(agent, 1000.0 + DONE_FOR - 1) == "COMPLETE"
    assert shown(agent, 1000.0 + DONE_FOR) == "IDLE"


def test_work_without_a_sign_of_life_is_shown_as_timed_out() -> None:
    agent = Agent("a", stage=Stage.PROCESSING, since=1000.0)
    assert shown(agent, 1000.0 + SILENT - 1) == "PROCESSING"
    assert shown(agent, 1000.0 + SILENT) == "TIMED_OUT"
    assert shown(replace(agent, alive_at=1500.0), 1000.0 + SILENT) == "PROCESSING"
    assert shown(replace(agent, alive_at=1500.0), 1500.0 + SILENT) == "TIMED_OUT"


@given(STAGES, st.floats(0, 1e6))
def test_everything_else_shows_as_it_is_and_nothing_is_stored(stage: Stage, now: float) -> None:
    agent = Agent("a", stage=stage, since=500.0)
    if stage not in (Stage.COMPLETE, Stage.PROCESSING):
        assert shown(agent, now) == stage
    assert agent.stage is stage


# --- names


@pytest.mark.parametrize("name", ["a", "claude-1", "my.agent_2", "0", "a" * 63])
def test_a_name_is_lower_case_letters_digits_and_three_marks(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["", "A", "-a", ".a", "a b", "a/b", "%1", "ä", "a\n", "a" * 64])
def test_another_name_is_refused_with_what_would_be_one(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_name(name)
    assert (refused.value.code, bool(refused.value.hint)) == (Code.INVALID_NAME, True)


@given(st.text(max_size=80), st.sets(st.sampled_from(["claude-1", "claude-2", "agent-1"])))
def test_a_name_that_is_made_up_is_a_name_that_nobody_has(kind: str, taken: set[str]) -> None:
    name = free_name(kind, taken)
    assert check_name(name) not in taken


def test_names_are_counted_by_kind() -> None:
    assert free_name("claude", []) == "claude-1"
    assert free_name("claude", ["claude-1", "claude-3"]) == "claude-2"
    assert free_name("", []) == "agent-1"


# --- answers

GOOD = [
    (Answer(text="blue"), Choice(text="blue")),
    (Answer("other", "blue"), Choice(other="blue")),
    (Answer("select", option_label="Green"), Choice("Green")),
    (Answer("select", option_index=0), Choice(1)),
    (Answer("select", option_index=2), Choice(4)),
    (Answer("select", "why", option_index=0), Choice(1, other="why")),
    (Answer("multi_select", answers=((0, "Green"),)), Choice(multi=(1, "Green"))),
    (Answer("multi_select", "more", answers=(("Red",),)), Choice(multi=("Red",), other="more")),
    (Answer("select", option_label="Green", startup=True), Choice("Green", startup=True)),
]


@pytest.mark.parametrize(("answer", "choice"), GOOD)
def test_an_answer_is_a_choice_by_the_numbers_shown(answer: Answer, choice: Choice) -> None:
    check_answer(answer)
    assert choice_of(answer, MENU) == replace(choice, fingerprint="f1")


@pytest.mark.parametrize(("answer", "choice"), GOOD)
def test_it_is_meant_for_the_dialog_that_the_caller_saw_else_for_the_one_that_is_open(
    answer: Answer, choice: Choice
) -> None:
    assert choice_of(replace(answer, fingerprint="f9"), MENU).fingerprint == "f9"
    assert choice_of(answer, None).fingerprint is None


def test_the_second_list_answers_the_next_dialog_whatever_the_first_one_was() -> None:
    answer = Answer("multi_select", answers=((0,), ("Blue", 1)), fingerprint="f0")
    check_answer(answer)
    assert choice_of(answer, MENU) == Choice(multi=(1,), fingerprint="f0")
    assert choice_of(answer, MENU, 1) == Choice(multi=("Blue", 2), fingerprint="f1")


@pytest.mark.parametrize(
    "answer",
    [
        Answer("shout", "blue"),
        Answer("text"),
        Answer("text", ""),
        Answer("other"),
        Answer("select"),
        Answer("select", "blue"),
        Answer("select", option_index=1, option_label="Green"),
        Answer("select", option_index=-1),
        Answer("multi_select"),
        Answer("multi_select", answers=()),
        Answer("multi_select", answers=((),)),
        Answer("multi_select", answers=((1,), ())),
        Answer("multi_select", answers=((-1,),)),
        Answer("multi_select", answers=((1,),), option_index=1),
        Answer("text", "blue", option_index=1),
        Answer("text", "blue", answers=((1,),)),
    ],
)
def test_an_answer_that_no_dialog_could_take_is_refused(answer: Answer) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_answer(answer)
    assert (refused.value.code, bool(refused.value.hint)) == (Code.INVALID_ANSWER, True)


@given(st.integers(0, 50))
def test_an_index_beyond_the_options_is_no_option_that_is_shown(index: int) -> None:
    shown_numbers = [option.number for option in MENU.options]
    assert (number_of(index, MENU) in shown_numbers) == (index < len(MENU.options))


@given(st.integers(0, 50))
def test_a_later_index_has_a_higher_number(index: int) -> None:
    for menu in (MENU, None, replace(MENU, options=())):
        one, two = next(iter(pairwise(number_of(at, menu) for at in (index, index + 1))))
        assert one < two


def test_every_mode_has_a_test() -> None:
    assert {answer.mode for answer, _ in GOOD} == set(AnswerMode)
