"""What an agent is heard to say: by levels, once each, and nothing that nobody said."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.agent.record import Said, Stage, next_stage
from paneward.core.agent.utterance import AGAIN, SIGNALLED, STOOD, Hearing, Seen, same_question
from paneward.core.profiles import CODEX
from paneward.core.readiness.pending import REST
from paneward.core.result import Menu, Option
from paneward.core.state.claims import AWAITING, AgentState, Ending, Source, Standing

ASKED = Menu("Which colour?", (Option(1, "Red"), Option(2, "Green")), 0, None, False, "f1", kind="question")
OTHER = Menu("Which size?", (Option(1, "Small"),), 0, None, False, "f2", kind="question")


def standing(state: AgentState, ending: Ending = Ending.NONE) -> Standing:
    return Standing(state, Source.SCREEN, f"it is {state}", 0.0, ending=ending)


def seen(state: AgentState, now: float, menu: Menu | None = None, quiet: float = 0.0) -> Seen:
    return Seen(standing(state), now, menu, quiet)


class Ear:
    """A hearing and the stage that what was heard led to."""

    def __init__(self, stage: Stage = Stage.IDLE, question: Menu | None = None) -> None:
        self.hearing = Hearing()
        self.stage, self.question = stage, question

    def look(
        self, state: AgentState, now: float, menu: Menu | None = None, quiet: float = 0.0, times: int = 4
    ) -> list[Said]:
        """What is heard at one look, until there is nothing more."""
        heard: list[Said] = []
        for _ in range(times):
            said = self.hearing.hear(self.stage, self.question, seen(state, now, menu, quiet))
            if said is None:
                break
            heard.append(said)
            self.stage = next_stage(self.stage, said) or self.stage
            asked = self.hearing.question(seen(state, now, menu))
            self.question = asked if said is Said.AGENT_QUESTION else None
        return heard

    def tell(self, said: Said, now: float, *meanwhile: AgentState) -> None:
        """Our own words go in; `meanwhile` is what is seen while they do."""
        self.hearing.begin(self.question if said is Said.USER_ANSWER else None)
        for state in meanwhile:
            assert self.look(state, now) == []
        self.stage = next_stage(self.stage, said) or self.stage
        self.question = None
        self.hearing.end(now)


# --- work and its end


def test_work_that_begins_is_progress_and_its_end_a_completion() -> None:
    ear = Ear()
    assert ear.look(AgentState.BUSY, 1) == [Said.AGENT_PROGRESS]
    assert ear.look(AgentState.BUSY, 2) == []
    assert ear.look(AgentState.IDLE, 3) == [Said.AGENT_COMPLETION]
    assert ear.look(AgentState.IDLE, 100, quiet=50) == []
    assert ear.stage is Stage.COMPLETE


def test_a_coding_agent_may_take_its_time_to_show_work_each_time() -> None:
    hearing = Hearing()

    def heard(now: float) -> Said | None:
        return hearing.hear(Stage.COMMANDED, None, replace(seen(AgentState.IDLE, now), profile=CODEX))

    for told_at in (1.0, 30.0):
        hearing.begin()
        hearing.end(told_at)
        assert heard(told_at + 2 * REST) is None
        assert hearing.deadline() == pytest.approx(told_at + CODEX.first_work)
        assert heard(told_at + CODEX.first_work) is Said.AGENT_COMPLETION
        hearing.hear(Stage.COMMANDED, None, seen(AgentState.BUSY, told_at + 20))


def test_a_command_whose_work_was_seen_is_completed_at_once() -> None:
    ear = Ear()
    ear.tell(Said.USER_COMMAND, 1)
    assert ear.look(AgentState.BUSY, 2) == [Said.AGENT_PROGRESS]
    assert ear.look(AgentState.IDLE, 2.1) == [Said.AGENT_COMPLETION]


def test_work_that_was_over_before_the_receipt_came_counts() -> None:
    ear = Ear()
    ear.tell(Said.USER_COMMAND, 1, AgentState.BUSY, AgentState.IDLE)
    assert ear.look(AgentState.IDLE, 1.1) == [Said.AGENT_COMPLETION]


def test_a_command_without_a_sign_of_work_is_completed_by_evidence_only() -> None:
    ear = Ear()
    ear.tell(Said.USER_COMMAND, 10)
    assert ear.look(AgentState.IDLE, 10.5, quiet=0.5) == []
    assert ear.hearing.deadline() == 12
    assert ear.look(AgentState.IDLE, 12, quiet=2.0) == [Said.AGENT_COMPLETION]
    assert ear.hearing.deadline() is None


def test_a_clock_that_ticks_is_no_work() -> None:
    ear = Ear()
    ear.tell(Said.USER_COMMAND, 10)
    for tick in range(1, 20):
        assert ear.look(AgentState.IDLE, 10 + tick / 10, quiet=0.0) == []
    assert ear.look(AgentState.IDLE, 12, quiet=0.0) == [Said.AGENT_COMPLETION]


def test_a_look_from_before_our_words_tells_nothing_of_them() -> None:
    hearing = Hearing()
    assert not hearing.outdated(1.0)
    hearing.begin()
    assert not hearing.outdated(1.0), "they are on their way"
    hearing.end(2.0)
    assert hearing.outdated(1.9)
    assert not hearing.outdated(2.0)


def test_a_long_silence_before_the_command_proves_nothing() -> None:
    ear = Ear()
    ear.tell(Said.USER_COMMAND, 100)
    assert ear.look(AgentState.IDLE, 100.1, quiet=90) == []
    assert ear.look(AgentState.IDLE, 102, quiet=92) == [Said.AGENT_COMPLETION]


def test_old_work_is_no_sign_of_work_on_the_next_command() -> None:
    ear = Ear()
    ear.look(AgentState.BUSY, 1)
    ear.look(AgentState.IDLE, 2)
    ear.tell(Said.USER_COMMAND, 3)
    assert ear.look(AgentState.IDLE, 3.1) == []


@pytest.mark.parametrize("state", [AgentState.STARTING, AgentState.UNKNOWN, AgentState.DEAD])
@pytest.mark.parametrize("stage", Stage)
def test_a_screen_that_tells_nothing_says_nothing(stage: Stage, state: AgentState) -> None:
    assert Ear(stage, ASKED).look(state, 50, quiet=50) == []


# --- questions


def test_a_question_has_to_stand_for_a_moment() -> None:
    ear = Ear(Stage.PROCESSING)
    assert ear.look(AgentState.AWAITING_QUESTION, 1, ASKED) == []
    assert ear.hearing.deadline() == 1 + STOOD
    assert ear.look(AgentState.AWAITING_QUESTION, 1 + STOOD, ASKED) == [Said.AGENT_QUESTION]
    assert ear.question == ASKED


def test_a_dialog_in_mid_paint_begins_to_stand_when_it_is_whole() -> None:
    ear = Ear(Stage.PROCESSING)
    half = replace(ASKED, options=ASKED.options[:1], fingerprint="half")
    ear.look(AgentState.AWAITING_QUESTION, 1, half)
    assert ear.look(AgentState.AWAITING_QUESTION, 1 + STOOD, ASKED) == []
    assert ear.look(AgentState.AWAITING_QUESTION, 1 + 2 * STOOD, ASKED) == [Said.AGENT_QUESTION]


def test_the_same_question_is_heard_once_though_it_scrolls_or_holds_words() -> None:
    ear = Ear(Stage.AWAITING_INPUT, ASKED)
    scrolled = replace(ASKED, options=(Option(7, "Violet"),), fingerprint="f7", selected=0)
    for now in range(1, 9):
        assert ear.look(AgentState.AWAITING_QUESTION, now, scrolled if now % 2 else ASKED) == []


def test_another_question_in_its_place_is_heard() -> None:
    ear = Ear(Stage.AWAITING_INPUT, ASKED)
    ear.look(AgentState.AWAITING_PERMISSION, 1, OTHER)
    assert ear.look(AgentState.AWAITING_PERMISSION, 1 + STOOD, OTHER) == [Said.AGENT_QUESTION]
    assert ear.question == OTHER


def test_a_dialog_that_cannot_be_read_is_a_question_by_its_words() -> None:
    ear = Ear()
    ear.look(AgentState.AWAITING_QUESTION, 1)
    assert ear.look(AgentState.AWAITING_QUESTION, 2) == [Said.AGENT_QUESTION]
    assert ear.question == Menu("", (), None, None, False, "")
    assert ear.look(AgentState.AWAITING_QUESTION, 3) == []


def test_somebody_who_answers_in_the_pane_is_heard() -> None:
    ear = Ear(Stage.AWAITING_INPUT, ASKED)
    assert ear.look(AgentState.BUSY, 1) == [Said.USER_ANSWER]
    assert ear.look(AgentState.IDLE, 2) == [Said.AGENT_COMPLETION]


def test_a_dialog_that_was_closed_in_the_pane_is_over_once_nothing_moves() -> None:
    ear = Ear(Stage.AWAITING_INPUT, ASKED)
    assert ear.look(AgentState.IDLE, 5, quiet=0.1) == []
    assert ear.look(AgentState.IDLE, 7, quiet=2.1) == [Said.AGENT_COMPLETION]


# --- our own answers


def test_the_answered_dialog_may_stand_for_a_moment() -> None:
    ear = Ear(Stage.AWAITING_INPUT, ASKED)
    ear.tell(Said.USER_ANSWER, 10, AgentState.AWAITING_QUESTION)
    assert ear.look(AgentState.AWAITING_QUESTION, 10.05, ASKED) == []
    assert ear.hearing.deadline() == 10 + AGAIN
    assert ear.look(AgentState.BUSY, 10.1) == []
    assert ear.look(AgentState.IDLE, 11) == [Said.AGENT_COMPLETION]


def test_the_same_dialog_after_work_is_a_new_question() -> None:
    ear = Ear(Stage.AWAITING_INPUT, ASKED)
    ear.tell(Said.USER_ANSWER, 10, AgentState.BUSY)
    ear.look(AgentState.AWAITING_QUESTION, 10.1, ASKED)
    assert ear.look(AgentState.AWAITING_QUESTION, 10.3, ASKED) == [Said.AGENT_QUESTION]


def test_the_same_dialog_that_still_stands_is_asked_again() -> None:
    ear = Ear(Stage.AWAITING_INPUT, ASKED)
    ear.tell(Said.USER_ANSWER, 10)
    assert ear.look(AgentState.AWAITING_QUESTION, 10.9, ASKED) == []
    ear.look(AgentState.AWAITING_QUESTION, 10 + AGAIN, ASKED)
    assert ear.look(AgentState.AWAITING_QUESTION, 10 + AGAIN + STOOD, ASKED) == [Said.AGENT_QUESTION]


def test_the_next_dialog_of_several_is_a_new_question_at_once() -> None:
    ear = Ear(Stage.AWAITING_INPUT, ASKED)
    ear.tell(Said.USER_ANSWER, 10)
    ear.look(AgentState.AWAITING_QUESTION, 10.01, OTHER)
    assert ear.look(AgentState.AWAITING_QUESTION, 10.01 + STOOD, OTHER) == [Said.AGENT_QUESTION]


def test_a_composer_between_the_dialog_and_the_work_is_no_end() -> None:
    ear = Ear(Stage.AWAITING_INPUT, ASKED)
    ear.tell(Said.USER_ANSWER, 10)
    assert ear.look(AgentState.IDLE, 10.05, quiet=0.04) == []
    assert ear.look(AgentState.BUSY, 10.2) == []
    assert ear.look(AgentState.IDLE, 12) == [Said.AGENT_COMPLETION]


# --- properties

MOMENTS = st.tuples(
    st.sampled_from(AgentState), st.sampled_from([None, ASKED, OTHER]), st.floats(0.01, 5), st.floats(0, 10)
)


@given(st.sampled_from(Stage), st.lists(MOMENTS, max_size=40))
def test_a_look_that_is_repeated_says_nothing_new(
    stage: Stage, moments: list[tuple[AgentState, Menu, float, float]]
) -> None:
    ear, now = Ear(stage), 0.0
    for state, menu, passed, quiet in moments:
        now += passed
        ear.look(state, now, menu, quiet)
        assert ear.look(state, now, menu, quiet) == []


@given(st.sampled_from(Stage), st.lists(MOMENTS, max_size=40))
def test_what_is_heard_always_has_a_way_in_the_table(
    stage: Stage, moments: list[tuple[AgentState, Menu, float, float]]
) -> None:
    ear, now = Ear(stage), 0.0
    for state, menu, passed, quiet in moments:
        now += passed
        said = ear.hearing.hear(ear.stage, ear.question, seen(state, now, menu, quiet))
        assert said is None or next_stage(ear.stage, said) is not None
        ear.look(state, now, menu, quiet)


@given(st.sampled_from(Stage), st.lists(MOMENTS, max_size=40))
def test_nothing_is_heard_while_our_words_go_in(
    stage: Stage, moments: list[tuple[AgentState, Menu, float, float]]
) -> None:
    ear, now = Ear(stage), 0.0
    ear.hearing.begin()
    ear.hearing.begin()  # two deliveries, one after the other
    ear.hearing.end(0.0)
    for state, menu, passed, quiet in moments:
        now += passed
        assert ear.look(state, now, menu, quiet) == []


@given(st.sampled_from(Stage), st.sampled_from(AgentState), st.sampled_from([ASKED, OTHER]))
def test_whatever_was_missed_stage_and_screen_agree_in_the_end(stage: Stage, state: AgentState, menu: Menu) -> None:
    """A state that stands is taken in, whatever was heard before: at each deadline another look, and it is settled."""
    ear, now = Ear(stage, ASKED if stage is Stage.AWAITING_INPUT else None), 10.0
    for _ in range(6):
        ear.look(state, now, menu if state in AWAITING else None, quiet=now)
        due = ear.hearing.deadline()
        if due is None:
            break
        assert due > now
        now = due
    wanted = {
        AgentState.BUSY: (Stage.PROCESSING,),
        AgentState.IDLE: (Stage.IDLE, Stage.COMPLETE),
        AgentState.AWAITING_QUESTION: (Stage.AWAITING_INPUT,),
        AgentState.AWAITING_PERMISSION: (Stage.AWAITING_INPUT,),
    }.get(state, (stage,))
    assert ear.stage in wanted


def test_questions_are_the_same_by_their_fingerprint_or_their_words() -> None:
    assert same_question(None, None)
    assert not same_question(ASKED, None)
    assert same_question(ASKED, replace(ASKED, fingerprint="x"))
    assert same_question(ASKED, replace(ASKED, question="x"))
    assert not same_question(ASKED, OTHER)


# --- what it says itself


def test_who_says_at_rest_that_it_waits_for_an_answer_asks_until_it_is_told_something() -> None:
    ear = Ear()
    ear.hearing.wants("Which database?")
    assert ear.look(AgentState.IDLE, 1) == [Said.AGENT_QUESTION]
    assert ear.question is not None
    assert (ear.question.question, ear.question.kind) == ("Which database?", SIGNALLED)
    assert ear.look(AgentState.IDLE, 500, quiet=499) == []
    ear.tell(Said.USER_ANSWER, 501)
    assert ear.look(AgentState.BUSY, 502) == []
    assert ear.look(AgentState.IDLE, 503) == [Said.AGENT_COMPLETION]


def test_what_it_says_at_work_is_asked_when_that_has_ended() -> None:
    ear = Ear()
    ear.look(AgentState.BUSY, 1)
    ear.hearing.wants("")
    assert ear.look(AgentState.BUSY, 2) == []
    assert ear.look(AgentState.IDLE, 3) == [Said.AGENT_QUESTION]
    assert ear.question is not None
    assert ear.question.question == "it waits for an answer"


def test_it_asks_no_more_when_it_says_something_else_or_is_answered_in_the_pane() -> None:
    ear = Ear()
    ear.hearing.wants("Which?")
    ear.look(AgentState.IDLE, 1)
    ear.hearing.wants(None)
    assert ear.look(AgentState.IDLE, 2) == [Said.AGENT_COMPLETION]
    ear.hearing.wants("Which?")
    ear.look(AgentState.IDLE, 3)
    assert ear.look(AgentState.BUSY, 4) == [Said.USER_ANSWER]
    assert ear.look(AgentState.IDLE, 5) == [Said.AGENT_COMPLETION]


def test_a_dialog_says_what_is_asked() -> None:
    ear = Ear(Stage.PROCESSING)
    ear.hearing.wants("Which colour?")
    ear.look(AgentState.AWAITING_QUESTION, 1, ASKED)
    assert ear.look(AgentState.AWAITING_QUESTION, 2, ASKED) == [Said.AGENT_QUESTION]
    assert ear.question == ASKED
    assert ear.look(AgentState.IDLE, 20, quiet=18) == [Said.AGENT_COMPLETION], "it was left without an answer"


def test_after_a_restart_it_still_asks() -> None:
    ear = Ear(Stage.AWAITING_INPUT, Menu("Which?", (), None, None, False, "", kind=SIGNALLED))
    ear.hearing.recall(ear.question)
    assert ear.look(AgentState.IDLE, 100, quiet=100) == []
    other = Ear(Stage.AWAITING_INPUT, ASKED)
    other.hearing.recall(ASKED)
    assert other.look(AgentState.IDLE, 100, quiet=100, times=1) == []
    assert other.look(AgentState.IDLE, 103, quiet=103) == [Said.AGENT_COMPLETION]
