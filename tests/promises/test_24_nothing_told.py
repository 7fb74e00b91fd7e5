"""Nothing tells more than it must: health pages, stored text, files left behind, locks.

Credentials are not stored, and a user can add patterns of their own. `forget --purge` leaves no event file behind. A
database that was emptied is not taken for a new one. The audit names the agent of every action. Another user who makes
a directory beforehand cannot switch a lock off.
"""

import asyncio
import json
import os
from pathlib import Path

import httpx
import pytest

from paneward.adapters.tmux.door import Door, server_key
from paneward.core.agent.events import AgentLost
from paneward.core.errors import StoreError
from paneward.store import Store
from tests.core.test_credentials import HEX32, MIXED, SECRETS
from tests.store.cluster import Cluster
from tests.store.conftest import postgres as postgres
from tests.store.conftest import private_cluster as private_cluster
from tests.surfaces.conftest import Machine
from tests.surfaces.serving import Up, up


def test_no_kind_of_credential_is_in_the_store(tmp_path: Path) -> None:
    async def main() -> None:
        store = Store.open(tmp_path / "deliveries.db")
        await store.append(*(AgentLost("a", f"it said {secret}") for secret in SECRETS.values()))
        await store.close()

    asyncio.run(main())
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert not [part for part in (MIXED[:16], HEX32[:16], "hunter2", "battery staple") if part.encode() in kept]


def test_a_page_without_a_token_does_not_say_where_the_store_is(machine: Machine, postgres: Cluster) -> None:
    url = postgres.new_database()
    with up(machine, env={"PANEWARD_STORE__URL": url}) as server:
        postgres.end()
        try:
            said = httpx.get(f"{server.said['url']}/readyz", timeout=None)
        finally:
            postgres.begin()
    assert (said.status_code, said.text) == (503, "the store cannot be read\n")


def test_patterns_of_the_user_are_not_stored(machine: Machine) -> None:
    env = {"PANEWARD_STORE__REDACT": r"ACME-\d+"}
    with up(machine, env=env) as server:
        server.agent("tester")
        assert machine.paneward("send", "tester", "look at ACME-4711 please").code == 0
        assert machine.paneward("wait", "tester").code == 0
        assert machine.paneward("events", "-n", "100").out.count("ACME-4711") == 0
    assert not any(b"ACME-4711" in file.read_bytes() for file in server.state.glob("deliveries.db*"))


def test_purging_an_agent_removes_its_event_file_and_the_audit_names_it(server: Up) -> None:
    server.agent("leaver")
    file = server.state / "events/leaver.jsonl"
    file.write_text(json.dumps({"state": "done", "message": "what nobody should find"}) + "\n")
    assert server.machine.paneward("forget", "leaver", "--purge").code == 0
    assert not list(file.parent.glob("leaver*"))
    token = server.machine.answer("token", "--role", "operator")["token"]
    headers = {"authorization": f"Bearer {token}"}
    rows = httpx.get(f"{server.said['url']}/api/audit", headers=headers, timeout=60).json()["entries"]
    assert {row["action"] for row in rows if row["agent_id"] == "leaver"} >= {"adopt", "forget"}


def test_an_emptied_database_is_not_taken_for_a_new_one(machine: Machine) -> None:
    state = machine.home / ".local/state/paneward"
    state.mkdir(parents=True, mode=0o700)
    (state / "deliveries.db").touch()
    machine.pane()
    ran = machine.paneward("send", "%0", "true")
    assert (ran.code != 0, "STORE_ERROR" in ran.out + ran.err, "is empty" in ran.out + ran.err) == (True, True, True)
    assert (state / "deliveries.db").stat().st_size == 0
    with pytest.raises(StoreError, match="the file is empty"):
        Store.open(state / "deliveries.db")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can play another user")
def test_a_directory_that_another_user_made_does_not_switch_the_lock_off(machine: Machine) -> None:
    machine.pane()
    way = Door(server_key("", machine.socket, None))
    assert way._folders[0].parent == Path(machine.tmux("display-message", "-p", "#{socket_path}")).parent
    inside = []

    async def pass_through(number: int) -> None:
        async with Door(server_key("", machine.socket, None)).alone():
            inside.append(number)
            await asyncio.sleep(0.01)
            assert inside.pop() == number

    async def main() -> None:
        await asyncio.gather(*(pass_through(number) for number in range(5)))

    asyncio.run(main())
    assert list(way._folders[0].glob("*.lock"))
