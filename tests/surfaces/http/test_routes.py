"""The routes: status, body and codes, against a real store and demo agents in a private tmux."""

import asyncio
from typing import Any

import httpx
import pytest

from paneward.core.errors import Code
from paneward.services.agents.servers import MOST
from paneward.surfaces.http.errors import STATUS
from tests.surfaces.http.conftest import Open, Site, either_store


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str | None:
    return either_store(request)


def code_of(answer: httpx.Response) -> str:
    """The code of an error, whose body has the one form."""
    body = answer.json()
    assert body["status"] == "error"
    assert body["error_type"] == body["error"]["code"].lower()
    assert body["error"]["message"]
    assert body["error"]["request_id"] == answer.headers["x-request-id"]
    assert answer.status_code in (STATUS[Code(body["error"]["code"])], 503)
    return str(body["error"]["code"])


def run(open_site: Open, test: Any, **settings: Any) -> None:
    async def inside() -> None:
        async with open_site(**settings) as site:
            await test(site)

    asyncio.run(inside())


def test_every_code_has_a_status() -> None:
    assert set(STATUS) == set(Code)


def test_an_agent_is_adopted_listed_and_forgotten(open_site: Open) -> None:
    async def test(site: Site) -> None:
        pane = await site.adopt("ada", "--name", "ada")
        listed = (await site.client.get("/api/agents")).json()
        assert [agent["id"] for agent in listed["agents"]] == ["ada"]
        assert listed["agents"][0]["pane"] == pane
        assert listed["agents"][0]["state"] in ("IDLE", "COMPLETE", "AWAITING_INPUT")
        assert listed["seq"] == site.server.store.last_seq
        again = await site.client.post("/api/agents", json={"pane": pane, "name": "bob", "socket_name": site.tmux.name})
        assert code_of(again) == "AGENT_EXISTS"
        assert (await site.client.delete("/api/agents/ada?purge=true")).json() == {"status": "ok"}
        assert code_of(await site.client.get("/api/agents/ada")) == "AGENT_NOT_FOUND"

    run(open_site, test)


