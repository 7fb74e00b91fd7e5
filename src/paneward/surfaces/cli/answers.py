"""What a command can answer with, as JSON and as an exit code: data and two functions.

Here stands what the verbs answer with that are run all the time; the rest (`upkeep`) is loaded for those that need it.
Types of the library only name what an answer holds: a command that asks a server is told by it and loads none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from paneward.core.errors import Code, PanewardError
from paneward.core.result import Menu, Readiness, SendResult
from paneward.surfaces import wire
from paneward.surfaces.cli.exits import OF_CODE, Exit, exit_of

if TYPE_CHECKING:
    from paneward.core.agent.events import Stored
    from paneward.core.agent.record import Agent
    from paneward.store import Delivery
    from paneward.surfaces.cli.upkeep import Upkeep


@dataclass(frozen=True, slots=True)
class CapturedLines:
    """The last lines of a pane."""

    pane: str
    text: str


@dataclass(frozen=True, slots=True)
class OpenDialog:
    """The dialog that is open in a pane, if one is."""

    pane: str
    menu: Menu | None
    target: str  # what it was asked for by


@dataclass(frozen=True, slots=True)
class Receipts:
    """The newest deliveries."""

    deliveries: tuple[Delivery, ...]


@dataclass(frozen=True, slots=True)
class OneOfMany:
    """What came of a verb on one of several: an answer, or why there is none."""

    target: str
    answer: SendResult | Readiness | None = None
    failure: PanewardError | None = None


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What came of a verb on several."""

    outcomes: tuple[OneOfMany, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """An agent, and its state as people see it."""

    agent: Agent
    shown: str
    lasts: float  # seconds since it changed


@dataclass(frozen=True, slots=True)
class AgentList:
    """The agents that a server watches."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class RunningServer:
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
class Signalled:
    """What was told by `paneward signal`."""

    state: str
    message: str
    path: str  # where it was put


Answer: TypeAlias = (
    "SendResult | Readiness | CapturedLines | OpenDialog | Receipts | Outcomes | AgentList | RunningServer"
    " | Signalled | Upkeep"
)


def exit_code(answer: Answer) -> Exit:
    match answer:
        case SendResult() | Readiness():
            return exit_of(answer)
        case OpenDialog(menu=None):
            return Exit.NOT_FOUND
        case Outcomes(outcomes):
            return _exit_of_several({_exit_of_one(one) for one in outcomes})
        case CapturedLines() | OpenDialog() | Receipts() | AgentList() | RunningServer() | Signalled():
            return Exit.DONE
    from paneward.surfaces.cli.upkeep import exit_of_upkeep

    return exit_of_upkeep(answer)


def _exit_of_one(outcome: OneOfMany) -> Exit:
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
        case Outcomes(outcomes):
            return wire.document(ok, outcomes=[_outcome(one) for one in outcomes])
        case AgentList(seats):
            return wire.document(ok, agents=[{**wire.plain(seat.agent), "state": seat.shown} for seat in seats])
        case OpenDialog(pane, menu) if menu is not None:
            return wire.document(ok, pane=pane, menu=menu)
        case OpenDialog(pane):
            nothing = PanewardError(f"no dialog is open in {pane}", code=Code.NO_DIALOG)
            return {**wire.error(nothing), "pane": pane, "menu": None}
        case Readiness() | CapturedLines() | Receipts() | RunningServer() | Signalled():
            return wire.record(ok, answer)
    from paneward.surfaces.cli.upkeep import document_of_upkeep

    return document_of_upkeep(ok, answer)


def _outcome(outcome: OneOfMany) -> dict[str, Any]:
    match outcome:
        case OneOfMany(target, failure=PanewardError() as failure):
            return {"target": target, **wire.error(failure)}
        case OneOfMany(target, answer=SendResult() as result):
            return {"target": target, **wire.receipt(result)}
    return {"target": outcome.target, **wire.record(_exit_of_one(outcome) is Exit.DONE, outcome.answer)}


def flat(event: Stored) -> dict[str, Any]:
    """An event as it is told everywhere: its own fields beside those of the log."""
    return {"seq": event.seq, "at": event.at, "kind": event.kind, "agent_id": event.agent_id, **event.data}
