"""The turns that real agents are led through, each by a script that says at every moment what is true."""

import asyncio
import re
import time
from asyncio import Event
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import paneward
from paneward.adapters.clock import SystemClock
from paneward.adapters.hooks.spool import Spool
from paneward.app import Connection
from paneward.core.state.claims import AgentState, Standing
from paneward.core.state.hooks import Heard, read_spooled
from paneward.services.agents.follower import Follower
from prove.truth import Record
from tests.lab.agents import LabAgent, NotSeen
from tests.lab.moves import Dialog, Moves, moves_of
from tests.lab.replies import Hold, Reply

STAYS = 0.7  # seconds for which each state is held, at least
SHOWN = 60.0  # seconds for an agent to do something, on a loaded machine
LINGERS = 500  # looks, 10 ms apart, in which a dialog that was answered may still be shown
RUNS = "touch started; until [ -e go ]; do sleep 0.1; done; rm go"
BROKEN_OFF = {
    "claude": r"Interrupted · What should Claude do instead",
    "codex": r"Conversation interrupted",
    "opencode": r"· interrupted",
    "gemini": r"Request cancelled",
    "aider": r"\^C again to exit",
}
IDLE, BUSY = AgentState.IDLE, AgentState.BUSY
PERMISSION, QUESTION = AgentState.AWAITING_PERMISSION, AgentState.AWAITING_QUESTION


@dataclass(slots=True)
class Stage:
    """A running agent, followed by Paneward and watched by words."""

    lab: LabAgent
    moves: Moves
    tmux: Connection
    follower: Follower
    printed: list[float]
    said: list[tuple[float, Standing]]
    record: Record = field(default_factory=Record)
    deaf: Event = field(default_factory=Event)  # hooks are lost from here on
    loses: bool = False  # once the model works on a turn, its hooks are lost

    async def seen(self, pattern: str) -> None:
        """Until the words are on the screen: looked at after every output event."""
        until, count = time.monotonic() + SHOWN, len(self.printed)
        while not re.search(pattern, await self.text()):
            if time.monotonic() > until:
                raise NotSeen(f"{pattern!r} is not shown:\n{await self.text()}")
            await self.until(lambda: len(self.printed) > count, f"{pattern!r} is not shown")  # noqa: B023
            count = len(self.printed)

    async def gone(self, pattern: str) -> None:
        """Until the words of a dialog are no longer shown. An agent can be late with that on a loaded machine, and then
        the dialog is still there for whoever looks; but not for ever."""
        for _ in range(LINGERS):
            if not re.search(pattern, await self.text()):
                return
            await asyncio.sleep(0.01)

    async def text(self) -> str:
        return await self.tmux.capture(self.lab.pane)

    async def until(self, condition: Callable[[], object], what: str) -> None:
        until = time.monotonic() + SHOWN
        while not condition():
            if time.monotonic() > until:
                raise NotSeen(f"{what}:\n{await self.text()}")
            await asyncio.sleep(0.01)

    async def keys(self, *names: str) -> None:
        await asyncio.to_thread(self.lab.keys, *names)

    async def say(self, text: str) -> None:
        """Paste, see it, Enter: until the model has it, it may work or not yet."""
        model = self.lab.model
        self.deaf.clear()
        self.record.true("a draft", IDLE)
        await asyncio.to_thread(self.lab.paste, text)
        await self.seen(re.escape(text))
        await asyncio.sleep(STAYS)
        count = len(model.prompts())
        self.record.true("submitted", IDLE, BUSY)
        await self.keys("Enter")
        await self.until(lambda: len(model.prompts()) > count, "the text did not arrive")
        self.record.true("the model has it", BUSY)
        if self.loses:
            self.deaf.set()

    async def held(self) -> None:
        await self.until(lambda: self.lab.model.holding, "no reply is held")
        await asyncio.sleep(STAYS)

    async def finish(self, words: str) -> None:
        """Let the rest of the answer go; it is done when its last words are there."""
        self.record.true("the answer goes on", BUSY, IDLE)
        self.lab.model.release()
        await self.seen(words)
        await self.over(words)
        self.record.true("it has ended", IDLE)
        await asyncio.sleep(2 * STAYS)

    async def over(self, words: str) -> None:
        """Some agents go on for a moment after their last words: Claude and Codex then call a program of ours, Codex
        runs its own hooks after that and writes for how long it worked, aider counts and draws its prompt."""
        match self.lab.recipe.name:
            case "claude" | "codex":
                log = self.lab.home / "notified"
                await self.until(log.exists, "no notice of the end of the turn")
                log.unlink()
                if self.lab.recipe.name == "codex":
                    await self.seen(rf"(?s){words}.*Worked for \d")
            case "aider":
                await self.seen(r"\n> *\s*\Z")

    async def asked(self, dialog: Dialog, state: AgentState) -> None:
        self.record.true("the call goes out", BUSY, state)
        self.lab.model.release()
        await self.seen(dialog.seen)
        self.record.true("the dialog is shown", state)
        await asyncio.sleep(2 * STAYS)


def answer(number: int) -> Reply:
    text = f"Here is one half of the answer, and here the other one, fin{number}x"
    return Reply(text, hold=Hold.WITHIN, before=STAYS)


async def answered(stage: Stage, number: int) -> str:
    stage.lab.model.script(answer(number))
    await stage.say(f"say something {number}")
    await stage.held()
    await stage.finish(f"fin{number}x")
    return "done"


