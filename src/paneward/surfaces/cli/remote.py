"""The client of a running server: HTTP with its token, and its errors as ours.

A proxy of the environment is never asked: the server is on this machine, or its operator said where it is.
"""

import json
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from paneward.core.errors import Code, PanewardError, ServerError
from paneward.surfaces.cli.whereabouts import Whereabouts, token_of, told

PROBE = 5.0  # seconds that a server may take to say that it is there: one that is gone refuses at once
PATIENCE = 30.0  # seconds for an answer that waits for nothing
START = "`paneward up --detach` starts one."


class Heard(NamedTuple):
    """One message of an event stream."""

    seq: int | None
    data: Any

    @property
    def kind(self) -> str:
        return str(self.data.get("kind", "")) if isinstance(self.data, dict) else ""


class Remote:
    """A server, and what can be asked of it."""

    def __init__(self, where: Whereabouts, token: str, client: httpx.AsyncClient) -> None:
        self.where = where
        self._client = client
        client.headers["Authorization"] = f"Bearer {token}"

    async def version(self) -> dict[str, Any] | None:
        """What the server says of itself; none where nothing answers, or not to this token."""
        try:
            answer = await self._client.get("/api/version", timeout=PROBE)
            return dict(answer.json()) if answer.status_code == httpx.codes.OK else None
        except (httpx.HTTPError, ValueError, TypeError):
            return None

    async def get(self, path: str, patience: float | None = PATIENCE, **query: Any) -> Any:
        return await self.ask("GET", path, patience, query=query)

    async def post(self, path: str, body: Mapping[str, Any], patience: float | None = PATIENCE, **query: Any) -> Any:
        return await self.ask("POST", path, patience, query=query, body=body)

    async def ask(
        self,
        method: str,
        path: str,
        patience: float | None = PATIENCE,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Any:
        """The document of an answer; an error of the server is raised as the error it is."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        sent = None if body is None else {name: value for name, value in body.items() if value is not None}
        try:
            answer = await self._client.request(method, path, params=given, json=sent, timeout=patience)
        except httpx.HTTPError as error:
            raise unreachable(self.where, error) from None
        return _document(answer)

    @asynccontextmanager
    async def events(self, after: int | None, **query: Any) -> AsyncIterator[AsyncIterator[Heard]]:
        """The event stream from behind `after`, until the server or the caller ends it."""
        given = {name: value for name, value in {**query, "last_event_id": after}.items() if value is not None}
        try:
            async with self._client.stream("GET", "/api/events/stream", params=given, timeout=None) as answer:
                if answer.status_code != httpx.codes.OK:
                    await answer.aread()
                    _document(answer)
                yield heard(answer.aiter_lines())
        except httpx.HTTPError as error:
            raise unreachable(self.where, error) from None


async def heard(lines: AsyncIterator[str]) -> AsyncIterator[Heard]:
    """The messages of an event stream; comments are left out."""
    fields: dict[str, str] = {}
    async for line in lines:
        name, _, value = line.partition(":")
        if line and name:
            fields[name] = (f"{fields[name]}\n" if name == "data" and "data" in fields else "") + value.removeprefix(
                " "
            )
        elif not line and "data" in fields:
            seq = fields.get("id", "")
            yield Heard(int(seq) if seq.isdecimal() else None, _parsed(fields["data"]))
            fields = {}
        elif not line:
            fields = {}


@asynccontextmanager
async def opened(where: Whereabouts, token: str) -> AsyncIterator[Remote]:
    """A client of the server there; whether it answers is not asked."""
    async with httpx.AsyncClient(base_url=where.url, trust_env=False, verify=_trust(where)) as client:
        yield Remote(where, token, client)


@asynccontextmanager
async def found(directory: Path) -> AsyncIterator[Remote | None]:
    """The running server of a state directory, if there is one that answers."""
    where, token = told(directory), token_of(directory)
    if where is None or not token:
        yield None
        return
    async with opened(where, token) as remote:
        yield remote if await remote.version() is not None else None


@asynccontextmanager
async def required(directory: Path) -> AsyncIterator[Remote]:
    """The running server; an error where there is none."""
    async with found(directory) as remote:
        if remote is None:
            raise not_running(directory)
        yield remote


def not_running(directory: Path) -> ServerError:
    where = told(directory)
    if where is None:
        return ServerError("no server runs", code=Code.SERVER_NOT_RUNNING, hint=START)
    message = f"no server answers at {where.url}, where one was started (process {where.pid})"
    return ServerError(message, code=Code.SERVER_NOT_RUNNING, hint=f"It may have been killed, or not be yours. {START}")


def unreachable(where: Whereabouts, error: httpx.HTTPError) -> ServerError:
    """The connection broke, or the time was up."""
    if isinstance(error, httpx.TimeoutException):
        return ServerError(
            f"the server at {where.url} did not answer in time", code=Code.TIMEOUT, hint="Is it stopped?"
        )
    said = str(error) or type(error).__name__
    return ServerError(f"the server at {where.url} cannot be reached: {said}", hint="`paneward status` looks for it.")


def failure(document: Any, status: int) -> PanewardError:
    """The error that an answer tells."""
    told_of = document.get("error") if isinstance(document, dict) else None
    if not isinstance(told_of, dict) or "code" not in told_of:
        return ServerError(f"the server answered with HTTP {status}: {document!r:.200}", hint="Its log may tell more.")
    code = str(told_of["code"])
    message, hint = str(told_of.get("message", "")), str(told_of.get("hint", ""))
    if code not in Code.__members__:
        return ServerError(f"{message} ({code})", hint=hint)
    return PanewardError(message, code=Code(code), hint=hint)


def _document(answer: httpx.Response) -> Any:
    document = _parsed(answer.text)
    if answer.is_success or (isinstance(document, dict) and "verdict" in document):
        return document  # a receipt of a failed delivery is an answer
    raise failure(document, answer.status_code)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _trust(where: Whereabouts) -> ssl.SSLContext | bool:
    """The very certificate that the server was started with, whatever it is named for. Without TLS nothing is loaded:
    that takes time."""
    if not where.certificate:
        return False
    try:
        context = ssl.create_default_context(cafile=where.certificate)
    except OSError as error:
        raise ServerError(f"cannot read the certificate {where.certificate} of the server: {error}") from None
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context
