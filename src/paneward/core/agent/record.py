"""An agent with an identity, what it was told and what it said: records, and the table of its states.

Shape: data and functions. An agent has commands, each one unit of work; a command has turns. A turn is stored first
and changes the state second, by one transaction; a change that the table refuses leaves the turn where it is.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Final

from paneward.core.agent.program import Program
from paneward.core.dialog.choice import Choice
from paneward.core.errors import Code, InvalidInput
from paneward.core.result import Menu, SendResult
from paneward.core.usage import Usage


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
    turn: int = 0  # the last one that its state was judged by
    gone: str = ""  # why its pane cannot be reached
    trouble: str = ""  # why it cannot work, as it says itself
    nudge_state: str = ""  # what it calls the human for: `needs_input`, `completed`, `error`, ...; empty: for nothing
    nudge_summary: str = ""
    nudge_source: str = ""  # how that was told: `marker`, `hook`, `screen`, ...
    nudge_seq: int = 0  # rises by one with each signal and each clearing
    last_signal_at: float | None = None  # seconds since the epoch
    usage: Usage | None = None  # tokens, cost and context, where it tells them
    recording: str = ""  # the recording that its output goes into; empty: it is not recorded
    alive_at: float = 0.0  # seconds since the epoch: its last sign of life; known while a server watches it
    adopted_at: float = 0.0
    seq: int = 0  # of its last event
    conversation: str = ""  # its own id of it, as its hooks tell
    hook_seq: int = 0  # the last `hook_heard` that was judged
    host: str = ""  # on which host its pane is; empty: on this machine
    program: Program | None = None  # what ran in its pane when it was adopted


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of words for an agent: the receipt, the agent as it stands since, and the turn that was stored."""

    result: SendResult
    agent: Agent
    turn: Turn | None = None  # none where nothing went in
    delivery_id: str | None = None  # none where nothing was typed
    on_record: bool = False  # who asked for it is in the audit


# --- how it is shown

DONE_FOR: Final = 60.0  # seconds for which a command that is done shows
SILENT: Final = 600.0  # seconds without a sign of life after which work shows as timed out
TIMED_OUT: Final = "TIMED_OUT"
DISCONNECTED: Final = "DISCONNECTED"
CUT_OFF: Final = "disconnected: "  # begins the reason for which an agent is gone whose host cannot be reached


def cut_off(agent: Agent) -> bool:
    """Its host cannot be reached: what became of the agent is not known."""
    return bool(agent.host) and agent.gone.startswith(CUT_OFF)


def shown(agent: Agent, now: float) -> str:
    """The state as people see it, which is never stored; `now` in seconds since the epoch."""
    if cut_off(agent):
        return DISCONNECTED
    if agent.stage is Stage.COMPLETE and now - agent.since >= DONE_FOR:
        return Stage.IDLE
    if agent.stage is Stage.PROCESSING and now - max(agent.since, agent.alive_at) >= SILENT:
        return TIMED_OUT
    return agent.stage


# --- names

NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")


def check_name(name: str) -> str:
    """A name that an agent can have."""
    if NAME.fullmatch(name):
        return name
    raise InvalidInput(
        f"{name!r:.80} cannot be the name of an agent",
        code=Code.INVALID_NAME,
        hint="Up to 63 lower case letters, digits, `-`, `_` and `.`; the first is a letter or a digit.",
    )


def free_name(kind: str, taken: Collection[str]) -> str:
    """The first of `claude-1`, `claude-2`, ... that nobody has."""
    kind = re.sub(r"[^a-z0-9._-]", "-", kind.lower()).lstrip("._-") or "agent"
    return next(name for number in count(1) if (name := f"{kind[:48]}-{number}") not in taken)


# --- answers


class AnswerMode(StrEnum):
    """How an answer is given."""

    TEXT = "text"
    SELECT = "select"
    OTHER = "other"
    MULTI_SELECT = "multi_select"


@dataclass(frozen=True, slots=True)
class Answer:
    """What an agent that asks is answered."""

    mode: str = AnswerMode.TEXT
    text: str | None = None
    option_index: int | None = None  # from 0 on
    option_label: str | None = None
    answers: tuple[tuple[int | str, ...], ...] | None = None  # of several: one list for each question, in their order
    fingerprint: str | None = None  # of the dialog that the caller saw
    startup: bool = False  # a dialog that the agent opens with may be answered

    @property
    def words(self) -> str:
        return self.text or ""


def check_answer(answer: Answer) -> None:
    """Refuse what no dialog could take."""
    if answer.mode not in list(AnswerMode):
        raise _bad(f"no mode is called {answer.mode!r:.80}", f"Allowed: {', '.join(AnswerMode)}.")
    picked = sum(given is not None for given in (answer.option_index, answer.option_label))
    match answer.mode:
        case AnswerMode.TEXT | AnswerMode.OTHER if not answer.text:
            raise _bad(f"mode {answer.mode!r} needs a text", "Give `text`.")
        case AnswerMode.SELECT if picked != 1:
            raise _bad("mode 'select' needs one option", "Give `option_index` (from 0 on) or `option_label`.")
        case AnswerMode.MULTI_SELECT if not answer.answers or not all(answer.answers):
            raise _bad("mode 'multi_select' needs options", "Give `answers`: a list of indexes or labels per question.")
    if picked and answer.mode != AnswerMode.SELECT:
        raise _bad(f"mode {answer.mode!r} takes no single option", "Use mode `select`.")
    if answer.answers is not None and answer.mode != AnswerMode.MULTI_SELECT:
        raise _bad(f"mode {answer.mode!r} takes no `answers`", "Use mode `multi_select`.")
    if any(index < 0 for index in _indexes(answer)):
        raise _bad("an option's index is 0 or more", "The first option has index 0.")


def _indexes(answer: Answer) -> list[int]:
    several = [one for many in answer.answers or () for one in many]
    return [one for one in (answer.option_index, *several) if isinstance(one, int)]


def _bad(message: str, hint: str) -> InvalidInput:
    return InvalidInput(message, code=Code.INVALID_ANSWER, hint=hint)


def choice_of(answer: Answer, menu: Menu | None, question: int = 0) -> Choice:
    """The answer as the dialog on the screen knows it: its options by the numbers shown. `question` counts the
    dialogs that a `multi_select` answers one after the other.

    It is meant for the dialog that is open now: another one is refused."""
    fingerprint = answer.fingerprint if question == 0 else None
    if fingerprint is None and menu is not None:
        fingerprint = menu.fingerprint
    match answer.mode:
        case AnswerMode.SELECT:
            wanted = answer.option_label if answer.option_index is None else number_of(answer.option_index, menu)
            return Choice(wanted, None, answer.text, None, fingerprint, answer.startup)
        case AnswerMode.OTHER:
            return Choice(None, None, answer.text, None, fingerprint, answer.startup)
        case AnswerMode.MULTI_SELECT:
            many = (answer.answers or ((),))[question]
            numbers = tuple(number_of(one, menu) if isinstance(one, int) else one for one in many)
            return Choice(None, numbers, answer.text, None, fingerprint, answer.startup)
    return Choice(None, None, None, answer.text, fingerprint, answer.startup)


def number_of(index: int, menu: Menu | None) -> int:
    """The number shown before the option at `index`. Beyond the options that are shown they are counted on."""
    options = () if menu is None else menu.options
    if index < len(options):
        return options[index].number
    return index + 1 if not options else options[-1].number + index + 1 - len(options)
