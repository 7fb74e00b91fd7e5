"""The routes of the server itself: its health, its page, signing in, ending it."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from paneward.core.errors import Code, Denied, InvalidInput, StoreError
from paneward.core.text import clean
from paneward.surfaces.http import page
from paneward.surfaces.http.access.gate import cookie_name, set_cookie
from paneward.surfaces.http.access.sessions import shown
from paneward.surfaces.http.access.tokens import CODE_LASTS, Access, May
from paneward.surfaces.http.metrics import Metrics
from paneward.surfaces.http.routes import bodies
from paneward.surfaces.http.routes.params import ERRORS, Caller, needs

if TYPE_CHECKING:
    from paneward.app.server import Server

TEXT = "text/plain; version=0.0.4; charset=utf-8"
DENIED: dict[int | str, dict[str, Any]] = {status: ERRORS[status] for status in (400, 401, 403, 429)}

log = logging.getLogger("paneward.http")


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
        router.post("/api/signout", dependencies=look, response_model=bodies.Done)(self.signout)
        router.get("/api/devices", dependencies=rule, response_model=bodies.Devices)(self.devices)
        missing = {"responses": {404: ERRORS[404]}}
        one = "/api/devices/{device_id}"
        router.delete(one, dependencies=rule, response_model=bodies.Done, **missing)(self.revoke)  # type: ignore[arg-type]
        token = "/api/tokens/{token_id}"
        router.delete(token, dependencies=rule, response_model=bodies.Done)(self.revoke_token)
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
        """The server runs and its store can be read. Why it cannot be read stands in the log: no token is asked for."""
        try:
            await self._server.store.events(limit=1)
        except StoreError as failure:
            log.warning("not ready: %s", failure.message)
            return PlainTextResponse("the store cannot be read\n", 503)
        return PlainTextResponse("ok\n")

    async def figures(self) -> Response:
        """Figures for Prometheus."""
        return Response(self._metrics.text(), media_type=TEXT)

    async def signin(self, request: Request, code: Annotated[str, Query(max_length=200)] = "") -> Response:
        try:
            value = self._access.sign_in(code, clean(request.headers.get("user-agent", "")).text[:200])
        except Denied as failure:
            return page.not_signed_in(f"{failure.message[:1].upper()}{failure.message[1:]}.")
        return page.signed_in(set_cookie(cookie_name(request.headers["host"]), value, request.url.scheme == "https"))

    async def signout(self, request: Request, who: Caller) -> Response:
        """Sign this browser out. Whatever it holds open ends."""
        self._access.sign_out(who.device)
        answer = JSONResponse({"status": "ok"})
        name = cookie_name(request.headers["host"])
        answer.raw_headers.append((b"set-cookie", set_cookie(name, "", request.url.scheme == "https", 0)))
        return answer

    async def devices(self) -> Response:
        """The browsers that are signed in, the one that was seen last first."""
        return JSONResponse({"devices": list(map(shown, self._access.sessions.all(self._access.clock.wall())))})

    async def revoke(self, device_id: Annotated[str, Path(max_length=100)]) -> Response:
        """Sign a browser out, wherever it is. Whatever it holds open ends."""
        if not self._access.sign_out(device_id):
            raise InvalidInput(
                f"no browser {device_id!r:.40} is signed in",
                code=Code.NO_SUCH_DEVICE,
                hint="`paneward devices` lists them.",
            )
        return JSONResponse({"status": "ok"})

    async def revoke_token(self, token_id: Annotated[str, Path(pattern="^[0-9a-f]{16}$")]) -> Response:
        """End an identity token by its id (`jti`), before its time is up. Whatever it holds open ends."""
        self._access.revoke(token_id)
        return JSONResponse({"status": "ok"})

    async def index(self) -> Response:
        return page.page()

    def _asset(self, name: str) -> Callable[[], Response]:
        async def asset() -> Response:
            return page.asset(name)

        return asset  # type: ignore[return-value]
