"""Every hostile program with the texts that fit it, judged by what the program itself logged.

A send that should go in must be exact; one that must not go in must be refused with nothing pressed. `needless refusal`
is honest but counts against us all the same.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from prove.ledger import Cell, Line, Outcome, Proof
from prove.place import Place
from tests.hostile.texts import CANONICAL, SINGLE_LINE, TEXTS, expected
from tests.live.ground import Played, Stage

UNCONFIRMED_AT_MOST = 0.01
SPREAD = [
    "ascii",
    "unicode",
    "combining",
    "emoji_joined",
    "cjk_long",
    "tabs",
    "command_substitution",
    "trailing_backslash",
    "only_semicolon",
    "leading_dash",
    "key_names",
    "format",
    "one_character",
    "characters_40",
    "repeated",
    "trailing_blanks",
    "two_lines",
    "blank_lines",
    "trailing_newlines",
    "same_lines",
    "crlf",
    "end_of_paste_and_command",
    "looks_busy",
    "looks_like_menu",
    "prompt",
    "already_said",
    "characters_1000",
    "bytes_20000",
    "lines_20000_bytes",
]
UNSEEN = "characters_1000"  # it leaves one cell of room, and there the drawn cursor hides what Enter would take
FEW = ["ascii", "one_character", "two_lines", "trailing_newlines", "tabs", "characters_1000", "lines_20000_bytes"]
LINES = [name for name in SPREAD if name in CANONICAL]
# Of several lines a canonical tty makes several submits; a blank one would be an Enter on nothing.
SHORT_LINES = [name for name in TEXTS if all(0 < len(x.encode()) <= 4095 for x in expected(TEXTS[name]).split("\n"))]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A program, the texts for it, and what has to come of them."""

    program: str
    texts: Sequence[str]
    options: tuple[str, ...] = ()
    outcome: str = "exact"  # or refused, or honest: anything but a wrong claim
    width: int = 80
    height: int = 24
    send: dict[str, Any] = field(default_factory=dict)
    before: str = ""  # `copy_mode`: put the pane into it first; `twice`: send the text once before
    readable: bool = True  # the composer can be read, so `unconfirmed` is no excuse

    @property
    def name(self) -> str:
        parts = [self.program, *self.options, *(f"{key}={value}" for key, value in self.send.items()), self.before]
        if (self.width, self.height) != (80, 24):
            parts.append(f"{self.width}x{self.height}")
        return " ".join(filter(None, parts))


REFUSED_BY_CANONICAL = sorted(SINGLE_LINE - CANONICAL)
SCENARIOS = (
    Scenario("plain_box", list(TEXTS)),
    Scenario("paste_editor", list(TEXTS)),
    Scenario("canonical", SHORT_LINES),
    Scenario("canonical", REFUSED_BY_CANONICAL, outcome="refused"),
    Scenario("canonical", LINES, ("--prompt", "")),
    Scenario("plain_box", SPREAD, ("--no-cursor",)),
    Scenario("plain_box", SPREAD, ("--delay-ms", "80")),
    Scenario("plain_box", SPREAD, width=20),
    Scenario("plain_box", SPREAD, before="copy_mode"),
    Scenario("plain_box", SPREAD, before="twice"),
    Scenario("transcript_echo", SPREAD),
    Scenario("transcript_echo", SPREAD, before="twice"),
    Scenario("early_enter_swallowed", SPREAD),
    Scenario("early_enter_newline", SPREAD),
    Scenario("ghost", SPREAD),
    Scenario("ghost", [name for name in FEW if name != UNSEEN], ("--no-cursor",)),
    Scenario("ghost", [UNSEEN], ("--no-cursor",), outcome="honest", readable=False),
    Scenario("paste_placeholder", SPREAD),
    Scenario("right_prompt", SPREAD),
    Scenario("right_prompt", FEW, ("--right", "clock")),
    Scenario("alt_clock", SPREAD),
    Scenario("boxed_clock", FEW),
    Scenario("boxed_clock", FEW, ("--hint", "Ask me anything")),
    Scenario("slow_start", FEW),
    Scenario("slow_start", FEW, ("--drop-visible",)),
    Scenario("slow_start", ["ascii", "two_lines"], ("--silently",), outcome="honest", readable=False),
    Scenario("late_drawer", ["ascii", "two_lines"], outcome="honest", readable=False),
    Scenario("late_drawer", ["ascii"], ("--hidden",), outcome="honest", readable=False),
    Scenario("busy_ignores", FEW),
    Scenario("busy_ignores", FEW, before="twice"),
    Scenario("busy_queues", FEW),
    Scenario("busy_queues", FEW, ("--type-ahead",)),
    Scenario("pause_output", FEW),
    Scenario("pause_output", FEW, ("--half", "linking > ", "--pause", "select")),
    Scenario("pause_output", FEW, ("--half", "linking > ", "--pause", "epoll", "--raw")),
    Scenario("connecting", FEW),
    Scenario("connecting", FEW, ("--how", "select", "--says", "far$ ")),
    Scenario("flood", FEW),
    Scenario("yes_no", LINES, ("--loop",)),
    Scenario("yes_no", ["one_character"], readable=False),
    *(Scenario("one_key", ["one_character"], ("--kind", kind)) for kind in ("read", "getch", "echo", "line")),
    Scenario("one_key", ["one_character"], ("--kind", "getch"), before="twice"),
    Scenario("one_key", FEW[:1], ("--kind", "read"), outcome="refused"),
    Scenario("password", LINES, outcome="honest", readable=False),
    Scenario("menu", FEW, outcome="refused"),
    Scenario("menu", FEW, ("--permission",), outcome="refused"),
    Scenario("menu", FEW, ("--multi",), outcome="refused"),
    Scenario("draft", FEW, outcome="refused", send={"draft": "refuse"}),
    Scenario("draft", ["ascii"], outcome="refused"),
    Scenario("draft", FEW, ("--gone-after", "1")),
    Scenario("dropper", ["characters_1000", "bytes_4000"], outcome="honest", readable=False),
    Scenario("dropper", ["characters_1000", "bytes_4000"], ("--how", "kill"), outcome="honest", readable=False),
)


