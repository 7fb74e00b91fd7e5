"""`kill -9` in the middle: what was acknowledged is there, once, and the log has no gap."""

import random
import signal
import subprocess
import sys
from functools import partial

import pytest

from paneward.store import Store
from tests.store.conftest import Place, using
from tests.store.fold import fold, told_of

WORKER = """
import asyncio, sys
from dataclasses import replace
from paneward.core.agent.record import Actor, Agent, Intent, Stage, Turn
from paneward.core.agent.record import Said
from paneward.core.agent.changes import Moment, Grounds, judged
from paneward.core.result import Rung, SendResult, Verdict
from paneward.store import Store

DONE = SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "it is gone")

async def agent(store, name):
    known = {one.id: one for one in await store.agents()}
    one = known.get(name) or await store.adopt(Agent(name))
    for number in range(100_000):
        place = {"tmux": "s", "pane": "%1", "pane_pid": 1, "agent_id": name, "intent": "COMMAND"}
        row, _ = await store.begin(message_id=f"{name} {store.last_seq} {number}", text="go", secret=False, **place)
        said = Said.AGENT_PROGRESS if one.stage is Stage.COMMANDED else Said.USER_COMMAND
        one = replace(one, stage=Stage.COMPLETE) if one.stage is Stage.PROCESSING else one
        turn = Turn(name, Actor.USER, Intent.COMMAND, "go", delivery=row.id)
        judge = lambda turn: judged(one, said, turn, Grounds("delivery", f"turn {turn.id}"), Moment(0.0, 0.0))
        turn, one = await store.take_turn(turn, True, judge, DONE)
        print(one.seq, turn.id, row.id, flush=True)

async def main():
    store = Store.open(sys.argv[1], lease="me")
    await asyncio.gather(*(agent(store, f"agent-{number}") for number in range(10)))

asyncio.run(main())
"""


def killed_after(place: Place, lines: int) -> list[tuple[int, int, str]]:
    """What the worker said was done before it was killed, at any moment after so many words."""
    worker = subprocess.Popen([sys.executable, "-c", WORKER, str(place)], stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    said = [worker.stdout.readline() for _ in range(lines)]
    worker.kill()
    rest, _ = worker.communicate()
    assert worker.returncode == -signal.SIGKILL
    words = [line.split() for line in [*said, *rest.splitlines(keepends=True)] if line.endswith("\n")]
    return [(int(seq), int(turn), delivery) for seq, turn, delivery in words]


@pytest.mark.parametrize("seed", range(3))
def test_what_was_acknowledged_before_kill_nine_is_there_once(place: Place, seed: int) -> None:
    chance = random.Random(seed)
    said: list[tuple[int, int, str]] = []
    for _ in range(3):
        said += killed_after(place, chance.randint(1, 120))
        using(place, partial(hold_against, said=said))


async def hold_against(store: Store, said: list[tuple[int, int, str]]) -> None:
    events = await store.events(limit=1_000_000)
    assert [one.seq for one in events] == list(range(1, len(events) + 1))
    kinds = {one.seq: one.kind for one in events}
    assert all(kinds[seq] == "state_changed" for seq, _, _ in said)
    rows = [row async for row in store.export()]
    turns = {row["id"]: row["delivery"] for row in rows if row["table"] == "turns"}
    assert all(turns[turn] == delivery for _, turn, delivery in said)
    assert len(set(turns.values())) == len(turns)
    stored = [one.data["turn"]["id"] for one in events if one.kind == "turn_stored"]
    assert sorted(stored) == sorted(turns)
    agents = {one.id: told_of(one) for one in await store.agents()}
    assert fold(events) == agents
