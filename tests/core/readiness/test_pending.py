"""Whether the work on our words has ended: by what was seen, by the process, by an answer, and by time last of all."""

from dataclasses import replace

import pytest

from paneward.core.profiles import CLAUDE, CODEX, DEMO, GENERIC, SHELL
from paneward.core.readiness.away import BRIEFLY
from paneward.core.readiness.pending import (
    REST,
    RESTLESS,
    Judged,
    Pending,
    ProgramSight,
    SentWords,
    answer_below,
    waits_its_turn,
)
from paneward.core.terminal.scene import ProcessFacts, Scene, Snapshot

SLOW = replace(DEMO, first_work=10.0)
BOX = ("─" * 40, "❯ ", "─" * 40)


def scene(now: float, *rows: str, process: ProcessFacts | None = None, title: str = "") -> Scene:
    shown = (*rows, *BOX)
    snapshot = Snapshot("%1", shown, 40, 20, 2, len(shown) - 2, title=title)
    return Scene(snapshot, process, now)


def pending(at: float = 10.0, text: str = "", answer: bool = False) -> Pending:
    return Pending(SentWords(at, text, answer))


def judged(one: Pending, now: float, *rows: str, profile: object = DEMO) -> Judged:
    look = scene(now, *rows)
    one.see(ProgramSight.NEITHER, now, look, profile)  # type: ignore[arg-type]
    return one.judge(now, look, profile)  # type: ignore[arg-type]


def test_what_was_seen_at_work_and_rests_is_over() -> None:
    one = pending()
    assert not judged(one, 10.1).over
    one.see(ProgramSight.WORKING, 10.2, scene(10.2, "esc to interrupt"), DEMO)
    assert judged(one, 10.3) == Judged(True, "worked", "it was at work since it was told something, and is at rest")


def test_without_a_sign_of_work_it_is_over_by_time_which_it_says() -> None:
    one = pending()
    found = judged(one, 10.5)
    assert (found.over, found.rule, found.due) == (False, "delivered", 10 + REST)
    found = judged(one, 10 + REST)
    assert (found.over, found.rule) == (True, "unseen")
    assert "no sign of work in the 2.0 s" in found.evidence


def test_a_coding_agent_is_given_the_time_that_its_first_work_may_take() -> None:
    assert judged(pending(), 10.1, profile=CLAUDE).due == 10 + CLAUDE.first_work
    assert judged(pending(answer=True), 10.1, profile=CLAUDE).due == 10 + REST, "who was answered goes on at once"


def test_something_new_that_is_painted_is_a_sign_of_life() -> None:
    one = pending()
    judged(one, 10.1)
    assert judged(one, 11.5, "something").due == 11.5 + REST
    assert judged(one, 12.5, "something").over is False
    assert judged(one, 11.5 + REST, "something").rule == "unseen"


def test_a_clock_and_a_wheel_are_none() -> None:
    one = pending()
    for tick in range(1, 20):
        assert judged(one, 10 + tick / 10, f"12:00:{tick:02} {'⠋⠙⠹'[tick % 3]}").due == 10 + REST
    assert judged(one, 10 + REST, "12:00:59 ⠋").over


def test_what_never_stops_painting_is_believed_in_the_end() -> None:
    one, now = pending(), 10.0
    while not judged(one, now, chr(ord("a") + int(now * 2) % 26) * int(now)).over:
        now += 0.5
    assert now == 10 + RESTLESS


@pytest.mark.parametrize(
    ("process", "over"),
    [
        (ProcessFacts("bash", shell=True, reading=True, canonical=False, unread=0), True),
        (ProcessFacts("cat", reading=True, canonical=True, unread=0), True),
        (ProcessFacts("bash", shell=True, reading=True, canonical=False, unread=3), False),
        (ProcessFacts("bash", shell=True, reading=False, canonical=False, unread=0), False),
        (ProcessFacts("repl", reading=True, canonical=False, unread=0), False),  # it may poll other things too
        (None, False),
    ],
)
def test_who_reads_the_next_line_has_dealt_with_the_last(process: ProcessFacts | None, over: bool) -> None:
    look = scene(10.0, process=process)
    assert pending().judge(10.1, look, SHELL).over is over
    assert not pending().judge(10.1, replace(look, now=9.9), SHELL).over, "a look from before our words"
    assert not pending().judge(10.1, look, DEMO).over, "an agent reads at all times"


