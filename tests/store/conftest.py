"""Each test of the store runs on SQLite and on PostgreSQL, on a store of its own."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from paneward.core.agent.changes import Change
from paneward.core.agent.record import Agent, Turn
from paneward.store import Store
from tests.store.cluster import Cluster, cluster

T = TypeVar("T")
Place = Path | str


@pytest.fixture(scope="session")
def private_cluster() -> Iterator[Cluster | None]:
    with cluster() as one:
        yield one


@pytest.fixture
def postgres(private_cluster: Cluster | None) -> Cluster:
    if private_cluster is None:
        pytest.skip("PostgreSQL is not installed")
    return private_cluster


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where an empty store can be made."""
    if request.param == "sqlite":
        return tmp_path / "state" / "deliveries.db"
    cluster: Cluster = request.getfixturevalue("postgres")
    return cluster.new_database()


def using(place: Place | None, work: Callable[[Store], Awaitable[T]], lease: str | None = None) -> T:
    """Open the store, work with it, close it."""

    async def main() -> T:
        store = Store.open(place, lease=lease)
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(main())


async def say(store: Store, turn: Turn, opens: bool) -> Turn:
    """Store a turn that leaves its agent as it is."""
    agents = {agent.id: agent for agent in await store.agents()}
    stored, _ = await store.take_turn(turn, opens, lambda _: Change(agents.get(turn.agent, Agent(turn.agent))))
    return stored


def raw(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """Asked of the file itself."""
    connection = sqlite3.connect(path)
    try:
        with connection:
            return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def on_disk(directory: Path) -> bytes:
    return b"".join(file.read_bytes() for file in directory.rglob("*") if file.is_file())
