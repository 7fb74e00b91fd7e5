"""What tests of flows need: scenes from drawn text, and a player for the dialogue.

    asked, result = play(deliver(order), [scene("> ‸"), scene("> fix it‸"), scene("> ‸")])

`‸` marks the cursor. Acts are answered with the last scene, looks with the next one; the last scene repeats.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from paneward.core.flow import Effect, Flow, Look, Mark, Rest, Watch
from paneward.core.scene import ProcessFacts, Scene, Snapshot

T = TypeVar("T")
CURSOR = "‸"
TICK = 0.05  # seconds that pass with each look, where an effect does not say

READING = ProcessFacts(command="box", argv="box", pid=7, reading=True, canonical=False, echo=False, unread=0)
WORKING = replace(READING, reading=False)
LINES = replace(READING, canonical=True, echo=True)
SHELL = ProcessFacts("bash", "-bash", 5, shell=True, reading=True, canonical=False, echo=False, unread=0)


def snapshot(drawing: str, width: int = 80, height: int = 24, **facts: Any) -> Snapshot:
    """A snapshot from a drawing whose cursor is marked."""
    rows = drawing.split("\n")
    at = next((y for y, row in enumerate(rows) if CURSOR in row), 0)
    x = rows[at].find(CURSOR) if CURSOR in rows[at] else 0
    clean = tuple(row.replace(CURSOR, "") for row in rows)
    plain = Snapshot(pane="%1", rows=clean, width=width, height=height, cursor_x=x, cursor_y=at)
    return replace(plain, **facts)


def scene(
    drawing: str, process: ProcessFacts | None = READING, quiet: float = 0.5, gone: bool = False, **facts: Any
) -> Scene:
    return Scene(snapshot(drawing, **facts), process, quiet=quiet, gone=gone)


class Endless(AssertionError):
    """A flow that asks on and on."""


def play(flow: Flow[T], scenes: Sequence[Scene], limit: int = 2000) -> tuple[list[Effect], T]:
    """Run a flow on these scenes; what it asked for, and what it answered."""
    asked: list[Effect] = []
    now, rest = 0.0, list(scenes)
    last = rest.pop(0)
    try:
        effect = next(flow)
        for _ in range(limit):
            asked.append(effect)
            if isinstance(effect, Look | Watch | Rest):
                now += _passing(effect)
                if len(asked) > 1 and rest:
                    last = rest.pop(0)
            effect = flow.send(replace(last, now=now, output_seq=len(scenes) - len(rest)))
    except StopIteration as done:
        result: T = done.value
        return asked, result
    raise Endless(f"still asking after {limit} effects: {asked[-3:]}")


def _passing(effect: Look | Watch | Rest) -> float:
    match effect:
        case Watch(at_most):
            return min(at_most, TICK)
        case Rest(seconds):
            return seconds
    return 0.0


def acts(asked: Iterable[Effect]) -> list[Effect]:
    """What a flow did, without its looks and marks."""
    return [effect for effect in asked if not isinstance(effect, Look | Watch | Rest | Mark)]
