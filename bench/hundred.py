"""What a hundred agents cost a server at its start, against a start with none."""

import asyncio
import subprocess
import sys
from pathlib import Path
from time import monotonic

from bench.ground import TOP, heard, many_panes, tell
from bench.row import Row, p50
from paneward.app.server import serve
from paneward.config import Settings

AGENTS = 100
SLOWER_AT_MOST = 0.7  # seconds
LARGER_AT_MOST = 30.0  # MB


def hundred_agents(quick: bool) -> Row:
    rounds = 2 if quick else 9
    with many_panes(AGENTS) as (server, panes):
        full, empty = server.home / "full", server.home / "empty"
        full.mkdir()
        empty.mkdir()
        asyncio.run(_adopt(full, server.name, [pane for pane, _ in panes]))
        asyncio.run(_adopt(empty, server.name, []))
        taken: dict[Path, list[tuple[float, float]]] = {full: [], empty: []}
        for _ in range(rounds):
            for state, values in taken.items():
                values.append(_start(state))
    seconds = {state: p50([one[0] for one in values]) for state, values in taken.items()}
    size = {state: p50([one[1] for one in values]) for state, values in taken.items()}
    slower, larger = seconds[full] - seconds[empty], size[full] - size[empty]
    return Row(
        "hundred_agents",
        "start of a server with 100 agents in its store, all of them followed, against an empty store",
        "at most 0.7 s and 30 MB more",
        {"more s": slower, "more MB": larger, "start s": seconds[full], "empty start s": seconds[empty]},
        slower <= SLOWER_AT_MOST and larger <= LARGER_AT_MOST,
    )


async def _adopt(state: Path, socket: str, panes: list[str]) -> None:
    async with serve(Settings(), state, url="http://bench") as server:
        for number, pane in enumerate(panes):
            await server.agents.adopt(pane, name=f"agent-{number}", socket_name=socket)


def _start(state: Path) -> tuple[float, float]:
    """Seconds from the start of the process until all agents are followed, and its size then."""
    began = monotonic()
    words = [sys.executable, "-m", "bench.hosting", str(state)]
    with subprocess.Popen(words, cwd=TOP, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        size = float(heard(process, "ready").split()[0])
        seconds = monotonic() - began
        tell(process, "end")
    return seconds, size
