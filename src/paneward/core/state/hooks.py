"""What the hooks of agents tell: data, and functions from what a hook wrote to a fact.

An agent runs a command of ours at certain moments and gives it a JSON document. The command writes it down together
with the pane it ran in; here that becomes a `Heard`. What agents call their hooks is data (`NAMES`), and so is what
each kind of fact can prove, and for how long (`PROOFS`): a hook that never comes freezes nothing.

What surprised us: the hook before a tool fires for every tool, so it tells of a question only for the tools that ask;
a notification says that something is asked, and not what; a sub-agent's hooks come from the same pane and carry the
same conversation, with an `agent_id` beside it; the conversation's id changes when it is compacted or cleared, the
pane does not; Gemini CLI's hook after a turn repeats pieces of the text, so its words are not taken.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Final

from paneward.core.state.claims import AgentState, Claim, Source

LONGEST: Final = 8_000_000  # bytes of what one hook wrote: a tool's whole output may be in it
WORDS: Final = 300  # characters of a question in the evidence
END: Final = b"\n.\n"  # what stands behind a body that was written to its end


class What(StrEnum):
    """What a hook tells of."""

    PROMPT = "prompt_submitted"
    STOP = "stopped"
    PERMISSION = "permission_asked"
    QUESTION = "question_asked"
    TOOL_BEGINS = "tool_begins"
    TOOL_ENDS = "tool_ends"
    NOTIFICATION = "notification"
    SESSION_BEGINS = "session_begins"
    SESSION_ENDS = "session_ends"
    SUBAGENT_STOP = "subagent_stopped"
    COMPACTION = "compaction"
    COMPACTED = "compacted"
    INTERRUPTED = "interrupted"
    SIGNAL = "signal"  # the agent says itself how it stands


class MalformedHook(ValueError):
    """What a hook wrote cannot be read."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One hook, or one signal."""

    what: What
    agent: str  # the kind of agent, a profile's name; empty for a signal
    at: float  # seconds since the epoch
    pane: str = ""  # `%3`; empty where the agent did not run in tmux
    socket: str = ""  # of its tmux server
    hook: str = ""  # what the agent calls it
    session: str = ""  # the conversation
    turn: str = ""  # the agent's own id of the prompt
    text: str = ""  # of a prompt, a stop, a question, a signal's message
    tool: str = ""
    given: str = ""  # a short name of what the tool was given
    sub: str = ""  # the sub-agent that it is about
    state: str = ""  # of a signal
    began: str = ""  # why a conversation begins: `startup`, `resume`, `clear`, `compact`
    delivery: str = ""  # whose secret a prompt is; its text is not kept
    transcript: str = field(default="", compare=False)  # the file of the conversation
    question: str = field(default="", compare=False)  # the kind: `permission`, `question`, `plan`

    @property
    def evidence(self) -> str:
        about = f" ({self.tool})" if self.tool else ""
        return f"{self.agent or 'the agent'}'s {self.hook or self.what} hook{about}"


# --- how agents call them

NAMES: Final[Mapping[str, What]] = {
    "UserPromptSubmit": What.PROMPT,
    "BeforeAgent": What.PROMPT,
    "Stop": What.STOP,
    "StopFailure": What.STOP,
    "AfterAgent": What.STOP,
    "PermissionRequest": What.PERMISSION,
    "PreToolUse": What.TOOL_BEGINS,
    "BeforeTool": What.TOOL_BEGINS,
    "PostToolUse": What.TOOL_ENDS,
    "PostToolUseFailure": What.TOOL_ENDS,
    "AfterTool": What.TOOL_ENDS,
    "Notification": What.NOTIFICATION,
    "SessionStart": What.SESSION_BEGINS,
    "SessionEnd": What.SESSION_ENDS,
    "SubagentStart": What.TOOL_BEGINS,
    "SubagentStop": What.SUBAGENT_STOP,
    "PreCompact": What.COMPACTION,
    "PreCompress": What.COMPACTION,
    "PostCompact": What.COMPACTED,
    "Interrupt": What.INTERRUPTED,
}
ASKING: Final[Mapping[str, str]] = {  # the tools by which an agent asks
    "AskUserQuestion": "question",
    "request_user_input": "question",
    "ask_user": "question",
    "question": "question",
    "ExitPlanMode": "plan",
    "exit_plan_mode": "plan",
    "plan_exit": "plan",
}
NOTIFIED: Final = ("permission_prompt", "ToolPermission", "elicitation_dialog")  # notifications that somebody is asked
SIGNALS: Final = ("working", "needs_input", "needs_testing", "completed", "error", "idle")
AGENTS: Final = ("claude", "codex", "gemini", "opencode")
PANE: Final = re.compile(r"%\d{1,9}")


# --- reading


