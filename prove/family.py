"""Children of a proof: processes that it starts, talks to and ends."""

import asyncio
import contextlib
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from prove.ledger import TOP
from prove.place import Place


@asynccontextmanager
async def child(place: Place, verb: str, pane: str, *rest: str) -> AsyncIterator[Process]:
    """A child that is about to begin; whatever became of it, it is gone afterwards."""
    words = [verb, place.server.name, str(place.state), pane, *rest]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "prove.child", *words, stdin=PIPE, stdout=PIPE, cwd=TOP
    )
    assert process.stdout is not None
    try:
        if await process.stdout.readline() != b"ready\n":
            raise RuntimeError(f"{verb} did not begin")
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@asynccontextmanager
async def sender(place: Place, pane: str, text: str, **how: Any) -> AsyncIterator[Process]:
    async with child(place, "send", pane, text, json.dumps(how)) as process:
        yield process


def go(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.write(b"go\n")


async def answer(process: Process) -> dict[str, Any]:
    """What a sender said in the end."""
    assert process.stdout is not None
    said = await process.stdout.readline()
    return dict(json.loads(said)) if said else {"verdict": "none"}
