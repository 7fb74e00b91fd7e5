"""The route by which an agent, or whatever runs beside it, tells a hook or a signal where no spool can be written."""

from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Body, Path, Request
from fastapi.responses import JSONResponse, Response

from paneward.core.agent.record import Agent
from paneward.core.errors import Code, InvalidInput
from paneward.core.state.hooks import AGENTS, Heard, MalformedHook, read_hook, read_signal
from paneward.surfaces.http.access.tokens import MAY, May
from paneward.surfaces.http.routes import bodies
from paneward.surfaces.http.routes.params import ERRORS, AgentId, Caller

if TYPE_CHECKING:
    from paneward.app.server import Server

SIGNAL: Final = "signal"
Event = Annotated[str, Path(max_length=80, description=f"the hook's name as its agent calls it, or `{SIGNAL}`")]
Told = Annotated[dict[str, Any], Body(description="what the agent gives to the hook; of a signal: state, message, id")]


class HookRoutes:
    def __init__(self, server: "Server") -> None:
        self._agents = server.agents
        self._listening = server.listening
        self._clock = server.clock

    def router(self) -> APIRouter:
        router = APIRouter(responses=ERRORS)
        router.post("/hook/{agent_id}/{event}", response_model=bodies.HookTaken, status_code=202)(self.hook)
        return router

    async def hook(self, agent_id: AgentId, event: Event, body: Told, who: Caller, request: Request) -> Response:
        """Tell a hook of an agent, or a signal. An agent may tell its own; `new` is false for one that was told
        before."""
        if who.agent != agent_id or May.AUDIT in MAY[who.role]:  # an auditor touches nothing, whatever its name is
            who.require(May.TELL)
        agent = self._agents.get(agent_id)
        request.state.detail = event
        heard = self._read(agent, event, body)
        found = self._agents.ear_of(heard, agent_id, agent.host)
        fresh = found is not None and await self._listening.hear(*found, heard)
        return JSONResponse({"agent_id": agent_id, "what": heard.what, "new": fresh}, 202)

    def _read(self, agent: Agent, event: str, body: dict[str, Any]) -> Heard:
        at = self._clock.wall()
        try:
            if event == SIGNAL:
                return read_signal(body, at)
            if agent.kind not in AGENTS:
                raise MalformedHook(f"{agent.kind or 'a program that nobody knows'} has no hooks")
            return read_hook(agent.kind, {**body, "hook_event_name": event}, at)
        except MalformedHook as why:
            hint = f"Of {', '.join(AGENTS)} the hooks that docs/guide/hooks.md names, else `{SIGNAL}`."
            raise InvalidInput(f"{event[:80]} of {agent.id}: {why}", code=Code.BAD_REQUEST, hint=hint) from None
