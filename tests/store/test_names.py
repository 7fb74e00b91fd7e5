"""Whether an agent has a name, read without the rest of the store."""

import asyncio
from pathlib import Path

from paneward.core.agent.record import Agent
from paneward.store import Store
from paneward.store.rows.names import is_agent


def test_a_name_is_found_in_the_file_of_a_store(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    assert is_agent(path, "bob") is False
    assert not path.exists()

    async def adopt() -> None:
        store = Store.open(path)
        await store.adopt(Agent("bob", "local:/tmp/x", "/tmp/x", "%0", 1))
        await store.close()

    asyncio.run(adopt())
    assert is_agent(path, "bob") is True
    assert is_agent(path, "ann") is False


def test_a_file_that_cannot_be_read_tells_nothing(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    path.write_bytes(b"no database at all, whatever it is called" * 99)
    assert is_agent(path, "bob") is None
