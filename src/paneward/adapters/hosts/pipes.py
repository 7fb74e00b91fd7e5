"""Programs that are talked to by pipes, from within a loop."""

import asyncio
import contextlib
import os
import subprocess
from collections.abc import Callable

PIECE = 1 << 16  # bytes


async def readable(file: int) -> None:
    """Until there is something to read, or the end."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(file, _resolve, ready)
    try:
        await ready
    finally:
        loop.remove_reader(file)


async def read_until(file: int, enough: Callable[[bytearray], bool], most: int) -> bytes:
    """All that is said until it is enough; OSError if it ends before, or is too much."""
    data = bytearray()
    while not enough(data):
        await readable(file)
        part = os.read(file, PIECE)
        if not part or len(data) > most:
            raise OSError("the shell on the other side ended")
        data += part
    return bytes(data)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill it, and leave nothing of it open."""
    process.kill()
    for pipe in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            pipe.close()  # type: ignore[union-attr]
    process.wait()


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
