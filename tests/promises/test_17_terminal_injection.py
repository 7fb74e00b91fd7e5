"""What is foreign is made harmless where it is printed.

Escape sequences, C1 controls and controls of the writing direction in what agents, hooks and people say do not reach
the terminal of whoever reads it: not by any command, not in JSON, not in the log. One module prints for all commands.
"""

import ast
import io
import json
import logging
import os
import re
import sys
from pathlib import Path

import pytest

from paneward.core.recording.cast import CastLine, written
from paneward.surfaces.cli import output
from paneward.surfaces.cli.show.console import HarmlessConsole
from paneward.surfaces.server.log import configure
from tests.surfaces.conftest import run
from tests.surfaces.serving import Up, reached

EVIL = "\x1b]52;c;b3duZWQ=\x07\x1b[2J\x9b31m\x9d0;owned\x9c\u202egnp.exe\u2066"
FOREIGN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
CLI = Path(output.__file__).parent


@pytest.fixture(scope="module")
def evil_words() -> str:
    return f"look{EVIL}here"


def test_no_command_prints_what_a_terminal_would_obey(server: Up, evil_words: str) -> None:
    machine = server.machine
    server.agent("tester", role="worker")
    file = server.state / "events/tester.jsonl"
    file.write_text(json.dumps({"state": "needs_input", "message": evil_words}, ensure_ascii=False) + "\n")
    assert reached(lambda: any("here" in json.dumps(event) for event in server.events()))
    pane = machine.pane(f"printf '%s' '{EVIL.replace(chr(7), '')}'; exec cat")
    commands = [
        ["events", "-n", "100"], ["ps"], ["export"], ["panes"], ["read", pane], ["read", pane, "--ansi"],
        ["explain", pane], ["deliveries"], ["status"], ["status", "--tmux"], ["menu", "tester"], ["doctor"],
        ["send", evil_words, "x"], ["forget", evil_words], ["profiles", "show", evil_words],
    ]  # fmt: skip
    for words in commands:
        for form in ([], ["--json"]):
            ran = machine.paneward(*form, *words)
            said = re.sub(r"\x1b\[[0-9;:]*m", "", ran.out + ran.err) if "--ansi" in words else ran.out + ran.err
            assert not FOREIGN.search(said), (words, FOREIGN.findall(said))
            if form and words[0] not in ("export", "read") and "--tmux" not in words:
                json.loads(ran.out)


@pytest.mark.parametrize("name", ["role", "label", "about"])
def test_names_that_people_give_are_harmless_too(server: Up, evil_words: str, name: str) -> None:
    pane = server.machine.pane()
    server.machine.paneward("adopt", pane, "--name", "named", f"--{name}", evil_words)
    for words in (["ps"], ["ps", "--json"], ["events", "-n", "20"]):
        ran = server.machine.paneward(*words)
        assert not FOREIGN.search(ran.out + ran.err), words


def test_the_words_are_kept_and_only_the_controls_go() -> None:
    stream = io.StringIO()
    console = HarmlessConsole(file=stream, width=80)
    console.print(f"a{EVIL}b\tc\nd é 你")
    assert not FOREIGN.search(stream.getvalue())
    assert stream.getvalue().replace(" ", "").endswith("dé你\n")
    assert json.loads(output.json_text({"a": f"x{EVIL}"}))["a"] == f"x{EVIL}"
    assert not FOREIGN.search(output.json_text({"a": f"x{EVIL}"}))


def test_the_log_is_harmless_in_both_forms() -> None:
    for form in ("text", "json"):
        stream = io.StringIO()
        configure(form, "info", stream)
        logging.getLogger("x").warning("it said %s", EVIL)
        assert not FOREIGN.search(re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())), form


def test_what_a_command_logs_is_harmless() -> None:
    log = f"work.log_to_stderr('info'); logging.error({EVIL!r})"
    script = f"import logging; from paneward.surfaces.cli import work; {log}"
    ran = run([sys.executable, "-c", script], dict(os.environ))
    assert "owned" in ran.err
    assert not FOREIGN.search(ran.err)


def test_a_recording_holds_the_bytes_of_a_pane_and_prints_as_plain_text() -> None:
    line = written(CastLine(0.0, "o", EVIL))
    assert not FOREIGN.search(line.decode())
    assert json.loads(line)[2] == EVIL


def _prints(path: Path) -> list[str]:
    """What writes to the terminal without passing `output`: `print`, rich's own console, a standard stream."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if called in ("print", "Console", "typer.echo") or called.endswith(("stdout.write", "stderr.write")):
            found.append(f"{path.name}: {ast.unparse(node)}")
    return found


def test_one_module_prints_for_all_commands() -> None:
    others = [path for path in CLI.glob("*.py") if path.name != "output.py"]
    assert [line for path in others for line in _prints(path)] == []


def test_what_is_written_on_a_terminal_as_it_is_passes_the_same_module() -> None:
    """`console.file` of a terminal is the terminal itself."""
    others = [path for path in CLI.glob("*.py") if path.name != "lines.py"]
    assert [path.name for path in others if "console.file.write" in path.read_text()] == []
