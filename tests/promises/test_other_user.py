"""Another user of the same machine tries to get in: none of the tries gets in, writes or reads.

The account is made for these tests and removed after them, which takes root; elsewhere they are skipped. The victim is
root, its home can be entered by all as /home can, and it runs a server with an agent. A try is a program that the other
user runs. It prints `got in` for each thing that it reached; run by the victim, the same program does get in.
"""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from paneward.adapters.tmux.door import Door, server_key
from tests.promises.stranger import CONNECT, LISTEN, PORT, PYTHON, READ, VICTIM, WRITE, Person
from tests.promises.test_16_tmux_sockets import forged
from tests.surfaces.conftest import Ran, lived_in
from tests.surfaces.serving import Up, reached, up

TOOLS = ("useradd", "userdel", "setpriv", PYTHON)
MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]
pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another account"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
SECRET = "the launch is on tuesday"  # what the victim sends to its agent


def changed(*words: str) -> str:
    """Change the list of accounts, in which only one can write at a time; why that cannot be."""
    ran: list[subprocess.CompletedProcess[str]] = []

    def tried() -> bool:
        ran[:] = [subprocess.run(words, check=False, capture_output=True, text=True)]
        return "lock" not in ran[0].stderr

    assert reached(tried)
    return ran[0].stderr.strip() or "it failed without a word" if ran[0].returncode else ""


@pytest.fixture(scope="module")
def stranger() -> Iterator[Person]:
    name = f"pw{uuid.uuid4().hex[:8]}"
    home = Path(tempfile.mkdtemp(prefix="stranger-"))
    if failed := changed("useradd", "--no-create-home", "--home-dir", str(home), "--user-group", name):
        home.rmdir()
        pytest.skip(f"no account can be made: {failed}")
    try:
        uid = pwd.getpwnam(name).pw_uid
        os.chown(home, uid, uid)
        home.chmod(0o755)
        yield Person(uid, home)
    finally:
        shutil.rmtree(home, ignore_errors=True)
        assert not changed("userdel", "--force", name)


@contextmanager
def lived_in_by_all() -> Iterator[Path]:
    """A home that everybody may enter and list, as homes often are: only what Paneward does keeps others out."""
    place = Path(tempfile.mkdtemp(prefix="victim-"))
    place.chmod(0o755)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="module")
def lasting() -> Iterator[Up]:
    """The victim: a server whose agent has worked, with a recording and something that a hook left."""
    patching = pytest.MonkeyPatch.context()
    with lived_in_by_all() as home, patching as patch, lived_in(home, patch) as machine, up(machine) as server:
        server.agent("worker")
        assert machine.paneward("record", "worker").code == 0
        assert machine.paneward("send", "worker", SECRET).code == 0
        assert machine.paneward("wait", "worker").code == 0
        yield server


@pytest.fixture
def victim(lasting: Up, monkeypatch: pytest.MonkeyPatch) -> Up:
    for name, value in lasting.machine.env.items():
        monkeypatch.setenv(name, value)
    return lasting


def everything(top: Path) -> list[str]:
    """All there is, by name: who guesses a name need not list the directory."""
    return [str(top), *(str(path) for path in sorted(top.rglob("*")))]


def test_nothing_in_the_state_directory_can_be_read_or_written(stranger: Person, victim: Up) -> None:
    names = everything(victim.state)
    assert {"token", "deliveries.db", "recordings", "events", "spool"} <= {Path(name).name for name in names}, names
    assert stranger.tries(READ, *names) == []
    assert stranger.tries(WRITE, *names) == []
    assert {str(victim.state), str(victim.state / "deliveries.db")} <= set(VICTIM.tries(READ, *names))
    assert VICTIM.tries(WRITE, *names)


def test_no_socket_lets_another_user_in(stranger: Person, victim: Up) -> None:
    tmux = victim.machine.tmux("display-message", "-p", "#{socket_path}")
    names = [name for name in everything(victim.state) if Path(name).is_socket()] + [tmux]
    assert len(names) > 1
    assert stranger.tries(CONNECT, *names) == []
    assert VICTIM.tries(CONNECT, *names) == names
    for words in (["list-sessions"], ["attach"], ["send-keys", "-t", "%0", "x"], ["run-shell", "true"]):
        assert stranger.run("tmux", "-S", tmux, *words).returncode != 0, words


