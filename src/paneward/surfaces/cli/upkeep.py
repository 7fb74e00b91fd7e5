"""What the commands answer with that are not run all the time, as JSON and as an exit code: data and two functions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from paneward.client.devices import Devices, SignedOut
from paneward.core.result import SendResult
from paneward.surfaces import wire
from paneward.surfaces.cli.answers import flat
from paneward.surfaces.cli.exits import Exit, exit_of

if TYPE_CHECKING:
    from paneward.app import Explanation, Resident
    from paneward.core.agent.events import Stored
    from paneward.core.agent.record import Agent
    from paneward.core.hook_install import Hooked
    from paneward.core.hosts.host import HostStanding
    from paneward.core.profiles import Profile
    from paneward.core.readiness.inspection import Inspection
    from paneward.core.recording.recorder import KeptRecording


@dataclass(frozen=True, slots=True)
class Explained:
    """What is seen in a pane, and what was made of it."""

    explanation: Explanation


@dataclass(frozen=True, slots=True)
class Checked:
    """What a profile reads from a pane."""

    reading: Inspection


@dataclass(frozen=True, slots=True)
class PaneList:
    """The panes of a tmux server."""

    panes: tuple[Resident, ...]


@dataclass(frozen=True, slots=True)
class Described:
    """One profile with all its fields."""

    profile: Profile


@dataclass(frozen=True, slots=True)
class Profiles:
    """The profiles that are known."""

    profiles: tuple[Profile, ...]


class CheckState(StrEnum):
    """What the doctor thinks of it."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing the doctor looked at."""

    name: str
    state: CheckState
    seen: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Checks:
    """All that the doctor looked at."""

    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """One setting in effect."""

    key: str
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in effect."""

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
class Adopted:
    """An agent that was taken in."""

    agent: Agent


@dataclass(frozen=True, slots=True)
class Forgotten:
    """An agent that is watched no longer."""

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
    """What happened."""

    events: tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class Stopped:
    """A server that was ended."""

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
    id: str  # by which it is revoked


@dataclass(frozen=True, slots=True)
class Revoked:
    """A token that counts no more."""

    id: str


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks in the settings of agents, and how many that ran were not taken yet."""

    agents: tuple[Hooked, ...]
    spool: str
    waiting: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class HostList:
    """The hosts that are known."""

    hosts: tuple[HostStanding, ...]
    now: float  # seconds since the epoch


@dataclass(frozen=True, slots=True)
class HostTold:
    """A host, after something was done about it."""

    host: HostStanding
    done: str


@dataclass(frozen=True, slots=True)
class HostGone:
    """A host that was removed."""

    host: str


@dataclass(frozen=True, slots=True)
class Recording:
    """The recording of an agent that was asked for, or ended."""

    agent_id: str
    recording: str
    running: bool = False
    fresh: bool = False  # it began with this


@dataclass(frozen=True, slots=True)
class RecordingList:
    """The recordings there are."""

    recordings: tuple[KeptRecording, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """A file with a recording."""

    file: Path
    bytes: int
    entries: int = 0
    notes: tuple[str, ...] = ()  # what could not be read


Upkeep: TypeAlias = (
    Explained | Checked | PaneList | Described | Profiles | Checks | Config | Written | Adopted | Events | Forgotten
    | Responded | Stopped | Token | Revoked | Devices | SignedOut | Hooks | HostList | HostTold | HostGone | Cast
    | Recording | RecordingList
)  # fmt: skip


def exit_of_upkeep(answer: Upkeep) -> Exit:
    match answer:
        case Checks(checks):
            return Exit.FAILED if any(check.state is CheckState.FAIL for check in checks) else Exit.DONE
        case Responded(receipt=receipt):
            return exit_of(receipt)
        case Hooks(agents):
            return Exit.FAILED if any(one.state == "broken" for one in agents) else Exit.DONE
    return Exit.DONE


def document_of_upkeep(ok: bool, answer: Upkeep) -> dict[str, Any]:
    match answer:
        case Explained(explanation):
            return _explanation(explanation)
        case Checked(reading):
            return wire.record(ok, reading)
        case PaneList(panes):
            return wire.document(ok, panes=[_resident(row) for row in panes])
        case Described(profile):
            return _described(profile)
        case Events(events):
            return wire.document(ok, events=[flat(one) for one in events])
        case Responded():
            return _responded(ok, answer)
        case HostList(hosts):
            return wire.document(ok, hosts=hosts)
    return wire.record(ok, answer)


def _responded(ok: bool, answer: Responded) -> dict[str, Any]:
    """An error stands where every document has it, beside the receipt."""
    written = wire.receipt(answer.receipt)
    told = {name: written[name] for name in ("status", "error_type", "error") if written.get(name) is not None}
    pane, written = answer.receipt.pane, wire.plain(answer.receipt)
    return {**wire.record(ok, answer), **told, "pane": pane, "receipt": written}


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
