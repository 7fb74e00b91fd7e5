"""What requests hold and answers look like: data, from which the OpenAPI document is drawn.

Answers are records of the core as they are, so most have no twin here. Bodies are strict: a number in quotes is no
number, and a key that is not known is an error, since it would be obeyed by nobody.
"""

from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from paneward.core.agent.record import Agent, Command, Turn
from paneward.core.audit import AuditEntry
from paneward.core.hosts.host import HostStanding
from paneward.core.recording.recorder import KeptRecording
from paneward.core.result import Menu, SendResult

STRICT = ConfigDict(extra="forbid")
MAX_TEXT = 1_100_000  # characters: somewhat more than a delivery takes, which then says so itself
Number = StrictInt | StrictFloat
Timeout = Annotated[Number, Field(ge=0, le=3600, description="seconds")]
Text = Annotated[StrictStr, Field(max_length=MAX_TEXT)]
NO_NUL = r"^[^\x00]*$"  # no program and no database takes one in a name
Short = Annotated[StrictStr, Field(min_length=1, max_length=200, pattern=NO_NUL)]
MessageId = Annotated[Short, Field(description="makes a repeated call harmless")]
Sender = Annotated[Short | None, Field(description="who asks; must be what the token says")]
Expect = Annotated[Short | None, Field(description="the program that must be in the foreground, by its name")]
Pick = StrictInt | Short
Path = Annotated[StrictStr, Field(min_length=1, max_length=1000, pattern=NO_NUL)]


@dataclass(frozen=True, slots=True)
class Adoption:
    """A pane, and the name its agent is to have."""

    pane: Short
    name: Short | None = None
    socket_name: Short | None = None
    socket_path: Short | None = None
    host: Annotated[StrictStr, Field(max_length=200, pattern=NO_NUL)] = ""
    profile: Short | None = None
    role: Annotated[StrictStr, Field(max_length=200, pattern=NO_NUL)] = ""
    labels: Annotated[list[Short], Field(max_length=50)] | None = None
    sender: Sender = None
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class NewHost:
    """A machine that is reached by ssh."""

    name: Short
    ssh: Annotated[Short | None, Field(description="what ssh is told; else the name")] = None
    options: Annotated[list[Short], Field(max_length=50, description="as behind ssh's -o")] | None = None
    config: Annotated[Path | None, Field(description="another configuration file of ssh")] = None
    socket: Annotated[Path | None, Field(description="the name or the path of the tmux socket there")] = None
    binary: Annotated[Path | None, Field(description="the tmux program there")] = None
    sender: Sender = None
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Message:
    """A text for a program."""

    text: Text
    when_busy: Literal["wait", "queue", "steer", "interrupt", "refuse"] = "wait"
    draft: Literal["hold", "stash", "refuse"] = "hold"
    as_command: StrictBool = False
    message_id: MessageId | None = None
    timeout: Timeout = 30.0
    secret: StrictBool = False
    profile: Short | None = None
    verify_enter: StrictBool = True
    detect_ghost_text: StrictBool = True
    expect: Expect = None
    sender: Sender = None
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class KeyPress:
    """Keys by their names in tmux."""

    keys: Annotated[list[Short], Field(min_length=1, max_length=1000)]
    verify_enter: StrictBool = False
    timeout: Timeout = 30.0
    expect: Expect = None
    sender: Sender = None
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class PaneAnswer:
    """An answer in a pane: one of `text`, `select`, `multi` and `key`; `other` alone or with an option."""

    text: Text | None = None
    select: Pick | None = None
    other: Text | None = None
    multi: Annotated[list[Pick], Field(max_length=200)] | None = None
    key: Annotated[Short, Field(description="one key, pressed without Enter")] | None = None
    fingerprint: Short | None = None
    startup: StrictBool = False
    secret: StrictBool = False
    message_id: MessageId | None = None
    timeout: Timeout = 30.0
    expect: Expect = None
    sender: Sender = None
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class Response:
    """An answer to an agent that asks. Options are counted from 0."""

    mode: Literal["text", "select", "other", "multi_select"] = "text"
    text: Text | None = None
    option_index: Annotated[StrictInt, Field(ge=0, le=10_000)] | None = None
    option_label: Short | None = None
    answers: Annotated[list[Annotated[list[Pick], Field(max_length=200)]], Field(max_length=50)] | None = None
    fingerprint: Short | None = None
    startup: StrictBool = False
    message_id: MessageId | None = None
    timeout: Timeout = 30.0
    sender: Sender = None
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


