"""The state of real agents, held to what is true: `python -m prove.states`, resumable, one JSON line per turn.

Every turn is played by a script that knows what must be the case: the model holds its answer until it is let go, so
that the agent works until then; a tool says itself when it runs; what is asked or answered can be read on the screen,
by words that stand in tests/lab, never by Paneward's own reader. Between a cause and the words that show its effect,
the state before and the one after are both right. From the first output event after the effect only the new one is.

The state is sampled every 50 ms; how long a wrong one stood is told exactly, by the times of all changes.
"""

import argparse
import asyncio
import re
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import paneward
from paneward.app import Connection
from paneward.core.state import AgentState, Standing
from paneward.services.follow import Follower
from prove.ledger import RESULTS, Ledger, Line, Outcome, fingerprint
from tests.lab.agents import LabAgent, NotSeen, installed, start
from tests.lab.moves import Dialog, Moves, moves_of
from tests.lab.recipes import pins
from tests.lab.replies import Hold, Reply

SAMPLE = 0.05
STAYS = 0.7  # seconds for which each state is held, at least
SILENCE = 0.3  # seconds without output after which a wrong state is one too long
FURTHER = 2  # output events for which a state may be wrong
SHOWN = 60.0  # seconds for an agent to do something, on a loaded machine
RIGHT = 0.995  # of the samples
DEPENDS_ON = ("src/paneward", "tests/lab", "prove")
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


@dataclass(frozen=True, slots=True)
class Era:
    """From a moment on these states are right; `strict`: from the first output event after it."""

    at: float
    states: frozenset[AgentState]
    why: str
    strict: bool = False


@dataclass(slots=True)
class Record:
    """What happened in one turn: what was true, what was said, when something was printed."""

    eras: list[Era] = field(default_factory=list)
    said: list[tuple[float, Standing]] = field(default_factory=list)
    samples: list[tuple[float, AgentState]] = field(default_factory=list)
    printed: list[float] = field(default_factory=list)

    def true(self, why: str, *states: AgentState) -> None:
        """One of these from now on; a single one from the next output event on."""
        self.eras.append(Era(time.monotonic(), frozenset(states), why, strict=len(states) == 1))


@dataclass(frozen=True, slots=True)
class Wrong:
    start: float
    end: float
    state: str
    why: str
    events: int  # printed within
    silence: float  # the longest, within


def judge(record: Record) -> tuple[int, list[Wrong], list[str]]:
    """How many samples are right, the stretches that are wrong, and changes that nothing had asked for."""
    spans = _spans(record)
    right = sum(_allowed(spans, at, state) for at, state in record.samples)
    wrong = []
    for at, end, state in _stretches(record):
        for start, stop, era in spans:
            if state not in era.states and min(stop, end) > max(start, at):
                wrong.append(_wrong(record, max(start, at), min(stop, end), state, era.why))
    return right, wrong, _reversals(record, spans)


Span = tuple[float, float, Era]


def _spans(record: Record) -> list[Span]:
    """The eras with their ends. A strict one begins with the next output event; until then the one before holds too."""
    found: list[Span] = []
    ends = [era.at for era in record.eras[1:]] + [float("inf")]
    before: frozenset[AgentState] = frozenset()
    for era, end in zip(record.eras, ends, strict=True):
        printed = next((at for at in record.printed if at > era.at), float("inf"))
        begin = min(printed, era.at + SILENCE, end) if era.strict and before else era.at
        if begin > era.at:
            found.append((era.at, begin, replace(era, states=before | era.states)))
        if end > begin:
            found.append((begin, end, era))
        before = era.states
    return found


def _allowed(spans: list[Span], at: float, state: AgentState) -> bool:
    return all(state in era.states for start, end, era in spans if start <= at < end)


def _stretches(record: Record) -> list[tuple[float, float, AgentState]]:
    times = [at for at, _ in record.said[1:]] + [record.samples[-1][0]]
    return [(at, end, said.state) for (at, said), end in zip(record.said, times, strict=True)]


def _wrong(record: Record, start: float, end: float, state: str, why: str) -> Wrong:
    within = [at for at in record.printed if start < at < end]
    edges = [start, *within, end]
    silence = max(late - early for early, late in zip(edges, edges[1:], strict=False))
    return Wrong(start, end, state, why, len(within), silence)


def _reversals(record: Record, spans: list[Span]) -> list[str]:
    """Within one era, to leave a state and come back to it."""
    found = []
    for start, end, era in spans:
        states = [state for at, until, state in _stretches(record) if at < end and until > start]
        runs = [state for at, state in enumerate(states) if at == 0 or state is not states[at - 1]]
        found += [f"{era.why}: {' > '.join(runs)}"] if len(runs) != len(set(runs)) else []
    return found


