"""The connection to a host is cut for ten seconds while an agent there prints markers: when it is back, each of them
was heard, once, in order; an agent on this machine is heard all the while.

A connection is cut in three ways: the host is away and refuses; it hangs and says nothing; it ends every connection as
soon as it is made.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from paneward.app.server import STORE, Server, serve
from paneward.config import HostSettings, Settings
from paneward.core.hosts.host import HostRecord
from paneward.store import Store
from prove.ledger import Cell, Line, Outcome, Proof
from prove.place import Place
from tests.live.sshd import Sshd, running

CUT = 10.0  # seconds
BEFORE = 2.0  # seconds of markers on either side of it
NAP = 0.05
SETTINGS = Settings(hosts=HostSettings(silent_after=3.0, longest_pause=2.0))
FAR, NEAR = "far", "near"


async def away(sshd: Sshd) -> None:
    await asyncio.to_thread(sshd.stop)
    await asyncio.sleep(CUT)
    await asyncio.to_thread(sshd.start)


async def hung(sshd: Sshd) -> None:
    sshd.hang()
    await asyncio.sleep(CUT)
    sshd.go_on()


async def torn(sshd: Sshd) -> None:
    for _ in range(int(CUT / 0.5)):
        sshd.cut()
        await asyncio.sleep(0.5)


WAYS: tuple[Callable[[Sshd], Awaitable[None]], ...] = (away, hung, torn)


async def play(place: Place, name: str, cut: Callable[[Sshd], Awaitable[None]]) -> Outcome:
    directory = place.directory / name
    state = directory / "state"
    state.mkdir(parents=True, mode=0o700)
    await Store.open(state / STORE).close()  # one after the other: migrations of two lanes at once would mix
    with running(directory / "sshd") as sshd:
        async with serve(SETTINGS, state, url="http://127.0.0.1:1") as server:
            await server.hosts.add(HostRecord("box", ssh="loopback", config=str(sshd.config)))
            panes = [await adopted(place, server, directory, one, host) for one, host in ((FAR, "box"), (NEAR, ""))]
            await server.agents.tracked()
            for one in (FAR, NEAR):
                (directory / f"{one}.go").touch()
            await asyncio.sleep(BEFORE)
            await cut(sshd)
            await asyncio.sleep(BEFORE)
            seen = await judged(server, directory)
    for pane in panes:
        await place.close_pane(pane)
    return Outcome("each once" if not seen["wrong"] else "not each once", not seen["wrong"], seen)


async def adopted(place: Place, server: Server, directory: Path, name: str, host: str) -> str:
    command = [sys.executable, "-m", "prove.marking", str(directory / name)]
    words = ["env", f"PYTHONPATH={Path(__file__).parent.parent}", *command]
    pane = await asyncio.to_thread(place.server.new_pane, words)
    await server.agents.adopt(pane, name=name, host=host, socket_name=place.server.name)
    return pane


async def judged(server: Server, directory: Path) -> dict[str, Any]:
    """Once there is nothing more to come; under `wrong` what must not be."""
    found: dict[str, Any] = {"wrong": []}
    for name in (FAR, NEAR):
        (directory / f"{name}.stop").touch()
        told = await until_all(server, directory / name, name)
        wanted = (directory / name).read_text().splitlines()
        heard = [f"{event['state']} {event['message']}" for event in told]
        seqs = [event["nudge_seq"] for event in told]
        found[name] = {"markers": len(wanted), "heard": len(heard), "late": sum(event["caught_up"] for event in told)}
        if heard != wanted:
            missing, more = [one for one in wanted if one not in heard], [one for one in heard if heard.count(one) > 1]
            found["wrong"].append(f"{name}: missed {missing[:5]}, twice {more[:5]}, in order {heard == wanted}")
        if seqs != sorted(seqs):
            found["wrong"].append(f"{name}: nudge_seq falls")
    lost = await server.store.events(kinds=["agent_lost", "agent_found"])
    found["lost"] = [(event.kind, event.agent_id) for event in lost]
    if ("agent_lost", FAR) not in found["lost"] or any(name == NEAR for _, name in found["lost"]):
        found["wrong"].append("the wrong agent was lost")
    return found


async def until_all(server: Server, notes: Path, name: str) -> list[dict[str, Any]]:
    """All signals of an agent, when as many as markers came, or long enough for them to have come."""
    for _ in range(int(60 / NAP)):
        told = [event.data for event in await server.store.events(kinds=["signal_seen"], agent_id=name, limit=10_000)]
        before = noted(notes)
        await asyncio.sleep(NAP)
        if len(told) >= before == noted(notes):
            break
    await asyncio.sleep(1.0)  # in which one that rings twice would
    return [event.data for event in await server.store.events(kinds=["signal_seen"], agent_id=name, limit=10_000)]


def noted(notes: Path) -> int:
    return notes.read_text().count("\n")


def cells(rounds: int) -> list[Cell]:
    chosen = [(number, WAYS[number % len(WAYS)]) for number in range(1, rounds + 1)]
    return [
        Cell(f"ssh {number} {way.__name__}", partial(play, name=f"ssh-{number}", cut=way), seconds=300.0)
        for number, way in chosen
    ]


def complaints(lines: Sequence[Line]) -> list[str]:
    return [f"{line['key']}: {line.get('wrong') or line.get('error')}" for line in lines if not line["ok"]]


ABOUT = f"the connection to a host is cut for {CUT:g} s while markers are printed"
PROOF = Proof("ssh", ABOUT, cells, 20, complaints, lanes=2)
