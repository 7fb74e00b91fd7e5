"""A pane is followed by its output: looks are spaced out under a flood, and none is taken while nothing is due."""

import asyncio
from collections.abc import Callable
from itertools import pairwise

from paneward.core.profiles import CLAUDE, GENERIC, SHELL, Profile
from paneward.core.state.claims import AgentState
from paneward.core.terminal.scene import Scene
from paneward.services.agents.follower import DULL, DULLEST, FOREVER, LONG, Follower
from paneward.services.delivery.driver import LONGEST_GAP, Driver
from paneward.testing import SHELL as BASH
from paneward.testing import FakeClock, FakeTmux
from tests.core.state.test_hooks import hook


async def follower_of(tmux: FakeTmux, profile: Profile = SHELL) -> Follower:
    async with tmux.watch("%1") as watch:
        return Follower(Driver("%1", tmux, tmux.clock, watch), tmux.clock, lambda _: profile)


def shell() -> FakeTmux:
    tmux = FakeTmux(FakeClock())
    tmux.facts = BASH
    return tmux


def test_under_a_flood_looks_come_ever_less_often_and_at_once_when_it_is_over() -> None:
    tmux = shell()

    async def act() -> list[float]:
        follower, at = await follower_of(tmux), []
        await anext(aiter(follower))
        for line in range(20):
            tmux.put(f"{line}")
            await follower.step()
            at.append(tmux.clock.now())
        await tmux.clock.sleep(1.0)
        tmux.put("the end")
        before = tmux.clock.now()
        await follower.step()
        assert tmux.clock.now() == before, "the first word after a silence is looked at when it comes"
        return at

    gaps = [later - earlier for earlier, later in pairwise(asyncio.run(act()))]
    assert all(earlier <= later + 1e-9 for earlier, later in pairwise(gaps))
    assert max(gaps) <= LONGEST_GAP + 1e-9
    assert gaps[-1] >= LONGEST_GAP - 1e-9


def test_nothing_that_was_seen_of_a_flood_is_current() -> None:
    tmux = shell()

    async def act() -> None:
        follower = await follower_of(tmux)
        await follower.once()
        assert follower.current
        tmux.flooding = True
        assert follower.flooding
        assert not follower.current

    asyncio.run(act())


def test_what_is_painted_again_is_looked_at_now_and_then_and_what_is_new_at_once() -> None:
    tmux = shell()

    async def act() -> list[float]:
        follower, waited = await follower_of(tmux), []
        await anext(aiter(follower))
        for tick in range(10):
            began = tmux.clock.now()
            words = "a word" if tick != 7 else "another"
            tmux.put(words, f"\x1b[1;1H{words} {tick}".encode())
            await follower.step()
            waited.append(tmux.clock.now() - began)
            await tmux.clock.sleep(LONGEST_GAP * 2)
        return [round(one, 3) for one in waited]

    spaced = round(DULL - LONGEST_GAP * 2, 3)
    assert asyncio.run(act()) == [0.0, *[spaced] * 6, 0.0, *[spaced] * 2]


def painting(tmux: FakeTmux, seconds: float, frame: Callable[[int], bytes]) -> list[float]:
    """Seconds between looks at a program that paints ten times a second."""

    class Painting(FakeClock):
        async def sleep(self, seconds: float) -> None:
            until, ticks = self._now + seconds, range(int(self._now * 10) + 1, int((self._now + seconds) * 10) + 1)
            for tick in ticks:
                self._now = tick / 10
                tmux.put("a wheel", frame(tick))
            self._now = until

    tmux.clock, looks = Painting(), []

    async def act() -> None:
        follower = await follower_of(tmux)
        await anext(aiter(follower))
        began = tmux.clock.now()
        while tmux.clock.now() < began + seconds:
            await tmux.clock.sleep(0.1)
            await follower.step()
            looks.append(tmux.clock.now())

    asyncio.run(act())
    return [later - earlier for earlier, later in pairwise(looks)]


def test_a_wheel_that_turns_all_day_is_hardly_looked_at() -> None:
    gaps = painting(shell(), 60.0, lambda tick: b"\x1b[1;1H%d s" % tick)
    assert max(gaps) <= DULLEST + 0.2
    assert len(gaps) < 60 / DULLEST + LONG + 8
    assert max(gaps[: LONG - 2]) <= DULL + 0.1, "at first as often as ever"


def test_what_was_painted_before_a_hook_told_of_work_is_new_after_it() -> None:
    """The composer of an agent at rest is drawn again when it has done: that is news."""
    tmux = shell()

    async def act() -> float:
        follower, rest = await follower_of(tmux, CLAUDE), b"\x1b[1;1Ha composer"
        await anext(aiter(follower))
        for _ in range(2):
            tmux.put("a composer", rest)
            await follower.step()
            await tmux.clock.sleep(LONGEST_GAP * 2)
        follower.tell(hook("UserPromptSubmit", prompt="go"), 0.0)
        assert follower.take().state is AgentState.BUSY
        tmux.put("a composer", rest)
        began = tmux.clock.now()
        await follower.step()
        return tmux.clock.now() - began

    assert asyncio.run(act()) == 0.0


def test_while_nothing_is_due_nobody_looks() -> None:
    tmux = shell()

    async def act() -> None:
        follower = await follower_of(tmux)
        assert (await anext(aiter(follower))).state is AgentState.IDLE
        looks, now = tmux.looks, tmux.clock.now()
        await follower.step()
        assert (tmux.looks - looks, tmux.clock.now() - now) == (1, FOREVER)

    asyncio.run(act())


def test_each_change_is_told_once_and_the_last_one_is_the_end() -> None:
    tmux = shell()

    async def act() -> list[AgentState]:
        told = []
        follower = await follower_of(tmux)
        async for standing in follower:
            told.append(standing.state)
            tmux.dead = True
        return told

    assert asyncio.run(act()) == [AgentState.IDLE, AgentState.DEAD]


def test_a_program_that_cannot_be_told_for_a_moment_stays_what_it_was() -> None:
    tmux = shell()
    profiles = iter([SHELL])

    async def act() -> None:
        def choose(_: Scene) -> Profile:
            return next(profiles, GENERIC)

        async with tmux.watch("%1") as watch:
            follower = Follower(Driver("%1", tmux, tmux.clock, watch), tmux.clock, choose)
        await follower.look()
        await follower.look()
        assert follower.profile is SHELL

    asyncio.run(act())
