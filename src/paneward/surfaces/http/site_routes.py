"""The routes of the server itself: its health, its page, signing in, ending it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from paneward.core.errors import Denied
from paneward.surfaces.http import bodies, page
from paneward.surfaces.http.access import CODE_LASTS, SIGNED_IN, Access, May
from paneward.surfaces.http.gate import cookie_name
from paneward.surfaces.http.metrics import Metrics
from paneward.surfaces.http.params import ERRORS, needs

if TYPE_CHECKING:
    from paneward.app.server import Server

TEXT = "text/plain; version=0.0.4; charset=utf-8"
DENIED: dict[int | str, dict[str, Any]] = {status: ERRORS[status] for status in (400, 401, 403, 429)}


class SiteRoutes:
    def __init__(self, server: "Server", access: Access, metrics: Metrics, stop: Callable[[], None]) -> None:
        self._server = server
        self._access = access
        self._metrics = metrics
        self._stop = stop

    def router(self) -> APIRouter:
        router = APIRouter(responses=DENIED)
        rule, look = [needs(May.RULE)], [needs(May.LOOK)]
        plain = {"response_class": PlainTextResponse, "response_model": None}
        router.get("/api/version", dependencies=look, response_model=bodies.Version)(self.version)
        router.post("/api/signin-code", dependencies=rule, response_model=bodies.SignInUrl)(self.signin_code)
        router.post("/api/shutdown", dependencies=rule, response_model=bodies.Done)(self.shutdown)
        router.get("/healthz", **plain)(self.healthz)  # type: ignore[arg-type]
        router.get("/readyz", **plain)(self.readyz)  # type: ignore[arg-type]
        router.get("/metrics", dependencies=look, **plain)(self.figures)  # type: ignore[arg-type]
        hidden = {"include_in_schema": False}
        router.get("/signin", **hidden)(self.signin)  # type: ignore[arg-type]
        router.get("/", dependencies=look, **hidden)(self.index)  # type: ignore[arg-type]
        for name in ("page.css", "page.js"):
            router.get(f"/{name}", **hidden)(self._asset(name))  # type: ignore[arg-type]
        return router

    async def version(self) -> Response:
        """Which Paneward this is."""
        about = {"version": self._server.version, "started_at": self._server.started_at}
        sound = not self._server.settings.notifications.sound_disabled
        return JSONResponse({**about, "seq": self._server.store.last_seq, "sound": sound})

    async def signin_code(self, request: Request) -> Response:
        """A URL that signs one browser in, once."""
        url = f"{request.base_url}signin?code={self._access.new_code()}"
        return JSONResponse({"url": url, "seconds": CODE_LASTS})

    async def shutdown(self) -> Response:
        """End the server in order. Agents run on."""
        self._stop()
        return JSONResponse({"status": "ok"})

    async def healthz(self) -> Response:
        """The server runs."""
        return PlainTextResponse("ok\n")

    async def readyz(self) -> Response:
        """The server runs and its store can be read."""
        await self._server.store.events(limit=1)
        return PlainTextResponse("ok\n")

    async def figures(self) -> Response:
        """Figures for Prometheus."""
        return Response(self._metrics.text(), media_type=TEXT)

    async def signin(self, request: Request, code: Annotated[str, Query(max_length=200)] = "") -> Response:
        try:
            value = self._access.sign_in(code)
        except Denied as failure:
            return page.not_signed_in(f"{failure.message[:1].upper()}{failure.message[1:]}.")
        name = cookie_name(request.headers["host"])
        return page.signed_in(name, value, request.url.scheme == "https", SIGNED_IN)

    async def index(self) -> Response:
        return page.page()

    def _asset(self, name: str) -> Callable[[], Response]:
        async def asset() -> Response:
            return page.asset(name)

        return asset  # type: ignore[return-value]
