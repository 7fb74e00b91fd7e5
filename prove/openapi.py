"""The whole OpenAPI document, by every role and without a token, against a real server with a demo agent: no crash, no
answer that something went wrong in Paneward, no traceback in the log, no growth.
"""

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from paneward.adapters.clock import SystemClock
from paneward.surfaces.http.access.tokens import Access, Role
from prove.ledger import TOP, Cell, Line, Outcome, Proof
from prove.place import Place
from tests.adapters.conftest import TMUX

NOBODY = "nobody"
ROLES = (*Role, NOBODY)
EXAMPLES = 25  # of each operation, of good and of bad data each
GROWTH = 48 << 20  # bytes: caches fill, and an allocator keeps what it had once
HOURS = 6 * 3600.0  # that a token is good


@dataclass(frozen=True)
class Served:
    url: str
    pid: int
    state: Path
    log: Path

    @property
    def resident(self) -> int:
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def token(self, role: str) -> str:
        if role == NOBODY:
            return ""
        return Access.open(self.state, SystemClock()).mint(Role(role), "fuzz", seconds=HOURS)


@asynccontextmanager
async def served(place: Place, name: str) -> AsyncIterator[Served]:
    """A server as `paneward up` runs it, with an agent called `ada`."""
    home = place.directory / name
    state, log = home / "state", home / "server.log"
    state.mkdir(mode=0o700, parents=True)
    names = {"HOME": str(home), "PANEWARD_STATE_DIR": str(state), "PANEWARD_TMUX__BINARY": TMUX}
    env = {**os.environ, **names, "PANEWARD_SERVER__RATE_PER_SECOND": "100000", "TMUX_TMPDIR": str(home)}
    with log.open("wb") as file:
        command = (sys.executable, "-m", "paneward", "--json", "up", "--port", "0")
        process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=file, env=env, cwd=TOP)
    assert process.stdout is not None
    try:
        said = json.loads(await process.stdout.readline())
        yield Served(said["url"], process.pid, state, log)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def adopt(place: Place, there: Served) -> dict[str, Any]:
    """Give the server an agent; its OpenAPI document."""
    pane = place.server.new_pane([sys.executable, "-m", "paneward.demo.agent", "--busy", "0.05"], remain=True)
    socket = place.server.run("display-message", "-p", "#{socket_path}")
    headers = {"authorization": f"Bearer {there.token('operator')}"}
    async with httpx.AsyncClient(base_url=there.url, headers=headers, timeout=120, trust_env=False) as client:
        answer = await client.post("/api/agents", json={"pane": pane, "name": "ada", "socket_path": socket})
        answer.raise_for_status()
        document: dict[str, Any] = (await client.get("/openapi.json")).json()
        return document


async def fuzzed(there: Served, document: dict[str, Any], role: str, seed: int, examples: int) -> dict[str, Any]:
    words = (there.url, str(seed), str(examples))
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "prove.fuzzing", *words, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=TOP
    )
    given = f"{there.token(role)}\n{json.dumps(document)}\n".encode()
    try:
        out, err = await child.communicate(given)
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
    if child.returncode:
        return {"requests": 0, "statuses": {}, "wrong": [err.decode(errors="replace")[-1000:]]}
    told: dict[str, Any] = json.loads(out)
    return told


async def role_round(place: Place, role: str, seed: int, examples: int = EXAMPLES) -> dict[str, Any]:
    """All operations once to warm up, then with so many examples each; under `wrong` what must not be."""
    async with served(place, f"openapi-{role}-{seed}") as there:
        document = await adopt(place, there)
        warm = await fuzzed(there, document, role, seed + 1000, max(1, examples // 5))
        before = there.resident
        seen = await fuzzed(there, document, role, seed, examples)
        grown = there.resident - before
        log = there.log.read_text(errors="replace")
    wrong = [*warm["wrong"], *seen["wrong"]]
    wrong += [f"grew by {grown} bytes"] if grown > GROWTH else []
    wrong += [log[at - 200 : at + 1500] for at in [log.find("Traceback")] if at >= 0]
    return {**seen, "grown": grown, "wrong": wrong}


async def play(place: Place, role: str, seed: int) -> Outcome:
    seen = await role_round(place, role, seed)
    return Outcome("held" if not seen["wrong"] else "did not hold", not seen["wrong"], seen)


def cells(rounds: int) -> list[Cell]:
    return [
        Cell(f"openapi {role} {seed}", partial(play, role=role, seed=seed), seconds=3600.0)
        for seed in range(1, rounds + 1)
        for role in ROLES
    ]


def complaints(lines: Sequence[Line]) -> list[str]:
    return [f"{line['key']}: {line.get('wrong') or line.get('error')}" for line in lines if not line["ok"]]


PROOF = Proof("openapi", "every operation of the OpenAPI document, by every role", cells, 2, complaints, lanes=1)
