"""Every hostile program, and a few plain ones: the right verdict, and never before the program itself was ready.

Programs log the machine's monotonic time when they begin to take input; `wait_ready` must not have said so before.
"""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from time import monotonic
from typing import Any

from paneward.core.result import Readiness
from prove.ledger import Cell, Line, Outcome, Proof
from prove.place import Place
from tests.hostile.pause_output import PAUSES
from tests.live.ground import Stage

READY, ASKS, BUSY = "ready", "awaiting_answer", "busy"
PRINTS = "import sys, time; sys.stdout.write(%r); sys.stdout.flush(); time.sleep(60)"
READS = "import sys; sys.stdout.write(%r); sys.stdout.flush(); sys.stdin.readline()"
LINKING = ("--half", "linking > ", "--seconds", "1.5")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A hostile program or a command, and the verdicts that are right."""

    program: str
    verdicts: tuple[str, ...]
    options: tuple[str, ...] = ()
    command: tuple[str, ...] = ()  # instead of a hostile program
    question: str = ""  # must be in what is asked
    timeout: float = 30.0
    logs: str = "ready"  # what the program logs when it begins to take input
    rule: str = ""  # the rule that must decide: by `prompt_unproven`, a verdict claims too little to be early

    @property
    def name(self) -> str:
        return " ".join([self.program, *self.options])


def _python(name: str, verdicts: tuple[str, ...], code: str, question: str = "", timeout: float = 2.0) -> Scenario:
    return Scenario(name, verdicts, command=(sys.executable, "-c", code), question=question, timeout=timeout)


NOT_READY = (BUSY, "stable", "timeout")
SCENARIOS = (
    *(Scenario(name, (READY,)) for name in ("plain_box", "paste_editor", "canonical", "transcript_echo", "ghost")),
    *(Scenario(name, (READY,)) for name in ("early_enter_swallowed", "early_enter_newline", "paste_placeholder")),
    *(Scenario(name, (READY,)) for name in ("right_prompt", "alt_clock", "slow_start", "busy_ignores", "busy_queues")),
    *(Scenario(name, (READY,)) for name in ("pause_output", "flood", "dropper")),
    Scenario("plain_box", (READY,), ("--no-cursor",)),
    Scenario("plain_box", (READY,), ("--delay-ms", "80")),
    Scenario("right_prompt", (READY,), ("--right", "clock")),
    Scenario("slow_start", (READY,), ("--drop-visible",)),
    Scenario("slow_start", (READY,), ("--silently",), rule="prompt_unproven"),
    Scenario("busy_queues", (READY,), ("--type-ahead",)),
    Scenario("pause_output", (READY,), ("--half", "user@host:~$ ")),
    Scenario("pause_output", (READY,), ("--half", "Name: ")),
    *(Scenario("pause_output", (READY,), (*LINKING, "--pause", pause)) for pause in PAUSES),
    *(Scenario("pause_output", (READY,), (*LINKING, "--raw", "--pause", pause)) for pause in PAUSES),
    *(Scenario("connecting", (READY,), ("--how", how)) for how in ("select", "poll", "recv")),
    Scenario("connecting", (READY,), ("--says", "far$ ")),
    Scenario("boxed_clock", (READY,)),
    Scenario("boxed_clock", (READY,), ("--hint", "Ask me anything")),
    Scenario("draft", NOT_READY, timeout=2.0),
    Scenario("draft", (READY,), ("--gone-after", "1"), logs="draft_erased"),
    Scenario("canonical", ("stable", "timeout"), ("--prompt", ""), timeout=2.0),
    Scenario("yes_no", (ASKS,), question="Continue? [y/N]"),
    Scenario("password", (ASKS,), question="Password"),
    Scenario("menu", (ASKS,), question="Which colour do you want?"),
    Scenario("menu", (ASKS,), ("--permission",), question="Do you want to run"),
    Scenario("menu", (ASKS,), ("--multi",), question="Which colour do you want?"),
    Scenario("sleep", (BUSY,), command=("sh", "-c", "printf '$ '; sleep 4; sleep 60"), timeout=2.0),
    Scenario("sleep in bash", (BUSY,), command=("bash", "--norc", "-c", "sleep 60; true"), timeout=2.0),
    Scenario("idle bash", (READY,), command=("bash", "--norc", "-i")),
    Scenario("idle sh", (READY,), command=("sh", "-i")),
    _python("prints 50%", (BUSY,), PRINTS % "Downloading: 50%"),
    _python("prints <html>", (BUSY,), PRINTS % "<html>"),
    _python("reads after 50%", ("stable", "timeout"), READS % "Downloading: 50%"),
    _python("reads after <html>", ("stable", "timeout"), READS % "<html>"),
    _python("asks to continue", (ASKS,), READS % "Continue? [y/N] ", question="Continue? [y/N]", timeout=20.0),
)


def cells(rounds: int) -> list[Cell]:
    """So many rounds over control mode, and one over each other way."""
    ways = [("control", number) for number in range(1, rounds + 1)] + [("exec", 1), ("ssh", 1)]
    return [
        Cell(f"{scenario.name} | {way} {number}", partial(play, scenario=scenario, way=way))
        for way, number in ways
        for scenario in SCENARIOS
    ]


async def play(place: Place, scenario: Scenario, way: str) -> Outcome:
    connection = await place.connection(way)
    stage: Stage | None = None
    if scenario.command:
        pane = await asyncio.to_thread(place.server.new_pane, scenario.command, remain=True)
    else:
        stage = await asyncio.to_thread(
            partial(Stage, place.server, place.directory, scenario.program, *scenario.options)
        )
        pane = stage.pane
    try:
        found = await connection.wait_ready(pane, timeout=scenario.timeout)
        said_at = monotonic()
        return _judge(scenario, found, said_at, stage.events() if stage else None)
    finally:
        await place.close_pane(pane)


def _judge(scenario: Scenario, found: Readiness, said_at: float, events: Sequence[dict[str, Any]] | None) -> Outcome:
    began = [event["at"] for event in events or () if event["event"] == scenario.logs]
    details: dict[str, Any] = {"verdict": found.verdict, "rule": found.rule, "elapsed": round(found.elapsed, 4)}
    if began:
        details["late_ms"] = round((said_at - began[0]) * 1000, 3)
    judgement = "right"
    if found.verdict not in scenario.verdicts:
        judgement = "wrong verdict"
    elif scenario.question and scenario.question not in (found.question or ""):
        judgement = "wrong question"
    elif scenario.rule and found.rule != scenario.rule:
        judgement = "wrong rule"
    early = events is not None and (not began or said_at < began[0])
    if found.verdict in (READY, ASKS) and early and scenario.rule != "prompt_unproven":
        judgement = "early"
    if judgement != "right":
        details |= {"found": asdict(found), "log": list(events or ())[-10:]}
    return Outcome(judgement, judgement == "right", details)


def complaints(lines: Sequence[Line]) -> list[str]:
    return [f"{line['judgement']}: {line['key']}" for line in lines if not line["ok"]]


PROOF = Proof("readiness", "the right verdict, and never early", cells, 10, complaints, lanes=4)
