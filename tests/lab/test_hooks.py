"""The hooks of real agents: installed as a user does, they tell of every prompt and of every end."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from paneward.adapters.hooks.settings import change
from paneward.app.server import Server, serve
from paneward.config import Settings
from paneward.core.agent.record import Actor, Intent, Stage, Turn
from paneward.core.hook_install import HOOKING
from paneward.core.result import Rung, Verdict
from tests.lab.agents import LabAgent
from tests.lab.conftest import StartAgent
from tests.lab.hooking import reviewed, settings_before, settings_name, with_hooks
from tests.lab.moves import moves_of
from tests.lab.recipes import pins
from tests.lab.replies import Reply

pytestmark = pytest.mark.real
AGENTS = [pytest.param(*pin, id="-".join(pin)) for pin in pins() if pin[0] in HOOKING]
PATIENCE = 180.0
OWN = {  # settings of a user with a hand of their own
    "claude": {".claude/settings.json": '{\n    "cleanupPeriodDays" : 30,\n\n    "hooks": { "Stop": [ ] }}'},
}


@dataclass(frozen=True, slots=True)
class Hooked:
    running: LabAgent
    server: Server

    async def confirmed(self, text: str, reply: str) -> None:
        """A text of ours: told of by its hook, one turn, and the answer in words."""
        self.running.model.script(Reply(reply))
        sent = await self.server.agents.send("it", text)
        assert sent.result.success, sent.result
        await self.until_said(Intent.COMPLETION, "" if self.running.recipe.name == "gemini" else reply)
        row = await self.server.store.delivery(sent.delivery_id or "")
        assert row is not None
        assert row.receipt is not None
        assert row.receipt.hook, row.receipt
        assert (row.receipt.verdict, row.receipt.rung) == (Verdict.CONFIRMED, Rung.ACTED)

    async def until_said(self, intent: Intent, text: str) -> None:
        async with asyncio.timeout(PATIENCE):
            with self.server.bus.subscribe() as news:
                while (intent, text) not in [(turn.intent, turn.text) for turn in await self.turns()]:
                    await anext(news)
                while self.server.agents.get("it").stage is not Stage.COMPLETE and intent is Intent.COMPLETION:
                    await anext(news)

    async def told(self) -> str:
        """All events, for who has to find out what went wrong."""
        events = await self.server.store.events(agent_id="it")
        return "\n".join(f"{event.at:.3f} {event.kind} {json.dumps(event.data)[:400]}" for event in events)

    async def turns(self) -> list[Turn]:
        return list(reversed(await self.server.store.turns("it", 500)))


def hooked(agent: str, version: str, start_agent: StartAgent, spool: Path) -> LabAgent:
    files = with_hooks(agent, spool, OWN.get(agent, {}))
    return reviewed(start_agent(agent, version, files=files, wait=False))


@pytest.mark.parametrize(("agent", "version"), AGENTS)
def test_each_prompt_arrives_exactly_and_confirms_its_delivery(
    agent: str, version: str, start_agent: StartAgent, tmp_path: Path
) -> None:
    running = hooked(agent, version, start_agent, tmp_path / "state" / "spool")

    async def play() -> None:
        async with serve(Settings(), tmp_path / "state", url="http://lab") as server:
            await server.agents.adopt(running.pane, name="it", socket_name=running.server.name)
            one = Hooked(running, server)
            await one.confirmed("Count the words of this line", "There are six.")
            await one.confirmed("a line,\nand another: 'quoted' \"text\" ~ ünïcödé 🚀", "Two lines.")
            running.model.script(Reply("Hello, human."))
            await asyncio.to_thread(running.say, "typed by a human, by hand")
            await one.until_said(Intent.COMMAND, "typed by a human, by hand")
            await one.until_said(Intent.COMPLETION, "" if agent == "gemini" else "Hello, human.")
            said = [(turn.actor, turn.text) for turn in await server.store.turns("it", 500)][::-1]
            wanted = [text for actor, text in said if actor is Actor.USER]
            assert wanted == [
                "Count the words of this line",
                "a line,\nand another: 'quoted' \"text\" ~ ünïcödé 🚀",
                "typed by a human, by hand",
            ]
            assert len(await server.store.commands("it", 500)) == 3, await one.told()
            assert server.listening.counts["malformed"] == 0, server.listening.counts

    asyncio.run(play())
    restored(agent, running, tmp_path / "state" / "spool")


def restored(agent: str, running: LabAgent, spool: Path) -> None:
    """After the agent ran with them, the hooks go and leave the settings byte for byte as they were."""
    path, before = running.home / settings_name(agent), settings_before(agent, OWN.get(agent, {}))
    change(agent, spool, False, env={"HOME": str(running.home)})
    if before is None:
        assert not path.exists()
        return
    for name, value in (("home", running.home), ("work", running.work), ("port", running.model.port)):
        before = before.replace(f"{{{name}}}", str(value))
    left = path.read_text()
    match agent:
        case "codex":  # it adds tables of its own, with hooks or without
            assert left.startswith(before)
            assert "hooks" not in left
        case "gemini":  # it writes its settings anew when it starts, with hooks or without
            assert "paneward" not in left
            assert json.loads(left)["security"] == json.loads(before)["security"]
        case _:
            assert left == before


@pytest.mark.parametrize(("agent", "version"), AGENTS)
def test_a_permission_and_its_answer_with_hooks_on(
    agent: str, version: str, start_agent: StartAgent, tmp_path: Path
) -> None:
    """The dialog is one question, its answer one turn, and the end has its words."""
    running = hooked(agent, version, start_agent, tmp_path / "state" / "spool")
    moves = moves_of(agent, version, str(running.work))

    async def play() -> None:
        async with serve(Settings(), tmp_path / "state", url="http://lab") as server:
            await server.agents.adopt(running.pane, name="it", socket_name=running.server.name)
            one = Hooked(running, server)
            running.model.script(moves.make("one"), Reply("Made it."))
            sent = await server.agents.send("it", "make one")
            assert sent.result.success, sent.result
            async with asyncio.timeout(PATIENCE):
                with server.bus.subscribe() as news:
                    while server.agents.get("it").stage is not Stage.AWAITING_INPUT:
                        await anext(news)
            await asyncio.to_thread(running.wait_screen, moves.permission.seen)
            await asyncio.to_thread(running.keys, *moves.approve)
            await one.until_said(Intent.COMPLETION, "" if agent == "gemini" else "Made it.")
            spoken = [turn.intent for turn in await one.turns()]
            told = json.dumps([str(turn) for turn in await one.turns()], indent=1)
            assert spoken == [Intent.COMMAND, Intent.QUESTION, Intent.ANSWER, Intent.COMPLETION], told
            assert (running.work / "one").exists()

    asyncio.run(play())
