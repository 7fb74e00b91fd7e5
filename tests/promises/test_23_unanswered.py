"""What was handed to tmux and not answered is unknown, not nothing; it is looked at again, then taken back or
reported."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paneward.app import Connection
from paneward.config import BridgeSettings, Settings, TmuxSettings
from paneward.core.errors import Code
from paneward.core.result import Rung, SendResult, Verdict
from tests.adapters.conftest import TMUX
from tests.live.conftest import Ground
from tests.live.ground import ROOT, Stage, reached
from tests.live.sshd import Sshd, sshd  # noqa: F401  a fixture

TEXT = "fix the bug"
OTHER = "do something else"


def settings(seconds: float) -> Settings:
    """Of somebody who waits so long for an answer of tmux."""
    return Settings(tmux=TmuxSettings(binary=TMUX), tmux_bridge=BridgeSettings(subprocess_timeout=seconds))


IMPATIENT = settings(0.5)


class Stopped:
    """Something stops right before tmux is handed a thing, and goes on after a while, if ever."""

    def __init__(self, tmux: Connection, verb: str, stop: Callable[[], None], go_on: Callable[[], None]) -> None:
        self._stop = stop
        self.go_on = go_on
        self.seconds: float | None = None
        self._real = getattr(tmux._tmux, verb)
        self._once = False
        setattr(tmux._tmux, verb, self._hand)

    async def _hand(self, *what: Any) -> None:
        if not self._once:
            self._once = True
            self._stop()
            if self.seconds is not None:
                asyncio.get_running_loop().call_later(self.seconds, self.go_on)
        await self._real(*what)


def signals(ground: Ground) -> tuple[Callable[[], None], Callable[[], None]]:
    """What stops the tmux server, and what lets it go on."""
    pid = int(ground.server.run("display-message", "-p", "#{pid}"))
    return lambda: os.kill(pid, signal.SIGSTOP), lambda: os.kill(pid, signal.SIGCONT)


async def sent(ground: Ground, stage: Stage, transport: Any, verb: str, seconds: float | None) -> SendResult:
    async with ground.connect(transport=transport, settings=IMPATIENT) as tmux:
        assert (await tmux.wait_ready(stage.pane, timeout=60)).is_ready
        server = Stopped(tmux, verb, *signals(ground))
        server.seconds = seconds
        try:
            return await tmux.send_text(stage.pane, TEXT)
        finally:
            server.go_on()


def honest(result: SendResult, stage: Stage) -> None:
    """It says that it was submitted if it was, and never that nothing was done."""
    assert result.verdict is not Verdict.FAILED, result
    assert stage.submits() in ((TEXT,), ())
    assert (result.verdict is Verdict.CONFIRMED) == (stage.submits() == (TEXT,)), result


@pytest.mark.parametrize("verb", ["type", "press"])
@pytest.mark.parametrize("transport", ["control", "exec"])
def test_a_server_that_goes_on_is_looked_at_again(ground: Ground, transport: str, verb: str) -> None:
    stage = ground.stage("plain_box")
    honest(asyncio.run(sent(ground, stage, transport, verb, 1.5)), stage)


@pytest.mark.parametrize("verb", ["type", "press"])
def test_a_server_that_stays_silent_leaves_it_unknown(ground: Ground, verb: str) -> None:
    stage = ground.stage("plain_box")
    result = asyncio.run(sent(ground, stage, "control", verb, None))
    assert result.verdict is Verdict.UNCONFIRMED, result
    assert result.rung is not Rung.NOTHING


async def left_behind(ground: Ground, stage: Stage, verb: str) -> None:
    """A server that stayed silent goes on, and types what it had been handed."""
    result = await sent(ground, stage, "control", verb, None)
    assert result.verdict is Verdict.UNCONFIRMED, result
    await reached(lambda: TEXT in ground.server.screen(stage.pane))


def test_what_is_left_in_a_composer_is_taken_back(ground: Ground) -> None:
    stage = ground.stage("demo_agent", "--speed", "10")

    async def work() -> SendResult:
        await left_behind(ground, stage, "paste")
        async with ground.connect() as tmux:
            return await tmux.send_text(stage.pane, OTHER)

    result = asyncio.run(work())
    assert result.verdict is Verdict.CONFIRMED, result
    assert any("text of an earlier send stood in the composer" in note for note in result.notes), result
    assert stage.submits() == (OTHER,)
    assert ground.server.run("show-buffer", "-b", f"paneward-draft-{stage.pane[1:]}") == TEXT


def test_what_cannot_be_taken_back_is_reported(ground: Ground) -> None:
    stage = ground.stage("plain_box")

    async def work() -> list[SendResult]:
        await left_behind(ground, stage, "type")
        async with ground.connect() as tmux:
            return [await tmux.send_text(stage.pane, OTHER, draft="refuse") for _ in range(2)]

    for result in asyncio.run(work()):
        assert result.error_type is Code.OPERATOR_DRAFT, result
        assert "the text of an earlier send" in result.evidence, result
    assert stage.submits() == ()


def test_what_somebody_wrote_behind_it_is_a_draft(ground: Ground) -> None:
    stage = ground.stage("demo_agent", "--speed", "10")

    async def work() -> SendResult:
        await left_behind(ground, stage, "paste")
        ground.server.run("send-keys", "-l", "-t", stage.pane, " and more")
        await reached(lambda: f"{TEXT} and more" in ground.server.screen(stage.pane))
        async with ground.connect() as tmux:
            return await tmux.send_text(stage.pane, OTHER, draft="refuse")

    result = asyncio.run(work())
    assert result.error_type is Code.OPERATOR_DRAFT, result
    assert f"{TEXT} and more" in ground.server.screen(stage.pane)


@pytest.mark.parametrize(("transport", "verb"), [("control", "type"), ("exec", "press")])
def test_a_connection_that_stalls_is_looked_at_again(
    ground: Ground,
    sshd: Sshd,  # noqa: F811
    transport: Any,
    verb: str,
) -> None:
    stage = ground.stage("plain_box")
    far = Ground(ground.server, ground.directory, lambda: sshd.config)

    async def work() -> SendResult:
        async with far.connect(transport, "ssh", settings(2.0)) as tmux:
            assert (await tmux.wait_ready(stage.pane, timeout=60)).is_ready
            line = Stopped(tmux, verb, sshd.hang, sshd.go_on)
            line.seconds = 3.0
            return await tmux.send_text(stage.pane, TEXT)

    honest(asyncio.run(work()), stage)


def test_a_sender_that_is_killed_meanwhile_sends_once(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    asyncio.run(stage.wait_event("ready"))
    _, go_on = signals(ground)
    command = [sys.executable, str(Path(__file__).with_name("stalled_sender.py")), ground.server.name]
    try:
        killed = subprocess.run(
            [*command, str(ground.state), stage.pane, "m-1", TEXT], cwd=ROOT, capture_output=True, check=False
        )
    finally:
        go_on()
    assert killed.returncode == -signal.SIGKILL, killed

    async def work() -> SendResult:
        async with ground.connect() as tmux:
            return await tmux.send_text(stage.pane, TEXT, message_id="m-1")

    result = asyncio.run(work())
    assert result.verdict is Verdict.CONFIRMED, result
    assert stage.submits() == (TEXT,)
