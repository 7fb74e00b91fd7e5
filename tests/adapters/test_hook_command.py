"""The command that agents run, in real shells: whole, whatever comes together; silent, whatever is missing."""

import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paneward.core.hook_install import command
from paneward.core.state.hooks import What, read_spooled

SHELLS = [shell for name in ("sh", "dash", "bash", "zsh", "fish") if (shell := shutil.which(name))]
ENV = {"PATH": os.environ["PATH"], "TMUX_PANE": "%7", "TMUX": "/tmp/tmux-1000/default,99,0"}


def prompt(text: str) -> bytes:
    return json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": text}).encode()


def ran(shell: str, spool: Path, body: bytes, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    line = command("claude", str(spool))
    return subprocess.run(
        [shell, "-c", line], input=body, env=ENV if env is None else env, capture_output=True, check=False, timeout=60
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_what_the_agent_gives_is_written_whole_with_its_pane_in_every_shell(shell: str, tmp_path: Path) -> None:
    spool = tmp_path / 'it\'s a "$place"'
    spool.mkdir()
    done = ran(shell, spool, prompt("a 'quoted' \"text\" $HOME\nand more\t🚀"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    [file] = spool.iterdir()
    heard = read_spooled(file.read_bytes(), 0.0)
    assert (heard.what, heard.pane, heard.socket) == (What.PROMPT, "%7", "/tmp/tmux-1000/default")
    assert heard.text == "a 'quoted' \"text\" $HOME\nand more\t🚀"


def test_outside_of_tmux_there_is_no_pane(tmp_path: Path) -> None:
    ran("sh", tmp_path, prompt("x"), {"PATH": ENV["PATH"]})
    [file] = tmp_path.iterdir()
    assert (read_spooled(file.read_bytes(), 0.0).pane, read_spooled(file.read_bytes(), 0.0).text) == ("", "x")


def test_many_at_once_with_long_bodies_do_not_mix(tmp_path: Path) -> None:
    texts = [f"{number}:" + chr(97 + number % 26) * (300_000 if number % 4 == 0 else 50) for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda text: ran("sh", tmp_path, prompt(text)), texts))
    assert {one.returncode for one in done} == {0}
    assert sorted(read_spooled(file.read_bytes(), 0.0).text for file in tmp_path.iterdir()) == sorted(texts)


def test_a_file_that_nobody_took_is_not_written_over(tmp_path: Path) -> None:
    """A process id comes again; what is there by its name stays."""
    script = command("claude", str(tmp_path)).replace("$$", "4711")
    for number in range(3):
        subprocess.run(["sh", "-c", script], input=prompt(str(number)), env=ENV, check=True)
    found = sorted(tmp_path.iterdir())
    assert [file.name for file in found] == ["4711.0", "4711.1", "4711.2"]
    assert [read_spooled(file.read_bytes(), 0.0).text for file in found] == ["0", "1", "2"]


@pytest.mark.parametrize("place", ["gone", "a file", "read only"])
def test_where_nothing_can_be_written_it_is_silent_and_hears_its_agent_out(place: str, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    if place == "a file":
        spool.write_text("")
    elif place == "read only":
        spool = Path("/proc/self")
    done = ran("sh", spool, prompt("x" * 1_000_000))  # more than a pipe holds: unread, it would break the agent's write
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
