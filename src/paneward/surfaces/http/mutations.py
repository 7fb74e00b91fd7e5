"""What changes something: its body is read and bounded, it is done once per idempotency key, and it is audited.

An ASGI app around the routes. Before an answer goes out, its entry in the audit and the reply that is kept under its
key are on the disk, by one commit.
"""

import asyncio
import hashlib
import json
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paneward.core.audit import AuditEntry
from paneward.core.errors import Code, InvalidInput, PanewardError
from paneward.surfaces.http.access.gate import SAFE_METHODS, Gone, headers_of, read_body, replayed
from paneward.surfaces.http.access.tokens import Identity
from paneward.surfaces.http.errors import refusal

KEY = b"idempotency-key"
MOST_KEY = 200  # characters
log = logging.getLogger(__name__)


class StoredReply(Protocol):
    """A reply on record."""

    @property
    def request_hash(self) -> str: ...
    @property
    def status(self) -> int: ...
    @property
    def body(self) -> str: ...


class Records(Protocol):
    """What is needed of the store."""

    async def audit(self, entry: AuditEntry) -> None: ...
    async def reply(self, identity: str, key: str) -> StoredReply | None: ...
    async def keep_reply(self, identity: str, key: str, request_hash: str, status: int, body: str) -> None: ...


@dataclass(slots=True)
class UnsentAnswer:
    """An answer that is not sent yet."""

    status: int = 500
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message.get("headers", []))
        else:
            self.body += message.get("body", b"")

    async def send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})


class Mutations:
    def __init__(self, app: ASGIApp, records: Records, most: int) -> None:
        self._app = app
        self._records = records
        self._most = most  # bytes of a body
        self._turns = KeyQueue()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in SAFE_METHODS:
            await self._app(scope, receive, send)
            return
        try:
            await self._change(scope, receive, send)
        except PanewardError as failure:
            await refusal(failure, scope["state"]["request_id"])(scope, receive, send)
        except Gone:
            return

    async def _change(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        body = await read_body(receive, self._most, headers)
        given = headers.get(KEY, [])
        identity: Identity | None = scope["state"]["identity"]
        if not given or identity is None:
            await (await self._perform(scope, body, None)).send(send)
            return
        key = _checked(given)
        async with self._turns.of(f"{identity.name} {key}"):
            known = await self._records.reply(identity.name, key)
            if known is not None:
                await _repeated(known, _hash(scope, body))(scope, receive, send)
                return
            await (await self._perform(scope, body, key)).send(send)

    async def _perform(self, scope: Scope, body: bytes, key: str | None) -> UnsentAnswer:
        identity: Identity | None = scope["state"]["identity"]
        scope["state"]["idempotency_key"] = key
        captured = UnsentAnswer()
        await self._app(scope, replayed(body), captured.take)
        who = "" if identity is None else identity.name
        on_record = scope["state"].get("on_record", False)
        records = [] if on_record else [self._records.audit(audit_entry(scope, _result(captured)))]
        if key is not None and captured.status < 300:
            digest = _hash(scope, body)
            records.append(self._records.keep_reply(who, key, digest, captured.status, captured.body.decode()))
        for failure in await asyncio.gather(*records, return_exceptions=True):
            if failure is not None:  # what was done stays done, and is answered as it is
                log.error("an action could not be put on record: %s", failure)
        return captured


class KeyQueue:
    """One at a time for each key."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._users: Counter[str] = Counter()

    @asynccontextmanager
    async def of(self, key: str) -> AsyncIterator[None]:
        self._users[key] += 1
        try:
            async with self._locks.setdefault(key, asyncio.Lock()):
                yield
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key], self._locks[key]


def _checked(given: list[str]) -> str:
    if len(given) == 1 and given[0].isprintable() and 0 < len(given[0]) <= MOST_KEY:
        return given[0]
    raise InvalidInput(
        "Idempotency-Key has to be one text of printable characters",
        code=Code.BAD_REQUEST,
        hint=f"Up to {MOST_KEY} characters, such as a UUID.",
    )


def _hash(scope: Scope, body: bytes) -> str:
    head = f"{scope['method']} {scope['path']}?{scope['query_string'].decode('latin-1')}\n"
    return hashlib.sha256(head.encode() + body).hexdigest()


def _repeated(known: StoredReply, digest: str) -> Response:
    if known.request_hash != digest:
        raise InvalidInput(
            "this Idempotency-Key was used for another request",
            code=Code.IDEMPOTENCY_CONFLICT,
            hint="Give every request a key of its own.",
        )
    return Response(known.body, known.status, {"idempotent-replayed": "true"}, "application/json")


def audit_entry(scope: Scope, result: str = "") -> AuditEntry:
    """What is asked for, and by whom. Never the text itself: a secret may be in it."""
    identity: Identity | None = scope["state"]["identity"]
    params: dict[str, Any] = scope.get("path_params") or {}
    route = scope.get("route")
    action = getattr(route, "name", None) or f"{scope['method']} {scope['path']}"
    detail = " ".join(filter(None, (params.get("pane"), scope["state"].get("detail"))))
    agent_id = params.get("agent_id") or scope["state"].get("agent_id")
    return AuditEntry("" if identity is None else identity.name, action, agent_id, result, detail)


def _result(captured: UnsentAnswer) -> str:
    if captured.status < 300:
        return "unconfirmed" if captured.status == 202 else "ok"
    try:
        return str(json.loads(captured.body)["error"]["code"])
    except (ValueError, KeyError, TypeError):
        return str(captured.status)