# --- playing


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

    async def seen(self, pattern: str, gone: bool = False) -> None:
        """Until the words are on the screen: looked at after every output event."""
        until = time.monotonic() + SHOWN
        while time.monotonic() < until:
            count = len(self.printed)
            text = await self.text()
            if bool(re.search(pattern, text)) is not gone:
                return
            while len(self.printed) == count and time.monotonic() < until:
                await asyncio.sleep(0.005)
        raise NotSeen(f"{pattern!r} {'stayed' if gone else 'never seen'}:\n{await self.text()}")

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
        self.record.true("a draft", IDLE)
        await asyncio.to_thread(self.lab.paste, text)
        await self.seen(re.escape(text))
        await asyncio.sleep(STAYS)
        count = len(model.prompts())
        self.record.true("submitted", IDLE, BUSY)
        await self.keys("Enter")
        await self.until(lambda: len(model.prompts()) > count, "the text did not arrive")
        self.record.true("the model has it", BUSY)

    async def held(self) -> None:
        await self.until(lambda: self.lab.model.holding, "no reply is held")
        await asyncio.sleep(STAYS)

    async def finish(self, words: str) -> None:
        """Let the rest of the answer go; it is done when its last words are there."""
        self.record.true("the answer goes on", BUSY, IDLE)
        self.lab.model.release()
        await self.seen(words)
        self.record.true("its last words are shown", IDLE)
        await asyncio.sleep(2 * STAYS)

    async def asked(self, dialog: Dialog, state: AgentState) -> None:
        self.record.true("the call goes out", BUSY, state)
        self.lab.model.release()
        await self.seen(dialog.seen)
        self.record.true("the dialog is shown", state)
        await asyncio.sleep(2 * STAYS)


def answer(number: int) -> Reply:
    return Reply(f"Here is one half of the answer, and here the other one, fin{number}x", hold=Hold.WITHIN, before=STAYS)


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
    before = len(re.findall(BROKEN_OFF[stage.lab.recipe.name], await stage.text()))
    for key in stage.moves.interrupt:
        await stage.keys(key)
        await asyncio.sleep(0.2)
    await stage.seen(BROKEN_OFF[stage.lab.recipe.name] if not before else rf"(?s)too much {number}.*{BROKEN_OFF[stage.lab.recipe.name]}")
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
    stage.record.true("the model has the answer", BUSY)
    await stage.held()
    await stage.finish(f"fin{number}x")
    return "done"


Turn = Callable[[Stage, int], Awaitable[str]]


def kinds(moves: Moves) -> list[Turn]:
    """The kinds of turns, one after the other; who never asks is given the others."""
    return [answered, permitted, interrupted, questioned] if moves.ask else [answered, permitted, interrupted]


@asynccontextmanager
async def staged(lab: LabAgent, directory: Path) -> AsyncIterator[Stage]:
    """Paneward follows the agent; beside it somebody only counts what is printed."""
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

        async def hear() -> None:
            async for standing in follower:
                said.append((time.monotonic(), standing))

        running = [tasks.create_task(listen()), tasks.create_task(hear())]
        moves = moves_of(lab.recipe.name, lab.version, str(lab.work))
        stage = Stage(lab, moves, tmux, follower, printed, said)
        try:
            for key in moves.to_ask:
                await stage.keys(key)
            await stage.until(lambda: said and said[-1][1].state is IDLE, "never idle")
            await asyncio.sleep(1.0)
            yield stage
        finally:
            for task in running:
                task.cancel()


async def play(stage: Stage, turn: Turn, number: int) -> Outcome:
    """One turn, sampled and judged."""
    stage.record = record = Record()
    first = len(stage.said) - 1
    record.true("before the turn", IDLE)
    sampler = asyncio.create_task(_sample(stage))
    try:
        ending = await turn(stage, number)
    finally:
        sampler.cancel()
        with suppress(asyncio.CancelledError):
            await sampler
    record.said = stage.said[first:]
    record.printed = [at for at in stage.printed if at >= record.eras[0].at]
    return outcome(record, ending, stage.follower.standing)


async def _sample(stage: Stage) -> None:
    while True:
        stage.record.samples.append((time.monotonic(), stage.follower.standing.state))
        await asyncio.sleep(SAMPLE)


