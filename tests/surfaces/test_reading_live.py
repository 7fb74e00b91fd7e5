"""What a profile reads from a live pane, what a report keeps of it, and what is said of unknown versions."""

import json
import re
import stat
from pathlib import Path

import pytest

from paneward.core.profiles import CLAUDE
from paneward.surfaces.cli.commands.report import open_bundle, readings
from paneward.surfaces.wire import plain
from tests.adapters.conftest import until
from tests.surfaces.conftest import DEMO_AGENT, Machine
from tests.surfaces.test_cli_live import awaiting, completed

KEY = "sk-ant-api03-AbCdEfGhIjKlMnOp1234"
RULE = "─" * 20
BANNER = rf"\n  Claude Code v2.1.999\n\n{RULE}\n❯\xc2\xa0\n{RULE}\n  ? for shortcuts\033[3A\r\033[2C"


@pytest.fixture
def agent(machine: Machine) -> str:
    pane = machine.pane(f"{DEMO_AGENT} --busy 0 --speed 20", name="agent")
    awaiting(machine, pane)
    return pane


def looks_like_claude(machine: Machine, banner: str = BANNER) -> str:
    """A program of that name that shows a version nobody has seen."""
    pane = machine.pane(f"bash -c \"printf '{banner}'; exec -a claude cat\"", name="claude")
    until(lambda: "bash" not in machine.tmux("display-message", "-p", "-t", pane, "#{pane_current_command}"))
    return pane


# --- profiles check


def test_check_reads_region_by_region_and_names_the_rows(machine: Machine, agent: str) -> None:
    machine.tmux("send-keys", "-t", agent, "-l", "half a thought")
    machine.paneward("wait", agent)
    found = machine.answer("profiles", "check", agent)
    assert (found["profile"], found["line"].split()[-4:-1]) == ("demo", ["--busy", "0", "--speed"])
    assert re.search(found["pattern"], found["line"])
    assert (found["verdict"], found["state"], found["draft"]) == ("ready", "idle", "half a thought")
    assert found["composer"]["rows"] == ["half a thought"]
    row = found["screen"][found["composer"]["top"]]
    assert "half a thought" in row
    shown = machine.paneward("profiles", "check", agent).out
    assert re.search(rf"composer +{found['composer']['top']} +prompt '❯'", shown)
    assert re.search(r"\d+ composer │ ❯.half a thought", shown)


def test_check_shows_a_dialog_as_data_on_its_rows(machine: Machine, agent: str) -> None:
    assert machine.paneward("send", agent, "ask which colour to use").code == 0
    assert machine.paneward("wait", agent).code == 5
    found = machine.answer("profiles", "check", agent)
    assert (found["verdict"], found["composer"]) == ("awaiting_answer", None)
    labels = [option["label"] for option in found["menu"]["options"]]
    for spot in found["spots"]:
        if spot["what"].startswith("option "):
            assert labels[int(spot["what"].split()[1]) - 1] in found["screen"][spot["first"]]
    shown = machine.paneward("profiles", "check", agent).out
    assert all(label in shown for label in labels)
    assert f"paneward answer {agent}" in shown


def test_another_profile_can_be_tried_and_is_seen_to_fail(machine: Machine, agent: str) -> None:
    found = machine.answer("profiles", "check", agent, "--profile", "gemini")
    assert (found["profile"], found["pattern"], found["state"], found["composer"]) == ("gemini", "", "unknown", None)
    assert "asked for" in machine.paneward("profiles", "check", agent, "--profile", "gemini").out
    unknown = machine.paneward("--json", "profiles", "check", agent, "--profile", "emacs")
    assert (unknown.code, unknown.document["error_type"]) == (2, "unknown_profile")


def test_check_and_report_complete_panes_and_profiles(machine: Machine, agent: str) -> None:
    before = f"paneward -L {machine.socket}"
    assert completed(machine, f"{before} profiles check age") == ["agent"]
    assert completed(machine, f"{before} report %") == [agent]
    assert completed(machine, f"{before} profiles check {agent} --profile ge") == ["gemini", "generic"]


# --- versions nobody has seen


def test_an_unknown_version_is_marked_in_the_list_of_panes(machine: Machine) -> None:
    pane, other = looks_like_claude(machine), machine.pane()
    rows = {row["pane"]: row for row in machine.answer("panes")["panes"]}
    assert (rows[pane]["profile"], rows[pane]["version"], rows[pane]["version_known"]) == ("claude", "2.1.999", False)
    assert (rows[other]["profile"], rows[other]["version"], rows[other]["version_known"]) == ("shell", None, None)
    shown = machine.paneward("panes").out
    assert "claude 2.1.999?" in shown
    assert f"`paneward profiles check {pane}`" in shown


def test_a_version_is_known_once_a_file_of_the_user_names_it(machine: Machine) -> None:
    pane = looks_like_claude(machine)
    folder = machine.home / ".config/paneward"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("profiles:\n  file: profiles.yaml\n")
    (folder / "profiles.yaml").write_text("claude:\n  versions: ['2.1.325', '2.1.999']\n")
    [row] = machine.answer("panes")["panes"]
    assert (row["pane"], row["version_known"]) == (pane, True)


def test_the_doctor_names_panes_with_an_unknown_version_and_how_to_take_a_newer_profile(machine: Machine) -> None:
    pane = looks_like_claude(machine)
    [check] = [check for check in machine.answer("doctor")["checks"] if check["name"] == pane]
    assert (check["state"], "2.1.999" in check["seen"]) == ("warn", True)
    assert "profiles.file" in check["mend"]


