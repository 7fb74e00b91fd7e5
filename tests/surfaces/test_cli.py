"""The command line without tmux: usage, exit codes, JSON, help, what is loaded."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from paneward.core.delivery.preflight import Draft, WhenBusy
from paneward.core.errors import Code
from paneward.core.profiles import BUILT_IN, profile_from
from paneward.core.result import Readiness, ReadyVerdict, Rung, SendResult, Verdict
from paneward.surfaces.cli import EXAMPLES, main
from paneward.surfaces.cli.commands import panes as commands
from paneward.surfaces.cli.exits import MEANING, OF_CODE, Exit, exit_of

BARE = """
import typer
app = typer.Typer()
@app.command()
def send(times: int = 1): pass
@app.command()
def read(times: int = 1): pass
app(["send", "--help"], standalone_mode=False)
"""
Capture = pytest.CaptureFixture[str]
HEAVY = (
    "asyncio", "pydantic", "sqlalchemy", "alembic", "structlog", "httpx", "fastapi", "uvicorn", "jwt",
    "prometheus_client", "paneward.app", "paneward.store", "paneward.config", "yaml",
)  # fmt: skip


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees the user's configuration, receipts or tmux."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("TMUX", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PANEWARD_CONFIG", "PANEWARD_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def document(capsys: Capture) -> Any:
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


# --- exit codes


def test_every_error_code_has_its_exit_code() -> None:
    assert set(OF_CODE) == set(Code)
    assert Exit.DONE not in OF_CODE.values()


def test_every_exit_code_has_its_meaning() -> None:
    assert set(MEANING) == set(Exit)


@pytest.mark.parametrize(
    ("code", "exit"),
    [
        (Code.SEND_FAILED, 1),
        (Code.EMPTY_TEXT, 2),
        (Code.PANE_NOT_FOUND, 4),
        (Code.PANE_DEAD, 4),
        (Code.BLOCKED_BY_DIALOG, 5),
        (Code.OPERATOR_DRAFT, 5),
        (Code.OPERATOR_BUSY, 5),
        (Code.NOT_READY, 5),
        (Code.TIMEOUT, 124),
    ],
)
def test_a_failed_delivery_exits_by_its_code(code: Code, exit: int) -> None:
    assert exit_of(SendResult(Verdict.FAILED, Rung.NOTHING, "", code)) == exit


def test_a_delivery_without_an_error_exits_by_its_verdict() -> None:
    assert exit_of(SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "")) == 0
    assert exit_of(SendResult(Verdict.UNCONFIRMED, Rung.TYPED, "")) == 3


@pytest.mark.parametrize(
    ("verdict", "exit"),
    [
        (ReadyVerdict.READY, 0),
        (ReadyVerdict.AWAITING_ANSWER, 5),
        (ReadyVerdict.BUSY, 5),
        (ReadyVerdict.STABLE, 3),
        (ReadyVerdict.DEAD, 4),
        (ReadyVerdict.TIMEOUT, 124),
    ],
)
def test_a_wait_exits_by_its_verdict(verdict: ReadyVerdict, exit: int) -> None:
    assert exit_of(Readiness(verdict, "rule", "evidence")) == exit


def test_stable_is_done_where_it_was_accepted() -> None:
    assert exit_of(Readiness(ReadyVerdict.STABLE, "stable", "", accept_stable=True)) == 0


# --- usage


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["sned", "%1", "x"], "send"),
        (["send", "%1", "x", "--nonsense"], "--nonsense"),
        (["send"], "PANE"),
        (["send", "%1"], "--file"),
        (["send", "%1", "x", "--file", "y"], "--file"),
        (["send", "%1", "--file", "missing"], "cannot read missing"),
        (["send", "%1", "x", "--when-busy", "hope"], "hope"),
        (["send", "%1", "x", "--timeout", "-1"], "--timeout"),
        (["answer", "%1"], "exactly one of"),
        (["answer", "%1", "--select", "1", "--text", "x"], "exactly one of"),
        (["-L", "a", "-S", "b", "panes"], "not both"),
        (["--transport", "pigeon", "panes"], "pigeon"),
        (["keys", "%1"], "KEY"),
        (["send", "--to", "all", "%1", "x"], "not both"),
        (["wait"], "PANE"),
        (["wait", "%1", "--to", "all"], "--to"),
        (["wait", "%1", "%2", "--any", "--all"], "not both"),
        (["respond", "claude-1"], "exactly one of"),
        (["up", "--port", "70000"], "--port"),
        (["token", "--role", "king"], "king"),
    ],
)
def test_a_wrong_command_line_is_usage_and_says_what_is_wrong(
    words: list[str], complaint: str, capsys: Capture
) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("paneward: ")
    assert complaint in err
    assert len(err.splitlines()) == 2, "one line of what is wrong, one of what to do"


@pytest.mark.parametrize("words", [["--json", "send", "%1"], ["send", "%1", "--json"], ["sned", "--json"]])
def test_a_usage_error_is_one_json_document_wherever_json_stands(words: list[str], capsys: Capture) -> None:
    assert main(words) == 2
    answer = document(capsys)
    assert (answer["ok"], answer["status"], answer["error_type"]) == (False, "error", "usage")
    assert set(answer["error"]) == {"code", "message", "hint"}


def test_json_after_two_dashes_is_text(capsys: Capture) -> None:
    assert main(["-L", "no-such-server", "send", "%1", "--", "--json"]) != 0
    with pytest.raises(json.JSONDecodeError):
        json.loads(capsys.readouterr().out)


def test_the_place_of_tmux_behind_the_command_is_explained(capsys: Capture) -> None:
    assert main(["panes", "-L", "work"]) == 2
    assert "-L stands before the command" in capsys.readouterr().err


def test_no_command_at_all_prints_the_help(capsys: Capture) -> None:
    assert main([]) == 2
    assert "Usage: paneward" in capsys.readouterr().out


def test_the_version_is_printed(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("paneward 0.")


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "demo-agent"])  # its help is its own
def test_the_help_of_every_command_has_an_example(name: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert main([*name.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert EXAMPLES[name][0] in shown


def test_the_choices_on_the_command_line_are_those_of_the_library() -> None:
    assert set(get_args(commands.WhenBusy)) == set(WhenBusy)
    assert set(get_args(commands.Draft)) == set(Draft)


# --- errors of the outside


def test_no_tmux_server_is_an_error_with_its_code(capsys: Capture) -> None:
    code = main(["--json", "-L", "no-such-server", "panes"])
    answer = document(capsys)
    assert code == OF_CODE[Code(answer["error"]["code"])]
    assert answer["error_type"] == answer["error"]["code"].lower()
    assert answer["error"]["hint"]


def test_the_same_error_for_people_is_two_lines_on_standard_error(capsys: Capture) -> None:
    assert main(["-L", "no-such-server", "read", "%1"]) != 0
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 2


def test_no_tmux_at_all_is_said(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANEWARD_TMUX__BINARY", "no-such-tmux")
    assert main(["--json", "panes"]) == 1
    assert document(capsys)["error"]["code"] == "TMUX_NOT_INSTALLED"


def test_a_host_that_cannot_be_reached_is_said_in_the_words_of_ssh(capsys: Capture) -> None:
    if shutil.which("ssh") is None:
        pytest.skip("ssh is not installed")
    assert main(["--host", "no-such-host.invalid", "--json", "panes"]) == 1
    answer = document(capsys)
    assert answer["error"]["code"] == "HOST_UNREACHABLE"
    assert "no-such-host.invalid" in answer["error"]["message"]
    assert main(["--host", "no-such-host.invalid", "doctor", "--json"]) == 1
    assert states(document(capsys))["ssh"] == "fail"


# --- config and profiles


def test_config_show_names_the_origin_of_each_value(
    own_home: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = own_home / "team.yaml"
    file.write_text("tmux_bridge:\n  max_enter_retries: 5\n")
    monkeypatch.setenv("PANEWARD_READINESS__TIMEOUT", "7")
    assert main(["--config", str(file), "config", "show", "--json"]) == 0
    settings = {one["key"]: (one["value"], one["origin"]) for one in document(capsys)["settings"]}
    assert settings["tmux_bridge.max_enter_retries"] == (5, f"{file}, line 2")
    assert settings["readiness.timeout"] == (7.0, "PANEWARD_READINESS__TIMEOUT")
    assert settings["tmux.binary"] == ("tmux", "default")


def test_config_show_shows_no_password(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANEWARD_STORE__URL", "postgresql+psycopg://me:hunter2@db.example/paneward")
    assert main(["config", "show", "--json"]) == 0
    shown = {one["key"]: one["value"] for one in document(capsys)["settings"]}
    assert shown["store.url"] == "postgresql+psycopg://me:***@db.example/paneward"
    assert main(["config", "show"]) == 0
    assert "hunter2" not in capsys.readouterr().out


def test_config_check_says_that_all_is_well(capsys: Capture) -> None:
    assert main(["config", "check"]) == 0
    assert "valid" in capsys.readouterr().out


def test_a_broken_config_is_usage_and_names_file_line_and_key(own_home: Path, capsys: Capture) -> None:
    file = own_home / "config.yaml"
    file.write_text("tmux:\n  binray: tmux\n")
    assert main(["--config", str(file), "config", "check"]) == 2
    err = capsys.readouterr().err
    assert "config.yaml, line 2" in err
    assert "binray" in err


def test_profiles_lists_the_built_in_ones(capsys: Capture) -> None:
    assert main(["profiles", "--json"]) == 0
    assert [one["name"] for one in document(capsys)["profiles"]] == list(BUILT_IN)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_shown_profile_is_a_row_of_a_profiles_file(name: str, capsys: Capture) -> None:
    assert main(["profiles", "show", name]) == 0
    row = yaml.safe_load(capsys.readouterr().out)[name]
    assert profile_from(name, row) == BUILT_IN[name]


def test_an_unknown_profile_is_usage(capsys: Capture) -> None:
    assert main(["profiles", "show", "emacs"]) == 2
    assert "shell" in capsys.readouterr().err


# --- doctor


def states(answer: Any) -> dict[str, str]:
    return {check["name"]: check["state"] for check in answer["checks"]}


def test_the_doctor_warns_where_no_server_runs_and_is_content(capsys: Capture) -> None:
    assert main(["doctor", "--json"]) == 0
    answer = document(capsys)
    assert answer["ok"] is True
    assert states(answer)["server"] == "warn"
    assert {"python", "config", "state", "receipts", "locale", "setpriv", "processes", "tmux"} <= set(states(answer))


def test_the_doctor_fails_for_a_broken_config_and_says_how_to_mend(own_home: Path, capsys: Capture) -> None:
    file = own_home / "config.yaml"
    file.write_text("nonsense: 1\n")
    assert main(["--config", str(file), "doctor", "--json"]) == 1
    answer = document(capsys)
    assert states(answer)["config"] == "fail"
    assert all(check["mend"] for check in answer["checks"] if check["state"] != "ok")


def test_the_doctor_warns_of_a_state_directory_that_others_can_read(own_home: Path, capsys: Capture) -> None:
    folder = own_home / ".local/state/paneward"
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    main(["doctor", "--json"])
    assert states(document(capsys))["state"] == "warn"


def test_the_doctor_fails_without_tmux(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANEWARD_TMUX__BINARY", "no-such-tmux")
    assert main(["doctor"]) == 1
    assert "apt-get install tmux" in capsys.readouterr().out


# --- what is loaded


def loaded(code: str) -> set[str]:
    """The modules a fresh Python has loaded after `code`."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split("\n"))


