"""Profiles are rows: how one is chosen, named, and read from a user's file."""

from dataclasses import fields
from typing import Any

import pytest

from paneward.core.errors import Code, InvalidInput
from paneward.core.keys import check_keys
from paneward.core.profiles import BUILT_IN, DEMO, GENERIC, SHELL, Frame, Profile, Typing, choose, named, profile_from
from paneward.core.scene import ProcessFacts, Snapshot


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
    assert "claude, codex, demo, gemini, generic, opencode, shell" in caught.value.hint


@pytest.mark.parametrize("profile", BUILT_IN.values(), ids=str)
def test_a_built_in_profile_could_stand_in_a_users_file(profile: Profile) -> None:
    row: dict[str, Any] = {}
    for item in fields(Profile):
        value = getattr(profile, item.name)
        row[item.name] = list(value) if isinstance(value, tuple) else value
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
        ({"colour": 1}, "unknown key 'colour'", "about, busy, cut"),
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
