"""Hooks in the settings of agents: put in, found, and taken out, and every other byte where it was."""

import json
import shlex
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.hook_install import HOOKING, OURS, EditRefused, command, edit, present

SPOOL = "/home/me/.local/state/paneward/spool"
OTHER = '/somewhere/else\'s "own"/spool'
JSON_AGENTS = ("claude", "gemini")
USERS = {"hooks": [{"type": "command", "command": "say done"}]}

TEXTS = {
    "empty object": "{}",
    "blank object": "{ }\n",
    "one line": '{"model": "opus"}',
    "plain": '{\n  "model": "opus"\n}\n',
    "tabs": '{\n\t"model": "opus",\n\t"x": [1,2 ,3]\n}',
    "four": '{\n    "b": 1,\n    "a": {"z": 1, "y": 2}\n}\n\n',
    "comments": '// mine\n{\n  /* the model */ "model": "opus", // good\n  "x": 1 // last\n}\n// end\n',
    "last commas": '{\n  "model": "opus",\n  "list": [1, 2,],\n}\n',
    "crlf": '{\r\n  "model": "opus"\r\n}\r\n',
    "empty hooks": '{\n  "hooks": {}\n}\n',
    "blank hooks": '{\n  "hooks": { // none yet\n  }\n}\n',
    "empty list": '{"hooks": {"Stop": [], "AfterAgent": [ ]}}',
    "own hooks": json.dumps({"hooks": {"Stop": [USERS], "SessionStart": [USERS, USERS]}, "a": 1}, indent=2),
    "own hooks, compact": json.dumps({"a": 1, "hooks": {"Stop": [USERS]}}, separators=(",", ":")),
    "own hooks, comments": '{"hooks": {"Stop": [ /* mine */ {"hooks": []} /* last */ ] // one\n } }',
    "other hooks": json.dumps({"hooks": {"WorktreeCreate": [USERS]}}, indent=4),
    "unicode": '{\n  "name": "Grüße 你好 🚀"\n}\n',
    "bom": '\ufeff{"a": 1}',
}


def installed(agent: str, text: str | None, spool: str = SPOOL) -> str:
    found = edit(agent, text, spool)
    assert found is not None
    return found


def ours(agent: str) -> set[str]:
    return set(HOOKING[agent].events)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("agent", JSON_AGENTS)
def test_json_settings_are_left_byte_for_byte_as_they_were(agent: str, text: str) -> None:
    filled = installed(agent, text)
    assert set(present(agent, filled)) == ours(agent)
    assert edit(agent, filled, None) == text
    assert installed(agent, filled) == filled  # once more changes nothing
    assert installed(agent, installed(agent, filled, OTHER)) == filled
    assert edit(agent, text, None) == text  # nothing of ours: nothing to take out
    assert present(agent, text) == ()


@pytest.mark.parametrize("agent", [*JSON_AGENTS, "codex", "opencode"])
def test_a_file_that_was_not_there_is_gone_again(agent: str) -> None:
    filled = installed(agent, None)
    assert present(agent, filled)
    assert edit(agent, filled, None) is None
    assert edit(agent, None, None) is None
    assert present(agent, None) == ()


def test_what_is_written_is_what_an_agent_reads() -> None:
    data = json.loads(installed("claude", TEXTS["own hooks"]))
    assert data["a"] == 1
    assert data["hooks"]["SessionStart"][:2] == [USERS, USERS]
    [mine] = data["hooks"]["SessionStart"][2:]
    assert mine == {"hooks": [{"type": "command", "command": command("claude", SPOOL), "timeout": 10}]}
    assert data["hooks"]["PreToolUse"][0]["matcher"] == "AskUserQuestion|ExitPlanMode"


def test_only_ours_is_taken_out_of_a_group_that_the_user_added_to() -> None:
    data: dict[str, Any] = json.loads(installed("claude", None))
    data["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "say done"})
    left = edit("claude", json.dumps(data), None)
    assert left is not None
    assert json.loads(left) == {"hooks": {"Stop": [USERS]}}


def test_hooks_of_the_user_that_came_later_stay() -> None:
    data: dict[str, Any] = json.loads(installed("claude", '{"a": 1}'))
    data["hooks"]["Stop"].append(USERS)
    data["hooks"]["Setup"] = [USERS]
    left = edit("claude", json.dumps(data, indent=2), None)
    assert left is not None
    assert json.loads(left) == {"a": 1, "hooks": {"Stop": [USERS], "Setup": [USERS]}}


def test_hooks_of_an_older_install_are_replaced() -> None:
    data: dict[str, Any] = json.loads(installed("claude", '{"a": 1}', OTHER))
    data["hooks"]["Lunch"] = data["hooks"].pop("Notification")
    again = installed("claude", json.dumps(data))
    assert set(present("claude", again)) == ours("claude")
    assert OTHER not in again


@pytest.mark.parametrize(
    "text", ["", "hello", "[]", "5", '{"a": }', '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": 1}', "{\n\n"]
)
@pytest.mark.parametrize("agent", JSON_AGENTS)
def test_settings_that_cannot_be_read_are_refused(agent: str, text: str) -> None:
    for spool in (SPOOL, None):
        with pytest.raises(EditRefused, match=r"it is|`hooks`"):
            edit(agent, text, spool)


MEMBERS = st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=4), max_size=3)
GROUPS = st.lists(st.just(USERS), max_size=2)


