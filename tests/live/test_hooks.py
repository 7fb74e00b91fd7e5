"""Hooks of agents in real panes: the real command, and a server that listens, or was down meanwhile."""

import json
import os
import subprocess
from typing import Any

from paneward.core.agent.record import Actor, Intent, Stage
from paneward.core.hook_install import command
from paneward.core.result import Rung, Verdict
from paneward.core.state.claims import Source
from tests.live.conftest import Ground
from tests.live.serving import Scene, played

COMMAND, COMPLETION = (Actor.USER, Intent.COMMAND), (Actor.AGENT, Intent.COMPLETION)


def fire(ground: Ground, pane: str, agent: str = "claude", **body: Any) -> None:
    """Run the hook as an agent in this pane does: with what tmux says of the pane, and JSON on its standard input."""
    socket = ground.server.run("display-message", "-p", "#{socket_path}")
    env = {"PATH": os.environ["PATH"], "TMUX_PANE": pane, "TMUX": f"{socket},1,0"}
    line = command(agent, str(ground.state / "spool"))
    subprocess.run(["sh", "-c", line], input=json.dumps({"session_id": "s", **body}).encode(), env=env, check=True)


async def until_said(one: Scene, wanted: list[tuple[Actor, Intent, str]]) -> None:
    with one.server.bus.subscribe() as news:
        while await one.spoken() != wanted:
            await anext(news)


async def reason(one: Scene, stage: Stage) -> tuple[str, str]:
    """Who told that the agent came to this state, and by what."""
    with one.server.bus.subscribe() as news:
        while True:
            for event in await one.store.events(kinds=["state_changed"]):
                if event.data["new_state"] == stage:
                    return event.data["source"], event.data["reason"]
            await anext(news)


async def turns(one: Scene, count: int) -> list[tuple[Actor, Intent, str]]:
    """What was said, once there are so many turns."""
    with one.server.bus.subscribe() as news:
        while len(spoken := await one.spoken()) < count:
            await anext(news)
        return spoken


def test_what_a_human_typed_is_a_command_with_its_text_and_the_stop_brings_the_answer(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt("worker", "--busy", "0")
        fire(ground, play.pane, hook_event_name="UserPromptSubmit", prompt="what is\nnine?", prompt_id="1")
        assert await reason(one, Stage.PROCESSING) == ("hook", "claude's UserPromptSubmit hook")
        explained = (await one.agents.explain("worker")).standing
        assert Source.HOOK in [claim.source for claim in explained.claims]
        fire(ground, play.pane, hook_event_name="Stop", last_assistant_message="It is 9.", prompt_id="1")
        await until_said(one, [(*COMMAND, "what is\nnine?"), (*COMPLETION, "It is 9.")])
        assert (await one.until(Stage.COMPLETE)).conversation == "s"

    played(ground, work)
    assert not list((ground.state / "spool").iterdir())


def test_our_own_text_is_confirmed_by_its_hook_and_makes_no_second_turn(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt("worker", "--busy", "30")
        sent = await one.agents.send("worker", "tidy up")
        fire(ground, play.pane, hook_event_name="UserPromptSubmit", prompt="tidy up", prompt_id="1")
        with one.server.bus.subscribe() as news:
            while (row := await one.store.delivery(sent.delivery_id or "")) and row.receipt and not row.receipt.hook:
                await anext(news)
        assert row is not None
        assert row.receipt is not None
        assert (row.receipt.verdict, row.receipt.rung) == (Verdict.CONFIRMED, Rung.ACCEPTED)
        assert row.receipt.evidence == "claude's UserPromptSubmit hook told of it, with its text"
        assert await one.spoken() == [(*COMMAND, "tidy up")]
        [heard] = await one.store.events(kinds=["hook_heard"])
        assert heard.seq == row.receipt.hook

    played(ground, work)


def test_hooks_that_ran_while_no_server_was_there_are_taken_once(ground: Ground) -> None:
    async def first(one: Scene) -> str:
        return (await one.adopt("worker", "--busy", "0")).pane

    pane = played(ground, first)
    for number in ("1", "2"):
        fire(ground, pane, hook_event_name="UserPromptSubmit", prompt=f"do {number}", prompt_id=number)
        fire(ground, pane, hook_event_name="Stop", last_assistant_message=f"did {number}", prompt_id=number)
    (ground.state / "events" / "worker.jsonl").write_text('{"state": "completed", "message": "all"}\n')
    wanted = [(*COMMAND, "do 1"), (*COMPLETION, "did 1"), (*COMMAND, "do 2"), (*COMPLETION, "did 2")]

    async def later(one: Scene) -> None:
        assert await turns(one, 4) == wanted
        assert len(await one.store.events(kinds=["hook_heard"])) == 5

    for _ in range(2):
        played(ground, later)


def test_hooks_of_other_panes_and_rubbish_change_nothing(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt("worker", "--busy", "0")
        (ground.state / "spool" / "rubbish.0").write_bytes(b"\xff\x00 no hook\n.\n")
        fire(ground, "%99", hook_event_name="UserPromptSubmit", prompt="not mine")
        fire(ground, play.pane, hook_event_name="UserPromptSubmit", prompt="mine")
        assert await turns(one, 1) == [(*COMMAND, "mine")]
        assert one.server.listening.counts == {"malformed": 1, "nobody": 1, "prompt_submitted": 1}
        assert [(ground.state / name).stat().st_mode & 0o777 for name in ("spool", "events")] == [0o700, 0o700]

    played(ground, work)


def test_a_hook_whose_end_is_lost_freezes_nothing_although_nothing_is_printed(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt("worker", "--busy", "0")
        fire(ground, play.pane, hook_event_name="UserPromptSubmit", prompt="and then nothing", prompt_id="1")
        assert (await reason(one, Stage.PROCESSING))[0] == "hook"
        agent = await one.until(Stage.COMPLETE)
        assert agent.source == "screen"

    played(ground, work)
