"""The door before every route, HTTP and WebSocket alike: by which name, from which page, who, how often.

An ASGI app around another. What passes has an `Identity` and a request id in its state; what does not is answered here,
with nothing of the request having been looked at but its head.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from math import ceil
from typing import Any, Final

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paneward.core.errors import Code, Denied, PanewardError
from paneward.core.policy import Allowance
from paneward.surfaces.http.access.connections import welcome
from paneward.surfaces.http.access.sessions import LASTS
from paneward.surfaces.http.access.tokens import COOKIE, Access, Identity
from paneward.surfaces.http.channels import Channels
from paneward.surfaces.http.errors import refusal

OPEN: Final = frozenset({"/healthz", "/readyz", "/signin", "/page.css", "/page.js", "/favicon.ico"})
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
HEADERS: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
HEADS: Final = frozenset({"http.response.start", "websocket.http.response.start", "websocket.accept"})
OWN_SITE: Final = frozenset({"same-origin", "none"})  # none: typed by the human, or a bookmark
TOKEN_OVER: Final = 4401  # the code of a close
Stranger = Callable[[Scope, PanewardError, str], Response]


class Gate:
    def __init__(self, app: ASGIApp, access: Access, rate: float, stranger: Stranger) -> None:
        self._app = app
        self._access = access
        self._allowance = Allowance(rate)
        self._stranger = stranger  # how somebody without a token is answered
        self._channels = Channels(access.good, access.clock)
        access.on_revoke = self._channels.look

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        request = secrets.token_hex(8)
        state = scope.setdefault("state", {})
        state["request_id"] = request
        signed = Signed(send, request)
        try:
            state["identity"] = self._admit(scope, signed)
        except PanewardError as failure:
            await answer(self._refused(scope, failure, request), scope, receive, signed)
            return
        await self._pass(scope, receive, signed)

    async def _pass(self, scope: Scope, receive: Receive, send: "Signed") -> None:
        """What may stay open is ended when its token is no longer good."""
        identity: Identity | None = scope["state"]["identity"]
        if identity is None or (scope["type"] == "http" and scope["method"] not in SAFE_METHODS):
            await self._app(scope, receive, send)
            return
        with self._channels.open(identity) as channel:
            try:
                await self._app(scope, receive, send)
            except asyncio.CancelledError:
                if not channel.over:
                    raise
                channel.task.uncancel()
                await self._cut(scope, receive, send)

    async def _cut(self, scope: Scope, receive: Receive, send: "Signed") -> None:
        """Tell a client that its token is no longer good, in the way that is left."""
        failure = over()
        with suppress(RuntimeError, OSError):  # the client may be gone, or the answer almost whole
            if not send.started:
                await answer(refusal(failure, scope["state"]["request_id"]), scope, receive, send)
            elif scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": TOKEN_OVER, "reason": failure.message})
            else:
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _admit(self, scope: Scope, signed: "Signed") -> Identity | None:
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
        if not given and (cookie := cookie_of(headers.get(b"cookie", []), cookie_name(host[0]))):
            check_site(headers.get(b"sec-fetch-site", []))
            identity, fresh = self._access.by_cookie(cookie)
            if fresh:
                signed.cookie = set_cookie(cookie_name(host[0]), fresh, scope["scheme"] in ("https", "wss"))
        else:
            identity = self._access.identify(given, None)
        welcome(scope["state"])
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


def over() -> Denied:
    return Denied("the token is no longer good", code=Code.UNAUTHORIZED, hint="Ask again with a new one, or sign in.")


def check_site(given: list[str]) -> None:
    """A browser sends the cookie along for pages of other ports of this machine: it says so itself, by this header."""
    if any(site.lower() not in OWN_SITE for site in given):
        raise Denied(
            "the request comes from another page",
            code=Code.FOREIGN_ORIGIN,
            hint="Open Paneward's own page; programs send a token instead of the cookie.",
        )


def set_cookie(name: str, value: str, secure: bool, seconds: float = LASTS) -> bytes:
    rest = "; Secure" if secure else ""
    return f"{name}={value}; HttpOnly; Max-Age={int(seconds)}; Path=/; SameSite=strict{rest}".encode("latin-1")


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
        self.cookie: bytes | None = None  # to be set along with the answer
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] in HEADS:
            self.started = True
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            names = {name for name, _ in message.get("headers", [])}
            more = [(b"x-request-id", self._request.encode()), *(one for one in HEADERS if one[0] not in names)]
            more += [] if b"cache-control" in names else [(b"cache-control", b"no-store")]
            if self.cookie is not None and b"set-cookie" not in names:
                more.append((b"set-cookie", self.cookie))
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
