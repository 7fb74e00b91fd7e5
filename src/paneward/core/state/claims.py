"""Where an agent stands, and who said so: data."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class AgentState(StrEnum):
    STARTING = "starting"  # its composer was not seen yet
    IDLE = "idle"  # it takes a text
    BUSY = "busy"  # it works
    AWAITING_PERMISSION = "awaiting_permission"  # it asks whether it may do something
    AWAITING_QUESTION = "awaiting_question"  # it asks anything else
    DEAD = "dead"  # the program or the pane is gone
    UNKNOWN = "unknown"  # nothing that is known of it can be found


class Ending(StrEnum):
    """How the last turn ended, of an agent that is idle."""

    NONE = ""  # none was seen to end
    DONE = "done"
    INTERRUPTED = "interrupted"


class Source(StrEnum):
    """Who said it, the strongest first."""

    PROCESS = "process"  # the pane and the program in it
    HOOK = "hook"  # a command of ours that the agent runs at certain moments
    STATUS = "status"  # OSC 7501
    TITLE = "title"
    PROGRESS = "progress"  # OSC 9;4
    SCREEN = "screen"
    SIGNAL = "signal"  # what the agent has said itself, by `paneward signal`
    DELIVERY = "delivery"  # words of ours, of which nothing shows yet
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Claim:
    """What one source says."""

    source: Source
    state: AgentState
    evidence: str
    since: float  # when it began to say so
    kind: str = field(default="", compare=False)  # of a dialog
    question: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of an agent, the fact that decided it, and what the others said."""

    state: AgentState
    source: Source
    evidence: str
    since: float  # when this state began, by the clock that the machine is fed with
    activity: str = ""  # of one that works, where it can be told: `thinking`, `streaming`, `tool`
    ending: Ending = Ending.NONE
    kind: str = ""  # of a dialog that is known by its words
    question: str = ""
    claims: tuple[Claim, ...] = field(default=(), compare=False)  # of all sources, the strongest first

    @property
    def stage(self) -> str:
        """The state of the work: what a command that was given to the agent has come to."""
        if self.state is AgentState.BUSY and self.source is Source.DELIVERY:
            return "COMMANDED"
        if self.state is AgentState.IDLE and self.ending is not Ending.NONE:
            return "COMPLETE"
        return STAGES.get(self.state, "")


STAGES: Final = {
    AgentState.IDLE: "IDLE",
    AgentState.BUSY: "PROCESSING",
    AgentState.AWAITING_PERMISSION: "AWAITING_INPUT",
    AgentState.AWAITING_QUESTION: "AWAITING_INPUT",
}
AWAITING: Final = (AgentState.AWAITING_PERMISSION, AgentState.AWAITING_QUESTION)
TURN: Final = (AgentState.BUSY, *AWAITING)
