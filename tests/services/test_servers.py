"""Connections to tmux servers: opened once, closed when nobody wants them, never many."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, cast

import pytest

from paneward.core.errors import Code, Denied
from paneward.services.agents.servers import MOST, UNUSED, Servers
from paneward.services.panes import Panes
from paneward.testing import FakeClock


class Silent:
    """A tmux server that never answers."""

    async def socket(self) -> str:
        await asyncio.Event().wait()
        return ""


class Desk:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.open: list[str] = []
        self.homes: set[str] = set()
        self.servers = Servers(self._connect, self.clock, lambda: {("", path) for path in self.homes})

    def _connect(self, host: str, name: str | None, path: str | None) -> AbstractAsyncContextManager[Panes]:
        return cast(AbstractAsyncContextManager[Panes], self._opened(f"{host}{path}"))

    @asynccontextmanager
    async def _opened(self, path: str) -> AsyncIterator[object]:
        self.open.append(path)
        try:
            yield Silent()
        finally:
            self.open.remove(path)


def at_desk(work: Callable[[Desk], Awaitable[Any]]) -> None:
    async def act() -> None:
        desk = Desk()
        await work(desk)
        await desk.servers.close()
        assert desk.open == []

    asyncio.run(act())


def test_what_nobody_used_for_a_while_is_closed_and_opened_anew_when_it_is_wanted() -> None:
    async def work(desk: Desk) -> None:
        first = await desk.servers.at("/a")
        await desk.clock.sleep(UNUSED - 1)
        assert await desk.servers.at("/a") is first
        await desk.clock.sleep(UNUSED - 1)
        await desk.servers.tidy()
        assert desk.open == ["/a"]
        await desk.clock.sleep(1)
        await desk.servers.tidy()
        assert desk.open == []
        assert await desk.servers.at("/a") is not first

    at_desk(work)


def test_what_is_in_use_stays_and_the_while_begins_when_it_ends() -> None:
    async def work(desk: Desk) -> None:
        async with desk.servers.using("/a"):
            await desk.clock.sleep(2 * UNUSED)
            await desk.servers.tidy()
            assert desk.open == ["/a"]
        await desk.servers.tidy()
        assert desk.open == ["/a"]
        await desk.clock.sleep(UNUSED)
        await desk.servers.tidy()
        assert desk.open == []

    at_desk(work)


def test_where_an_agent_lives_it_stays_however_long_and_however_many() -> None:
    async def work(desk: Desk) -> None:
        desk.homes = {f"/home{number}" for number in range(2 * MOST)}
        for path in desk.homes:
            await desk.servers.at(path)
        await desk.clock.sleep(2 * UNUSED)
        await desk.servers.at("/a")
        await desk.servers.tidy()
        assert set(desk.open) == {*desk.homes, "/a"}

    at_desk(work)


def test_of_too_many_the_one_that_was_not_used_for_longest_goes() -> None:
    async def work(desk: Desk) -> None:
        for number in range(MOST):
            await desk.servers.at(f"/{number}")
            await desk.clock.sleep(1)
        await desk.servers.at("/0")
        await desk.servers.at("/more")
        assert len(desk.open) == MOST
        assert {"/0", "/more"} < set(desk.open)
        assert "/1" not in desk.open

    at_desk(work)


def test_when_all_are_in_use_one_more_is_refused_until_one_ends() -> None:
    async def work(desk: Desk) -> None:
        async with AsyncExitStack() as stack:
            for number in range(MOST):
                await stack.enter_async_context(desk.servers.using(f"/{number}"))
            with pytest.raises(Denied) as refused:
                await desk.servers.at("/more")
            assert refused.value.code is Code.TOO_MANY_STREAMS
            assert refused.value.hint
            async with desk.servers.using("/0"):
                assert len(desk.open) == MOST
        await desk.servers.at("/more")
        assert len(desk.open) == MOST

    at_desk(work)


def test_hosts_do_not_wait_for_each_other() -> None:
    async def work(desk: Desk) -> None:
        stuck = asyncio.create_task(desk.servers.at(None, "silent"))  # its socket has to be asked for
        await asyncio.sleep(0)
        here, there = await desk.servers.at("/a"), await desk.servers.at("/a", "build")
        assert here is not there
        assert desk.servers["", "/a"] is here
        assert desk.servers["build", "/a"] is there
        assert not stuck.done()
        stuck.cancel()
        await asyncio.wait({stuck})

    at_desk(work)


def test_a_host_that_is_dropped_is_opened_anew() -> None:
    async def work(desk: Desk) -> None:
        first, here = await desk.servers.at("/a", "build"), await desk.servers.at("/a")
        await desk.servers.drop("build")
        assert await desk.servers.at("/a") is here
        assert await desk.servers.at("/a", "build") is not first

    at_desk(work)
