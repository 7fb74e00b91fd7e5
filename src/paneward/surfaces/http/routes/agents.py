"""The routes on agents and events: read, call one service method, answer."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from paneward.core.agent.addressee import addressee
from paneward.core.agent.record import Agent, Answer, Sent, shown
from paneward.core.dialog.choice import one_way
from paneward.core.errors import Code, InvalidInput
from paneward.core.result import Readiness
from paneward.surfaces import wire
from paneward.surfaces.http.access.tokens import Access, May
from paneward.surfaces.http.errors import delivered, request_id
from paneward.surfaces.http.mutations import audit_entry
from paneward.surfaces.http.routes import bodies
from paneward.surfaces.http.routes.params import (
    ERRORS,
    MOST_SEQ,
    UNCONFIRMED,
    AgentId,
    Before,
    Caller,
    Limit,
    Lines,
    Seconds,
    Words,
    needs,
)
from paneward.surfaces.http.stream import as_object

if TYPE_CHECKING:
    from paneward.app.server import Server

LOOK, TELL, KEEP = [needs(May.LOOK)], [needs(May.TELL)], [needs(May.KEEP)]


class AgentRoutes:
    def __init__(self, server: "Server", access: Access) -> None:
        self._server = server
        self._agents = server.agents
        self._store = server.store
        self._clock = access.clock

    def router(self) -> APIRouter:
        router = APIRouter(responses=ERRORS)
        unconfirmed: Any = {202: {"model": bodies.Delivered, "description": UNCONFIRMED}}
        one, get, post = "/api/agents/{agent_id}", router.get, router.post
        get("/api/agents", dependencies=LOOK, response_model=bodies.AgentList)(self.agents)
        post("/api/agents", dependencies=KEEP, response_model=bodies.OneAgent, status_code=201)(self.adopt)
        get(one, dependencies=LOOK, response_model=bodies.OneAgent)(self.agent)
        router.delete(one, dependencies=KEEP, response_model=bodies.Done)(self.forget)
        post(f"{one}/send", dependencies=TELL, response_model=bodies.Delivered, responses=unconfirmed)(self.send)
        post(f"{one}/keys", dependencies=TELL, response_model=bodies.Receipt, responses=unconfirmed)(self.keys)
        post(f"{one}/answer", dependencies=TELL, response_model=bodies.Receipt, responses=unconfirmed)(self.answer)
        post("/api/respond/{agent_id}", dependencies=TELL, response_model=bodies.Delivered, responses=unconfirmed)(
            self.respond
        )
        get(f"{one}/screen", dependencies=LOOK, response_model=dict[str, Any])(self.screen)
        get(f"{one}/menu", dependencies=LOOK, response_model=bodies.Asked)(self.menu)
        get(f"{one}/wait", dependencies=LOOK, response_model=Readiness)(self.wait)
        get(f"{one}/explain", dependencies=LOOK, response_model=dict[str, Any])(self.explain)
        get(f"{one}/turns", dependencies=LOOK, response_model=bodies.TurnList)(self.turns)
        get(f"{one}/commands", dependencies=LOOK, response_model=bodies.CommandList)(self.commands)
        get(f"{one}/deliveries", dependencies=LOOK, response_model=bodies.DeliveryList)(self.deliveries)
        get("/api/deliveries", dependencies=LOOK, response_model=bodies.DeliveryList)(self.all_deliveries)
        get("/api/events", dependencies=LOOK, response_model=bodies.EventPage)(self.events)
        get("/api/audit", dependencies=[needs(May.AUDIT)], response_model=bodies.AuditPage)(self.audit)
        return router

    # --- agents

    async def agents(self) -> Response:
        """All agents, as they stand."""
        seq = self._store.last_seq
        return JSONResponse({"agents": [self._shown(agent) for agent in self._agents.all()], "seq": seq})

    async def adopt(self, body: bodies.Adoption, who: Caller, request: Request) -> Response:
        """Keep an eye on the program in a pane, under a name of its own."""
        who.check_claim(body.sender)
        request.state.detail, request.state.agent_id = body.pane, body.name
        agent = await self._agents.adopt(**{**bodies.given(body), "labels": tuple(body.labels or ())})
        request.state.agent_id = agent.id
        return JSONResponse({"agent": self._shown(agent)}, 201)

    async def agent(self, agent_id: AgentId) -> Response:
        """One agent."""
        return JSONResponse({"agent": self._shown(self._agents.get(agent_id))})

    async def forget(self, agent_id: AgentId, purge: bool = False) -> Response:
        """Watch an agent no longer; its pane is left alone. `purge` removes what is stored of it."""
        await self._agents.forget(agent_id, purge)
        return JSONResponse({"status": "ok"})

    # --- words for them

    async def send(self, agent_id: AgentId, body: bodies.Message, who: Caller, request: Request) -> Response:
        """Type a text into an agent, submit it, and prove that it went in."""
        who.check_claim(body.sender)
        given = told(request, body, f"{len(body.text)} characters")
        return _sent(await self._agents.send(agent_id, **given, entry=audit_entry(request.scope)), request)

    async def keys(self, agent_id: AgentId, body: bodies.KeyPress, who: Caller, request: Request) -> Response:
        """Press keys by their names in tmux."""
        who.check_claim(body.sender)
        request.state.detail = named_keys(body.keys)
        how: Any = {"verify_enter": body.verify_enter, "timeout": body.timeout, "expect": body.expect}
        result = await self._agents.keys(agent_id, *body.keys, **how)
        return delivered(result, request_id(request), named=False)

    async def answer(self, agent_id: AgentId, body: bodies.PaneAnswer, who: Caller, request: Request) -> Response:
        """Answer what an agent shows, whether or not it is known to ask."""
        who.check_claim(body.sender)
        check_ways(body)
        given = told(request, body, f"{len(body.text or body.other or '')} characters")
        panes, pane = self._agents.connection(agent_id)
        meant = addressee(self._agents.get(agent_id), given.pop("expect") or "")
        return delivered(await panes.answer(pane, **given, expect=meant), request_id(request), named=False)

    async def respond(self, agent_id: AgentId, body: bodies.Response, who: Caller, request: Request) -> Response:
        """Answer an agent that asks."""
        who.check_claim(body.sender)
        given = told(request, body, f"{body.mode}, {len(body.text or '')} characters")
        message_id, timeout = given.pop("message_id"), given.pop("timeout")
        several = None if body.answers is None else tuple(map(tuple, body.answers))
        answer, entry = Answer(**{**given, "answers": several}), audit_entry(request.scope)
        return _sent(await self._agents.respond(agent_id, answer, message_id, timeout, entry), request)

    # --- looking

    async def screen(self, agent_id: AgentId, lines: Lines = 50, ansi: bool = False) -> Response:
        """The last lines of an agent's pane."""
        return JSONResponse(wire.plain(await self._agents.screen(agent_id, lines, ansi)))

    async def menu(self, agent_id: AgentId) -> Response:
        """The dialog that is open in its pane."""
        found = await self._agents.menu(agent_id)
        return JSONResponse({"pane": self._agents.get(agent_id).pane, "menu": wire.plain(found)})

    async def wait(
        self,
        agent_id: AgentId,
        timeout: Seconds = None,
        pattern: Words = None,
        accept_stable: bool | None = None,
        profile: Words = None,
    ) -> Response:
        """Wait until it takes input, asks something, or the time is up."""
        found = await self._agents.wait(agent_id, timeout, pattern, accept_stable, profile)
        return JSONResponse(wire.plain(found))

    async def explain(self, agent_id: AgentId, pattern: Words = None, profile: Words = None) -> Response:
        """What is seen in its pane, which rules were tried on it, and which one won."""
        return JSONResponse(wire.plain(await self._agents.explain(agent_id, pattern, profile)))

    async def turns(self, agent_id: AgentId, limit: Limit = 50, before: Before = None) -> Response:
        """What was said to it and by it, the newest first."""
        self._agents.get(agent_id)
        return JSONResponse({"turns": wire.plain(await self._store.turns(agent_id, limit, before))})

    async def commands(self, agent_id: AgentId, limit: Limit = 50) -> Response:
        """Its units of work, the newest first."""
        self._agents.get(agent_id)
        return JSONResponse({"commands": wire.plain(await self._store.commands(agent_id, limit))})

    async def deliveries(self, agent_id: AgentId, limit: Limit = 50) -> Response:
        """What was typed into it, with receipts, the newest first."""
        self._agents.get(agent_id)
        return JSONResponse({"deliveries": wire.plain(await self._store.recent(limit, agent_id=agent_id))})

    async def all_deliveries(self, limit: Limit = 50, pane: Words = None) -> Response:
        """What was typed into any pane, with receipts, the newest first. `pane` is an id such as `%3`."""
        return JSONResponse({"deliveries": wire.plain(await self._store.recent(limit, pane))})

    # --- the log

    async def events(
        self,
        after: Annotated[int | None, Query(ge=0, le=MOST_SEQ)] = None,
        limit: Limit = 500,
        types: Words = None,
        agent: Words = None,
        before: Before = None,
    ) -> Response:
        """A page of the log, in order of seq: the first ones after `after`, else the last ones before `before`."""
        kinds = [kind for kind in (types or "").split(",") if kind]
        before = MOST_SEQ if after is None and before is None else before
        found = await self._store.events(after or 0, limit, kinds, agent, before)
        ends = {"seq": self._store.last_seq, "first_seq": self._store.first_seq}
        return JSONResponse({"events": [as_object(event) for event in found], **ends})

    async def audit(self, limit: Limit = 100, before: Before = None, agent: Words = None) -> Response:
        """Who did what, the newest first."""
        return JSONResponse({"entries": wire.plain(await self._store.audits(limit, before, agent))})

    def _shown(self, agent: Agent) -> dict[str, Any]:
        return {**wire.plain(agent), "state": str(shown(agent, self._clock.wall()))}