def read_spooled(data: bytes, at: float) -> Heard:
    """What one hook wrote: a line that says who and where, the body, and the end."""
    if len(data) > LONGEST:
        raise MalformedHook(f"{len(data)} bytes are more than {LONGEST}")
    if not data.endswith(END):
        raise MalformedHook("it was not written to its end")
    head, newline, body = data[: -len(END)].partition(b"\n")
    parts = head.decode("utf-8", "replace").split("\t")
    if not newline or len(parts) != 3:
        raise MalformedHook(f"its first line is not `agent, pane, tmux`: {head[:80]!r}")
    agent, pane, tmux = parts
    where = {"pane": pane if PANE.fullmatch(pane) else "", "socket": tmux.partition(",")[0]}
    document = _document(body)
    if agent == "signal":
        return read_signal(document, at, **where)
    if agent not in AGENTS:
        raise MalformedHook(f"no agent with hooks is called {agent[:80]!r}")
    return read_hook(agent, document, at, **where)


def _document(body: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise MalformedHook(f"its body is not JSON: {error!s:.120}") from None
    if not isinstance(document, dict):
        raise MalformedHook(f"its body is no JSON object: {body[:80]!r}")
    return document


def read_line(line: bytes, at: float) -> Heard:
    """A line of an event file: a signal."""
    if len(line) > LONGEST:
        raise MalformedHook(f"{len(line)} bytes are more than {LONGEST}")
    return read_signal(_document(line), at)


def read_signal(document: Mapping[str, Any], at: float, pane: str = "", socket: str = "") -> Heard:
    state = document.get("state")
    if state not in SIGNALS:
        raise MalformedHook(f"no state of a signal is called {state!r:.80}; allowed: {', '.join(SIGNALS)}")
    return Heard(
        What.SIGNAL, "", at, pane, socket, "signal", text=_text(document, "message"), state=str(state),
        turn=_text(document, "id"),
    )  # fmt: skip


def read_hook(agent: str, document: Mapping[str, Any], at: float, pane: str = "", socket: str = "") -> Heard:
    """The body of a hook, as the agents write it."""
    name = document.get("hook_event_name")
    what = NAMES.get(name) if isinstance(name, str) else None
    if what is None:
        raise MalformedHook(f"{agent} has no hook {name!r:.80} that is known")
    tool, given = _text(document, "tool_name"), document.get("tool_input")
    question = ASKING.get(tool, "permission" if what is What.PERMISSION else "")
    if question in ("question", "plan") and what in (What.PERMISSION, What.TOOL_BEGINS):
        what = What.QUESTION
    if what is What.NOTIFICATION and document.get("notification_type") in NOTIFIED:
        question = "asked"  # of what, a notification does not tell
    sub = _text(document, "agent_id")
    if what is What.STOP and sub:
        what = What.SUBAGENT_STOP
    return Heard(
        what, agent, at, pane, socket, str(name),
        session=_text(document, "session_id"),
        turn=_text(document, "prompt_id") or _text(document, "turn_id"),
        text=_words(agent, what, document, given),
        tool=tool, given=_short(given), sub=sub, began=_text(document, "source"), question=question,
        transcript=_text(document, "transcript_path"),
    )  # fmt: skip


def _words(agent: str, what: What, document: Mapping[str, Any], given: Any) -> str:
    match what:
        case What.PROMPT:
            if not isinstance(document.get("prompt"), str):
                raise MalformedHook(f"the prompt hook of {agent} came without its prompt")
            return _text(document, "prompt")
        case What.STOP if agent != "gemini":
            return _text(document, "last_assistant_message")
        case What.QUESTION:
            return _asked(given)
    return ""


def _asked(given: Any) -> str:
    """The words of what a tool asks."""
    questions = given.get("questions") if isinstance(given, dict) else None
    if not isinstance(questions, list):
        return ""
    words = [one.get("question") for one in questions if isinstance(one, dict)]
    return "\n".join(one for one in words if isinstance(one, str))


def _text(document: Mapping[str, Any], key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""


def _short(value: Any) -> str:
    """A name for what a tool was given, by which two hooks about the same call are told. Of what runs a command, the
    command alone: a description is not in each of the two."""
    if isinstance(value, dict) and isinstance(value.get("command"), str):
        value = value["command"]
    if not value:
        return ""
    written = json.dumps(value, sort_keys=True, default=str).encode("utf-8", "replace")
    return blake2b(written, digest_size=8).hexdigest()


# --- what they prove


@dataclass(frozen=True, slots=True)
class Proof:
    """The state that a kind of fact proves, and for how many seconds, unless something speaks against it."""

    state: AgentState
    lasts: float


PROOFS: Final[Mapping[What, Proof]] = {
    What.PROMPT: Proof(AgentState.BUSY, 600.0),
    What.STOP: Proof(AgentState.IDLE, 600.0),
    What.PERMISSION: Proof(AgentState.AWAITING_PERMISSION, 3600.0),
    What.QUESTION: Proof(AgentState.AWAITING_QUESTION, 3600.0),
    What.NOTIFICATION: Proof(AgentState.AWAITING_QUESTION, 600.0),
    What.TOOL_BEGINS: Proof(AgentState.BUSY, 60.0),
    What.TOOL_ENDS: Proof(AgentState.BUSY, 60.0),
    What.COMPACTION: Proof(AgentState.BUSY, 120.0),
    What.INTERRUPTED: Proof(AgentState.IDLE, 600.0),
}
FRESH: Final = 5.0  # seconds: older hooks, of a time in which nobody listened, say nothing of now
_ASKS: Final = (What.PERMISSION, What.QUESTION)
_WORKS: Final = (What.TOOL_BEGINS, What.TOOL_ENDS, What.COMPACTION)
_ENDS: Final = (What.SESSION_BEGINS, What.SESSION_ENDS, What.COMPACTED)


class HookClaims:
    """What the hooks of one agent claim at a moment: a machine, fed with hooks in the order in which they came."""

    def __init__(self) -> None:
        self._last: Heard | None = None
        self._claim: Claim | None = None
        self.until = 0.0  # the end of what the last one proves

    def hear(self, heard: Heard, age: float, now: float) -> None:
        """`age`: seconds since the hook ran."""
        if heard.what in _ENDS:
            self._last = self._claim = None
            return
        proof = PROOFS.get(heard.what)
        if proof is None or age > FRESH or not self._tells(heard):
            return
        since = now - max(age, 0.0)
        self._last, self.until = heard, since + proof.lasts
        kind = heard.question if heard.question in ("permission", "question", "plan") else ""
        self._claim = Claim(Source.HOOK, proof.state, heard.evidence, since, kind, heard.text[:WORDS] if kind else "")

    def claim(self, now: float) -> Claim | None:
        return self._claim if now < self.until else None

    def _tells(self, heard: Heard) -> bool:
        """Whether it says something of the agent itself, at this point."""
        last = self._last
        if heard.what is What.NOTIFICATION:
            return heard.question == "asked" and (last is None or last.what not in _ASKS)
        if heard.what in _WORKS and last is not None and last.what in _ASKS:
            return heard.what is What.TOOL_ENDS and _same_call(heard, last)
        return not (heard.sub and heard.what not in _ASKS)


def _same_call(ended: Heard, asked: Heard) -> bool:
    """The tool that was asked about has run. What was answered stands in what a question's tool was given."""
    if ended.tool != asked.tool or ended.sub != asked.sub:
        return False
    return asked.what is What.QUESTION or not asked.given or ended.given == asked.given


# --- what came before

STORM: Final = 120.0  # seconds within which the same hook again, with nothing in between, is the same thing
ONCE: Final = 5.0  # seconds within which the same signal is one
REMEMBERED: Final = 64
_LASTING: Final = (What.PROMPT, What.STOP, What.SIGNAL)


def lasting(heard: Heard) -> bool:
    """It is written down: it makes a turn or a signal. The others only tell of a moment."""
    return heard.what in _LASTING and not heard.sub


class Echoes:
    """Tells a hook that only repeats another: a machine. Hundreds of equal ones make one turn."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], float] = {}  # the oldest first
        self._last: tuple[str, ...] = ()
        self.count = 0

    def fresh(self, heard: Heard) -> bool:
        key = (heard.what, heard.session, heard.turn, heard.state, heard.text)
        before = self._known.pop(key, None)
        if heard.turn:
            again = before is not None  # the agent's own id tells
        else:
            window = ONCE if heard.what is What.SIGNAL else STORM
            again = before is not None and self._last == key and heard.at - before < window
        self._known[key] = heard.at
        self._last = key
        while len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        self.count += again
        return not again


# --- whose text it is


def same_text(prompt: str, sent: str) -> bool:
    """The prompt is the text that was sent, but for what agents change: blanks at the ends, tabs, forms of accents."""
    return prompt == sent or _normal(prompt) == _normal(sent)


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\t", "    ")).strip()


# --- whose conversation it is

SILENT: Final = 600.0  # seconds without a hook after which another conversation may take the place of the last one
_GOES_ON: Final = ("resume", "clear", "compact")


class Conversation:
    """Which conversation is that of the agent itself: a machine. It changes when it is compacted, cleared or resumed,
    and when the program is started anew; an agent that runs another one of its kind as a tool has a second one."""

    def __init__(self, current: str = "") -> None:
        self.current = current
        self._at = 0.0

    def own(self, heard: Heard, resting: bool) -> bool:
        """Whether the hook is the agent's own; `resting`: it has nothing to do at this moment."""
        known = heard.session in ("", self.current)
        goes_on = heard.what is What.SESSION_BEGINS and heard.began in _GOES_ON
        if not known and self.current and not resting and not goes_on and heard.at - self._at < SILENT:
            return False
        if heard.session:
            self.current, self._at = heard.session, heard.at
        if heard.what is What.SESSION_ENDS:
            self.current = ""
        return True
