"""One server on one store: others are told who has it, and what is killed holds nothing."""

import asyncio
import signal
import subprocess
import sys

import pytest

from paneward.core.agent.events import ServerStarted
from paneward.core.errors import Code, StoreError
from paneward.store import Store
from paneward.store.tables import tables
from tests.store.conftest import Place, using

SERVER = """
import asyncio, sys
from paneward.store import Store

async def main():
    store = Store.open(sys.argv[1], lease="pid 12, http://127.0.0.1:8474")
    print("open", flush=True)
    sys.stdin.readline()
    await store.close()

asyncio.run(main())
"""


def server(place: Place) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


async def held_by(store: Store) -> list[str]:
    return await store._read(lambda connection: [row.holder for row in connection.execute(tables().lease.select())])


def holders(place: Place) -> list[str]:
    return using(place, held_by)


def test_a_second_server_is_told_who_has_the_store(place: Place) -> None:
    first = server(place)
    with pytest.raises(StoreError, match=r"in use by pid 12, http://127\.0\.0\.1:8474") as caught:
        Store.open(place, lease="me")
    assert caught.value.code is Code.STORE_LEASED
    assert caught.value.hint
    assert holders(place) == ["pid 12, http://127.0.0.1:8474"]  # without a lease it can be opened
    first.communicate("\n", timeout=60)
    assert holders(place) == []
    using(place, lambda store: store.agents(), lease="me")


def test_a_killed_server_leaves_no_lease(place: Place) -> None:
    first = server(place)
    first.kill()
    assert first.wait() == -signal.SIGKILL
    first.communicate()
    assert holders(place) == ["pid 12, http://127.0.0.1:8474"]

    async def taken_over(store: Store) -> None:
        assert await held_by(store) == ["me"]
        await store.append(ServerStarted("1"))

    using(place, taken_over, lease="me")


def test_in_one_process_a_second_lease_is_refused_too(place: Place) -> None:
    async def work(store: Store) -> None:
        with pytest.raises(StoreError, match="in use by me"):
            Store.open(place, lease="me too")
        await store.append(ServerStarted("1"))

    using(place, work, lease="me")
    using(place, work, lease="me")


RACER = """
import asyncio, sys
from paneward.core.errors import StoreError
from paneward.store import Store

async def main():
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        store = Store.open(sys.argv[1], lease=sys.argv[2])
    except StoreError as error:
        print(error.code, flush=True)
        return
    print("mine", flush=True)
    sys.stdin.readline()
    await store.close()

asyncio.run(main())
"""


def test_of_servers_that_start_at_once_on_a_new_store_exactly_one_gets_it(place: Place) -> None:
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(place), f"racer {number}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for number in range(4)
    ]  # fmt: skip
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    answers = []
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    for racer in racers:
        assert racer.stdout is not None
        answers.append(racer.stdout.readline().strip())
    for racer in racers:
        racer.communicate("\n", timeout=60)
    assert sorted(answers) == ["STORE_LEASED"] * 3 + ["mine"]


def test_while_a_server_has_the_store_the_library_writes_its_deliveries(place: Place) -> None:
    async def work(store: Store) -> None:
        library = Store.open(place)
        both = await asyncio.gather(
            *(sent(store, f"server {number}") for number in range(20)),
            *(sent(library, f"library {number}") for number in range(20)),
        )
        assert len(set(both)) == 40
        await library.close()
        assert len(await store.recent(limit=100)) == 40

    using(place, work, lease="me")


async def sent(store: Store, message_id: str) -> str:
    row, fresh = await store.begin(message_id=message_id, tmux="s", pane="%1", pane_pid=1, text="t", secret=False)
    assert fresh
    return row.id
