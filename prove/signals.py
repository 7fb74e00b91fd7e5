"""Markers on screens that are drawn fifty times, and in lines, with no page open, while the server is killed: each is
heard once, in its order, rings once, and `nudge_seq` only rises. And a gigabyte in one pane: the server stays as small
as it was, and others are heard on time.
"""

import asyncio
import contextlib
import random
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from paneward.core.agent.events import Stored
from paneward.store import Store
from prove.ledger import TOP, Cell, Line, Outcome, Proof
from prove.place import Place

MARKERS = 12
KILLS = 4
GIGABYTE = 10**9
GROWS = 64.0  # megabytes that a flood may add
LATE = 1.0  # seconds within which another agent's marker is heard during the flood
PATIENCE = 60.0


class Show:
    """Programs in panes, and what they gave."""

    def __init__(self, place: Place, name: str) -> None:
        self.place = place
        self.home = place.directory / name
        self.state = self.home / "state"
        self.state.mkdir(parents=True, mode=0o700)
        self.panes: list[str] = []

    async def open(self, *hows: tuple[str, ...]) -> None:
        for number, (how, *rest) in enumerate(hows):
            words = [sys.executable, "-m", "prove.painter", how, str(self._log(number)), *rest]
            command = ["env", f"PYTHONPATH={TOP}", *words]
            self.panes.append(await asyncio.to_thread(self.place.server.new_pane, command, 80, 40))

    async def begin(self, number: int) -> None:
        await asyncio.to_thread(self.place.server.run, "send-keys", "-t", self.panes[number], "Enter")

    def _log(self, number: int) -> Path:
        return self.home / f"given-{number}"

    def given(self, number: int) -> list[str]:
        path = self._log(number)
        return path.read_text().splitlines() if path.exists() else []

    async def until_given(self, number: int) -> None:
        while self.given(number)[-1:] != ["end"]:  # noqa: ASYNC110 - a file of another process
            await asyncio.sleep(0.02)

    @asynccontextmanager
    async def server(self) -> AsyncIterator[Process]:
        words = [self.place.server.name, str(self.state), *self.panes]
        with (self.home / "said").open("ab") as said:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "prove.tracking", *words, stdin=PIPE, stdout=PIPE, stderr=said, cwd=TOP
            )
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def ready(self, process: Process) -> None:
        assert process.stdout is not None
        if await process.stdout.readline() != b"ready\n":
            raise RuntimeError(f"the server did not begin: {(self.home / 'said').read_text()[-1000:]}")

    async def events(self) -> list[Stored]:
        """Read beside a server that writes."""
        store = Store.open(self.state / "deliveries.db")
        try:
            return await store.events(limit=1_000_000)
        finally:
            await store.close()

    async def close(self) -> None:
        for pane in self.panes:
            await self.place.close_pane(pane)


def wrong_with(events: Sequence[Stored], agent: str, given: Sequence[str]) -> list[str]:
    """What must not be."""
    mine = [event for event in events if event.agent_id == agent]
    heard = [f"{one.data['state']}:{one.data['message']}" for one in mine if one.kind == "signal_seen"]
    wrong = [] if heard == list(given) else [f"{agent} gave {list(given)}, heard was {heard}"]
    rung = Counter(one.data["nudge_seq"] for one in mine if one.kind == "nudge_raised")
    wrong += [f"{agent}: number {seq} rang {count} times" for seq, count in rung.items() if count > 1]
    seqs = [one.data["nudge_seq"] for one in mine if "nudge_seq" in one.data]
    if seqs != sorted(seqs):
        wrong.append(f"{agent}: nudge_seq fell: {seqs}")
    return wrong


