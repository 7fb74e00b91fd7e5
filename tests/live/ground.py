"""The proving ground: a hostile program in a pane, a text sent to it, and the judgement by what the program logged.

`make test` plays every case once; `make prove` plays them again and again under load. A judgement is one of

    exact           submitted once, byte for byte, and the receipt says so
    refused         nothing was submitted, and the receipt says so
    unconfirmed     the receipt claims neither; what was submitted is exact or nothing
    false claim     the receipt says submitted, and it was not so
    false failure   the receipt says failed, and it was submitted exactly
    mangled         something else than the text was submitted
    stray enter     Enter was pressed on an empty box
"""

import asyncio
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paneward.app import Connection
from paneward.core.result import SendResult, Verdict
from tests.adapters.conftest import TmuxServer
from tests.hostile.driver import read_log
from tests.hostile.texts import TEXTS, expected

ROOT = Path(__file__).parents[2]
DEMO = ["-m", "paneward.demo.agent"]
LINE_READERS = ("canonical", "yes_no", "password")  # a terminal that collects lines hands over one at each newline
AFTERWARDS = 0.4  # seconds in which an Enter too many would show up
ARRIVES = 20.0


@dataclass(frozen=True, slots=True)
class Case:
    program: str
    text: str  # its name in TEXTS
    options: tuple[str, ...] = ()
    width: int = 80
    height: int = 24
    send: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        options = "".join(f" {option}" for option in self.options)
        size = "" if (self.width, self.height) == (80, 24) else f" {self.width}x{self.height}"
        return f"{self.program}{options}{size}: {self.text}"


@dataclass(frozen=True, slots=True)
class Played:
    case: Case
    result: SendResult
    judgement: str
    submitted: tuple[str, ...]

    @property
    def honest(self) -> bool:
        return self.judgement in ("exact", "refused", "unconfirmed")

    def __str__(self) -> str:
        taken = [text if len(text) < 80 else f"{text[:80]!r}... ({len(text)})" for text in self.submitted]
        verdict = f"{self.result.verdict}, {self.result.evidence}"
        return f"{self.case.name}: {self.judgement}; {verdict}; submitted {taken[:5]} of {len(taken)}"


class Stage:
    """One running program and its log, into which several texts can be sent one after the other."""

    def __init__(
        self, server: TmuxServer, directory: Path, program: str, *options: str, width: int = 80, height: int = 24
    ) -> None:
        self._log = directory / f"{program}-{server.sessions}.log"
        homes = [ROOT / "tests" / home / f"{program}.py" for home in ("hostile", "live")]
        command = DEMO if program == "demo_agent" else [str(next(home for home in homes if home.exists()))]
        self.pane = server.new_pane(
            [sys.executable, *command, "--log", str(self._log), *options], width=width, height=height, remain=True
        )
        self.program, self.options, self.size = program, options, (width, height)

    def events(self) -> list[dict[str, Any]]:
        return [dict(event) for event in read_log(self._log)]

    def named(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events() if event["event"] == kind]

    def submits(self, since: int = 0, until: int | None = None) -> tuple[str, ...]:
        """What the program took; of one that reads lines, also the empty ones."""
        kinds = ("submit", "empty_enter") if self.program in LINE_READERS else ("submit",)
        return tuple(str(event.get("text", "")) for event in self.events()[since:until] if event["event"] in kinds)

    async def wait_event(self, kind: str, count: int = 1) -> None:
        await reached(lambda: len(self.named(kind)) >= count)

    async def play(self, connection: Connection, text: str, **send: Any) -> Played:
        """Send one text and judge."""
        [played] = await self.play_all(connection, [text], **send)
        return played

    async def play_all(self, connection: Connection, texts: Iterable[str], **send: Any) -> list[Played]:
        """Send texts one after the other, each as soon as the one before was taken, and judge them in the end:
        an Enter too many of one text would submit an empty box, or the next text in the middle."""
        sent: list[tuple[str, SendResult, int, int]] = []
        for text in texts:
            since = len(self.events())
            result = await connection.send_text(self.pane, TEXTS[text], **send)
            if result.verdict is Verdict.CONFIRMED:
                await reached(lambda text=text, since=since: len(self.submits(since)) >= len(self._wanted(text)))  # type: ignore[misc]
            sent.append((text, result, since, len(self.events())))
        await asyncio.sleep(AFTERWARDS)
        ends = [since for _, _, since, _ in sent[1:]] + [len(self.events())]
        return [
            self._played(text, result, since, end, send)
            for (text, result, since, _), end in zip(sent, ends, strict=True)
        ]

    def _played(self, text: str, result: SendResult, since: int, end: int, send: dict[str, Any]) -> Played:
        case = Case(self.program, text, self.options, *self.size, send)
        return Played(case, result, self._judge(result, text, since, end), self.submits(since, end))

    def _wanted(self, text: str) -> tuple[str, ...]:
        whole = expected(TEXTS[text])
        return tuple(whole.split("\n")) if self.program in LINE_READERS else (whole,)

    def _judge(self, result: SendResult, text: str, since: int, end: int) -> str:
        submitted = self.submits(since, end)
        exact = submitted == self._wanted(text)
        if submitted and not exact:
            return "mangled"
        strays = [event for event in self.events()[since:end] if event["event"] == "empty_enter"]
        if strays and self.program not in LINE_READERS:
            return "stray enter"
        match result.verdict:
            case Verdict.CONFIRMED:
                return "exact" if exact else "false claim"
            case Verdict.FAILED:
                return "false failure" if exact else "refused"
        return "unconfirmed"


async def reached(condition: Callable[[], bool]) -> None:
    """Wait for evidence, long enough for any machine; the judgement says so when it does not come."""
    for _ in range(int(ARRIVES / 0.01)):
        if condition():
            return
        await asyncio.sleep(0.01)


async def play(connection: Connection, server: TmuxServer, directory: Path, case: Case) -> Played:
    """Play one case in a pane of its own."""
    stage = Stage(server, directory, case.program, *case.options, width=case.width, height=case.height)
    return await stage.play(connection, case.text, **case.send)
