"""The whole OpenAPI document against a real server with a demo agent: no 5xx that is not told, no broken promise."""

import asyncio
import socket
import sys
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import CheckFunction
from schemathesis.specs.openapi import checks

from paneward.adapters.clock import SystemClock
from paneward.app.server import serve
from paneward.config import Settings, TmuxSettings
from paneward.core.agent.record import check_name
from paneward.core.errors import InvalidInput
from paneward.surfaces.http.access.tokens import Access
from paneward.surfaces.http.app import STREAM, build
from paneward.surfaces.http.listen import listener
from tests.adapters.conftest import TMUX, TmuxServer
from tests.surfaces.http.conftest import SERVER

# That bad data is refused is not among them: in a path, a query or a cookie everything is a text, so that much of what
# the tool takes for bad is none. Each body's refusals have tests of their own.
PROMISES: list[CheckFunction] = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.unsupported_method,
]
SOCKET = "#{socket_path}"
WAITS = 0.2  # seconds that a request may ask to be waited for
ENDLESS = (STREAM, "/api/shutdown")


@dataclass(frozen=True, slots=True)
class Live:
    url: str
    token: str
    document: dict[str, Any]


class Host(threading.Thread):
    """A server with an agent called `ada`, in a thread of its own."""

    def __init__(self, tmux: TmuxServer, state: Path) -> None:
        super().__init__(daemon=True)
        self._tmux = tmux
        self._state = state
        self._loop = asyncio.new_event_loop()
        self._ending = asyncio.Event()
        self.up = threading.Event()
        self.live: Live | None = None

    def run(self) -> None:
        self._loop.run_until_complete(self._run())
        self._loop.close()

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self.join()

    async def _run(self) -> None:
        chosen = Settings(server=SERVER, tmux=TmuxSettings(binary=TMUX))
        pane = self._tmux.new_pane([sys.executable, "-m", "paneward.demo.agent", "--busy", "0.05"], remain=True)
        async with serve(chosen, self._state, url="http://127.0.0.1") as server:
            access = Access.open(self._state, SystemClock())
            await server.agents.adopt(pane, name="ada", socket_path=self._tmux.run("display-message", "-p", SOCKET))
            api = build(server, access)
            with socket.socket() as sock:
                sock.bind(("127.0.0.1", 0))
                url = f"http://127.0.0.1:{sock.getsockname()[1]}"
                self.live = Live(url, access.token, api.fast.openapi())
                serving = listener(api, loop="asyncio")
                task = asyncio.ensure_future(serving._serve([sock]))
                self.up.set()
                await self._ending.wait()
                serving.end()
                await task


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    home = tmp_path_factory.mktemp("home")
    tmux = TmuxServer(f"paneward-test-{uuid.uuid4().hex[:12]}", home)
    state = home / "state"
    state.mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("TMUX", "TMUX_PANE"):
            patch.delenv(name, raising=False)
        patch.setenv("TMUX_TMPDIR", str(home))  # a pane without a socket is none of the person who runs the tests
        host = Host(tmux, state)
        host.start()
        assert host.up.wait(60)
        assert host.live is not None
        yield host.live
        host.end()
    tmux.end()


def operations(live: Live) -> list[Any]:
    schema = schemathesis.openapi.from_dict(live.document)
    schema.config.update(base_url=live.url)
    found: list[Any] = [result.ok() for result in schema.get_all_operations()]  # type: ignore[union-attr]
    # A host that is made up would be connected to.
    return [one for one in found if one.path not in ENDLESS and (one.method, one.path) != ("post", "/api/hosts")]


def _is_name(word: object) -> bool:
    """Not one that was made to be refused."""
    try:
        return isinstance(word, str) and check_name(word) == word
    except InvalidInput:
        return False


def hurried(case: Any) -> None:
    """Nobody is waited for, and half of the requests that name an agent are about the one that there is."""
    named = case.path_parameters or {}
    if _is_name(named.get("agent_id")) and len(named["agent_id"]) % 2 and case.method != "DELETE":
        named["agent_id"] = "ada"
    for part in (case.query, case.body):
        if isinstance(part, dict) and isinstance(part.get("timeout"), int | float):
            part["timeout"] = min(part["timeout"], WAITS)
    if case.method == "POST" and isinstance(case.body, dict) and case.path.endswith(("/send", "/keys", "/answer")):
        case.body.setdefault("timeout", WAITS)
    if case.method == "GET" and case.path.endswith("/wait"):
        case.query["timeout"] = WAITS


HURRIED = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_every_answer_is_one_that_the_document_promises(live: Live, mode: GenerationMode) -> None:
    headers = {"authorization": f"Bearer {live.token}"}
    wrong: list[str] = []
    for operation in operations(live):
        asked = HURRIED(given(case=operation.as_strategy(generation_mode=mode))(judge))
        try:
            asked(headers)
        except Unsatisfiable:
            continue  # it has nothing that could be off
        except (AssertionError, BaseExceptionGroup) as failure:
            wrong.append(f"{operation.label}: {failure}")
    assert wrong == []


def judge(headers: dict[str, str], case: Any) -> None:
    hurried(case)
    answer = case.call_and_validate(headers=headers, checks=PROMISES)
    assert answer.status_code < 500 or answer.json()["error"]["code"] != "INTERNAL_ERROR"


def test_the_document_names_every_route_and_no_422(live: Live) -> None:
    paths = live.document["paths"]
    assert {"/api/agents", "/api/respond/{agent_id}", STREAM, "/metrics", "/healthz"} <= set(paths)
    operations = [operation for item in paths.values() for operation in item.values()]
    assert all("422" not in operation["responses"] for operation in operations)
    assert all(operation.get("summary") for operation in operations)
