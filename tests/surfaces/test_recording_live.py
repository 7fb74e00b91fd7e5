"""`record` and `cast` as people use them: through a server that may be killed, and without one."""

import json
import signal
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from paneward.core.recording.cast import OUTPUT, CastLine, Header, written, written_header
from tests.adapters.conftest import until
from tests.surfaces.conftest import PANEWARD, Machine
from tests.surfaces.serving import Up, up

NAME = "20261116T084111Z"


def entries(path: Path) -> list[Any]:
    header, *found = [json.loads(line) for line in path.read_text().splitlines()]
    assert header["version"] == 2
    return found


def text_of(found: list[Any]) -> str:
    return "".join(data for _, kind, data in found if kind == OUTPUT)


def printing(machine: Machine) -> str:
    """A pane that prints what a file tells it to, one line after the other."""
    (machine.home / "lines").touch()
    return machine.pane(f"tail -f -n +1 {machine.home / 'lines'}")


def say(machine: Machine, words: str, pane: str) -> None:
    with open(machine.home / "lines", "a") as file:
        file.write(f"{words}\n")
    until(lambda: words in machine.tmux("capture-pane", "-p", "-t", pane))


def is_recorded(server: Up, words: str) -> bool:
    parts = (server.state / "recordings/printer").glob("*.cast")
    return any(words in part.read_text() for part in parts)


def played(machine: Machine, file: Path) -> str:
    """What a terminal of the same size shows of a cast."""
    shown = machine.home / "shown"
    shown.write_text(text_of(entries(file)) + "\x1b]2;all is shown\x07")
    pane = machine.pane(f"sh -c 'stty raw; cat {shown}; exec sleep 1000'")
    until(lambda: machine.tmux("display-message", "-p", "-t", pane, "#{pane_title}") == "all is shown")
    return machine.tmux("capture-pane", "-p", "-t", pane)


def test_a_recording_outlives_a_server_that_is_killed(machine: Machine) -> None:
    pane = printing(machine)
    with up(machine) as server:
        assert machine.paneward("adopt", pane, "--name", "printer").code == 0
        begun = machine.answer("record", "printer")
        assert (begun["ok"], begun["fresh"], begun["running"]) == (True, True, True)
        assert not machine.answer("record", "printer")["fresh"]
        say(machine, "before the kill", pane)
        until(lambda: is_recorded(server, "before the kill"))
        server.end(signal.SIGKILL)
    [part] = (server.state / "recordings/printer").iterdir()
    with open(part, "ab") as file:
        file.write(b'[99.0, "o", "torn')  # as if it had been killed in the middle of a line
    say(machine, "while nobody listens", pane)
    with up(machine) as server:
        say(machine, "after the kill", pane)
        until(lambda: is_recorded(server, "after the kill"))
        [running] = machine.answer("record", "printer", "--list")["recordings"]
        assert (running["name"], running["running"], running["parts"]) == (begun["recording"], True, 2)
        assert machine.answer("record", "printer", "--stop")["recording"] == begun["recording"]
        assert machine.paneward("record", "printer", "--stop").code == 5
        kinds = [
            event["kind"] for event in server.events("--types", "recording_started", "--types", "recording_stopped")
        ]
        assert kinds == ["recording_started", "recording_stopped"]
    out = machine.home / "out.cast"
    written_out = machine.answer("cast", "export", "printer", "--idle-cap", "0.5", "--out", str(out))
    assert written_out["notes"] == [f"{part.name}: its last line was cut off, and is left out"]
    found = entries(out)
    times = [at for at, _, _ in found]
    assert times == sorted(times)
    assert max(second - first for first, second in pairwise(times)) <= 0.500001
    assert [data for _, kind, data in found if kind == "m"] == ["Paneward was started anew"]
    assert "torn" not in text_of(found)
    assert played(machine, out) == machine.tmux("capture-pane", "-p", "-t", pane)


@pytest.mark.parametrize("enough", [signal.SIGINT, signal.SIGTERM])
def test_any_pane_is_recorded_into_a_file_until_it_is_enough(machine: Machine, enough: signal.Signals) -> None:
    pane, out = printing(machine), machine.home / "pane.cast"
    command = [str(PANEWARD), "-L", machine.socket, "--json", "record", pane, "--out", str(out)]
    process = subprocess.Popen(command, env=machine.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        until(lambda: out.exists() and out.stat().st_size)
        say(machine, "seen by the tape", pane)
        until(lambda: "seen by the tape" in out.read_text())
        process.send_signal(enough)
        said, complaints = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, complaints) == (0, b"")
    assert json.loads(said)["bytes"] == out.stat().st_size
    assert oct(out.stat().st_mode & 0o777) == "0o600"
    assert played(machine, out) == machine.tmux("capture-pane", "-p", "-t", pane)
    assert machine.paneward("record", pane, "--out", str(out)).code == 2  # nothing is overwritten


