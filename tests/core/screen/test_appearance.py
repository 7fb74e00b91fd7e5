"""What the real agents show, at three widths, read by their profiles: every captured screen of the corpus."""

from collections import Counter
from dataclasses import replace

from paneward.core.profiles import BUILT_IN, CLAUDE, GENERIC, Where
from paneward.core.screen.appearance import ScreenState, read_appearance
from paneward.core.screen.composer import essence
from paneward.core.terminal.scene import ProcessFacts
from tests.core.screen.agents import CAPTURES, DIALOGS, OTHERWISE, Capture, as_data, each_of

DRAFTS = [capture for capture in CAPTURES if capture.truth["draft"]]


def test_the_corpus_holds_every_agent_at_every_width() -> None:
    assert {capture.agent for capture in CAPTURES} == {"claude", "codex", "opencode", "gemini", "aider"}
    counts = Counter((capture.agent, capture.version, capture.snapshot.width) for capture in CAPTURES)
    assert len(counts) == 20  # three widths of six versions, and a low pane of two
    assert min(counts.values()) > 15
    assert set(OTHERWISE) <= {str(capture) for capture in CAPTURES}


@each_of(CAPTURES)
def test_the_state_is_told(capture: Capture) -> None:
    seen = read_appearance(capture.snapshot, capture.profile)
    assert (seen.state, bool(seen.evidence)) == (capture.truth["state"], True)


@each_of(CAPTURES)
def test_the_composer_is_read_as_a_person_reads_it(capture: Capture) -> None:
    truth, seen = capture.truth, read_appearance(capture.snapshot, capture.profile)
    assert (seen.placeholder, seen.mode) == (truth["placeholder"], truth["mode"])
    assert list(seen.queued) == capture.other.get("queued", truth["queued"])
    assert capture.ghost.fullmatch(seen.ghost)
    if seen.placeholder:
        assert (seen.draft, seen.whole) == (truth["placeholder"], False)
    elif seen.whole:
        assert seen.draft == truth["draft"]
    else:
        assert len(essence(seen.draft)) > 100
        assert essence(truth["draft"]).endswith(essence(seen.draft))


@each_of(CAPTURES)
def test_a_dialog_is_read_as_data(capture: Capture) -> None:
    seen = read_appearance(capture.snapshot, capture.profile)
    assert as_data(seen.menu) == capture.menu
    assert (seen.question, seen.kind) == (capture.truth["question"] or "", capture.kind)
    assert seen.startup is (capture.case in ("trust", "key", "sign_in", "gitignore", "update"))


@each_of(CAPTURES)
def test_the_row_of_the_version_reads_the_same(capture: Capture) -> None:
    seen = read_appearance(capture.snapshot, capture.profile)
    assert read_appearance(capture.snapshot, capture.versioned) == seen
    assert seen.version in (capture.version, None)
    assert seen.version_known is (None if seen.version is None else True)


def test_most_drafts_that_are_shown_are_known_character_by_character() -> None:
    shown = [capture for capture in DRAFTS if not capture.truth["placeholder"] and "paste" not in capture.case]
    assert len(shown) > 60
    assert all(read_appearance(capture.snapshot, capture.profile).whole for capture in shown)


def test_two_permission_dialogs_of_one_command_are_one_dialog_wherever_the_highlight_stands() -> None:
    prints: dict[tuple[str, str, str], set[str]] = {}
    for capture in DIALOGS:
        menu = read_appearance(capture.snapshot, capture.profile).menu
        if menu and capture.kind in ("permission", "question") and capture.case != "several":
            place = (f"{capture.agent} {capture.version}", capture.kind, capture.form)
            prints.setdefault(place, set()).add(menu.fingerprint)
    assert len(prints) > 40
    assert {len(seen) for seen in prints.values()} == {1}


@each_of(DIALOGS)
def test_another_agents_profile_never_takes_a_dialog_for_idle(capture: Capture) -> None:
    for profile in BUILT_IN.values():
        if profile.framed and profile.name != capture.agent:
            assert read_appearance(capture.snapshot, profile).state is not ScreenState.IDLE, profile.name


def test_a_terminal_in_line_mode_tells_that_aider_works() -> None:
    (idle,) = [capture for capture in CAPTURES if str(capture) == "aider/0.86.2/idle_100"]
    working = read_appearance(idle.snapshot, idle.profile, ProcessFacts(canonical=True))
    assert (working.state, working.evidence) == (ScreenState.BUSY, "terminal canonical")
    assert read_appearance(idle.snapshot, idle.profile, ProcessFacts(canonical=False)).state is ScreenState.IDLE


def test_an_unknown_version_is_said() -> None:
    (start,) = [capture for capture in CAPTURES if str(capture) == "claude/2.1.325/idle_100"]
    rows = tuple(row.replace("2.1.325", "3.0.0") for row in start.snapshot.rows)
    seen = read_appearance(replace(start.snapshot, rows=rows), CLAUDE)
    assert (seen.version, seen.version_known, seen.state) == ("3.0.0", False, ScreenState.IDLE)


def test_an_agent_that_fell_back_to_the_shell_is_unknown() -> None:
    (start,) = [capture for capture in CAPTURES if str(capture) == "claude/2.1.325/idle_100"]
    shell = replace(start.snapshot, rows=("$ claude", "bye", "$ "), cursor_x=2, cursor_y=2, cursor_visible=True)
    for name in ("claude", "codex", "opencode", "gemini", "aider"):
        assert read_appearance(shell, BUILT_IN[name]).state is ScreenState.UNKNOWN, name


def test_what_has_no_frame_of_its_own_is_read_at_the_cursor() -> None:
    (start,) = [capture for capture in CAPTURES if str(capture) == "aider/0.86.2/draft_100"]
    assert read_appearance(start.snapshot, GENERIC).draft == "a typed draft"


IN_COLOURS = [one for one in CAPTURES if one.agent == "claude" and one.form != "nocolor"]


@each_of(IN_COLOURS)
def test_claude_is_known_to_work_by_its_prompt_alone(capture: Capture) -> None:
    """The hint in the footer gives way to others, the spinner is gone while text streams, the title may not move."""
    alone = replace(CLAUDE, busy=tuple(mark for mark in CLAUDE.busy if mark.where is Where.GLYPH))
    assert len(alone.busy) == 1
    assert read_appearance(capture.snapshot, alone).state == capture.truth["state"]


@each_of([one for one in CAPTURES if one.agent in ("codex", "gemini")])
def test_a_title_alone_tells_the_state_where_one_is_kept(capture: Capture) -> None:
    profile = capture.profile
    alone = replace(profile, busy=tuple(mark for mark in profile.busy if mark.where is Where.TITLE))
    assert read_appearance(capture.snapshot, alone).state == capture.truth["state"]


@each_of([one for one in CAPTURES if one.agent in ("codex", "gemini")])
def test_without_a_title_only_text_that_streams_in_codex_looks_idle(capture: Capture) -> None:
    """A pane whose title somebody else sets: dialogs are still known, and so is work, as far as it is drawn."""
    seen = read_appearance(replace(capture.snapshot, title="mine"), capture.profile)
    missed = capture.agent == "codex" and capture.case == "streaming"
    assert seen.state == ("idle" if missed else capture.truth["state"])
