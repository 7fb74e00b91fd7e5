"""Which version of a program is installed, as the program itself says."""

import asyncio
from pathlib import Path

import pytest

from paneward.adapters.hosts.host import Host
from paneward.adapters.installed import version_of
from paneward.core.errors import TmuxTimeout


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program on PATH that runs what is written into it."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path / "some-agent"


def installed(program: Path, script: str, timeout: float = 20.0) -> str | None:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return asyncio.run(version_of(Host(), program.name, timeout))


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("echo '2.1.325 (Claude Code)'", "2.1.325"),
        ("echo codex-cli 0.166.0", "0.166.0"),
        ("echo 'some warning' >&2; echo aider 0.86.2", "0.86.2"),
        ("echo v1.2.3-beta.1", "1.2.3-beta.1"),
        ("echo 0.9 >&2", "0.9"),
        ("echo unreleased", "unreleased"),
        ("exit 3", "no word, exit status 3"),
        ("test -t 0 || cat; echo 1.2.3", "1.2.3"),
    ],
)
def test_the_version_is_what_the_program_says_of_itself(says: Path, script: str, version: str) -> None:
    assert installed(says, script) == version


def test_a_program_that_is_not_there_has_none(says: Path) -> None:
    assert asyncio.run(version_of(Host(), "no-such-agent")) is None


def test_a_program_that_does_not_answer_is_given_up(says: Path) -> None:
    with pytest.raises(TmuxTimeout):
        installed(says, "exec sleep 60", timeout=0.2)


def test_a_shell_elsewhere_that_does_not_find_it_says_so_by_127(says: Path) -> None:
    assert asyncio.run(version_of(Host(["sh", "-c", '$0 "$@"']), "no-such-agent")) is None
