"""Deliveries to the real agents: `python -m prove.agents`, resumable, one JSON line per cell.

Every kind of text to every agent, idle and with both cores loaded; a text at every kind of open dialog; a draft that a
second tmux client typed. Truth is what arrives at the model. One agent plays the cells of a part in a row; after a cell
that went wrong, a new one is started.
"""

import argparse
import asyncio
import re
import signal
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import paneward
from paneward.app import Connection
from paneward.core.delivery.preflight import DraftPolicy
from paneward.core.errors import Code
from paneward.core.result import Rung
from prove.agents_page import PAGE, page
from prove.ledger import RESULTS, Ledger, Line, Outcome, fingerprint
from prove.place import cores_loaded
from tests.lab.agents import LabAgent, NotSeen, installed, start
from tests.lab.moves import MOVES, STARTUPS, WAIT_FOR_FILE, Dialog, Startup
from tests.lab.recipes import pins
from tests.lab.sending import BY_PASTE, TEXTS, leave_dialog, send
from tests.live.human import Human

DEPENDS_ON = ("src/paneward", "tests/lab", "prove/agents.py")
ENDS = 180.0  # seconds after which a cell has failed
REFUSES = 3.0
STANDS, BETWEEN = 10, 0.1  # looks, and seconds between them, that must agree before a screen counts as drawn
PERSON = 0.5  # seconds between a person's words and Enter: of 25 pressed at once, Gemini CLI took 16 for newlines
AT_DIALOGS = ("please stop", "y", "1", "no\nnot like this", "x" * 900)
DIALOGS = 100  # cells, over all kinds of dialogs of all agents
DRAFTS = 100  # over all agents


@dataclass(frozen=True, slots=True)
class Stage:
    """A started agent, and Paneward connected to it."""

    lab: LabAgent
    connection: Connection


@dataclass(frozen=True, slots=True)
class Part:
    """What one started agent plays in a row."""

    agent: str
    version: str
    name: str  # `texts`, `drafts`, `dialog permission`, `startup trust`
    startup: Startup | None = field(default=None, compare=False)

    @property
    def prefix(self) -> str:
        return f"{self.agent} {self.version} {self.name}"


@dataclass(frozen=True, slots=True)
class Cell:
    part: Part
    kind: str
    number: int
    play: Callable[[Stage], Awaitable[Outcome]]

    @property
    def key(self) -> str:
        return f"{self.part.prefix}: {self.kind} {self.number}"


# --- texts


async def play_text(stage: Stage, text: str) -> Outcome:
    sent = await send(stage.lab, stage.connection, text)
    result = sent.result
    details: dict[str, Any] = {"latency_ms": result.latency_ms, "enters": result.enters, "evidence": result.evidence}
    good = sent.judgement in ("exact", "refused")
    if not good:
        details |= {"result": str(result), "arrived": [one[:400] for one in sent.arrived], **_seen(stage.lab)}
    return Outcome(sent.judgement, good, details | {"notes": result.notes})


def _seen(lab: LabAgent) -> dict[str, str]:
    return {"screen": lab.look().text}


# --- dialogs


async def play_dialog(stage: Stage, text: str, dialog: Dialog, open_it: Callable[[Stage], Awaitable[None]]) -> Outcome:
    """A text at an open dialog: refused, and the dialog stays as it is."""
    if not re.search(dialog.seen, stage.lab.look().text):
        await open_it(stage)
        await asyncio.to_thread(stage.lab.wait_screen, dialog.seen, 60.0)
    asked, before = await _painted(stage.lab), stage.lab.model.arrivals()
    result = await stage.connection.send_text(stage.lab.pane, text, timeout=REFUSES)
    refused = (result.error_type, result.rung) == (Code.BLOCKED_BY_DIALOG, Rung.NOTHING)
    same = _words(stage.lab) == asked and len(stage.lab.model.arrivals()) == len(before)
    judgement = "refused" if refused and same else "something changed" if refused else "not refused"
    details: dict[str, Any] = {"result": str(result), **_seen(stage.lab)} if judgement != "refused" else {}
    return Outcome(judgement, judgement == "refused", {"latency_ms": result.latency_ms, **details})


async def _painted(lab: LabAgent) -> list[str]:
    """The letters on the screen once they have stood for a while: the dialog can be there before the rest is drawn."""
    words, same = _words(lab), 0
    while same < STANDS:
        await asyncio.sleep(BETWEEN)
        now = _words(lab)
        words, same = now, same + 1 if now == words else 0
    return words


