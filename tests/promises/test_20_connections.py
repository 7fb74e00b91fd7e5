"""Promise 20: connections without a token have limits, and room is kept for the operator."""

import contextlib
import resource
import socket
from pathlib import Path

from tests.promises.browser import bearer, connected, said_to
from tests.surfaces.conftest import Machine
from tests.surfaces.serving import Up, up

HEAD = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n"


def log_of(machine: Machine) -> str:
    return (machine.home / "up.log").read_text()


def test_a_head_without_an_end_is_refused_long_before_it_is_whole(server: Up) -> None:
    sent, piece = 0, b"x" * 65536
    with connected(server) as sock, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        sock.sendall(HEAD + b"x-long: ")
        while sent < 300 << 20:
            sock.sendall(piece)
            sent += len(piece)
    assert sent < 32 << 20  # what the kernels on the way took
    assert bearer(server, "auditor").ask("/healthz").body == b"ok\n"


def test_a_head_that_is_too_large_or_has_too_many_headers_is_answered(server: Up) -> None:
    for rest in (b"x-long: " + b"x" * 100_000 + b"\r\n", b"a: b\r\n" * 10_000):
        answer = said_to(server, HEAD + rest + b"\r\n")
        assert answer[:13] in (b"", b"HTTP/1.1 431 ")
    assert said_to(server, b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n")[:13] in (b"", b"HTTP/1.1 431 ")
    usual = said_to(server, HEAD + b"a: b\r\n" * 90 + b"connection: close\r\n\r\n")
    assert usual.startswith(b"HTTP/1.1 200 ")


def test_a_connection_that_says_nothing_is_closed(server: Up) -> None:
    with connected(server) as silent, connected(server) as slow:
        slow.sendall(b"GET /healthz HT")
        assert silent.recv(1) == b""
        assert slow.recv(65536).startswith(b"HTTP/1.1 408 ")


def test_idle_connections_of_strangers_do_not_shut_the_operator_out(machine: Machine) -> None:
    with up(machine) as server, contextlib.ExitStack() as idle:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (400, 400))
        strangers = [idle.enter_context(connected(server)) for _ in range(500)]
        operator = bearer(server, "operator")
        assert operator.ask("/api/version").status == 200
        with operator.open("/api/events/stream") as stream:
            strangers += [idle.enter_context(connected(server)) for _ in range(500)]
            assert operator.ask("/healthz").body == b"ok\n"
            assert stream.readline() == b": paneward\n"  # who has shown a token stays
        assert machine.paneward("ps").code == 0
        assert 1 <= log_of(machine).count("show no token") <= 10


def test_refused_connections_do_not_fill_the_log(machine: Machine) -> None:
    upgrade = b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
    key = b"sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    with up(machine) as server:
        before = len(log_of(machine))
        for _ in range(200):
            asked = b"GET /api/panes/x/stream HTTP/1.1\r\nhost: 127.0.0.1\r\n" + upgrade + key
            assert b" 401 " in said_to(server, asked)
        for _ in range(200):
            said_to(server, b"\x00nonsense\r\n\r\n")
        assert len(log_of(machine)) - before < 4096


def test_the_log_of_a_detached_server_is_kept_short(machine: Machine) -> None:
    started = machine.answer("up", "--detach", "--port", "0")
    log = Path(started["log"])
    try:
        with open(log, "ab") as file:
            file.truncate(5 << 20)
        host = started["url"].rpartition("/")[2].partition(":")
        for _ in range(2):  # whatever is said next
            with socket.create_connection((host[0], int(host[2]))) as sock:
                sock.sendall(b"\x00nonsense\r\n\r\n")
                sock.recv(100)
        assert log.stat().st_size < 1 << 20
        assert log.with_suffix(".old.log").exists()
    finally:
        machine.paneward("down", "--force")
