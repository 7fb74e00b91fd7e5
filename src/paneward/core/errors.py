"""Every failure Paneward can name: data.

    PanewardError               has a code, a message (what was seen) and a hint (what to do)
    ├── InvalidInput            the caller's words are off: EMPTY_TEXT, TEXT_TOO_LONG, UNKNOWN_KEY,
    │                           INVALID_PATTERN, UNKNOWN_PROFILE, CONFIG_INVALID, BAD_REQUEST, HOOKS_REFUSED,
    │                           INVALID_RECORDING
    ├── Denied                  who asks may not: UNAUTHORIZED, FORBIDDEN, CLAIM_MISMATCH, FOREIGN_HOST,
    │                           FOREIGN_ORIGIN; or asks too much: RATE_LIMITED, BODY_TOO_LARGE, TOO_MANY_STREAMS
    ├── ServerError             no server to ask, or none that can be understood: SERVER_NOT_RUNNING, SERVER_ERROR,
    │                           PORT_IN_USE
    └── TmuxError               the outside failed
        ├── PaneNotFound        PANE_NOT_FOUND
        ├── PaneDead            PANE_DEAD
        ├── PaneMoved           NOT_READY
        ├── WrongProgram        WRONG_PROGRAM
        ├── TmuxNotInstalled    TMUX_NOT_INSTALLED
        ├── TmuxTooOld          TMUX_TOO_OLD
        ├── TmuxError           SOCKET_NOT_OURS
        ├── TmuxTimeout         TIMEOUT
        │   └── Unanswered      TIMEOUT: it may have been done
        └── HostUnreachable     HOST_UNREACHABLE
            └── LoginNeeded     HOST_NEEDS_LOGIN

Expected answers (a refused or failed delivery) are not exceptions: they are a `SendResult` with the
same codes.
"""

from enum import StrEnum


class Code(StrEnum):
    PANE_NOT_FOUND = "PANE_NOT_FOUND"
    PANE_DEAD = "PANE_DEAD"
    TMUX_NOT_INSTALLED = "TMUX_NOT_INSTALLED"
    TMUX_TOO_OLD = "TMUX_TOO_OLD"
    TMUX_ERROR = "TMUX_ERROR"
    SOCKET_NOT_OURS = "SOCKET_NOT_OURS"
    TIMEOUT = "TIMEOUT"
    SEND_FAILED = "SEND_FAILED"
    BLOCKED_BY_DIALOG = "BLOCKED_BY_DIALOG"
    OPERATOR_DRAFT = "OPERATOR_DRAFT"
    OPERATOR_BUSY = "OPERATOR_BUSY"
    NOT_READY = "NOT_READY"
    WRONG_PROGRAM = "WRONG_PROGRAM"
    TEXT_TOO_LONG = "TEXT_TOO_LONG"
    EMPTY_TEXT = "EMPTY_TEXT"
    NOT_TAKEN_AS_TEXT = "NOT_TAKEN_AS_TEXT"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    INVALID_PATTERN = "INVALID_PATTERN"
    UNKNOWN_PROFILE = "UNKNOWN_PROFILE"
    HOST_UNREACHABLE = "HOST_UNREACHABLE"
    HOST_NEEDS_LOGIN = "HOST_NEEDS_LOGIN"
    HOST_NOT_FOUND = "HOST_NOT_FOUND"
    HOST_EXISTS = "HOST_EXISTS"
    HOST_IN_USE = "HOST_IN_USE"
    INTERRUPTED = "INTERRUPTED"
    STALE_DIALOG = "STALE_DIALOG"
    NO_FREE_TEXT = "NO_FREE_TEXT"
    NO_DIALOG = "NO_DIALOG"
    UNKNOWN_OPTION = "UNKNOWN_OPTION"
    IDEMPOTENCY_CONFLICT = "IDEMPOTENCY_CONFLICT"
    INVALID_NAME = "INVALID_NAME"
    NO_PANE_ID = "NO_PANE_ID"
    WRONG_STATE = "WRONG_STATE"
    INVALID_ANSWER = "INVALID_ANSWER"
    CONFIG_INVALID = "CONFIG_INVALID"
    STORE_ERROR = "STORE_ERROR"
    UNAUTHORIZED = "UNAUTHORIZED"
    FORBIDDEN = "FORBIDDEN"
    CLAIM_MISMATCH = "CLAIM_MISMATCH"
    FOREIGN_HOST = "FOREIGN_HOST"
    FOREIGN_ORIGIN = "FOREIGN_ORIGIN"
    RATE_LIMITED = "RATE_LIMITED"
    BODY_TOO_LARGE = "BODY_TOO_LARGE"
    BAD_REQUEST = "BAD_REQUEST"
    NO_SUCH_ROUTE = "NO_SUCH_ROUTE"
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED"
    TOO_MANY_STREAMS = "TOO_MANY_STREAMS"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    STORE_LEASED = "STORE_LEASED"
    AGENT_NOT_FOUND = "AGENT_NOT_FOUND"
    AGENT_EXISTS = "AGENT_EXISTS"
    SERVER_NOT_RUNNING = "SERVER_NOT_RUNNING"
    SERVER_ERROR = "SERVER_ERROR"
    PORT_IN_USE = "PORT_IN_USE"
    HOOKS_REFUSED = "HOOKS_REFUSED"
    RECORDING_NOT_FOUND = "RECORDING_NOT_FOUND"
    NO_SUCH_DEVICE = "NO_SUCH_DEVICE"
    INVALID_RECORDING = "INVALID_RECORDING"