def given(body: Adoption | NewHost | Message | KeyPress | PaneAnswer | Response) -> dict[str, Any]:
    """What a body asks for: its fields, without who says so."""
    return {field.name: getattr(body, field.name) for field in fields(body) if field.name != "sender"}


# --- answers


@dataclass(frozen=True, slots=True)
class ErrorDetail:
    code: str
    message: str
    hint: str
    request_id: str


@dataclass(frozen=True, slots=True)
class Failure:
    """Every error."""

    status: Literal["error"]
    error_type: str
    error: ErrorDetail


@dataclass(frozen=True, slots=True)
class Version:
    version: str
    started_at: float
    seq: int  # of the last event
    sound: bool  # the page makes one when an agent calls


@dataclass(frozen=True, slots=True)
class ShownAgent(Agent):
    """An agent, with its state as people see it: a command that is long done shows as IDLE."""

    state: str = ""


@dataclass(frozen=True, slots=True)
class OneAgent:
    agent: ShownAgent


@dataclass(frozen=True, slots=True)
class AgentList:
    agents: list[ShownAgent]
    seq: int  # of the last event at that moment: a stream from here on misses nothing


@dataclass(frozen=True, slots=True)
class Delivered:
    """What came of words for an agent."""

    status: Literal["ok", "unconfirmed"]
    agent_id: str
    new_state: str
    latency_ms: float
    verdict: str
    receipt: SendResult
    turn_id: int | None = None
    delivery_id: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt(SendResult):
    """What came of words for a pane."""

    status: Literal["ok", "unconfirmed"] = "ok"


@dataclass(frozen=True, slots=True)
class TurnList:
    turns: list[Turn]


@dataclass(frozen=True, slots=True)
class CommandList:
    commands: list[Command]


@dataclass(frozen=True, slots=True)
class DeliveryList:
    deliveries: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Asked:
    pane: str | None
    menu: Menu | None


@dataclass(frozen=True, slots=True)
class EventPage:
    events: list[dict[str, Any]]
    seq: int  # of the last event there is
    first_seq: int  # of the oldest that is kept


@dataclass(frozen=True, slots=True)
class AuditPage:
    entries: list[AuditEntry]


@dataclass(frozen=True, slots=True)
class HookTaken:
    agent_id: str
    what: str  # it told of
    new: bool  # false: it only repeats another, or is not the agent's own


@dataclass(frozen=True, slots=True)
class OneRecording:
    agent_id: str
    recording: str  # its name
    fresh: bool = False  # it began with this request


@dataclass(frozen=True, slots=True)
class RecordingList:
    recordings: list[KeptRecording]


@dataclass(frozen=True, slots=True)
class PaneList:
    panes: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class HostList:
    hosts: list[HostStanding]


@dataclass(frozen=True, slots=True)
class OneHost:
    host: HostStanding


@dataclass(frozen=True, slots=True)
class Done:
    status: Literal["ok"]


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A browser that is signed in. Times are seconds since the epoch."""

    id: str
    name: str  # what it says of itself
    created_at: float
    seen_at: float  # to within ten minutes
    until: float  # it has to sign in again, unless it is used before


@dataclass(frozen=True, slots=True)
class Devices:
    devices: list[SignedIn]


@dataclass(frozen=True, slots=True)
class SignInUrl:
    url: str
    seconds: float  # it counts once, within that time
