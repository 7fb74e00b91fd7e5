"""A client that has no prompt yet is at work, and time-outs hold."""

import asyncio
import contextlib
import shutil
import socket
import threading
from collections.abc import Iterator

import pytest

from paneward.app import Transport
from paneward.core.errors import Code
from paneward.core.result import Readiness, ReadyVerdict, Rung, SendResult
from tests.adapters.conftest import until
from tests.live.conftest import Ground
from tests.live.ground import Played

SSH = "ssh -F /dev/null -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -p {port} nobody@127.0.0.1"
CLIENTS = {
    "ssh": SSH,
    "psql": "psql -h 127.0.0.1 -p {port} postgres",
    "docker": "docker -H tcp://127.0.0.1:{port} exec -it box sh",
    "kubectl": "kubectl --server=http://127.0.0.1:{port} exec -it box -- sh",
    "telnet": "python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port})).recv(1)\"",
}


@contextlib.contextmanager
def silent_server(says: bytes = b"") -> Iterator[tuple[int, threading.Event]]:
    """A server that takes connections, says at most one thing, and never answers; its port, and whether one came."""
    came, kept = threading.Event(), list[socket.socket]()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client, _ = listening.accept()
                    kept.append(client)
                    client.sendall(says)
                    came.set()

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1], came
        listening.shutdown(socket.SHUT_RDWR)
    for client in kept:
        client.close()


def wait_and_send(
    ground: Ground, command: str, came: threading.Event, way: Transport = "control", host: str = "local"
) -> tuple[Readiness, SendResult, str]:
    pane = ground.shell()
    until(lambda: "$" in ground.server.screen(pane))
    ground.server.run("send-keys", "-t", pane, command, "Enter")
    assert came.wait(60), ground.server.screen(pane)
    before = ground.server.screen(pane)

    async def act() -> tuple[Readiness, SendResult]:
        async with ground.connect(way, host) as tmux:
            return await tmux.wait_ready(pane, 3), await tmux.send_text(pane, "rm -r x", timeout=3)

    found, sent = asyncio.run(act())
    assert ground.server.screen(pane) == before
    return found, sent, pane


@pytest.mark.parametrize("client", CLIENTS)
def test_nothing_is_typed_behind_a_client_that_still_connects(ground: Ground, client: str) -> None:
    if shutil.which(CLIENTS[client].split()[0]) is None:
        pytest.skip(f"{client} is not installed")
    with silent_server() as (port, came):
        found, sent, _ = wait_and_send(ground, CLIENTS[client].format(port=port), came)
    assert found.verdict is ReadyVerdict.BUSY, found
    assert (sent.error_type, sent.rung, sent.enters) == (Code.NOT_READY, Rung.NOTHING, 0), sent


@pytest.mark.parametrize(("way", "host"), [("exec", "local"), ("control", "ssh")])
def test_nor_by_any_other_way_to_tmux(ground: Ground, way: Transport, host: str) -> None:
    with silent_server(b"SSH-2.0-OpenSSH_9.9\r\n") as (port, came):  # it stalls while the keys are agreed on
        found, sent, _ = wait_and_send(ground, SSH.format(port=port), came, way, host)
    assert found.verdict is ReadyVerdict.BUSY, found
    assert (sent.error_type, sent.rung, sent.enters) == (Code.NOT_READY, Rung.NOTHING, 0), sent


@pytest.mark.parametrize("options", [("--how", "select"), ("--how", "poll", "--says", "far$ ")])
def test_a_text_for_a_client_waits_until_that_takes_input(ground: Ground, options: tuple[str, ...]) -> None:
    stage = ground.stage("connecting", *options)

    async def act() -> tuple[Readiness, Played]:
        async with ground.connect() as tmux:
            return await tmux.wait_ready(stage.pane, 1), await stage.play(tmux, "ascii")

    early, played = asyncio.run(act())
    assert not early.is_ready, early
    assert played.judgement == "exact", str(played)


def test_a_text_for_the_far_shell_waits_until_that_has_its_prompt(ground: Ground) -> None:
    """Sent while ssh connects, it goes to the shell over there, and to that only."""
    config = ground.ssh()
    pane = ground.shell()
    until(lambda: "$" in ground.server.screen(pane))

    async def act() -> SendResult:
        async with ground.connect() as tmux:
            command = f"sleep 1; ssh -t -F {config} loopback env PS1=far% bash --norc --noprofile -i"
            assert (await tmux.send_text(pane, command)).success
            return await tmux.send_text(pane, "echo in $((40 + 2))", timeout=60)

    sent = asyncio.run(act())
    assert sent.success, sent
    until(lambda: "in 42" in ground.server.screen(pane))
    assert "far%echo in" in ground.server.screen(pane)
