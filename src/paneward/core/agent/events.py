"""Every fact we publish: data. Each is appended to the log under one rising `seq` before anybody hears of it.

The wire format is derived from these types: an object of their fields, with `kind`, `seq` and `at` beside them.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final

from paneward.core.agent.record import Agent, Turn
from paneward.core.usage import Usage


@dataclass(frozen=True, slots=True)
class ServerStarted:
    """A server took over the store."""

    version: str
    kind: ClassVar[str] = "server_started"


@dataclass(frozen=True, slots=True)
class ServerStopped:
    """The server ended in order. One that was killed leaves none."""

    reason: str
    kind: ClassVar[str] = "server_stopped"


@dataclass(frozen=True, slots=True)
class AgentAdopted:
    """An agent has a name now, and is watched."""

    agent_id: str
    agent: Agent
    kind: ClassVar[str] = "agent_adopted"


@dataclass(frozen=True, slots=True)
class AgentForgotten:
    """An agent is watched no longer; its pane was left alone."""

    agent_id: str
    purged: bool = False  # what was stored of it is gone too
    kind: ClassVar[str] = "agent_forgotten"


@dataclass(frozen=True, slots=True)
class AgentLost:
    """The pane of an agent cannot be reached, or its program ended."""

    agent_id: str
    reason: str
    kind: ClassVar[str] = "agent_lost"


@dataclass(frozen=True, slots=True)
class AgentFound:
    """The pane of an agent that was lost is there again."""

    agent_id: str
    reason: str
    kind: ClassVar[str] = "agent_found"


@dataclass(frozen=True, slots=True)
class TurnStored:
    """Something was said to an agent, or by it."""

    agent_id: str
    turn: Turn
    kind: ClassVar[str] = "turn_stored"


@dataclass(frozen=True, slots=True)
class TurnAmended:
    """The words of a turn that was stored without them became known."""

    agent_id: str
    turn: Turn
    kind: ClassVar[str] = "turn_amended"


@dataclass(frozen=True, slots=True)
class HookHeard:
    """A hook of an agent told of a prompt or of its end, or the agent gave a signal. Told again, it is not heard."""

    agent_id: str
    what: str
    hook: str  # what the agent calls it
    session: str  # the conversation
    prompt_id: str  # the agent's own id of the prompt
    text: str  # empty for a secret
    signal: str  # the state that it signals
    ran_at: float  # seconds since the epoch
    delivery: str = ""  # whose secret the prompt is
    kind: ClassVar[str] = "hook_heard"


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The work of an agent has come to another state."""

    agent_id: str
    old_state: str
    new_state: str
    turn_id: int | None
    source: str  # who told
    reason: str  # the deciding fact
    others: tuple[str, ...] = ()  # what the sources that lost had said
    kind: ClassVar[str] = "state_changed"


@dataclass(frozen=True, slots=True)
class TransitionRefused:
    """A turn was stored, and the table of states had no way for it."""

    agent_id: str
    state: str
    said: str
    turn_id: int | None
    kind: ClassVar[str] = "transition_refused"


@dataclass(frozen=True, slots=True)
class DeliveryBegun:
    """A text or an answer is about to be typed. What it takes to go on with it after a crash stands here; its text
    stands with the delivery."""

    agent_id: str
    message_id: str
    intent: str
    plan: dict[str, Any]
    kind: ClassVar[str] = "delivery_begun"


@dataclass(frozen=True, slots=True)
class DeliveryChanged:
    """A delivery to an agent came to an end, or its receipt was upgraded by later evidence. Where that confirms it, its
    turn is marked `unconfirmed` no more."""

    agent_id: str
    delivery_id: str
    verdict: str
    rung: str
    evidence: str
    error_type: str | None = None
    kind: ClassVar[str] = "delivery_changed"


@dataclass(frozen=True, slots=True)
class SignalSeen:
    """An agent told something beside its work: by a marker, a notification, a hook, the event file."""

    agent_id: str
    state: str
    message: str
    source: str  # `hook`, `event_file`, `marker`, `osc`, `bell`
    key: str  # tells it from every other signal of this agent
    nudge_seq: int
    caught_up: bool = False  # it was told while no server listened
    lag: float = 0.0  # seconds from its coming to its being written down
    kind: ClassVar[str] = "signal_seen"


