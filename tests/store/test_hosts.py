"""Hosts in the store: each name once, none removed where somebody lives."""

import pytest

from paneward.core.agent.record import Agent
from paneward.core.errors import Code, PanewardError
from paneward.core.hosts.host import MOST, HostRecord
from paneward.store import Store
from tests.store.conftest import Place, using

BUILD = HostRecord("build", "me@build", ("Port=22", "SetEnv=API_KEY=sk-ant-api03-abcdefghijklmnop"), "/f", "/s", "/t")


def test_a_host_is_there_as_it_was_given_with_its_events(place: Place) -> None:
    async def work(store: Store) -> None:
        added = await store.add_host(BUILD)
        await store.add_host(HostRecord("alpha"))
        assert [one.name for one in await store.hosts()] == ["alpha", "build"]
        assert (await store.hosts())[1] == added
        assert (added.options, added.added_at > 0) == (BUILD.options, True)
        await store.remove_host("alpha")
        told = [(event.kind, event.data["host"]) for event in await store.events()]
        assert told == [("host_added", "build"), ("host_added", "alpha"), ("host_removed", "alpha")]
        assert [one.name for one in await store.hosts()] == ["build"]

    using(place, work)


async def refused(work: object) -> Code:
    with pytest.raises(PanewardError) as failure:
        await work  # type: ignore[misc]
    assert failure.value.hint
    return failure.value.code


def test_a_name_is_one_hosts_and_nobodys_home_is_removed(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.add_host(HostRecord("build"))
        assert await refused(store.add_host(BUILD)) is Code.HOST_EXISTS
        assert await refused(store.remove_host("other")) is Code.HOST_NOT_FOUND
        assert await refused(store.adopt(Agent("a", host="other"))) is Code.HOST_NOT_FOUND
        await store.adopt(Agent("a", tmux="build:/s", pane="%1", host="build"))
        assert await refused(store.remove_host("build")) is Code.HOST_IN_USE
        await store.forget("a")
        await store.remove_host("build")
        assert await refused(store.adopt(Agent("a", host="build"))) is Code.HOST_NOT_FOUND

    using(place, work)


def test_a_pane_of_one_host_is_not_that_of_another(place: Place) -> None:
    async def work(store: Store) -> None:
        await store.add_host(HostRecord("build"))
        await store.adopt(Agent("here", tmux="local:/s", socket="/s", pane="%1"))
        await store.adopt(Agent("there", tmux="build:/s", socket="/s", pane="%1", host="build"))
        assert [(one.id, one.host) for one in await store.agents()] == [("here", ""), ("there", "build")]
        assert await refused(store.adopt(Agent("more", tmux="build:/s", pane="%1", host="build"))) is Code.AGENT_EXISTS

    using(place, work)


def test_there_are_never_too_many(place: Place) -> None:
    async def work(store: Store) -> None:
        for number in range(MOST):
            await store.add_host(HostRecord(f"h{number}"))
        assert await refused(store.add_host(HostRecord("more"))) is Code.TOO_MANY_STREAMS

    using(place, work)