def test_importing_paneward_loads_nothing_heavy() -> None:
    modules = loaded("import paneward")
    assert [name for name in (*HEAVY, "typer", "rich", "inspect") if name in modules] == []


def test_the_help_of_a_command_loads_nothing_heavy_but_what_typer_needs_itself() -> None:
    bare = loaded(BARE)
    modules = loaded("from paneward.surfaces.cli import main\nmain(['send', '--help'])")
    assert [name for name in HEAVY if name in modules - bare] == []


@pytest.mark.parametrize("command", ["ps", "down"])
def test_a_command_that_asks_a_server_loads_nothing_of_the_library(own_home: Path, command: str) -> None:
    modules = loaded(f"from paneward.surfaces.cli import main\nmain(['--json', '{command}'])\nmain(['{command}'])")
    parts = ("app", "services", "store", "adapters.tmux_control", "adapters.opencode", "core.readiness", "core.hooks")
    assert "paneward.client.remote" in modules
    assert [part for part in parts if f"paneward.{part}" in modules] == []


@pytest.mark.parametrize("pane", ["%0", "window"])
def test_a_read_without_a_server_loads_no_loop_and_no_library(own_home: Path, pane: str) -> None:
    modules = loaded(
        f"from paneward.surfaces.cli import main\nmain(['-L', 'nobody-lives-here', '--json', 'read', '{pane}'])"
    )
    assert "paneward.adapters.tmux.glance" in modules
    parts = ("app", "services", "store.store", "adapters.tmux_control", "core.readiness", "core.events")
    assert [
        name for name in ("asyncio", "sqlalchemy", *(f"paneward.{part}" for part in parts)) if name in modules
    ] == []


@pytest.mark.parametrize("command", [["read", "%0"], ["ps"], ["status", "--tmux"], ["send", "%0", "x"], ["wait", "%0"]])
def test_verbs_that_are_run_all_the_time_load_no_other_answers(own_home: Path, command: list[str]) -> None:
    line = ["-L", "nobody-lives-here", "--json", *command]
    assert "paneward.surfaces.cli.upkeep" not in loaded(f"from paneward.surfaces.cli import main\nmain({line!r})")


def test_every_public_name_is_there_when_it_is_used() -> None:
    import paneward

    assert all(getattr(paneward, name) is not None for name in paneward.__all__)
    assert set(paneward.__all__) <= set(dir(paneward))
    with pytest.raises(AttributeError, match="nonsense"):
        paneward.nonsense  # noqa: B018