def install(machine: Machine, name: str, script: str) -> None:
    tools = machine.home / "tools"
    tools.mkdir(exist_ok=True)
    (tools / name).write_text(f"#!/bin/sh\n{script}\n")
    (tools / name).chmod(0o755)


def test_the_doctor_asks_every_installed_agent_for_its_version(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine, "claude", f"echo '{CLAUDE.versions[-1]} (Claude Code)'")
    install(machine, "codex", "echo codex-cli 99.0.1")
    install(machine, "gemini", "exit 3")
    monkeypatch.setenv("PATH", f"{machine.home / 'tools'}:/usr/bin:/bin")
    machine.pane()
    checks = {check["name"]: check for check in machine.answer("doctor")["checks"]}
    assert (checks["claude"]["state"], checks["codex"]["state"], checks["gemini"]["state"]) == ("ok", "warn", "warn")
    assert "99.0.1 is an unknown version: taken for" in checks["codex"]["seen"]
    assert "profiles.file" in checks["codex"]["mend"]
    assert "exit status 3" in checks["gemini"]["seen"]
    assert checks["agents"]["seen"] == "not on PATH: opencode, aider"


# --- report


def test_a_report_read_back_gives_the_same_readings(machine: Machine, agent: str, tmp_path: Path) -> None:
    machine.paneward("send", agent, "ask which colour to use")
    machine.paneward("wait", agent)
    machine.paneward("send", agent, "a text that is refused")
    file = tmp_path / "report.json"
    written = machine.answer("report", agent, "--out", str(file))
    assert written["files"] == [str(file)]
    report = open_bundle(file)
    assert [plain(one) for one in readings(report)] == [look["reading"] for look in report["looks"]]
    assert report["looks"][-1]["reading"] == {
        **report["looks"][-1]["reading"],
        **{name: value for name, value in machine.answer("profiles", "check", agent).items() if name != "ok"},
    }


def test_a_report_says_what_it_contains_and_holds_it(machine: Machine, agent: str, tmp_path: Path) -> None:
    machine.paneward("send", agent, "hello")
    file = tmp_path / "new" / "report.json"
    shown = machine.paneward("report", agent, "--out", str(file)).out
    report = json.loads(file.read_text())
    assert str(file) in shown
    assert all(words in shown for words in report["contains"])
    assert set(report["versions"]) == {"paneward", "tmux", "python", "os", "agent", "installed"}
    assert [row["text"] for row in report["receipts"]] == ["hello"]
    assert report["profile"]["name"] == "demo"
    assert all("\x1b[" in "\n".join(look["snapshot"]["rows"]) for look in report["looks"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_report_keeps_no_credential_wherever_it_stood(machine: Machine, tmp_path: Path) -> None:
    pane = machine.pane(f"bash --norc --noprofile -c 'cat; : {KEY}'")
    machine.tmux("select-pane", "-t", pane, "-T", f"token={KEY}")
    machine.paneward("send", pane, f"export API_KEY={KEY} and more")
    file = tmp_path / "report.json"
    assert machine.paneward("report", pane, "--out", str(file)).code == 0
    assert KEY[:16] not in file.read_text()
    assert "and more" in file.read_text()


def test_a_report_has_a_name_of_its_own(machine: Machine, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(machine.home)
    [file] = machine.answer("report", agent)["files"]
    assert re.fullmatch(r"paneward-report-demo-\d{8}T\d{6}\.json", file)
    assert (machine.home / file).is_file()


def test_a_report_becomes_a_case_of_the_corpus(machine: Machine, agent: str, tmp_path: Path) -> None:
    machine.paneward("send", agent, "ask which colour to use")
    machine.paneward("wait", agent)
    file = tmp_path / "report.json"
    machine.paneward("report", agent, "--out", str(file))
    made = machine.answer("report", "--corpus", str(file), str(tmp_path / "corpus"), "--case", "question")
    screen, expected = (Path(one) for one in made["files"])
    assert screen == tmp_path / "corpus" / "demo" / "unknown" / "question_80.json"
    assert set(json.loads(screen.read_text())) == {
        *("rows", "width", "height", "cursor_x", "cursor_y", "cursor_visible", "alternate", "command", "title")
    }
    stub = json.loads(expected.read_text())
    assert (stub["state"], "note" in stub) == ("dialog", True)
    assert stub["menu"]["question"] == machine.answer("menu", agent)["menu"]["question"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["report"], "give a pane, or --corpus"),
        (["report", "%0", "--corpus", "a", "b"], "give a pane, or --corpus"),
        (["report", "--corpus", "no-such-file", "b"], "cannot read"),
        (["report", "--corpus", "not-a-report", "b"], "is not a report"),
        (["report", "--corpus", "newer", "b"], "newer Paneward"),
    ],
)
def test_what_is_no_report_is_refused(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(machine.home)
    (machine.home / "not-a-report").write_text("[1]")
    (machine.home / "newer").write_text('{"paneward_report": 99}')
    ran = machine.paneward(*words)
    assert (ran.code, said in ran.err) == (2, True)


def test_no_case_of_the_corpus_waits_for_a_person_to_read_it() -> None:
    corpus = Path(__file__).parents[1] / "corpus"
    assert [path for path in corpus.rglob("*.expected.json") if '"note"' in path.read_text()] == []
