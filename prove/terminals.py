"""The real agents in every usual terminal: `python -m prove.terminals`, resumable, one JSON line per cell.

A cell is one agent in one terminal (tests/lab/terminals.py). In it Paneward knows when the agent is ready, sends texts
of several kinds, sends and waits at once, reads the state in the middle of the work, leaves a person's draft alone and
answers a permission dialog. Truth is what arrives at the model and what lies in the work folder.
"""

import argparse
import asyncio
import re
import signal
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import paneward
from paneward.app import Connection
from paneward.core.errors import Code
from paneward.core.result import Menu, Readiness, ReadyVerdict, Rung
from paneward.core.state.claims import AgentState
from prove.ledger import RESULTS, Ledger, Line, Outcome, fingerprint
from prove.terminals_page import PAGE, page
from tests.lab.agents import LabAgent, NotSeen, installed, start
from tests.lab.moves import Moves, moves_of
from tests.lab.recipes import RECIPES, nodes, pins
from tests.lab.replies import Hold, Reply
from tests.lab.sending import BY_PASTE, TEXTS, send
from tests.lab.terminals import COLOURS, SIZES, TERMS, Terminal

DEPENDS_ON = ("src/paneward", "tests/lab", "prove/terminals.py")
KINDS = ("characters_10", "characters_200", "characters_2000", "lines_40", "unicode", "emoji", "quotes", "question")
PATIENCE = 120.0  # seconds for an agent to do something, on a loaded machine
REFUSES = 3.0
HELD = 1.0  # seconds for which an answer stops in its middle: whoever says "ready" then is too early
READS = 3  # of a dialog: in a low pane Gemini CLI shows the command later than the question
DRAFT = "words of my own"


class Wrong(AssertionError):
    """Something in a cell is not as it must be."""


@dataclass(frozen=True, slots=True)
class Cell:
    """An agent in a terminal; `way` is how its texts go in: by paste, or by its own API."""

    agent: str
    version: str
    way: str
    terminal: Terminal

    @property
    def who(self) -> str:
        return f"{self.agent} {self.version}" + (" by its API" if self.way == "api" else "")

    @property
    def key(self) -> str:
        return f"{self.who}: {self.terminal.name}"

    @property
    def settings(self) -> dict[str, Any]:
        paste = BY_PASTE.get(self.agent, {}) if self.way == "paste" else {}
        return {**self.terminal.settings, **paste}


# --- the scenes


@dataclass(slots=True)
class Stage:
    """A started agent, Paneward connected to it, and what was found so far."""

    lab: LabAgent
    connection: Connection
    moves: Moves
    details: dict[str, Any]

    async def wait(self) -> Readiness:
        return await self.connection.wait_ready(self.lab.pane, timeout=PATIENCE)

    async def until(self, condition: Callable[[], object], what: str) -> None:
        if not await asyncio.to_thread(self.lab.model.wait, condition, PATIENCE):
            raise Wrong(what)


def must(right: object, what: str) -> None:
    if not right:
        raise Wrong(what)


async def becomes_ready(stage: Stage) -> None:
    ready = await stage.wait()
    must(ready.verdict is ReadyVerdict.READY, f"not ready after its start: {ready.verdict}, {ready.evidence}")


async def takes_texts(stage: Stage) -> None:
    """Each text exactly once, as its guards and the agent's own edits say."""
    judged = {kind: await send(stage.lab, stage.connection, TEXTS[kind]) for kind in KINDS}
    stage.details["texts"] = {kind: sent.judgement for kind, sent in judged.items()}
    stage.details["latency_ms"] = [round(sent.result.latency_ms) for sent in judged.values()]
    wrong = {
        kind: f"{sent.judgement}: {str(sent.result)[:600]}; arrived: {[one[:200] for one in sent.arrived]}"
        for kind, sent in judged.items()
        if sent.judgement not in ("exact", "refused")
    }
    must(not wrong, f"texts: {wrong}")
    await becomes_ready(stage)


async def sends_and_waits(stage: Stage) -> None:
    """A wait that follows the send at once is over when the work is, and not before."""
    lab, words = stage.lab, f"fin{len(stage.lab.model.prompts())}x"
    lab.model.script(Reply(f"Here is one half of it, and here the other one, {words}", hold=Hold.WITHIN))
    before = len(lab.model.prompts())
    result = await stage.connection.send_text(lab.pane, "say something", timeout=PATIENCE)
    waiting = asyncio.create_task(stage.wait())
    try:
        must(result.success, f"not sent: {result}")
        await stage.until(lambda: lab.model.holding or waiting.done(), "the model was never asked")
        must(not waiting.done(), "wait ended before the model was asked")
        await asyncio.sleep(HELD)
        must(not waiting.done(), "wait ended in the middle of the answer")
        seen = (await stage.connection.explain(lab.pane)).standing
        must(seen.state is AgentState.BUSY, f"{seen.state} in the middle of the answer: {seen.evidence}")
        lab.model.release()
        ready = await waiting
    finally:
        lab.model.release()
        waiting.cancel()
    must(ready.verdict is ReadyVerdict.READY, f"after the answer: {ready.verdict}, {ready.evidence}")
    must(words in lab.look().text, "wait ended before the answer was on the screen")
    must(lab.model.prompts()[before:] == ["say something"], f"arrived: {lab.model.prompts()[before:]}")
    seen = (await stage.connection.explain(lab.pane)).standing
    must(seen.state is AgentState.IDLE, f"{seen.state} after the answer: {seen.evidence}")


