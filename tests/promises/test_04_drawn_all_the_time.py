"""A full-screen program that redraws all the time is read by what it draws: ready when idle, busy while it works."""

import asyncio

import pytest

from paneward.app import Transport
from paneward.core.result import Readiness, ReadyVerdict
from tests.live.conftest import Ground
from tests.live.ground import Played, reached

SIZES = [(80, 24), (120, 40), (44, 16)]


@pytest.mark.parametrize("options", [(), ("--hint", "Ask me anything")], ids=["empty", "hint"])
@pytest.mark.parametrize("size", SIZES, ids=[f"{width}x{height}" for width, height in SIZES])
def test_it_is_busy_while_its_wheel_turns_and_ready_when_idle(
    ground: Ground, options: tuple[str, ...], size: tuple[int, int]
) -> None:
    stage = ground.stage("boxed_clock", "--works", "3", *options, width=size[0], height=size[1])

    async def act() -> tuple[Readiness, Readiness]:
        async with ground.connect() as tmux:
            await reached(lambda: "Thinking" in ground.server.screen(stage.pane))
            early = await tmux.wait_ready(stage.pane, 0.5)
            late = await tmux.wait_ready(stage.pane, 60)
            assert stage.named("ready"), late
            return early, late

    early, late = asyncio.run(act())
    assert (early.verdict, late.verdict) == (ReadyVerdict.BUSY, ReadyVerdict.READY), (early, late)


@pytest.mark.parametrize(
    ("way", "host", "options"),
    [
        ("control", "local", ()),
        ("exec", "local", ()),
        ("control", "ssh", ()),
        ("control", "local", ("--hint", "Ask me anything")),
    ],
    ids=["control", "exec", "ssh", "hint"],
)
def test_texts_arrive_exactly_one_after_the_other(
    ground: Ground, way: Transport, host: str, options: tuple[str, ...]
) -> None:
    stage = ground.stage("boxed_clock", *options)

    async def act() -> list[Played]:
        async with ground.connect(way, host) as tmux:
            return await stage.play_all(tmux, ["ascii", "unicode", "two_lines", "characters_1000", "one_character"])

    played = asyncio.run(act())
    assert [one.judgement for one in played] == ["exact"] * len(played), [str(one) for one in played]
    assert not stage.named("dropped")


def test_a_draft_in_the_box_is_not_mixed_with_ours(ground: Ground) -> None:
    stage = ground.stage("boxed_clock")

    async def act() -> Played:
        async with ground.connect() as tmux:
            await stage.wait_event("ready")
            await tmux.send_keys(stage.pane, *"draft")
            return await stage.play(tmux, "ascii", draft="refuse")

    played = asyncio.run(act())
    assert (played.judgement, played.result.error_type) == ("refused", "OPERATOR_DRAFT"), str(played)
