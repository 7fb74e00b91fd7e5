"""Plays the cells of a proof that were not played yet, several at the same time, each lane on a place of its own."""

import asyncio
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

from prove.ledger import Cell, Ledger, Line, Outcome, Proof
from prove.place import Place, private_place

Heard = Callable[[Line], None]
FRESH_AFTER = 60  # cells after which a lane takes a new tmux server


async def play_all(proof: Proof, due: list[Cell], ledger: Ledger, ssh_config: Path | None, heard: Heard) -> None:
    """Every due cell once; `heard` is told of each."""
    queue = deque(due)
    async with asyncio.TaskGroup() as lanes:
        for _ in range(min(proof.lanes, len(due))):
            lanes.create_task(_lane(queue, ledger, ssh_config, heard))


async def _lane(queue: deque[Cell], ledger: Ledger, ssh_config: Path | None, heard: Heard) -> None:
    while queue:
        async with private_place(ssh_config) as place:
            for cell in _some(queue):
                began = monotonic()
                outcome = await _played(cell, place)
                heard(ledger.add(cell.key, outcome, monotonic() - began))
                if outcome.judgement in ("error", "no end"):
                    break


def _some(queue: deque[Cell]) -> Iterator[Cell]:
    for _ in range(FRESH_AFTER):
        if not queue:
            return
        yield queue.popleft()


async def _played(cell: Cell, place: Place) -> Outcome:
    try:
        async with asyncio.timeout(cell.seconds):
            return await cell.play(place)
    except TimeoutError:
        return Outcome("no end", False, {"error": f"not over after {cell.seconds:g} s"})
    except Exception:  # noqa: BLE001 - the edge of a cell: whatever went wrong in it is its result
        return Outcome("error", False, {"error": traceback.format_exc()})
