"""What a command can answer with, as JSON and as an exit code: data and two functions.

Types of the library only name what an answer holds: a command that asks a server is told by it and loads none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paneward.core.errors import Code, PanewardError
from paneward.core.result import Menu, Readiness, SendResult
from paneward.surfaces import wire
from paneward.surfaces.cli.devices import Devices, SignedOut
from paneward.surfaces.cli.exits import OF_CODE, Exit, exit_of

if TYPE_CHECKING:
    from paneward.app import Explanation, Resident
    from paneward.core.agent import Agent
    from paneward.core.events import Stored
    from paneward.core.hooking import Hooked
    from paneward.core.host import HostStanding
    from paneward.core.profiles import Profile
    from paneward.core.reading import Reading
    from paneward.core.recording import Kept
    from paneward.store import Delivery


@dataclass(frozen=True, slots=True)
class Captured:
    pane: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    pane: str
    menu: Menu | None
    target: str  # what it was asked for by


@dataclass(frozen=True, slots=True)
class Explained:
    explanation: Explanation


@dataclass(frozen=True, slots=True)
class Checked:
    """What a profile reads from a pane."""

    reading: Reading


@dataclass(frozen=True, slots=True)
class Panes:
    panes: tuple[Resident, ...]


@dataclass(frozen=True, slots=True)
class Receipts:
    deliveries: tuple[Delivery, ...]


@dataclass(frozen=True, slots=True)
class Described:
    """One profile with all its fields."""

    profile: Profile


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a verb on one of several: an answer, or why there is none."""

    target: str
    answer: SendResult | Readiness | None = None
    failure: PanewardError | None = None


@dataclass(frozen=True, slots=True)
class Outcomes:
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """An agent, and its state as people see it."""

    agent: Agent
    shown: str
    lasts: float  # seconds since it changed


@dataclass(frozen=True, slots=True)
class Agents:
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Adopted:
    agent: Agent


@dataclass(frozen=True, slots=True)
class Forgotten:
    agent_id: str
    purged: bool


@dataclass(frozen=True, slots=True)
class Responded:
    """What came of an answer to an agent."""

    agent_id: str
    new_state: str
    turn_id: int | None
    receipt: SendResult


@dataclass(frozen=True, slots=True)
class Events:
    events: tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class Running:
    """A server that runs."""

    url: str
    pid: int
    version: str
    sign_in: str = ""  # the address that signs a browser in, once
    log: str = ""  # the file of one that runs by itself
    own_version: str = ""  # of this command
    states: Mapping[str, int] = field(default_factory=dict)  # how many agents stand where
    fresh: bool = False  # it was started by this command


@dataclass(frozen=True, slots=True)
class Stopped:
    url: str = ""  # empty: none was there
    pid: int = 0
    killed: bool = False  # it did not end by itself