@given(MEMBERS, st.none() | st.dictionaries(st.sampled_from(["Stop", "Setup", "SessionEnd"]), GROUPS), st.data())
def test_any_settings_are_left_as_they_were(members: dict[str, Any], hooks: Any, data: st.DataObject) -> None:
    members.pop("hooks", None)
    whole = {**members, **({} if hooks is None else {"hooks": hooks})}
    order = data.draw(st.permutations(sorted(whole)))
    indent, blank = data.draw(st.sampled_from([None, 0, 1, 2, "\t"])), data.draw(st.sampled_from(["", " ", "\n"]))
    text = json.dumps({key: whole[key] for key in order}, indent=indent) + blank
    filled = installed("claude", text)
    assert json.loads(filled).keys() == {*whole, "hooks"}
    assert edit("claude", filled, None) == text


# --- Codex

TOML = {
    "plain": 'model = "x"\n[features]\nplugins = false\n',
    "no end": 'model = "x" # mine',
    "crlf": 'model = "x"\r\n[a]\r\nb = 1\r\n',
    "blank end": 'model = "x"\n\n\n',
    "own hooks": 'a = 1\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n',
    "reviewed": '[[hooks.Stop]]\nhooks = []\n\n[hooks.state]\n\n[hooks.state."/c/config.toml:stop:0:0"]\nx = "y"\n',
    "only a comment": "# nothing here\n",
}


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_toml_settings_are_left_byte_for_byte_as_they_were(text: str) -> None:
    filled = installed("codex", text)
    assert set(present("codex", filled)) == ours("codex")
    assert filled.startswith(text)
    assert edit("codex", filled, None) == text
    assert installed("codex", filled) == filled
    assert installed("codex", installed("codex", filled, OTHER)) == filled
    assert edit("codex", text, None) == text
    assert tomllib.loads(filled)["hooks"]["Stop"][-1]["hooks"][0]["command"] == command("codex", SPOOL)


def reviewed(filled: str) -> str:
    """As Codex writes down that its user has reviewed all hooks."""
    rows = []
    for name, groups in tomllib.loads(filled)["hooks"].items():
        label = "".join(f"_{one.lower()}" if one.isupper() else one for one in name).lstrip("_")
        rows += [f"{label}:{at}:0" for at, _ in enumerate(groups) if name != "state"]
    tables = [f'\n[hooks.state."/home/me/.codex/config.toml:{row}"]\ntrusted_hash = "sha256:0"\n' for row in rows]
    return f"{filled}\n[hooks.state]\n{''.join(tables)}"


def test_what_codex_notes_of_our_hooks_goes_with_them() -> None:
    for text in (TOML["plain"], TOML["only a comment"]):
        assert edit("codex", reviewed(installed("codex", text)), None) == text


def test_what_codex_notes_of_other_hooks_and_adds_at_the_end_stays() -> None:
    filled = reviewed(installed("codex", TOML["own hooks"])) + '\n[projects."/p"]\ntrust_level = "trusted"\n'
    left = edit("codex", filled, None)
    assert left is not None
    assert left.startswith(TOML["own hooks"])
    data = tomllib.loads(left)
    assert list(data["hooks"]["state"]) == ["/home/me/.codex/config.toml:stop:0:0"]
    assert data["projects"] == {"/p": {"trust_level": "trusted"}}
    assert OURS not in left


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = ", "not TOML"),
        ("[a\n", "not TOML"),
        ("hooks = {}\n", "a form that nothing can be added to"),
        ("[hooks]\nStop = []\n", "a form that nothing can be added to"),
        ("hooks = 1\n", "a form that nothing can be added to"),
    ],
)
def test_toml_that_cannot_be_edited_is_refused(text: str, why: str) -> None:
    with pytest.raises(EditRefused, match=why):
        edit("codex", text, SPOOL)


# --- OpenCode, and the command


def test_a_plugin_of_somebody_else_is_left_alone() -> None:
    for spool in (SPOOL, None):
        with pytest.raises(EditRefused, match="not a plugin of Paneward"):
            edit("opencode", "export const Mine = 1\n", spool)
    assert json.dumps(OTHER) in installed("opencode", installed("opencode", None), OTHER)


@pytest.mark.parametrize("spool", [SPOOL, OTHER, "/a b/$(x)"])
def test_the_command_is_one_line_and_names_its_spool_exactly(spool: str) -> None:
    line = command("claude", spool)
    assert "\n" not in line
    assert shlex.split(line)[:3] == ["exec", "/bin/sh", "-c"]
    assert shlex.split(line)[4:] == [OURS, "claude", spool]
