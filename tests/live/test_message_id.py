"""A message with an id is sent once, whatever is repeated, and wherever the sender died."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paneward.core.errors import Code
from paneward.core.result import SendResult
from tests.live.conftest import Ground
from tests.live.ground import ROOT, Stage

LONG = "rename the function, and say which of its callers had to change with it\n" * 12 + "last line of it"
MOMENTS = [
    *("before begin", "after begin", "before typed", "after typed"),
    *("before submitting", "after submitting", "before finish", "after finish"),
]


def send(ground: Ground, stage: Stage, text: str, message_id: str = "m-1", **how: Any) -> SendResult:
    async def act() -> SendResult:
        async with ground.connect() as tmux:
            return await tmux.send_text(stage.pane, text, message_id=message_id, **how)

    return asyncio.run(act())


def test_the_second_call_returns_the_first_receipt_and_sends_nothing(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    first, second = send(ground, stage, "once only"), send(ground, stage, "once only")
    assert (first.success, first.repeated, first.message_id) == (True, False, "m-1"), first
    assert (second.success, second.repeated, second.message_id) == (True, True, "m-1"), second
    assert (second.evidence, second.enters, second.latency_ms) == (first.evidence, first.enters, first.latency_ms)
    assert stage.submits() == ("once only",)


def test_two_calls_at_once_send_once(ground: Ground) -> None:
    stage = ground.stage("plain_box")

    async def act() -> list[SendResult]:
        async with ground.connect() as tmux, ground.connect("exec") as other:
            calls = [one.send_text(stage.pane, "once only", message_id="m-1") for one in (tmux, other, tmux, other)]
            return await asyncio.gather(*calls)

    results = asyncio.run(act())
    assert all(result.success for result in results), results
    assert sorted(result.repeated for result in results) == [False, True, True, True]
    assert stage.submits() == ("once only",)


def test_another_text_with_the_same_id_is_a_conflict(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    assert send(ground, stage, "the first text").success
    result = send(ground, stage, "the second text")
    assert (result.error_type, result.repeated, bool(result.hint)) == (Code.IDEMPOTENCY_CONFLICT, False, True), result
    assert "m-1" in result.detail
    assert stage.submits() == ("the first text",)


def test_another_id_sends_the_same_text_again(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    assert send(ground, stage, "again", "m-1").success
    assert not send(ground, stage, "again", "m-2").repeated
    assert stage.submits() == ("again", "again")


def test_a_secret_can_be_asked_for_again(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    first, second = (send(ground, stage, "hunter2 hunter2", secret=True) for _ in range(2))
    assert (first.success, second.success, second.repeated) == (True, True, True)
    assert stage.submits() == ("hunter2 hunter2",)


@pytest.mark.parametrize("moment", MOMENTS)
def test_after_a_crash_the_message_is_submitted_exactly_once(ground: Ground, moment: str) -> None:
    text = LONG if MOMENTS.index(moment) % 2 else "a short text"
    stage = ground.stage("plain_box")
    crashed = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "crasher.py"), ground.server.name, str(ground.state),
         stage.pane, "m-1", text, moment],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert crashed.returncode == -9, crashed
    result = send(ground, stage, text)
    assert result.success, result
    assert result.repeated == (moment == "after finish")
    assert stage.submits() == (text,)
    assert not stage.named("empty_enter")


@pytest.mark.parametrize("moment", ["before typed", "before finish"])
def test_after_a_crash_the_demo_agent_gets_the_message_once(ground: Ground, moment: str) -> None:
    stage = ground.stage("demo_agent", "--speed", "10")
    command = [sys.executable, str(Path(__file__).parent / "crasher.py"), ground.server.name, str(ground.state)]
    subprocess.run([*command, stage.pane, "m-1", LONG, moment], cwd=ROOT, check=False, timeout=60)
    result = send(ground, stage, LONG)
    assert result.success, result
    assert stage.submits() == (LONG,)
