"""A server that is killed at any write loses no signal and tells none twice."""

import asyncio
import itertools
from collections import Counter
from typing import cast

import pytest

from paneward.core.agent.record import Agent
from paneward.core.profiles import CLAUDE, GENERIC, Profile
from paneward.core.terminal.scene import Scene, Snapshot
from paneward.services.agents.signals import Tracker
from paneward.services.agents.turns import Turns
from paneward.store import Store
from paneward.testing import FakeClock
from tests.services.dying import DyingStore, Killed

RULE = "─" * 60
SAID = ("working:a", "needs_input:b", "error:c", "completed:d", "needs_input:b", "idle:e")


class Life:
    """One server after the other at one pane, which shows more and more."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self._store = store
        self._profile = profile
        self._rows: list[str] = []
        self._clock = FakeClock()

    async def live(self, at: int, after: bool) -> bool:
        """Until it is killed at that write, or nothing is left to be said."""
        dying = cast(Store, DyingStore(self._store, at, after))
        [agent] = await self._store.agents()
        tracker = Tracker(self._clock.now)
        turns = Turns(dying, self._clock, agent, tracker)
        turns.remember(await self._store.heard("a"))
        try:
            tracker.catch_up(self._screen(), self._profile)
            if tracker.found:
                await turns.signalled()
            while len(self._rows) < 2 * len(SAID):
                self._say(tracker, SAID[len(self._rows) // 2])
                if tracker.found:
                    await turns.signalled()
        except Killed:
            return False
        return True

    def _say(self, tracker: Tracker, text: str) -> None:
        words = f"Some words before {text}, line {len(self._rows)}."
        marker = f"--<[paneward:{text}]>--"
        self._rows += [words, marker]
        tracker.hear(f"{words}\r\n{marker}\r\n".encode())
        tracker.see(Scene(self._screen(), now=self._clock.now(), quiet=1.0), self._profile)

    def _screen(self) -> Snapshot:
        below = ("", RULE, "❯\u00a0", RULE, "  ?") if self._profile is CLAUDE else ()
        rows = (*self._rows, *below)
        return Snapshot("%1", (*rows, *[""] * (40 - len(rows))), 60, 40, 2, len(self._rows) + 2)


async def killed(profile: Profile, moments: list[tuple[int, bool]]) -> None:
    store = Store.open(None)
    await store.adopt(Agent("a"))
    life = Life(store, profile)
    try:
        for at, after in moments:
            await life.live(at, after)
        assert await life.live(0, False)
        seen = await store.events(kinds=["signal_seen"])
        assert [f"{one.data['state']}:{one.data['message']}" for one in seen] == list(SAID)
        assert max(Counter(one.data["key"] for one in seen).values()) == 1
        [agent] = await store.agents()
        assert (agent.nudge_state, agent.nudge_summary, agent.nudge_seq) == ("idle", "e", len(SAID))
    finally:
        await store.close()


@pytest.mark.parametrize("profile", [CLAUDE, GENERIC], ids=lambda profile: profile.name)
def test_killed_at_any_write_every_signal_is_told_once(profile: Profile) -> None:
    moments = [(at, after) for at in range(1, len(SAID) + 1) for after in (False, True)]
    for first, second in itertools.product(moments, [None, (1, False), (1, True), (2, False)]):
        asyncio.run(killed(profile, [first, *([second] if second else [])]))