async def interrupted(stage: Stage, number: int) -> str:
    stage.lab.model.script(answer(number))
    await stage.say(f"say too much {number}")
    await stage.held()
    stage.record.true("interrupt pressed", BUSY, IDLE)
    for key in stage.moves.interrupt:
        await stage.keys(key)
        await asyncio.sleep(0.2)
    await stage.seen(rf"(?s)too much {number}\b.*{BROKEN_OFF[stage.lab.recipe.name]}")
    stage.record.true("it says that it was interrupted", IDLE)
    await asyncio.sleep(2 * STAYS)
    stage.lab.model.release()
    return "interrupted"


async def permitted(stage: Stage, number: int) -> str:
    if not stage.moves.runs:
        return await created(stage, number)
    work = stage.lab.work
    stage.lab.model.script(replace(stage.moves.run(RUNS), hold=Hold.BEFORE), answer(number))
    await stage.say(f"run something {number}")
    await stage.held()
    await stage.asked(stage.moves.permission, PERMISSION)
    stage.record.true("approved", PERMISSION, BUSY)
    await stage.keys(*stage.moves.approve)
    await stage.until((work / "started").exists, "the tool did not start")
    await stage.gone(stage.moves.permission.seen)
    stage.record.true("the tool runs", BUSY)
    await asyncio.sleep(2 * STAYS)
    (work / "started").unlink()
    (work / "go").touch()
    await stage.held()
    await stage.finish(f"fin{number}x")
    return "done"


async def created(stage: Stage, number: int) -> str:
    """aider runs nothing: it asks whether it may create a file."""
    name = f"new{number}.txt"
    stage.lab.model.script(Reply(f"{name}\n```\nhello\n```\n", hold=Hold.BEFORE))
    await stage.say(f"create something {number}")
    await stage.held()
    await stage.asked(stage.moves.permission, PERMISSION)
    stage.record.true("approved", PERMISSION, BUSY, IDLE)
    await stage.keys(*stage.moves.approve)
    await stage.until((stage.lab.work / name).exists, "no file was created")
    await stage.seen(rf"(?s){name}.*\n> *\s*\Z")
    stage.record.true("its prompt is there", IDLE)
    await asyncio.sleep(2 * STAYS)
    return "done"


async def questioned(stage: Stage, number: int) -> str:
    assert stage.moves.ask is not None
    assert stage.moves.question is not None
    stage.lab.model.script(replace(stage.moves.ask(False), hold=Hold.BEFORE), answer(number))
    await stage.say(f"ask something {number}")
    await stage.held()
    await stage.asked(stage.moves.question, QUESTION)
    turns = len(stage.lab.model.turns())
    stage.record.true("answered", QUESTION, BUSY)
    await stage.keys("Enter")
    await stage.until(lambda: len(stage.lab.model.turns()) > turns, "the answer did not arrive")
    await stage.gone(stage.moves.question.seen)
    stage.record.true("the model has the answer", BUSY)
    await stage.held()
    await stage.finish(f"fin{number}x")
    return "done"


Turn = Callable[[Stage, int], Awaitable[str]]


def kinds(moves: Moves) -> list[Turn]:
    """The kinds of turns, one after the other; who never asks is given the others."""
    return [answered, permitted, interrupted, questioned] if moves.ask else [answered, permitted, interrupted]


async def follow(follower: Follower, said: list[tuple[float, Standing]], spool: Spool | None, deaf: Event) -> None:
    """What is said of the agent, with what its hooks tell, unless they are lost."""
    clock, woken, heard = SystemClock(), Event(), deque[Heard]()

    async def listen() -> None:
        assert spool is not None
        async for found in spool.run({}):
            for one in found:
                spool.taken(one)
                heard.append(read_spooled(one.data, one.at))
            woken.set()

    hearing = asyncio.create_task(listen()) if spool is not None else None
    try:
        await follower.once()
        while not follower.over:
            woken.clear()
            while heard:
                one = heard.popleft()
                if not deaf.is_set():
                    follower.tell(one, max(clock.wall() - one.at, 0.0))
            if not said or said[-1][1] != follower.standing:
                said.append((time.monotonic(), follower.take()))
            both = [asyncio.create_task(follower.step()), asyncio.create_task(woken.wait())]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            for task in both:
                task.cancel()
            await asyncio.wait(both)
    finally:
        if hearing is not None:
            hearing.cancel()


@asynccontextmanager
async def staged(lab: LabAgent, directory: Path, spool: Path | None = None) -> AsyncIterator[Stage]:
    """Paneward follows the agent; beside it somebody only counts what is printed. In `spool` lie its hooks."""
    async with (
        paneward.connect(lab.server.name, state=directory / "state") as tmux,
        tmux.follow(lab.pane) as follower,
        tmux.watch(lab.pane) as watch,
        asyncio.TaskGroup() as tasks,
    ):
        printed: list[float] = []
        said: list[tuple[float, Standing]] = []

        async def listen() -> None:
            async for _ in watch.chunks():
                printed.append(time.monotonic())

        place, deaf = None if spool is None else Spool(spool.parent, SystemClock()), Event()
        running = [tasks.create_task(listen()), tasks.create_task(follow(follower, said, place, deaf))]
        moves = moves_of(lab.recipe.name, lab.version, str(lab.work))
        stage = Stage(lab, moves, tmux, follower, printed, said, deaf=deaf)
        try:
            for key in moves.to_ask:
                await stage.keys(key)
            await stage.until(lambda: said and said[-1][1].state is IDLE, "never idle")
            await asyncio.sleep(1.0)
            yield stage
        finally:
            for task in running:
                task.cancel()
