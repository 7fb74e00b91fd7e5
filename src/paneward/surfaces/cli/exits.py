"""The exit codes: one table. Shape: data and one function."""

from enum import IntEnum

from paneward.core.errors import Code
from paneward.core.result import Readiness, ReadyVerdict, SendResult, Verdict


class Exit(IntEnum):
    DONE = 0
    FAILED = 1
    USAGE = 2
    UNCONFIRMED = 3
    NOT_FOUND = 4
    BLOCKED = 5
    TIMEOUT = 124
    INTERRUPTED = 130


MEANING = {
    Exit.DONE: "done: confirmed, ready, or answered",
    Exit.FAILED: "failed",
    Exit.USAGE: "usage: the command, its options or the text cannot be used as given; nothing was typed",
    Exit.UNCONFIRMED: "unconfirmed: typed, but nothing proves or disproves it; or the screen is only stable",
    Exit.NOT_FOUND: "not found: no such pane, its program ended, or no dialog is open",
    Exit.BLOCKED: "blocked or busy: a dialog is open, an unsent draft stands there, or the program works",
    Exit.TIMEOUT: "time-out",
    Exit.INTERRUPTED: "interrupted with Ctrl-C",
}

OF_CODE = {
    Code.EMPTY_TEXT: Exit.USAGE,
    Code.NOT_TAKEN_AS_TEXT: Exit.USAGE,
    Code.TEXT_TOO_LONG: Exit.USAGE,
    Code.UNKNOWN_KEY: Exit.USAGE,
    Code.INVALID_PATTERN: Exit.USAGE,
    Code.UNKNOWN_PROFILE: Exit.USAGE,
    Code.UNKNOWN_OPTION: Exit.USAGE,
    Code.IDEMPOTENCY_CONFLICT: Exit.USAGE,
    Code.CONFIG_INVALID: Exit.USAGE,
    Code.PANE_NOT_FOUND: Exit.NOT_FOUND,
    Code.PANE_DEAD: Exit.NOT_FOUND,
    Code.WRONG_PROGRAM: Exit.NOT_FOUND,
    Code.NO_DIALOG: Exit.NOT_FOUND,
    Code.BLOCKED_BY_DIALOG: Exit.BLOCKED,
    Code.STALE_DIALOG: Exit.BLOCKED,
    Code.NO_FREE_TEXT: Exit.BLOCKED,
    Code.OPERATOR_DRAFT: Exit.BLOCKED,
    Code.OPERATOR_BUSY: Exit.BLOCKED,
    Code.NOT_READY: Exit.BLOCKED,
    Code.TIMEOUT: Exit.TIMEOUT,
    Code.SEND_FAILED: Exit.FAILED,
    Code.TMUX_NOT_INSTALLED: Exit.FAILED,
    Code.TMUX_TOO_OLD: Exit.FAILED,
    Code.SOCKET_NOT_OURS: Exit.FAILED,
    Code.TMUX_ERROR: Exit.FAILED,
    Code.HOST_UNREACHABLE: Exit.FAILED,
    Code.HOST_NEEDS_LOGIN: Exit.FAILED,
    Code.HOST_NOT_FOUND: Exit.NOT_FOUND,
    Code.HOST_EXISTS: Exit.USAGE,
    Code.HOST_IN_USE: Exit.BLOCKED,
    Code.INTERRUPTED: Exit.INTERRUPTED,
    Code.STORE_ERROR: Exit.FAILED,
    Code.UNAUTHORIZED: Exit.FAILED,
    Code.FORBIDDEN: Exit.FAILED,
    Code.CLAIM_MISMATCH: Exit.FAILED,
    Code.FOREIGN_HOST: Exit.FAILED,
    Code.FOREIGN_ORIGIN: Exit.FAILED,
    Code.RATE_LIMITED: Exit.BLOCKED,
    Code.BODY_TOO_LARGE: Exit.USAGE,
    Code.BAD_REQUEST: Exit.USAGE,
    Code.NO_SUCH_ROUTE: Exit.FAILED,
    Code.METHOD_NOT_ALLOWED: Exit.FAILED,
    Code.TOO_MANY_STREAMS: Exit.BLOCKED,
    Code.INTERNAL_ERROR: Exit.FAILED,
    Code.AGENT_NOT_FOUND: Exit.NOT_FOUND,
    Code.AGENT_EXISTS: Exit.USAGE,
    Code.INVALID_NAME: Exit.USAGE,
    Code.INVALID_ANSWER: Exit.USAGE,
    Code.NO_PANE_ID: Exit.NOT_FOUND,
    Code.WRONG_STATE: Exit.BLOCKED,
    Code.STORE_LEASED: Exit.FAILED,
    Code.SERVER_NOT_RUNNING: Exit.NOT_FOUND,
    Code.SERVER_ERROR: Exit.FAILED,
    Code.PORT_IN_USE: Exit.FAILED,
    Code.HOOKS_REFUSED: Exit.FAILED,
    Code.RECORDING_NOT_FOUND: Exit.NOT_FOUND,
    Code.NO_SUCH_DEVICE: Exit.NOT_FOUND,
    Code.INVALID_RECORDING: Exit.FAILED,
}
OF_DELIVERY = {Verdict.CONFIRMED: Exit.DONE, Verdict.UNCONFIRMED: Exit.UNCONFIRMED, Verdict.FAILED: Exit.FAILED}
OF_READINESS = {
    ReadyVerdict.READY: Exit.DONE,
    ReadyVerdict.AWAITING_ANSWER: Exit.BLOCKED,
    ReadyVerdict.BUSY: Exit.BLOCKED,
    ReadyVerdict.STABLE: Exit.UNCONFIRMED,
    ReadyVerdict.DEAD: Exit.NOT_FOUND,
    ReadyVerdict.TIMEOUT: Exit.TIMEOUT,
}


def exit_of(answer: SendResult | Readiness) -> Exit:
    match answer:
        case SendResult(error_type=Code() as code):
            return OF_CODE[code]
        case SendResult(verdict=verdict):
            return OF_DELIVERY[verdict]
    return Exit.DONE if answer.is_ready else OF_READINESS[answer.verdict]
