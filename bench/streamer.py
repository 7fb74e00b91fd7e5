"""Serves events to many clients in a process of its own: by Paneward's stream, by sse-starlette, and by bare sockets.

`python -m bench.streamer DIRECTORY` says `ready` with the three ports and a token. Then each line of input is one thing
to do, answered with the monotonic time, in nanoseconds, at which it began: `ours N`, `theirs N` (a burst of N events),
`bare` (one event, written to every socket).
"""

import asyncio
import json
import resource
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import uvicorn
import uvloop
from fastapi import FastAPI
from sse_starlette import EventSourceResponse, ServerSentEvent

from paneward.app.server import Server, serve
from paneward.config import ServerSettings, Settings
from paneward.core.agent.events import Stored
from paneward.surfaces.http.access.tokens import Access
from paneward.surfaces.http.app import build
from paneward.surfaces.http.listen import listener
from paneward.surfaces.http.stream import as_object, encode

TEXT = "the composer is empty and no busy mark was seen for two seconds after the output stopped"


def events(first: int, count: int) -> list[Stored]:
    data = {"agent_id": "ada", "old_state": "PROCESSING", "new_state": "COMPLETE", "turn_id": 7, "reason": TEXT}
    return [Stored(seq, 1.5e9, "state_changed", "ada", data) for seq in range(first, first + count)]


class Theirs:
    """A queue for each client, as the documentation of sse-starlette shows it; the JSON is written once."""

    def __init__(self) -> None:
        self.queues: set[asyncio.Queue[ServerSentEvent]] = set()
        self.app = FastAPI()
        self.app.get("/")(self.stream)

    async def stream(self) -> EventSourceResponse:
        return EventSourceResponse(self._events())

    async def _events(self) -> AsyncIterator[ServerSentEvent]:
        queue: asyncio.Queue[ServerSentEvent] = asyncio.Queue()
        self.queues.add(queue)
        yield ServerSentEvent(comment="begin")
        while True:
            yield await queue.get()

    def publish(self, batch: list[Stored]) -> None:
        for event in batch:
            data = json.dumps(as_object(event))
            sent = ServerSentEvent(data=data, id=str(event.seq), event=event.kind)
            for queue in self.queues:
                queue.put_nowait(sent)


class Bare:
    """Sockets, and nothing else."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._clients: list[socket.socket] = []

    async def accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            client, _ = await loop.sock_accept(self._listening)
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.send(b": begin\n\n")
            self._clients.append(client)

    def publish(self, batch: list[Stored]) -> None:
        written = b"".join(map(encode, batch))
        for client in self._clients:
            client.send(written)


async def main(directory: Path) -> None:
    settings = Settings(server=ServerSettings(rate_per_second=100_000.0, max_streams=100_000))
    ours, other, bare = (_bound() for _ in range(3))
    async with serve(settings, directory, url="http://127.0.0.1") as server:
        access, theirs, sockets = Access.open(directory, server.clock), Theirs(), Bare(bare)
        config = uvicorn.Config(theirs.app, http="httptools", access_log=False, log_config=None)
        servers = [listener(build(server, access)), uvicorn.Server(config)]
        tasks = [asyncio.ensure_future(one._serve([sock])) for one, sock in zip(servers, (ours, other), strict=True)]
        tasks.append(asyncio.ensure_future(sockets.accept()))
        while not all(one.started for one in servers):  # noqa: ASYNC110 - uvicorn tells it nowhere else
            await asyncio.sleep(0.01)
        print("ready", *(one.getsockname()[1] for one in (ours, other, bare)), access.token, flush=True)
        await _obey(server, {"ours": server.bus.publish, "theirs": theirs.publish, "bare": sockets.publish})


async def _obey(server: Server, ways: dict[str, Callable[[Any], None]]) -> None:
    seq = server.store.last_seq + 1
    while line := await asyncio.to_thread(sys.stdin.readline):
        way, count = line.split()
        batch = events(seq, int(count))
        seq += len(batch) if way == "ours" else 0
        began = time.monotonic_ns()
        ways[way](batch)
        print("said", began, flush=True)
    sys.stdout.flush()


def files_allowed() -> None:
    """As many open files as this process may have."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _bound() -> socket.socket:
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("127.0.0.1", 0))
    sock.listen(4096)
    sock.setblocking(False)
    return sock


if __name__ == "__main__":
    files_allowed()
    uvloop.run(main(Path(sys.argv[1])))
