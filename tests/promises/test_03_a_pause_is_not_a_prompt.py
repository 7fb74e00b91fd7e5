"""A prompt on the screen is not readiness while the program does not read its terminal."""

import asyncio

import pytest

from paneward.app import Transport
from paneward.core.result import Readiness, ReadyVerdict
from tests.hostile.pause_output import PAUSES
from tests.live.conftest import Ground
from tests.live.ground import Played

HALF = ("--half", "linking > ", "--seconds", "1.5")
WAYS = [("control", "local"), ("exec", "local"), ("control", "ssh")]
TERMINALS = pytest.mark.parametrize("options", [(), ("--raw",)], ids=["lines", "raw"])


def wait_and_send(ground: Ground, options: tuple[str, ...], way: Transport, host: str) -> tuple[Readiness, Played]:
    stage = ground.stage("pause_output", *HALF, *options)

    async def act() -> tuple[Readiness, Played]:
        async with ground.connect(way, host) as tmux:
            ready = await tmux.wait_ready(stage.pane, 60)
            assert stage.named("ready"), ready
            return ready, await stage.play(tmux, "ascii")

    return asyncio.run(act())


@TERMINALS
@pytest.mark.parametrize("pause", PAUSES)
def test_a_program_that_waits_for_anything_but_its_terminal_is_not_ready(
    ground: Ground, pause: str, options: tuple[str, ...]
) -> None:
    ready, played = wait_and_send(ground, ("--pause", pause, *options), "control", "local")
    assert ready.verdict is ReadyVerdict.READY, ready
    assert played.judgement == "exact", str(played)


@TERMINALS
@pytest.mark.parametrize("pause", ["select", "poll", "epoll", "thread"])
@pytest.mark.parametrize(("way", "host"), WAYS[1:])
def test_nor_is_it_by_any_other_way_to_tmux(
    ground: Ground, way: Transport, host: str, pause: str, options: tuple[str, ...]
) -> None:
    ready, played = wait_and_send(ground, ("--pause", pause, *options), way, host)
    assert ready.verdict is ReadyVerdict.READY, ready
    assert played.judgement == "exact", str(played)


@TERMINALS
@pytest.mark.parametrize("pause", ["select", "poll", "epoll", "child"])
def test_a_text_sent_meanwhile_waits_and_is_not_lost(ground: Ground, pause: str, options: tuple[str, ...]) -> None:
    stage = ground.stage("pause_output", "--half", "linking > ", "--seconds", "4", "--pause", pause, *options)

    async def act() -> Played:
        async with ground.connect() as tmux:
            return await stage.play(tmux, "ascii")

    played = asyncio.run(act())
    assert played.judgement == "exact", str(played)
