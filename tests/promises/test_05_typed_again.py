"""`send` types again what provably vanished before submit, and never what may have been taken."""

import asyncio
from typing import Any

import pytest

from paneward.core.result import SendResult, Verdict
from tests.live.conftest import Ground
from tests.live.ground import Stage

TEXT = "fix the bug that nobody has seen"


def sent(ground: Ground, stage: Stage, transport: Any = "control", text: str = TEXT) -> SendResult:
    async def work() -> SendResult:
        async with ground.connect(transport=transport) as tmux:
            return await tmux.send_text(stage.pane, text)

    return asyncio.run(work())


@pytest.mark.parametrize("transport", ["control", "exec"])
def test_a_text_that_a_loading_program_dropped_is_typed_again(ground: Ground, transport: str) -> None:
    stage = ground.stage("slow_start", "--silently", "--drops", "1")
    result = sent(ground, stage, transport)
    assert result.verdict is Verdict.CONFIRMED, result
    assert any("it was typed again" in note for note in result.notes), result
    assert len(stage.named("dropped")) == 1
    assert stage.submits() == (TEXT,)


def test_a_text_that_is_drawn_late_is_submitted_once(ground: Ground) -> None:
    """It had been taken, and was only not shown yet."""
    stage = ground.stage("late_drawer", "--seconds", "4")
    result = sent(ground, stage)
    assert stage.submits() in ((), (TEXT,))
    assert (result.verdict is Verdict.CONFIRMED) == (stage.submits() == (TEXT,)), result


@pytest.mark.parametrize("prompt", ["> ", "Passphrase > "])
def test_a_text_that_is_taken_unseen_stands_there_once(ground: Ground, prompt: str) -> None:
    stage = ground.stage("late_drawer", "--hidden", "--prompt", prompt)
    result = sent(ground, stage)
    assert result.verdict is Verdict.FAILED, result
    assert stage.named("holds")[-1]["text"] == TEXT
    assert (len(stage.named("holds")) == 1) == (prompt != "> ")
    assert stage.submits() == ()