def _words(lab: LabAgent) -> list[str]:
    """The letters on the screen: bullets blink and times run."""
    return re.findall(r"[A-Za-z?]{2,}", lab.look().text)


async def open_permission(stage: Stage) -> None:
    stage.lab.model.script(MOVES[stage.lab.recipe.name].run(WAIT_FOR_FILE))
    await send(stage.lab, stage.connection, "please run it")


async def open_question(stage: Stage, several: bool) -> None:
    moves = MOVES[stage.lab.recipe.name]
    assert moves.ask is not None
    if moves.to_ask:
        stage.lab.keys(*moves.to_ask)
    stage.lab.model.script(moves.ask(several))
    await send(stage.lab, stage.connection, "please ask me")


async def never(stage: Stage) -> None:
    raise NotSeen(f"the dialog is gone:\n{stage.lab.look().text}")


async def nothing_left(stage: Stage) -> Outcome:
    """After the dialog was left without an answer: the box is empty, and nothing was run."""
    await asyncio.to_thread(leave_dialog, stage.lab)
    ready = await stage.connection.wait_ready(stage.lab.pane, timeout=60.0)
    sent = await send(stage.lab, stage.connection, "a text of its own")
    clean = sent.arrived[-1:] == ("a text of its own",) and not any(stage.lab.work.glob("foo*"))
    return Outcome("nothing left" if clean else "something left", clean, {"ready": ready.evidence, "sent": str(sent)})


# --- drafts


async def play_draft(stage: Stage, number: int) -> Outcome:
    """A draft of a second client: held against two policies, then submitted by its owner, and exact at the model."""
    lab, draft = stage.lab, f"words of my own, number {number}"
    await stage.connection.wait_ready(lab.pane, timeout=60.0)
    human = await asyncio.to_thread(Human, lab.server, lab.pane, 100, 35)
    try:
        await asyncio.to_thread(human.type, draft)
        policy: DraftPolicy = "hold" if number % 2 else "refuse"
        result = await stage.connection.send_text(lab.pane, "not now", draft=policy, timeout=REFUSES)
        before = len(lab.model.prompts())
        await asyncio.sleep(PERSON)
        human.press(b"\r")
        await asyncio.to_thread(lab.model.wait, lambda: len(lab.model.prompts()) > before, 60.0)
        arrived = lab.model.prompts()[before:]
    finally:
        await asyncio.to_thread(human.leave)
    held = (result.error_type, result.rung) == (Code.OPERATOR_DRAFT, Rung.NOTHING)
    good = held and arrived == [draft]
    judgement = "untouched" if good else "not held" if not held else "changed"
    return Outcome(
        judgement,
        good,
        {"policy": policy, "arrived": arrived, **({} if good else {"result": str(result), **_seen(lab)})},
    )


# --- all of it


def cells(agents: Sequence[tuple[str, str]], rounds: int, load: bool) -> list[Cell]:
    """Texts so many rounds; dialogs and drafts once, without load."""
    found = [
        Cell(Part(*agent, name), kind, number, partial(play_text, text=text))
        for agent in agents
        for name in (("texts", "api texts") if agent[0] in BY_PASTE else ("texts",))
        for number in range(1, rounds + 1)
        for kind, text in TEXTS.items()
    ]
    return found if load else [*found, *dialogs(agents), *drafts(agents)]


