"""Profiles are rows: how one is chosen, named, and read from a user's file."""

import re
from dataclasses import replace
from typing import Any

import pytest

from paneward.core.errors import Code, InvalidInput
from paneward.core.profiles import (
    BUILT_IN,
    CLAUDE,
    DEMO,
    GENERIC,
    SHELL,
    Frame,
    Mark,
    Profile,
    Typing,
    Where,
    as_data,
    at_version,
    choose,
    named,
    nearest,
    profile_from,
    version_seen,
)
from paneward.core.terminal.keys import check_keys
from paneward.core.terminal.scene import ProcessFacts, Snapshot


def snapshot(command: str = "") -> Snapshot:
    return Snapshot("%1", (), 80, 24, 0, 0, command=command)


def refusal(row: dict[str, Any]) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        profile_from("mine", row)
    assert caught.value.code is Code.CONFIG_INVALID
    assert "'mine'" in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    "argv", ["bash", "-bash", "/bin/bash --norc -i", "zsh", "-zsh", "/usr/bin/fish", "sh", "dash", "ksh"]
)
def test_a_shell_is_known_by_its_command_line(argv: str) -> None:
    assert choose(snapshot(), ProcessFacts(argv=argv)) is SHELL


@pytest.mark.parametrize("argv", ["python3", "vim bash.txt", "ssh host", "trash now", "/opt/bashful", ""])
def test_what_only_resembles_a_shell_is_generic(argv: str) -> None:
    assert choose(snapshot(), ProcessFacts(argv=argv)) is GENERIC


@pytest.mark.parametrize(
    "argv", ["paneward demo-agent", "python -m paneward.demo.agent", "python /x/paneward/demo/agent.py"]
)
def test_the_demo_agent_is_known_however_it_is_started(argv: str) -> None:
    assert choose(snapshot(), ProcessFacts(argv=argv)) is DEMO


def test_the_name_of_the_program_counts_where_its_command_line_says_nothing() -> None:
    assert choose(snapshot(), ProcessFacts(command="bash", argv="something else")) is SHELL


def test_where_processes_cannot_be_seen_the_name_tmux_knows_counts() -> None:
    assert choose(snapshot("zsh"), None) is SHELL
    assert choose(snapshot("vim"), None) is GENERIC
    assert choose(snapshot(), None) is GENERIC


def test_the_process_counts_more_than_the_name_tmux_knows() -> None:
    assert choose(snapshot("bash"), ProcessFacts("cat", "cat")) is GENERIC


def test_the_first_profile_that_matches_wins() -> None:
    mine = Profile("mine", match=("^bash",))
    assert choose(snapshot("bash"), None, {"mine": mine, **BUILT_IN}) is mine


def test_a_profile_is_found_by_name_or_the_known_ones_are_listed() -> None:
    assert named("shell") is SHELL
    with pytest.raises(InvalidInput, match="no profile is called 'shel'") as caught:
        named("shel")
    assert caught.value.code is Code.UNKNOWN_PROFILE
    assert "claude, codex, demo, gemini, generic, multiplexer, opencode, shell" in caught.value.hint


@pytest.mark.parametrize("profile", BUILT_IN.values(), ids=str)
def test_a_built_in_profile_could_stand_in_a_users_file(profile: Profile) -> None:
    row = as_data(profile)
    del row["name"]
    assert profile_from(profile.name, row) == profile


@pytest.mark.parametrize("profile", BUILT_IN.values(), ids=str)
def test_the_keys_of_a_built_in_profile_are_keys(profile: Profile) -> None:
    for keys in (profile.submit, profile.queue, profile.steer, profile.interrupt, profile.cut):
        check_keys(key for key in keys if key != "CR")


def test_a_row_of_a_known_name_changes_that_profile() -> None:
    changed = profile_from("demo", {"settle": 1, "queue": []})
    assert (changed.settle, changed.queue, changed.frame) == (1.0, (), DEMO.frame)


def test_a_new_row_starts_from_generic_or_from_what_it_extends() -> None:
    assert profile_from("mine", {}).floor is GENERIC.floor
    extended = profile_from("mine", {"extends": "demo", "typing": "keys", "frame": "cursor"})
    assert (extended.name, extended.typing, extended.frame) == ("mine", Typing.KEYS, Frame.CURSOR)
    assert extended.busy == DEMO.busy