class PanewardError(Exception):
    """A failure with a stable code, what was seen, and what to do about it."""

    def __init__(self, message: str, *, code: Code, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint


class InvalidInput(PanewardError):
    """The caller asked for something that cannot be done as it was asked."""


class AgentExists(PanewardError):
    """The name or the pane of an agent is taken."""

    def __init__(self, message: str, *, hint: str = "`paneward ps` lists the agents there are.") -> None:
        super().__init__(message, code=Code.AGENT_EXISTS, hint=hint)


class AgentNotFound(PanewardError):
    def __init__(self, message: str, *, hint: str = "`paneward ps` lists the agents there are.") -> None:
        super().__init__(message, code=Code.AGENT_NOT_FOUND, hint=hint)


class RecordingNotFound(PanewardError):
    def __init__(self, message: str, *, hint: str = "`paneward cast list` shows the recordings there are.") -> None:
        super().__init__(message, code=Code.RECORDING_NOT_FOUND, hint=hint)


class Denied(PanewardError):
    """The caller may not do that, or not so much of it."""


class StoreError(PanewardError):
    def __init__(self, message: str, *, code: Code = Code.STORE_ERROR, hint: str = "") -> None:
        super().__init__(message, code=code, hint=hint)


class ServerError(PanewardError):
    """There is no server to ask, it cannot be started, or what it answers cannot be understood."""

    def __init__(self, message: str, *, code: Code = Code.SERVER_ERROR, hint: str = "") -> None:
        super().__init__(message, code=code, hint=hint)


class TmuxError(PanewardError):
    def __init__(self, message: str, *, code: Code = Code.TMUX_ERROR, hint: str = "") -> None:
        super().__init__(message, code=code, hint=hint)


class PaneNotFound(TmuxError):
    def __init__(self, message: str, *, hint: str = "`paneward panes` lists the panes there are.") -> None:
        super().__init__(message, code=Code.PANE_NOT_FOUND, hint=hint)


class PaneDead(TmuxError):
    def __init__(self, message: str, *, hint: str = "Its program ended; `tmux respawn-pane` starts it again.") -> None:
        super().__init__(message, code=Code.PANE_DEAD, hint=hint)


class PaneMoved(TmuxError):
    """The screen is no longer the one that was judged; nothing was sent."""

    def __init__(self, message: str, *, hint: str = "Somebody or something else writes into the pane.") -> None:
        super().__init__(message, code=Code.NOT_READY, hint=hint)


class WrongProgram(TmuxError):
    """Another program than the one that is meant would get what is typed; nothing was sent."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, code=Code.WRONG_PROGRAM, hint=hint)


class TmuxNotInstalled(TmuxError):
    def __init__(
        self, message: str = "no `tmux` on PATH", *, hint: str = "Install it: `apt-get install tmux`."
    ) -> None:
        super().__init__(message, code=Code.TMUX_NOT_INSTALLED, hint=hint)


class TmuxTooOld(TmuxError):
    def __init__(self, message: str, *, hint: str = "Paneward needs tmux 3.2 or newer.") -> None:
        super().__init__(message, code=Code.TMUX_TOO_OLD, hint=hint)


class TmuxTimeout(TmuxError):
    def __init__(self, message: str, *, hint: str = "tmux did not answer in time: is its server stopped?") -> None:
        super().__init__(message, code=Code.TIMEOUT, hint=hint)


class Unanswered(TmuxTimeout):
    """tmux was handed something and did not answer: whether it was done is not known."""


class HostUnreachable(TmuxError):
    def __init__(
        self,
        message: str,
        *,
        code: Code = Code.HOST_UNREACHABLE,
        hint: str = "`ssh HOST true` must work without a question.",
    ) -> None:
        super().__init__(message, code=code, hint=hint)


class LoginNeeded(HostUnreachable):
    """ssh would have asked something: only a human can go on."""

    def __init__(
        self, message: str, *, hint: str = "Run `ssh HOST true` once by hand until it asks nothing any more."
    ) -> None:
        super().__init__(message, code=Code.HOST_NEEDS_LOGIN, hint=hint)
