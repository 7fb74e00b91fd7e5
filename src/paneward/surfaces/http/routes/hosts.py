"""The routes on hosts: the machines that agents may live on besides this one."""

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from paneward.core.hosts.host import HostRecord, HostStanding
from paneward.core.text import redact
from paneward.surfaces import wire
from paneward.surfaces.http.access.tokens import May
from paneward.surfaces.http.routes import bodies
from paneward.surfaces.http.routes.params import ERRORS, Caller, HostId, needs

if TYPE_CHECKING:
    from paneward.app.server import Server

LOOK, RULE = [needs(May.LOOK)], [needs(May.RULE)]


class HostRoutes:
    def __init__(self, server: "Server") -> None:
        self._agents = server.agents
        self._hosts = server.hosts

    def router(self) -> APIRouter:
        router = APIRouter(responses=ERRORS)
        one, get, post = "/api/hosts/{host}", router.get, router.post
        get("/api/hosts", dependencies=LOOK, response_model=bodies.HostList)(self.hosts)
        post("/api/hosts", dependencies=RULE, response_model=bodies.OneHost, status_code=201)(self.add_host)
        get(one, dependencies=LOOK, response_model=bodies.OneHost)(self.host)
        post(f"{one}/connect", dependencies=RULE, response_model=bodies.OneHost)(self.connect_host)
        router.delete(one, dependencies=RULE, response_model=bodies.Done)(self.remove_host)
        return router

    async def hosts(self) -> Response:
        """All hosts, and where the connections to them stand."""
        return JSONResponse({"hosts": [shown(one) for one in self._hosts.all()]})

    async def add_host(self, body: bodies.NewHost, who: Caller, request: Request) -> Response:
        """Remember a host, and connect to it. One that cannot be reached now is added too: its `state` tells."""
        who.check_claim(body.sender)
        request.state.detail = body.name
        given = {name: value for name, value in bodies.given(body).items() if value is not None}
        record = HostRecord(**{**given, "options": tuple(body.options or ())})
        return JSONResponse({"host": shown(await self._hosts.add(record))}, 201)

    async def host(self, host: HostId) -> Response:
        """One host."""
        return JSONResponse({"host": shown(self._hosts.get(host))})

    async def connect_host(self, host: HostId, request: Request) -> Response:
        """Try a host now, also where that waited for somebody to sign in."""
        request.state.detail = host
        return JSONResponse({"host": shown(await self._hosts.connect(host))})

    async def remove_host(self, host: HostId, request: Request) -> Response:
        """Know a host no longer. It must be nobody's home."""
        request.state.detail = host
        await self._agents.remove_host(host)
        return JSONResponse({"status": "ok"})


def shown(host: HostStanding) -> dict[str, Any]:
    return {**wire.plain(host), "options": [redact(option) for option in host.options]}
