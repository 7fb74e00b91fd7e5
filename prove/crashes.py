"""A watching process is killed or stopped in the middle of output, at a random moment, again and again; another one
while it comes and goes.

Afterwards the program in the pane must run on, tmux must not have grown, no client of ours may be left, and the next
watcher must see every line from the moment it joins. A stopped watcher is still there when the next one joins.
"""

import asyncio
import contextlib
import os
import random
import re
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Literal

import paneward
from paneward.core.terminal.scene import Snapshot
from prove.family import child
from prove.ledger import TOP, Cell, Line, Outcome, Proof
from prove.place import Place

Kind = Literal["kill", "stop", "coming"]
GROWN_AT_MOST = 10 << 20  # bytes
FILLED = 4000  # lines after which tmux's scrollback is full and grows no more
FOLLOWED = 2000  # lines that the next watcher has to see
WINDOW = 1.0  # seconds in each of which a program that runs must get further
# The printer's pauses between bursts: 0.5 and 3 MB/s. tmux keeps one second of output for a watcher that stopped
# reading, so at its own top speed of 10 MB/s it would grow by more than that before it goes on without it.
STEADY, FLOOD = 0.004, 0.0004
NUMBER = re.compile(rb"line (\d+) \.+\r?\n")


async def crash_round(place: Place, kind: Kind, seed: int) -> dict[str, Any]:
    """One crash; what was seen, and under `wrong` what must not be."""
    rng = random.Random(seed)
    pause = rng.choice([STEADY, FLOOD])
    progress = place.directory / f"progress-{kind}-{seed}"
    command = [sys.executable, str(TOP / "prove" / "printer.py"), str(progress), str(pause)]
    pane = await asyncio.to_thread(place.server.new_pane, command)
    try:
        await _until(lambda: _count(progress) >= FILLED)
        return await _crash(place, kind, pane, progress, rng) | {"flood": pause == FLOOD}
    finally:
        await place.close_pane(pane)


async def _crash(place: Place, kind: Kind, pane: str, progress: Path, rng: random.Random) -> dict[str, Any]:
    before = await _clients(place)
    size = await _server_size(place)
    async with child(place, "come" if kind == "coming" else "watch", pane) as watcher:
        await asyncio.sleep(rng.uniform(0, 0.3))
        ours = await _clients(place) - before
        seen: dict[str, Any] = {"clients": len(ours)} if kind != "coming" else {}
        seen |= await (_stopped if kind == "stop" else _killed)(watcher, place, pane, progress, rng)
    seen["orphans"] = await _orphans(place, ours)
    seen["grown_mb"] = round((await _server_size(place) - size) / 2**20, 2)
    return seen | {"wrong": _wrong(seen)}


async def _killed(watcher: Process, place: Place, pane: str, progress: Path, rng: random.Random) -> dict[str, Any]:
    watcher.kill()
    await watcher.wait()
    return {"stalled": await _stalls(progress), **await _follow(place, pane)}


async def _stopped(watcher: Process, place: Place, pane: str, progress: Path, rng: random.Random) -> dict[str, Any]:
    watcher.send_signal(signal.SIGSTOP)
    await asyncio.sleep(rng.uniform(0, 1.5))
    seen = {"stalled": await _stalls(progress), **await _follow(place, pane)}
    watcher.kill()
    await watcher.wait()
    return seen | {"stalled_after": await _stalls(progress)}


def _wrong(seen: dict[str, Any]) -> list[str]:
    wrong = [name for name in ("stalled", "stalled_after", "orphans") if seen.get(name)]
    if seen.get("clients", 2) < 2:
        wrong.append("the watcher was not attached")
    if seen["grown_mb"] * 2**20 > GROWN_AT_MOST:
        wrong.append("tmux grew")
    if seen["torn"]:
        wrong.append("the next watcher missed lines")
    if not seen["followed"]:
        wrong.append("the next watcher saw nothing")
    return wrong


# --- what can be seen from outside


def _count(progress: Path) -> int:
    try:
        return int(progress.read_bytes() or b"0")
    except FileNotFoundError:
        return 0


async def _until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    until = monotonic() + seconds
    while not condition():
        if monotonic() > until:
            return False
        await asyncio.sleep(0.01)
    return True


async def _stalls(progress: Path) -> bool:
    """Whether a window passes in which the program prints nothing."""
    for _ in range(2):
        count = _count(progress)
        if not await _until(lambda count=count: _count(progress) > count + 50, WINDOW):  # type: ignore[misc]
            return True
        await asyncio.sleep(0.1)
    return False


async def _clients(place: Place) -> set[int]:
    said = await asyncio.to_thread(place.server.run, "list-clients", "-F", "#{client_pid}")
    return {int(pid) for pid in said.split()}


async def _orphans(place: Place, ours: set[int]) -> list[int]:
    """Clients of the dead watcher that are still there after a while."""
    left = ours
    for _ in range(100):
        left = ours & await _clients(place) | {pid for pid in ours if _alive(pid)}
        if not left:
            break
        await asyncio.sleep(0.05)
    return sorted(left)


def _alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


async def _server_size(place: Place) -> int:
    return _resident(await asyncio.to_thread(place.server.run, "display-message", "-p", "#{pid}"))


def _resident(pid: str) -> int:
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


# --- the next watcher


async def _follow(place: Place, pane: str) -> dict[str, Any]:
    """Join as the next watcher: how many lines were seen up to the first told gap, and whether one was missing."""
    async with paneward.connect(place.server.name, state=place.state) as tmux, tmux.watch(pane) as watch:
        text = _until_cursor(watch.snapshot)
        told = 0
        async for chunk in watch.chunks():
            told += chunk is None
            if not isinstance(chunk, bytes):  # a flood that we were too slow for: tmux said so, and the screen is new
                break
            text += chunk
            if text.count(b"\n") >= FOLLOWED:
                break
    numbers = [int(number) for number in NUMBER.findall(text)]
    torn = numbers != list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True
    return {"followed": len(numbers), "torn": torn, "gaps_told": told}


def _until_cursor(snapshot: Snapshot) -> bytes:
    """The captured lines above the cursor, and what stands on the cursor's own."""
    y = snapshot.history + snapshot.cursor_y
    return ("".join(f"{row}\n" for row in snapshot.rows[:y]) + snapshot.rows[y]).encode()


# --- the proof


async def play(place: Place, kind: Kind, seed: int) -> Outcome:
    seen = await crash_round(place, kind, seed)
    judgement = "survived" if not seen["wrong"] else "; ".join(seen["wrong"])
    return Outcome(judgement, not seen["wrong"], seen)


def cells(rounds: int) -> list[Cell]:
    kinds: list[Kind] = ["kill", "stop", "coming"]
    return [Cell(f"{kind} {seed}", partial(play, kind=kind, seed=seed)) for seed in range(rounds) for kind in kinds]


def complaints(lines: Sequence[Line]) -> list[str]:
    return [f"{line['judgement']}: {line['key']}" for line in lines if not line["ok"]]


PROOF = Proof("crashes", "kill -9 and SIGSTOP of a watching process during output", cells, 100, complaints, lanes=2)