def told(request: Request, body: bodies.Message | bodies.PaneAnswer | bodies.Response, detail: str) -> dict[str, Any]:
    """The fields of a body for a service; a repeated request is a repeated message."""
    request.state.detail = detail
    return {**bodies.given(body), "message_id": body.message_id or repeated_id(request)}


def repeated_id(request: Request) -> str | None:
    """What an idempotency key makes of a delivery: also after a crash it is typed once."""
    key = request.scope["state"].get("idempotency_key")
    who = request.scope["state"]["identity"]
    return f"http:{who.name}:{key}" if key else None


def named_keys(keys: list[str]) -> str:
    """Keys for the audit: characters may be those of a password."""
    return " ".join(key if len(key) > 1 else "·" for key in keys[:20])


def _sent(sent: Sent, request: Request) -> Response:
    request.state.on_record = sent.on_record
    parts: Mapping[str, Any] = {
        "agent_id": sent.agent.id,
        "new_state": str(sent.agent.stage),
        "turn_id": None if sent.turn is None else sent.turn.id,
        "delivery_id": sent.delivery_id,
    }
    return delivered(sent.result, request_id(request), named=False, receipt=wire.plain(sent.result), **parts)


def check_ways(body: bodies.PaneAnswer) -> None:
    if not one_way(body.text, body.select, body.other, body.multi, body.key):
        raise InvalidInput(
            "the answer is none, or more than one",
            code=Code.INVALID_ANSWER,
            hint="Give one of text, select, multi and key; other alone or with an option.",
        )
