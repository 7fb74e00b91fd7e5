"""A server is killed with -9 at random moments while demo agents work and answers flow, and started again each time.
Its store is a file, or a PostgreSQL that is itself ended at once now and then, below the running server.

Afterwards nothing may be lost or doubled: by the agents' own logs each message was submitted once and each question
answered once; by the store each of them is one turn and one delivery, each command is closed, each change of state
follows the one before, every event is there once, `seq` has no gap, and each marker was heard once.
"""

import asyncio
import contextlib
import json
import random
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from paneward.core.agent.record import Actor, Intent
from paneward.core.result import Verdict
from paneward.store import Store
from prove.ledger import TOP, Cell, Line, Outcome, Proof
from prove.place import Place
from prove.serving import answer_of, kind_of, text_of
from tests.store.cluster import Cluster, cluster

KILLS = 10
RESTARTS = (3, 7)  # the lives of a server in which its PostgreSQL is ended at once and begun again
AGENTS = 10
LONGEST = 1.6  # seconds that a server lives after it began, before it is killed
PACE = 0.45  # seconds that an agent works on a message


class World:
    """Demo agents that outlive every server, and the servers."""

    def __init__(self, place: Place, seed: int, agents: int, postgres: Cluster | None = None) -> None:
        self._place = place
        self._rng = random.Random(seed)
        self._postgres = postgres
        self._url = postgres.new_database() if postgres is not None else ""
        self._home = place.directory / f"servers-{seed}{'-postgres' if postgres is not None else ''}"
        self.state = self._home / "state"
        self.state.mkdir(parents=True)
        self.names = [f"agent-{number}" for number in range(1, agents + 1)]
        self._panes: list[str] = []

    @property
    def store(self) -> str | Path:
        return self._url or self.state / "deliveries.db"

    def log_of(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self._home / f"{name}.log").read_text().splitlines()]

    async def open(self) -> None:
        for name in self.names:
            words = ["-m", "paneward", "demo-agent", "--busy", str(PACE), "--log", str(self._home / f"{name}.log")]
            pane = await asyncio.to_thread(self._place.server.new_pane, [sys.executable, *words])
            self._panes.append(pane)

    async def close(self) -> None:
        for pane in self._panes:
            await self._place.close_pane(pane)

    async def start(self, messages: int) -> Process:
        words = [self._place.server.name, str(self.state), self._url, str(messages), *self._panes]
        with (self._home / "said").open("ab") as said:
            return await asyncio.create_subprocess_exec(
                sys.executable, "-m", "prove.serving", *words, stdout=PIPE, stderr=said, cwd=TOP
            )

    async def kill_at_random(self, messages: int, restart: bool = False) -> str:
        """Start a server and kill it: mostly while clients speak, sometimes while it starts."""
        process = await self.start(messages)
        assert process.stdout is not None
        early = self._rng.random() < 0.15 and not restart
        try:
            if not early and await process.stdout.readline() != b"ready\n":
                return f"it did not start: {self.said()}"
            await asyncio.sleep(self._rng.uniform(0, LONGEST))
            if restart:
                await self._restart_postgres()
                await asyncio.sleep(self._rng.uniform(0, LONGEST))
            return "" if process.returncode in (None, 0) else f"it failed: {self.said()}"
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _restart_postgres(self) -> None:
        """End it as a crash would, and begin it again a moment later."""
        assert self._postgres is not None
        await asyncio.to_thread(self._postgres.end)
        await asyncio.sleep(self._rng.uniform(0, 0.3))
        await asyncio.to_thread(self._postgres.begin)

    async def to_the_end(self, messages: int) -> str:
        """A last server, which is not killed."""
        process = await self.start(messages)
        said, _ = await process.communicate()
        return "" if said == b"ready\ndone\n" else f"the last server did not end in order: {self.said()}"

    def said(self) -> str:
        return (self._home / "said").read_text()[-2000:]