async def leaves_a_draft(stage: Stage) -> None:
    """Nothing is typed into what a person has typed, and it is read as it stands."""
    lab = stage.lab
    lab.type(DRAFT)
    await asyncio.to_thread(lab.wait_screen, re.escape(DRAFT), PATIENCE)
    arrived = len(lab.model.prompts())
    result = await stage.connection.send_text(lab.pane, "not now", draft="refuse", timeout=REFUSES)
    held = (result.error_type, result.rung) == (Code.OPERATOR_DRAFT, Rung.NOTHING)
    must(held, f"a draft, and yet: {result}")
    must(len(lab.model.prompts()) == arrived, "something arrived beside a draft")
    await asyncio.sleep(0.5)  # else a person's Enter may be taken for a part of a paste
    lab.keys("Enter")
    await stage.until(lambda: len(lab.model.prompts()) > arrived, "the draft never arrived")
    must(lab.model.prompts()[arrived:] == [DRAFT], f"of the draft arrived {lab.model.prompts()[arrived:]}")
    await becomes_ready(stage)


async def opened(stage: Stage) -> Menu:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        ready = await stage.wait()
        menu = await stage.connection.menu(stage.lab.pane)
        if menu is not None and ready.verdict is ReadyVerdict.AWAITING_ANSWER:
            return menu
        await asyncio.sleep(0.05)
    raise Wrong("no dialog opened")


async def answers_a_permission(stage: Stage) -> None:
    """Refused and allowed: a text is held off meanwhile, and the file tells what came of it."""
    lab, moves = stage.lab, stage.moves
    for name, choice in (("refused", moves.no), ("allowed", moves.yes)):
        lab.model.script(moves.make(f"{name}.txt"))
        sent = await stage.connection.send_text(lab.pane, f"make the file {name}", timeout=PATIENCE)
        must(sent.success, f"not sent: {sent}")
        await answered(stage, choice)
        if name == "allowed":
            await stage.until((lab.work / f"{name}.txt").exists, f"{name}: nothing was done")
        ready = await stage.wait()
        while ready.verdict is ReadyVerdict.AWAITING_ANSWER:  # OpenCode takes the dialog away late
            await asyncio.sleep(0.05)
            ready = await stage.wait()
        must(ready.verdict is ReadyVerdict.READY, f"after the dialog: {ready.verdict}, {ready.evidence}")
    must(not (lab.work / "refused.txt").exists(), "what was refused was done")


async def answered(stage: Stage, choice: str) -> None:
    """Read the dialog and choose; again where it says more now than it did, and so nothing was pressed."""
    for _ in range(READS):
        menu = await opened(stage)
        must(menu.kind == "permission", f"read as {menu}")
        held = await stage.connection.send_text(stage.lab.pane, "y", timeout=REFUSES)
        must((held.error_type, held.rung) == (Code.BLOCKED_BY_DIALOG, Rung.NOTHING), f"at a dialog: {held}")
        done = await stage.connection.answer(
            stage.lab.pane, select=choice, fingerprint=menu.fingerprint, timeout=PATIENCE
        )
        if (done.error_type, done.rung) != (Code.STALE_DIALOG, Rung.NOTHING):
            break
    must(done.success, f"not answered: {done}")


Scene = Callable[[Stage], Awaitable[None]]
SCENES: tuple[Scene, ...] = (becomes_ready, takes_texts, sends_and_waits, leaves_a_draft, answers_a_permission)


async def play(lab: LabAgent, state: Path, scenes: Sequence[Scene] = SCENES) -> Outcome:
    """All scenes with one agent, also after one that went wrong; what came of each."""
    details: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    moves = moves_of(lab.recipe.name, lab.version, str(lab.work))
    async with paneward.connect(lab.server.name, state=state) as connection:
        stage = Stage(lab, connection, moves, details)
        for scene in scenes:
            began = time.monotonic()
            try:
                await scene(stage)
            except Exception as error:  # noqa: BLE001 - the edge of a cell: whatever went wrong in it is its result
                told = str(error) if isinstance(error, Wrong | NotSeen) else traceback.format_exc()
                wrong[scene.__name__] = f"{told}\n{lab.look().text}"
                await stage.wait()
            details[scene.__name__] = round(time.monotonic() - began, 1)
    return Outcome("right" if not wrong else f"wrong: {', '.join(wrong)}", not wrong, {**details, "wrong": wrong})


