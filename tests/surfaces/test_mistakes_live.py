"""Mistaken command lines, each with its exit code and what is said: in one line, with a hint, without a traceback."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.surfaces.conftest import PANEWARD, Machine, Ran, run
from tests.surfaces.serving import Up, reached

# the command line, its exit code, words of the message and its hint
MISTAKES = [
    ("", 2, "Usage"),
    ("red %0", 2, "No such command 'red'"),
    ("read", 2, "Missing argument 'PANE'"),
    ("read %99", 4, "PANE_NOT_FOUND"),
    ("read nobody", 4, "PANE_NOT_FOUND"),
    ("read PANE -n 0", 2, "greater than or equal to 1"),
    ("read PANE -L work", 2, "-L stands before the command"),
    ("-L a -S b read PANE", 2, "give -L or -S, not both"),
    ("--config gone.yaml up", 2, "gone.yaml"),
    ("--transport pigeon read PANE", 2, "pigeon"),
    ("send PANE", 2, "give the text as an argument"),
    ("send PANE '- x'", 2, "behind `--`"),
    ("send PANE x --when-busy never", 2, "'--when-busy': 'never' is not one of"),
    ("send PANE x --profile klaude", 2, "UNKNOWN_PROFILE"),
    ("send PANE x --file y", 2, "or --file"),
    ("send PANE --file /nowhere/at/all", 2, "No such file"),
    ("send --to reviewers hello", 4, "SERVER_NOT_RUNNING"),
    ("keys PANE Entre", 2, "UNKNOWN_KEY"),
    ("wait PANE --pattern '('", 2, "INVALID_PATTERN"),
    ("wait PANE nobody --any --timeout 60", 4, "PANE_NOT_FOUND"),
    ("answer PANE", 2, "give exactly one of"),
    ("answer PANE --select 1", 4, "NO_DIALOG"),
    ("menu PANE", 4, "no dialog is open"),
    ("signal finished", 2, "finished"),
    ("ps", 4, "paneward up --detach"),
    ("events --types state_chnaged", 4, "SERVER_NOT_RUNNING"),
    ("token --role king", 2, "king"),
    ("token --revoke nonsense", 2, "--revoke takes a token"),
    ("--show-completion klingon", 2, "klingon"),
]


def words_of(line: str, pane: str) -> list[str]:
    """As a shell would split it, with simple quotes alone."""
    parts = line.replace("PANE", pane).split("'")
    return [word for at, part in enumerate(parts) for word in ([part] if at % 2 else part.split())]


def well_said(ran: Ran, code: int, words: str) -> bool:
    """What went wrong in one line, and what to do in another."""
    said = ran.err + ran.out
    return ran.code == code and words in said and "Traceback" not in said and len(ran.err.splitlines()) <= 2


def said_well(ran: Ran, code: int, words: str) -> None:
    assert well_said(ran, code, words), ran


def test_mistaken_command_lines_are_told_in_a_line(machine: Machine) -> None:
    pane = machine.pane()
    assert machine.paneward("wait", pane, "--timeout", "60").code == 0
    badly = []
    for line, code, words in MISTAKES:
        given = words_of(line, pane)
        ran = machine.by(*given) if line.startswith("-") or not line else machine.paneward(*given)
        if not (well_said(ran, code, words) if line else ran.code == code):
            badly.append((line, ran))
    assert not badly


def test_mistakes_with_a_server_are_told_in_a_line_too(server: Up) -> None:
    machine = server.machine
    for line, code, words in [
        ("events --types state_chnaged", 2, "state_changed"),
        ("events --agent nobody", 4, "AGENT_NOT_FOUND"),
        ("events --follow --agent nobody", 4, "AGENT_NOT_FOUND"),
        ("send --to reviewers hello", 4, "AGENT_NOT_FOUND"),
        ("forget nobody", 4, "AGENT_NOT_FOUND"),
        ("up --demo", 1, "without the demo agents"),
    ]:
        said_well(machine.paneward(*line.split()), code, words)


def test_a_wrong_token_file_is_named(server: Up, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANEWARD_TOKEN_FILE", "/nowhere/token")
    said_well(server.machine.paneward("ps"), 1, "/nowhere/token")
    monkeypatch.setenv("PANEWARD_TOKEN_FILE", "/etc/hostname")
    said_well(server.machine.paneward("ps"), 1, "/etc/hostname")
    monkeypatch.delenv("PANEWARD_TOKEN_FILE")


# --- as a process of its own


def test_words_that_are_not_utf_8_are_refused(machine: Machine) -> None:
    pane = machine.pane()
    done = subprocess.run(
        [os.fsencode(PANEWARD), b"-L", machine.socket.encode(), b"send", pane.encode(), b"caf\xe9"],
        env=machine.env, capture_output=True, check=False,
    )  # fmt: skip
    said_well(Ran(done.returncode, done.stdout.decode(), done.stderr.decode()), 2, "argument 5 is not UTF-8")


def test_an_answer_that_cannot_be_written_is_one_line(machine: Machine) -> None:
    pane = machine.pane()
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [PANEWARD, "-L", machine.socket, "read", pane],
            env=machine.env,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    said_well(Ran(done.returncode, "", done.stderr.decode()), 1, "No space left on device")


def test_who_reads_no_further_is_told_nothing(machine: Machine) -> None:
    pane = machine.pane()
    line = f"{PANEWARD} -L {machine.socket} --json panes; {PANEWARD} -L {machine.socket} read {pane} -n 5000"
    ran = run(["bash", "-c", f"({line}) | true"], machine.env)
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("words", [["read"], ["send", "echo hello"], ["deliveries"], ["status"], ["up", "--port", "0"]])
def test_a_state_directory_that_cannot_be_used_is_one_line(machine: Machine, words: list[str], tmp_path: Path) -> None:
    pane = machine.pane()
    (tmp_path / "file").write_text("no directory")
    env = {**machine.env, "PANEWARD_STATE_DIR": str(tmp_path / "file" / "state")}
    verb, *rest = words
    given = [verb, *([pane] if verb in ("read", "send") else []), *rest]
    ran = run([PANEWARD, "-L", machine.socket, *given], env)
    assert "Traceback" not in ran.err
    assert ran.code in (0, 1), ran
    assert len(ran.err.splitlines()) <= 2


# --- Ctrl-C

# What a shell starts in the background ignores Ctrl-C, and so does all that it starts: tests may be run so.
HEEDS = ("env", "--default-signal=INT")


@pytest.mark.parametrize("json", [False, True])
def test_who_gives_up_on_a_send_is_told_what_was_typed(machine: Machine, json: bool) -> None:
    pane = machine.pane("sleep 1000")
    how = ["--json"] * json
    words = [*HEEDS, str(PANEWARD), "-L", machine.socket, *how, "send", pane, "hello", "--timeout", "60"]
    process = subprocess.Popen(words, env=machine.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert reached(lambda: _holds_a_lock(process.pid))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    ran = Ran(process.returncode, out.decode(), err.decode())
    assert ran.code == 130
    if json:
        assert ran.document["error"]["code"] == "INTERRUPTED"
    assert "interrupted: " in ran.out + ran.err
    assert "nothing was typed" in ran.out + ran.err


def _holds_a_lock(pid: int) -> bool:
    """It has the pane for itself, and waits for the program there."""
    return any(f" {pid} " in line for line in Path("/proc/locks").read_text().splitlines())
