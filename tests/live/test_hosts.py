"""Agents on another machine, reached by a real ssh on loopback: everything works there, and nothing is lost with it."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from paneward.app.server import serve
from paneward.config import HostSettings
from paneward.core.agent.record import DISCONNECTED, Actor, Answer, Intent, Stage, shown
from paneward.core.errors import Code
from paneward.core.hosts.host import HostRecord, HostStanding
from paneward.core.result import Verdict
from paneward.store import Store
from tests.adapters.conftest import until
from tests.live.conftest import Ground
from tests.live.ground import Stage as Play
from tests.live.ground import reached
from tests.live.serving import QUICK, Scene, refusal
from tests.live.sshd import Sshd
from tests.live.sshd import second_sshd as second_sshd
from tests.live.sshd import sshd as sshd
from tests.live.test_signals import LINES, say, signals, told

# Long enough for any machine: nothing here rests on how soon silence is noticed.
TIMES = HostSettings(connect_timeout=30.0, silent_after=60.0, longest_pause=0.5)
FAR = replace(QUICK, hosts=TIMES, tmux_bridge=replace(QUICK.tmux_bridge, subprocess_timeout=60.0))
NOWHERE = f"{'a' * 70}.invalid"  # no name server has to be asked for a name that is too long


class Far(Scene):
    """A server that knows the machine of an sshd as `box`."""

    sshd: Sshd

    def record(self, name: str = "box", **more: Any) -> HostRecord:
        return HostRecord(name, ssh="loopback", config=str(self.sshd.config), **more)

    async def adopt(self, name: str = "worker", *options: str, **how: Any) -> Play:
        return await super().adopt(name, *options, **{"host": "box", **how})

    async def until_event(self, kind: str, after: int = 0, **fields: Any) -> dict[str, Any]:
        """Once that was published."""
        async with asyncio.timeout(60):
            with self.server.bus.subscribe() as news:
                while True:
                    for event in await self.store.events(after, kinds=[kind]):
                        if all(event.data.get(name) == value for name, value in fields.items()):
                            return {**event.data, "seq": event.seq}
                    await anext(news)

    def shown(self, name: str = "worker") -> str:
        return shown(self.agents.get(name), self.server.clock.wall())


@asynccontextmanager
async def far(ground: Ground, sshd: Sshd) -> AsyncIterator[Far]:
    async with serve(FAR, ground.state, url="http://127.0.0.1:1") as server:
        one = Far(ground, server)
        one.sshd = sshd
        yield one


def on_host(ground: Ground, sshd: Sshd, work: Callable[[Far], Awaitable[None]]) -> None:
    async def act() -> None:
        async with far(ground, sshd) as one:
            assert (await one.server.hosts.add(one.record())).state == "connected"
            await work(one)

    asyncio.run(act())


def test_everything_works_through_a_host(ground: Ground, sshd: Sshd) -> None:
    async def work(one: Far) -> None:
        play = await one.adopt()
        agent = one.agents.get("worker")
        assert (agent.host, agent.kind, agent.tmux) == ("box", "demo", f"box:{agent.socket}")
        asked = await one.asked("ask which colour")
        assert await one.agents.menu("worker") == asked.question
        assert "which colour" in (await one.agents.screen("worker", 40)).text
        assert (await one.agents.explain("worker")).standing.state == "awaiting_question"
        assert (await one.agents.keys("worker", "Down")).success
        answered = await one.agents.respond("worker", Answer("select", option_index=1))
        assert answered.result.verdict is Verdict.CONFIRMED
        await one.until(Stage.COMPLETE)
        assert (await one.agents.wait("worker", 20)).verdict == "ready"
        assert [spoken[:2] for spoken in await one.spoken()] == [
            (Actor.USER, Intent.COMMAND),
            (Actor.AGENT, Intent.QUESTION),
            (Actor.USER, Intent.ANSWER),
            (Actor.AGENT, Intent.COMPLETION),
        ]
        assert [event["numbers"] for event in play.named("answer")] == [[2]]
        [box] = one.server.hosts.all()
        assert (box.agents, box.tmux != "", box.http) == (("worker",), True, "no")
        assert await refusal(one.agents.remove_host("box")) is Code.HOST_IN_USE
        await one.agents.forget("worker")
        await one.agents.remove_host("box")
        assert await refusal(one.agents.adopt(play.pane, host="box")) is Code.HOST_NOT_FOUND

    on_host(ground, sshd, work)


def test_what_is_told_while_the_connection_is_cut_is_heard_once_when_it_is_back(ground: Ground, sshd: Sshd) -> None:
    async def work(one: Far) -> None:
        pane = ground.server.new_pane([sys.executable, str(LINES)], remain=True)
        await one.agents.adopt(pane, name="worker", host="box", socket_name=ground.server.name)
        await one.agents.tracked()
        say(ground, pane, "marker working before")
        await signals(one, 1)
        sshd.stop()
        lost = await one.until_event("agent_lost", agent_id="worker")
        assert lost["reason"].startswith("disconnected: box: ")
        assert one.shown() == DISCONNECTED
        assert one.server.hosts.get("box").state == "disconnected"
        sent = await one.agents.send("worker", "are you there?")
        assert (sent.result.error_type, sent.turn) == (Code.HOST_UNREACHABLE, None)
        for number in range(5):
            say(ground, pane, f"marker needs_input word {number}")
        sshd.start()
        found = await one.until_event("agent_found", agent_id="worker")
        heard = await signals(one, 6)
        assert told(heard) == [("working", "before"), *(("needs_input", f"word {number}") for number in range(5))]
        say(ground, pane, "marker completed after")
        assert told(await signals(one, 7))[-1] == ("completed", "after")
        assert one.agents.get("worker").gone == ""
        kinds = [event.kind for event in await one.store.events(heard[0].seq) if event.seq <= found["seq"]]
        assert sorted(kind for kind in kinds if kind.startswith(("host_", "agent_"))) == [
            *("agent_found", "agent_lost", "host_connected", "host_disconnected"),
        ]
        assert "are you there?" not in ground.server.screen(pane)

    on_host(ground, sshd, work)


def test_what_hooks_tell_on_a_host_is_heard_once_also_what_was_told_while_it_was_away(
    ground: Ground, sshd: Sshd
) -> None:
    spool = sshd.config.parent / ".local/state/paneward/spool"  # of the HOME that this sshd gives
    spool.mkdir(parents=True)

    async def work(one: Far) -> None:
        pane = ground.server.new_pane("exec cat", remain=True)
        agent = await one.agents.adopt(pane, name="worker", host="box", socket_name=ground.server.name)
        await one.agents.tracked()

        def hook(number: int, message: str) -> None:
            body = json.dumps({"state": "needs_input", "message": message})
            whole = f"signal\t{pane}\t{agent.socket},1,0\n{body}\n.\n"
            (spool / f"{number}.part").write_text(whole)
            (spool / f"{number}.part").rename(spool / f"{number}.0")

        hook(1, "first")
        assert told(await signals(one, 1)) == [("needs_input", "first")]
        sshd.stop()
        await one.until_event("agent_lost", agent_id="worker")
        hook(2, "second")
        hook(3, "third")
        sshd.start()
        assert [message for _, message in told(await signals(one, 3))] == ["first", "second", "third"]
        await reached(lambda: list(spool.iterdir()) == [])
        assert list(spool.iterdir()) == []
        assert len(await one.store.events(kinds=["hook_heard"])) == len(await signals(one, 3)) == 3

    on_host(ground, sshd, work)


def test_work_goes_on_while_its_host_is_away_and_its_end_is_seen_afterwards(ground: Ground, sshd: Sshd) -> None:
    async def work(one: Far) -> None:
        play = await one.adopt()
        await one.agents.send("worker", "work 0.5")
        sshd.stop()
        await one.until_event("agent_lost", agent_id="worker")
        assert one.agents.get("worker").stage in (Stage.COMMANDED, Stage.PROCESSING)
        [command] = await one.store.commands("worker")
        assert command.closed_at is None
        await reached(lambda: play.named("state")[-1]["state"] == "idle")
        sshd.start()
        await one.until(Stage.COMPLETE)
        assert play.submits() == ("work 0.5",)

    on_host(ground, sshd, work)


def test_a_receipt_is_honest_when_the_host_is_lost_while_a_text_goes_in(ground: Ground, sshd: Sshd) -> None:
    async def work(one: Far) -> None:
        play = await one.adopt()
        sending = asyncio.create_task(one.agents.send("worker", "work 0"))
        await one.until_event("delivery_begun", agent_id="worker")
        sshd.stop()
        result = (await sending).result
        await one.until_event("agent_lost", agent_id="worker")
        sshd.start()
        await one.until_event("agent_found", agent_id="worker")
        if result.verdict is Verdict.CONFIRMED:
            await one.until(Stage.COMPLETE)
        taken = play.submits()
        assert len(taken) <= 1
        assert result.verdict is not Verdict.FAILED or taken == (), result
        assert result.verdict is not Verdict.CONFIRMED or taken == ("work 0",), result

    on_host(ground, sshd, work)


def test_another_program_under_the_same_number_is_not_the_agent(ground: Ground, sshd: Sshd) -> None:
    async def work(one: Far) -> None:
        play = await one.adopt()
        sshd.stop()
        await one.until_event("agent_lost", agent_id="worker")
        pid = int(ground.server.value(play.pane, "pid"))
        ground.server.run("kill-server")
        until(lambda: not Path(f"/proc/{pid}").exists())
        ground.server.sessions = 0
        assert ground.server.new_pane("exec cat") == play.pane
        sshd.start()
        lost = await one.until_event("agent_lost", reason=f"{play.pane} closed, or another program lives in it")
        assert one.agents.get("worker").gone == lost["reason"]
        assert one.shown() != DISCONNECTED
        sent = await one.agents.send("worker", "hello")
        assert (sent.result.success, sent.turn) == (False, None)
        assert "hello" not in ground.server.screen(play.pane)

    on_host(ground, sshd, work)


def test_a_host_that_hangs_delays_neither_this_machine_nor_another_host(
    ground: Ground, sshd: Sshd, second_sshd: Sshd
) -> None:
    async def work(one: Far) -> None:
        await one.adopt("far")
        near = await one.adopt("near", host="")
        sshd.hang()
        stuck = asyncio.create_task(one.agents.screen("far"))
        other = await one.server.hosts.add(HostRecord("other", ssh="loopback", config=str(second_sshd.config)))
        assert other.state == "connected"
        elsewhere = await one.adopt("elsewhere", host="other")
        for name, play in (("near", near), ("elsewhere", elsewhere)):
            assert (await one.agents.send(name, "work 0")).result.verdict is Verdict.CONFIRMED
            await one.until(Stage.COMPLETE, name)
            assert play.submits() == ("work 0",)
        assert not stuck.done()
        sshd.go_on()
        assert "demo" in (await stuck).text.lower()
        assert (await one.agents.send("far", "work 0")).result.verdict is Verdict.CONFIRMED

    on_host(ground, sshd, work)


def test_a_server_does_not_wait_for_its_hosts_and_finds_their_agents_later(ground: Ground, sshd: Sshd) -> None:
    async def before(one: Far) -> None:
        await one.adopt("far")
        await one.adopt("near", host="")

    async def after() -> None:
        async with far(ground, sshd) as one:
            await one.agents.settled()
            assert one.agents.get("near").gone == ""
            assert one.server.hosts.get("box").state != "connected"
            sshd.go_on()
            await one.until_event("host_connected", after=started, host="box")
            await one.until(Stage.IDLE, "far")
            assert (await one.agents.send("far", "work 0")).result.verdict is Verdict.CONFIRMED

    on_host(ground, sshd, before)
    sshd.hang()
    store = Store.open(ground.state / "deliveries.db")
    started = store.last_seq
    asyncio.run(store.close())
    asyncio.run(after())


# --- hosts that cannot be used


async def trouble_of(one: Far, **more: Any) -> HostStanding:
    found = await one.server.hosts.add(replace(one.record("bad"), **more))
    assert found.error is not None
    assert found.error.hint
    assert await refusal(one.agents.adopt("%1", host="bad")) == found.error.code
    await one.agents.remove_host("bad")
    return found


def test_what_is_wrong_with_a_host_is_said_with_what_to_do(ground: Ground, sshd: Sshd) -> None:
    old = ground.directory / "old-tmux"
    old.write_text("#!/bin/sh\necho tmux 2.9a\n")
    old.chmod(0o755)

    async def work(one: Far) -> None:
        cases: list[tuple[dict[str, Any], str, str, str]] = [
            ({"binary": str(old)}, "disconnected", "TMUX_TOO_OLD", "2.9a"),
            ({"binary": "no-such-tmux"}, "disconnected", "TMUX_NOT_INSTALLED", "no tmux"),
            ({"options": ("Port=1",)}, "disconnected", "HOST_UNREACHABLE", "refused"),
            ({"ssh": NOWHERE}, "disconnected", "HOST_UNREACHABLE", "resolve"),
            ({"options": ("NoSuchOption=1",)}, "disconnected", "HOST_UNREACHABLE", "nosuchoption"),
            ({"options": ("PubkeyAuthentication=no",)}, "needs_login", "HOST_NEEDS_LOGIN", "Permission denied"),
            (
                {"options": ("UserKnownHostsFile=/dev/null", "StrictHostKeyChecking=yes")},
                *("needs_login", "HOST_NEEDS_LOGIN", "Host key verification failed"),
            ),
        ]
        for more, state, code, words in cases:
            found = await trouble_of(one, **more)
            assert found.error is not None
            assert (found.state, found.error.code) == (state, code), found
            assert words.lower() in found.error.message.lower()
            assert found.error.message.startswith("bad: ")

    on_host(ground, sshd, work)


def test_a_sign_in_that_is_refused_later_is_not_tried_again_by_itself(ground: Ground, sshd: Sshd) -> None:
    async def work(one: Far) -> None:
        await one.adopt()
        keys = sshd.config.parent / "authorized_keys"
        allowed = keys.read_text()
        keys.write_text("")
        sshd.cut()
        lost = await one.until_event("host_disconnected", state="needs_login")
        assert lost["code"] == "HOST_NEEDS_LOGIN"
        await one.until_event("agent_lost", agent_id="worker")
        found = one.server.hosts.get("box")
        assert (found.state, found.retry_at) == ("needs_login", None)
        assert found.error is not None
        assert "hosts connect" in found.error.hint
        assert await refusal(one.server.hosts.connect("box")) is Code.HOST_NEEDS_LOGIN
        keys.write_text(allowed)
        assert (await one.server.hosts.connect("box")).state == "connected"
        await one.until_event("agent_found", agent_id="worker")

    on_host(ground, sshd, work)
