"""`send`, then `wait` at once, on every real agent: the wait ends after the model has answered, never before.

The model holds each answer back until the text is seen to have arrived; a wait that is over by then was too early.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

import paneward
from paneward.app.server import Server, serve
from paneward.config import Settings
from paneward.core.agent.record import RESTING
from paneward.core.result import Readiness, SendResult
from tests.lab.agents import LabAgent
from tests.lab.conftest import StartAgent
from tests.lab.recipes import pins
from tests.lab.replies import Hold, Reply
from tests.lab.sending import ARRIVES

pytestmark = pytest.mark.real
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Way:
    """How a text is sent, and how it is waited for."""

    name: str
    send: Callable[[str], Awaitable[SendResult]]
    wait: Callable[[], Awaitable[Readiness]]


async def one_round(lab: LabAgent, way: Way, text: str) -> Readiness:
    """Send, wait at once, and let the model answer only when it has the text."""
    model, before = lab.model, len(lab.model.prompts())
    model.script(Reply("It is done.", hold=Hold.BEFORE))
    sent = await way.send(text)
    assert sent.success, sent
    waiting = asyncio.ensure_future(way.wait())
    assert await asyncio.to_thread(model.wait, lambda: len(model.prompts()) > before and model.holding, ARRIVES)
    assert not waiting.done(), f"{way.name}: {text}: early, by {waiting.result()}"
    model.release()
    return await waiting


async def alone(lab: LabAgent) -> None:
    """Without a server: the library, and two processes that share no more than the state directory."""
    state = lab.home / "state"

    async def send(text: str) -> SendResult:
        async with paneward.connect(lab.server.name, state=state) as other:
            return await other.send_text(lab.pane, text, timeout=ARRIVES)

    async def wait() -> Readiness:
        async with paneward.connect(lab.server.name, state=state) as other:
            return await other.wait_ready(lab.pane, timeout=ARRIVES)

    async with paneward.connect(lab.server.name, state=state) as one:
        library = Way(
            "library",
            lambda text: one.send_text(lab.pane, text, timeout=ARRIVES),
            lambda: one.wait_ready(lab.pane, timeout=ARRIVES),
        )
        for way in (library, Way("two processes", send, wait)):
            for number in range(ROUNDS):
                found = await one_round(lab, way, f"{way.name}, text {number}")
                assert found.is_ready, found


@asynccontextmanager
async def serving(lab: LabAgent) -> AsyncIterator[Server]:
    async with serve(Settings(), lab.home / "served", url="http://lab") as server:
        await server.agents.adopt(lab.pane, name="it", socket_name=lab.server.name)
        yield server


async def served(lab: LabAgent) -> None:
    """With a server, which says the same on every surface."""
    async with serving(lab) as server:

        async def send(text: str) -> SendResult:
            return (await server.agents.send("it", text, timeout=ARRIVES)).result

        way = Way("server", send, lambda: server.agents.wait("it", ARRIVES))
        for number in range(ROUNDS):
            found = await one_round(lab, way, f"server, text {number}")
            assert found.is_ready, found
            assert server.agents.get("it").stage in RESTING, server.agents.get("it")


@pytest.mark.parametrize(("agent", "version"), pins())
def test_a_wait_that_follows_a_send_ends_with_that_work(agent: str, version: str, start_agent: StartAgent) -> None:
    lab = start_agent(agent, version)

    async def play() -> None:
        await alone(lab)
        await served(lab)

    asyncio.run(play())