def cells(rounds: int) -> list[Cell]:
    """Every text in every scenario, so many rounds over control mode, and one over each other way."""
    ways = [("control", number) for number in range(1, rounds + 1)] + [("exec", 1), ("ssh", 1)]
    return [cell for way, number in ways for cell in _round(way, number)]


def _round(way: str, number: int) -> Iterator[Cell]:
    for scenario in SCENARIOS:
        for text in scenario.texts:
            key = f"{scenario.name}: {text} | {way} {number}"
            yield Cell(key, partial(play, scenario=scenario, text=text, way=way))


async def play(place: Place, scenario: Scenario, text: str, way: str) -> Outcome:
    stage = await asyncio.to_thread(_stage, place, scenario)
    try:
        return await _play_on(stage, place, scenario, text, way)
    finally:
        await place.close_pane(stage.pane)


def _stage(place: Place, scenario: Scenario) -> Stage:
    size = {"width": scenario.width, "height": scenario.height}
    return Stage(place.server, place.directory, scenario.program, *scenario.options, **size)


async def _play_on(stage: Stage, place: Place, scenario: Scenario, text: str, way: str) -> Outcome:
    connection = await place.connection(way)
    if scenario.before == "copy_mode":
        await asyncio.to_thread(place.server.run, "copy-mode", "-t", stage.pane)
    if scenario.before == "twice":
        first = await stage.play(connection, text, **scenario.send)
        if first.judgement != "exact":
            return await _outcome(stage, place, scenario, first)
    return await _outcome(stage, place, scenario, await stage.play(connection, text, **scenario.send))


async def _outcome(stage: Stage, place: Place, scenario: Scenario, played: Played) -> Outcome:
    judgement = judge(scenario, played, stage.events())
    details: dict[str, Any] = {
        "readable": scenario.readable,
        "evidence": played.result.evidence,
        "enters": played.result.enters,
        "latency_ms": played.result.latency_ms,
        "error": played.result.error_type,
    }
    if judgement not in (scenario.outcome, "exact", "refused") or judgement == "needless refusal":
        details |= {
            "result": asdict(played.result),
            "submitted": [_short(line) for line in played.submitted],
            "log": [_short(str(event)) for event in stage.events()][-20:],
            "screen": await asyncio.to_thread(_screen, place, stage.pane),
        }
    return Outcome(judgement, judgement in ("exact", "refused", "unconfirmed"), details)


def judge(scenario: Scenario, played: Played, events: Sequence[dict[str, Any]]) -> str:
    """The proving ground's judgement, held against what this scenario has to end in."""
    if scenario.outcome == "exact" and played.judgement == "refused":
        return "needless refusal"
    if scenario.outcome == "refused":
        if played.judgement == "exact":
            return "not refused"
        if any(event["event"] in ("key", "submit") for event in events):
            return "pressed something"
    return played.judgement


def _short(text: str) -> str:
    return text if len(text) <= 400 else f"{text[:200]}...{text[-180:]} ({len(text)})"


def _screen(place: Place, pane: str) -> str:
    try:
        return place.server.screen(pane)
    except RuntimeError as gone:
        return str(gone)


def complaints(lines: Sequence[Line]) -> list[str]:
    counts = Counter(line["judgement"] for line in lines)
    wrong = [f"{count} x {name}" for name, count in counts.items() if name not in ("exact", "refused", "unconfirmed")]
    blind = [line["key"] for line in lines if line["judgement"] == "unconfirmed" and line.get("readable")]
    wrong += [f"unconfirmed though the composer can be read: {key}" for key in blind]
    if counts["unconfirmed"] > UNCONFIRMED_AT_MOST * len(lines):
        wrong.append(f"unconfirmed: {counts['unconfirmed']} of {len(lines)}")
    return wrong


PROOF = Proof("delivery", "each hostile program with the texts that fit it", cells, 10, complaints, lanes=4)
