"""What was handed to tmux and not answered is unknown, not nothing; it is looked at again, then reported."""

import asyncio
import os
import signal
from typing import Any

import pytest

from paneward.app import Connection
from paneward.config import BridgeSettings, Settings, TmuxSettings
from paneward.core.result import Rung, SendResult, Verdict
from tests.adapters.conftest import TMUX
from tests.live.conftest import Ground
from tests.live.ground import Stage

IMPATIENT = Settings(tmux=TmuxSettings(binary=TMUX), tmux_bridge=BridgeSettings(subprocess_timeout=0.5))
TEXT = "fix the bug"


class Stopped:
    """A tmux server that is stopped right before it is handed something, and goes on after a while, if ever."""

    def __init__(self, ground: Ground, tmux: Connection, verb: str, seconds: float | None) -> None:
        self._pid = int(ground.server.run("display-message", "-p", "#{pid}"))
        self._seconds = seconds
        self._real = getattr(tmux._tmux, verb)
        self._once = False
        setattr(tmux._tmux, verb, self._hand)

    async def _hand(self, *what: Any) -> None:
        if not self._once:
            self._once = True
            os.kill(self._pid, signal.SIGSTOP)
            if self._seconds is not None:
                asyncio.get_running_loop().call_later(self._seconds, self.go_on)
        await self._real(*what)

    def go_on(self) -> None:
        os.kill(self._pid, signal.SIGCONT)


async def sent(ground: Ground, stage: Stage, transport: Any, verb: str, seconds: float | None) -> SendResult:
    async with ground.connect(transport=transport, settings=IMPATIENT) as tmux:
        assert (await tmux.wait_ready(stage.pane, timeout=60)).is_ready
        server = Stopped(ground, tmux, verb, seconds)
        try:
            return await tmux.send_text(stage.pane, TEXT)
        finally:
            server.go_on()


@pytest.mark.parametrize("verb", ["type", "press"])
@pytest.mark.parametrize("transport", ["control", "exec"])
def test_a_server_that_goes_on_is_looked_at_again(ground: Ground, transport: str, verb: str) -> None:
    stage = ground.stage("plain_box")
    result = asyncio.run(sent(ground, stage, transport, verb, 1.5))
    assert result.verdict is not Verdict.FAILED, result
    assert stage.submits() in ((TEXT,), ())
    assert (result.verdict is Verdict.CONFIRMED) == (stage.submits() == (TEXT,)), result


@pytest.mark.parametrize("verb", ["type", "press"])
def test_a_server_that_stays_silent_leaves_it_unknown(ground: Ground, verb: str) -> None:
    stage = ground.stage("plain_box")
    result = asyncio.run(sent(ground, stage, "control", verb, None))
    assert result.verdict is Verdict.UNCONFIRMED, result
    assert result.rung is not Rung.NOTHING
