"""Reads in the scrollback of an agent what it told while nobody listened."""

import asyncio
from typing import Final

from paneward.ports import Clock
from paneward.services.agents.follower import Follower
from paneward.services.agents.signals import Tracker
from paneward.services.panes import Panes

CALM: Final = 1.0  # seconds between two readings of the scrollback, however often output is lost
ALL: Final = 50_000  # lines of scrollback that are read at most


class CatchUp:
    def __init__(self, tracker: Tracker, clock: Clock) -> None:
        self._tracker = tracker
        self._clock = clock
        self._read_at = float("-inf")
        self.known = asyncio.Event()  # what was told before

    def due(self, follower: Follower) -> float | None:
        """When to read the scrollback. Of a flood that is worth it when it is over; what paints is still to be seen."""
        waits = follower.flooding and self.known.is_set() and not self._tracker.reads_screen
        return None if not self._tracker.behind or follower.over or waits else self._read_at + CALM

    async def read(self, follower: Follower, panes: Panes, now: float) -> None:
        """If it is time: read some scrollback, or all of it where none of that is known."""
        due = self.due(follower)
        if due is None or now < due:
            return
        pane, profile, tracker = follower.scene.snapshot.pane, follower.profile, self._tracker
        tracker.look_back()
        past = await panes.past(pane, tracker.past)
        if tracker.wants_more(past, profile):
            past = await panes.past(pane, ALL)
        tracker.catch_up(past, profile)
        self.known.set()
        self._read_at = self._clock.now()
