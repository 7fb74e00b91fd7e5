"""What real agents use, as their own transcripts tell it: as many tokens as their model said."""

import asyncio
from pathlib import Path

import pytest

from paneward.app.server import Server, serve
from paneward.config import Settings, UsageSettings
from paneward.core.usage import Usage
from tests.lab.agents import LabAgent
from tests.lab.conftest import StartAgent
from tests.lab.hooking import reviewed, with_hooks
from tests.lab.recipes import pins
from tests.lab.replies import Reply

pytestmark = pytest.mark.real
AGENTS = [pytest.param(*pin, id="-".join(pin)) for pin in pins() if pin[0] != "aider"]
PATIENCE = 180.0
SETTINGS = Settings(usage=UsageSettings(budget_tokens=5000, prices=("* 1000 2000 100",), windows=("*-2.5-* 10000",)))


async def used(server: Server, running: LabAgent, reply: Reply, tokens: tuple[int, int, int]) -> Usage:
    """One turn, until it is told what was used."""
    running.model.script(reply)
    with server.bus.subscribe() as news:
        sent = await server.agents.send("it", f"tell me {reply.text}")
        assert sent.result.success, sent.result
        usage = server.agents.get("it").usage
        async with asyncio.timeout(PATIENCE):
            while usage is None or (usage.tokens_in, usage.tokens_out, usage.tokens_cached) != tokens:
                await anext(news)
                usage = server.agents.get("it").usage
        return usage


async def nudges(server: Server) -> list[str]:
    events = await server.store.events(agent_id="it")
    return [event.data["nudge_summary"] for event in events if event.data.get("nudge_source") == "budget"]


async def two_turns(running: LabAgent, state: Path) -> None:
    """With a restart of the server between them, and a budget that the second one crosses."""
    async with serve(SETTINGS, state, url="http://lab") as server:
        await server.agents.adopt(running.pane, name="it", socket_name=running.server.name)
        reply = Reply("one thing", tokens_in=1000, tokens_out=50, tokens_cached=200)
        usage = await used(server, running, reply, (800, 50, 200))
        assert usage.context_used == 1050
        assert usage.cost == pytest.approx(0.8 + 0.1 + 0.02)
        assert await nudges(server) == []
    async with serve(SETTINGS, state, url="http://lab") as server:
        reply = Reply("another thing", tokens_in=6000, tokens_out=60, tokens_cached=1000)
        usage = await used(server, running, reply, (5800, 110, 1200))
        assert usage.context_used == 6060
        match running.recipe.name:
            case "codex":
                assert (usage.model, usage.context_window, usage.context_left) == ("lab-model", 258400, 97)
            case "opencode":
                assert (usage.model, usage.context_window, usage.context_left) == ("lab-model", 200000, 96)
            case "gemini":
                assert (usage.model, usage.context_left) == ("gemini-2.5-flash", 39)
            case _:
                assert usage.context_window is None
        assert await nudges(server) == ["used 5.9k tokens of a budget of 5k"]
        assert usage.source == ("api" if running.recipe.name == "opencode" else "transcript")


@pytest.mark.parametrize(("agent", "version"), AGENTS)
def test_it_has_used_what_its_model_told(agent: str, version: str, start_agent: StartAgent, tmp_path: Path) -> None:
    asyncio.run(two_turns(start_agent(agent, version), tmp_path / "state"))


def test_aider_has_used_what_it_prints(start_agent: StartAgent, tmp_path: Path) -> None:
    """It counts by itself."""
    running = start_agent("aider", next(version for kind, version in pins() if kind == "aider"))

    async def play() -> None:
        async with serve(Settings(), tmp_path / "state", url="http://lab") as server:
            await server.agents.adopt(running.pane, name="it", socket_name=running.server.name)
            running.model.script(Reply("one thing"))
            await server.agents.send("it", "tell me one thing")
            shown = await asyncio.to_thread(running.wait_screen, r"Tokens: \d+ sent, \d+ received\.")
            with server.bus.subscribe() as news:
                async with asyncio.timeout(PATIENCE):
                    while (usage := server.agents.get("it").usage) is None:
                        await anext(news)
            assert f"Tokens: {usage.tokens_in} sent, {usage.tokens_out} received." in shown.text
            assert usage.model == "openai/lab-model"

    asyncio.run(play())


@pytest.mark.parametrize("agent", ["claude"])
def test_its_hooks_tell_where_its_transcript_is(agent: str, start_agent: StartAgent, tmp_path: Path) -> None:
    """Where nothing else does: the file by which a process names its conversation cannot be written."""
    version = next(version for kind, version in pins() if kind == agent)
    files = with_hooks(agent, tmp_path / "state" / "spool", {".claude/sessions": "no directory"})
    running = reviewed(start_agent(agent, version, files=files, wait=False))
    asyncio.run(two_turns(running, tmp_path / "state"))
