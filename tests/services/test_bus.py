"""The bus: every subscriber gets every event once and in order, or is told that it does not keep up."""

import asyncio
from collections.abc import Awaitable, Callable

from hypothesis import given
from hypothesis import strategies as st

from paneward.core.agent.events import Stored
from paneward.services.bus import Bus, Subscription


def event(seq: int) -> Stored:
    return Stored(seq, 0.0, "server_started", None, {})


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await work()

    asyncio.run(main())


async def seqs(subscription: Subscription) -> list[int]:
    """Until it ends."""
    return [one.seq async for batch in subscription for one in batch]


@given(st.lists(st.integers(0, 5), max_size=20), st.integers(1, 4))
def test_everybody_gets_every_event_once_and_in_order(sizes: list[int], readers: int) -> None:
    async def work() -> None:
        bus = Bus()
        heard = [asyncio.ensure_future(seqs(bus.subscribe())) for _ in range(readers)]
        await asyncio.sleep(0)
        seq = 0
        for size in sizes:
            bus.publish([event(seq + number) for number in range(1, size + 1)])
            seq += size
            await asyncio.sleep(0)
        bus.close()
        for one in heard:
            assert await one == list(range(1, seq + 1))

    run(work)


def test_what_was_published_before_is_not_heard() -> None:
    async def work() -> None:
        bus = Bus()
        bus.publish([event(1)])
        with bus.subscribe() as subscription:
            bus.publish([event(2)])
            bus.close()
            assert await seqs(subscription) == [2]

    run(work)


def test_what_waits_comes_in_one_batch() -> None:
    async def work() -> None:
        bus = Bus()
        with bus.subscribe() as subscription:
            bus.publish([event(1)])
            bus.publish([event(2), event(3)])
            assert [one.seq for one in await anext(subscription)] == [1, 2, 3]

    run(work)


def test_a_slow_one_is_told_and_the_others_get_everything() -> None:
    async def work() -> None:
        bus = Bus(kept=3)
        slow, quick = bus.subscribe(), bus.subscribe(kept=100)
        for seq in range(1, 6):
            bus.publish([event(seq)])
        bus.close()
        assert (await seqs(slow), slow.lagged) == ([1, 2, 3], True)
        assert (await seqs(quick), quick.lagged) == ([1, 2, 3, 4, 5], False)

    run(work)


def test_one_that_lagged_gets_nothing_more_even_when_there_is_room_again() -> None:
    async def work() -> None:
        bus = Bus(kept=1)
        with bus.subscribe() as subscription:
            bus.publish([event(1)])
            bus.publish([event(2)])
            assert [one.seq for one in await anext(subscription)] == [1]
            bus.publish([event(3)])
            assert await seqs(subscription) == []

    run(work)


def test_one_that_left_is_forgotten() -> None:
    async def work() -> None:
        bus = Bus()
        with bus.subscribe():
            assert len(bus) == 1
        assert len(bus) == 0
        bus.publish([event(1)])

    run(work)


def test_whoever_waits_is_woken_at_the_end_and_later_subscribers_get_it_at_once() -> None:
    async def work() -> None:
        bus = Bus()
        waiting = asyncio.ensure_future(seqs(bus.subscribe()))
        await asyncio.sleep(0)
        bus.close()
        assert await waiting == []
        assert await seqs(bus.subscribe()) == []
        assert len(bus) == 0

    run(work)
