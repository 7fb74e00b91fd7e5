"""Promise 11: a `wait` after our own `send` is not over before that work has ended.

The agent of these tests takes a text, looks idle for half a second, and begins to work only then. Its log tells when it
has answered: a wait that is over before was too early. What does no work at all ends the wait too, by evidence.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from paneward.app import Connection, Transport
from paneward.core.result import Readiness, SendResult
from tests.hostile.driver import read_log
from tests.live.conftest import Ground
from tests.surfaces.conftest import Machine
from tests.surfaces.serving import Up

PROGRAM = Path(__file__).with_name("late_agent.py")
LATE, BUSY = "0.5", "0.3"


def command(log: Path, late: str = LATE, busy: str = BUSY) -> list[str]:
    return [sys.executable, str(PROGRAM), "demo-agent", str(log), late, busy]


def answered(log: Path) -> int:
    """How many texts it has worked on, and is done with."""
    return sum(event == {**event, "event": "state", "state": "idle"} for event in read_log(log))


@pytest.mark.parametrize("transport", ["control", "exec"])
def test_the_library_waits_for_the_work_on_the_text_it_sent(ground: Ground, transport: Transport) -> None:
    log = ground.directory / "late.log"
    pane = ground.server.new_pane(command(log), remain=True)

    async def play(send: Connection, wait: Connection, number: int) -> None:
        assert (await send.send_text(pane, f"text {number}")).success
        ready = await wait.wait_ready(pane, 60)
        assert (ready.verdict, answered(log)) == ("ready", number), ready

    async def both() -> None:
        async with ground.connect(transport) as one:
            assert (await one.wait_ready(pane, 60)).is_ready
            for number in (1, 2):
                await play(one, one, number)
            async with ground.connect(transport) as other:
                await play(one, other, 3)

    asyncio.run(both())


def test_explain_says_what_is_waited_for(ground: Ground) -> None:
    pane = ground.server.new_pane(command(ground.directory / "late.log", late="600"), remain=True)

    async def play() -> None:
        async with ground.connect() as tmux:
            assert (await tmux.wait_ready(pane, 60)).is_ready
            assert (await tmux.send_text(pane, "a text")).success
            found = await tmux.explain(pane)
            assert (found.assessment.verdict, found.assessment.rule) == (None, "delivered"), found.assessment
            assert (found.standing.state, found.standing.stage) == ("busy", "COMMANDED")
            unseen = await tmux.wait_ready(pane, 60)
            assert (unseen.verdict, unseen.rule) == ("ready", "unseen"), "it never shows work: time alone tells"
            assert "no sign of work" in unseen.evidence

    asyncio.run(play())


def test_two_commands_without_a_server_share_the_receipt(machine: Machine) -> None:
    log = machine.home / "late.log"
    pane = machine.pane(" ".join(command(log)))
    assert machine.paneward("wait", pane, "--timeout", "60").code == 0
    for number in (1, 2):
        assert machine.paneward("send", pane, f"text {number}").code == 0
        assert machine.paneward("wait", pane, "--timeout", "60").code == 0
        assert answered(log) == number


def test_the_text_by_one_command_and_any_of_several_by_the_next(machine: Machine) -> None:
    logs = [machine.home / "one.log", machine.home / "two.log"]
    panes = [
        machine.pane(" ".join(command(log, late)), log.stem) for log, late in zip(logs, ("1.0", "600"), strict=True)
    ]
    assert machine.paneward("wait", *panes, "--timeout", "60").code == 0
    for pane in panes:
        assert machine.paneward("send", pane, "go").code == 0
    first = machine.answer("wait", *panes, "--any", "--timeout", "60")
    [outcome] = first["outcomes"]
    assert outcome["rule"] != "unseen" or outcome["target"] == panes[1]
    assert outcome["target"] == panes[1] or answered(logs[0]) == 1


def test_every_surface_of_a_server_says_that_it_is_commanded_until_it_is_done(server: Up) -> None:
    machine = server.machine
    log = machine.home / "late.log"
    pane = machine.pane(" ".join(command(log)))
    assert machine.paneward("wait", pane, "--timeout", "60").code == 0
    assert machine.paneward("adopt", pane, "--name", "tester").code == 0
    for number in (1, 2):
        assert machine.paneward("send", "tester", f"text {number}").code == 0
        assert server.stands() in ("COMMANDED", "PROCESSING")
        assert machine.answer("explain", "tester")["state"]["state"] != "idle" or answered(log) == number
        ready = machine.answer("wait", "tester", "--timeout", "60")
        assert (ready["verdict"], answered(log)) == ("ready", number), ready
        assert server.stands() == "COMPLETE"
    assert machine.paneward("send", pane, "by its pane").code == 0
    assert machine.answer("wait", pane, "--timeout", "60")["verdict"] == "ready"
    assert answered(log) == 3


QUICK: dict[str, tuple[list[str], str]] = {
    "demo": ([sys.executable, "-m", "paneward.demo.agent", "--busy", "0"], "say at once"),
    "demo_without_work": ([sys.executable, "-m", "paneward.demo.agent"], "help"),
    "shell": ([], "true"),
    "lines": (["sh", "-c", "while read -r line; do printf '> '; done"], "a line"),
    "python": ([sys.executable, "-qi"], "1 + 1"),
}


@pytest.mark.parametrize("kind", QUICK)
def test_what_does_its_work_at_once_is_not_waited_for_in_vain(ground: Ground, kind: str) -> None:
    words, text = QUICK[kind]
    pane = ground.shell(*words)

    async def play() -> Readiness:
        async with ground.connect() as tmux:
            await tmux.wait_ready(pane, 30, accept_stable=True)
            sent: SendResult = await tmux.send_text(pane, text)
            assert sent.success, sent
            return await tmux.wait_ready(pane, 60, accept_stable=True)

    ready = asyncio.run(play())
    assert ready.is_ready, ready


def test_a_shell_that_is_at_its_prompt_again_is_ready_at_once(ground: Ground) -> None:
    """By its process: it has read all that was typed and reads on. No time has to pass."""
    pane = ground.shell()

    async def play(run: Callable[[Connection], Awaitable[Readiness]]) -> Readiness:
        async with ground.connect() as tmux:
            return await run(tmux)

    async def quick(tmux: Connection) -> Readiness:
        await tmux.wait_ready(pane, 30)
        await tmux.send_text(pane, "true")
        return await tmux.wait_ready(pane, 60)

    ready = asyncio.run(play(quick))
    assert (ready.verdict, ready.rule) == ("ready", "shell"), ready