def test_a_text_is_sent_and_becomes_a_turn(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("ada", "--busy", "0.2")
        answer = await site.client.post("/api/agents/ada/send", json={"text": "fix the parser"})
        body = answer.json()
        assert answer.status_code == 200, body
        assert (body["status"], body["agent_id"], body["verdict"]) == ("ok", "ada", "confirmed")
        assert body["receipt"]["rung"] in ("submitted", "accepted", "acted")
        turns = (await site.client.get("/api/agents/ada/turns")).json()["turns"]
        assert body["turn_id"] in [turn["id"] for turn in turns]
        assert "fix the parser" in [turn["text"] for turn in turns]
        [first, *_] = (await site.client.get("/api/agents/ada/deliveries")).json()["deliveries"]
        assert first["id"] == body["delivery_id"]
        commands = (await site.client.get("/api/agents/ada/commands")).json()["commands"]
        assert commands[0]["agent"] == "ada"
        await site.state("ada", "COMPLETE")

    run(open_site, test)


def test_a_question_is_answered_by_respond(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("ada", "--busy", "0.2")
        await site.client.post("/api/agents/ada/send", json={"text": "permit rm -r build"})
        asks = await site.state("ada", "AWAITING_INPUT")
        menu = (await site.client.get("/api/agents/ada/menu")).json()["menu"]
        assert menu["fingerprint"] == asks["question"]["fingerprint"]
        stale = {"mode": "select", "option_index": 0, "fingerprint": "of another dialog"}
        assert code_of(await site.client.post("/api/respond/ada", json=stale)) == "STALE_DIALOG"
        answer = await site.client.post("/api/respond/ada", json={"mode": "select", "option_index": 0})
        body = answer.json()
        assert answer.status_code == 200, body
        assert set(body) >= {"status", "agent_id", "new_state", "latency_ms", "turn_id", "receipt"}
        assert (body["status"], body["new_state"]) == ("ok", "PROCESSING")
        changes = (await site.client.get("/api/events?types=state_changed&agent=ada&after=0")).json()["events"]
        assert body["turn_id"] in [change["turn_id"] for change in changes]

    run(open_site, test)


def test_a_bad_answer_is_judged_after_the_agent_its_pane_and_its_state(open_site: Open) -> None:
    async def test(site: Site) -> None:
        bad = {"mode": "shout"}
        assert code_of(await site.client.post("/api/respond/nobody", json=bad)) == "AGENT_NOT_FOUND"
        await site.adopt("ada", "--busy", "0.2")
        assert code_of(await site.client.post("/api/respond/ada", json=bad)) == "WRONG_STATE"
        assert code_of(await site.client.post("/api/respond/ada", json={"text": "yes"})) == "WRONG_STATE"
        await site.client.post("/api/agents/ada/send", json={"text": "permit rm -r build"})
        await site.state("ada", "AWAITING_INPUT")
        assert code_of(await site.client.post("/api/respond/ada", json=bad)) == "BAD_REQUEST"
        assert code_of(await site.client.post("/api/respond/ada", content=b"{")) == "BAD_REQUEST"
        assert code_of(await site.client.post("/api/respond/ada", json={"mode": "select"})) == "INVALID_ANSWER"

    run(open_site, test)


def test_keys_screen_wait_and_explain_look_at_the_agents_pane(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("ada")
        assert (await site.client.post("/api/agents/ada/keys", json={"keys": ["x", "BSpace"]})).status_code == 200
        assert code_of(await site.client.post("/api/agents/ada/keys", json={"keys": ["Nonsense"]})) == "UNKNOWN_KEY"
        screen = (await site.client.get("/api/agents/ada/screen?lines=10")).json()
        assert screen["width"] == 80
        assert screen["text"]
        ready = (await site.client.get("/api/agents/ada/wait?timeout=10")).json()
        assert ready["verdict"] == "ready"
        assert ready["is_ready"] is True
        found = (await site.client.get("/api/agents/ada/explain")).json()
        assert found["standing"]["state"] == "idle"
        assert code_of(await site.client.get("/api/agents/ada/wait?pattern=%5B")) == "INVALID_PATTERN"

    run(open_site, test)


def test_the_verbs_work_on_any_pane(open_site: Open) -> None:
    async def test(site: Site) -> None:
        pane = site.tmux.new_pane(["env", "PS1=$ ", "sh"], remain=True)
        socket = site.tmux.run("display-message", "-p", "#{socket_path}")
        where, query = f"/api/panes/{pane.replace('%', '%25')}", {"socket": socket}
        assert (await site.client.get(f"{where}/wait", params=query)).json()["verdict"] == "ready"
        sent = await site.client.post(f"{where}/send", params=query, json={"text": "echo he''llo"})
        assert sent.json()["verdict"] == "confirmed"
        screen = (await site.client.get(f"{where}/screen", params=query)).json()
        assert "hello" in screen["text"]
        assert (await site.client.get(f"{where}/menu", params=query)).json() == {"pane": pane, "menu": None}
        assert (await site.client.post(f"{where}/keys", params=query, json={"keys": ["C-l"]})).status_code == 200
        nothing = await site.client.post(f"{where}/answer", params=query, json={"select": 1})
        assert code_of(nothing) == "NO_DIALOG"
        assert code_of(await site.client.post(f"{where}/answer", params=query, json={})) == "INVALID_ANSWER"
        listed = (await site.client.get("/api/panes", params=query)).json()["panes"]
        assert [row["pane"] for row in listed] == [pane]
        lost = await site.client.get("/api/panes/%2599/screen", params=query)
        assert (lost.status_code, code_of(lost)) == (404, "PANE_NOT_FOUND")

    run(open_site, test)


def test_a_path_that_is_made_up_holds_nothing_for_long(open_site: Open) -> None:
    async def test(site: Site) -> None:
        pane = await site.adopt("ada")
        for number in range(2 * MOST):
            answer = await site.client.get(f"/api/panes/%250/screen?socket=/no/such/socket-{number}")
            assert answer.status_code in (404, 503), answer.text
        assert len(site.server.agents._servers._opened) <= MOST + 1
        assert (await site.client.get(f"/api/panes/%25{pane[1:]}/screen?socket={site.socket}")).is_success

    run(open_site, test)


def test_the_pane_of_a_known_agent_being_gone_is_no_wrong_name(open_site: Open) -> None:
    async def test(site: Site) -> None:
        site.tmux.new_pane("cat")
        pane = await site.adopt("ada")
        site.tmux.run("kill-pane", "-t", pane)
        gone = await site.client.post("/api/agents/ada/send", json={"text": "hello", "timeout": 1})
        assert gone.status_code == 503, gone.text

    run(open_site, test)


def test_events_are_read_in_pages(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("ada")
        await site.client.delete("/api/agents/ada")
        page = (await site.client.get("/api/events?after=0&limit=2")).json()
        assert [event["seq"] for event in page["events"]] == [1, 2]
        assert page["events"][0]["kind"] == "server_started"
        newest = (await site.client.get("/api/events?limit=1")).json()
        assert newest["events"][0]["seq"] == newest["seq"] == site.server.store.last_seq
        kinds = (await site.client.get("/api/events?after=0&types=agent_adopted,agent_forgotten")).json()["events"]
        assert [event["kind"] for event in kinds] == ["agent_adopted", "agent_forgotten"]

    run(open_site, test)


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("GET", "/api/nothing", None, "NO_SUCH_ROUTE"),
        ("PUT", "/api/agents", None, "METHOD_NOT_ALLOWED"),
        ("POST", "/api/agents", {"pane": 3}, "BAD_REQUEST"),
        ("POST", "/api/agents", {"pane": "%1", "nmae": "x"}, "BAD_REQUEST"),
        ("POST", "/api/agents", {"pane": "%1", "socket_name": "\x00"}, "BAD_REQUEST"),
        ("POST", "/api/agents", {"pane": "%1", "socket_path": "/\x00"}, "BAD_REQUEST"),
        ("POST", "/api/agents/nobody/send", {"text": "x", "message_id": "\x00"}, "BAD_REQUEST"),
        ("POST", "/api/agents", {"pane": "%1", "name": "Not A Name"}, "INVALID_NAME"),
        ("POST", "/api/agents/nobody/send", {"text": "x"}, "AGENT_NOT_FOUND"),
        ("POST", "/api/agents/nobody/send", {"text": "x", "timeout": "5"}, "BAD_REQUEST"),
        ("GET", "/api/agents/nobody/turns", None, "AGENT_NOT_FOUND"),
        ("GET", "/api/events?after=-1", None, "BAD_REQUEST"),
        ("GET", "/api/events?limit=many", None, "BAD_REQUEST"),
        ("GET", "/api/events/stream?last_event_id=x", None, "BAD_REQUEST"),
    ],
)
def test_what_is_off_is_said_in_one_form(open_site: Open, method: str, path: str, body: Any, code: str) -> None:
    async def test(site: Site) -> None:
        site.tmux.new_pane("cat")
        answer = await site.client.request(method, path, json=body)
        assert answer.status_code != 422
        assert code_of(answer) == code

    run(open_site, test)


def test_what_a_bad_body_held_is_not_repeated(open_site: Open) -> None:
    async def test(site: Site) -> None:
        answer = await site.client.post("/api/agents", json={"pane": "%1", "extra": "hunter2-secret"})
        assert "hunter2" not in answer.text
        broken = await site.client.post(
            "/api/agents", content=b'{"pane": "\\ud800"}', headers={"content-type": "application/json"}
        )
        assert code_of(broken) == "BAD_REQUEST"

    run(open_site, test)


def test_version_health_and_figures(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("ada")
        about = (await site.client.get("/api/version")).json()
        assert about["version"] == site.server.version
        assert (await site.client.get("/healthz")).text == (await site.client.get("/readyz")).text == "ok\n"
        figures = (await site.client.get("/metrics")).text
        assert 'paneward_requests_total{method="POST",route="/api/agents",status="201"} 1.0' in figures
        assert "paneward_last_seq" in figures
        assert "paneward_agents{state=" in figures

    run(open_site, test)


def test_the_operator_can_end_the_server(open_site: Open) -> None:
    async def test(site: Site) -> None:
        assert (await site.client.post("/api/shutdown", json={})).json() == {"status": "ok"}
        assert site.stopped.is_set()

    run(open_site, test)


def test_a_mistake_of_ours_is_an_error_without_a_traceback(open_site: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(site: Site) -> None:
        def broken() -> None:
            raise ZeroDivisionError("the secret of the house")

        monkeypatch.setattr(site.server.agents, "all", broken)
        answer = await site.client.get("/api/agents")
        assert (answer.status_code, code_of(answer)) == (500, "INTERNAL_ERROR")
        assert "secret" not in answer.text

    run(open_site, test)
