"""A server to be killed: `python -m prove.tracking SOCKET STATE PANE...` adopts the panes unless it knows them, says
`ready` once it is known what they told before, and ends at a line of input."""

import asyncio
import sys
from pathlib import Path

from paneward.app.server import serve
from paneward.config import Settings


async def main(socket: str, state: Path, panes: list[str]) -> None:
    async with serve(Settings(), state, url="http://prove") as server:
        known = {agent.id for agent in server.agents.all()}
        for number, pane in enumerate(panes):
            if f"agent-{number}" not in known:
                await server.agents.adopt(pane, name=f"agent-{number}", socket_name=socket)
        await server.agents.tracked()
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