@dataclass(frozen=True, slots=True)
class Token:
    """A token of an identity: it says who acts, for a while."""

    token: str
    role: str
    agent: str
    seconds: float  # until it ends


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks in the settings of agents, and how many that ran were not taken yet."""

    agents: tuple[Hooked, ...]
    spool: str
    waiting: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Signalled:
    state: str
    message: str
    path: str  # where it was put


@dataclass(frozen=True, slots=True)
class HostList:
    hosts: tuple[HostStanding, ...]
    now: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class HostTold:
    """A host, after something was done about it."""

    host: HostStanding
    done: str


@dataclass(frozen=True, slots=True)
class HostGone:
    host: str


@dataclass(frozen=True, slots=True)
class Recording:
    """The recording of an agent that was asked for, or ended."""

    agent_id: str
    recording: str
    running: bool = False
    fresh: bool = False  # it began with this


@dataclass(frozen=True, slots=True)
class Recordings:
    recordings: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """A file with a recording."""

    file: Path
    bytes: int
    entries: int = 0
    notes: tuple[str, ...] = ()  # what could not be read


Answer = (
    SendResult | Readiness | Explained | Captured | Asked | Panes | Receipts | Described | Profiles | Checks | Config
    | Checked | Written | Adopted | Agents | Events | Forgotten | Outcomes | Responded | Running | Stopped | Token
    | Devices | SignedOut | Hooks | Signalled | HostList | HostTold | HostGone | Cast | Recording | Recordings
)  # fmt: skip


def exit_code(answer: Answer) -> Exit:
    match answer:
        case SendResult() | Readiness():
            return exit_of(answer)
        case Checks(checks):
            return Exit.FAILED if any(check.state is State.FAIL for check in checks) else Exit.DONE
        case Responded(receipt=receipt):
            return exit_of(receipt)
        case Asked(menu=None):
            return Exit.NOT_FOUND
        case Hooks(agents):
            return Exit.FAILED if any(one.state == "broken" for one in agents) else Exit.DONE
        case Outcomes(outcomes):
            return _exit_of_several({_exit_of_one(one) for one in outcomes})
    return Exit.DONE


def _exit_of_one(outcome: Outcome) -> Exit:
    if outcome.failure is not None:
        return OF_CODE[outcome.failure.code]
    return Exit.DONE if outcome.answer is None else exit_of(outcome.answer)


def _exit_of_several(codes: set[Exit]) -> Exit:
    """What all that went wrong have in common, else failed."""
    wrong = codes - {Exit.DONE}
    return Exit.DONE if not wrong else wrong.pop() if len(wrong) == 1 else Exit.FAILED


def document(answer: Answer) -> dict[str, Any]:
    ok = exit_code(answer) is Exit.DONE
    match answer:
        case SendResult():
            return wire.receipt(answer)
        case Explained(explanation):
            return _explanation(explanation)
        case Checked(reading):
            return wire.record(ok, reading)
        case Panes(panes):
            return wire.document(ok, panes=[_resident(row) for row in panes])
        case Described(profile):
            return _described(profile)
        case Outcomes(outcomes):
            return wire.document(ok, outcomes=[_outcome(one) for one in outcomes])
        case Agents(seats):
            return wire.document(ok, agents=[{**wire.plain(seat.agent), "state": seat.shown} for seat in seats])
        case Events(events):
            return wire.document(ok, events=[flat(one) for one in events])
        case Responded():
            return _responded(ok, answer)
        case Asked(pane, menu) if menu is not None:
            return wire.document(ok, pane=pane, menu=menu)
        case Asked(pane):
            nothing = PanewardError(f"no dialog is open in {pane}", code=Code.NO_DIALOG)
            return {**wire.error(nothing), "pane": pane, "menu": None}
        case HostList(hosts):
            return wire.document(ok, hosts=hosts)
    return wire.record(ok, answer)


def flat(event: Stored) -> dict[str, Any]:
    """An event as it is told everywhere: its own fields beside those of the log."""
    return {"seq": event.seq, "at": event.at, "kind": event.kind, "agent_id": event.agent_id, **event.data}


def _responded(ok: bool, answer: Responded) -> dict[str, Any]:
    """An error stands where every document has it, beside the receipt."""
    written = wire.receipt(answer.receipt)
    told = {name: written[name] for name in ("status", "error_type", "error") if written.get(name) is not None}
    pane, written = answer.receipt.pane, wire.plain(answer.receipt)
    return {**wire.record(ok, answer), **told, "pane": pane, "receipt": written}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    match outcome:
        case Outcome(target, failure=PanewardError() as failure):
            return {"target": target, **wire.error(failure)}
        case Outcome(target, answer=SendResult() as result):
            return {"target": target, **wire.receipt(result)}
    return {"target": outcome.target, **wire.record(_exit_of_one(outcome) is Exit.DONE, outcome.answer)}


def _described(profile: Profile) -> dict[str, Any]:
    from paneward.surfaces.cli.meaning import meanings

    return wire.document(True, profile=profile, meaning=meanings(type(profile)))


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
