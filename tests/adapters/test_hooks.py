"""The settings files of agents on a real disk."""

import os
from pathlib import Path

import pytest

from paneward.adapters.hooks.settings import change, is_there, look, settings_file
from paneward.core.errors import Code, PanewardError
from paneward.core.hook_install import HOOKING


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


@pytest.mark.parametrize("agent", HOOKING)
def test_install_and_remove_leave_no_file_behind(agent: str, env: dict[str, str], tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    assert not is_there(agent, env)
    assert look(agent, spool, env).state == "absent"
    done = change(agent, spool, True, env=env)
    assert (done.state, done.changed, is_there(agent, env)) == ("installed", True, True)
    assert done.hooks
    assert spool.stat().st_mode & 0o777 == 0o700
    assert settings_file(agent, env).stat().st_mode & 0o777 == 0o600
    assert look(agent, spool, env).state == "installed"
    assert look(agent, tmp_path / "other", env).state == "outdated"
    assert not change(agent, spool, True, env=env).changed
    gone = change(agent, spool, False, env=env)
    assert (gone.state, gone.changed) == ("absent", True)
    assert not settings_file(agent, env).exists()
    assert not change(agent, spool, False, env=env).changed


def test_a_link_and_the_rights_of_the_file_stay(env: dict[str, str], tmp_path: Path) -> None:
    path, real = settings_file("claude", env), tmp_path / "dotfiles" / "claude.json"
    path.parent.mkdir()
    real.parent.mkdir()
    real.write_text('{"a": 1}')
    real.chmod(0o640)
    path.symlink_to(real)
    change("claude", tmp_path / "spool", True, env=env)
    assert path.is_symlink()
    assert "UserPromptSubmit" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640
    change("claude", tmp_path / "spool", False, env=env)
    assert real.read_text() == '{"a": 1}'
    assert [file.name for file in real.parent.iterdir()] == ["claude.json"]


def test_a_dry_run_says_what_it_would_do_and_does_nothing(env: dict[str, str], tmp_path: Path) -> None:
    path = settings_file("codex", env)
    path.parent.mkdir()
    path.write_text('model = "x"')
    done = change("codex", tmp_path / "spool", True, dry=True, env=env)
    assert done.changed
    assert "+[[hooks.UserPromptSubmit]]" in done.diff
    assert "No newline" in done.diff
    assert path.read_text() == 'model = "x"'
    assert not (tmp_path / "spool").exists()


@pytest.mark.parametrize("data", [b"{", b"\xff\xfe{}", b""])
def test_a_broken_file_is_refused_and_left_as_it_is(data: bytes, env: dict[str, str], tmp_path: Path) -> None:
    path = settings_file("claude", env)
    path.parent.mkdir()
    path.write_bytes(data)
    for install in (True, False):
        with pytest.raises(PanewardError, match=r"settings\.json") as refused:
            change("claude", tmp_path / "spool", install, env=env)
        assert refused.value.code is Code.HOOKS_REFUSED
        assert refused.value.hint
    assert path.read_bytes() == data


def test_what_cannot_be_read_or_written_is_refused(env: dict[str, str], tmp_path: Path) -> None:
    settings_file("claude", env).mkdir(parents=True)
    (tmp_path / ".codex").write_text("a file")
    for agent, why in (("claude", "cannot read"), ("codex", "cannot")):
        with pytest.raises(PanewardError, match=why) as refused:
            change(agent, tmp_path / "spool", True, env=env)
        assert refused.value.code is Code.HOOKS_REFUSED


def test_the_folders_that_agents_are_told_of_are_used(tmp_path: Path) -> None:
    env = {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "XDG_CONFIG_HOME": "/g"}
    found = [str(settings_file(agent, env)) for agent in HOOKING]
    assert found == ["/c/settings.json", "/x/config.toml", "/g/opencode/plugin/paneward.js", "/h/.gemini/settings.json"]
    assert os.fspath(settings_file("codex", {"HOME": "/h"})) == "/h/.codex/config.toml"
