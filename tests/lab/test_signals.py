"""Markers of the real agents: each heard once, at 60 columns, one longer than the pane, over repaints and restarts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from paneward.app.server import Server, serve
from paneward.config import Settings
from paneward.core.agent.record import Stage
from tests.lab.agents import LabAgent
from tests.lab.conftest import StartAgent
from tests.lab.recipes import pins
from tests.lab.replies import Reply

pytestmark = pytest.mark.real
PATIENCE = 180.0
LONG = "The parser of dates takes both forms and every test of the suite passes, also those that were skipped so far"
SAID = (("working", "Reading the sources"), ("needs_testing", "Try the new page"), ("completed", LONG))
ASKED = "Tell me with --<[paneward:error:these words of mine]>-- when something is wrong, and else as you like."


def answer(*said: tuple[str, str]) -> str:
    """What the model says: markers, and words around each."""
    parts = [f"Step {number} of it is done.\n\n--<[paneward:{state}:{message}]>--\n" for number, (state, message) in
             enumerate(said, 1)]  # fmt: skip
    return "\n".join((*parts, "That is all."))


@asynccontextmanager
async def served(running: LabAgent, state: Path, adopt: bool = False) -> AsyncIterator[Server]:
    async with serve(Settings(), state, url="http://lab") as server:
        if adopt:
            await server.agents.adopt(running.pane, name="it", socket_name=running.server.name)
        await server.agents.tracked()
        yield server


async def told(server: Server) -> list[tuple[str, str]]:
    """What was heard by markers; blanks aside, since a wrapped line hides some."""
    events = await server.store.events(kinds=["signal_seen"], agent_id="it")
    words = [(event.data["state"], event.data["message"], event.data["source"]) for event in events]
    return [(state, "".join(message.split())) for state, message, source in words if source == "marker"]


async def heard(server: Server, running: LabAgent, *said: tuple[str, str]) -> None:
    """Exactly these, in their order, once the agent rests."""
    wanted = [(state, "".join(message.split())) for state, message in said]
    try:
        async with asyncio.timeout(PATIENCE):
            with server.bus.subscribe() as news:
                while len(await told(server)) < len(wanted) or server.agents.get("it").stage is not Stage.COMPLETE:
                    await anext(news)
    except TimeoutError:
        raise AssertionError(f"{await told(server)}\n{running.look().text}") from None
    await asyncio.sleep(1.0)  # whatever is painted afterwards rings nothing
    assert await told(server) == wanted, running.look().text


@pytest.mark.parametrize(("agent", "version"), pins())
def test_each_marker_of_a_real_agent_is_heard_once(
    agent: str, version: str, start_agent: StartAgent, tmp_path: Path
) -> None:
    running = start_agent(agent, version, width=60, height=44, wait=False)

    async def play() -> None:
        state = tmp_path / "state"
        async with served(running, state, adopt=True) as server:
            await asyncio.to_thread(running.wait_started)
            await asyncio.sleep(1.0)
            early = await server.store.events(kinds=["nudge_raised", "turn_stored"])
            assert early == [], "an agent that starts has said nothing"
            running.model.script(Reply(answer(*SAID), chunks=12, between=0.05))
            assert (await server.agents.send("it", ASKED, timeout=180)).result.success
            await heard(server, running, *SAID)
            lags = [event.data["lag"] for event in await server.store.events(kinds=["signal_seen"])]
            print(f"\nLAG {agent} {version} {sorted(lags)}")
            for width in (50, 90, 60):  # it paints all of it again
                running.server.run("resize-window", "-t", running.pane, "-x", str(width))
                await asyncio.sleep(0.3)
            await heard(server, running, *SAID)
        async with served(running, state) as server:  # the next server
            await asyncio.sleep(0.5)
            await heard(server, running, *SAID)
            seq = server.agents.get("it").nudge_seq
            running.model.script(Reply(answer(*SAID[:2]), chunks=6, between=0.05))
            assert (await server.agents.send("it", "once more", timeout=180)).result.success
            await heard(server, running, *SAID, *SAID[:2])  # the same words in a later turn are new
            assert server.agents.get("it").nudge_seq > seq

    asyncio.run(play())


@pytest.mark.parametrize(("agent", "version"), pins())
def test_a_conversation_that_its_agent_resumes_rings_nothing_twice(
    agent: str, version: str, start_agent: StartAgent, tmp_path: Path
) -> None:
    running = start_agent(agent, version, width=60, height=44, shell=True)

    async def play() -> None:
        async with served(running, tmp_path / "state", adopt=True) as server:
            running.model.script(Reply(answer(*SAID[:2]), chunks=6, between=0.05))
            assert (await server.agents.send("it", ASKED, timeout=180)).result.success
            await heard(server, running, *SAID[:2])
            await asyncio.to_thread(running.resume)
            running.model.script(Reply(answer(SAID[1], SAID[2]), chunks=6, between=0.05))
            assert (await server.agents.send("it", "go on", timeout=180)).result.success
            await heard(server, running, *SAID[:2], *SAID[1:])

    asyncio.run(play())