def test_the_locks_beside_a_tmux_socket_cannot_be_taken_away(stranger: Person, victim: Up) -> None:
    """Nor can their directory be made beforehand: it lies where the stranger can make nothing."""
    victim.machine.paneward("panes")
    folder = Door(server_key("", victim.machine.socket, None))._folders[0]
    assert folder.parent == Path(victim.machine.tmux("display-message", "-p", "#{socket_path}")).parent
    names = [str(folder.parent), *everything(folder)]
    assert list(folder.glob("*.lock"))
    assert (stranger.tries(READ, *names), stranger.tries(WRITE, *names)) == ([], [])


def test_the_terminals_of_agents_cannot_be_read_or_typed_into(stranger: Person, victim: Up) -> None:
    terminals = victim.machine.tmux("list-panes", "-a", "-F", "#{pane_tty}").split()
    assert terminals
    assert stranger.tries(READ, *terminals) == []
    assert [try_ for try_ in stranger.tries(WRITE, *terminals) if "planted" not in try_] == []


def test_the_processes_tell_no_token(stranger: Person, victim: Up) -> None:
    pids = [str(victim.process.pid), *victim.machine.tmux("list-panes", "-a", "-F", "#{pane_pid}").split()]
    files = [f"/proc/{pid}/{name}" for pid in pids for name in ("environ", "mem", "maps", "fd", "io", "stack")]
    assert stranger.tries(READ, *files) == []
    token = (victim.state / "token").read_text().strip()
    for pid in pids:
        assert token not in stranger.run("cat", f"/proc/{pid}/cmdline").stdout
    signals = """
    import os, sys
    for pid in map(int, sys.argv[1:]):
        for number in (0, 15, 9, 19):
            try:
                os.kill(pid, number)
                print("got in", pid)
            except PermissionError:
                pass
    """
    assert stranger.tries(signals, *pids) == []
    assert victim.process.poll() is None


def test_the_port_gives_nothing_to_who_has_no_token(stranger: Person, victim: Up) -> None:
    before = victim.machine.paneward("deliveries").out
    ran = stranger.run(PYTHON, "-c", PORT, victim.said["url"])
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [line for line in ran.stdout.splitlines() if line.startswith("got in")] == []
    assert "401" in ran.stdout  # somebody was at home
    assert SECRET not in ran.stdout
    assert victim.machine.paneward("deliveries").out == before
    assert victim.machine.paneward("ps").code == 0


def test_a_forged_tmux_server_is_not_connected_to(stranger: Person, victim: Up) -> None:
    place, target = stranger.home / "tmux", victim.machine.home / "owned"
    with forged(place, target, stranger.uid):
        for words in (["panes"], ["--transport", "exec", "panes"], ["send", "%0", "x"]):
            ran = victim.machine.by("-S", str(place), *words)
            assert "SOCKET_NOT_OURS" in ran.out + ran.err, ran
        (link := victim.machine.home / "link").symlink_to(place)
        assert "SOCKET_NOT_OURS" in victim.machine.by("-S", str(link), "panes").err
    assert not target.exists()


@contextmanager
def shared_directory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="shared-") as place:
        os.chmod(place, 0o1777)
        yield Path(place)


