"""What the routes have in common: parameters, who asks, how many streams there may be, the errors they tell."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Final

from fastapi import Depends, Path, Query
from starlette.requests import HTTPConnection

from paneward.core.errors import Code, Denied
from paneward.surfaces.http.access.tokens import Identity, May
from paneward.surfaces.http.metrics import Metrics
from paneward.surfaces.http.routes import bodies

MOST_SEQ: Final = 2**62
# By name, and not as a `model`: of those a field is built for each error of each route.
FAILURE: Final = {"application/json": {"schema": {"$ref": f"#/components/schemas/{bodies.Failure.__name__}"}}}
ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"content": FAILURE, "description": words}
    for status, words in {
        400: "the request cannot be used as it is",
        401: "no token, or a wrong one",
        403: "the token may not, or the request came from elsewhere",
        404: "nothing has that name",
        409: "not in this state",
        413: "too long",
        429: "too often, or too many",
        502: "it was tried and failed",
        503: "the pane, tmux or the store is not to be had",
    }.items()
}
UNCONFIRMED: Final = "typed, but nothing proves or disproves it"

AgentId = Annotated[str, Path(max_length=200, description="the name of an agent")]
Target = Annotated[str, Path(max_length=400, description="`%3`, `session:window.pane`, or the name of a window")]
Socket = Annotated[str | None, Query(max_length=400, pattern=bodies.NO_NUL, description="the path of tmux's socket")]
HostId = Annotated[str, Path(max_length=200, description="the name of a host")]
OnHost = Annotated[str, Query(max_length=200, pattern=bodies.NO_NUL, description="the host of that tmux; else here")]
Limit = Annotated[int, Query(ge=1, le=1000)]
Before = Annotated[int | None, Query(ge=0, le=MOST_SEQ)]
Lines = Annotated[int, Query(ge=0, le=100_000)]
Seconds = Annotated[float | None, Query(ge=0, le=3600, allow_inf_nan=False)]
Words = Annotated[str | None, Query(max_length=400, pattern=bodies.NO_NUL)]


async def caller(connection: HTTPConnection) -> Identity:
    identity: Identity = connection.scope["state"]["identity"]
    return identity


Caller = Annotated[Identity, Depends(caller)]


def needs(may: May) -> Any:
    """The right that a route needs."""

    async def check(who: Caller) -> None:
        who.require(may)

    return Depends(check)


class Streams:
    """How many may be open at once."""

    def __init__(self, most: int, metrics: Metrics) -> None:
        self._most = most
        self._metrics = metrics
        self._open = 0

    @contextmanager
    def open(self, kind: str) -> Iterator[None]:
        if self._open >= self._most:
            raise Denied(
                f"{self._open} streams are open", code=Code.TOO_MANY_STREAMS, hint="Close some: server.max_streams."
            )
        self._open += 1
        try:
            with self._metrics.stream(kind):
                yield
        finally:
            self._open -= 1
