"""All that a profile reads from one look, with the rows it stands on."""

import re
from dataclasses import replace

import pytest

from paneward.core.profiles import CLAUDE, MULTIPLEXER, SHELL, Profile, Recognised, recognise
from paneward.core.profiles.row import Trouble
from paneward.core.readiness.inspection import Box, Inspection, Spot, read
from paneward.core.result import ReadyVerdict
from paneward.core.screen.appearance import ScreenState
from paneward.core.terminal.scene import ProcessFacts, Scene, Snapshot
from tests.core.screen.agents import CAPTURES, Capture, as_data, each_of

SCREENS = {str(capture): capture for capture in CAPTURES}
TYPING = ProcessFacts("bash", "-bash", 7, shell=True, reading=True, canonical=False, echo=False, unread=0)


def reading_of(name: str, profile: Profile | None = None) -> Inspection:
    capture = SCREENS[name]
    row = profile or capture.versioned
    return read(Scene(capture.snapshot, quiet=30.0), Recognised(row), re.compile(row.prompt))


def screen(*rows: str, x: int = 0, y: int = 0, dead: bool = False) -> Snapshot:
    return Snapshot("%1", rows, 80, len(rows), x, y, dead=dead, dead_status="1" if dead else "")


def on_shell(process: ProcessFacts | None, *rows: str, dead: bool = False) -> Inspection:
    scene = Scene(screen(*rows, x=len(rows[-1]), y=len(rows) - 1, dead=dead), process, quiet=30.0)
    return read(scene, Recognised(SHELL), re.compile(SHELL.prompt))


@each_of(CAPTURES)
def test_the_reading_says_what_is_true_of_a_captured_screen(capture: Capture) -> None:
    found = reading_of(str(capture))
    assert found.state == capture.truth["state"]
    assert as_data(found.menu) == capture.menu
    assert list(found.queued) == capture.other.get("queued", capture.truth["queued"])
    assert found.mode == capture.truth["mode"]


@each_of(CAPTURES)
def test_what_is_said_to_stand_on_a_row_stands_there(capture: Capture) -> None:
    found = reading_of(str(capture))
    for spot in found.spots:
        rows = " ".join(" ".join(found.screen[spot.first : spot.last + 1]).split())
        if spot.what == "version":
            assert str(found.version) in rows
        if spot.what == "composer" and found.composer:
            assert spot == Spot("composer", found.composer.top, found.composer.bottom)
        if spot.what.startswith("option ") and found.menu:
            [label] = [one.label for one in found.menu.options if spot.what == f"option {one.number}"]
            assert label[:20].rstrip() in rows


def test_the_composer_is_named_with_its_rows_columns_and_prompt() -> None:
    found = reading_of("claude/2.1.325/draft_60")
    assert found.composer == Box(21, 21, 2, 60, "❯", cut=False, rows=("a typed draft",))
    assert (found.draft, found.whole) == ("a typed draft", True)


def test_every_mark_of_the_profile_is_named_whether_it_is_there_or_not() -> None:
    found = reading_of("claude/2.1.325/thinking_100")
    assert [one.mark for one in found.busy] == list(CLAUDE.busy)
    assert {one.mark.where for one in found.busy if one.seen is not None} == {"glyph", "above", "below"}
    assert {one.mark.where for one in found.busy if one.seen is None} >= {"title"}


def test_options_are_found_below_the_question_in_their_order() -> None:
    rows = {spot.what: spot.first for spot in reading_of("claude/2.1.325/permission_60").spots}
    assert rows == {"question": 15, "option 1": 16, "option 2": 17, "option 3": 19, "option 4": 21}


def test_a_label_that_also_stands_above_the_dialog_is_found_in_the_dialog() -> None:
    rows = ("● No idea.", "", "─" * 80, " Do you want to proceed?", " ❯ 1. Yes", "   2. No", "", " Esc to cancel")
    seen = replace(screen(*rows, x=1, y=4), cursor_visible=False)
    found = read(Scene(seen, quiet=30.0), Recognised(CLAUDE), re.compile(CLAUDE.prompt))
    assert {spot.what: spot.first for spot in found.spots} == {"question": 3, "option 1": 4, "option 2": 5}


def test_an_unknown_version_is_said_with_the_one_it_is_taken_for() -> None:
    found = reading_of("claude/2.1.325/idle_100", replace(CLAUDE, versions=("2.1.197",)))
    assert (found.version, found.version_known, found.read_as, found.proven) == (
        "2.1.325",
        False,
        "2.1.197",
        ("2.1.197",),
    )


