"""Durable event appends from many producers at once, against stdlib sqlite3 with one commit per event.

Both keep the same rows with the same promise (WAL, synchronous FULL): when a producer goes on, its event is on the
disk. How many go in is measured with producers that never rest; how late one append returns with producers that each
rest between two events, since a queue that is always full tells only how long it is (that figure stands beside it).
The floor of one append is a thread that only hands a byte to another, which writes a page and calls `fdatasync`, at
the same pace, since a disk that never rests is quicker. All are measured in turn, so that the load of the machine falls
on all alike. Every event must be there once, in the order of its seq.
"""

import asyncio
import json
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import uvloop

from bench.row import Row, p50, p99
from paneward.core.agent.events import StateChanged
from paneward.store import Store

TOP = Path(__file__).resolve().parent.parent
PRODUCERS = 200
REST = 0.2  # seconds between two events of a producer, on average
FASTER = 8.0
OF_SYNC = 3.0
PAGE = b"x" * 4096
REASON = "the spinner moves: ✻ Thinking… (12s · esc to interrupt)"
TABLE = "CREATE TABLE events (seq INTEGER PRIMARY KEY, at REAL, kind TEXT, agent_id TEXT, data TEXT)"
INSERT = "INSERT INTO events (at, kind, agent_id, data) VALUES (?, ?, ?, ?)"


@dataclass(slots=True)
class Measured:
    took: float = 0.0  # seconds in which producers that never rest appended
    flooded: list[float] = field(default_factory=list)  # seconds of each of their appends
    paced: list[float] = field(default_factory=list)  # of each append of producers that rest
    bare: list[float] = field(default_factory=list)  # of each commit by stdlib sqlite3
    syncs: list[float] = field(default_factory=list)  # of each byte that another thread syncs
    stored: int = 0


def appends(quick: bool) -> Row:
    rounds, each = (2, 5) if quick else (8, 20)
    words = [sys.executable, "-m", "bench.appends", str(rounds), str(each)]  # a process without what others imported
    done = subprocess.run(words, cwd=TOP, stdout=subprocess.PIPE, text=True, check=True)
    found = Measured(**json.loads(done.stdout))
    per_second, bare_per_second = len(found.flooded) / found.took, len(found.bare) / sum(found.bare)
    faster, of_sync = per_second / bare_per_second, p99(found.paced) / p99(found.syncs)
    appended = len(found.flooded) + len(found.paced)
    return Row(
        "appends",
        f"durable event appends, {PRODUCERS} producers, against stdlib sqlite3 with one commit per event",
        f"{FASTER:.0f}x faster; p99 of {PRODUCERS / REST:.0f} a second at most {OF_SYNC:.0f}x that of a thread which"
        " hands a byte to another that calls fdatasync",
        {
            "faster x": faster,
            "p99 of handed over x": of_sync,
            "per second": per_second,
            "sqlite3 per second": bare_per_second,
            "p50 ms": p50(found.paced) * 1e3,
            "p99 ms": p99(found.paced) * 1e3,
            "handed over p50 ms": p50(found.syncs) * 1e3,
            "handed over p99 ms": p99(found.syncs) * 1e3,
            "p99 ms without rest": p99(found.flooded) * 1e3,
            "stored": f"{found.stored}/{appended}",
        },
        faster >= FASTER and of_sync <= OF_SYNC and found.stored == appended,
    )


def main(rounds: str, each: str) -> None:
    with TemporaryDirectory(prefix="paneward-bench-", dir=_disk()) as name:
        found = uvloop.run(_all(Path(name), int(rounds), int(each)))  # the loop that the server runs on
    print(json.dumps(asdict(found)))


def _disk() -> Path:
    """Not a directory in memory, where nothing is synced."""
    build = TOP / "build"
    build.mkdir(exist_ok=True)
    return build


async def _all(directory: Path, rounds: int, each: int) -> Measured:
    found = Measured()
    store = Store.open(directory / "ours.db", lease="bench")
    await _produce(store, 1, [], 0.0)  # so that everything is loaded
    before = store.last_seq
    try:
        for number in range(rounds):
            found.took += await _produce(store, each, found.flooded, 0.0)
            await _produce(store, each, found.paced, REST)
            found.bare += _commits(directory / f"bare-{number}.db", 100)
            found.syncs += _syncs(directory / "syncs", 200)
        seqs = [one.seq for one in await store.events(limit=1_000_000)]
    finally:
        await store.close()
    assert seqs == list(range(1, len(seqs) + 1)), "the log has a gap"
    found.stored = len(seqs) - before
    return found


async def _produce(store: Store, each: int, lates: list[float], rest: float) -> float:
    """All producers at once, each with one event after the other; the time of all."""
    chance = random.Random(len(lates))

    async def producer(name: str) -> None:
        for number in range(each):
            await asyncio.sleep(chance.uniform(0, 2 * rest))
            event = StateChanged(name, "IDLE", "PROCESSING", number, "screen", REASON)
            began = perf_counter()
            await store.append(event)
            lates.append(perf_counter() - began)

    began = perf_counter()
    await asyncio.gather(*(producer(f"agent-{number}") for number in range(PRODUCERS)))
    return perf_counter() - began


def _commits(path: Path, count: int) -> list[float]:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute(TABLE)
    data = {"agent_id": "agent-1", "old_state": "IDLE", "new_state": "PROCESSING", "source": "screen", "reason": REASON}
    times = []
    for number in range(count):
        began = perf_counter()
        row = (time.time(), "state_changed", "agent-1", json.dumps({**data, "turn_id": number}))
        database.execute(INSERT, row)
        times.append(perf_counter() - began)
    database.close()
    return times


def _syncs(path: Path, count: int) -> list[float]:
    """Hand a byte to a thread that writes a page and syncs it, and wait for its byte."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    (asked, ask), (told, tell) = os.pipe(), os.pipe()

    def sync() -> None:
        while os.read(asked, 1) == b"x":
            os.write(file, PAGE)
            os.fdatasync(file)
            os.write(tell, b"x")

    other = threading.Thread(target=sync)
    other.start()
    chance, times = random.Random(count), []
    for _ in range(count):
        time.sleep(chance.uniform(0, 2 * REST / PRODUCERS))
        began = perf_counter()
        os.write(ask, b"x")
        os.read(told, 1)
        times.append(perf_counter() - began)
    os.write(ask, b"-")
    other.join()
    for one in (file, asked, ask, told, tell):
        os.close(one)
    return times


if __name__ == "__main__":
    main(*sys.argv[1:])
