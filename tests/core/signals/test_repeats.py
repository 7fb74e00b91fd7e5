"""Turns that look alike: each marker is heard once, however fast it scrolls by, and after a restart at any moment."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from paneward.core.profiles import DEMO
from paneward.core.signals.marker import Grammar
from paneward.core.signals.memory import Memory
from paneward.core.signals.painted import Shown, look
from paneward.core.terminal.scene import Snapshot

WIDTH, HEIGHT = 80, 24
BOX = ("─" * 79, '❯ Try "fix the tests"', "─" * 79, "  help tells what I understand")
DIALOG = ("─" * 79, " Do it?", "", " ❯ 1. Yes", "   2. Yes, always", "   3. No", "", " Esc to cancel")
PAGE = [" ✻ demo", "   A small agent to try Paneward on.", ""]
GRAMMAR = Grammar()


def marker(state: str, message: str) -> str:
    cut = message if len(message) <= 28 else f"{message[:27]}…"
    return f"  --<[paneward:{state}:{cut}]>--"


def same_turns(count: int, rows: int) -> list[list[str]]:
    """The same prompt, answered in the same words each time."""
    words = [f"  line of words {number}" for number in range(rows)]
    return [["❯ continue", "", "● Done.", *words, marker("completed", "done"), ""] for _ in range(count)]


def numbered_turns(count: int) -> list[list[str]]:
    """Prompts that differ in a number; their markers are cut off before it. Each kind comes again after some turns."""
    turns = []
    for number in range(1, count + 1):
        about = f"agent-6 wants to know about number {number}"
        kind = ("say", "permit", "ask")[number % 3]
        if kind == "say":
            turns.append([f"❯ say {about}", "", f"● {about}", marker("completed", "said it"), ""])
            continue
        turns.append([f"❯ {kind} {about}", "", marker("needs_input", about), ""])
        turns.append(["  ⎿ Yes", "", f"● Ran {about}", marker("completed", f"ran {about}"), ""])
    return turns


@dataclass
class Pane:
    """What a pane shows, row by row; `scrollback`: what scrolled by since the last look is read with the screen."""

    rows: Sequence[str]
    scrollback: bool = True
    scrolled: int = 0

    def look(self, printed: int, below: Sequence[str] = BOX) -> Shown:
        rows = [*self.rows[:printed], *below]
        scrolled = max(self.scrolled, len(rows) - HEIGHT)
        first = self.scrolled if self.scrollback else scrolled
        self.scrolled = scrolled
        return shown(rows[first:], scrolled - first)

    def screen(self, printed: int, below: Sequence[str] = BOX) -> Shown:
        rows = [*self.rows[:printed], *below]
        return shown(rows[max(self.scrolled, len(rows) - HEIGHT) :])

    def whole(self, printed: int) -> Shown:
        rows = [*self.rows[:printed], *BOX]
        return shown(rows, max(0, len(rows) - HEIGHT))


def shown(rows: Sequence[str], history: int = 0) -> Shown:
    cursor = len(rows) - history - 3
    padded = (*rows, *[""] * (history + HEIGHT - len(rows)))
    return look(Snapshot("%1", padded, WIDTH, HEIGHT, 2, cursor, history=history), DEMO, GRAMMAR)


def ends(turns: Sequence[Sequence[str]]) -> Iterator[int]:
    """How many rows are printed when each of them is over."""
    printed = len(PAGE)
    for turn in turns:
        printed += len(turn)
        yield printed


def heard(turns: Sequence[Sequence[str]], pace: int, scrollback: bool = True) -> list[int]:
    """How many markers are new in each turn, with a look at every so many rows. One that ends in a question opens a
    dialog in the place of the composer."""
    memory, counts, begun = Memory(), [], len(PAGE)
    pane = Pane([*PAGE, *(row for turn in turns for row in turn)], scrollback)
    for turn, end in zip(turns, ends(turns), strict=True):
        memory.begin_turn()
        asks = DIALOG if "needs_input" in turn[-2] else BOX
        moments = [(begun, BOX), *((at, BOX) for at in range(begun + 1 + pace, end, pace)), (end, asks)]
        looks = [look for at, below in moments for look in (pane.look(at, below), pane.screen(at, below))]
        counts.append(sum(len(memory.see(look.sightings)) for look in looks))
        begun = end
    return counts


@pytest.mark.parametrize("pace", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("rows", [0, 8, 15, 25, 60])
def test_the_same_answer_to_the_same_prompt_is_heard_each_time(rows: int, pace: int) -> None:
    assert heard(same_turns(12, rows), pace) == [1] * 12


@pytest.mark.parametrize("rows", [8, 25, 60])
def test_also_where_nothing_is_kept_that_scrolled_by(rows: int) -> None:
    """But for a screen that looks as it did a turn ago."""
    assert heard(same_turns(12, rows), 1, scrollback=False) == [1] * 12


@pytest.mark.parametrize("pace", [1, 2, 3, 5, 9])
def test_markers_that_come_again_after_some_turns_are_heard_each_time(pace: int) -> None:
    turns = numbered_turns(12)
    assert heard(turns, pace) == [1] * len(turns)


@pytest.mark.parametrize("pace", [1, 3, 9])
def test_the_same_question_answered_in_the_same_way_is_heard_each_time(pace: int) -> None:
    turns = numbered_turns(2)[1:3] * 8
    assert heard(turns, pace) == [1] * len(turns)


def test_after_a_restart_at_any_moment_what_came_meanwhile_is_new_and_nothing_else() -> None:
    turns = numbered_turns(12)
    pane, printed = Pane([*PAGE, *(row for turn in turns for row in turn)]), list(ends(turns))
    memory = Memory()
    for known, end in enumerate(printed, 1):
        memory.begin_turn()
        assert len(memory.see(pane.screen(end).sightings)) == 1
        for later, then in enumerate(printed[known - 1 : known + 4]):
            read = Memory.read(memory.written())
            assert len(read.see(pane.whole(then).sightings, past=True)) == later, (known, later)


def test_a_screen_that_is_drawn_anew_while_a_turn_begins_tells_nothing_new() -> None:
    turns = same_turns(3, 2)
    pane, printed = Pane([*PAGE, *(row for turn in turns for row in turn)], scrollback=False), list(ends(turns))
    memory = Memory()
    for end in printed[:2]:
        memory.begin_turn()
        assert len(memory.see(pane.screen(end).sightings)) == 1
    memory.begin_turn()
    for rows in (len(PAGE), printed[0] + 1, printed[1] + 1):
        assert memory.see(pane.screen(rows).sightings) == []


@pytest.mark.parametrize("ours", [False, True])
def test_an_agent_that_is_resumed_and_draws_its_past_tells_nothing_new(ours: bool) -> None:
    turns = same_turns(2, 2)
    pane, printed = Pane([*PAGE, *(row for turn in turns for row in turn)]), list(ends(turns))
    memory = Memory()
    memory.begin_turn()
    assert len(memory.see(pane.screen(printed[0]).sightings)) == 1
    assert memory.see([]) == []  # it has ended, and the screen is clear
    memory.begin_turn(ours)  # that it starts looks like work; or it was told something as soon as it was there
    assert memory.see(pane.screen(printed[0]).sightings) == []
    memory.begin_turn()
    assert len(memory.see(pane.screen(printed[1]).sightings)) == 1


def test_nor_where_it_takes_our_words_first_and_draws_its_past_then() -> None:
    past, now = numbered_turns(3)[0], ["❯ go on", "", "● Once more.", marker("completed", "said it"), ""]
    pane = Pane([*PAGE, *past, *now])
    drawn, printed = ends([past, now])
    memory = Memory()
    memory.begin_turn(prompt=past[0].removeprefix("❯ "))
    assert len(memory.see(pane.screen(drawn).sightings)) == 1
    assert memory.see([]) == []  # it has ended, and the screen is clear
    memory.begin_turn(prompt="go on")
    assert memory.see(pane.screen(len(PAGE)).sightings) == []
    assert memory.see(pane.screen(drawn).sightings) == []
    assert memory.see(pane.screen(drawn + 1).sightings) == []
    assert len(memory.see(pane.screen(printed).sightings)) == 1


def test_nor_where_what_it_left_on_the_screen_scrolls_by_with_its_past() -> None:
    past, now = numbered_turns(3)[0], ["❯ go on", "", "● Once more.", marker("completed", "said it"), ""]
    pane = Pane([*PAGE, *past, "$ demo --resume", *PAGE, *past, *now])
    first, _, _, resumed, printed = ends([past, ["$ demo --resume"], PAGE, past, now])
    memory = Memory()
    memory.begin_turn(prompt=past[0].removeprefix("❯ "))
    assert len(memory.see(pane.screen(first).sightings)) == 1
    assert memory.see(pane.screen(first + 1, below=["$ "]).sightings) == []
    memory.begin_turn(prompt="go on")
    assert memory.see(pane.whole(resumed).sightings) == []
    assert memory.see(pane.screen(resumed).sightings) == []
    assert memory.see(pane.screen(resumed + 1).sightings) == []
    assert len(memory.see(pane.screen(printed).sightings)) == 1
