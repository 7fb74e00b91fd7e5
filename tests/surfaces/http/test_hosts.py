"""The routes on hosts, against a real sshd on loopback."""

from pathlib import Path
from typing import Any

from paneward.surfaces.http.access.tokens import Role
from tests.adapters.conftest import ssh_config as ssh_config
from tests.surfaces.http.conftest import Open, Site
from tests.surfaces.http.test_routes import code_of, run

UNREACHABLE = {"name": "away", "ssh": "127.0.0.1", "options": ["Port=1"]}


def body(config: Path, **more: Any) -> dict[str, Any]:
    return {"name": "box", "ssh": "loopback", "config": str(config), **more}


def test_a_host_is_added_lived_on_and_removed(open_site: Open, ssh_config: Path) -> None:
    async def test(site: Site) -> None:
        added = await site.client.post("/api/hosts", json=body(ssh_config), headers={"idempotency-key": "k"})
        assert added.status_code == 201, added.text
        host = added.json()["host"]
        assert (host["name"], host["state"], host["ssh"], host["http"]) == ("box", "connected", "loopback", "no")
        assert (host["error"], host["retry_at"], host["agents"]) == (None, None, [])
        again = await site.client.post("/api/hosts", json=body(ssh_config), headers={"idempotency-key": "k"})
        assert (again.status_code, again.headers["idempotent-replayed"]) == (201, "true")
        assert code_of(await site.client.post("/api/hosts", json=body(ssh_config))) == "HOST_EXISTS"
        pane = site.demo()
        adoption = {"pane": pane, "name": "far", "host": "box", "socket_name": site.tmux.name}
        adopted = await site.client.post("/api/agents", json=adoption)
        assert adopted.status_code == 201, adopted.text
        assert adopted.json()["agent"]["host"] == "box"
        where = {"socket": site.socket, "host": "box"}
        listed = (await site.client.get("/api/panes", params=where)).json()["panes"]
        assert {row["pane"]: row["agent_id"] for row in listed}[pane] == "far"
        here = (await site.client.get("/api/panes", params={"socket": site.socket})).json()["panes"]
        assert {row["agent_id"] for row in here} == {None}
        assert (await site.client.get(f"/api/panes/{pane.replace('%', '%25')}/screen", params=where)).is_success
        [found] = (await site.client.get("/api/hosts")).json()["hosts"]
        assert (found["agents"], found["state"]) == (["far"], "connected")
        assert code_of(await site.client.delete("/api/hosts/box")) == "HOST_IN_USE"
        assert (await site.client.delete("/api/agents/far")).is_success
        assert (await site.client.delete("/api/hosts/box")).json() == {"status": "ok"}
        assert (await site.client.get("/api/hosts")).json() == {"hosts": []}
        entries = (await site.client.get("/api/audit")).json()["entries"]
        done = [(one["action"], one["detail"], one["result"]) for one in reversed(entries) if "host" in one["action"]]
        assert done == [
            ("add_host", "box", "ok"),
            ("add_host", "box", "HOST_EXISTS"),
            ("remove_host", "box", "HOST_IN_USE"),
            ("remove_host", "box", "ok"),
        ]

    run(open_site, test)


def test_a_host_that_is_away_is_added_and_says_why(open_site: Open) -> None:
    async def test(site: Site) -> None:
        added = await site.client.post("/api/hosts", json=UNREACHABLE)
        host = added.json()["host"]
        assert (added.status_code, host["state"], host["error"]["code"]) == (201, "disconnected", "HOST_UNREACHABLE")
        assert host["error"]["message"].startswith("away: ")
        assert host["error"]["hint"]
        assert host["retry_at"] >= host["since"]
        assert (await site.client.get("/api/hosts/away")).json()["host"]["name"] == "away"
        tried = await site.client.post("/api/hosts/away/connect")
        assert (tried.status_code, code_of(tried)) == (503, "HOST_UNREACHABLE")
        adopting = await site.client.post("/api/agents", json={"pane": "%1", "host": "away"})
        assert (adopting.status_code, code_of(adopting)) == (503, "HOST_UNREACHABLE")

    run(open_site, test)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"name": "No Name"}, "INVALID_NAME"),
    ({"name": "a", "ssh": "-oProxyCommand=touch /x"}, "BAD_REQUEST"),
    ({"name": "a", "options": ["BatchMode=no"]}, "BAD_REQUEST"),
    ({"name": "a", "options": "Port=1"}, "BAD_REQUEST"),
    ({"name": "a", "port": 22}, "BAD_REQUEST"),
    ({"name": "a", "sender": "somebody"}, "CLAIM_MISMATCH"),
    ({}, "BAD_REQUEST"),
]


def test_what_cannot_be_a_host_is_refused_and_not_kept(open_site: Open) -> None:
    async def test(site: Site) -> None:
        for given, code in BAD:
            assert code_of(await site.client.post("/api/hosts", json=given)) == code
        assert (await site.client.get("/api/hosts")).json() == {"hosts": []}

    run(open_site, test)


def test_a_host_that_nobody_added_is_not_found(open_site: Open) -> None:
    async def test(site: Site) -> None:
        asked = [
            await site.client.get("/api/hosts/none"),
            await site.client.delete("/api/hosts/none"),
            await site.client.post("/api/hosts/none/connect"),
            await site.client.post("/api/agents", json={"pane": "%1", "host": "none"}),
            await site.client.get("/api/panes", params={"host": "none"}),
        ]
        assert {(answer.status_code, code_of(answer)) for answer in asked} == {(404, "HOST_NOT_FOUND")}

    run(open_site, test)


def test_only_an_operator_adds_and_removes_hosts(open_site: Open) -> None:
    async def test(site: Site) -> None:
        token = {"authorization": f"Bearer {site.access.mint(Role.COORDINATOR, 'ada')}"}
        assert (await site.client.get("/api/hosts", headers=token)).is_success
        asked = [
            await site.client.post("/api/hosts", json=UNREACHABLE, headers=token),
            await site.client.post("/api/hosts/box/connect", headers=token),
            await site.client.delete("/api/hosts/box", headers=token),
        ]
        assert {code_of(answer) for answer in asked} == {"FORBIDDEN"}

    run(open_site, test)
