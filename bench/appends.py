"""Durable event appends from many producers at once, against stdlib sqlite3 with one commit per event.

Both keep the same rows with the same promise (WAL, synchronous FULL): when a producer goes on, its event is on the
disk. The floor of one append is a bare `fdatasync` of a page. All three are measured in turn, so that the load of the
machine falls on all alike. Every event must be there once, in the order of its seq.
"""

import asyncio
import json
import os
import sqlite3
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.ground import TOP
from bench.row import Row, p50, p99
from paneward.core.events import StateChanged
from paneward.store import Store

PRODUCERS = 200
FASTER = 8.0
OF_SYNC = 3.0
PAGE = b"x" * 4096
REASON = "the spinner moves: ✻ Thinking… (12s · esc to interrupt)"
TABLE = "CREATE TABLE events (seq INTEGER PRIMARY KEY, at REAL, kind TEXT, agent_id TEXT, data TEXT)"
INSERT = "INSERT INTO events (at, kind, agent_id, data) VALUES (?, ?, ?, ?)"


def appends(quick: bool) -> Row:
    rounds, each = (2, 5) if quick else (8, 20)
    with TemporaryDirectory(prefix="paneward-bench-", dir=_disk()) as name:
        ours, bare, syncs, counted = asyncio.run(_all(Path(name), rounds, each))
    per_second, bare_per_second = _rate(ours), len(bare) / sum(bare)
    faster, of_sync = per_second / bare_per_second, p99([late for _, lates in ours for late in lates]) / p99(syncs)
    lates = [late for _, some in ours for late in some]
    return Row(
        "appends",
        f"durable event appends, {PRODUCERS} producers, against stdlib sqlite3 with one commit per event",
        f"{FASTER:.0f}x faster; p99 at most {OF_SYNC:.0f}x a bare fdatasync's",
        {
            "faster x": faster,
            "p99 of fdatasync x": of_sync,
            "per second": per_second,
            "sqlite3 per second": bare_per_second,
            "p50 ms": p50(lates) * 1e3,
            "p99 ms": p99(lates) * 1e3,
            "fdatasync p50 ms": p50(syncs) * 1e3,
            "fdatasync p99 ms": p99(syncs) * 1e3,
            "stored": f"{counted}/{len(lates)}",
        },
        faster >= FASTER and of_sync <= OF_SYNC and counted == len(lates),
    )


def _disk() -> Path:
    """Not a directory in memory, where nothing is synced."""
    build = TOP / "build"
    build.mkdir(exist_ok=True)
    return build


def _rate(ours: list[tuple[float, list[float]]]) -> float:
    return sum(len(lates) for _, lates in ours) / sum(took for took, _ in ours)


async def _all(
    directory: Path, rounds: int, each: int
) -> tuple[list[tuple[float, list[float]]], list[float], list[float], int]:
    ours: list[tuple[float, list[float]]] = []
    bare: list[float] = []
    syncs: list[float] = []
    store = Store.open(directory / "ours.db", lease="bench")
    await _produce(store, 1)  # so that everything is loaded
    before = store.last_seq
    try:
        for number in range(rounds):
            ours.append(await _produce(store, each))
            bare += _commits(directory / f"bare-{number}.db", 100)
            syncs += _syncs(directory / "syncs", 100)
        seqs = [one.seq for one in await store.events(limit=1_000_000)]
    finally:
        await store.close()
    assert seqs == list(range(1, len(seqs) + 1)), "the log has a gap"
    return ours, bare, syncs, len(seqs) - before


async def _produce(store: Store, each: int) -> tuple[float, list[float]]:
    """All producers at once, each with one event after the other; the time of all, and of each append."""
    lates: list[float] = []

    async def producer(name: str) -> None:
        for number in range(each):
            event = StateChanged(name, "IDLE", "PROCESSING", number, "screen", REASON)
            began = perf_counter()
            await store.append(event)
            lates.append(perf_counter() - began)

    began = perf_counter()
    await asyncio.gather(*(producer(f"agent-{number}") for number in range(PRODUCERS)))
    return perf_counter() - began, lates


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
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    times = []
    for _ in range(count):
        os.write(file, PAGE)
        began = perf_counter()
        os.fdatasync(file)
        times.append(perf_counter() - began)
    os.close(file)
    return times