def outcome(record: Record, ending: str, last: Standing) -> Outcome:
    right, wrong, reversals = judge(record)
    started = record.eras[0].at
    long = [one for one in wrong if one.events > FURTHER or one.silence > SILENCE]
    ended = last.ending == ending
    evident = all(said.evidence for _, said in record.said)
    details: dict[str, Any] = {
        "samples": len(record.samples),
        "right": right,
        "wrong": [_shown(one, started) for one in wrong],
        "too_long": len(long),
        "reversals": reversals,
        "ending": last.ending,
        "said": [f"{at - started:.3f} {one.state} {one.activity} {one.ending} | {one.source}: {one.evidence}" for at, one in record.said],
        "true": [f"{era.at - started:.3f} {'/'.join(sorted(era.states))} {era.why}" for era in record.eras],
    }  # fmt: skip
    judgement = "right" if right == len(record.samples) and not wrong else "late" if not long else "wrong"
    judgement = judgement if ended and evident else "wrong ending"
    return Outcome(judgement, not long and not reversals and ended and evident, details)


def _shown(one: Wrong, started: float) -> str:
    span = f"{one.start - started:.3f} + {one.end - one.start:.3f} s"
    return f"{span}: {one.state} while {one.why}; {one.events} events, {one.silence:.3f} s silent"


# --- all agents


async def prove_agent(agent: str, version: str, turns: int, ledger: Ledger) -> None:
    """The turns that are due, with as few agents as it takes: after a turn that failed, a new one."""
    due = [number for number in range(1, turns + 1) if _key(agent, version, number) not in ledger.lines]
    while due:
        with TemporaryDirectory(prefix="paneward-states-", ignore_cleanup_errors=True) as name:
            with start(agent, version, Path(name)) as lab:
                async with staged(lab, Path(name)) as stage:
                    while due and await _one(stage, _key(agent, version, due[0]), due.pop(0), ledger):
                        pass


def _key(agent: str, version: str, number: int) -> str:
    return f"{agent} {version} turn {number}"


async def _one(stage: Stage, key: str, number: int, ledger: Ledger) -> bool:
    turns = kinds(stage.moves)
    turn = turns[(number - 1) % len(turns)]
    began = time.monotonic()
    try:
        found = await play(stage, turn, number)
    except NotSeen as error:
        found = Outcome("not played", False, {"error": str(error)})
    line = ledger.add(key, found, time.monotonic() - began)
    shares = f"{line['right']}/{line['samples']}" if "samples" in line else line["error"].split("\n")[0]
    print(f"{key} ({turn.__name__}): {line['judgement']}, {shares}", *line.get("wrong", ()), *line.get("reversals", ()), sep="\n  ", flush=True)
    return found.judgement != "not played"


def figures(lines: list[Line]) -> str:
    played = [line for line in lines if "samples" in line]
    samples, right = sum(line["samples"] for line in played), sum(line["right"] for line in played)
    wrong = sum(line["too_long"] for line in played)
    turned = sum(len(line["reversals"]) for line in played)
    share = 100 * right / samples if samples else 0.0
    unplayed = len(lines) - len(played)
    return (
        f"{len(played)} turns, {right} of {samples} samples right ({share:.2f} %), "
        f"{wrong} wrong for too long, {turned} reversals, {unplayed} not played"
    )


def holds(lines: list[Line]) -> bool:
    played = [line for line in lines if "samples" in line]
    samples, right = sum(line["samples"] for line in played), sum(line["right"] for line in played)
    return bool(played) and all(line["ok"] for line in lines) and right >= RIGHT * samples


def main(words: list[str]) -> int:
    options = argparse.ArgumentParser(prog="prove.states", description=__doc__)
    options.add_argument("agents", nargs="*", help="all, or claude, claude@2.1.325 ...")
    options.add_argument("--turns", type=int, default=20, help="per agent")
    options.add_argument("--fresh", action="store_true", help="play again what was played")
    chosen = options.parse_args(words)
    ledger = Ledger(RESULTS / "states.jsonl", fingerprint(DEPENDS_ON), load=False)
    if chosen.fresh:
        ledger.forget()
    held = True
    for agent, version in pins():
        if chosen.agents and not {agent, f"{agent}@{version}"} & set(chosen.agents):
            continue
        if installed(agent, version) is None:
            print(f"{agent} {version} is not installed: scripts/lab-install says why")
            continue
        asyncio.run(prove_agent(agent, version, chosen.turns, ledger))
        lines = [ledger.lines[_key(agent, version, number)] for number in range(1, chosen.turns + 1)]
        print(f"{agent} {version}: {figures(lines)}", flush=True)
        held = held and holds(lines)
    return 0 if held else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended then too
    sys.exit(main(sys.argv[1:]))
