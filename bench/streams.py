"""The HTTP surface: a burst of events to a thousand clients, one event to the last of them, pane output to a browser,
and what `POST /api/respond` takes beside the answer itself.
"""

import asyncio
import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self
from urllib.parse import urlsplit

import uvloop
from websockets.asyncio.client import connect as websocket

from bench.ground import TOP, heard, private_server, tell
from bench.hosting import served
from bench.row import Row, p50, p99
from bench.streamer import files_allowed
from paneward.core.agent.record import Answer
from paneward.surfaces.http.terminal import SEQ
from tests.adapters.conftest import TmuxServer

CLIENTS = 1000
BURST = 100
MARK = b"data: {"


class Crowd:
    """Clients that count what they get, in one loop: nothing of them is faster than another way's."""

    def __init__(self, port: int, count: int, head: bytes) -> None:
        self._poll = select.epoll()
        self._clients: dict[int, socket.socket] = {}
        self._tails: dict[int, bytes] = {}
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", port))
            client.sendall(head)
            self._clients[client.fileno()] = client
            self._tails[client.fileno()] = b""
            self._poll.register(client, select.EPOLLIN)
        self._wait()

    def _wait(self) -> None:
        """Everybody heard the comment that comes at once."""
        waiting = set(self._clients)
        while waiting:
            for number, _ in self._poll.poll(30):
                self._tails[number] = (self._tails[number] + self._clients[number].recv(1 << 16))[-4096:]
                if b"\n: " in self._tails[number] or self._tails[number].startswith(b": "):
                    waiting.discard(number)

    def hear(self, each: int) -> int:
        """Until everybody got so many events; the monotonic time then, in nanoseconds."""
        missing = dict.fromkeys(self._clients, each)
        tails = dict.fromkeys(self._clients, b"")
        while missing:
            for number, _ in self._poll.poll(60):
                data = tails[number] + self._clients[number].recv(1 << 18)
                tails[number] = data[-len(MARK) + 1 :]
                missing[number] -= data.count(MARK)
                if not missing[number]:
                    del missing[number]
        return time.monotonic_ns()

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        self._poll.close()


@dataclass(frozen=True, slots=True)
class Streamer:
    """The process that serves, and the clients of each way."""

    process: subprocess.Popen[str]
    crowds: dict[str, Crowd]

    def seconds(self, way: str, count: int) -> float:
        """From the publishing of so many events to the last client's last one."""
        tell(self.process, f"{way} {count}")
        ended = self.crowds[way].hear(count)
        return (ended - int(heard(self.process, "said"))) / 1e9


@contextmanager
def _streamer(clients: int) -> Iterator[Streamer]:
    files_allowed()
    with TemporaryDirectory(prefix="paneward-bench-") as name:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench.streamer", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=TOP,
        )
        try:
            ours, theirs, bare, token = heard(process, "ready").split()
            head = f"HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n"
            crowds = {
                "ours": Crowd(int(ours), clients, f"GET /api/events/stream {head}".encode()),
                "theirs": Crowd(int(theirs), clients, f"GET / {head}".encode()),
                "bare": Crowd(int(bare), clients, b"hello"),
            }
            yield Streamer(process, crowds)
            for crowd in crowds.values():
                crowd.close()
        finally:
            process.kill()
            process.wait()


def streams(quick: bool) -> Row:
    clients, rounds, singles = (200, 2, 10) if quick else (CLIENTS, 5, 60)
    with _streamer(clients) as streamer:
        times: dict[str, list[float]] = {"ours": [], "theirs": [], "one": [], "bare": []}
        for _ in range(rounds):
            for way in ("ours", "theirs"):
                times[way].append(streamer.seconds(way, BURST))
        for _ in range(singles):
            times["one"].append(streamer.seconds("ours", 1))
            times["bare"].append(streamer.seconds("bare", 1))
    rates = {way: clients * BURST / p50(times[way]) for way in ("ours", "theirs")}
    faster, above = rates["ours"] / rates["theirs"], p50(times["one"]) / p50(times["bare"])
    return Row(
        "streams",
        f"SSE to {clients} clients, from the commit on: a burst of {BURST} events; one event to the last client",
        "20x the deliveries/s of sse-starlette; within 3x of a bare socket write, p50",
        {
            "faster x": faster,
            "deliveries/s": rates["ours"],
            "sse-starlette's": rates["theirs"],
            "of bare x": above,
            "one event p50 ms": p50(times["one"]) * 1e3,
            "bare p50 ms": p50(times["bare"]) * 1e3,
        },
        faster >= 20 and above <= 3,
    )


