"""A server for each test: a real store, the bus, agents in a private tmux; asked in-process, or by real sockets."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from paneward.adapters.clock import SystemClock
from paneward.app.server import Server, serve
from paneward.config import ServerSettings, Settings, StoreSettings, TmuxSettings
from paneward.surfaces.http.access.tokens import Access
from paneward.surfaces.http.app import HttpApp, build
from paneward.surfaces.http.listen import Listener, listener
from tests.adapters.conftest import TMUX, TmuxServer
from tests.adapters.conftest import tmux_server as tmux_server
from tests.store.conftest import postgres as postgres
from tests.store.conftest import private_cluster as private_cluster

RATE = 100_000.0  # tests ask faster than people
SERVER = ServerSettings(rate_per_second=RATE)


@dataclass(frozen=True, slots=True)
class Site:
    """A server, and a client of the operator."""

    server: Server
    access: Access
    api: HttpApp
    client: httpx.AsyncClient
    tmux: TmuxServer
    stopped: asyncio.Event

    @property
    def token(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.access.token}"}

    @property
    def socket(self) -> str:
        return self.tmux.run("display-message", "-p", "#{socket_path}")

    def demo(self, *options: str) -> str:
        """A demo agent in a pane."""
        return self.tmux.new_pane([sys.executable, "-m", "paneward.demo.agent", *options], remain=True)

    async def adopt(self, name: str, *options: str) -> str:
        """A demo agent with a name, that takes input."""
        pane = self.demo(*options)
        panes = await self.server.agents.at(self.socket)
        await panes.wait_ready(pane, 20.0, accept_stable=True)
        body = {"pane": pane, "name": name, "socket_name": self.tmux.name}
        answer = await self.client.post("/api/agents", json=body)
        assert answer.status_code == 201, answer.text
        return pane

    async def state(self, name: str, wanted: str) -> dict[str, Any]:
        """The agent, when it has come to a state."""
        await until(lambda: self.server.agents.get(name).stage == wanted)
        agent: dict[str, Any] = (await self.client.get(f"/api/agents/{name}")).json()["agent"]
        return agent


Open = Callable[..., Any]


async def until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait for evidence; fail when it does not come."""
    for _ in range(int(seconds / 0.01)):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("waited in vain")


@pytest.fixture
def store_url() -> str | None:
    """Where the store is; none: in the state directory."""
    return None


def either_store(request: pytest.FixtureRequest) -> str | None:
    """The store that a parameter names, `sqlite` or `postgresql`."""
    return None if request.param == "sqlite" else request.getfixturevalue("postgres").new_database()


@pytest.fixture
def open_site(tmux_server: TmuxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store_url: str | None) -> Open:
    """`async with open_site() as site`: a server whose client asks in-process."""
    for name in ("TMUX", "TMUX_PANE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    @asynccontextmanager
    async def opened(**settings: Any) -> AsyncIterator[Site]:
        state = tmp_path / "state"
        state.mkdir(mode=0o700, exist_ok=True)
        chosen = Settings(
            server=replace(SERVER, **settings), tmux=TmuxSettings(binary=TMUX), store=StoreSettings(url=store_url)
        )
        async with serve(chosen, state, url="http://127.0.0.1:8474") as server:
            access, stopped = Access.open(state, SystemClock(), chosen.server), asyncio.Event()
            api = build(server, access, stopped.set)
            async with client(api, access) as asking, api.fast.router.lifespan_context(api.fast):
                yield Site(server, access, api, asking, tmux_server, stopped)

    return opened


def client(api: HttpApp, access: Access | None = None, **headers: str) -> httpx.AsyncClient:
    """Who asks in-process; as the operator, with `access`."""
    given = {"authorization": f"Bearer {access.token}"} if access else {}
    transport = httpx.ASGITransport(app=api, raise_app_exceptions=True)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8474", headers={**given, **headers})


@asynccontextmanager
async def listening(api: HttpApp, **options: Any) -> AsyncIterator[str]:
    """The same app behind a real socket; its URL."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
        # The site has begun the app's lifespan already.
        serving = listener(api, port=port, **{"lifespan": "off", "loop": "asyncio", **options})
        task = asyncio.ensure_future(_serve(serving, sock))
        await until(lambda: serving.started)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            serving.end()
            await task


async def _serve(serving: Listener, sock: socket.socket) -> None:
    await serving._serve([sock])  # without handlers of signals, which are the test runner's
