"""What refuses a pane is asked anew each time."""

import asyncio
from collections.abc import Callable

import pytest

from paneward.app import Transport
from paneward.core.errors import Code
from paneward.core.result import SendResult, Verdict
from tests.adapters.conftest import until
from tests.live.conftest import Ground

Tmux = Callable[..., str]


def two_panes(run: Tmux, pane: str) -> None:
    run("split-window", "-d", "-t", pane, "cat")
    run("set-option", "-w", "-t", pane, "synchronize-panes", "on")


def killed(run: Tmux, pane: str) -> None:
    run("respawn-pane", "-k", "-t", pane, "true")
    until(lambda: run("run-shell", "true") or run("display-message", "-p", "-t", pane, "#{pane_dead}") == "1")


def respawned(run: Tmux, pane: str) -> None:
    run("respawn-pane", "-t", pane, "exec cat")


# What is done to a pane that shows nothing and prints nothing, the code of the refusal, and how it is undone.
STATES = {
    "synchronized": (
        two_panes,
        Code.NOT_READY,
        lambda run, pane: run("set-option", "-w", "-t", pane, "synchronize-panes", "off"),
    ),
    "disabled": (
        lambda run, pane: run("select-pane", "-d", "-t", pane),
        Code.NOT_READY,
        lambda run, pane: run("select-pane", "-e", "-t", pane),
    ),
    "dead": (killed, Code.PANE_DEAD, respawned),
}
WAYS = pytest.mark.parametrize(("way", "host"), [("control", "local"), ("exec", "local"), ("control", "ssh")])


@WAYS
@pytest.mark.parametrize("state", STATES)
def test_what_refused_a_send_is_asked_anew(ground: Ground, way: Transport, host: str, state: str) -> None:
    change, code, undo = STATES[state]
    pane = ground.shell("cat")
    run = ground.server.run

    async def act() -> list[SendResult]:
        async with ground.connect(way, host) as tmux:
            sent = [await tmux.send_text(pane, "before")]
            await asyncio.to_thread(change, run, pane)
            sent += [await tmux.send_text(pane, "meanwhile"), await tmux.send_text(pane, "still")]
            await asyncio.to_thread(undo, run, pane)
            sent += [await tmux.send_text(pane, "after"), await tmux.send_text(pane, "again")]
            return sent

    before, meanwhile, still, after, again = asyncio.run(act())
    assert (meanwhile.error_type, still.error_type) == (code, code), (meanwhile, still)
    assert {one.verdict for one in (before, after, again)} == {Verdict.CONFIRMED}, (before, after, again)
    until(lambda: ground.server.screen(pane).split().count("after") == 2)  # echoed, and printed by cat
    assert "meanwhile" not in ground.server.screen(pane)


@WAYS
@pytest.mark.parametrize("state", ["synchronized", "disabled"])
def test_a_pane_that_is_closed_later_is_noticed_as_well(ground: Ground, way: Transport, host: str, state: str) -> None:
    """The other way round: what stood open at the last send is not taken for open."""
    change, code, _ = STATES[state]
    pane = ground.shell("cat")

    async def act() -> SendResult:
        async with ground.connect(way, host) as tmux:
            assert (await tmux.send_text(pane, "before")).success
            await asyncio.to_thread(change, ground.server.run, pane)
            return await tmux.send_text(pane, "nothing")

    refused = asyncio.run(act())
    assert (refused.verdict, refused.error_type) == (Verdict.FAILED, code), refused
    assert "nothing" not in ground.server.screen(pane)


@WAYS
@pytest.mark.parametrize("state", ["synchronized", "disabled"])
def test_keys_are_refused_and_pressed_by_what_is_true_now(
    ground: Ground, way: Transport, host: str, state: str
) -> None:
    """tmux takes keys for a pane that is switched off, and drops them; of synchronized panes, all get them."""
    change, code, undo = STATES[state]
    pane = ground.shell("cat")
    run = ground.server.run

    async def act() -> list[SendResult]:
        async with ground.connect(way, host) as tmux:
            pressed = [await tmux.send_keys(pane, "w")]
            await asyncio.to_thread(change, run, pane)
            pressed += [await tmux.send_keys(pane, "x"), await tmux.send_keys(pane, "x")]
            await asyncio.to_thread(undo, run, pane)
            return [*pressed, await tmux.send_keys(pane, "y")]

    before, first, second, after = asyncio.run(act())
    assert (first.error_type, second.error_type) == (code, code), (first, second)
    assert before.success, before
    assert after.success, after
    until(lambda: "wy" in ground.server.screen(pane))


@pytest.mark.parametrize("state", ["synchronized", "disabled"])
def test_no_dialog_is_answered_in_a_pane_that_is_closed(ground: Ground, state: str) -> None:
    change, code, undo = STATES[state]
    stage = ground.stage("menu")

    async def act() -> list[SendResult]:
        async with ground.connect() as tmux:
            await tmux.wait_ready(stage.pane, 30)
            await asyncio.to_thread(change, ground.server.run, stage.pane)
            refused = await tmux.answer(stage.pane, select=1)
            await asyncio.to_thread(undo, ground.server.run, stage.pane)
            return [refused, await tmux.answer(stage.pane, select=1)]

    refused, answered = asyncio.run(act())
    assert refused.error_type is code, refused
    assert answered.success, answered
