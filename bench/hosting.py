"""A server in a process of its own: `python -m bench.hosting STATE`. It says `ready` and its megabytes."""

import asyncio
import os
import sys
from pathlib import Path

from bench.row import resident_mb
from paneward.app.server import serve
from paneward.config import Settings


async def main(state: Path) -> None:
    async with serve(Settings(), state, url="http://bench") as server:
        await server.agents.settled()
        print(f"ready {resident_mb(os.getpid()):.2f}", flush=True)
        await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
