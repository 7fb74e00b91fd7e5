"""Flows run on a pane: each effect is performed, and every answer is a new look."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

import pytest

from paneward.core.errors import PaneNotFound
from paneward.core.terminal.flow import Flow, Keep, LeaveMode, Look, Paste, Phase, Press, Rest, SavePhase, Type, Watch
from paneward.core.terminal.scene import Scene
from paneward.services.delivery.driver import FIRST_GAP, LONGEST_GAP, STILL, Driver
from paneward.testing import READING, WORKING, FakeClock, FakeTmux

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


async def driver_of(tmux: FakeTmux) -> Driver:
    async with tmux.watch("%1") as watch:
        return Driver("%1", tmux, tmux.clock, watch)


def driven(flow: Flow[T], tmux: FakeTmux | None = None) -> tuple[T, FakeTmux]:
    tmux = tmux or FakeTmux(FakeClock())

    async def act() -> T:
        return await (await driver_of(tmux)).run(flow)

    return run(act()), tmux


def test_every_act_reaches_the_pane() -> None:
    def flow() -> Flow[None]:
        yield LeaveMode()
        yield Type("a")
        yield Paste("b")
        yield Press(("Escape", "Enter"))

    _, tmux = driven(flow())
    assert tmux.asked == [("leave_mode",), ("type", "a"), ("paste", "b"), ("press", "Escape", "Enter")]
    assert tmux.submitted == ["ab"]


def test_a_draft_is_kept_in_a_buffer_of_its_pane_and_dropped_when_it_is_back() -> None:
    def flow() -> Flow[None]:
        yield Keep("-half a thought")
        yield Keep(None)

    _, tmux = driven(flow())
    assert tmux.asked == [
        ("set-buffer", "-b", "paneward-draft-1", "--", "-half a thought"),
        ("delete-buffer", "-b", "paneward-draft-1"),
    ]


def test_an_act_is_answered_with_the_last_look_and_a_look_with_a_new_one() -> None:
    def flow() -> Flow[list[Scene]]:
        first = yield Look()
        after_act = yield Type("a")
        second = yield Look()
        return [first, after_act, second]

    (first, after_act, second), _ = driven(flow())
    assert after_act == first
    assert (first.snapshot.rows, second.snapshot.rows) == (("> ",), ("> a",))


def test_watching_ends_with_output_or_with_the_time() -> None:
    def flow() -> Flow[list[float]]:
        start = yield Look()
        silent = yield Watch(2.0)
        yield Type("a")
        woken = yield Watch(2.0)
        return [scene.now - start.now for scene in (silent, woken)]

    (silent, woken), _ = driven(flow())
    assert silent == pytest.approx(2.0)
    assert woken < 2.1


def test_resting_lets_time_pass_whatever_is_drawn() -> None:
    def flow() -> Flow[float]:
        start = yield Look()
        yield Type("a")
        rested = yield Rest(0.5)
        return rested.now - start.now

    assert driven(flow())[0] == pytest.approx(0.5)


def test_a_mark_is_waited_for_before_the_flow_goes_on() -> None:
    tmux, told = FakeTmux(FakeClock()), []

    def flow() -> Flow[None]:
        yield SavePhase(Phase.TYPED)
        yield Type("a")

    async def mark(phase: Phase) -> None:
        told.append((phase, list(tmux.asked)))

    async def act() -> None:
        driver = await driver_of(tmux)
        await driver.run(flow())
        driver.on_mark(mark)
        tmux.asked.clear()
        await driver.run(flow())

    run(act())
    assert told == [(Phase.TYPED, [])]


def test_a_failure_of_tmux_is_thrown_into_the_flow_which_may_go_on() -> None:
    def flow() -> Flow[str]:
        try:
            yield Type("a")
        except PaneNotFound as error:
            scene = yield Look()
            return f"{error.message}, gone: {scene.gone}"
        return "typed"

    async def act() -> str:
        tmux = FakeTmux(FakeClock())
        driver = await driver_of(tmux)
        tmux.gone = True
        return await driver.run(flow())

    assert run(act()) == "can't find pane: %1, gone: True"


def test_a_pane_that_is_gone_keeps_its_last_screen() -> None:
    async def act() -> Scene:
        tmux = FakeTmux(FakeClock())
        driver = await driver_of(tmux)
        tmux.put("last words")
        await driver.look()
        tmux.gone = True
        await driver.look()
        return driver.scene

    scene = run(act())
    assert (scene.gone, scene.snapshot.rows) == (True, ("> last words",))


def test_a_look_may_leave_out_the_process_and_keeps_what_was_known_of_it() -> None:
    async def act() -> list[Scene]:
        tmux = FakeTmux(FakeClock())
        driver = await driver_of(tmux)
        first = await driver.look()
        tmux.facts = WORKING
        second, third = await driver.look(process=False), await driver.look()
        tmux.dead = True
        return [first, second, third, await driver.look(process=False)]

    assert [scene.process for scene in run(act())] == [READING, READING, WORKING, None]


def test_a_glance_is_what_was_seen_last_while_nothing_is_told() -> None:
    async def act() -> tuple[list[int], list[str]]:
        tmux = FakeTmux(FakeClock())
        driver = await driver_of(tmux)
        looks, texts = [], []
        for text in ("", None, None, "new"):
            if text is not None:
                tmux.put(text)
            await tmux.clock.sleep(STILL)
            texts.append((await driver.glance()).snapshot.rows[-1])
            looks.append(tmux.looks)
        tmux.put("newest")
        texts.append((await driver.glance()).snapshot.rows[-1])  # it may not be drawn to its end
        return looks, texts

    looks, texts = run(act())
    assert looks == [2, 2, 2, 3]
    assert texts == ["> ", "> ", "> ", "> new", "> newest"]


def test_a_glance_knows_the_process_of_now() -> None:
    async def act() -> list[object]:
        tmux = FakeTmux(FakeClock())
        driver = await driver_of(tmux)
        await tmux.clock.sleep(STILL)
        first = await driver.look()
        tmux.facts = WORKING
        return [first.process, (await driver.glance()).process]

    assert run(act()) == [READING, WORKING]


def test_quiet_is_counted_from_the_last_output_else_from_joining() -> None:
    async def act() -> list[float]:
        tmux = FakeTmux(FakeClock())
        driver = await driver_of(tmux)
        await tmux.clock.sleep(3.0)
        joined = (await driver.look()).quiet
        tmux.put("x")
        await tmux.clock.sleep(1.0)
        return [joined, (await driver.look()).quiet]

    assert run(act()) == [3.0, 1.0]


def test_output_that_comes_while_it_looks_counts_as_not_yet_seen() -> None:
    class Eager(FakeTmux):
        async def look(self, pane: str, history: int = 0) -> Any:
            seen = await super().look(pane, history)
            if self.looks == 2:
                self.put("came late")
            return seen

    def flow() -> Flow[list[Scene]]:
        first = yield Look()
        second = yield Watch(60.0)
        return [first, second]

    (first, second), _ = driven(flow(), Eager(FakeClock()))
    assert first.snapshot.rows == ("> ",)
    assert second.snapshot.rows == ("> came late",)
    assert second.now - first.now < 1.0


class Noisy(FakeTmux):
    """Prints with every look."""

    async def look(self, pane: str, history: int = 0) -> Any:
        self.put("noise")
        return await super().look(pane, history)


def test_under_a_flood_it_looks_less_and_less_often() -> None:
    def flow() -> Flow[list[float]]:
        scenes = [(yield Look())]
        for _ in range(10):
            scenes.append((yield Watch(1.0)))
        return [later.now - earlier.now for earlier, later in pairwise(scenes)]

    gaps, _ = driven(flow(), Noisy(FakeClock()))
    assert gaps[0] == 0
    assert gaps[1] == pytest.approx(FIRST_GAP)
    assert gaps == sorted(gaps)
    assert gaps[-1] == pytest.approx(LONGEST_GAP)


def test_spacing_out_never_outlasts_the_watch_and_silence_or_an_act_ends_it() -> None:
    tmux = Noisy(FakeClock())

    def flow() -> Flow[list[float]]:
        yield Look()
        for _ in range(10):
            scene = yield Watch(1.0)
        short = yield Watch(0.01)
        yield Press(("Escape",))
        after_act = yield Watch(1.0)
        return [short.now - scene.now, after_act.now - short.now]

    (short, after_act), _ = driven(flow(), tmux)
    assert short == pytest.approx(0.01)
    assert after_act == 0


def test_a_watch_with_no_time_left_looks_at_once() -> None:
    def flow() -> Flow[float]:
        start = yield Look()
        end = yield Watch(-1.0)
        return end.now - start.now

    assert driven(flow())[0] == 0.0


def test_the_first_scene_is_the_screen_of_the_moment_of_joining() -> None:
    async def act() -> Scene:
        tmux = FakeTmux(FakeClock())
        tmux.put("there already")
        return (await driver_of(tmux)).scene

    scene = run(act())
    assert scene == replace(scene, now=1000.0, output_seq=1)
    assert scene.snapshot.rows == ("> there already",)


def test_what_is_echoed_as_it_was_typed_needs_no_look() -> None:
    tmux = FakeTmux(FakeClock())

    async def act() -> None:
        async with tmux.watch("%1") as watch:
            driver = Driver("%1", tmux, tmux.clock, watch)
            await driver.glance()
            looks = tmux.looks
            tmux.put("words", b"words")
            scene = await driver.run(_one(Watch(1.0, process=False)))
            assert (scene.snapshot.rows[-1], scene.output_seq, tmux.looks) == ("> words", 5, looks)
            tmux.put("words and more")  # lost on the way
            scene = await driver.run(_one(Watch(1.0, process=False)))
            assert (scene.snapshot.rows[-1], tmux.looks) == ("> words and more", looks + 1)
            tmux.put("a", b"\r\x1b[K> a")
            await driver.run(_one(Watch(1.0, process=False)))
            assert tmux.looks == looks + 2, "which output a plain look shows is not known"

    asyncio.run(act())


def _one(effect: Watch) -> Flow[Scene]:
    return (yield effect)