def _made(directory: Path) -> Path:
    directory.mkdir(mode=0o700)
    return directory


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def terminal(quick: bool) -> Row:
    rounds = 40 if quick else 400
    with private_server() as server:
        delays = uvloop.run(_terminal(server, rounds))
    return Row(
        "terminal",
        "pane output to a WebSocket client",
        "p50 under 3 ms",
        {"p50 ms": p50(delays) * 1e3, "p99 ms": p99(delays) * 1e3, "lines": f"{len(delays)}/{rounds}"},
        p50(delays) < 0.003 and len(delays) == rounds,
    )


async def _terminal(tmux: TmuxServer, rounds: int) -> list[float]:
    """Somebody writes the time into the pane's terminal; how old it is when the client has it."""
    pane = tmux.new_pane("exec sleep 100000")
    tty = os.open(tmux.value(pane, "pane_tty"), os.O_WRONLY | os.O_NOCTTY)
    place = tmux.run("display-message", "-p", "#{socket_path}")
    delays: list[float] = []
    async with served(_made(tmux.home / "state")) as (_, port, token):
        where = f"ws://127.0.0.1:{port}/api/panes/{pane.replace('%', '%25')}/stream?socket={place}"
        async with websocket(where, additional_headers=_bearer(token), proxy=None, compression=None) as client:
            assert json.loads(await client.recv())["type"] == "snapshot"
            for number in range(rounds):
                began, seen = time.perf_counter(), b""
                os.write(tty, b"line %d of the output of an agent at work\n" % number)
                while b"at work" not in seen:
                    frame = await client.recv()
                    assert isinstance(frame, bytes)
                    seen += frame[SEQ.size :]
                delays.append(time.perf_counter() - began)
                await asyncio.sleep(0.005)
    os.close(tty)
    return delays


# --- respond


def respond(quick: bool) -> Row:
    rounds = 5 if quick else 40
    with private_server() as server:
        times = uvloop.run(_respond(server, rounds))
    over = p50(times["http"]) - p50(times["library"])
    return Row(
        "respond",
        "`POST /api/respond` over the library's `answer`, the same dialogs in turn",
        "under 5 ms more, p50",
        {
            "over ms": over * 1e3,
            "of that the surface's ms": (p50(times["http"]) - p50(times["service"])) * 1e3,
            "http p50 ms": p50(times["http"]) * 1e3,
            "service p50 ms": p50(times["service"]) * 1e3,
            "library p50 ms": p50(times["library"]) * 1e3,
        },
        over < 0.005,
    )


async def _respond(tmux: TmuxServer, rounds: int) -> dict[str, list[float]]:
    """One agent asks again and again; HTTP, the service behind it and the library answer in turn."""
    pane = tmux.new_pane([sys.executable, "-m", "paneward", "demo-agent", "--busy", "0.05"])
    place = tmux.run("display-message", "-p", "#{socket_path}")
    times: dict[str, list[float]] = {"http": [], "service": [], "library": []}
    async with served(_made(tmux.home / "state")) as (server, port, token):
        client = await Bare.open(f"http://127.0.0.1:{port}", _bearer(token))
        panes = await server.agents.at(place)
        await panes.wait_ready(pane, 20, accept_stable=True)
        await server.agents.adopt(pane, name="ada", socket_path=place)
        for number in range(rounds * len(times)):
            await server.agents.send("ada", f"ask number {number}")
            await _until(lambda: server.agents.get("ada").stage == "AWAITING_INPUT")
            await asyncio.sleep(0.3)  # a dialog that was just drawn is waited for, by both
            way = list(times)[number % len(times)]
            began = time.perf_counter()
            if way == "http":
                assert await client.post("/api/respond/ada", b'{"mode": "select", "option_index": 0}') == 200
            elif way == "service":
                await server.agents.respond("ada", Answer(mode="select", option_index=0))
            else:
                result = await panes.answer(pane, select=1, message_id=f"bench {number}")
                assert result.success, result
            times[way].append(time.perf_counter() - began)
            await _until(lambda: server.agents.get("ada").stage in ("COMPLETE", "IDLE"))
    return times


class Bare:
    """A connection over which requests are written as they are: a client's library would take as long as the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes) -> None:
        self._reader, self._writer, self._head = reader, writer, head

    @classmethod
    async def open(cls, url: str, headers: dict[str, str]) -> Self:
        place = urlsplit(url)
        lines = [f"host: {place.netloc}", "content-type: application/json"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return cls(*await asyncio.open_connection(place.hostname, place.port), "\r\n".join(lines).encode())

    async def post(self, path: str, body: bytes) -> int:
        first, last = f"POST {path} HTTP/1.1\r\n".encode(), f"\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        self._writer.write(first + self._head + last + body)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        [length] = [line.split(":")[1] for line in head.lower().splitlines() if line.startswith("content-length:")]
        await self._reader.readexactly(int(length))
        return int(head.split()[1])


async def _until(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise RuntimeError("waited in vain")