# --- which cells


def terminals(node: bool) -> list[Terminal]:
    """All combinations, ordered so that the first few have every value, and the next every pair of values."""
    versions = tuple(dict.fromkeys(nodes())) if node else ("",)
    rows = [
        Terminal(term, colours, version, *size)
        for size, term, colours, version in product(SIZES, TERMS, COLOURS, versions)
    ]
    return list(spread(rows))


def spread(rows: Sequence[Terminal]) -> Iterator[Terminal]:
    """Each time the one that adds most values not yet seen, then most pairs."""
    left, seen = list(rows), set[frozenset[tuple[int, object]]]()
    while left:
        best = max(left, key=lambda row: (len(values(row) - seen), len(pairs(row) - seen)))
        left.remove(best)
        seen |= values(best) | pairs(best)
        yield best


def values(row: Terminal) -> set[frozenset[tuple[int, object]]]:
    return {frozenset({one}) for one in _facets(row)}


def pairs(row: Terminal) -> set[frozenset[tuple[int, object]]]:
    return {frozenset(two) for two in combinations(_facets(row), 2)}


def _facets(row: Terminal) -> tuple[tuple[int, object], ...]:
    return tuple(enumerate((row.term, row.colours, row.node, (row.width, row.height))))


Covers = Callable[[Terminal], set[frozenset[tuple[int, object]]]]
COVERAGE: dict[str, Covers | None] = {"each": values, "pairs": pairs, "all": None}


def chosen_terminals(node: bool, coverage: str) -> list[Terminal]:
    """As many of the first as it takes to have each value, all pairs of values, or all of them."""
    rows, covers = terminals(node), COVERAGE[coverage]
    if covers is None:
        return rows
    wanted, count = set().union(*map(covers, rows)), 0
    while wanted:
        wanted -= covers(rows[count])
        count += 1
    return rows[:count]


def cells(agents: Sequence[tuple[str, str]], coverage: str) -> list[Cell]:
    return [
        Cell(agent, version, way, terminal)
        for agent, version in agents
        for way in (("paste", "api") if agent in BY_PASTE else ("paste",))
        for terminal in chosen_terminals(RECIPES[agent].node, coverage)
    ]


# --- all of it


def play_cell(cell: Cell, ledger: Ledger) -> None:
    began = time.monotonic()
    with TemporaryDirectory(prefix="paneward-terminals-", ignore_cleanup_errors=True) as name:
        try:
            with start(cell.agent, cell.version, Path(name), **cell.settings) as lab:
                outcome = asyncio.run(play(lab, Path(name) / "state"))
        except NotSeen as error:
            outcome = Outcome("not started", False, {"wrong": {"start": str(error)}})
    line = ledger.add(cell.key, outcome, time.monotonic() - began)
    print(f"{cell.key}: {line['judgement']} ({line['seconds']:.1f} s)", flush=True)
    for scene, told in line["wrong"].items():
        print(f"  {scene}: {told}", flush=True)


def main(words: list[str]) -> int:
    options = argparse.ArgumentParser(prog="prove.terminals", description=__doc__)
    options.add_argument("agents", nargs="*", help="all, or claude, claude@2.1.325 ...")
    options.add_argument(
        "--cover", choices=tuple(COVERAGE), default="all", help="each value once, all pairs of values, all terminals"
    )
    options.add_argument("--match", default="", help="only cells whose key contains this")
    options.add_argument("--fresh", action="store_true", help="play again what was played")
    options.add_argument("--wrong", action="store_true", help="play again what was wrong")
    options.add_argument("--write", action="store_true", help="write docs/agents/terminals.md anew")
    chosen = options.parse_args(words)
    agents = [
        (agent, version)
        for agent, version in pins()
        if not chosen.agents or {agent, f"{agent}@{version}"} & set(chosen.agents)
    ]
    ledger = Ledger(RESULTS / "terminals.jsonl", fingerprint(DEPENDS_ON), load=False)
    if chosen.fresh:
        ledger.forget()
    wanted = [cell for cell in cells(agents, chosen.cover) if chosen.match in cell.key]
    for cell in wanted:
        if cell.key in ledger.lines and not (chosen.wrong and not ledger.lines[cell.key]["ok"]):
            continue
        if installed(cell.agent, cell.version) is None:
            print(f"{cell.agent} {cell.version} is not installed: scripts/lab-install says why")
            continue
        play_cell(cell, ledger)
    lines: list[Line] = [ledger.lines[cell.key] for cell in wanted if cell.key in ledger.lines]
    if chosen.write:
        PAGE.write_text(page(lines))
    wrong = [line for line in lines if not line["ok"]]
    print(f"{len(lines)} cells, {len(wrong)} wrong", *(f"{one['judgement']}: {one['key']}" for one in wrong), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended then too
    sys.exit(main(sys.argv[1:]))