def drafts(agents: Sequence[tuple[str, str]]) -> Iterator[Cell]:
    each = -(-DRAFTS // len(pins()))
    for agent in agents:
        for number in range(1, each + 1):
            yield Cell(Part(*agent, "drafts"), "draft", number, partial(play_draft, number=number))


def dialogs(agents: Sequence[tuple[str, str]]) -> Iterator[Cell]:
    kinds = [kind for agent in pins() for kind in dialogs_of(*agent)]
    each = -(-DIALOGS // len(kinds))
    for agent in agents:
        for part, dialog, open_it in dialogs_of(*agent):
            for number in range(1, each + 1):
                text = AT_DIALOGS[number % len(AT_DIALOGS)]
                yield Cell(part, "text", number, partial(play_dialog, text=text, dialog=dialog, open_it=open_it))
            if part.name == "dialog permission":
                yield Cell(part, "afterwards", 1, nothing_left)


Opened = tuple[Part, Dialog, Callable[[Stage], Awaitable[None]]]


def dialogs_of(agent: str, version: str) -> Iterator[Opened]:
    moves = MOVES[agent]
    yield Part(agent, version, "dialog permission"), moves.permission, open_permission
    for name, dialog in (("question", moves.question), ("several", moves.several)):
        if dialog is not None:
            yield Part(agent, version, f"dialog {name}"), dialog, partial(open_question, several=name == "several")
    for one in STARTUPS:
        if one.agent == agent and one.version in ("", version):
            yield Part(agent, version, f"startup {one.case}", one), one.dialog, never


async def play_part(part: Part, due: list[Cell], ledger: Ledger) -> None:
    """The cells of a part, with as few agents as it takes."""
    while due:
        with (
            TemporaryDirectory(prefix="paneward-agents-", ignore_cleanup_errors=True) as name,
            start(part.agent, part.version, Path(name), **_how(part)) as lab,
        ):
            if part.startup:
                lab.wait_screen(part.startup.dialog.seen, 90.0)
            async with paneward.connect(lab.server.name, state=Path(name) / "state") as connection:
                while due and await _one(Stage(lab, connection), due.pop(0), ledger):
                    pass


def _how(part: Part) -> dict[str, Any]:
    if part.startup is None:
        return {} if part.name == "api texts" else BY_PASTE.get(part.agent, {})
    settings: Mapping[str, Any] = {"files": part.startup.files, "environment": part.startup.environment}
    return {"wait": False, **settings}


async def _one(stage: Stage, cell: Cell, ledger: Ledger) -> bool:
    began = time.monotonic()
    try:
        async with asyncio.timeout(ENDS):
            outcome = await cell.play(stage)
    except Exception:  # noqa: BLE001 - the edge of a cell: whatever went wrong in it is its result
        outcome = Outcome("error", False, {"error": traceback.format_exc(), **_seen(stage.lab)})
    line = ledger.add(cell.key, outcome, time.monotonic() - began)
    print(f"{cell.key}: {line['judgement']} ({line['seconds']:.1f} s)", flush=True)
    return outcome.ok


def main(words: list[str]) -> int:
    options = argparse.ArgumentParser(prog="prove.agents", description=__doc__)
    options.add_argument("agents", nargs="*", help="all, or claude, claude@2.1.325 ...")
    options.add_argument("--rounds", type=int, default=5, help="of every text, idle and loaded")
    options.add_argument("--no-load", action="store_true", help="only idle")
    options.add_argument("--match", default="", help="only cells whose key contains this")
    options.add_argument("--fresh", action="store_true", help="play again what was played")
    options.add_argument("--write", action="store_true", help="write docs/agents/deliveries.md anew")
    chosen = options.parse_args(words)
    agents = [
        (agent, version)
        for agent, version in pins()
        if not chosen.agents or {agent, f"{agent}@{version}"} & set(chosen.agents)
    ]
    lines = [line for load in (False, True) if not (load and chosen.no_load) for line in prove(agents, chosen, load)]
    if chosen.write:
        PAGE.write_text(page(lines))
    wrong = [line for line in lines if not line["ok"]]
    print(f"{len(lines)} cells, {len(wrong)} wrong", *(f"{one['judgement']}: {one['key']}" for one in wrong), sep="\n")
    return 1 if wrong else 0


def prove(agents: Sequence[tuple[str, str]], chosen: argparse.Namespace, load: bool) -> list[Line]:
    ledger = Ledger(RESULTS / "agents.jsonl", fingerprint(DEPENDS_ON), load)
    if chosen.fresh:
        ledger.forget()
    wanted = [cell for cell in cells(agents, chosen.rounds, load) if chosen.match in cell.key]
    due = [cell for cell in wanted if cell.key not in ledger.lines]
    with cores_loaded(load and bool(due)):
        for part, of_it in groupby(due, key=lambda cell: cell.part):
            if installed(part.agent, part.version) is None:
                print(f"{part.agent} {part.version} is not installed: scripts/lab-install says why")
                continue
            with suppress(NotSeen):  # an agent that does not start: its cells stay due
                asyncio.run(play_part(part, list(of_it), ledger))
    return [ledger.lines[cell.key] for cell in wanted if cell.key in ledger.lines]


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended then too
    sys.exit(main(sys.argv[1:]))