async def killed_and_started(
    place: Place, seed: int, kills: int = KILLS, agents: int = AGENTS, postgres: Cluster | None = None
) -> dict[str, Any]:
    """So many kills, then the end; what was found, and under `wrong` what must not be."""
    world = World(place, seed, agents, postgres)
    await world.open()
    messages = max(2, kills)
    restarts = RESTARTS if postgres is not None else ()
    try:
        lives = [await world.kill_at_random(messages, number in restarts) for number in range(1, kills + 1)]
        wrong = [said for said in lives if said]
        wrong += [said] if (said := await world.to_the_end(messages)) else []
        found = await _found(world, messages)
    finally:
        await world.close()
    return {**found, "wrong": wrong + found["wrong"]}


# --- what is left


async def _found(world: World, messages: int) -> dict[str, Any]:
    store = Store.open(world.store)
    wrong: list[str] = []
    counts: Counter[str] = Counter()
    try:
        events = await store.events(limit=1_000_000)
        wrong += _log_of_store(events)
        for name in world.names:
            wrong += _signals(world.log_of(name), events, name)
            wrong += _by_agent(world.log_of(name), name, messages)
            found, counted = await _by_store(store, events, name, messages)
            wrong += found
            counts += counted
        wrong += [f"unfinished: {row}" for row in await store.unfinished()]
        for row in await store.recent(limit=1_000_000):
            went_in = row.receipt is not None and row.receipt.verdict is not Verdict.FAILED
            if went_in and row.intent and await store.turn_of(row.id) is None:
                wrong.append(f"without a turn: {row}")
    finally:
        await store.close()
    return {"wrong": wrong, "events": len(events), **counts}


def _log_of_store(events: Sequence[Any]) -> list[str]:
    seqs = [event.seq for event in events]
    wrong = [] if seqs == list(range(1, len(seqs) + 1)) else ["seq has a gap"]
    last: dict[str, str] = {}
    for event in events:
        if event.kind != "state_changed":
            continue
        before = last.get(event.agent_id, "IDLE")
        if event.data["old_state"] != before:
            wrong.append(f"{event.agent_id}: a change from {event.data['old_state']}, and it was {before}")
        last[event.agent_id] = event.data["new_state"]
    return wrong


def _signals(log: list[dict[str, Any]], events: Sequence[Any], name: str) -> list[str]:
    """Each marker that the agent printed was heard once, and the number of its nudge never fell."""
    mine = [event for event in events if event.agent_id == name]
    told = [event.data for event in mine if event.kind == "signal_seen" and event.data["source"] == "marker"]
    heard = Counter((one["state"], "".join(one["message"].split())) for one in told)
    printed = Counter((one["state"], "".join(one["message"].split())) for one in log if one["event"] == "signal")
    wrong = [] if heard == printed else [f"{name}: heard twice {heard - printed}, missed {printed - heard}"]
    keys = Counter(one["key"] for one in told)
    wrong += [f"{name}: {key} was given twice" for key, count in keys.items() if count > 1]
    seqs = [event.data["nudge_seq"] for event in mine if "nudge_seq" in event.data]
    return wrong + ([] if seqs == sorted(seqs) else [f"{name}: nudges went back, {seqs}"])


def _by_agent(log: list[dict[str, Any]], name: str, messages: int) -> list[str]:
    """What the agent itself saw."""
    submits = [event["text"] for event in log if event["event"] in ("submit", "queued")]
    wanted = [text_of(name, number) for number in range(1, messages + 1)]
    wrong = [] if submits == wanted else [f"{name}: submitted {Counter(submits) - Counter(wanted)}, not {wanted}"]
    answers = [_answered(event) for event in log if event["event"] == "answer"]
    asked = [_wanted(name, number) for number in range(1, messages + 1) if kind_of(name, number) != "say"]
    wrong += [] if answers == asked else [f"{name}: answers {answers}, not {asked}"]
    return wrong + [f"{name}: Enter on an empty box" for event in log if event["event"] == "empty_enter"]


def _answered(event: dict[str, Any]) -> Any:
    return event["text"] or sorted(event["numbers"])


