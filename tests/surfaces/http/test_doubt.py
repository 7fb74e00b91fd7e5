"""Answers that fail or stay in doubt, as respond tells them: by programs that draw in their own way what they get."""

import asyncio
import sys
from typing import Any

import pytest

from tests.surfaces.http.conftest import Open, Site

ASKS = """
import os, sys, tty
tty.setraw(0)
os.write(1, b"working\\r\\nContinue? [y/N] ")
while data := os.read(0, 1024):
    {draws}
"""
DEAF = "pass"
STUBBORN = 'os.write(1, data.replace(b"\\r", b""))'
ODD = 'os.write(1, b"~" if b"\\r" in data else b"*" * len(data))'


async def asking(site: Site, draws: str) -> None:
    """An agent that asks, and draws like this what is typed."""
    pane = site.tmux.new_pane([sys.executable, "-c", ASKS.format(draws=draws)])
    body = {"pane": pane, "name": "ada", "socket_name": site.tmux.name}
    assert (await site.client.post("/api/agents", json=body)).status_code == 201
    await site.state("ada", "AWAITING_INPUT")


def run(open_site: Open, draws: str, test: Any) -> None:
    async def inside() -> None:
        async with open_site() as site:
            await asking(site, draws)
            await test(site, await site.client.post("/api/respond/ada", json={"text": "yes", "timeout": 30}))

    asyncio.run(inside())


async def answers(site: Site) -> list[dict[str, Any]]:
    turns = (await site.client.get("/api/agents/ada/turns")).json()["turns"]
    return [turn for turn in turns if turn["intent"] == "ANSWER"]


def test_an_answer_that_is_never_taken_is_a_failure_without_a_turn(open_site: Open) -> None:
    async def test(site: Site, answer: Any) -> None:
        body = answer.json()
        assert (answer.status_code, body["error"]["code"]) == (502, "SEND_FAILED"), body
        assert await answers(site) == []
        [delivery] = (await site.client.get("/api/agents/ada/deliveries")).json()["deliveries"]
        assert delivery["receipt"]["error_type"] == "SEND_FAILED"
        [entry] = [one for one in (await site.client.get("/api/audit")).json()["entries"] if one["action"] == "respond"]
        assert entry["result"] == "SEND_FAILED"
        assert site.server.agents.get("ada").stage == "AWAITING_INPUT"

    run(open_site, STUBBORN, test)


@pytest.mark.parametrize("draws", [DEAF, ODD], ids=["deaf", "odd"])
def test_an_answer_in_doubt_is_a_turn_that_is_marked_and_changes_no_state(open_site: Open, draws: str) -> None:
    async def test(site: Site, answer: Any) -> None:
        body = answer.json()
        assert (answer.status_code, body["status"]) == (202, "unconfirmed"), body
        [turn] = await answers(site)
        assert (turn["id"], turn["unconfirmed"], turn["text"]) == (body["turn_id"], True, "yes")
        assert body["new_state"] == "AWAITING_INPUT"
        [entry] = [one for one in (await site.client.get("/api/audit")).json()["entries"] if one["action"] == "respond"]
        assert entry["result"] == "unconfirmed"

    run(open_site, draws, test)
