"""`paneward hooks` and `paneward signal`, as a user runs them."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from paneward.core.hook_install import command
from paneward.core.state.hooks import read_spooled
from tests.surfaces.conftest import Machine
from tests.surfaces.serving import Up, reached

SETTINGS = '{\n  // mine\n  "model": "opus"\n}\n'


def claude(machine: Machine, text: str = SETTINGS) -> Path:
    path = machine.home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(text)
    return path


def test_install_status_and_remove(machine: Machine) -> None:
    path = claude(machine)
    done = machine.answer("hooks", "install")
    states = {one["agent"]: (one["state"], one["changed"]) for one in done["agents"]}
    assert states["claude"] == ("installed", True)
    assert {states[name] for name in ("codex", "opencode", "gemini")} == {("absent", False)}
    assert "UserPromptSubmit" in path.read_text()
    assert not machine.answer("hooks", "install", "claude")["agents"][0]["changed"]
    shown = machine.paneward("hooks", "status")
    assert shown.code == 0
    assert "installed" in shown.out
    assert machine.paneward("hooks", "remove", "claude").code == 0
    assert path.read_text() == SETTINGS
    assert not (machine.home / ".codex").exists()


def test_a_dry_run_shows_the_change_and_makes_none(machine: Machine) -> None:
    path = claude(machine)
    shown = machine.paneward("hooks", "install", "claude", "--dry-run")
    assert shown.code == 0
    assert "would change" in shown.out
    assert '+    "UserPromptSubmit": [' in shown.out
    assert path.read_text() == SETTINGS


def test_a_broken_file_is_told_and_others_are_done(machine: Machine) -> None:
    path = claude(machine, '{"a": }')
    (machine.home / ".codex").mkdir()
    refused = machine.paneward("hooks", "install", "claude")
    assert refused.code == 1
    assert "settings.json: it is not JSON: line 1" in refused.err
    assert "HOOKS_REFUSED" in refused.err
    several = machine.paneward("--json", "hooks", "install", "all")
    assert several.code == 1
    states = {one["agent"]: one["state"] for one in several.document["agents"]}
    assert (states["claude"], states["codex"]) == ("broken", "installed")
    assert machine.paneward("hooks", "status", "claude").code == 1
    assert path.read_text() == '{"a": }'
    assert machine.paneward("hooks", "install", "cursor").code == 2


def test_a_signal_lies_in_the_spool_until_a_server_takes_it(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX_PANE", "%3")
    assert machine.answer("signal", "completed", "the tests are green")["state"] == "completed"
    [file] = (machine.home / ".local/state/paneward/spool").iterdir()
    heard = read_spooled(file.read_bytes(), 0.0)
    assert (heard.state, heard.text, heard.pane) == ("completed", "the tests are green", "%3")
    assert "1 hooks wait" in machine.paneward("hooks", "status").out
    assert machine.paneward("signal", "happy").code == 2
    monkeypatch.setenv("PANEWARD_EVENTS", str(machine.home / "none" / "it.jsonl"))
    failed = machine.paneward("signal", "idle")
    assert failed.code == 1
    assert "it.jsonl" in failed.err


def _worked(server: Up) -> bool:
    return "PROCESSING" in [one["new_state"] for one in server.events("--types", "state_changed")]


def test_explain_names_the_hook_that_the_server_heard(server: Up) -> None:
    pane = server.agent(busy=0)
    socket = server.machine.tmux("display-message", "-p", "#{socket_path}")
    env = {"PATH": os.environ["PATH"], "TMUX_PANE": pane, "TMUX": f"{socket},1,0"}
    body = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "typed by hand", "session_id": "s"})
    line = command("claude", str(server.state / "spool"))
    subprocess.run(["sh", "-c", line], input=body.encode(), env=env, check=True)
    assert reached(lambda: _worked(server))
    told = server.machine.answer("explain", "tester")["state"]
    assert "claude's UserPromptSubmit hook" in [claim["evidence"] for claim in told["claims"]]
    said = [one["turn"]["text"] for one in server.events("--types", "turn_stored")]
    assert said[0] == "typed by hand"