def _wanted(name: str, number: int) -> Any:
    answer = answer_of(name, number)
    if answer.answers:
        return sorted(int(index) + 1 for index in answer.answers[0])
    return answer.text or [1 if answer.option_index is None else answer.option_index + 1]


async def _by_store(store: Store, events: Sequence[Any], name: str, messages: int) -> tuple[list[str], Counter[str]]:
    turns = (await store.turns(name, 100_000))[::-1]
    asking = [number for number in range(1, messages + 1) if kind_of(name, number) != "say"]
    spoken = Counter((turn.actor, turn.intent) for turn in turns if not turn.unconfirmed)
    clear = Counter(turn.intent for turn in turns if turn.actor is Actor.USER)
    doubtful = sum(turn.unconfirmed for turn in turns)
    wrong = []
    texts = [turn.text for turn in turns if turn.intent is Intent.COMMAND]
    if texts != [text_of(name, number) for number in range(1, messages + 1)]:
        wrong.append(f"{name}: turns of commands {texts}")
    for intent, count in ((Intent.QUESTION, len(asking)), (Intent.COMPLETION, messages)):
        if spoken[Actor.AGENT, intent] != count:
            wrong.append(f"{name}: {spoken[Actor.AGENT, intent]} turns {intent}, not {count}")
    if not len(asking) <= clear[Intent.ANSWER] <= len(asking) + doubtful:
        wrong.append(f"{name}: {clear[Intent.ANSWER]} answers, not {len(asking)}")
    stored = Counter(event.data["turn"]["id"] for event in events if event.kind == "turn_stored")
    mine = Counter(turn.id for turn in turns)
    if any(stored[id] != 1 for id in mine):
        wrong.append(f"{name}: turns told more or less than once")
    commands = await store.commands(name, 100_000)
    if [command.ending for command in commands] != ["done"] * messages:
        wrong.append(f"{name}: commands {[command.ending for command in commands]}")
    rows = [row for row in await store.recent(100_000, agent_id=name) if row.message_id is not None]
    per_turn = Counter(turn.delivery for turn in turns if turn.actor is Actor.USER)
    if any(count != 1 for count in per_turn.values()) or not set(per_turn) <= {row.id for row in rows}:
        wrong.append(f"{name}: deliveries and turns {per_turn}")
    return wrong, Counter(turns=len(turns), deliveries=len(rows), unconfirmed=doubtful)


# --- the proofs


async def play(place: Place, seed: int, postgres: Cluster | None = None) -> Outcome:
    seen = await killed_and_started(place, seed, postgres=postgres)
    judgement = f"survived {KILLS} kills" if not seen["wrong"] else "; ".join(seen["wrong"])[:2000]
    return Outcome(judgement, not seen["wrong"], seen)


async def play_on_postgres(place: Place, seed: int) -> Outcome:
    with cluster() as postgres:
        if postgres is None:
            return Outcome("PostgreSQL is not installed: `scripts/setup test` installs it", False)
        return await play(place, seed, postgres)


def cells(rounds: int) -> list[Cell]:
    return [
        Cell(f"{KILLS} kills, seed {number}", partial(play, seed=number), seconds=600.0)
        for number in range(1, rounds + 1)
    ]


def postgres_cells(rounds: int) -> list[Cell]:
    about = f"{KILLS} kills, {len(RESTARTS)} restarts of PostgreSQL"
    return [
        Cell(f"{about}, seed {number}", partial(play_on_postgres, seed=number), seconds=900.0)
        for number in range(1, rounds + 1)
    ]


def complaints(lines: Sequence[Line]) -> list[str]:
    return [f"{line['judgement']}: {line['key']}" for line in lines if not line["ok"]]


ABOUT = "kill -9 of a server while ten agents work: nothing lost or doubled"
PROOFS = (
    Proof("servers", ABOUT, cells, 20, complaints, 1),
    Proof("servers-postgres", f"{ABOUT}; PostgreSQL ended at once in between", postgres_cells, 6, complaints, 1),
)
