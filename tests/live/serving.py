"""A server with demo agents in real panes, for tests that tell them things and wait for what they say."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from paneward.app.server import Server, serve
from paneward.core.agent.record import Actor, Agent, Intent, Stage
from paneward.core.errors import Code, PanewardError
from tests.live.conftest import SETTINGS, Ground
from tests.live.ground import Stage as Play

QUICK = replace(SETTINGS, tmux_bridge=replace(SETTINGS.tmux_bridge, health_check_interval=0.2))


class Scene:
    """A server, and demo agents that it has adopted."""

    def __init__(self, ground: Ground, server: Server) -> None:
        self.ground = ground
        self.server = server
        self.agents = server.agents
        self.store = server.store

    async def adopt(self, name: str = "worker", *options: str, **how: Any) -> Play:
        play = self.ground.stage("demo_agent", *(options or ("--busy", "0.3")))
        await play.wait_event("ready")
        await self.agents.adopt(play.pane, name=name, socket_name=self.ground.server.name, **how)
        return play

    async def until(self, stage: Stage, name: str = "worker") -> Agent:
        """Wait for the state, as anybody would: by events."""
        with self.server.bus.subscribe() as news:
            while (agent := self.agents.get(name)).stage is not stage:
                await anext(news)
            return agent

    async def asked(self, text: str = "ask which colour", name: str = "worker") -> Agent:
        await self.agents.send(name, text)
        return await self.until(Stage.AWAITING_INPUT, name)

    async def spoken(self, name: str = "worker") -> list[tuple[Actor, Intent, str]]:
        return [(turn.actor, turn.intent, turn.text) for turn in reversed(await self.store.turns(name))]

    async def kinds(self) -> list[str]:
        return [event.kind for event in await self.store.events()]


@asynccontextmanager
async def scene(ground: Ground) -> AsyncIterator[Scene]:
    async with serve(QUICK, ground.state, url="http://127.0.0.1:1") as server:
        yield Scene(ground, server)


def played(ground: Ground, work: Callable[[Scene], Awaitable[Any]]) -> Any:
    async def act() -> Any:
        async with scene(ground) as one:
            return await work(one)

    return asyncio.run(act())


async def refusal(work: Awaitable[Any]) -> Code:
    with pytest.raises(PanewardError) as refused:
        await work
    assert refused.value.message
    assert refused.value.hint
    return refused.value.code
