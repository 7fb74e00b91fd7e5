"""An agent with an identity, what it was told and what it said: records, and the table of its states.

An agent has commands, each one unit of work; a command has turns. A turn is stored before the state changes by it, and a
change that the table refuses leaves the turn where it is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from paneward.core.result import Menu
from paneward.core.standing import AWAITING, AgentState, Ending, Standing


class Stage(StrEnum):
    """What the work of an agent has come to."""

    IDLE = "IDLE"  # it has nothing to do
    COMMANDED = "COMMANDED"  # it was given a command and has not shown yet that it works on it
    PROCESSING = "PROCESSING"  # it works
    AWAITING_INPUT = "AWAITING_INPUT"  # it asks something
    COMPLETE = "COMPLETE"  # its last command is done, and nothing came since


class Said(StrEnum):
    """Who said what."""

    USER_COMMAND = "user_command"
    USER_ANSWER = "user_answer"
    AGENT_PROGRESS = "agent_progress"
    AGENT_QUESTION = "agent_question"
    AGENT_COMPLETION = "agent_completion"


_AT_REST: Final = {
    Said.USER_COMMAND: Stage.COMMANDED,
    Said.AGENT_PROGRESS: Stage.PROCESSING,
    Said.AGENT_QUESTION: Stage.AWAITING_INPUT,
    Said.AGENT_COMPLETION: Stage.COMPLETE,
}
TRANSITIONS: Final[Mapping[Stage, Mapping[Said, Stage]]] = {
    Stage.IDLE: _AT_REST,
    Stage.COMPLETE: _AT_REST,
    Stage.COMMANDED: _AT_REST,
    Stage.PROCESSING: {
        Said.USER_COMMAND: Stage.PROCESSING,
        Said.USER_ANSWER: Stage.PROCESSING,
        Said.AGENT_PROGRESS: Stage.PROCESSING,
        Said.AGENT_QUESTION: Stage.AWAITING_INPUT,
        Said.AGENT_COMPLETION: Stage.COMPLETE,
    },
    Stage.AWAITING_INPUT: {
        Said.USER_COMMAND: Stage.COMMANDED,  # a new command opens
        Said.USER_ANSWER: Stage.PROCESSING,
        Said.AGENT_PROGRESS: Stage.AWAITING_INPUT,
        Said.AGENT_QUESTION: Stage.AWAITING_INPUT,
        Said.AGENT_COMPLETION: Stage.COMPLETE,
    },
}
RESTING: Final = (Stage.IDLE, Stage.COMPLETE)


def next_stage(stage: Stage, said: Said) -> Stage | None:
    """Where this leads; None where the table has no way."""
    return TRANSITIONS[stage].get(said)


def opens(stage: Stage, said: Said) -> bool:
    """A new command begins with this: one was given, or the agent does something without having been told here."""
    if said is Said.USER_COMMAND:
        return stage is not Stage.PROCESSING
    return stage in RESTING and said is not Said.USER_ANSWER


def heard(stage: Stage, standing: Standing) -> Said | None:
    """What an agent that was seen to stand somewhere has said by it; None where that is nothing new."""
    match standing.state:
        case AgentState.BUSY if stage is Stage.AWAITING_INPUT:
            return Said.USER_ANSWER  # somebody answered in the pane
        case AgentState.BUSY if stage is not Stage.PROCESSING:
            return Said.AGENT_PROGRESS
        case state if state in AWAITING:
            return Said.AGENT_QUESTION
        case AgentState.IDLE if stage in (Stage.PROCESSING, Stage.AWAITING_INPUT):
            return Said.AGENT_COMPLETION
        case AgentState.IDLE if stage is Stage.COMMANDED and standing.ending is not Ending.NONE:
            return Said.AGENT_COMPLETION
    return None


class Actor(StrEnum):
    USER = "USER"
    AGENT = "AGENT"


class Intent(StrEnum):
    COMMAND = "COMMAND"
    ANSWER = "ANSWER"
    PROGRESS = "PROGRESS"
    QUESTION = "QUESTION"
    COMPLETION = "COMPLETION"


SPOKEN: Final[Mapping[Said, tuple[Actor, Intent]]] = {
    Said.USER_COMMAND: (Actor.USER, Intent.COMMAND),
    Said.USER_ANSWER: (Actor.USER, Intent.ANSWER),
    Said.AGENT_PROGRESS: (Actor.AGENT, Intent.PROGRESS),
    Said.AGENT_QUESTION: (Actor.AGENT, Intent.QUESTION),
    Said.AGENT_COMPLETION: (Actor.AGENT, Intent.COMPLETION),
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that was said to an agent or by it."""

    agent: str
    actor: Actor
    intent: Intent
    text: str = ""  # redacted; empty for a secret, and where nothing tells the words
    source: str = ""  # who told: `delivery`, `screen`, `status`, `title`, ...
    evidence: str = ""
    question: Menu | None = None  # what is asked, as data
    answers: int | None = None  # the turn that asked
    delivery: str | None = None  # by which it went in
    unconfirmed: bool = False  # nothing proves that it went in
    command: int | None = None
    id: int = 0  # given by the store
    at: float = 0.0  # seconds since the epoch, given by the store


@dataclass(frozen=True, slots=True)
class Command:
    """One unit of work: from what began it to its end."""

    agent: str
    id: int = 0
    opened_at: float = 0.0
    closed_at: float | None = None
    ending: str = ""  # `done`, `interrupted`, `replaced`, `lost`


@dataclass(frozen=True, slots=True)
class Agent:
    """A program in a pane that Paneward keeps an eye on, under a name of its own."""

    id: str  # the name: lower case letters, digits, `-`, `_`, `.`
    tmux: str = ""  # which tmux server: host and socket
    socket: str = ""  # the path of its socket
    pane: str | None = None  # none: it cannot be typed into
    pane_pid: int = 0
    profile: str | None = None  # named by who adopted it; else the program is recognised
    role: str = ""
    labels: tuple[str, ...] = ()
    kind: str = ""  # the profile that fits what runs in the pane
    version: str = ""
    cwd: str = ""
    stage: Stage = Stage.IDLE
    since: float = 0.0  # seconds since the epoch
    source: str = ""  # who told
    reason: str = ""  # the deciding fact
    question: Menu | None = None  # what it asks at this moment
    asked: int | None = None  # the turn that asks it
    command: int | None = None  # the open one
    gone: str = ""  # why its pane cannot be reached
    adopted_at: float = 0.0
    seq: int = 0  # of its last event
