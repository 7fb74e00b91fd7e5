"""Whatever stays open ends with what opened it: event streams, terminals, long questions, downloads.

A machine around the loop's timer. A channel is a task and an identity. When the identity is no longer good (its time is
up, it was revoked, its browser was signed out) the task is cancelled, and the door tells the client why. Requests that
change something are not among them: what was allowed when it was asked for is done, within the time that it named.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from paneward.surfaces.http.access.tokens import Clock, Identity

LOOK = 15.0  # seconds after which all are looked at in any case: the clock of the machine may have been set
SOON = 0.05  # seconds between two looks at least


@dataclass(eq=False, slots=True)
class StreamChannel:
    identity: Identity
    task: "asyncio.Task[object]"
    over: bool = False  # ended here, and not by whoever else cancels tasks


class Channels:
    def __init__(self, good: Callable[[Identity], bool], clock: Clock) -> None:
        self._good = good
        self._clock = clock
        self._open: set[StreamChannel] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0  # when the timer rings, by the monotonic clock

    @contextmanager
    def open(self, identity: Identity) -> Iterator[StreamChannel]:
        """For the task that calls this: it is cancelled when the identity is no longer good."""
        task = asyncio.current_task()
        assert task is not None
        channel = StreamChannel(identity, task)
        self._open.add(channel)
        self._ring(identity)
        try:
            yield channel
        finally:
            self._open.discard(channel)

    def look(self) -> None:
        """End what has to end. Called by the timer, and when something was revoked."""
        self._stop()
        for channel in [one for one in self._open if not (one.over or self._good(one.identity))]:
            channel.over = True
            channel.task.cancel()
        for channel in self._open:
            self._ring(channel.identity)

    def _ring(self, identity: Identity) -> None:
        left = LOOK if identity.until is None else min(LOOK, identity.until - self._clock.wall())
        due = self._clock.now() + max(left, SOON)
        if self._timer is None or due < self._due:
            self._stop()
            self._due = due
            self._timer = asyncio.get_running_loop().call_later(max(left, SOON), self.look)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
