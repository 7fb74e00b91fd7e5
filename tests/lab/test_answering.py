"""Every kind of dialog of every real agent is answered, and the model tells what came of it.

One agent plays all its dialogs in a row. At each of them a text is sent first, which must be refused and leave the
dialog as it was.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from paneward import connect
from paneward.app import Connection
from paneward.core.errors import Code
from paneward.core.result import Menu, ReadyVerdict, SendResult
from tests.lab.agents import LabAgent
from tests.lab.conftest import StartAgent
from tests.lab.moves import LABELS, QUESTION, STARTUPS, Moves, moves_of, plan_of, steps_of
from tests.lab.recipes import pins
from tests.lab.replies import Reply

pytestmark = pytest.mark.real
AGENTS = [pytest.param(agent, version, id=f"{agent}-{version}") for agent, version in pins()]
REASON = "Use a spade, not a hammer"
PATIENCE = 180.0


@dataclass(frozen=True, slots=True)
class Stage:
    """A running agent, and Paneward beside it."""

    agent: LabAgent
    tmux: Connection
    moves: Moves

    async def say(self, text: str, *replies: Reply) -> None:
        """Say something to an agent that waits; the model answers by script."""
        self.agent.model.script(*replies)
        count = len(self.agent.model.prompts())
        await asyncio.to_thread(self.agent.say, text)
        await asyncio.to_thread(self.agent.arrived, count + 1, PATIENCE)

    async def dialog(self, kind: str) -> Menu:
        """The dialog that opens, which refuses a text and stays as it is."""
        menu = await self._opened()
        assert menu.kind == kind, menu
        refused = await self.tmux.send_text(self.agent.pane, "please stop, y, 1")
        assert refused.error_type is Code.BLOCKED_BY_DIALOG, refused
        assert await self.tmux.menu(self.agent.pane) == menu
        return menu

    async def _opened(self) -> Menu:
        until = asyncio.get_running_loop().time() + PATIENCE
        while asyncio.get_running_loop().time() < until:
            ready = await self.tmux.wait_ready(self.agent.pane, timeout=PATIENCE)
            menu = await self.tmux.menu(self.agent.pane)
            if menu is not None and ready.verdict is ReadyVerdict.AWAITING_ANSWER:
                return menu
        raise AssertionError(f"no dialog opened:\n{self.agent.look().text}")

    async def answer(self, **how: Any) -> SendResult:
        done = await self.tmux.answer(self.agent.pane, timeout=PATIENCE, **how)
        assert done.success, f"{done}\n{self.agent.look().text}"
        return done

    async def idle(self) -> None:
        """It takes input again. The dialog that was answered may stand for a moment: OpenCode takes it away late."""
        until = time.monotonic() + PATIENCE
        ready = await self.tmux.wait_ready(self.agent.pane, timeout=PATIENCE)
        while ready.verdict is ReadyVerdict.AWAITING_ANSWER and time.monotonic() < until:
            await asyncio.sleep(0.05)
            ready = await self.tmux.wait_ready(self.agent.pane, timeout=PATIENCE)
        assert ready.verdict is ReadyVerdict.READY, ready

    async def heard(self, *words: str, since: int) -> str:
        """What a tool or a person said to the model after its first `since` requests, once it holds the words."""

        def said() -> str:
            turns = self.agent.model.turns()[since:]
            return "\n".join(f"{turn.asked.result or ''}\n{turn.asked.newest}" for turn in turns)

        wait = self.agent.model.wait
        found = await asyncio.to_thread(wait, lambda: all(word in said() for word in words), PATIENCE)
        assert found, f"{words} in:\n{said()}\n{self.agent.look().text}"
        return said()

    async def next_mode(self) -> None:
        before = self.agent.look().text
        await self.tmux.send_keys(self.agent.pane, "BTab")
        await asyncio.to_thread(self.agent.model.wait, lambda: self.agent.look().text != before, 5.0)

    @property
    def turns(self) -> int:
        return len(self.agent.model.turns())

    def made(self, name: str) -> bool:
        return (self.agent.work / name).exists()

    async def makes(self, name: str) -> None:
        """What was allowed is done."""
        found = await asyncio.to_thread(self.agent.model.wait, lambda: self.made(name), PATIENCE)
        assert found, f"{name} was never made:\n{self.agent.look().text}"
        await self.idle()


@asynccontextmanager
async def staged(running: LabAgent, state: Path) -> AsyncIterator[Stage]:
    moves = moves_of(running.recipe.name, running.version, str(running.work))
    async with connect(socket_name=running.server.name, state=state) as tmux:
        yield Stage(running, tmux, moves)


# --- permission


async def permission(stage: Stage) -> None:
    """Refused, refused with a reason, allowed, allowed with words, allowed for good."""
    moves = stage.moves
    await stage.say("make one", moves.make("one"))
    menu = await stage.dialog("permission")
    stale = await stage.tmux.answer(stage.agent.pane, select=1, fingerprint="0123456789abcdef")
    assert stale.error_type is Code.STALE_DIALOG
    unknown = await stage.tmux.answer(stage.agent.pane, select="perhaps")
    assert unknown.error_type is Code.UNKNOWN_OPTION
    assert await stage.tmux.menu(stage.agent.pane) == menu
    await stage.answer(select=moves.no, fingerprint=menu.fingerprint)
    await stage.idle()
    assert not stage.made("one")

    await stage.say("make two", moves.make("two"))
    await stage.dialog("permission")
    since = stage.turns
    await stage.answer(other=REASON)
    await stage.heard(REASON, since=since)
    await stage.idle()
    assert not stage.made("two")

    await stage.say("make three", moves.make("three"))
    menu = await stage.dialog("permission")
    assert menu.free_text is not None
    await stage.answer(select=moves.yes)
    await stage.makes("three")

    if moves.amends:
        await stage.say("make four", moves.make("four"))
        await stage.dialog("permission")
        since = stage.turns
        await stage.answer(select=moves.yes, other=REASON)
        await stage.heard(REASON, since=since)
        await stage.makes("four")

    if moves.always:
        await stage.say("make five", moves.make("five"))
        await stage.dialog("permission")
        done = await stage.answer(select=moves.always)
        if "the next one asks" in done.evidence:
            await stage.dialog("permission")
            await stage.answer(select=1)
        await stage.makes("five")
    assert not stage.made("one")
    assert not stage.made("two")


# --- questions


async def questions(stage: Stage) -> None:
    """One answer by label and one by words; several; a question in steps."""
    ask = stage.moves.ask
    assert ask is not None
    for given, heard in (({"select": "green"}, "Green"), ({"other": "a dark teal"}, "a dark teal")):
        await stage.say("ask me", ask(False))
        menu = await stage.dialog("question")
        assert (menu.question, [option.label for option in menu.options][:2]) == (QUESTION, list(LABELS[:2]))
        since = stage.turns
        await stage.answer(**given)
        said = await stage.heard(heard, since=since)
        assert "Red" not in said
        await stage.idle()
    if stage.moves.several:
        await several(stage, ["Red", "Blue"], multi=["Red", "Blue"])
        await several(stage, ["Green", "teal"], multi=[2], other="teal")
    await in_steps(stage)


async def several(stage: Stage, heard: list[str], **given: Any) -> None:
    assert stage.moves.ask is not None
    await stage.say("ask for several", stage.moves.ask(True))
    assert (await stage.dialog("question")).multi
    since = stage.turns
    await stage.answer(**given)
    await review(stage)
    said = await stage.heard(*heard, since=since)
    assert sum(label in said for label in LABELS) == sum(label in LABELS for label in heard)
    await stage.idle()


async def review(stage: Stage) -> None:
    """Some agents show all answers before they hand them in."""
    menu = await stage.tmux.menu(stage.agent.pane)
    if menu is not None:
        assert (await stage.dialog("review")).options[0].label.startswith("Submit")
        await stage.answer(select="submit")


async def in_steps(stage: Stage) -> None:
    steps = steps_of(stage.agent.recipe.name)
    await stage.say("ask me twice", steps)
    first = await stage.dialog("question")
    since = stage.turns
    done = await stage.answer(select="Red", fingerprint=first.fingerprint)
    assert "Which fruit?" in done.evidence
    second = await stage.dialog("question")
    assert (second.question, second.fingerprint != first.fingerprint) == ("Which fruit?", True)
    late = await stage.tmux.answer(stage.agent.pane, select=1, fingerprint=first.fingerprint)
    assert late.error_type is Code.STALE_DIALOG
    await stage.answer(other="quince")
    await review(stage)
    await stage.heard("Red", "quince", since=since)
    await stage.idle()


async def plan(stage: Stage) -> None:
    """A plan is sent back with words, and approved by label."""
    moves = stage.moves
    while not re.search(moves.plans, stage.agent.look().text):
        await stage.next_mode()
    await stage.say("hello")
    await stage.idle()
    for given in ({"other": REASON}, {"select": moves.approves_plan}):
        await stage.say("plan it", *plan_of(stage.agent))
        await stage.dialog("plan")
        since = stage.turns
        await stage.answer(**given)
        await stage.heard(REASON if "other" in given else moves.plan_approved, since=since)
        await stage.idle()


@pytest.mark.parametrize(("agent", "version"), AGENTS)
def test_every_dialog_is_answered_by_label_and_by_words(
    agent: str, version: str, start_agent: StartAgent, tmp_path: Path
) -> None:
    running = start_agent(agent, version)

    async def play() -> None:
        async with staged(running, tmp_path / "state") as stage:
            await permission(stage)
            if stage.moves.to_ask:
                await stage.tmux.send_keys(running.pane, *stage.moves.to_ask)
            if stage.moves.ask:
                await questions(stage)
            if stage.moves.approves_plan:
                await plan(stage)

    asyncio.run(play())


@pytest.mark.parametrize(
    ("agent", "version", "case"),
    [
        pytest.param(agent, version, row, id=f"{agent}-{version}-{row.case}")
        for agent, version in pins()
        for row in STARTUPS
        if row.agent == agent and row.version in ("", version) and row.proceed
    ],
)
def test_a_dialog_of_the_start_is_answered_only_when_that_is_asked_for(
    agent: str, version: str, case: Any, start_agent: StartAgent, tmp_path: Path
) -> None:
    running = start_agent(agent, version, files=case.files, environment=case.environment, wait=False)

    async def play() -> None:
        async with staged(running, tmp_path / "state") as stage:
            menu = await stage.dialog(case.case)
            assert menu.startup
            refused = await stage.tmux.answer(running.pane, select=1)
            assert (refused.error_type, case.case in refused.evidence) == (Code.BLOCKED_BY_DIALOG, True)
            assert await stage.tmux.menu(running.pane) == menu
            await stage.answer(select=case.proceed, startup=True)
            await asyncio.to_thread(running.wait_composer)

    asyncio.run(play())
