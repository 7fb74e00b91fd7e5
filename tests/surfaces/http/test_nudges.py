"""Nudges by HTTP: on agents, in the stream, in the figures; cleared by who attends to them."""

import asyncio
from typing import Any

from paneward.config import NotificationSettings, Settings
from tests.surfaces.http.conftest import Open, Site, listening, until
from tests.surfaces.http.test_routes import run
from tests.surfaces.http.test_terminal import Screen, terminal


async def agent(site: Site) -> dict[str, Any]:
    found: dict[str, Any] = (await site.client.get("/api/agents/worker")).json()["agent"]
    return found


async def called(site: Site, state: str) -> dict[str, Any]:
    """A demo agent that calls for somebody."""
    await site.adopt("worker", "--busy", "0.2")
    await site.server.agents.tracked()
    sent = await site.client.post("/api/agents/worker/send", json={"text": f"signal {state} Have a look"})
    assert sent.status_code == 200, sent.text
    await until(lambda: site.server.agents.get("worker").nudge_source == "marker")
    await until(lambda: site.server.agents.get("worker").stage == "COMPLETE")
    return await agent(site)


def test_an_agent_carries_its_nudge_and_the_figures_count_it(open_site: Open) -> None:
    async def test(site: Site) -> None:
        found = await called(site, "needs_testing")
        assert (found["nudge_state"], found["nudge_summary"]) == ("needs_testing", "Have a look")
        assert (found["nudge_source"], found["nudge_seq"] > 0) == ("marker", True)
        assert found["last_signal_at"] is not None
        events = (await site.client.get("/api/events?types=signal_seen,nudge_raised&after=0")).json()["events"]
        assert [event["kind"] for event in events][-2:] == ["signal_seen", "nudge_raised"]
        await until(lambda: site.api.feed.head == site.server.store.last_seq)
        figures = (await site.client.get("/metrics")).text
        assert 'paneward_signals_total{source="marker"} 1.0' in figures
        assert 'paneward_signal_lag_seconds_count{source="marker"} 1.0' in figures
        assert "paneward_near_misses_total 0.0" in figures

    run(open_site, test)


def test_keys_of_the_api_and_of_a_terminal_attend_to_it(open_site: Open) -> None:
    async def test(site: Site) -> None:
        found = await called(site, "needs_testing")
        await site.client.post("/api/agents/worker/keys", json={"keys": ["Up"]})
        assert (await agent(site))["nudge_seq"] == found["nudge_seq"]
        await site.client.post("/api/agents/worker/keys", json={"keys": ["Escape"]})
        cleared = await agent(site)
        assert (cleared["nudge_state"], cleared["nudge_seq"]) == ("", found["nudge_seq"] + 1)

        await site.client.post("/api/agents/worker/send", json={"text": "signal error Look again"})
        await until(lambda: site.server.agents.get("worker").nudge_summary == "Look again")
        seq = site.server.agents.get("worker").nudge_seq
        async with (
            listening(site.api) as url,
            terminal(url, "/api/agents/worker/stream", **site.token) as socket,
        ):
            screen = Screen(socket)
            await screen.until(lambda: screen.told)
            await screen.say(type="input", data="x")
            await screen.say(type="input", data="\x1b")
            await until(lambda: site.server.agents.get("worker").nudge_state == "")
        assert site.server.agents.get("worker").nudge_seq == seq + 1

    run(open_site, test)


def test_the_page_is_told_whether_to_make_a_sound(open_site: Open) -> None:
    async def test(site: Site) -> None:
        assert (await site.client.get("/api/version")).json()["sound"] is True

    run(open_site, test)
    assert Settings().notifications == NotificationSettings(sound_disabled=False)


def test_a_nudge_is_in_the_stream_before_anybody_asks(open_site: Open) -> None:
    async def test(site: Site) -> None:
        with site.server.bus.subscribe() as news:
            await called(site, "needs_input")
            kinds: list[str] = []
            async with asyncio.timeout(30):
                while "nudge_raised" not in kinds:
                    kinds += [event.kind for event in await anext(news)]

    run(open_site, test)
