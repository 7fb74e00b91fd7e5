"""Deliveries from several processes: two at once never mix, and one that is repeated after a crash arrives once."""

import asyncio
import random
from collections.abc import Sequence
from functools import partial
from typing import Any

from prove.family import answer, go, sender
from prove.ledger import Cell, Line, Outcome, Proof
from prove.place import Place
from tests.live.ground import AFTERWARDS, Stage

PROGRAMS = ("plain_box", "canonical", "ghost", "early_enter_newline", "transcript_echo", "alt_clock")
TEXTS = ("a message that is long enough to be torn in two {}", "first line {}\nand the second one", "ok {}")
SLOW, FAST = 0.35, 0.06  # seconds within which a send is over: with the generic profile, and with one without a floor


def _stage(place: Place, program: str) -> Stage:
    return Stage(place.server, place.directory, program)


# --- two senders at once


async def two_at_once(place: Place, number: int) -> Outcome:
    stage = await asyncio.to_thread(_stage, place, PROGRAMS[number % len(PROGRAMS)])
    one = TEXTS[0 if stage.program == "canonical" else number % len(TEXTS)].format(f"from the first, {number}")
    two = TEXTS[0].format(f"from the second, {number}")
    try:
        await stage.wait_event("ready")
        async with sender(place, stage.pane, one) as first, sender(place, stage.pane, two) as second:
            go(first)
            go(second)
            said = [await answer(first), await answer(second)]
            await asyncio.sleep(AFTERWARDS)
            return _judge_two(stage, {one, two}, said)
    finally:
        await place.close_pane(stage.pane)


def _judge_two(stage: Stage, wanted: set[str], said: list[dict[str, Any]]) -> Outcome:
    submitted = stage.submits()
    judgement = "both whole"
    if len(submitted) != 2 or set(submitted) != wanted:
        judgement = "mixed or lost"
    elif any(event["event"] == "empty_enter" for event in stage.events()):
        judgement = "stray enter"
    elif any(one["verdict"] != "confirmed" for one in said):
        judgement = "not confirmed"
    details: dict[str, Any] = {"program": stage.program}
    if judgement != "both whole":
        details |= {"said": said, "log": stage.events()}
    return Outcome(judgement, judgement == "both whole", details)


# --- a message id over a crash


async def crash_and_repeat(place: Place, number: int) -> Outcome:
    """Kill a sender somewhere on its way, then call again with the same message id."""
    rng = random.Random(number)
    how: dict[str, Any] = {"message_id": f"message-{number}", "profile": rng.choice(["generic", "shell"])}
    stage = await asyncio.to_thread(_stage, place, rng.choice(["plain_box", "plain_box", "canonical", "paste_editor"]))
    text = TEXTS[0 if stage.program == "canonical" else number % len(TEXTS)].format(number)
    after = rng.uniform(0, FAST if how["profile"] == "shell" else SLOW)
    try:
        await stage.wait_event("ready")
        async with sender(place, stage.pane, text, **how) as first:
            go(first)
            await asyncio.sleep(after)
        before = len(stage.submits())
        async with sender(place, stage.pane, text, **how) as second:
            go(second)
            said = await answer(second)
            await asyncio.sleep(AFTERWARDS)
        return _judge_repeat(stage, text, said | how | {"killed_after": after, "submitted_before": before})
    finally:
        await place.close_pane(stage.pane)


def _judge_repeat(stage: Stage, text: str, said: dict[str, Any]) -> Outcome:
    submitted = stage.submits()
    judgement = "once" if list(submitted) == [text] else f"{len(submitted)} submits"
    if any(event["event"] == "empty_enter" for event in stage.events()):
        judgement = "stray enter"
    elif judgement == "once" and said["verdict"] != "confirmed":
        judgement = f"once, but {said['verdict']}"
    details = said | {"program": stage.program}
    if judgement != "once":
        details["log"] = stage.events()
    return Outcome(judgement, judgement == "once", details)


def complaints(lines: Sequence[Line]) -> list[str]:
    return [f"{line['judgement']}: {line['key']}" for line in lines if not line["ok"]]


def _senders(rounds: int) -> list[Cell]:
    return [Cell(f"round {number}", partial(two_at_once, number=number)) for number in range(1, rounds + 1)]


def _messages(rounds: int) -> list[Cell]:
    return [Cell(f"round {number}", partial(crash_and_repeat, number=number)) for number in range(1, rounds + 1)]


PROOFS = (
    Proof("two_senders", "two processes at once never mix their texts", _senders, 50, complaints),
    Proof("message_id", "killed on the way and called again: exactly one submit", _messages, 100, complaints),
)
