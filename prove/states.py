"""The state of real agents, held to what is true: `python -m prove.states`, resumable, one JSON line per turn.

Every turn is played by a script that knows what must be the case: the model holds its answer until it is let go, so
that the agent works until then; a tool says itself when it runs; what is asked or answered can be read on the screen,
by words that stand in tests/lab, never by Paneward's own reader. Between a cause and the words that show its effect,
the state before and the one after are both right. From the first output event after the effect only the new one is.

The state is sampled every 50 ms; how long a wrong one stood is told exactly, by the times of all changes.
"""

import argparse
import asyncio
import json
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from paneward.core.state.claims import AgentState, Standing
from prove.ledger import RESULTS, Ledger, Line, Outcome, fingerprint
from prove.truth import SILENCE, Record, Wrong, judge
from prove.turns import Stage, Turn, kinds, staged
from tests.lab.agents import NotSeen, installed, start
from tests.lab.hooking import reviewed, with_hooks
from tests.lab.recipes import RECIPES, pins

SAMPLE = 0.05
FURTHER = 2  # output events for which a state may be wrong
RIGHT = 0.995  # of the samples
DEPENDS_ON = ("src/paneward", "tests/lab", "prove")


async def play(stage: Stage, turn: Turn, number: int) -> Outcome:
    """One turn, sampled and judged."""
    stage.record = record = Record()
    first = len(stage.said) - 1
    record.true("before the turn", AgentState.IDLE)
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
        "longest": max((one.end - one.start for one in wrong), default=0.0),
        "reversals": reversals,
        "ending": last.ending,
        "said": [f"{at - started:.3f} {_told(one)}" for at, one in record.said],
        "true": [f"{era.at - started:.3f} {'/'.join(sorted(era.states))} {era.why}" for era in record.eras],
    }
    judgement = "right" if right == len(record.samples) and not wrong else "late" if not long else "wrong"
    judgement = judgement if ended and evident else "wrong ending"
    return Outcome(judgement, not long and not reversals and ended and evident, details)


def _told(one: Standing) -> str:
    return f"{one.state} {one.activity}{one.ending} | {one.source}: {one.evidence}"


def _shown(one: Wrong, started: float) -> str:
    span = f"{one.start - started:.3f} + {one.end - one.start:.3f} s"
    return f"{span}: {one.state} while {one.why}; {one.events} events, {one.silence:.3f} s silent"


# --- all agents


def with_notices(agent: str) -> dict[str, str]:
    """Files of an agent that tells a program of ours when a turn is over."""
    match agent:
        case "claude":
            call = {"hooks": [{"type": "command", "command": "touch {home}/notified"}]}
            return {".claude/settings.json": json.dumps({"hooks": {"Stop": [call]}})}
        case "codex":
            name = ".codex/config.toml"
            return {name: 'notify = ["touch", "{home}/notified"]\n' + dict(RECIPES[agent].files)[name]}
    return {}


async def prove_agent(agent: str, version: str, turns: int, ledger: Ledger, hooks: str = "off") -> None:
    """The turns that are due, with as few agents as it takes: after a turn that failed, a new one."""
    due = [number for number in range(1, turns + 1) if _key(agent, version, number, hooks) not in ledger.lines]
    while due:
        with TemporaryDirectory(prefix="paneward-states-", ignore_cleanup_errors=True) as name:
            spool = Path(name) / "state" / "spool" if hooks != "off" else None
            files = with_notices(agent) if spool is None else with_hooks(agent, spool, with_notices(agent))
            with start(agent, version, Path(name), files=files, wait=spool is None) as lab:
                if spool is not None:
                    reviewed(lab)
                async with staged(lab, Path(name), spool) as stage:
                    stage.loses = hooks == "lost"
                    while due and await _one(stage, _key(agent, version, due[0], hooks), due.pop(0), ledger):
                        pass


def _key(agent: str, version: str, number: int, hooks: str) -> str:
    return f"{agent} {version} turn {number}" + ("" if hooks == "off" else f", hooks {hooks}")


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
    told = (
        f"{key} ({turn.__name__}): {line['judgement']}, {shares}",
        *line.get("wrong", ()),
        *line.get("reversals", ()),
    )
    print(*told, sep="\n  ", flush=True)
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
    options.add_argument(
        "--hooks", choices=("off", "on", "lost"), default="off", help="lost: in the middle of each turn"
    )
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
        asyncio.run(prove_agent(agent, version, chosen.turns, ledger, chosen.hooks))
        keys = [_key(agent, version, number, chosen.hooks) for number in range(1, chosen.turns + 1)]
        lines = [ledger.lines[key] for key in keys]
        print(f"{agent} {version}: {figures(lines)}", flush=True)
        held = held and holds(lines)
    return 0 if held else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended then too
    sys.exit(main(sys.argv[1:]))
