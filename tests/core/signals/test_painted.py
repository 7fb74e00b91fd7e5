"""Markers on screens of the real agents at 60 columns, and on made-up ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from paneward.core.profiles import BUILT_IN, CLAUDE, GENERIC, Profile
from paneward.core.signals.marker import Grammar
from paneward.core.signals.memory import Memory
from paneward.core.signals.painted import Painted, Shown, look
from paneward.core.terminal.scene import Snapshot

SCREENS = sorted((Path(__file__).parent / "screens").glob("*.json"))
RULE, GREY = "─" * 60, "\x1b[48;5;237m"
ASKS = "--<[paneward:needs_input:Which colour?]>--"
# Blocks of code are drawn like any other text there.
UNTOLD = ("claude-2.1.197", "codex-0.166.0", "opencode-1.18.33")


def snapshot(*rows: str, width: int = 60, **more: Any) -> Snapshot:
    return Snapshot("%0", rows, width, more.pop("height", len(rows)), more.pop("x", 0), more.pop("y", 0), **more)


def claude(*said: str) -> Snapshot:
    """A screen of Claude Code with its composer below."""
    rows = (*said, "", RULE, "❯\u00a0", RULE, "  ? for shortcuts")
    return snapshot(*rows, x=2, y=len(said) + 2)


def shown(seen: Snapshot, profile: Profile = CLAUDE) -> list[str]:
    return [one.marker.message for one in look(seen, profile, Grammar()).spotted]


@pytest.mark.parametrize("screen", SCREENS, ids=lambda path: path.stem)
def test_what_a_real_agent_said_is_read_and_what_it_was_told_or_quotes_is_not(screen: Path) -> None:
    data = json.loads(screen.read_text())
    seen = Snapshot("%0", **{**data, "rows": tuple(data["rows"])})
    found = look(seen, BUILT_IN[screen.stem.partition("-")[0]], Grammar())
    said = [(str(one.marker.state), " ".join(one.marker.message.replace("[", "").replace("]", "").split())) for one in
            found.spotted if one.marker.message != "in a block"]  # fmt: skip
    assert said == [
        ("working", "Reading the sources"),
        ("needs_input", "Which colour?"),
        ("completed", "The parser of dates now takes brackets and every test of the suite passes, also those that were"
                      " skipped"),
    ]  # fmt: skip
    assert found.missed == ()
    assert ("in a block" in {one.marker.message for one in found.spotted}) is (screen.stem in UNTOLD)


# --- who said it


def test_what_stands_in_the_composer_is_not_said() -> None:
    seen = snapshot(RULE, f"❯\u00a0{ASKS}", RULE, "  ? for shortcuts", x=44, y=1)
    assert shown(seen) == []


def test_what_was_given_to_the_agent_is_not_said_by_it() -> None:
    assert shown(claude(f"{GREY}❯ say {ASKS}\x1b[49m", "", f"● {ASKS}")) == ["Which colour?"]
    assert shown(claude(f"{GREY}❯ say\x1b[49m", f"{GREY}  {ASKS}\x1b[49m", "", "● no")) == []


def test_what_a_tool_printed_is_not_said() -> None:
    assert shown(claude("● Bash(cat notes)", "  ⎿  Some notes", f"     {ASKS}", "", "● I read it.")) == []


def test_code_in_a_sentence_is_quoted() -> None:
    assert shown(claude(f"● It prints \x1b[38;5;153m{ASKS}\x1b[39m then.")) == []
    assert shown(claude(f"\x1b[38;5;246m●\x1b[39m It prints {ASKS} then.")) == ["Which colour?"]


# --- rows


@pytest.mark.parametrize("width", [20, 30, 44, 60, 100])
def test_a_marker_wrapped_by_the_terminal_is_one(width: int) -> None:
    text = "--<[paneward:completed:All tests of [x] pass now and nothing is left]>--"
    rows = [text[at : at + width] for at in range(0, len(text), width)]
    assert shown(snapshot("before", *rows, "", "after", width=width), GENERIC) == [
        "All tests of [x] pass now and nothing is left"
    ]


@pytest.mark.parametrize("width", [24, 30, 44, 60])
def test_a_marker_wrapped_by_words_is_one(width: int) -> None:
    rows: list[str] = []
    row = "●"
    for word in ["--<[paneward:completed:All", "tests", "of", "[x]", "pass", "now", "and", "nothing", "is", "left]>--"]:
        if len(row) + 1 + len(word) > width:
            rows, row = [*rows, row], "  " + word
        else:
            row += " " + word
    assert shown(claude(*rows, row, "", "● Next")) == ["All tests of [x] pass now and nothing is left"]


def test_a_marker_that_is_not_over_is_none_and_takes_no_other_rows_with_it() -> None:
    seen = claude("● --<[paneward:completed:All", "", "● Text]>--", "", f"● {ASKS}")
    found = look(seen, CLAUDE, Grammar())
    assert [one.marker.message for one in found.spotted] == ["Which colour?"]
    assert found.missed == ("● --<[paneward:completed:All",)


def test_several_in_a_row_are_several() -> None:
    seen = claude("● --<[paneward:working:a]>-- --<[paneward:idle:b]>--", "  --<[paneward:error:c]>--")
    assert shown(seen) == ["a", "b", "c"]


def test_one_in_a_box_is_read_without_its_borders() -> None:
    rows = ("│ --<[paneward:error:a long    │", "│ message]>--                 │")
    assert shown(snapshot(*rows, width=31), GENERIC) == ["a long message"]


def test_the_same_below_the_same_words_was_printed_again() -> None:
    again = ("● I looked.", "", f"  {ASKS}", "  I looked.", "", f"  {ASKS}")
    assert shown(claude(*again)) == ["Which colour?"]
    turns = ("● I looked.", f"  {ASKS}", f"{GREY}❯ and now?\x1b[49m", "● I looked.", f"  {ASKS}")
    assert shown(claude(*turns)) == ["Which colour?"] * 2


def test_a_turn_with_the_same_words_as_the_last_is_new() -> None:
    memory = Memory()
    first = (f"{GREY}❯ go on\x1b[49m", "", f"● {ASKS}", "")

    def new(*said: str) -> int:
        return len(memory.see(look(claude(*said), CLAUDE, Grammar()).sightings))

    assert new(*first) == 1
    assert new("a line scrolled in", *first) == 0
    memory.begin_turn()
    assert new(*first, *first) == 1
    memory.begin_turn()
    assert new(*first[2:], *first, *first) == 1
    assert new(*first, *first) == 0


def test_a_copy_that_a_program_left_on_the_screen_is_none() -> None:
    """Gemini CLI draws an answer twice for a moment, with a piece of its composer in between."""
    memory = Memory()
    answer = ("● Step one is done.", "", f"  {ASKS}", "")
    memory.see(look(claude(*answer), CLAUDE, Grammar()).sightings)
    twice = look(claude(*answer, f"{GREY}❯ Type\x1b[49m", *answer), CLAUDE, Grammar())
    assert len(twice.spotted) == 2
    assert memory.see(twice.sightings) == []


def test_the_prompt_above_a_marker_is_read_where_its_beginning_can_be_seen() -> None:
    asked, rest = f"{GREY}❯ Look at the parser once\x1b[49m", f"{GREY}  more, line by line.\x1b[49m"

    def prompt(*said: str) -> tuple[int, ...]:
        [sighting] = look(claude(*said, f"● {ASKS}"), CLAUDE, Grammar()).sightings
        return sighting.prompt

    assert prompt("● Before.", asked, rest) == prompt("● Before.", f"{asked} more, line by line.") != ()
    assert prompt(rest) == ()
    assert prompt("● Before.", *[rest] * 20) == ()
    assert prompt("● Before.") == ()
    assert prompt("❯\u00a0go on") == prompt("", "❯\u00a0go on") != ()


# --- half painted


def test_a_marker_is_told_once_its_screen_stands() -> None:
    painted, whole = Painted(), look(claude(f"● {ASKS}"), CLAUDE, Grammar())
    assert painted.see(whole, 1.0, 0.0) is None
    assert painted.deadline() == 1.0 + Painted.SETTLES
    assert painted.still(1.02) == whole
    assert painted.deadline() is None
    assert painted.see(whole, 1.5, 0.0) is None


def test_a_marker_seen_twice_is_sure_although_output_goes_on() -> None:
    painted, whole = Painted(), look(claude(f"● {ASKS}"), CLAUDE, Grammar())
    assert painted.see(whole, 1.0, 0.0) is None
    assert painted.see(whole, 1.004, 0.0) == whole


def test_a_half_painted_screen_is_not_told() -> None:
    painted, whole = Painted(), look(claude(f"● {ASKS}"), CLAUDE, Grammar())
    torn = look(claude("● --<[paneward:needs_input:Which coltests]>--"), CLAUDE, Grammar())
    assert painted.see(torn, 1.0, 0.0) is None
    assert painted.see(whole, 1.003, 0.0) is None
    assert painted.still(1.02) == whole


def test_a_marker_that_repeats_another_has_to_stay() -> None:
    """aider draws an answer anew while it streams: for some frames a line of the last one stands below other words."""
    painted, first = Painted(), look(claude(f"● {ASKS}"), CLAUDE, Grammar())
    assert painted.see(first, 1.0, 1.0) == first
    left = look(claude(f"● {ASKS}", "", "  Step two is done.", "", f"  {ASKS}"), CLAUDE, Grammar())
    assert painted.see(left, 2.0, 0.1) is None
    assert painted.see(left, 2.1, 0.1) is None
    assert painted.deadline() == 2.0 + Painted.REPEATS
    whole = look(claude(f"● {ASKS}", "", "  Step two is done.", "", "  --<[paneward:idle:b]>--"), CLAUDE, Grammar())
    assert painted.see(whole, 2.2, 1.0) == whole
    assert painted.see(left, 3.0, 0.1) is None
    assert painted.still(3.0 + Painted.REPEATS) == left  # it was meant


def test_a_marker_below_other_words_than_before_has_to_stay() -> None:
    """The words above it may be in the middle of being painted."""
    painted = Painted()
    whole = look(claude("● These words stand above the marker.", f"  {ASKS}"), CLAUDE, Grammar())
    torn = look(claude("● Some others, of which nothing was there.", f"  {ASKS}"), CLAUDE, Grammar())
    painted.know(whole)
    assert painted.see(whole, 1.0, 1.0) is None
    assert painted.see(torn, 2.0, 0.1) is None
    assert painted.deadline() == 2.0 + Painted.REPEATS
    assert painted.still(2.0 + Painted.REPEATS) is torn
    painted.know(whole)
    cut = look(claude(f"  {ASKS}"), CLAUDE, Grammar())  # what is above it has scrolled away
    assert painted.see(cut, 4.0, 0.1) is cut


def test_a_marker_that_lacks_a_piece_of_one_before_has_to_stay() -> None:
    """A resize draws all rows again, and a slow agent pauses in between."""
    painted = Painted()
    start, rest = "  --<[paneward:completed:The parser takes", "  both forms, and every test"
    whole = look(claude("● Done.", start, rest, "  of it passes]>--"), CLAUDE, Grammar())
    torn = look(claude("● Done.", start, "  of it passes]>--"), CLAUDE, Grammar())
    assert [len(one.spotted) for one in (whole, torn)] == [1, 1]
    painted.know(whole)
    assert painted.see(torn, 2.0, 0.1) is None
    assert painted.see(whole, 2.3, 0.1) is None
    other = look(claude("● Done.", "  --<[paneward:completed:The other one]>--"), CLAUDE, Grammar())
    assert painted.see(other, 3.0, 0.1) is other


def test_near_misses_are_told_when_they_stay_and_once() -> None:
    painted, streaming = Painted(), look(claude("● --<[paneward:completed:All"), CLAUDE, Grammar())
    painted.see(streaming, 1.0, 0.0)
    assert painted.missed(1.2) == []
    assert painted.missed(1.6) == ["● --<[paneward:completed:All"]
    assert painted.missed(2.6) == []
    painted.see(Shown(), 3.0, 1.0)
    assert painted.missed(4.0) == []


def test_a_copy_right_below_it_is_none_and_what_follows_is_heard() -> None:
    """aider draws a line twice while an answer streams."""
    memory = Memory()
    first = ("● Step one is done.", "", f"  {ASKS}")
    assert len(memory.see(look(claude(*first), CLAUDE, Grammar()).sightings)) == 1
    assert memory.see(look(claude(*first, f"  {ASKS}"), CLAUDE, Grammar()).sightings) == []
    more = (*first, "", "  Step two is done.", "", "  --<[paneward:idle:b]>--")
    [(found, _)] = memory.see(look(claude(*more), CLAUDE, Grammar()).sightings)
    assert found.essence == "idle:b"
