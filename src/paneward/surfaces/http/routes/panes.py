"""The routes on any pane, adopted or not, and the terminals: the verbs of a `Connection`."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Depends, Request, WebSocket
from fastapi.responses import JSONResponse, Response

from paneward.core.audit import AuditEntry
from paneward.core.errors import Code, Denied, PanewardError
from paneward.core.result import Readiness
from paneward.surfaces import wire
from paneward.surfaces.http.access.gate import answer
from paneward.surfaces.http.access.tokens import MAY, Identity, May
from paneward.surfaces.http.errors import delivered, refusal, request_id
from paneward.surfaces.http.routes import bodies
from paneward.surfaces.http.routes.agents import check_ways, named_keys, told
from paneward.surfaces.http.routes.params import (
    ERRORS,
    UNCONFIRMED,
    AgentId,
    Caller,
    Lines,
    OnHost,
    Seconds,
    Socket,
    Streams,
    Target,
    Words,
    needs,
)
from paneward.surfaces.http.terminal import BrowserTerminal

if TYPE_CHECKING:
    from paneward.app import Connection
    from paneward.app.server import Server

LOOK, TELL = [needs(May.LOOK)], [needs(May.TELL)]


class PaneRoutes:
    def __init__(self, server: "Server", streams: Streams) -> None:
        self._server = server
        self._streams = streams

    def router(self) -> APIRouter:
        router = APIRouter(responses=ERRORS)
        unconfirmed: Any = {202: {"model": bodies.Receipt, "description": UNCONFIRMED}}
        one, get, post = "/api/panes/{pane}", router.get, router.post
        look, tell = [*LOOK, Depends(self._named)], [*TELL, Depends(self._named)]
        get("/api/panes", dependencies=look, response_model=bodies.PaneList)(self.panes)
        post(f"{one}/send", dependencies=tell, response_model=bodies.Receipt, responses=unconfirmed)(self.pane_send)
        post(f"{one}/keys", dependencies=tell, response_model=bodies.Receipt, responses=unconfirmed)(self.pane_keys)
        post(f"{one}/answer", dependencies=tell, response_model=bodies.Receipt, responses=unconfirmed)(self.pane_answer)
        get(f"{one}/screen", dependencies=look, response_model=dict[str, Any])(self.pane_screen)
        get(f"{one}/wait", dependencies=look, response_model=Readiness)(self.pane_wait)
        get(f"{one}/menu", dependencies=look, response_model=bodies.Asked)(self.pane_menu)
        get(f"{one}/explain", dependencies=look, response_model=dict[str, Any])(self.pane_explain)
        router.websocket(f"{one}/stream")(self.pane_terminal)
        router.websocket("/api/agents/{agent_id}/stream")(self.agent_terminal)
        return router

    async def panes(self, socket: Socket = None, host: OnHost = "") -> Response:
        """The panes of a tmux server, and who lives in them."""
        names = {(agent.host, agent.socket, agent.pane): agent.id for agent in self._server.agents.all()}
        async with self._at(socket, host) as connection:
            found = await connection.survey()
            place = await connection.socket()
        rows = [
            {**wire.plain(one.info), "profile": one.profile, "version": one.version, "socket": place}
            | {"agent_id": names.get((host, place, one.info.pane))}
            for one in found
        ]
        return JSONResponse({"panes": rows})

    async def pane_send(
        self,
        pane: Target,
        body: bodies.Message,
        who: Caller,
        request: Request,
        socket: Socket = None,
        host: OnHost = "",
    ) -> Response:
        """Type a text into the program in a pane, submit it, and prove that it went in."""
        who.check_claim(body.sender)
        given = told(request, body, f"{len(body.text)} characters")
        async with self._at(socket, host) as connection:
            return delivered(await connection.send_text(pane, **given), request_id(request), named=True)

    async def pane_keys(
        self,
        pane: Target,
        body: bodies.KeyPress,
        who: Caller,
        request: Request,
        socket: Socket = None,
        host: OnHost = "",
    ) -> Response:
        """Press keys by their names in tmux."""
        who.check_claim(body.sender)
        request.state.detail = named_keys(body.keys)
        options: Any = {"verify_enter": body.verify_enter, "timeout": body.timeout, "expect": body.expect}
        async with self._at(socket, host) as connection:
            result = await connection.send_keys(pane, *body.keys, **options)
            if result.success:
                await self._server.agents.typed(host, await connection.socket(), result.pane, body.keys)
            return delivered(result, request_id(request), named=True)

    async def pane_answer(
        self,
        pane: Target,
        body: bodies.PaneAnswer,
        who: Caller,
        request: Request,
        socket: Socket = None,
        host: OnHost = "",
    ) -> Response:
        """Answer the dialog that is open in a pane."""
        who.check_claim(body.sender)
        check_ways(body)
        given = told(request, body, f"{len(body.text or body.other or '')} characters")
        async with self._at(socket, host) as connection:
            return delivered(await connection.answer(pane, **given), request_id(request), named=True)

    async def pane_screen(
        self, pane: Target, lines: Lines = 50, ansi: bool = False, socket: Socket = None, host: OnHost = ""
    ) -> Response:
        """The last lines of a pane."""
        async with self._at(socket, host) as connection:
            return JSONResponse(wire.plain(await connection.screen(pane, lines, ansi)))

    async def pane_wait(
        self,
        pane: Target,
        timeout: Seconds = None,
        pattern: Words = None,
        accept_stable: bool | None = None,
        profile: Words = None,
        socket: Socket = None,
        host: OnHost = "",
    ) -> Response:
        """Wait until the program in it takes input, asks something, or the time is up."""
        async with self._at(socket, host) as connection:
            return JSONResponse(wire.plain(await connection.wait_ready(pane, timeout, pattern, accept_stable, profile)))

    async def pane_menu(self, pane: Target, socket: Socket = None, host: OnHost = "") -> Response:
        """The dialog that is open in it."""
        async with self._at(socket, host) as connection:
            found = await connection.resolve(pane)
            return JSONResponse({"pane": found, "menu": wire.plain(await connection.menu(found))})

    async def pane_explain(
        self, pane: Target, pattern: Words = None, profile: Words = None, socket: Socket = None, host: OnHost = ""
    ) -> Response:
        """What is seen in it, which rules were tried on it, and which one won."""
        async with self._at(socket, host) as connection:
            return JSONResponse(wire.plain(await connection.explain(pane, pattern, profile)))

    # --- terminals

    async def pane_terminal(self, websocket: WebSocket, pane: Target, socket: Socket = None, host: OnHost = "") -> None:
        @asynccontextmanager
        async def place() -> AsyncIterator[tuple["Connection", str]]:
            await self._named(websocket.scope["state"]["identity"], socket, host)
            async with self._at(socket, host) as connection:
                yield connection, await connection.resolve(pane)

        await self._terminal(websocket, place(), None, host)

    async def agent_terminal(self, websocket: WebSocket, agent_id: AgentId) -> None:
        @asynccontextmanager
        async def place() -> AsyncIterator[tuple["Connection", str]]:
            found, agent = self._server.agents.connection(agent_id), self._server.agents.get(agent_id)
            async with self._at(agent.socket, agent.host):  # also when it is forgotten meanwhile
                yield found

        known = [agent.host for agent in self._server.agents.all() if agent.id == agent_id]
        await self._terminal(websocket, place(), agent_id, *known)

    async def _terminal(
        self,
        websocket: WebSocket,
        place: AbstractAsyncContextManager[tuple["Connection", str]],
        agent_id: str | None,
        host: str = "",
    ) -> None:
        who: Identity = websocket.scope["state"]["identity"]

        async def note(detail: str) -> None:
            entry = AuditEntry(who.name, "terminal", agent_id, "ok", f"{pane}: {detail}")
            await self._server.store.audit(entry)

        async def pressed(keys: tuple[str, ...]) -> None:
            await self._server.agents.typed(host, where, pane, keys)

        try:
            who.require(May.LOOK)
            with self._streams.open("terminal"):
                async with place as (connection, pane):
                    where = await connection.socket()
                    await BrowserTerminal(websocket, connection, pane, May.TELL in MAY[who.role], note, pressed).run()
        except PanewardError as failure:
            await answer(refusal(failure, request_id(websocket)), websocket.scope, websocket.receive, websocket.send)

    async def _named(self, who: Caller, socket: Socket = None, host: OnHost = "") -> None:
        """Who may only look is shown the tmux servers that are known: those in which agents live, and the default."""
        homes = {(agent.host, agent.socket) for agent in self._server.agents.all()}
        if socket is not None and (host, socket) not in homes and May.TELL not in MAY[who.role]:
            raise Denied(
                f"the role {who.role} may not name a tmux server",
                code=Code.FORBIDDEN,
                hint="Leave `socket` out, or name one in which an agent lives.",
            )

    def _at(self, socket: str | None, host: str) -> AbstractAsyncContextManager["Connection"]:
        return self._server.agents.using(socket, host)
