"""Every failure as HTTP tells it: one table from code to status, one body. Shape: data and functions."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response

from paneward.core.errors import Code, PanewardError
from paneward.core.result import SendResult, Verdict
from paneward.surfaces import wire

STATUS: Final[Mapping[Code, int]] = {
    Code.EMPTY_TEXT: 400,
    Code.NOT_TAKEN_AS_TEXT: 400,
    Code.UNKNOWN_KEY: 400,
    Code.INVALID_PATTERN: 400,
    Code.UNKNOWN_PROFILE: 400,
    Code.UNKNOWN_OPTION: 400,
    Code.CONFIG_INVALID: 400,
    Code.INVALID_NAME: 400,
    Code.INVALID_ANSWER: 400,
    Code.NO_PANE_ID: 400,
    Code.BAD_REQUEST: 400,
    Code.UNAUTHORIZED: 401,
    Code.FORBIDDEN: 403,
    Code.CLAIM_MISMATCH: 403,
    Code.FOREIGN_HOST: 403,
    Code.FOREIGN_ORIGIN: 403,
    Code.AGENT_NOT_FOUND: 404,
    Code.HOST_NOT_FOUND: 404,
    Code.PANE_NOT_FOUND: 404,
    Code.NO_SUCH_ROUTE: 404,
    Code.RECORDING_NOT_FOUND: 404,
    Code.NO_SUCH_DEVICE: 404,
    Code.METHOD_NOT_ALLOWED: 405,
    Code.WRONG_STATE: 409,
    Code.STALE_DIALOG: 409,
    Code.NO_FREE_TEXT: 409,
    Code.NO_DIALOG: 409,
    Code.BLOCKED_BY_DIALOG: 409,
    Code.OPERATOR_DRAFT: 409,
    Code.OPERATOR_BUSY: 409,
    Code.NOT_READY: 409,
    Code.WRONG_PROGRAM: 409,
    Code.IDEMPOTENCY_CONFLICT: 409,
    Code.AGENT_EXISTS: 409,
    Code.HOST_EXISTS: 409,
    Code.HOST_IN_USE: 409,
    Code.INTERRUPTED: 503,
    Code.TEXT_TOO_LONG: 413,
    Code.BODY_TOO_LARGE: 413,
    Code.RATE_LIMITED: 429,
    Code.TOO_MANY_STREAMS: 429,
    Code.INTERNAL_ERROR: 500,
    Code.SEND_FAILED: 502,
    Code.TIMEOUT: 502,
    Code.TMUX_ERROR: 502,
    Code.SERVER_ERROR: 502,
    Code.INVALID_RECORDING: 502,
    Code.PANE_DEAD: 503,
    Code.TMUX_NOT_INSTALLED: 503,
    Code.TMUX_TOO_OLD: 503,
    Code.SOCKET_NOT_OURS: 403,
    Code.HOST_UNREACHABLE: 503,
    Code.HOST_NEEDS_LOGIN: 503,
    Code.STORE_ERROR: 503,
    Code.STORE_LEASED: 503,
    Code.SERVER_NOT_RUNNING: 503,
    Code.PORT_IN_USE: 503,
    Code.HOOKS_REFUSED: 409,
}
OF_VERDICT: Final = {Verdict.CONFIRMED: 200, Verdict.UNCONFIRMED: 202, Verdict.FAILED: 502}


def request_id(connection: HTTPConnection) -> str:
    return str(connection.scope.get("state", {}).get("request_id", ""))


def envelope(failure: PanewardError, request: str) -> dict[str, Any]:
    """The body of every error."""
    written = wire.error(failure)
    del written["ok"]  # of commands, whose exit code it tells
    return {**written, "error": {**written["error"], "request_id": request}}


def refusal(failure: PanewardError, request: str, **parts: Any) -> JSONResponse:
    headers = {"retry-after": parts.pop("retry_after")} if "retry_after" in parts else None
    if failure.code is Code.UNAUTHORIZED:
        headers = {"www-authenticate": "Bearer"}
    return JSONResponse({**envelope(failure, request), **parts}, STATUS[failure.code], headers)


def delivered(result: SendResult, request: str, *, named: bool, **parts: Any) -> Response:
    """The answer to a delivery. `named`: the caller named the pane, so one that is not there is a wrong name."""
    written = {**wire.receipt(result), **parts}
    del written["ok"]
    if result.error_type is None:
        return JSONResponse(written, OF_VERDICT[result.verdict])
    written["error"] = {**written["error"], "request_id": request}
    return JSONResponse(written, status_of(result.error_type, named=named))


def status_of(code: Code, *, named: bool) -> int:
    """503 where the pane of an agent that exists is gone; 404 where the caller named a pane that is not there."""
    return 503 if code is Code.PANE_NOT_FOUND and not named else STATUS[code]
