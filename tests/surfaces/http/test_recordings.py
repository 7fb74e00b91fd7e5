"""Recordings by HTTP: begun, listed, handed out and ended; refused to who may not, and under any other name."""

import json
from itertools import pairwise
from typing import Any

from paneward.surfaces.http.access.tokens import Role
from paneward.surfaces.http.app import HttpApp
from paneward.surfaces.http.routes.recordings import pieces
from tests.surfaces.http.conftest import Open, Site, client, until
from tests.surfaces.http.test_routes import code_of, run

RECORDING, RECORDINGS = "/api/agents/ada/recording", "/api/agents/ada/recordings"


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def shown(text: str) -> str:
    return "".join(line[2] for line in lines(text)[1:] if line[1] == "o")


def test_an_agent_is_recorded_from_the_first_request_to_the_last(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("ada")
        begun = await site.client.post(RECORDING)
        assert begun.status_code == 201
        name = begun.json()["recording"]
        again = await site.client.post(RECORDING)
        assert (again.status_code, again.json()) == (
            200,
            {"agent_id": "ada", "recording": name, "fresh": False},
        )
        assert (await site.client.get("/api/agents/ada")).json()["agent"]["recording"] == name
        await site.client.post("/api/agents/ada/send", json={"text": "say hello to the tape"})
        [running] = (await site.client.get(RECORDINGS)).json()["recordings"]
        assert (running["name"], running["running"], running["parts"]) == (name, True, 1)
        cast = await site.client.get(f"{RECORDINGS}/{name}")
        assert cast.headers["content-type"] == "application/x-asciicast"
        assert cast.headers["content-disposition"] == f'attachment; filename="ada-{name}.cast"'
        assert "hello to the tape" in shown(cast.text)
        assert (await site.client.delete(RECORDING)).json()["recording"] == name
        assert code_of(await site.client.delete(RECORDING)) == "WRONG_STATE"
        [ended] = (await site.client.get(RECORDINGS)).json()["recordings"]
        assert not ended["running"]
        events = (await site.client.get("/api/events?types=recording_started,recording_stopped")).json()["events"]
        assert [(event["kind"], event.get("reason")) for event in events] == [
            ("recording_started", None),
            ("recording_stopped", "asked"),
        ]
        entries = (await site.client.get("/api/audit")).json()["entries"]
        told = [(entry["action"], entry["result"], entry["detail"]) for entry in entries if "record" in entry["action"]]
        assert told == [
            ("stop_recording", "WRONG_STATE", ""),
            ("stop_recording", "ok", name),
            ("record", "ok", name),
            ("record", "ok", name),
        ]
        figures = (await site.client.get("/metrics")).text
        assert "paneward_recordings 0.0" in figures
        assert f"paneward_recorded_bytes_total {float(ended['bytes'])}" in figures

    run(open_site, test)


def test_a_recording_is_handed_out_capped_and_cut(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("ada")
        name = (await site.client.post(RECORDING)).json()["recording"]
        await site.client.post("/api/agents/ada/send", json={"text": "say one"})
        await site.client.delete(RECORDING)
        whole = lines((await site.client.get(f"{RECORDINGS}/{name}")).text)
        capped = lines((await site.client.get(f"{RECORDINGS}/{name}?idle_cap=0.01")).text)
        assert [line[2] for line in capped[1:]] == [line[2] for line in whole[1:]]
        assert all(0 <= second[0] - first[0] <= 0.010001 for first, second in pairwise(capped[1:]))
        first = lines((await site.client.get(f"{RECORDINGS}/{name}?to=0")).text)
        assert [line[1] for line in first[1:]] == ["o"]
        late = lines((await site.client.get(f"{RECORDINGS}/{name}?from=1e6")).text)
        assert {line[0] for line in late[1:]} == {0.0}
        for query in ("idle_cap=-1", "idle_cap=nan", "from=x", "from=-1", "from=1e99", "to=-1"):
            assert code_of(await site.client.get(f"{RECORDINGS}/{name}?{query}")) == "BAD_REQUEST"

    run(open_site, test)


STRANGE = ("%2e%2e", "..%2f..%2ftoken", "%2fetc%2fpasswd", "20200101T000000Z", "x", "token", "%00", "a" * 99, "*")


def test_nothing_else_is_handed_out(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("ada")
        await site.client.post(RECORDING)
        for name in STRANGE:
            answer = await site.client.get(f"{RECORDINGS}/{name}")
            assert code_of(answer) in ("RECORDING_NOT_FOUND", "NO_SUCH_ROUTE")
            assert answer.status_code == 404

    run(open_site, test)


def test_who_may_only_look_does_not_record(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("ada")
        name = (await site.client.post(RECORDING)).json()["recording"]
        async with asking(site.api, site, Role.AUDITOR) as auditor:
            assert code_of(await auditor.post(RECORDING)) == "FORBIDDEN"
            assert code_of(await auditor.delete(RECORDING)) == "FORBIDDEN"
            assert (await auditor.get(RECORDINGS)).status_code == 200
            assert (await auditor.get(f"{RECORDINGS}/{name}")).status_code == 200
        async with client(site.api) as stranger:
            assert code_of(await stranger.get(f"{RECORDINGS}/{name}")) == "UNAUTHORIZED"
            assert code_of(await stranger.get(RECORDINGS)) == "UNAUTHORIZED"

    run(open_site, test)


def asking(api: HttpApp, site: Site, role: Role) -> Any:
    return client(api, authorization=f"Bearer {site.access.mint(role, 'somebody')}")


def test_agents_that_are_not_there_or_have_no_pane_any_more_are_told_apart(open_site: Open) -> None:
    async def test(site: Site) -> None:
        assert code_of(await site.client.post("/api/agents/nobody/recording")) == "AGENT_NOT_FOUND"
        assert code_of(await site.client.get("/api/agents/nobody/recordings")) == "AGENT_NOT_FOUND"
        assert code_of(await site.client.get("/api/agents/..%2f..%2f/recordings")) in (
            "AGENT_NOT_FOUND",
            "NO_SUCH_ROUTE",
        )
        pane = await site.adopt("ada")
        name = (await site.client.post(RECORDING)).json()["recording"]
        await site.client.delete("/api/agents/ada")
        [left] = (await site.client.get(RECORDINGS)).json()["recordings"]
        assert (left["name"], left["running"]) == (name, False)
        assert (await site.client.get(f"{RECORDINGS}/{name}")).status_code == 200
        await site.client.post("/api/agents", json={"pane": pane, "name": "ada", "socket_name": site.tmux.name})
        site.tmux.run("kill-pane", "-t", pane)
        await until(lambda: site.server.agents.get("ada").gone)
        assert code_of(await site.client.post(RECORDING)) == "PANE_NOT_FOUND"

    run(open_site, test)


def test_lines_are_handed_out_many_at_a_time() -> None:
    assert list(pieces([b"a" * 4, b"b" * 4, b"c"], 8)) == [b"aaaabbbb", b"c"]
    assert list(pieces([b"a" * 9], 8)) == [b"a" * 9, b""]