def test_a_row_that_extends_nobody_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no profile is called 'nobody'"):
        profile_from("mine", {"extends": "nobody"})


@pytest.mark.parametrize(
    ("row", "seen", "hint"),
    [
        ({"colour": 1}, "unknown key 'colour'", "busy, closed, cut"),
        ({"name": "x"}, "unknown key 'name'", "extends"),
        ({"typing": "loud"}, "key 'typing': 'loud'", "keys, paste, auto"),
        ({"frame": ["rules"]}, "key 'frame': ['rules']", "cursor, rules"),
        ({"settle": "1"}, "key 'settle': '1'", "float"),
        ({"settle": True}, "key 'settle': True", "float"),
        ({"floor": 1}, "key 'floor': 1", "bool"),
        ({"about": 1}, "key 'about': 1", "str"),
        ({"match": "bash"}, "key 'match': 'bash'", "a list of texts"),
        ({"match": [1]}, "key 'match': [1]", "a list of texts"),
        ({"match": ["("]}, "key 'match': '(' is not a pattern", "re"),
        ({"busy": ["["]}, "key 'busy': '[' is not a pattern", "re"),
        ({"prompt": "["}, "key 'prompt': '[' is not a pattern", "re"),
        ({"glyph": "*"}, "key 'glyph': '*' is not a pattern", "re"),
    ],
)
def test_a_wrong_row_names_profile_key_value_and_what_is_allowed(row: dict[str, Any], seen: str, hint: str) -> None:
    error = refusal(row)
    assert seen in error.message
    assert hint in error.hint


AGENTS = ("claude", "codex", "opencode", "gemini", "aider")


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        ("claude", "claude"),
        ("/opt/claude/bin/claude --resume", "claude"),
        ("node /usr/lib/node_modules/@anthropic-ai/claude-code/bin/claude", "claude"),
        ("/opt/codex/bin/codex", "codex"),
        ("node /usr/bin/codex resume", "codex"),
        ("/usr/bin/node --no-warnings=DEP0040 /usr/bin/gemini", "gemini"),
        ("node --max-old-space-size=7900 /usr/bin/gemini", "gemini"),
        ("/opt/opencode/bin/opencode --port 4096", "opencode"),
        ("/venv/bin/python /venv/bin/aider --model x", "aider"),
        ("/usr/bin/python3.12 -I /venv/bin/aider", "aider"),
    ],
)
def test_an_agent_is_known_by_its_command_line(argv: str, name: str) -> None:
    assert choose(snapshot(), ProcessFacts(argv=argv)).name == name


@pytest.mark.parametrize(
    "argv",
    [
        "vim /srv/notes/claude",
        "less codex",
        "cat /usr/bin/gemini",
        "node server.js /usr/bin/gemini",
        "python3 /x/aider.py",
        "claude-helper",
        "git log aider",
        "opencode-server",
    ],
)
def test_what_only_names_an_agent_is_none(argv: str) -> None:
    assert choose(snapshot(), ProcessFacts(argv=argv)) is GENERIC


def test_an_agent_chosen_with_its_version_on_the_screen_has_the_row_of_that_version() -> None:
    claude = ProcessFacts(argv="claude")
    old = replace(snapshot(), rows=("│ \x1b[1mClaude Code\x1b[0m \x1b[2mv2.1.197\x1b[0m",))
    assert choose(old, claude) == at_version(CLAUDE, "2.1.197") != CLAUDE
    assert choose(snapshot(), claude) is CLAUDE


@pytest.mark.parametrize(
    ("version", "taken"),
    [("2.1.197", "2.1.197"), ("2.1.200", "2.1.197"), ("2.1.3", "2.1.197"), ("2.1.325", "2.1.325"), ("3.0", "2.1.325")],
)
def test_the_nearest_version_stands_in_for_an_unknown_one(version: str, taken: str) -> None:
    assert nearest(CLAUDE, version) == taken
    assert at_version(CLAUDE, version) == at_version(CLAUDE, taken)


def test_a_program_without_versions_has_no_nearest() -> None:
    assert nearest(SHELL, "5.2") is None
    assert nearest(CLAUDE, None) is None
    assert version_seen(snapshot(), SHELL) is None


