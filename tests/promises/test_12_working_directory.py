"""A working directory configures nothing that runs, connects or stores.

Only `.paneward.yaml` is read there. It may set what is harmless, it must be ours, and its use is said.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.conftest import Machine
from tests.surfaces.serving import paneward

EVIL = "#!/bin/sh\ntouch {trace}\nexit 1\n"
FORBIDDEN = (
    "tmux: {binary: ./evil.sh}",
    "store: {url: 'sqlite:////tmp/elsewhere.db'}",
    "store: {retention_days: 0.0001}",
    "server: {host: 0.0.0.0}",
    "server: {allowed_hosts: [evil.example]}",
    "server: {insecure_bind: true}",
    "profiles: {file: profiles.yaml}",
    "readiness: {prompt_pattern: '(a+)+$'}",
    "readiness: {accept_stable: true}",
    "recording: {max_age_days: 0.001}",
    "hosts: {connect_timeout: 1}",
)


@pytest.fixture
def project(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of somebody else's project, where commands are run."""
    folder = machine.home / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PANEWARD_TMUX__BINARY", raising=False)  # it would go before any file
    return folder


def plant(folder: Path) -> Path:
    """A program that must not be run; the file it would leave behind."""
    trace = folder / "it-ran"
    (folder / "evil.sh").write_text(EVIL.format(trace=trace))
    (folder / "evil.sh").chmod(0o755)
    return trace


@pytest.mark.parametrize("verb", ["panes", "doctor", "read", "send", "wait", "explain"])
def test_config_yaml_of_the_working_directory_is_not_read(machine: Machine, project: Path, verb: str) -> None:
    trace = plant(project)
    (project / "config.yaml").write_text("tmux: {binary: ./evil.sh}\n")
    pane = machine.pane()
    words = {"send": [pane, "true"], "panes": [], "doctor": []}.get(verb, [pane])
    machine.paneward(verb, *words)
    assert not trace.exists()


def test_another_programs_config_yaml_does_not_matter(machine: Machine, project: Path) -> None:
    (project / "config.yaml").write_text("baseURL: https://example.org/\ntitle: My site\ntheme: ananke\n")
    pane = machine.pane()
    assert machine.paneward("panes").code == 0
    assert machine.paneward("read", pane).code == 0


@pytest.mark.parametrize("text", FORBIDDEN)
def test_paneward_yaml_may_not_set_what_runs_connects_stores_or_judges(
    machine: Machine, project: Path, text: str
) -> None:
    trace = plant(project)
    (project / ".paneward.yaml").write_text(text)
    machine.pane()
    ran = machine.paneward("panes")
    assert (ran.code, ".paneward.yaml" in ran.err, "CONFIG_INVALID" in ran.err) == (2, True, True)
    assert not trace.exists()


def test_its_use_is_said_once_and_shown_as_the_origin(machine: Machine, project: Path) -> None:
    (project / ".paneward.yaml").write_text("readiness: {timeout: 3}\n")
    pane = machine.pane()
    for words in (["panes"], ["doctor"], ["read", pane], ["--json", "panes"], ["config", "show"]):
        ran = machine.paneward(*words)
        assert (ran.code, ran.err.count(".paneward.yaml of")) == (0, 1), (words, ran)
    answer = json.loads(machine.paneward("--json", "config", "show").out)
    shown = {one["key"]: (one["value"], one["origin"]) for one in answer["settings"]}
    assert shown["readiness.timeout"] == (3.0, ".paneward.yaml of the working directory, line 1")


def test_a_server_says_it_too(machine: Machine, project: Path) -> None:
    (project / ".paneward.yaml").write_text("readiness: {timeout: 3}\n")
    ran = paneward(machine, "up", "--detach", "--port", "0")
    try:
        assert (ran.code, ran.err.count(".paneward.yaml of")) == (0, 1), ran
    finally:
        machine.paneward("down")


def test_a_file_that_was_named_is_used_alone(machine: Machine, project: Path) -> None:
    (project / ".paneward.yaml").write_text("readiness: {timeout: 3}\n")
    (project / "mine.yaml").write_text("")
    ran = machine.paneward("--config", "mine.yaml", "config", "show", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert {one["origin"] for one in ran.document["settings"]} == {"default"}


def by_another_owner(file: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give a file away")
    os.chown(file, 65534, -1)


def writable_by_all(file: Path) -> None:
    file.chmod(0o666)


def writable_by_another_group(file: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give a file to any group")
    os.chown(file, -1, 65534)
    file.chmod(0o664)


def a_link(file: Path) -> None:
    file.rename(file.with_name("elsewhere.yaml"))
    file.symlink_to("elsewhere.yaml")


def a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def too_large(file: Path) -> None:
    file.write_text(file.read_text() + "#" * 70_000)


@pytest.mark.parametrize(
    "made", [by_another_owner, writable_by_all, writable_by_another_group, a_link, a_pipe, too_large]
)
def test_a_file_that_others_could_have_written_is_refused_and_that_is_said(
    machine: Machine, project: Path, made: Callable[[Path], None]
) -> None:
    (project / ".paneward.yaml").write_text("readiness: {timeout: 3}\n")
    made(project / ".paneward.yaml")
    ran = machine.paneward("--json", "config", "show")
    shown = {one["key"]: one["origin"] for one in json.loads(ran.out)["settings"]}
    assert (ran.code, shown["readiness.timeout"]) == (0, "default")
    assert (ran.err.count(".paneward.yaml"), "not used" in ran.err) == (1, True)


def test_parent_directories_are_not_searched(machine: Machine, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / ".paneward.yaml").write_text("readiness: {timeout: 3}\n")
    (project / "deep").mkdir()
    monkeypatch.chdir(project / "deep")
    assert {one["origin"] for one in machine.answer("config", "show")["settings"]} == {"default"}


def test_relative_paths_in_the_users_file_are_not_looked_for_in_the_working_directory(
    machine: Machine, project: Path
) -> None:
    trace = plant(project)
    own = machine.home / ".config/paneward"
    own.mkdir(parents=True)
    (own / "config.yaml").write_text("tmux: {binary: ./evil.sh}\nstore: {url: 'sqlite:///kept.db'}\n")
    machine.paneward("panes")
    assert not trace.exists()
    shown = {one["key"]: one["value"] for one in machine.answer("config", "show")["settings"]}
    assert shown["tmux.binary"] == str(own / "evil.sh")
    assert shown["store.url"] == f"sqlite:///{own / 'kept.db'}"


def test_a_server_in_the_background_imports_nothing_from_the_working_directory(machine: Machine, project: Path) -> None:
    trace = project / "it-ran"
    for name in ("typer", "yaml", "uvloop"):
        (project / f"{name}.py").write_text(f"open({str(trace)!r}, 'w').close()\nraise SystemExit(3)\n")
    ran = paneward(machine, "up", "--detach", "--port", "0")
    machine.paneward("down")
    assert (ran.code, trace.exists()) == (0, False), ran
