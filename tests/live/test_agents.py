"""Agents of a server in real panes: adopted, told, lost and found."""

import asyncio
import sys

from paneward.core.agent.record import Actor, Answer, Intent, Stage
from paneward.core.errors import Code
from paneward.core.result import Verdict
from tests.live.conftest import Ground
from tests.live.ground import Stage as Play
from tests.live.serving import Scene, played, refusal, scene

# --- the way of a command


def test_a_command_goes_its_way_and_its_receipt_climbs(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt()
        sent = await one.agents.send("worker", "tidy up")
        assert (sent.result.verdict, sent.agent.stage) == (Verdict.CONFIRMED, Stage.COMMANDED)
        await one.until(Stage.COMPLETE)
        assert await one.spoken() == [
            (Actor.USER, Intent.COMMAND, "tidy up"),
            (Actor.AGENT, Intent.COMPLETION, ""),
        ]
        [command] = await one.store.commands("worker")
        assert (command.ending, command.closed_at is not None) == ("done", True)
        rungs = [event.data["rung"] for event in await one.store.events(kinds=["delivery_changed"])]
        assert rungs == ["submitted", "accepted", "acted"]
        assert play.submits() == ("tidy up",)

    played(ground, work)


def test_a_command_that_shows_no_work_is_completed_by_evidence(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        await one.adopt("worker", "--busy", "0")
        await one.agents.send("worker", "work 0")
        agent = await one.until(Stage.COMPLETE)
        assert agent.reason

    played(ground, work)


def test_two_agents_do_not_disturb_each_other(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        plays = {name: await one.adopt(name) for name in ("first", "second")}
        await asyncio.gather(*(one.asked(f"ask {name}", name) for name in plays))
        await asyncio.gather(
            one.agents.respond("first", Answer("select", option_index=0)),
            one.agents.respond("second", Answer("select", option_index=1)),
        )
        await asyncio.gather(*(one.until(Stage.COMPLETE, name) for name in plays))
        chosen = {name: [event["numbers"] for event in play.named("answer")] for name, play in plays.items()}
        assert chosen == {"first": [[1]], "second": [[2]]}

    played(ground, work)


def test_a_text_for_an_agent_that_asks_is_blocked_and_leaves_no_turn(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt()
        await one.asked()
        sent = await one.agents.send("worker", "and another thing", when_busy="refuse", timeout=1)
        assert (sent.result.error_type, sent.turn, sent.delivery_id) == (Code.BLOCKED_BY_DIALOG, None, None)
        assert len(play.submits()) == 1

    played(ground, work)


def test_a_secret_is_kept_as_its_length_only(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        await one.adopt()
        sent = await one.agents.send("worker", "open sesame, twice", secret=True)
        assert sent.turn is not None
        assert sent.turn.text == ""
        await one.until(Stage.COMPLETE)
        told = [event.data for event in await one.store.events()]
        assert "sesame" not in str(told)
        [row] = await one.store.recent()
        assert (row.text, row.length) == (None, len("open sesame, twice"))

    played(ground, work)


def test_the_verbs_that_only_look(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        await one.adopt()
        assert (await one.agents.wait("worker", 10)).verdict == "ready"
        asked = await one.asked("ask which colour")
        assert await one.agents.menu("worker") == asked.question
        screen = await one.agents.screen("worker", 40)
        assert "which colour" in screen.text
        assert (screen.width, screen.height, screen.output_seq > 0) == (80, 24, True)
        explained = await one.agents.explain("worker")
        assert (explained.profile, explained.standing.state) == ("demo", "awaiting_question")
        assert (await one.agents.keys("worker", "Down")).success
        connection, pane = one.agents.connection("worker")
        assert "Green" in await connection.capture(pane)

    played(ground, work)


# --- adopted and forgotten


def test_adopting_names_the_agent_and_says_what_it_is(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = ground.stage("demo_agent")
        await play.wait_event("ready")
        agent = await one.agents.adopt(play.pane, socket_name=ground.server.name, role="builder", labels=["a", "b"])
        assert (agent.id, agent.kind, agent.role, agent.labels) == ("demo-1", "demo", "builder", ("a", "b"))
        assert (agent.pane, agent.pane_pid > 0, agent.cwd) == (play.pane, True, str(ground.server.home))
        assert await refusal(one.agents.adopt(play.pane, socket_name=ground.server.name)) is Code.AGENT_EXISTS
        bad = one.agents.adopt(play.pane, name="Not A Name", socket_name=ground.server.name)
        assert await refusal(bad) is Code.INVALID_NAME
        unknown = one.agents.adopt("%99", name="x", socket_name=ground.server.name)
        assert await refusal(unknown) is Code.PANE_NOT_FOUND
        wrong = one.agents.adopt(play.pane, name="x", profile="none", socket_name=ground.server.name)
        assert await refusal(wrong) is Code.UNKNOWN_PROFILE

    played(ground, work)


def test_a_forgotten_agent_is_gone_and_its_pane_lives_on(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt()
        await one.agents.forget("worker", purge=True)
        assert one.agents.all() == []
        assert await refusal(one.agents.send("worker", "hello")) is Code.AGENT_NOT_FOUND
        assert await refusal(one.agents.forget("worker")) is Code.AGENT_NOT_FOUND
        assert await one.store.turns("worker") == []
        again = await one.agents.adopt(play.pane, name="worker", socket_name=ground.server.name)
        assert again.gone == ""

    played(ground, work)


def test_an_agent_that_asks_already_is_heard_when_it_is_adopted(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = ground.stage("demo_agent", "--busy", "0.3")
        async with ground.connect() as tmux:
            await tmux.send_text(play.pane, "ask which colour")
            await tmux.wait_ready(play.pane, 20)
        await one.agents.adopt(play.pane, name="worker", socket_name=ground.server.name)
        agent = await one.until(Stage.AWAITING_INPUT)
        assert agent.question is not None
        assert agent.question.question == "which colour"

    played(ground, work)


# --- one server after the other


def test_the_next_server_knows_what_the_last_one_knew(ground: Ground) -> None:
    async def first(one: Scene) -> Play:
        play = await one.adopt()
        await one.asked()
        return play

    async def second(one: Scene) -> None:
        agent = one.agents.get("worker")
        assert (agent.stage, agent.question is not None) == (Stage.AWAITING_INPUT, True)
        sent = await one.agents.respond("worker", Answer("select", option_index=2))
        assert sent.result.success
        await one.until(Stage.COMPLETE)
        intents = [intent for _, intent, _ in await one.spoken()]
        assert intents == [Intent.COMMAND, Intent.QUESTION, Intent.ANSWER, Intent.COMPLETION]
        kinds = await one.kinds()
        assert [kind for kind in kinds if kind.startswith("server")] == [
            "server_started",
            "server_stopped",
            "server_started",
        ]

    play = played(ground, first)
    played(ground, second)
    assert [event["numbers"] for event in play.named("answer")] == [[3]]


def test_what_happened_while_no_server_ran_is_heard_at_the_next_start(ground: Ground) -> None:
    async def first(one: Scene) -> Play:
        play = await one.adopt()
        await one.asked()
        return play

    async def second(one: Scene) -> None:
        await one.until(Stage.COMPLETE)
        assert [intent for _, intent, _ in await one.spoken()][-1] is Intent.COMPLETION

    play = played(ground, first)
    ground.server.run("send-keys", "-t", play.pane, "Enter")
    asyncio.run(play.wait_event("state", 4))
    played(ground, second)


def test_a_second_server_on_one_store_is_refused(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        code = await refusal(scene(ground).__aenter__())
        assert code is Code.STORE_LEASED
        await one.adopt()

    played(ground, work)


# --- lost and found


def test_a_program_that_ends_is_lost_and_a_pane_that_closes_too(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        await one.adopt("ends", "--busy", "0.3")
        closing = await one.adopt("closes")
        await one.agents.send("ends", "crash")
        ground.server.run("kill-pane", "-t", closing.pane)
        for name in ("ends", "closes"):
            with one.server.bus.subscribe() as news:
                while not one.agents.get(name).gone:
                    await anext(news)
            await one.until(Stage.IDLE, name)
        sent = await one.agents.send("closes", "hello", timeout=1)
        assert sent.result.error_type is Code.PANE_NOT_FOUND
        assert await refusal(one.agents.respond("closes", Answer(text="x"))) is Code.PANE_NOT_FOUND
        assert (await one.kinds()).count("agent_lost") == 2

    played(ground, work)


def test_a_tmux_server_that_was_killed_takes_its_agents_and_another_program_is_none_of_them(ground: Ground) -> None:
    async def work(one: Scene) -> None:
        play = await one.adopt()
        old = one.agents.get("worker").pane_pid
        ground.server.run("kill-server")
        with one.server.bus.subscribe() as news:
            while not one.agents.get("worker").gone:
                await anext(news)
        again = ground.stage("demo_agent")
        assert again.pane == play.pane  # panes are counted from the beginning
        await again.wait_event("ready")
        sent = await one.agents.send("worker", "hello", timeout=5)
        assert sent.result.error_type is Code.PANE_NOT_FOUND, sent.result
        assert again.submits() == ()
        assert (one.agents.get("worker").pane_pid, bool(one.agents.get("worker").gone)) == (old, True)
        adopted = await one.agents.adopt(again.pane, name="next", socket_name=ground.server.name)
        assert adopted.pane_pid != old

    played(ground, work)


def test_an_agent_that_was_out_of_reach_is_found_by_its_pane_and_pid(ground: Ground) -> None:
    """A program that left its agent for the shell and was started again lives in the same pane."""

    async def work(one: Scene) -> None:
        command = f"{sys.executable} -m paneward.demo.agent --busy 0.3"
        pane = ground.shell()
        async with ground.connect() as tmux:
            await tmux.send_text(pane, command)
            while (await tmux.explain(pane)).profile != "demo":
                await tmux.wait_ready(pane, 20)
        await one.agents.adopt(pane, name="worker", socket_name=ground.server.name)
        await one.agents.send("worker", "exit")
        with one.server.bus.subscribe() as news:
            while not one.agents.get("worker").gone:
                await anext(news)
            ground.server.run("send-keys", "-t", pane, command, "Enter")
            while one.agents.get("worker").gone:
                await anext(news)
        sent = await one.agents.send("worker", "are you back")
        assert sent.result.success
        kinds = await one.kinds()
        assert (kinds.count("agent_lost"), kinds.count("agent_found")) == (1, 1)

    played(ground, work)
