"""The client of a running server: HTTP on its Unix socket, with a token, and its errors as ours.

One request per connection, so several threads may ask at once. Nothing is sent before the server has proven itself.
"""

import contextlib
import json
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from paneward.client.unix_http import SOCKET, BrokenAnswer, HttpAnswer, Stranger, connect, request
from paneward.client.whereabouts import Whereabouts, named_token, token_of, told
from paneward.core.errors import Code, PanewardError, ServerError

PATIENCE = 30.0  # seconds for an answer that waits for nothing
SIGN = 1.0  # seconds before a person wants to see that something is going on
START = "`paneward up --detach` starts one."
SUCCESS = range(200, 300)


class StreamMessage(NamedTuple):
    """One message of an event stream."""

    seq: int | None
    data: Any

    @property
    def kind(self) -> str:
        return str(self.data.get("kind", "")) if isinstance(self.data, dict) else ""


class Remote:
    """A server, and what can be asked of it."""

    def __init__(self, where: Whereabouts, token: str, connect: Callable[[], socket.socket]) -> None:
        self.where = where
        self.waiting: Callable[[], None] = lambda: None  # called once an answer takes long
        self._token = token
        self._connect = connect
        self._open: set[socket.socket] = set()

    def get(self, path: str, patience: float | None = PATIENCE, **query: Any) -> Any:
        return self.ask("GET", path, patience, query=query)

    def post(self, path: str, body: Mapping[str, Any], patience: float | None = PATIENCE, **query: Any) -> Any:
        return self.ask("POST", path, patience, query=query, body=body)

    def ask(
        self,
        method: str,
        path: str,
        patience: float | None = PATIENCE,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Any:
        """The document of an answer; an error of the server is raised as the error it is."""
        sent = None if body is None else {name: value for name, value in body.items() if value is not None}
        with self._asked(method, _target(path, query or {}), sent, patience) as answer:
            return _document(answer.status, answer.body())

    @contextlib.contextmanager
    def events(
        self, after: int | None, tick: float | None = None, **query: Any
    ) -> Iterator[Iterator[StreamMessage | None]]:
        """The event stream from behind `after`, until somebody ends it; none at each tick without a message."""
        target = _target("/api/events/stream", {**query, "last_event_id": after})
        with self._asked("GET", target, None, PATIENCE) as answer:
            if answer.status not in SUCCESS:
                _document(answer.status, answer.body())
            answer.timeout(tick)
            yield heard(answer.lines())

    def hang_up(self) -> None:
        """End every request that is under way, in whatever thread."""
        for sock in list(self._open):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    @contextlib.contextmanager
    def _asked(
        self, method: str, target: str, body: Mapping[str, Any] | None, patience: float | None
    ) -> Iterator[HttpAnswer]:
        """The answer to a request, its head read."""
        written = None if body is None else json.dumps(body).encode()
        try:
            with self._connect() as sock:
                self._open.add(sock)
                try:
                    sock.settimeout(patience)
                    sock.sendall(request(method, target, self._token, written))
                    answer = HttpAnswer(sock)
                    self._await(answer, patience)
                    yield answer
                finally:
                    self._open.discard(sock)
        except TimeoutError:
            raise _late(self.where) from None
        except Stranger as stranger:
            raise foreign(stranger) from None
        except (OSError, BrokenAnswer) as error:
            raise unreachable(self.where, error) from None

    def _await(self, answer: HttpAnswer, patience: float | None) -> None:
        """Wait for the head, with a sign of life when that takes long."""
        first = SIGN if patience is None else min(SIGN, patience)
        answer.timeout(first)
        try:
            answer.head()
        except TimeoutError:
            if patience is not None and patience <= first:
                raise
            self.waiting()
            answer.timeout(None if patience is None else patience - first)
            answer.head()


class Messages:
    """Machine: the lines of an event stream, and the messages that they complete. Comments are left out."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def feed(self, line: str) -> StreamMessage | None:
        if line:
            name, _, value = line.partition(":")
            before = f"{self._fields[name]}\n" if name == "data" and "data" in self._fields else ""
            self._fields[name] = before + value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        seq = fields.get("id", "")
        return StreamMessage(int(seq) if seq.isdecimal() else None, _parsed(fields["data"]))


def heard(lines: Iterable[str | None]) -> Iterator[StreamMessage | None]:
    """The messages in the lines of a stream; a tick stays one."""
    messages = Messages()
    for line in lines:
        message = None if line is None else messages.feed(line)
        if line is None or message is not None:
            yield message


def found(directory: Path) -> Remote | None:
    """The running server of a state directory, if there is one: its process listens, and is ours."""
    where = told(directory)
    if where is None:
        return None
    try:
        connect(directory).close()
    except Stranger as stranger:
        raise foreign(stranger) from None
    except OSError:
        return None
    return Remote(where, token_of(directory), lambda: connect(directory))


def required(directory: Path) -> Remote:
    """The running server; an error where there is none."""
    remote = found(directory)
    if remote is None:
        raise not_running(directory)
    return remote


def not_running(directory: Path) -> ServerError:
    where = told(directory)
    if where is None:
        return ServerError("no server runs", code=Code.SERVER_NOT_RUNNING, hint=START)
    message = f"no server answers at {where.url}, where one was started (process {where.pid})"
    return ServerError(message, code=Code.SERVER_NOT_RUNNING, hint=f"It may have been killed. {START}")


def foreign(stranger: Stranger) -> ServerError:
    return ServerError(
        f"{stranger} on the socket {SOCKET} of the state directory: nothing was sent to it",
        hint="The state directory must be yours alone: `paneward doctor` looks at it.",
    )


def unreachable(where: Whereabouts, error: Exception) -> ServerError:
    """The connection broke."""
    said = str(error) or type(error).__name__
    return ServerError(f"the server at {where.url} cannot be reached: {said}", hint="`paneward status` looks for it.")


def _late(where: Whereabouts) -> ServerError:
    return ServerError(f"the server at {where.url} did not answer in time", code=Code.TIMEOUT, hint="Is it stopped?")


def failure(document: Any, status: int) -> PanewardError:
    """The error that an answer tells."""
    told_of = document.get("error") if isinstance(document, dict) else None
    if not isinstance(told_of, dict) or "code" not in told_of:
        return ServerError(f"the server answered with HTTP {status}: {document!r:.200}", hint="Its log may tell more.")
    code = str(told_of["code"])
    message, hint = str(told_of.get("message", "")), str(told_of.get("hint", ""))
    if code not in Code.__members__:
        return ServerError(f"{message} ({code})", hint=hint)
    if code == Code.UNAUTHORIZED and (file := named_token()):
        message, hint = (
            f"{message}: the one in {file}",
            "PANEWARD_TOKEN_FILE names it; unset it to act as the operator.",
        )
    return PanewardError(message, code=Code(code), hint=hint)


def _document(status: int, body: bytes) -> Any:
    document = _parsed(body.decode("utf-8", "replace"))
    if status in SUCCESS or (isinstance(document, dict) and "verdict" in document):
        return document  # a receipt of a failed delivery is an answer
    raise failure(document, status)


def _target(path: str, query: Mapping[str, Any]) -> str:
    given = {name: _word(value) for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
