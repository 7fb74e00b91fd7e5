"""Promise 15: the server proves itself before it is given a token, and tokens change with each start.

A killed server leaves its port and its files behind. Whoever listens on the port next hears nothing of a token.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.surfaces.conftest import PANEWARD, Machine, run
from tests.surfaces.serving import Up, reached, up

COMMANDS = """
status; status --tmux; status --sign-in; ps; down; events; popup --answer; hosts; deliveries; doctor
send --to all hello; read PANE; send PANE hello; keys PANE Enter; wait PANE --timeout 20
adopt PANE; menu PANE; explain PANE; respond somebody yes; record somebody; signal completed
"""


class Impostor:
    """A program of somebody else on the port of a server that was killed: it answers whatever it is asked."""

    def __init__(self, port: int) -> None:
        self.heard = b""
        self._sock = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                client, _ = self._sock.accept()
            except OSError:
                return
            with client:
                client.settimeout(5)
                self.heard += client.recv(65536)
                body = b'{"version": "0.1.0", "agents": [], "hosts": [], "events": [], "seq": 1}'
                head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
                client.sendall(head + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def close(self) -> None:
        self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()


@contextmanager
def impostor(port: int) -> Iterator[Impostor]:
    found = Impostor(port)
    try:
        yield found
    finally:
        found.close()


def port_of(server: Up) -> int:
    return int(server.said["url"].rpartition(":")[2])


def killed(machine: Machine) -> tuple[int, str]:
    """Start a server and kill it: its port, and the token that it leaves behind."""
    with up(machine) as server:
        token = (server.state / "token").read_text().strip()
        server.end(signal.SIGKILL)
        return port_of(server), token


def test_no_command_tells_the_next_listener_on_the_port_anything(machine: Machine) -> None:
    pane = machine.pane()
    port, token = killed(machine)
    with impostor(port) as listener:
        for words in COMMANDS.strip().replace("\n", ";").split(";"):
            machine.paneward(*words.replace("PANE", pane).split())
        assert listener.heard == b"", "a token goes only to who has proven to be our server"
    assert machine.paneward("status").code == 4
    with up(machine, "--port", str(port)) as server:
        assert (server.state / "token").read_text().strip() != token
        answer = httpx.get(f"{server.said['url']}/api/agents", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 401


def test_a_token_file_of_ones_own_goes_to_no_stranger_either(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    port, _ = killed(machine)
    own = machine.home / "own-token"
    own.write_text("s3cret-of-a-runtime\n")
    monkeypatch.setenv("PANEWARD_TOKEN_FILE", str(own))
    with impostor(port) as listener:
        for words in (["ps"], ["status"], ["down"], ["events"]):
            assert machine.paneward(*words).code in (0, 4)
        assert listener.heard == b""


def test_who_follows_events_waits_for_the_next_server_and_not_for_a_stranger(machine: Machine) -> None:
    with up(machine) as server:
        command = [str(PANEWARD), "--json", "events", "--follow", "-n", "1"]
        follower = subprocess.Popen(command, env=machine.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert follower.stdout is not None
        assert follower.stderr is not None
        assert b"server_started" in follower.stdout.readline()
        server.end(signal.SIGKILL)
        with impostor(port_of(server)) as listener:
            assert b"the server is gone" in follower.stderr.readline()
            machine.paneward("ps")
            assert listener.heard == b""
    with up(machine, "--port", str(port_of(server))):
        assert b"server_started" in follower.stdout.readline()
        follower.send_signal(signal.SIGINT)
        assert follower.wait() == 130
    follower.stdout.close()
    follower.stderr.close()


STRANGER = """
import os, socket, sys
os.setuid(65534)
sock = socket.socket(socket.AF_UNIX)
sock.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o666)
sock.listen()
print("listens", flush=True)
client, _ = sock.accept()
client.settimeout(5)
try:
    print(client.recv(65536), flush=True)
except OSError as error:
    print(error, flush=True)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to be somebody else")
def test_a_socket_of_another_user_in_an_open_directory_is_told_nothing(machine: Machine) -> None:
    killed(machine)
    state = machine.home / ".local/state/paneward"
    for folder in (state, *state.parents):
        if not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    state.chmod(0o777)
    (state / "server.sock").unlink(missing_ok=True)
    words = [sys.executable, "-c", STRANGER, "server.sock"]
    stranger = subprocess.Popen(words, cwd=state, stdout=subprocess.PIPE, text=True)
    assert stranger.stdout is not None
    try:
        assert stranger.stdout.readline() == "listens\n"
        assert "others may write" in machine.paneward("ps").err
        state.chmod(0o755)  # too late: the socket is there
        ran = machine.paneward("ps")
        assert ran.code == 1
        assert "user 65534 listens" in ran.err
        assert stranger.stdout.readline() == "b''\n", "it was hung up on, and told nothing"
    finally:
        stranger.kill()
        stranger.wait()
        stranger.stdout.close()


def test_a_second_start_makes_the_first_token_worth_nothing_and_commands_go_on(machine: Machine) -> None:
    tokens = set()
    for _ in range(2):
        with up(machine) as server:
            tokens.add((server.state / "token").read_text())
            assert machine.paneward("ps").code == 0
    assert len(tokens) == 2


def test_a_state_directory_with_a_long_path_has_a_socket_too(machine: Machine) -> None:
    long = machine.home / ("long-" * 30)
    more = {"PANEWARD_STATE_DIR": str(long)}
    with up(machine, env=more):
        assert run([str(PANEWARD), "ps"], {**machine.env, **more}).code == 0
        assert reached(lambda: (long / "server.sock").is_socket())
