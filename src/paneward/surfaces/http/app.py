"""The ASGI app of a running server: the door, the routes behind it, the streams beside them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from paneward.core.agent.record import Answer, shown
from paneward.core.errors import Code, Denied, InvalidInput, PanewardError
from paneward.surfaces.http import openapi, page
from paneward.surfaces.http.access.gate import Gate, answer, unsigned
from paneward.surfaces.http.access.tokens import Access, Identity, May
from paneward.surfaces.http.errors import refusal, request_id
from paneward.surfaces.http.metrics import Counted, Figures, Metrics
from paneward.surfaces.http.mutations import Mutations
from paneward.surfaces.http.routes.agents import AgentRoutes
from paneward.surfaces.http.routes.hooks import HookRoutes
from paneward.surfaces.http.routes.hosts import HostRoutes
from paneward.surfaces.http.routes.panes import PaneRoutes
from paneward.surfaces.http.routes.params import Streams
from paneward.surfaces.http.routes.recordings import RecordingRoutes
from paneward.surfaces.http.routes.site import SiteRoutes
from paneward.surfaces.http.stream import EventFilter, Feed, StreamReader, keep_beating, keep_fed, serve_reader

if TYPE_CHECKING:
    from paneward.app.server import Server

STREAM = "/api/events/stream"
log = logging.getLogger(__name__)


class HttpApp:
    """What uvicorn serves. `drain` ends every stream, so that the server can."""

    def __init__(self, server: "Server", access: Access, stop: Callable[[], None]) -> None:
        self._server = server
        self._access = access
        self.feed = Feed(server.store.last_seq)
        self.metrics = Metrics(self._figures())
        self.feed.on_signal = self.metrics.signal
        settings = server.settings.server
        self._streams = Streams(settings.max_streams, self.metrics)
        self._stop = stop
        self.fast = self._fastapi()
        self._mutations = Mutations(self._caught, server.store, settings.max_body_bytes)
        self._inside = Counted(self._mutations, self.metrics, access.clock)
        self._gate = Gate(self._dispatch, access, settings.rate_per_second, page.stranger)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._gate(scope, receive, send)

    def drain(self) -> None:
        self.feed.close()

    # --- inside

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The event stream goes past the routes: each of their layers would cost every client of every event."""
        if scope["type"] == "http" and scope["path"] == STREAM and scope["method"] == "GET":
            await self._stream(scope, receive, send)
        else:
            await self._inside(scope, receive, send)

    async def _caught(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What went wrong inside was answered and logged; the framework raises it once more."""
        try:
            await self.fast(scope, receive, send)
        except Exception:
            if scope["type"] != "http":
                raise
            log.debug("request %s failed", scope["state"]["request_id"], exc_info=True)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            identity: Identity = scope["state"]["identity"]
            identity.require(May.LOOK)
            reader = self._reader(Request(scope), identity)
            with self._streams.open("events"):
                await serve_reader(reader, receive, send, unsigned(send))
        except PanewardError as failure:
            await answer(refusal(failure, scope["state"]["request_id"]), scope, receive, send)

    def _reader(self, request: Request, identity: Identity) -> StreamReader:
        query = request.query_params
        kinds = tuple(sorted({kind for given in query.getlist("types") for kind in given.split(",") if kind}))
        after = request.headers.get("last-event-id") or query.get("last_event_id")
        if after and not (after.isdecimal() and len(after) < 19):
            raise InvalidInput(
                f"{after!r:.40} is no event id", code=Code.BAD_REQUEST, hint="last_event_id is the seq of an event."
            )
        wanted = EventFilter(kinds, query.get("agent") or None)
        good = lambda: self._access.good(identity)  # noqa: E731
        return StreamReader(
            self.feed, self._server.store, wanted, int(after) if after else None, good, self.metrics.gap
        )

    def _figures(self) -> Figures:
        server, clock = self._server, self._access.clock
        return Figures(
            lambda: [shown(agent, clock.wall()) for agent in server.agents.all()],
            lambda: server.store.last_seq,
            lambda: clock.wall() - server.started_at,
            self.feed.told,
            server.listening.counts,
            lambda: [host.state for host in server.hosts.all()],
            server.meters.tokens,
            lambda: (server.recordings.count, server.recordings.written, server.recordings.gaps),
        )

    def _fastapi(self) -> FastAPI:
        api = FastAPI(
            title="Paneward",
            version=self._server.version,
            description="Agents in tmux panes: what they do, what they ask, and how they are answered.",
            docs_url=None,
            redoc_url=None,
            lifespan=self._lifespan,
        )
        for routes in (
            AgentRoutes(self._server, self._access),
            PaneRoutes(self._server, self._streams),
            HostRoutes(self._server),
            HookRoutes(self._server),
            RecordingRoutes(self._server),
            SiteRoutes(self._server, self._access, self.metrics, self._stop),
        ):
            api.router.routes.extend(routes.router().routes)  # as they are: to include them is to build each anew
        api.add_exception_handler(PanewardError, _refuse)
        api.add_exception_handler(HTTPException, _refuse_http)
        api.add_exception_handler(RequestValidationError, self._refuse_body)
        api.add_exception_handler(Exception, _refuse_unknown)
        api.openapi = lambda: openapi.document(api, STREAM)  # type: ignore[method-assign]
        return api

    async def _refuse_body(self, request: Request, failure: Exception) -> Response:
        """A bad body is judged last: where the agent could not be answered at all, that is told. Who judges is the
        service, by an answer that is none."""
        assert isinstance(failure, RequestValidationError)
        told = _bad_request(failure)
        if request.url.path.startswith("/api/respond/"):
            try:
                await self._server.agents.respond(request.path_params["agent_id"], Answer(mode=""))
            except PanewardError as judged:
                told = told if judged.code is Code.INVALID_ANSWER else judged
        return refusal(told, request_id(request))

    @asynccontextmanager
    async def _lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        tasks = [
            asyncio.ensure_future(keep_fed(self.feed, self._server.bus, self._server.store)),
            asyncio.ensure_future(keep_beating(self.feed, self._access.clock)),
        ]
        try:
            yield
        finally:
            self.drain()
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task


def build(server: "Server", access: Access, stop: Callable[[], None] = lambda: None) -> HttpApp:
    """The app of a server. `stop` is what `POST /api/shutdown` calls."""
    return HttpApp(server, access, stop)


def _bad_request(failure: RequestValidationError) -> PanewardError:
    """Which fields, and what they should be; never what they were: it may be a secret, or anything."""
    told = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in failure.errors()[:5]]
    return InvalidInput("; ".join(told)[:500], code=Code.BAD_REQUEST, hint="/openapi.json describes every route.")


async def _refuse(request: Request, failure: Exception) -> Response:
    assert isinstance(failure, PanewardError)
    return refusal(failure, request_id(request))


async def _refuse_http(request: Request, failure: Exception) -> Response:
    """What the router refuses by itself."""
    assert isinstance(failure, HTTPException)
    if failure.status_code == 405:
        told: PanewardError = Denied(
            f"{request.url.path} does not take {request.method:.20}", code=Code.METHOD_NOT_ALLOWED, hint="See `Allow`."
        )
    elif failure.status_code == 404:
        told = InvalidInput(
            f"nothing is at {request.url.path!r:.100}", code=Code.NO_SUCH_ROUTE, hint="/openapi.json lists the routes."
        )
    else:
        told = InvalidInput("the body cannot be read", code=Code.BAD_REQUEST, hint="Send JSON in UTF-8.")
    answer = refusal(told, request_id(request))
    answer.headers.update(failure.headers or {})
    return answer


async def _refuse_unknown(request: Request, failure: Exception) -> Response:
    """Our own mistake: nothing of it is shown, all of it is logged."""
    log.error("request %s: %s %s", request_id(request), request.method, request.url.path, exc_info=failure)
    told = PanewardError(
        "something went wrong in Paneward", code=Code.INTERNAL_ERROR, hint="The log has the details: please report it."
    )
    return refusal(told, request_id(request))
