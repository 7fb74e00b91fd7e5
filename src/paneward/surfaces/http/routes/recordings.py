"""The routes on recordings: begin and end one, list them, and hand one out as asciicast."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from paneward.adapters.recordings import export, parts_of
from paneward.surfaces import wire
from paneward.surfaces.http.access.tokens import May
from paneward.surfaces.http.routes import bodies
from paneward.surfaces.http.routes.params import ERRORS, AgentId, needs

if TYPE_CHECKING:
    from paneward.app.server import Server

LOOK, KEEP = [needs(May.LOOK)], [needs(May.KEEP)]
ASCIICAST: Final = "application/x-asciicast"
AT_ONCE: Final = 64 << 10  # bytes handed out in one piece
Name = Annotated[str, Path(max_length=100, description="the name of a recording: when it began")]
Pause = Annotated[
    float | None, Query(ge=0, le=86_400, allow_inf_nan=False, description="seconds a pause lasts at most")
]
BEGAN: Final = "seconds since its beginning"
From = Annotated[float | None, Query(alias="from", ge=0, le=1e9, allow_inf_nan=False, description=BEGAN)]
Until = Annotated[float | None, Query(ge=0, le=1e9, allow_inf_nan=False, description=BEGAN)]


class RecordingRoutes:
    def __init__(self, server: "Server") -> None:
        self._recordings = server.recordings
        self._directory = server.directory

    def router(self) -> APIRouter:
        router = APIRouter(responses=ERRORS)
        running, all_of = "/api/agents/{agent_id}/recording", "/api/agents/{agent_id}/recordings"
        again: Any = {200: {"model": bodies.OneRecording, "description": "it is recorded already"}}
        router.post(running, dependencies=KEEP, response_model=bodies.OneRecording, status_code=201, responses=again)(
            self.record
        )
        router.delete(running, dependencies=KEEP, response_model=bodies.OneRecording)(self.stop_recording)
        router.get(all_of, dependencies=LOOK, response_model=bodies.RecordingList)(self.recordings)
        cast: Any = {
            200: {"content": {ASCIICAST: {"schema": {"type": "string"}}}, "description": "asciicast, version 2"}
        }
        router.get(f"{all_of}/{{name}}", dependencies=LOOK, response_class=StreamingResponse, responses=cast)(
            self.recording
        )
        return router

    async def record(self, agent_id: AgentId, request: Request) -> Response:
        """Record the output of an agent from now on."""
        agent, fresh = await self._recordings.record(agent_id)
        request.state.detail = agent.recording
        found = {"agent_id": agent_id, "recording": agent.recording, "fresh": fresh}
        return JSONResponse(found, 201 if fresh else 200)

    async def stop_recording(self, agent_id: AgentId, request: Request) -> Response:
        """Record it no longer."""
        name = request.state.detail = await self._recordings.stop(agent_id)
        return JSONResponse({"agent_id": agent_id, "recording": name})

    async def recordings(self, agent_id: AgentId) -> Response:
        """What was recorded of an agent, the oldest first; also of one that was forgotten."""
        return JSONResponse({"recordings": wire.plain(await self._recordings.kept(agent_id))})

    def recording(
        self, agent_id: AgentId, name: Name, idle_cap: Pause = None, start: From = None, to: Until = None
    ) -> Response:
        """One recording, its parts joined. What stood on the screen stands in it."""
        lines = export(parts_of(self._directory, agent_id, name), _unsaid, idle_cap, start, to)
        named = {"content-disposition": f'attachment; filename="{agent_id}-{name}.cast"'}
        return StreamingResponse(pieces(lines), media_type=ASCIICAST, headers=named)


def _unsaid(note: str) -> None:
    """What could not be read is missing: there is no place for words about it in the answer."""


def pieces(lines: Iterable[bytes], most: int = AT_ONCE) -> Iterator[bytes]:
    """Lines, many at a time: each piece costs the server a turn."""
    waiting: list[bytes] = []
    size = 0
    for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= most:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)
