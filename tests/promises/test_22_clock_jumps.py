"""Retention and idempotency keys survive a clock that jumps, forwards and back.

What is kept for a while is kept for that time, as the kernel counts it, wherever the clock on the wall was set. The
same for recordings; and what was cut off is not typed late because the clock was set back.
"""

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.promises.shifted_clock import clock_ahead
from tests.store.cluster import Cluster
from tests.store.conftest import postgres as postgres
from tests.store.conftest import private_cluster as private_cluster
from tests.surfaces.conftest import Machine
from tests.surfaces.serving import Up, paneward, up

DAY = 86400.0


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, machine: Machine) -> dict[str, str]:
    """The variables that name the store of the servers."""
    if request.param == "sqlite":
        return {}
    cluster: Cluster = request.getfixturevalue("postgres")
    return {"PANEWARD_STORE__URL": cluster.new_database()}


@contextlib.contextmanager
def served(machine: Machine, store: dict[str, str], ahead: float = 0.0) -> Iterator[Up]:
    with up(machine, env={**store, **(clock_ahead(machine.home, ahead) if ahead else {})}) as server:
        yield server


def token(machine: Machine, ahead: float) -> dict[str, str]:
    """Made by a command whose clock is as wrong as the server's: they run on the same machine."""
    env = clock_ahead(machine.home, ahead) if ahead else {}
    made = json.loads(paneward(machine, "--json", "token", "--role", "operator", **env).out)["token"]
    return {"authorization": f"Bearer {made}"}


def post(server: Up, path: str, body: Any, key: str, ahead: float = 0.0) -> Any:
    headers = {**token(server.machine, ahead), "idempotency-key": key}
    return httpx.post(f"{server.said['url']}{path}", json=body, headers=headers, timeout=120)


def typed(machine: Machine, pane: str, word: str) -> int:
    return machine.tmux("capture-pane", "-p", "-S", "-", "-t", pane).count(f"typed {word} here")


def kept(server: Up, agent: str, ahead: float = 0.0) -> tuple[int, int]:
    """How many of its turns and deliveries are stored."""
    headers = token(server.machine, ahead)
    turns = httpx.get(f"{server.said['url']}/api/agents/{agent}/turns", headers=headers, timeout=120).json()["turns"]
    return len(turns), len(server.machine.answer("deliveries")["deliveries"])


@pytest.mark.parametrize("ahead", [40 * DAY, -40 * DAY])
def test_a_server_started_with_a_wrong_clock_deletes_nothing_and_types_nothing_again(
    machine: Machine, store: dict[str, str], ahead: float
) -> None:
    body = {"text": "echo typed once here"}
    with served(machine, store) as server:
        pane = machine.pane()
        server.agent("tester")
        assert machine.paneward("send", "tester", "hello").code == 0
        assert machine.paneward("wait", "tester").code == 0
        assert post(server, f"/api/panes/%25{pane[1:]}/send?socket={socket_of(machine)}", body, "k1").status_code == 200
        before = kept(server, "tester")
        assert min(before) > 0
    for shift in (ahead, 0.0):
        with served(machine, store, shift) as server:
            again = post(server, f"/api/panes/%25{pane[1:]}/send?socket={socket_of(machine)}", body, "k1", shift)
            assert (again.status_code, again.headers.get("idempotent-replayed")) == (200, "true"), again.text
            assert kept(server, "tester", shift) == before
    assert typed(machine, pane, "once") == 2  # the line as it was typed, and what it printed


def socket_of(machine: Machine) -> str:
    return machine.tmux("display-message", "-p", "#{socket_path}")
