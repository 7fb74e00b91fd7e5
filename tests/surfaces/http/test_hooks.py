"""Hooks and signals by HTTP: stored before the answer, told once, and each agent tells its own."""

import asyncio

from paneward.core.agent.record import Actor
from paneward.surfaces.http.access.tokens import Role
from tests.adapters.test_transcripts import started
from tests.surfaces.http.conftest import Open, Site, until
from tests.surfaces.http.test_routes import code_of, run

ASKS = {"state": "needs_input", "message": "which branch?", "id": "1"}


def own(site: Site, name: str) -> dict[str, str]:
    return {"authorization": f"Bearer {site.access.mint(Role.PARTICIPANT, name)}"}


def test_an_agent_tells_its_own_signals_and_nobody_elses(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("worker")
        await site.server.agents.tracked()
        told = await site.client.post("/hook/worker/signal", json=ASKS, headers=own(site, "worker"))
        assert (told.status_code, told.json()) == (202, {"agent_id": "worker", "what": "signal", "new": True})
        await until(lambda: site.server.agents.get("worker").nudge_summary == "which branch?")
        seq = site.server.agents.get("worker").nudge_seq
        assert (await site.client.post("/hook/worker/signal", json=ASKS)).json()["new"] is False
        assert site.server.agents.get("worker").nudge_seq == seq
        events = (await site.client.get("/api/events?types=hook_heard&after=0")).json()["events"]
        assert [(event["what"], event["text"]) for event in events] == [("signal", "which branch?")]
        other = await site.client.post("/hook/worker/signal", json=ASKS, headers=own(site, "helper"))
        assert (other.status_code, code_of(other)) == (403, "FORBIDDEN")

    run(open_site, test)


def test_a_prompt_by_http_is_a_turn_with_its_words(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await asyncio.to_thread(started, site.tmux, "claude")
        pane = site.tmux.run("list-panes", "-a", "-F", "#{pane_id}")
        body = {"pane": pane, "name": "it", "socket_name": site.tmux.name, "profile": "claude"}
        assert (await site.client.post("/api/agents", json=body)).status_code == 201
        told = await site.client.post(
            "/hook/it/UserPromptSubmit", json={"session_id": "s", "prompt": "count the words"}
        )
        assert (told.status_code, told.json()["what"]) == (202, "prompt_submitted")
        await until(lambda: site.server.agents.get("it").stage in ("COMMANDED", "PROCESSING"))
        turns = [(one.actor, one.text) for one in await site.server.store.turns("it", 10)]
        assert (Actor.USER, "count the words") in turns

    run(open_site, test)


def test_what_cannot_be_used_says_why(open_site: Open) -> None:
    async def test(site: Site) -> None:
        await site.adopt("worker")
        post = site.client.post
        nobody = await post("/hook/nobody/signal", json=ASKS)
        assert (nobody.status_code, code_of(nobody)) == (404, "AGENT_NOT_FOUND")
        for path, words in (
            ("/hook/worker/signal", "no state of a signal is called 'on fire'; allowed: working, needs_input"),
            ("/hook/worker/Stop", "Stop of worker: demo has no hooks"),
        ):
            refused = await post(path, json={"state": "on fire"})
            assert (refused.status_code, code_of(refused)) == (400, "BAD_REQUEST")
            assert words in refused.json()["error"]["message"]
        for body in (b"[1]", b"no json", b""):
            headers = {"content-type": "application/json"}
            assert code_of(await post("/hook/worker/signal", content=body, headers=headers)) == "BAD_REQUEST"

    run(open_site, test)
