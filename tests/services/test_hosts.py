"""The links to hosts, without ssh: who is told what, and when a host is tried."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from paneward.core.errors import Code, HostUnreachable, LoginNeeded, PanewardError, TmuxTooOld
from paneward.core.hosts.host import FIRST, STEADY, HostRecord, HostState
from paneward.services.hosts import ALL_DAY, Here, Hosts
from paneward.store import Store
from paneward.testing import EPOCH, FakeClock

TRIES = 30_000  # looks at a condition


class HandClock(FakeClock):
    """Time that passes by hand."""

    def __init__(self) -> None:
        super().__init__()
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + seconds, woken))
        await woken

    async def pass_by(self, seconds: float) -> None:
        self._now += seconds
        for until, woken in self._sleepers:
            if until <= self._now and not woken.done():
                woken.set_result(None)
        await settle()

    @property
    def awaited(self) -> bool:
        """Somebody sleeps."""
        return any(not woken.done() for _, woken in self._sleepers)


async def settle() -> None:
    """Let everybody go on as far as they can."""
    for _ in range(50):
        await asyncio.sleep(0)


class Machine:
    """Another machine, as far as a link can tell."""

    def __init__(self) -> None:
        self.failure: PanewardError | None = None  # why it cannot be reached
        self.silent = False  # it does not even refuse
        self.tries = 0
        self.tmux = "3.3a"
        self._broken: asyncio.Future[None] | None = None

    @asynccontextmanager
    async def line(self) -> AsyncIterator["Machine"]:
        self.tries += 1
        if self.silent:
            await asyncio.Event().wait()
        if self.failure is not None:
            raise self.failure
        yield self

    async def hold(self) -> None:
        self._broken = asyncio.get_running_loop().create_future()
        await self._broken

    async def breaks(self, failure: Exception) -> None:
        await reached(lambda: self._broken is not None and not self._broken.done())
        assert self._broken is not None
        self._broken.set_exception(failure)
        await settle()


async def reached(condition: Callable[[], bool]) -> None:
    """What is stored is stored by a thread: wait for evidence."""
    for _ in range(TRIES):
        if condition():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("waited in vain")


class World:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = HandClock()
        self.machines: dict[str, Machine] = {}
        self.lost: list[str] = []
        self.hosts = Hosts(store, self.clock, self._open, lambda: 0.0, longest=4.0)
        self.hosts.on_lost = self.lost.append
        self.hosts.inhabitants = lambda host: (f"agent-of-{host}",)

    def _open(self, record: HostRecord) -> Any:
        return self.machine(record.name).line()

    def machine(self, name: str = "build") -> Machine:
        return self.machines.setdefault(name, Machine())

    def state(self, name: str = "build") -> HostState:
        return self.hosts.get(name).state

    async def told(self, count: int) -> list[tuple[Any, ...]]:
        """What was published, once it is so much."""
        kinds = ["host_connected", "host_disconnected"]
        for _ in range(TRIES):
            if len(events := await self.store.events(kinds=kinds)) >= count:
                break
        return [(one.kind.removeprefix("host_"), one.data.get("state"), one.data.get("code")) for one in events]


def in_world(work: Callable[[World], Awaitable[None]]) -> None:
    async def act() -> None:
        store = Store.open(None)
        world = World(store)
        try:
            await work(world)
        finally:
            await world.hosts.close()
            await store.close()

    asyncio.run(act())


GONE = HostUnreachable("build: no route", hint="look")


def test_a_host_that_answers_is_connected_and_says_its_tmux() -> None:
    async def work(world: World) -> None:
        found = await world.hosts.add(HostRecord("build", "me@build"))
        assert (found.state, found.tmux, found.error, found.agents) == ("connected", "3.3a", None, ("agent-of-build",))
        assert (found.destination, found.http, found.since) == ("me@build", "no", EPOCH + 1000.0)
        way = world.hosts.way("build")
        assert way.decided
        way.check()
        await way.up()
        assert await world.told(1) == [("connected", None, None)]

    in_world(work)


def test_a_host_that_does_not_answer_is_added_and_tried_again_until_it_does() -> None:
    async def work(world: World) -> None:
        machine = world.machine()
        machine.failure = GONE
        found = await world.hosts.add(HostRecord("build"))
        assert (found.state, found.tries, found.retry_at) == ("disconnected", 1, EPOCH + 1000.0 + FIRST)
        assert found.error is not None
        assert (found.error.code, found.error.message, found.error.hint) == (
            "HOST_UNREACHABLE",
            "build: no route",
            "look",
        )
        tries = []
        for seconds in (0.5, 1.0, 2.0, 3.9, 0.1, 4.0):
            await reached(lambda: world.clock.awaited)
            await world.clock.pass_by(seconds)
            tries.append(machine.tries)
        assert tries == [2, 3, 4, 4, 5, 6]
        machine.failure = None
        await world.clock.pass_by(4.0)
        assert world.state() == "connected"
        assert world.hosts.get("build").error is None
        assert await world.told(2) == [("disconnected", "disconnected", "HOST_UNREACHABLE"), ("connected", None, None)]

    in_world(work)


def test_who_works_there_is_told_when_it_is_lost_and_when_it_is_back() -> None:
    async def work(world: World) -> None:
        await world.hosts.add(HostRecord("build"))
        way = world.hosts.way("build")
        await world.clock.pass_by(STEADY)
        resting = asyncio.create_task(way.rest(100.0))
        await settle()
        assert not resting.done()
        await world.machine().breaks(GONE)
        assert world.lost == ["build"]
        assert resting.done()
        await world.told(2)
        await settle()
        with pytest.raises(HostUnreachable, match="no route"):
            way.check()
        with pytest.raises(HostUnreachable):
            await way.up()
        resting = asyncio.create_task(way.rest(0.1))
        await world.clock.pass_by(FIRST / 2)
        assert not resting.done()  # a host that is away is waited for, however short one wanted to rest
        await world.clock.pass_by(FIRST / 2)
        assert resting.done()
        way.check()

    in_world(work)


def test_on_a_host_that_is_there_a_rest_takes_its_time() -> None:
    async def work(world: World) -> None:
        await world.hosts.add(HostRecord("build"))
        resting = asyncio.create_task(world.hosts.way("build").rest(3.0))
        await settle()
        await world.clock.pass_by(2.9)
        assert not resting.done()
        await world.clock.pass_by(0.1)
        assert resting.done()

    in_world(work)


def test_what_needs_a_human_is_tried_only_when_one_asks() -> None:
    async def work(world: World) -> None:
        machine = world.machine()
        machine.failure = LoginNeeded("build: Permission denied (publickey).")
        found = await world.hosts.add(HostRecord("build"))
        assert (found.state, found.retry_at) == ("needs_login", None)
        for _ in range(5):
            await reached(lambda: world.clock.awaited)
            await world.clock.pass_by(ALL_DAY)
        assert machine.tries == 1
        with pytest.raises(LoginNeeded):
            await world.hosts.connect("build")
        assert (machine.tries, world.state()) == (2, "needs_login")
        machine.failure = None
        assert (await world.hosts.connect("build")).state == "connected"
        assert await world.told(3) == [
            ("disconnected", "needs_login", "HOST_NEEDS_LOGIN"),
            ("disconnected", "needs_login", "HOST_NEEDS_LOGIN"),
            ("connected", None, None),
        ]

    in_world(work)


def test_asking_does_not_wait_for_the_pause() -> None:
    async def work(world: World) -> None:
        machine = world.machine()
        machine.failure = TmuxTooOld("build: tmux 2.9 is older than 3.2")
        await world.hosts.add(HostRecord("build"))
        with pytest.raises(HostUnreachable) as refused:
            await world.hosts.connect("build")
        assert refused.value.code is Code.TMUX_TOO_OLD
        assert machine.tries == 2

    in_world(work)


def test_one_that_is_silent_keeps_nobody_waiting() -> None:
    async def work(world: World) -> None:
        world.machine("silent").silent = True
        adding = asyncio.create_task(world.hosts.add(HostRecord("silent")))
        await reached(lambda: world.machine("silent").tries == 1)
        assert (await world.hosts.add(HostRecord("build"))).state == "connected"
        way = world.hosts.way("silent")
        assert not way.decided
        with pytest.raises(HostUnreachable, match="being connected"):
            way.check()
        assert not adding.done()
        await world.hosts.remove("silent")
        with pytest.raises(PanewardError) as gone:
            await adding
        assert gone.value.code is Code.HOST_NOT_FOUND

    in_world(work)


def test_our_own_mistake_is_a_host_that_cannot_be_reached_and_is_tried_again() -> None:
    async def work(world: World) -> None:
        await world.hosts.add(HostRecord("build"))
        await world.machine().breaks(ValueError("oops"))
        assert (world.state(), world.hosts.get("build").error is not None) == ("disconnected", True)
        await reached(lambda: world.clock.awaited)
        await world.clock.pass_by(FIRST)
        assert world.state() == "connected"

    in_world(work)


def test_hosts_are_connected_to_at_the_start_and_let_go_when_they_are_removed() -> None:
    async def work(world: World) -> None:
        await world.store.add_host(HostRecord("build"))
        await world.hosts.load()
        assert world.state() == "connecting"
        world.hosts.start()
        await world.told(1)
        assert [(one.name, one.state) for one in world.hosts.all()] == [("build", "connected")]
        assert world.hosts.record("build").name == "build"
        await world.hosts.remove("build")
        assert world.hosts.all() == await world.store.hosts() == []
        for asked in (world.hosts.way, world.hosts.get, world.hosts.record):
            with pytest.raises(PanewardError) as unknown:
                asked("build")
            assert unknown.value.code is Code.HOST_NOT_FOUND

    in_world(work)


def test_the_way_to_this_machine_is_always_there() -> None:
    async def work(world: World) -> None:
        way = world.hosts.way("")
        assert isinstance(way, Here)
        assert way.decided
        await way.up()
        way.check()
        resting = asyncio.ensure_future(way.rest(1.0))
        await settle()
        await world.clock.pass_by(1.0)
        assert resting.done()

    in_world(work)
