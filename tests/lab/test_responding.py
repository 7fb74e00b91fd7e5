"""Real agents as agents of a server: what they ask becomes a question, and each way to answer reaches the model."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from paneward.app.server import Server, serve
from paneward.config import Settings
from paneward.core.agent.record import Actor, Agent, Answer, Intent, Sent, Stage
from paneward.core.errors import Code
from tests.lab.agents import LabAgent
from tests.lab.conftest import StartAgent
from tests.lab.moves import LABELS, QUESTION, Moves, moves_of
from tests.lab.recipes import pins
from tests.lab.replies import Reply

pytestmark = pytest.mark.real
AGENTS = [pytest.param(*pin, id="-".join(pin)) for pin in pins() if pin[0] in ("claude", "codex")]
PATIENCE = 180.0
REASON = "Use a spade, not a hammer"


@dataclass(frozen=True, slots=True)
class Served:
    """A running agent that a server has adopted."""

    running: LabAgent
    server: Server
    moves: Moves

    async def until(self, stage: Stage) -> Agent:
        async with asyncio.timeout(PATIENCE):
            with self.server.bus.subscribe() as news:
                while (agent := self.server.agents.get("it")).stage is not stage:
                    await anext(news)
        return agent

    async def command(self, text: str, *replies: Reply) -> Agent:
        """Give it a command, and wait for what it asks."""
        self.running.model.script(*replies)
        sent = await self.server.agents.send("it", text)
        assert sent.result.success, sent.result
        return await self.until(Stage.AWAITING_INPUT)

    async def respond(self, answer: Answer) -> Sent:
        asked = self.server.agents.get("it").asked
        sent = await self.server.agents.respond("it", answer)
        assert sent.result.success, f"{sent.result}\n{self.running.look().text}"
        assert sent.turn is not None
        assert (sent.turn.actor, sent.turn.intent, sent.turn.answers) == (Actor.USER, Intent.ANSWER, asked)
        assert sent.agent.stage is Stage.PROCESSING
        return sent

    async def finished(self) -> None:
        """It is done; where it shows all answers first, they are handed in."""
        async with asyncio.timeout(PATIENCE):
            with self.server.bus.subscribe() as news:
                while (agent := self.server.agents.get("it")).stage is not Stage.COMPLETE:
                    if agent.stage is Stage.AWAITING_INPUT and agent.question and agent.question.kind == "review":
                        await self.respond(Answer("select", option_label="Submit"))
                    else:
                        await anext(news)

    async def heard(self, *words: str) -> None:
        def said() -> str:
            return "\n".join(f"{turn.asked.result or ''}\n{turn.asked.newest}" for turn in self.running.model.turns())

        found = await asyncio.to_thread(self.running.model.wait, lambda: all(one in said() for one in words), PATIENCE)
        assert found, f"{words} in:\n{said()}\n{self.running.look().text}"

    def made(self, name: str) -> bool:
        return (self.running.work / name).exists()


@asynccontextmanager
async def served(running: LabAgent, state: Path) -> AsyncIterator[Served]:
    moves = moves_of(running.recipe.name, running.version, str(running.work))
    async with serve(Settings(), state, url="http://lab") as server:
        await server.agents.adopt(running.pane, name="it", socket_name=running.server.name)
        yield Served(running, server, moves)


async def permission(one: Served) -> None:
    asked = await one.command("make one", one.moves.make("one"))
    assert asked.question is not None
    assert asked.question.kind == "permission"
    stale = await one.server.agents.respond("it", Answer("select", option_index=0, fingerprint="0123456789abcdef"))
    assert (stale.result.error_type, stale.turn) == (Code.STALE_DIALOG, None)
    await one.respond(Answer("select", option_index=0))
    await one.finished()
    assert one.made("one")

    await one.command("make two", one.moves.make("two"))
    await one.respond(Answer("other", REASON))
    await one.heard(REASON)
    await one.finished()
    assert not one.made("two")


async def questions(one: Served) -> None:
    assert one.moves.ask is not None
    for answer, heard in (
        (Answer("select", option_index=1), "Green"),
        (Answer("text", "a dark teal"), "a dark teal"),
        (Answer("other", "ochre, almost"), "ochre, almost"),
    ):
        asked = await one.command("ask me", one.moves.ask(False))
        assert asked.question is not None
        assert (asked.question.question, asked.question.options[1].label) == (QUESTION, LABELS[1])
        await one.respond(answer)
        await one.heard(heard)
        await one.finished()
    if one.moves.several:
        asked = await one.command("ask for several", one.moves.ask(True))
        assert asked.question is not None
        assert asked.question.multi
        await one.respond(Answer("multi_select", answers=((0, "Blue"),)))
        await one.finished()
        await one.heard("Red", "Blue")


@pytest.mark.parametrize(("agent", "version"), AGENTS)
def test_a_real_dialog_is_answered_in_every_mode(
    agent: str, version: str, start_agent: StartAgent, tmp_path: Path
) -> None:
    running = start_agent(agent, version)

    async def play() -> None:
        async with served(running, tmp_path / "state") as one:
            await permission(one)
            if one.moves.to_ask:
                await one.server.agents.keys("it", *one.moves.to_ask)
            await questions(one)
            turns = (await one.server.store.turns("it", 500))[::-1]
            commands = await one.server.store.commands("it", 500)
            assert {command.ending for command in commands} <= {"done", "interrupted"}
            questions_asked = sum(turn.intent is Intent.QUESTION for turn in turns)
            answers = [turn for turn in turns if turn.intent is Intent.ANSWER]
            assert len(answers) == questions_asked == len({turn.answers for turn in answers})

    asyncio.run(play())