def test_configuration_in_a_shared_directory_is_not_used(
    stranger: Person, victim: Up, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shared_directory() as shared:
        trace = shared / "it-ran"
        plant = f"printf '#!/bin/sh\\ntouch {trace}\\n' > evil.sh; chmod 755 evil.sh; cp evil.sh tmux; cp evil.sh ssh"
        evil = "tmux: {binary: ./evil.sh}"
        files = f"echo '{evil}' > config.yaml; echo '{evil}' > .paneward.yaml"
        assert stranger.run("sh", "-c", f"cd {shared} && {plant} && {files}").returncode == 0
        monkeypatch.chdir(shared)
        monkeypatch.delenv("PANEWARD_TMUX__BINARY", raising=False)
        ran = victim.machine.paneward("--transport", "exec", "panes")
        assert (ran.code, "not used: it belongs to another user" in ran.err) == (0, True), ran
        assert not trace.exists()


def test_what_is_made_beforehand_is_not_trusted(stranger: Person, victim: Up, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state directory, a link to one, and a file of tokens, all where everybody can write."""
    with shared_directory() as shared:
        made = f"mkdir -m 755 {shared}/state; mkdir -m 777 {shared}/open; ln -s {shared}/state {shared}/link"
        assert stranger.run("sh", "-c", made).returncode == 0
        for name in ("state", "open", "link"):
            monkeypatch.setenv("PANEWARD_STATE_DIR", str(shared / name))
            for words in (["send", "%0", "x"], ["ps"], ["up", "--detach"]):
                ran = victim.machine.paneward(*words)
                assert (ran.code != 0, "belongs to another user" in ran.out + ran.err) == (True, True), (name, ran)
            assert stranger.run("ls", "-A", str(shared / name)).stdout == ""


# --- the stranger's own Paneward, pointed at the victim

COMMANDS: tuple[Sequence[str], ...] = (
    ["ps"], ["status"], ["events"], ["export"], ["deliveries"], ["send", "worker", "x"], ["read", "worker"],
    ["wait", "worker"], ["keys", "worker", "Enter"], ["token"], ["forget", "worker", "--purge"], ["down"],
    ["down", "--force"], ["signal", "done", "x"],
)  # fmt: skip


def one_line(ran: Ran) -> bool:
    """A complaint is one line, behind it a hint and what a receipt says of the time it took; no trace of Python."""
    said = [line for line in ran.err.splitlines() if not line.startswith("  ")]
    return len(said) == 1 and "Traceback" not in ran.err and ran.code not in (0, 99)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_commands_of_the_stranger_are_refused_in_one_line(stranger: Person, victim: Up, words: Sequence[str]) -> None:
    named = {"PANEWARD_STATE_DIR": str(victim.state)}
    socket = victim.machine.tmux("display-message", "-p", "#{socket_path}")
    ran = stranger.paneward(victim.machine, named, *words)
    assert one_line(ran), ran
    assert (SECRET in ran.err, victim.process.poll()) == (False, None)
    ran = stranger.paneward(victim.machine, {}, "-S", socket, "panes")
    assert (ran.code, "SOCKET_NOT_OURS" in ran.err) == (1, True), ran


def test_a_state_directory_that_cannot_be_written_is_told_in_one_line(stranger: Person, victim: Up) -> None:
    place = stranger.home / "read-only"
    place.mkdir(mode=0o500)
    os.chown(place, stranger.uid, stranger.uid)
    assert stranger.run("tmux", "-f", "/dev/null", "new-session", "-d", "cat").returncode == 0
    try:
        for words in (["send", "%0", "x"], ["read", "%0"], ["ps"], ["deliveries"], ["up", "--detach"], ["token"]):
            ran = stranger.paneward(victim.machine, {"PANEWARD_STATE_DIR": str(place)}, *words)
            assert one_line(ran) or (words[0] == "read" and ran.code == 0), (words, ran)
    finally:
        stranger.run("tmux", "kill-server")


# --- after a crash


def test_the_old_port_hears_no_token_after_a_crash(stranger: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is killed, and the stranger listens where it was: the command line does not talk to it."""
    with lived_in_by_all() as home, lived_in(home, monkeypatch) as machine, up(machine) as server:
        server.agent("worker")
        port, old = server.said["url"].rpartition(":")[2], (server.state / "token").read_text().strip()
        server.end(9)
        heard = stranger.home / "heard"
        command = stranger.command(PYTHON, "-u", "-c", LISTEN, port)
        with open(heard, "wb") as file, subprocess.Popen(command, stdout=file, cwd="/") as process:
            try:
                assert reached(lambda: b"listening" in heard.read_bytes())
                for words in (["ps"], ["status"], ["send", "worker", "x"], ["events"], ["down"]):
                    machine.paneward(*words)
                assert not re.search(rb"earer|ookie", heard.read_bytes()), heard.read_bytes()
            finally:
                process.kill()
        with up(machine) as following:
            assert (following.state / "token").read_text().strip() != old
