"""What a command can answer with, as JSON and as an exit code: data and two functions."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from paneward.app import Explanation, Resident
from paneward.core.profiles import Profile
from paneward.core.reading import Reading
from paneward.core.result import Menu, Readiness, SendResult
from paneward.store import Delivery
from paneward.surfaces import wire
from paneward.surfaces.cli.exits import Exit, exit_of
from paneward.surfaces.cli.meaning import meanings


@dataclass(frozen=True, slots=True)
class Captured:
    pane: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    pane: str
    menu: Menu | None


@dataclass(frozen=True, slots=True)
class Panes:
    panes: tuple[Resident, ...]


@dataclass(frozen=True, slots=True)
class Receipts:
    deliveries: tuple[Delivery, ...]


@dataclass(frozen=True, slots=True)
class Profiles:
    profiles: tuple[Profile, ...]


class State(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing the doctor looked at."""

    name: str
    state: State
    seen: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Checks:
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """One setting in effect."""

    key: str
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Config:
    settings: tuple[Value, ...]
    profiles: tuple[str, ...] = ()
    checked: bool = False  # only whether it is valid was asked


@dataclass(frozen=True, slots=True)
class Written:
    """Files that were written, and what is in them."""

    files: tuple[Path, ...]
    contains: tuple[str, ...]
    notes: tuple[str, ...] = ()
    hint: str = ""


Answer = (
    SendResult | Readiness | Explanation | Captured | Asked | Panes | Receipts | Profile | Profiles | Checks | Config
    | Reading | Written
)  # fmt: skip


def exit_code(answer: Answer) -> Exit:
    match answer:
        case SendResult() | Readiness():
            return exit_of(answer)
        case Checks(checks):
            return Exit.FAILED if any(check.state is State.FAIL for check in checks) else Exit.DONE
    return Exit.DONE


def document(answer: Answer) -> dict[str, Any]:
    ok = exit_code(answer) is Exit.DONE
    match answer:
        case SendResult():
            return wire.receipt(answer)
        case Explanation():
            return _explanation(answer)
        case Panes(panes):
            return wire.document(ok, panes=[_resident(row) for row in panes])
        case Profile():
            return wire.document(ok, profile=answer, meaning=meanings(Profile))
    return wire.record(ok, answer)


def _resident(row: Resident) -> dict[str, Any]:
    told = {"profile": row.profile, "version": row.version, "version_known": row.version_known}
    return {**wire.plain(row.info), **told}


def _explanation(found: Explanation) -> dict[str, Any]:
    scene, snapshot, assessment = found.scene, found.scene.snapshot, found.assessment
    return wire.document(
        True,
        pane=found.pane,
        profile=found.profile,
        verdict=assessment.verdict,
        rule=assessment.rule,
        evidence=assessment.evidence,
        question=assessment.question,
        working=assessment.working,
        state=found.standing,
        tried=assessment.tried,
        process=scene.process,
        quiet=scene.quiet,
        cursor={"x": snapshot.cursor_x, "y": snapshot.cursor_y, "visible": snapshot.cursor_visible},
        size={"width": snapshot.width, "height": snapshot.height},
        in_mode=snapshot.in_mode,
        alternate=snapshot.alternate,
        dead=snapshot.dead,
        title=snapshot.title,
        screen=found.screen,
        menu=found.menu,
    )
