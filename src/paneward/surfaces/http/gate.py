"""The door before every route, HTTP and WebSocket alike: by which name, from which page, who, how often.

An ASGI app around another. What passes has an `Identity` and a request id in its state; what does not is answered here,
with nothing of the request having been looked at but its head.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from http.cookies import CookieError, SimpleCookie
from math import ceil
from typing import Any, Final

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paneward.core.errors import Code, Denied, PanewardError
from paneward.core.policy import Allowance
from paneward.surfaces.http.access import COOKIE, Access, Identity
from paneward.surfaces.http.errors import refusal

OPEN: Final = frozenset({"/healthz", "/readyz", "/signin", "/page.css", "/page.js", "/favicon.ico"})
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
HEADERS: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
Stranger = Callable[[Scope, PanewardError, str], Response]


class Gate:
    def __init__(self, app: ASGIApp, access: Access, rate: float, stranger: Stranger) -> None:
        self._app = app
        self._access = access
        self._allowance = Allowance(rate)
        self._stranger = stranger  # how somebody without a token is answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        request = secrets.token_hex(8)
        state = scope.setdefault("state", {})
        state["request_id"] = request
        try:
            state["identity"] = self._admit(scope)
        except PanewardError as failure:
            await answer(self._refused(scope, failure, request), scope, receive, Signed(send, request))
            return
        await self._app(scope, receive, Signed(send, request))

    def _admit(self, scope: Scope) -> Identity | None:
        headers = headers_of(scope)
        host = headers.get(b"host", [])
        if len(host) != 1:
            raise Denied("the request needs one Host header", code=Code.FOREIGN_HOST, hint="Use an HTTP client.")
        self._access.check_host(host[0])
        for origin in headers.get(b"origin", []):
            self._access.check_origin(origin, host[0])
        if scope["path"] in OPEN:
            return None
        [given] = headers.get(b"authorization", [""])[:1]
        identity = self._access.identify(given, cookie_of(headers.get(b"cookie", []), cookie_name(host[0])))
        if wait := self._allowance.take(identity.name, self._access.clock.now()):
            raise Slower(wait)
        return identity

    def _refused(self, scope: Scope, failure: PanewardError, request: str) -> Response:
        if isinstance(failure, Slower):
            return refusal(failure, request, retry_after=str(ceil(failure.seconds)))
        if failure.code is Code.UNAUTHORIZED:
            return self._stranger(scope, failure, request)
        return refusal(failure, request)


class Slower(Denied):
    def __init__(self, seconds: float) -> None:
        super().__init__(
            "too many requests of this identity in a second", code=Code.RATE_LIMITED, hint="Wait, then ask again."
        )
        self.seconds = seconds


def headers_of(scope: Scope) -> Mapping[bytes, list[str]]:
    found: dict[bytes, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.lower(), []).append(value.decode("latin-1"))
    return found


def cookie_name(host: str) -> str:
    """Cookies know no ports: two servers on one machine would sign each other's browsers out."""
    port = host.rpartition(":")[2]
    return f"{COOKIE}-{port}" if port.isdecimal() else COOKIE


def cookie_of(headers: list[str], name: str) -> str | None:
    for header in headers:
        try:
            found = SimpleCookie(header).get(name)
        except CookieError:
            continue
        if found is not None:
            return found.value
    return None


class Signed:
    """Every answer tells its request id, and what browsers must not do with it. Only its head is touched."""

    def __init__(self, send: Send, request: str) -> None:
        self.send = send
        self._request = request

    async def __call__(self, message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            names = {name for name, _ in message.get("headers", [])}
            more = [(b"x-request-id", self._request.encode()), *(one for one in HEADERS if one[0] not in names)]
            more += [] if b"cache-control" in names else [(b"cache-control", b"no-store")]
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await self.send(message)


def unsigned(send: Send) -> Send:
    """The way for what follows the head."""
    return send.send if isinstance(send, Signed) else send


async def answer(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """A whole answer, also to who asked for a WebSocket."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    await response(scope, receive, send)


async def read_body(receive: Receive, most: int, headers: Mapping[bytes, list[str]]) -> bytes:
    """The body of a request; `Denied` as soon as it is known to be too long."""
    [length] = headers.get(b"content-length", ["0"])[:1]
    if length.isdecimal() and int(length) > most:
        raise _too_large(most)
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        body += message.get("body", b"")
        if len(body) > most:
            raise _too_large(most)
        if not message.get("more_body", False):
            return bytes(body)


class Gone(Exception):
    """The client left before it had asked."""


def _too_large(most: int) -> Denied:
    return Denied(
        f"the body is longer than {most} bytes",
        code=Code.BODY_TOO_LARGE,
        hint="Put the text into a file and send its name; server.max_body_bytes is the limit.",
    )


def replayed(body: bytes) -> Callable[[], Awaitable[Message]]:
    """A body that was read, once more."""
    waiting: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    return receive