def test_the_pattern_that_chose_the_profile_is_told_with_what_it_matched() -> None:
    facts = ProcessFacts("claude", "/opt/bin/claude --resume", 7)
    found = recognise(screen(""), facts)
    assert (found.profile, found.line) == (CLAUDE, "/opt/bin/claude --resume")
    assert re.search(found.pattern, found.line)


def test_what_nothing_matches_is_generic_by_no_pattern() -> None:
    found = recognise(screen(""), ProcessFacts("mystery", "mystery", 7))
    assert (found.profile.name, found.pattern, found.line) == ("generic", "", "")


# --- programs without a frame


def test_the_state_of_a_shell_is_what_the_rules_say() -> None:
    assert on_shell(TYPING, "$ ").state is ScreenState.IDLE
    working = on_shell(replace(TYPING, shell=False, reading=False, canonical=True), "$ sleep 9")
    assert (working.state, working.verdict) == (ScreenState.BUSY, None)
    asking = on_shell(replace(TYPING, shell=False, canonical=True, echo=True), "Continue? [y/N] ")
    assert (asking.state, asking.question) == (ScreenState.DIALOG, "Continue? [y/N]")
    assert on_shell(None, "something").state is ScreenState.UNKNOWN


def test_of_a_dead_program_only_its_end_is_told() -> None:
    found = on_shell(None, "$ rest of it", dead=True)
    assert (found.verdict, found.state, found.draft) == (ReadyVerdict.DEAD, ScreenState.UNKNOWN, "")


# --- what cannot be used


@pytest.mark.parametrize(
    "line", ["tmux attach", "/usr/bin/tmux -L inner new", "tmux: client", "screen -r", "SCREEN", "zellij"]
)
def test_another_multiplexer_is_recognised_and_says_why_nothing_is_typed(line: str) -> None:
    found = recognise(screen("$ "), ProcessFacts(line.split()[0], line, 7, reading=True, canonical=False))
    assert found.profile == MULTIPLEXER
    scene = Scene(screen("$ ", x=2), replace(TYPING, shell=False, argv=line), quiet=30.0)
    seen = read(scene, found, re.compile(found.profile.prompt))
    assert (seen.verdict, seen.rule, seen.state) == (None, "no_composer", ScreenState.UNKNOWN)
    assert "another tmux or screen" in seen.because


def test_a_trouble_is_what_the_agent_said_last_and_only_that() -> None:
    row = replace(CLAUDE, troubles=(Trouble("sign_in", r"Not logged in"),))
    box = ("─" * 80, "❯\u00a0", "─" * 80)
    said = "  ⎿  Not logged in · Please run /login"

    def trouble(*above: str) -> str:
        scene = Scene(screen(*above, *box, x=2, y=len(above) + 1), quiet=30.0)
        return read(scene, Recognised(row), re.compile(row.prompt)).trouble

    assert trouble("❯ hello", said, "") == "sign_in"
    assert trouble("❯ hello", said, "", "❯ hello again", "● Understood.") == ""
    assert trouble("❯ hello", "● Understood.") == ""


@pytest.mark.parametrize("argv", ["bash", "-bash", "/usr/bin/zsh", "bash --norc --noprofile -i"])
def test_an_agent_that_ended_and_left_its_box_to_the_shell_is_not_typed_into(argv: str) -> None:
    seen = SCREENS["claude/2.1.325/idle_100"].snapshot
    left = Scene(seen, replace(TYPING, argv=argv), quiet=30.0)
    found = read(left, Recognised(CLAUDE), re.compile(CLAUDE.prompt))
    assert (found.verdict, found.rule, found.state) == (None, "no_composer", ScreenState.UNKNOWN)
    assert "bash is in the foreground, and no longer claude" in found.because


@pytest.mark.parametrize("argv", ["bash start-agent", "sh -c claude", "/bin/sh /opt/claude"])
def test_a_script_that_runs_the_agent_is_no_shell_in_its_place(argv: str) -> None:
    seen = SCREENS["claude/2.1.325/idle_100"].snapshot
    found = read(Scene(seen, replace(TYPING, argv=argv), quiet=30.0), Recognised(CLAUDE), re.compile(CLAUDE.prompt))
    assert (found.verdict, found.state) == (ReadyVerdict.READY, ScreenState.IDLE)
