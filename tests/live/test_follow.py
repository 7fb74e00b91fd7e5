"""What an agent does, followed by events: every change once, with its evidence."""

import asyncio
import sys

import pytest

from paneward.app import Connection, Transport
from paneward.core.state.claims import AgentState, Ending, Source, Standing
from paneward.services.agents.follower import Follower
from tests.live.conftest import Ground

SECONDS = 60.0  # for a thing to happen on a loaded machine
# A program that draws a composer, and says by OSC 7501 what it reads from its input.
TELLS = r"""
import sys
box = "\033[H\033[2J" + "─" * 20 + "\r\n❯ \r\n" + "─" * 20 + "\033[2;3H"
sys.stdout.write(box); sys.stdout.flush()
for line in sys.stdin:
    sys.stdout.write(line.strip().replace("ESC", "\033") + box); sys.stdout.flush()
"""


async def until(follower: Follower, state: AgentState, ending: Ending | None = None) -> list[Standing]:
    """What is told up to a state, that included; with how it ended, if that matters."""
    told: list[Standing] = []
    async with asyncio.timeout(SECONDS):
        async for standing in follower:
            told.append(standing)
            if standing.state is state and ending in (None, standing.ending):
                return told
    raise AssertionError(f"it ended at {told}")


def states(told: list[Standing]) -> list[AgentState]:
    """Each state once: a change of what is known of it is no other state."""
    found = [standing.state for standing in told]
    return [state for at, state in enumerate(found) if at == 0 or state is not found[at - 1]]


@pytest.mark.parametrize("transport", ["control", "exec"])
def test_a_turn_of_the_demo_agent_is_told_state_by_state(ground: Ground, transport: Transport) -> None:
    stage = ground.stage("demo_agent", "--speed", "5")

    async def act() -> None:
        async with ground.connect(transport) as tmux, ground.connect() as sender:
            await stage.wait_event("ready")
            async with tmux.follow(stage.pane) as follower:
                assert states(await until(follower, AgentState.IDLE))[-1] is AgentState.IDLE
                await sender.send_text(stage.pane, "permit rm -r build")
                told = await until(follower, AgentState.AWAITING_PERMISSION)
                assert AgentState.DEAD not in states(told)
                assert told[-1].question
                await sender.answer(stage.pane, select=1)
                told = await until(follower, AgentState.IDLE, Ending.DONE)
                assert set(states(told)) <= {AgentState.AWAITING_PERMISSION, AgentState.BUSY, AgentState.IDLE}
                assert all(standing.evidence for standing in told)

    asyncio.run(act())


def test_what_a_program_says_of_itself_is_told_at_once_and_survives_in_explain(ground: Ground) -> None:
    pane = ground.shell(sys.executable, "-c", TELLS, "demo-agent")

    async def say(tmux: Connection, words: str) -> None:
        await tmux._tmux.type(pane, f"ESC]7501;state={words}ESC\\")
        await tmux._tmux.press(pane, "Enter")

    async def act() -> None:
        async with ground.connect() as tmux, tmux.follow(pane, profile="generic") as follower:
            await until(follower, AgentState.IDLE)
            await say(tmux, "working")
            [*_, busy] = await until(follower, AgentState.BUSY)
            reads = busy.source is Source.SCREEN and "read" in busy.evidence  # while a slow one reads it works, too
            assert reads or (busy.source, busy.evidence) == (Source.STATUS, "OSC 7501 state=working")
            await say(tmux, "blocked:kind=permission")
            [*_, asks] = await until(follower, AgentState.AWAITING_PERMISSION)
            assert (asks.source, asks.evidence) == (Source.STATUS, "OSC 7501 state=blocked:kind=permission")
            explained = (await tmux.explain(pane, profile="generic")).standing
            assert (explained.state, explained.source) == (AgentState.AWAITING_PERMISSION, Source.STATUS)
            assert {claim.source for claim in explained.claims} == {Source.STATUS, Source.SCREEN}
            await say(tmux, "done")
            await until(follower, AgentState.IDLE, Ending.DONE)

    asyncio.run(act())


def test_the_end_of_the_program_ends_the_story(ground: Ground) -> None:
    stage = ground.stage("demo_agent")

    async def act() -> list[Standing]:
        async with ground.connect() as tmux, asyncio.timeout(SECONDS):
            await stage.wait_event("ready")
            async with tmux.follow(stage.pane) as follower:
                told = await until(follower, AgentState.IDLE)
                await tmux.send_keys(stage.pane, "C-c", "C-c")
                await tmux.send_text(stage.pane, "crash", verify_enter=False)
                return told + [standing async for standing in follower]

    told = asyncio.run(act())
    assert told[-1].state is AgentState.DEAD
    assert "ended" in told[-1].evidence or "gone" in told[-1].evidence


def test_nobody_looks_while_nothing_happens(ground: Ground) -> None:
    stage = ground.stage("demo_agent")

    async def act() -> None:
        async with ground.connect() as tmux:
            await stage.wait_event("ready")
            async with tmux.follow(stage.pane) as follower:
                await until(follower, AgentState.IDLE)
                follower_task = asyncio.ensure_future(anext(aiter(follower)))
                await asyncio.sleep(0.5)
                before = follower._driver.scene.now
                await asyncio.sleep(0.5)
                assert follower._driver.scene.now == before
                follower_task.cancel()

    asyncio.run(act())