async def killed_round(place: Place, seed: int, kills: int = KILLS) -> dict[str, Any]:
    rng, show = random.Random(seed), Show(place, f"signals-{seed}")
    await show.open(("painted", str(MARKERS)), ("printed", str(MARKERS)))
    try:
        async with show.server() as process:
            await show.ready(process)
            for number in range(2):
                await show.begin(number)
            await asyncio.sleep(rng.uniform(0.0, 1.0))
        for _ in range(kills - 1):
            async with show.server() as process:
                if rng.random() < 0.85:
                    await show.ready(process)
                await asyncio.sleep(rng.uniform(0.0, 0.8))
        async with show.server() as process:
            await show.ready(process)
            for number in range(2):
                await show.until_given(number)
            events = await _settled(show)
            assert process.stdin is not None
            process.stdin.write(b"end\n")
            await process.wait()
    finally:
        await show.close()
    wrong = [one for number in range(2) for one in wrong_with(events, f"agent-{number}", show.given(number)[:-1])]
    caught = sum(1 for one in events if one.kind == "signal_seen" and one.data["caught_up"])
    return {"signals": 2 * MARKERS, "caught_up": caught, "wrong": wrong}


async def _settled(show: Show) -> list[Stored]:
    """Until all was heard; then whatever still comes is one too many."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            while Counter(one.kind for one in await show.events())["signal_seen"] < 2 * MARKERS:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    await asyncio.sleep(1.0)
    return await show.events()


# --- a flood


def resident_mb(pid: int) -> float:
    line = next(one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


async def flooded(place: Place, seed: int, size: int = GIGABYTE) -> dict[str, Any]:
    show = Show(place, f"flood-{seed}")
    await show.open(("flood", "1", str(size)), ("printed", "1000000"))
    tmux = int(await asyncio.to_thread(place.server.run, "display-message", "-p", "#{pid}"))
    try:
        async with show.server() as process:
            await show.ready(process)
            await show.begin(1)
            await asyncio.sleep(3.0)
            before, most = (resident_mb(process.pid), resident_mb(tmux)), [0.0, 0.0]
            await show.begin(0)
            while show.given(0)[-1:] != ["end"]:
                most = [max(most[0], resident_mb(process.pid)), max(most[1], resident_mb(tmux))]
                await asyncio.sleep(0.1)
            await asyncio.sleep(3.0)
            events = await show.events()
    finally:
        await show.close()
    grown = [most[0] - before[0], most[1] - before[1]]
    seen = [one for one in events if one.kind == "signal_seen" and one.agent_id == "agent-1"]
    other, lags = [f"{one.data['state']}:{one.data['message']}" for one in seen], [one.data["lag"] for one in seen]
    given = show.given(1)
    wrong = wrong_with(events, "agent-0", show.given(0)[:-1])
    if other != given[: len(other)] or len(given) - len(other) > 2:
        wrong.append(f"the other one gave {len(given)}, heard were {len(other)}")
    wrong += [f"the server grew by {grown[0]:.0f} MB"] if grown[0] > GROWS else []
    wrong += [f"a marker was heard after {max(lags):.1f} s"] if max(lags) > LATE else []
    figures = {"server grew MB": grown[0], "tmux grew MB": grown[1], "lag p50 ms": median(lags) * 1e3}
    return {**figures, "lag max ms": max(lags) * 1e3, "others": len(other), "wrong": wrong}


# --- the proofs


async def play(place: Place, seed: int) -> Outcome:
    seen = await killed_round(place, seed)
    return Outcome("each once" if not seen["wrong"] else "not each once", not seen["wrong"], seen)


async def play_flood(place: Place, seed: int) -> Outcome:
    seen = await flooded(place, seed)
    return Outcome("bounded" if not seen["wrong"] else "not so", not seen["wrong"], seen)


def cells(rounds: int) -> list[Cell]:
    return [Cell(f"signals {seed}", partial(play, seed=seed), seconds=300.0) for seed in range(1, rounds + 1)]


def flood_cells(rounds: int) -> list[Cell]:
    return [Cell(f"flood {seed}", partial(play_flood, seed=seed), seconds=1200.0) for seed in range(1, rounds + 1)]


def complaints(lines: Sequence[Line]) -> list[str]:
    return [f"{line['key']}: {line.get('wrong') or line.get('error')}" for line in lines if not line["ok"]]


PROOFS = (
    Proof(
        "signals", f"{KILLS} kills of a server while markers are painted and printed", cells, 100, complaints, lanes=2
    ),
    Proof("floods", "a gigabyte in one pane, and another agent's markers", flood_cells, 1, complaints, lanes=1),
)