@dataclass(frozen=True, slots=True)
class NudgeRaised:
    """An agent calls for the human. With a `nudge_seq` that was there before, its words are better now."""

    agent_id: str
    nudge_seq: int
    nudge_state: str
    nudge_summary: str
    nudge_source: str
    kind: ClassVar[str] = "nudge_raised"


@dataclass(frozen=True, slots=True)
class NudgeCleared:
    """The call is over: the agent works, or somebody attends to it."""

    agent_id: str
    nudge_seq: int
    reason: str
    kind: ClassVar[str] = "nudge_cleared"


@dataclass(frozen=True, slots=True)
class NearMiss:
    """Something began like a marker and is none."""

    agent_id: str
    line: str
    kind: ClassVar[str] = "near_miss"


@dataclass(frozen=True, slots=True)
class OutputLost:
    """An agent printed more than tmux holds, while nobody could listen: a signal may have been among it."""

    agent_id: str
    reason: str
    kind: ClassVar[str] = "output_lost"


@dataclass(frozen=True, slots=True)
class HostAdded:
    """A host is known now, and is connected to."""

    host: str
    ssh: str  # what ssh is told
    kind: ClassVar[str] = "host_added"


@dataclass(frozen=True, slots=True)
class HostRemoved:
    """A host is not connected to any more."""

    host: str
    kind: ClassVar[str] = "host_removed"


@dataclass(frozen=True, slots=True)
class HostConnected:
    """A host answers, and has a tmux that Paneward knows how to talk to."""

    host: str
    tmux: str  # its version
    kind: ClassVar[str] = "host_connected"


@dataclass(frozen=True, slots=True)
class HostDisconnected:
    """A host cannot be reached, or not without a human. Agents there are lost until it is connected again."""

    host: str
    state: str  # `disconnected`: it is tried again; `needs_login`: only when somebody asks
    code: str
    reason: str
    kind: ClassVar[str] = "host_disconnected"


@dataclass(frozen=True, slots=True)
class UsageChanged:
    """An agent has used more, or its context is fuller: told every few seconds at most, and at the ends of turns."""

    agent_id: str
    usage: Usage
    kind: ClassVar[str] = "usage_changed"


@dataclass(frozen=True, slots=True)
class RecordingStarted:
    """The output of an agent is recorded from now on."""

    agent_id: str
    recording: str  # its name
    kind: ClassVar[str] = "recording_started"


@dataclass(frozen=True, slots=True)
class RecordingStopped:
    """A recording came to its end. A new server goes on with one that was running: that is no end."""

    agent_id: str
    recording: str
    reason: str  # `asked`, `limit`, `age`, `gone`, `forgotten`, `failed`
    detail: str = ""
    bytes: int = 0  # of all its parts
    kind: ClassVar[str] = "recording_stopped"


Event = (
    ServerStarted
    | ServerStopped
    | AgentAdopted
    | AgentForgotten
    | AgentLost
    | AgentFound
    | TurnStored
    | TurnAmended
    | HookHeard
    | StateChanged
    | TransitionRefused
    | DeliveryBegun
    | DeliveryChanged
    | SignalSeen
    | NudgeRaised
    | NudgeCleared
    | NearMiss
    | OutputLost
    | HostAdded
    | HostRemoved
    | HostConnected
    | HostDisconnected
    | UsageChanged
    | RecordingStarted
    | RecordingStopped
)
KINDS: Final[dict[str, type[Any]]] = {kind.kind: kind for kind in Event.__args__}


def agent_of(event: Event) -> str | None:
    """The agent whom it is about."""
    return getattr(event, "agent_id", None)


def parts(event: Event) -> dict[str, Any]:
    """Its fields, as they are."""
    return {field.name: getattr(event, field.name) for field in fields(event)}


@dataclass(frozen=True, slots=True)
class Stored:
    """An event in the log. `data` is what JSON knows."""

    seq: int
    at: float  # seconds since the epoch
    kind: str
    agent_id: str | None
    data: dict[str, Any]