@pytest.mark.parametrize("name", AGENTS)
def test_an_agents_row_says_what_a_driver_needs(name: str) -> None:
    row = BUILT_IN[name]
    assert all((row.launch, row.resume, row.versions, row.version, row.match, row.busy, row.dialogs, row.modes))
    assert (row.typing, row.framed, row.floor, row.escape_dismisses) == (Typing.PASTE, True, False, False)
    assert row.settle >= {"gemini": 0.15, "aider": 0.0}.get(name, 0.06)  # aider takes a paste and Enter in order
    assert {version for variant in row.variants for version in variant.versions} <= set(row.versions)


@pytest.mark.parametrize(
    ("name", "text", "means", "defused"),
    [
        ("claude", "/compact", "command", True),
        ("claude", " /compact", "command", True),
        ("claude", "!ls", "shell", True),
        ("claude", "exit", "quit", True),
        ("claude", "a path\\", "newline", True),
        ("codex", "/model", "command", True),
        ("codex", " !ls", "shell", True),
        ("opencode", "exit", "quit", False),
        ("gemini", "/help me", "command", False),
        ("gemini", "!ls", "shell", True),
        ("aider", "/add x", "command", True),
    ],
)
def test_a_text_that_would_be_a_command_is_guarded(name: str, text: str, means: str, defused: bool) -> None:
    found = [guard for guard in BUILT_IN[name].guards if re.search(guard.pattern, text)]
    assert [(guard.means, guard.defused) for guard in found] == [(means, defused)]


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("text", ["fix it", "look at src/x.py", "what?", "a ! b", "exit the loop", "- / -", "C:\\ x"])
def test_ordinary_text_needs_no_guard(name: str, text: str) -> None:
    assert not [guard for guard in BUILT_IN[name].guards if re.search(guard.pattern, text)]


def test_a_mark_in_a_file_is_a_pattern_or_a_mapping() -> None:
    marks = ["working", {"where": "title", "pattern": "^✦", "lasting": True}]
    assert profile_from("mine", {"busy": marks}).busy == (
        Mark(pattern="working"),
        Mark(Where.TITLE, "^✦", lasting=True),
    )


def test_what_a_file_says_of_all_versions_no_variant_takes_back() -> None:
    mine = profile_from("claude", {"guards": []})
    assert at_version(mine, "2.1.197").guards == ()
    theirs = profile_from(
        "claude", {"variants": [{"versions": ["9.9"], "changes": {"settle": 1}}], "versions": ["9.9"]}
    )
    assert at_version(theirs, "9.9").settle == 1.0


@pytest.mark.parametrize(
    ("row", "seen", "hint"),
    [
        ({"busy": [1]}, "key 'busy': 1", "where, pattern, style, lasting"),
        ({"busy": "x"}, "key 'busy': 'x'", "a list, each a mapping"),
        ({"busy": [{"were": 1}]}, "unknown key 'were'", "where, pattern"),
        ({"busy": [{"where": "moon"}]}, "'moon'", "screen, above"),
        ({"busy": [{"style": "loud"}]}, "'loud' is not a style", "bold"),
        ({"glyph_style": "fg=mauve"}, "'fg=mauve' is not a style", "fg=246"),
        ({"busy": [{"pattern": "("}]}, "'(' is not a pattern", "re"),
        ({"guards": [{"pattern": "x"}]}, "'means' is missing", "pattern, means"),
        ({"guards": [{"pattern": "x", "means": "", "times": 1.5}]}, "1.5", "int"),
        ({"edits": ["loud"]}, "'loud'", "trims_start"),
        ({"menus": []}, "key 'menus': []", "digits"),
        ({"variants": [{"versions": []}]}, "key 'variants'", "versions, changes"),
        ({"variants": [{"versions": [], "changes": {"x": 1}}]}, "unknown key 'x'", "fields of a profile"),
    ],
)
def test_a_wrong_part_of_a_row_is_named(row: dict[str, Any], seen: str, hint: str) -> None:
    error = refusal(row)
    assert seen in error.message
    assert hint in error.hint
    profile_from(
        "mine", {"guards": [{"pattern": "x", "means": "shell", "before": "("}]}
    )  # no pattern, though called so
