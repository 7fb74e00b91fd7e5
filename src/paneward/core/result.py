"""What the verbs answer with: data. One verdict with its evidence; everything else is read from it."""

from dataclasses import dataclass, field
from enum import StrEnum

from paneward.core.errors import Code


class Verdict(StrEnum):
    CONFIRMED = "confirmed"
    UNCONFIRMED = "unconfirmed"
    FAILED = "failed"


class Rung(StrEnum):
    """How far a delivery is proven to have come, lowest first."""

    NOTHING = "nothing"
    TYPED = "typed"
    RENDERED = "rendered"
    SUBMITTED = "submitted"
    ACCEPTED = "accepted"
    ACTED = "acted"


@dataclass(frozen=True, slots=True)
class SendResult:
    """The receipt of one delivery."""

    verdict: Verdict
    rung: Rung
    evidence: str  # what proves the rung
    error_type: Code | None = None  # set exactly when the verdict is `failed`
    detail: str = ""  # what was seen and what to do, for people
    hint: str = ""
    enters: int = 0  # how often submit was pressed
    latency_ms: float = 0.0
    pane: str = ""
    profile: str = ""
    message_id: str | None = None
    repeated: bool = False  # the stored receipt of an earlier call with this message_id
    notes: tuple[str, ...] = ()  # what was changed on the way: removed control bytes, guards
    hook: int = 0  # the `hook_heard` by which the agent itself told that it got the text
    dump: str = field(default="", repr=False)  # the redacted screen, kept with a failure

    @property
    def success(self) -> bool:
        return self.verdict is Verdict.CONFIRMED


class ReadyVerdict(StrEnum):
    READY = "ready"
    AWAITING_ANSWER = "awaiting_answer"
    BUSY = "busy"
    STABLE = "stable"
    DEAD = "dead"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class Readiness:
    verdict: ReadyVerdict
    rule: str  # the rule that decided, by its name in `explain`
    evidence: str
    elapsed: float = 0.0  # seconds
    screen: str = ""  # the cleaned screen
    question: str | None = None  # for awaiting_answer: what it asks
    accept_stable: bool = False
    pane: str = ""

    @property
    def is_ready(self) -> bool:
        return self.verdict is ReadyVerdict.READY or (self.verdict is ReadyVerdict.STABLE and self.accept_stable)


@dataclass(frozen=True, slots=True)
class Option:
    number: int  # the number shown, else its 1-based place
    label: str
    key: str = ""  # the digit or letter that chooses it at once, where one is shown
    checked: bool | None = None  # for a multi-select


@dataclass(frozen=True, slots=True)
class Menu:
    """A question and how it can be answered, read from the screen."""

    question: str
    options: tuple[Option, ...]
    selected: int | None  # index into `options` of the highlighted one
    free_text: int | None  # index of the option that takes words, in a field of its own or as the next message
    multi: bool
    fingerprint: str  # changes when the question or its options change, not when the highlight moves
    hidden: bool = False  # there are more options than are shown: the list scrolls
    across: bool = False  # the options stand side by side: Left and Right move
    kind: str = (
        ""  # `permission`, `question`, `plan`, `review`, `signal`, one of the start (`trust`, ...), or not known
    )
    startup: bool = False  # it stands before the agent works at all
    done: bool = False  # the row that hands in what is ticked is highlighted instead of an option
    line: bool = False  # no list: an option's letter is typed on the cursor's line, and Enter
    keys: bool = False  # no list: each option has a key of its own
    field: bool = False  # words are typed where the cursor stands, without an option to choose first
    about: str = ""  # what it is about, such as the command to be permitted: what the dialog says beside the question