def test_what_is_asked_for_wrongly_is_told_with_what_to_do(machine: Machine) -> None:
    assert machine.paneward("record", "nobody").code == 4  # no server runs
    assert machine.paneward("record", "%99", "--out", "x.cast").code == 4
    assert not Path("x.cast").exists()
    assert machine.paneward("record", "a", "--stop", "--list").code == 2
    assert machine.paneward("cast", "export", "nobody").code == 4
    assert machine.paneward("cast", "export", "../../nowhere/passwd").code == 4
    assert machine.paneward("cast", "list", "nobody").code == 4
    assert machine.paneward("--json", "cast", "export", "nobody").code == 2
    assert machine.paneward("cast", "export", "nobody", "--from", "2", "--to", "1").code == 2
    assert machine.answer("cast", "list") == {"ok": True, "recordings": []}
    nothing = machine.paneward("cast", "list")
    assert "nothing was recorded" in nothing.out
    refused = machine.paneward("cast", "export", "nobody", "--recording", "../x")
    assert (refused.code, "RECORDING_NOT_FOUND" in refused.err) == (4, True)


def stored(machine: Machine) -> Path:
    """A recording on the disk: two parts, ten seconds between them."""
    folder = machine.home / ".local/state/paneward/recordings/ada"
    folder.mkdir(parents=True)
    for part in (1, 2):
        lines = written_header(Header(80, 24, 1000.0 + 10 * part, "ada", NAME, part))
        lines += written(CastLine(0.0, OUTPUT, f"part {part}")) + written(CastLine(1.0, OUTPUT, " goes on"))
        (folder / f"{NAME}.{part}.cast").write_bytes(lines)
    return folder


def test_recordings_are_listed_and_exported_without_a_server(machine: Machine) -> None:
    stored(machine)
    [listed] = machine.answer("cast", "list", "ada")["recordings"]
    assert (listed["name"], listed["parts"], listed["running"]) == (NAME, 2, False)
    assert NAME in machine.paneward("cast", "list").out
    done = subprocess.run(
        [PANEWARD, "cast", "export", "ada"], env=machine.env, capture_output=True, check=True, timeout=60
    )
    times = [json.loads(line)[0] for line in done.stdout.splitlines()[1:]]
    assert (times, done.stderr) == ([0.0, 1.0, 10.0, 11.0], b"")
    out = machine.home / "cut.cast"
    shown = machine.paneward(
        "cast", "export", "ada", "--recording", NAME, "--from", "10", "--to", "10", "--out", str(out)
    )
    assert (shown.code, "written" in shown.out) == (0, True)
    assert entries(out) == [[0.0, "o", "part 1"], [0.0, "o", " goes on"], [0.0, "o", "part 2"]]
    again = machine.answer("cast", "export", str(out), "--out", f"{out}.again")
    assert (again["entries"], again["notes"]) == (3, [])
    assert machine.paneward("cast", "export", "ada", "--out", str(out)).code == 2  # it exists
    assert machine.paneward("cast", "export", "ada", "--out", str(machine.home / "no/where.cast")).code == 1


def test_a_file_that_is_no_recording_is_refused_and_one_that_was_cut_is_read(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stored(machine)
    page = machine.home / "page.html"
    page.write_text("<html>")
    refused = machine.paneward("cast", "export", str(page), "--out", str(machine.home / "x.cast"))
    assert (refused.code, "page.html is no asciicast" in refused.err) == (1, True)
    torn = machine.home / "torn.cast"
    torn.write_bytes((folder / f"{NAME}.1.cast").read_bytes()[:-5])
    done = subprocess.run(
        [PANEWARD, "cast", "export", torn], env=machine.env, capture_output=True, check=True, timeout=60
    )
    assert len(done.stdout.splitlines()) == 2
    assert b"torn.cast: its last line was cut off, and is left out" in done.stderr
    monkeypatch.chdir(machine.home)
    (machine.home / "ada").write_text("a file that is called like an agent")
    assert machine.answer("cast", "export", "ada", "--out", "ada.cast")["entries"] == 4
