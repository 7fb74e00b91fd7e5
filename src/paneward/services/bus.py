"""Hands on what the store committed: to every subscriber each event once, in the order of `seq`.

Nothing is filtered here, and nobody waits for anybody: a subscriber that does not keep up is told so (`lagged`), gets
nothing more, and reads on from the store.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from paneward.core.agent.events import Stored

KEPT = 10_000  # events that may wait for one subscriber


class Subscription:
    """What was committed since it was made, in batches. Iterating over it ends when it lags, or the bus closes."""

    def __init__(self, bus: "Bus", most: int) -> None:
        self._bus = bus
        self._most = most
        self._waiting: deque[Stored] = deque()
        self._stirred = asyncio.Event()
        self._over = False
        self.lagged = False  # events were left out: read on from the store, and subscribe anew

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bus.leave(self)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> tuple[Stored, ...]:
        while not (self._waiting or self.lagged or self._over):
            await self._stirred.wait()
            self._stirred.clear()
        if not self._waiting:
            raise StopAsyncIteration
        batch = tuple(self._waiting)
        self._waiting.clear()
        return batch

    def take(self, events: Sequence[Stored]) -> None:
        """Called by the bus."""
        if self.lagged:
            return
        if len(self._waiting) + len(events) > self._most:
            self.lagged = True
        else:
            self._waiting.extend(events)
        self._stirred.set()

    def end(self) -> None:
        self._over = True
        self._stirred.set()


class Bus:
    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._subscriptions: set[Subscription] = set()
        self._closed = False

    def __len__(self) -> int:
        """How many listen."""
        return len(self._subscriptions)

    def publish(self, events: Sequence[Stored]) -> None:
        for subscription in self._subscriptions:
            subscription.take(events)

    def subscribe(self, kept: int | None = None) -> Subscription:
        """Listen from now on. Use it as a context manager."""
        subscription = Subscription(self, self._kept if kept is None else kept)
        if self._closed:
            subscription.end()
        else:
            self._subscriptions.add(subscription)
        return subscription

    def leave(self, subscription: Subscription) -> None:
        self._subscriptions.discard(subscription)

    def close(self) -> None:
        """No more comes: who listens gets what waits, and then the end."""
        self._closed = True
        for subscription in self._subscriptions:
            subscription.end()
        self._subscriptions.clear()
