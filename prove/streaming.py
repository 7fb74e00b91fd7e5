"""A server in a process of its own, for a proof to kill: it listens at a port and appends events in bursts.

It says `ready` when it listens. It appends while the file `quiet` is not in its directory.
"""

import asyncio
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import uvloop

from paneward.app.server import Server, serve
from paneward.config import ServerSettings, Settings
from paneward.core.agent.events import AgentLost
from paneward.surfaces.http.access.tokens import Access
from paneward.surfaces.http.app import build
from paneward.surfaces.http.listen import listener


async def main(directory: Path, port: int, seed: int) -> None:
    settings = Settings(server=ServerSettings(port=port, rate_per_second=100_000.0))
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    async with serve(settings, directory, url=f"http://127.0.0.1:{port}") as server:
        web = listener(build(server, Access.open(directory, server.clock)), port=port)
        serving = asyncio.ensure_future(web._serve())  # signals are ours
        appending = asyncio.ensure_future(_append(server, (directory / "quiet").exists, random.Random(seed)))
        while not web.started:  # noqa: ASYNC110 - uvicorn tells it nowhere else
            await asyncio.sleep(0.005)
        print("ready", flush=True)
        await ending.wait()
        appending.cancel()
        web.end()
        await serving


async def _append(server: Server, quiet: Callable[[], bool], rng: random.Random) -> None:
    while not quiet():
        size = rng.choice([1, 1, 3, 20, 200])
        await server.store.append(*[AgentLost("ada", "x" * rng.randrange(400)) for _ in range(size)])
        await asyncio.sleep(rng.expovariate(20))


if __name__ == "__main__":
    uvloop.run(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
