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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paneward.app import Connection
from paneward.core.result import SendResult, Verdict
from tests.adapters.conftest import TmuxServer
from tests.hostile.driver import read_log
from tests.hostile.texts import TEXTS, expected

ROOT = Path(__file__).parents[2]
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


class Stage:
    """One running program and its log, into which several texts can be sent one after the other."""

    def __init__(self, server: TmuxServer, directory: Path, program: str, *options: str, width: int = 80, height: int = 24):
        self._log = directory / f"{program}-{server.sessions}.log"
        self.pane = server.new_pane(
            [sys.executable, str(ROOT / "tests" / "hostile" / f"{program}.py"), "--log", str(self._log), *options],
            width=width,
            height=height,
            remain=True,
        )
        self.program, self.options, self.size = program, options, (width, height)
        self._read = 0

    def events(self) -> list[dict[str, Any]]:
        return [dict(event) for event in read_log(self._log)]

    def submits(self, since: int = 0) -> tuple[str, ...]:
        return tuple(str(event["text"]) for event in self.events()[since:] if event["event"] == "submit")

    async def wait_event(self, kind: str) -> None:
        await _until(lambda: any(event["event"] == kind for event in self.events()))

    async def play(self, connection: Connection, text: str, **send: Any) -> Played:
        case = Case(self.program, text, self.options, *self.size, send)
        since = len(self.events())
        result = await connection.send_text(self.pane, TEXTS[text], **send)
        if result.verdict is Verdict.CONFIRMED:
            await _until(lambda: bool(self.submits(since)))
        await asyncio.sleep(AFTERWARDS)
        return Played(case, result, self._judge(result, text, since), self.submits(since))

    def _judge(self, result: SendResult, text: str, since: int) -> str:
        wanted, submitted = expected(TEXTS[text]), self.submits(since)
        if self.program == "canonical":
            exact = list(submitted) == wanted.split("\n")
        else:
            exact = submitted == (wanted,)
        if submitted and not exact:
            return "mangled"
        if any(event["event"] == "empty_enter" for event in self.events()[since:]) and wanted.strip("\n"):
            return "stray enter"
        match result.verdict:
            case Verdict.CONFIRMED:
                return "exact" if exact else "false claim"
            case Verdict.FAILED:
                return "false failure" if exact else "refused"
        return "unconfirmed"


async def _until(condition: Any) -> None:
    """Wait for evidence, long enough for any machine; the judgement says so when it does not come."""
    for _ in range(int(ARRIVES / 0.01)):
        if condition():
            return
        await asyncio.sleep(0.01)


async def play(connection: Connection, server: TmuxServer, directory: Path, case: Case) -> Played:
    """Play one case in a pane of its own."""
    stage = Stage(server, directory, case.program, *case.options, width=case.width, height=case.height)
    return await stage.play(connection, case.text, **case.send)