def test_a_program_that_is_away_from_its_terminal_for_a_moment_only_takes_the_text() -> None:
    one = pending()
    one.see(ProgramSight.AWAY, 10.0, scene(10.0), GENERIC)
    one.see(ProgramSight.NEITHER, 10.01, scene(10.01), GENERIC)
    one.see(ProgramSight.AWAY, 10.2, scene(10.2), GENERIC)
    assert not one.judge(10.3, scene(10.3), GENERIC).over
    one.see(ProgramSight.AWAY, 10.2 + BRIEFLY, scene(10.2 + BRIEFLY), GENERIC)
    assert one.judge(10.5, scene(10.5), GENERIC).rule == "worked"


def test_after_a_question_work_is_waited_for_anew() -> None:
    one = pending()
    one.see(ProgramSight.WORKING, 11.0, scene(11.0), CLAUDE)
    one.see(ProgramSight.ASKING, 60.0, scene(60.0), CLAUDE)
    assert not one.judge(60.1, scene(60.1), CLAUDE).over
    assert one.judge(60.0 + REST, scene(60.0 + REST), CLAUDE).over


def test_an_answer_below_the_text_ends_it_sooner() -> None:
    one, rows = pending(text="What is\nthe answer?"), ("❯ What is", "  the answer?", "", "● 42")
    assert judged(one, 10.1, *rows, profile=SLOW).due == 10 + REST
    found = judged(one, 10 + REST, *rows, profile=SLOW)
    assert (found.over, found.rule) == (True, "answered")


@pytest.mark.parametrize(
    ("text", "rows", "below"),
    [
        ("the answer", ("❯ the answer", ""), False),
        ("the answer", ("❯ the ans", "┃ wer", "┃ ok"), True),
        ("the answer", ("● something else",), False),
        ("", ("● something",), False),
        ("?!", ("?!", "x"), False),
    ],
)
def test_an_answer_stands_between_the_text_and_the_composer(text: str, rows: tuple[str, ...], below: bool) -> None:
    assert answer_below(scene(0, *rows), SLOW, text) is below
    assert not answer_below(scene(0, *rows), SHELL, text)


def test_a_text_that_waits_its_turn_is_not_worked_on_yet() -> None:
    look = Scene(
        Snapshot(
            "%1", ("• Queued follow-up inputs", "  ↳ then this", "", "\x1b[1m›\x1b[0m ", "", "  footer"), 60, 6, 2, 3,
            title="⠋ work",
        ),
        now=11.0,
    )  # fmt: skip
    assert waits_its_turn(look, CODEX)
    one = pending()
    one.see(ProgramSight.WORKING, 11.0, look, CODEX)
    assert not one.judge(11.1, look, CODEX).over


@pytest.mark.parametrize("young", [True, False])
def test_a_title_that_tells_of_work_while_the_agent_starts_proves_none(young: bool) -> None:
    rows = ("", "\x1b[1m›\x1b[0m ", "", "  footer")
    look = Scene(Snapshot("%1", rows, 60, 4, 2, 1, title="⠋ work"), ProcessFacts("codex", young=young), 11.0)
    one = pending()
    one.see(ProgramSight.WORKING, 11.0, look, CODEX)
    assert one.judge(11.1, look, CODEX).over is not young


def test_what_is_seen_while_the_words_go_in_belongs_to_them() -> None:
    one = Pending()
    one.see(ProgramSight.WORKING, 9.0)
    assert one.told(SentWords(10.0)).judge(10.1).over
    assert not Pending().told(SentWords(10.0)).judge(10.1).over


def test_without_any_words_it_is_judged_from_the_first_look_on() -> None:
    one = Pending()
    one.see(ProgramSight.NEITHER, 50.0)
    assert one.judge(50.1).due == 50 + REST
