"""Fifty readers of the event stream, who leave and come back at random, while their server is killed or ended again and
again: each must see every event exactly once, by its seq. Told of a gap, a reader reads what it missed from the log.
"""

import asyncio
import contextlib
import random
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from paneward.client.remote import Messages, StreamMessage
from prove.ledger import TOP, Cell, Line, Outcome, Proof
from prove.place import Place
from tests.adapters.conftest import free_port

READERS = 50
RESTARTS = 20
LIVES = (0.3, 2.0)  # seconds between two ends of the server
AGAIN = 0.02  # seconds until a reader tries again
BROKEN = (httpx.HTTPError, ValueError)


@dataclass
class Reader:
    """One that remembers the last seq, as a browser does."""

    client: httpx.AsyncClient
    rng: random.Random
    seqs: list[int] = field(default_factory=list)
    gaps: int = 0
    visits: int = 0

    @property
    def last(self) -> int:
        return self.seqs[-1] if self.seqs else 0

    async def read(self, until: asyncio.Event, total: list[int]) -> None:
        while not (until.is_set() and self.last >= total[0]):
            with contextlib.suppress(*BROKEN):
                await self._visit(until, total)
            await asyncio.sleep(AGAIN)

    async def _visit(self, until: asyncio.Event, total: list[int]) -> None:
        stay = self.rng.choice([1, 5, 50, 500, 10**9])
        async with self.client.stream("GET", "/api/events/stream", headers={"last-event-id": str(self.last)}) as answer:
            answer.raise_for_status()
            self.visits += 1
            messages = Messages()
            async for line in answer.aiter_lines():
                message = messages.feed(line)
                if message is None:
                    continue
                await self._take(message)
                stay -= 1
                if not stay or (until.is_set() and self.last >= total[0]):
                    return

    async def _take(self, message: StreamMessage) -> None:
        if message.kind != "gap":
            self.seqs.append(int(message.data["seq"]))
            return
        self.gaps += 1
        while self.last < message.data["seq"]:
            page = (await self.client.get("/api/events", params={"after": self.last, "limit": 1000})).json()
            self.seqs += [event["seq"] for event in page["events"] if event["seq"] <= message.data["seq"]]


@asynccontextmanager
async def server(directory: Path, port: int, seed: int) -> AsyncIterator[Process]:
    words = [str(directory), str(port), str(seed)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "prove.streaming", *words, stdout=PIPE, cwd=TOP
    )
    assert process.stdout is not None
    try:
        if await process.stdout.readline() != b"ready\n":
            raise RuntimeError("the server did not begin")
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def stream_round(place: Place, seed: int, readers: int = READERS, restarts: int = RESTARTS) -> dict[str, Any]:
    """All readers through all restarts; what was seen, and under `wrong` what must not be."""
    rng, directory, port = random.Random(seed), place.directory / f"streams-{seed}", free_port()
    directory.mkdir(mode=0o700)
    done, total = asyncio.Event(), [0]
    limits = httpx.Limits(max_connections=None)
    async with (
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30, limits=limits, trust_env=False) as client,
        asyncio.TaskGroup() as group,
    ):
        everybody = [Reader(client, random.Random(rng.random())) for _ in range(readers)]
        for number in range(restarts + 1):
            async with server(directory, port, rng.randrange(10**6)) as process:
                client.headers["authorization"] = f"Bearer {(directory / 'token').read_text().strip()}"
                if not number:
                    for one in everybody:
                        group.create_task(one.read(done, total))
                if number < restarts:
                    await _end(process, rng)
                else:
                    await _settle(client, directory, everybody, done, total)
    return _judged(everybody, total[0])


async def _end(process: Process, rng: random.Random) -> None:
    await asyncio.sleep(rng.uniform(*LIVES))
    process.send_signal(rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
    await process.wait()


async def _settle(
    client: httpx.AsyncClient, directory: Path, everybody: list[Reader], done: asyncio.Event, total: list[int]
) -> None:
    """No more events; everybody gets to the last one."""
    (directory / "quiet").touch()
    before = -1
    while before != total[0] or not total[0]:
        before = total[0]
        await asyncio.sleep(1.0)
        total[0] = (await client.get("/api/version")).json()["seq"]
    done.set()
    while not all(one.last >= total[0] for one in everybody):  # noqa: ASYNC110 - the cell has a time of its own
        await asyncio.sleep(0.05)


def _judged(everybody: list[Reader], total: int) -> dict[str, Any]:
    wanted = list(range(1, total + 1))
    wrong = [
        f"reader {number} saw {len(one.seqs)} of {total}, {len(set(one.seqs))} of them different"
        for number, one in enumerate(everybody)
        if one.seqs != wanted
    ]
    visits, gaps = sum(one.visits for one in everybody), sum(one.gaps for one in everybody)
    return {"events": total, "readers": len(everybody), "visits": visits, "gaps": gaps, "wrong": wrong}


async def play(place: Place, seed: int) -> Outcome:
    seen = await stream_round(place, seed)
    return Outcome("each once" if not seen["wrong"] else "not each once", not seen["wrong"], seen)


def cells(rounds: int) -> list[Cell]:
    return [Cell(f"streams {seed}", partial(play, seed=seed), seconds=600.0) for seed in range(1, rounds + 1)]


def complaints(lines: Sequence[Line]) -> list[str]:
    return [f"{line['key']}: {line.get('wrong') or line.get('error')}" for line in lines if not line["ok"]]


PROOF = Proof(
    "streams", f"{READERS} readers of events through {RESTARTS} restarts of the server", cells, 3, complaints, lanes=1
)
