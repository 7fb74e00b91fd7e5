"""Usage by HTTP: a program that writes transcripts as Claude Code does, in a real pane."""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

from paneward.adapters.transcripts.places import process_in
from paneward.client.records import revive
from paneward.core.agent.events import Stored
from paneward.core.agent.record import Agent, Stage
from paneward.core.usage import Usage
from paneward.surfaces import wire
from paneward.surfaces.cli.answers import Seat
from paneward.surfaces.cli.show.agents import agents_table
from paneward.surfaces.cli.show.server import _told
from tests.adapters.test_transcripts import started
from tests.core.usage.transcripts import answer
from tests.surfaces.http.conftest import Open, Site, until
from tests.surfaces.http.test_routes import run

SOME = Usage(12_000, 300, 5_000, 0.12, 36_000, 100_000, 64, "claude-x", "transcript", 7.0)


def stamp() -> str:
    """Now, as transcripts tell the time."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.999Z", time.gmtime())


async def used(site: Site, tokens: int) -> dict[str, Any]:
    """The agent, when it has used so many."""
    await until(lambda: (site.server.agents.get("it").usage or Usage()).tokens == tokens)
    found: dict[str, Any] = (await site.client.get("/api/agents/it")).json()["agent"]["usage"]
    return found


def transcript(site: Site, pane_pid: int) -> Path:
    """Where the program in the pane says that it writes."""
    home = site.tmux.home / ".claude"
    process = process_in(pane_pid, time.time)
    assert process is not None
    told = {"sessionId": "abc", "cwd": "/x", "procStart": process.ticks}
    for folder in (home / "sessions", home / "projects" / "-x"):
        folder.mkdir(parents=True)
    (home / "sessions" / f"{process.pid}.json").write_text(json.dumps(told))
    return home / "projects" / "-x" / "abc.jsonl"


def test_an_agent_carries_what_it_used_and_the_figures_count_it(open_site: Open) -> None:
    async def test(site: Site) -> None:
        pid = await asyncio.to_thread(started, site.tmux, "claude")
        path = transcript(site, pid)
        path.write_bytes(
            answer("old", 0, 500, timestamp="2020-01-01T00:00:00Z") + answer("a", 0, 30, 4, 5, timestamp=stamp())
        )
        pane = site.tmux.run("list-panes", "-a", "-F", "#{pane_id}")
        body = {"pane": pane, "name": "it", "socket_name": site.tmux.name, "profile": "claude"}
        assert (await site.client.post("/api/agents", json=body)).status_code == 201
        found = await used(site, 34)
        assert {name: found[name] for name in ("tokens_in", "tokens_out", "tokens_cached", "cost", "context_used")} == {
            "tokens_in": 30, "tokens_out": 4, "tokens_cached": 5, "cost": None, "context_used": 39,
        }  # fmt: skip
        assert (found["model"], found["source"], found["summary"]) == ("claude-x", "transcript", "34 tokens")
        assert abs(found["at"] - time.time()) < 60
        with path.open("ab") as file:
            file.write(answer("b", 0, 100, 6, timestamp=stamp()))
        os.utime(path)
        assert (await used(site, 140))["tokens_in"] == 130
        events = (await site.client.get("/api/events?types=usage_changed&after=0")).json()["events"]
        assert [event["usage"]["tokens_out"] for event in events] == [4, 10]
        figures = (await site.client.get("/metrics")).text
        assert 'paneward_tokens_total{kind="in",program="claude"} 130.0' in figures
        assert 'paneward_tokens_total{kind="cached",program="claude"} 5.0' in figures

    run(open_site, test)


def test_a_list_of_agents_says_what_they_use_where_one_does() -> None:
    agent = Agent("a", stage=Stage.COMPLETE, pane="%1", usage=SOME)
    heads, [first, second] = agents_table((Seat(agent, "COMPLETE", 1.0), Seat(Agent("b"), "IDLE", 1.0)))
    assert heads[-2:] == ("uses", "about")
    assert (first[-2], second[-2]) == ("12.3k tokens · $0.12 · 64% context left", "-")
    assert "uses" not in agents_table((Seat(Agent("b"), "IDLE", 1.0),))[0]


def test_usage_comes_back_from_the_wire() -> None:
    agent = Agent("a", usage=SOME)
    assert revive(Agent, json.loads(json.dumps(wire.plain(agent)))) == agent


def test_an_event_is_told_to_people_in_a_few_words() -> None:
    told = Stored(1, 0.0, "usage_changed", "a", {"agent_id": "a", "usage": wire.plain(SOME)})
    assert _told(told) == "12.3k tokens · $0.12 · 64% context left"
