"""A store that cannot be used says so in one clear error; nothing acknowledged is lost, and it goes on afterwards."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from paneward.core.agent.events import AgentLost
from paneward.core.errors import Code, StoreError
from paneward.store import SCHEMA, Store
from tests.store.cluster import Cluster, cluster
from tests.store.conftest import Place, raw, using

LONG = "x" * 5000
FULL = """
import asyncio, json, os, resource, sys
from paneward.core.errors import StoreError
from paneward.core.agent.events import AgentLost
from paneward.store import Store

async def main(path, way):
    store = Store.open(path, lease="me")
    if way == "limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    written, error = 0, None
    while error is None:
        try:
            await store.append(AgentLost("a", "x" * 5000))
            written += 1
        except StoreError as refused:
            error = refused
    read = len(await store.events(limit=10_000))
    if way == "limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    else:
        os.unlink(way)
    [after] = await store.append(AgentLost("a", "after"))
    await store.close()
    found = {"written": written, "read": read, "after": after.seq, "hint": error.hint, "words": error.message}
    print(json.dumps(found))

asyncio.run(main(*sys.argv[1:]))
"""


def told(*command: str) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def check_full(path: Path, found: dict[str, Any]) -> None:
    assert found["written"] > 3
    assert found["read"] == found["written"]
    assert found["after"] == found["written"] + 1  # no gap
    assert "free some space" in found["hint"]
    assert str(path) in found["words"]


def test_a_full_disk_loses_nothing_and_the_store_goes_on_when_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    check_full(path, told(sys.executable, "-c", FULL, str(path), "limit"))
    assert raw(path, "PRAGMA integrity_check") == [("ok",)]


def mounting(mount: str, directory: Path) -> list[str]:
    """A command line that runs others where only they see a file system of their own."""
    own = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    line = [*own, "sh", "-c", f'{mount} && exec "$@"', "sh"]
    if shutil.which("unshare") is None or subprocess.run([*line, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount")
    return line


def test_a_full_file_system_loses_nothing_either(tmp_path: Path) -> None:
    line = mounting(f"mount -t tmpfs -o size=1m none {tmp_path}", tmp_path)
    filler = tmp_path / "filler"
    run = 'head -c 300000 /dev/zero >"$1"; shift; exec "$@"'
    path = tmp_path / "deliveries.db"
    found = told(*line, "sh", "-c", run, "sh", str(filler), sys.executable, "-c", FULL, str(path), str(filler))
    check_full(path, found)


REFUSED = """
import sys
from paneward.core.errors import StoreError
from paneward.store import Store
try:
    Store.open(sys.argv[1], lease=sys.argv[2] or None)
except StoreError as error:
    print(error.code, error.message, error.hint, sep="|")
"""


@pytest.mark.parametrize("lease", ["", "me"])
def test_a_read_only_file_system_is_named_with_the_way_out(tmp_path: Path, lease: str) -> None:
    path = tmp_path / "deliveries.db"
    using(path, lambda store: store.append(AgentLost("a", "x")))
    line = mounting(f"mount --bind {tmp_path} {tmp_path} && mount -o remount,bind,ro {tmp_path}", tmp_path)
    done = subprocess.run(
        [*line, sys.executable, "-c", REFUSED, str(path), lease], capture_output=True, text=True, check=True
    )
    code, message, hint = done.stdout.split("|")
    assert code == "STORE_ERROR"
    assert str(path) in message
    assert "PANEWARD_STATE_DIR" in hint


@pytest.mark.parametrize("lease", [None, "me"])
def test_a_newer_file_is_refused_and_left_alone(tmp_path: Path, lease: str | None) -> None:
    path = tmp_path / "deliveries.db"
    using(path, lambda store: store.append(AgentLost("a", "x")))
    raw(path, f"PRAGMA user_version = {SCHEMA + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=f"schema {SCHEMA + 1}.*schema {SCHEMA}"):
        Store.open(path, lease=lease)
    assert path.read_bytes() == before
    raw(path, f"PRAGMA user_version = {SCHEMA}")
    using(path, lambda store: store.append(AgentLost("a", "x")), lease="me")  # the refused one holds no lease


def test_a_server_finds_damage_before_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"

    async def work(store: Store) -> None:
        for number in range(200):
            await store.append(AgentLost(str(number), LONG))

    using(path, work)
    whole = path.read_bytes()
    half = len(whole) // 2
    path.write_bytes(whole[:half] + os.urandom(8192) + whole[half + 8192 :])
    with pytest.raises(StoreError, match=r"malformed|not a database") as caught:
        Store.open(path, lease="me")
    assert "Move it away" in caught.value.hint


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://root@localhost/x", "no store can be kept in 'mysql'"),
        ("nonsense://", "no store can be kept in 'nonsense'"),
        ("://", "cannot be read"),
        ("postgresql://me@host:port/x", "cannot be read"),
        ("sqlite:////proc/nothing/x.db", "/proc/nothing/x.db"),
        ("postgresql://me:hidden@127.0.0.1:1/x", "127.0.0.1:1"),
    ],
)
def test_a_bad_url_is_told_without_its_password(url: str, words: str) -> None:
    with pytest.raises(StoreError) as caught:
        Store.open(url)
    assert words in caught.value.message
    assert "hidden" not in caught.value.message
    assert caught.value.code is Code.STORE_ERROR
    assert caught.value.hint


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}"])
def test_a_path_may_be_said_in_several_ways(tmp_path: Path, form: str) -> None:
    path = tmp_path / "deliveries.db"
    using(form.format(path), lambda store: store.append(AgentLost("a", "x")))
    assert raw(path, "SELECT count(*) FROM events") == [(1,)]


@pytest.mark.parametrize("place", [None, "sqlite://", "sqlite:///:memory:"])
def test_memory_may_be_said_in_several_ways(place: str | None) -> None:
    assert using(place, lambda store: store.events()) == []


# --- PostgreSQL


def test_a_database_that_takes_no_writes_is_told(postgres: Cluster) -> None:
    url = postgres.new_database()
    using(url, lambda store: store.agents())

    async def work(store: Store) -> str:
        await asyncio.wrap_future(
            store._writer.after(lambda connection: connection.exec_driver_sql("SET default_transaction_read_only = on"))
        )
        with pytest.raises(StoreError, match="read-only") as caught:
            await store.append(AgentLost("a", "x"))
        return caught.value.hint

    assert "takes no writes" in using(url, work)


def test_a_database_or_a_role_that_is_not_there_is_told(postgres: Cluster) -> None:
    for url in (postgres.url("nowhere"), postgres.url("postgres", "nobody_at_all")):
        with pytest.raises(StoreError, match="does not exist") as caught:
            Store.open(url)
        assert "store.url" in caught.value.hint


def killed_connections(postgres: Cluster, work: Callable[[Store, Callable[[], None]], Awaitable[None]]) -> None:
    url = postgres.new_database()

    def kill() -> None:
        """It waits until they have ended: until then they keep what they have locked."""
        ends = "SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity"
        assert all(ended for (ended,) in postgres.ask("postgres", f"{ends} WHERE datname = '{name}'"))

    name = url.split("/")[3].split("?")[0]
    using(url, lambda store: work(store, kill), lease="me")


def test_a_connection_that_was_cut_is_taken_up_again(postgres: Cluster) -> None:
    async def work(store: Store, kill: Callable[[], None]) -> None:
        heard: list[int] = []
        store.on_commit = lambda events: heard.extend(one.seq for one in events)
        await store.append(AgentLost("a", "x"))
        assert len(await store.events()) == 1
        kill()
        assert len(await store.events()) == 1
        await store.append(AgentLost("a", "y"))
        assert [one.seq for one in await store.events()] == heard == [1, 2]

    killed_connections(postgres, work)


def test_a_commit_whose_answer_was_lost_is_heard_of_when_it_was_stored(postgres: Cluster) -> None:
    """The connection is cut after the commit and before its answer came: here by our own hand."""

    async def work(store: Store, kill: Callable[[], None]) -> None:
        heard: list[int] = []
        store.on_commit = lambda events: heard.extend(one.seq for one in events)

        def commit_and_cut(tx: Any) -> None:
            tx.connection.exec_driver_sql(
                "INSERT INTO events (seq, at, kind, agent_id, data) VALUES (1, 1, 'agent_lost', 'a', '{}')"
            )
            tx.connection.exec_driver_sql("COMMIT")
            kill()

        with pytest.raises(StoreError, match=r"terminat|closed|connection"):
            await store._run(commit_and_cut)
        assert heard == []
        await store.append(AgentLost("a", "y"))
        assert heard == [1, 2]

    killed_connections(postgres, work)


def test_a_server_that_lost_its_lease_to_another_writes_no_more(postgres: Cluster) -> None:
    async def work(store: Store, kill: Callable[[], None]) -> None:
        await store.append(AgentLost("a", "x"))
        place = store._place
        kill()
        other = Store.open(place._url.render_as_string(), lease="the other one")  # type: ignore[attr-defined]
        with pytest.raises(StoreError, match="in use by the other one") as caught:
            await store.append(AgentLost("a", "y"))
        assert caught.value.code is Code.STORE_LEASED
        await other.close()
        [stored] = await store.append(AgentLost("a", "z"))
        assert stored.seq == 2

    killed_connections(postgres, work)


def test_a_database_server_that_went_away_and_came_back_loses_nothing() -> None:
    with cluster() as own:
        if own is None:
            pytest.skip("PostgreSQL is not installed")
        url = own.new_database()

        async def work(store: Store) -> None:
            await store.append(AgentLost("a", "x"))
            own.end()
            for _ in range(2):
                with pytest.raises(StoreError) as caught:
                    await store.append(AgentLost("a", "never"))
                assert "PostgreSQL" in caught.value.hint
            with pytest.raises(StoreError):
                await store.events()
            own.begin()
            [stored] = await store.append(AgentLost("a", "y"))
            assert stored.seq == 2
            assert len(await store.events()) == 2

        using(url, work, lease="me")


def test_two_stores_at_one_place_both_append_without_a_gap(place: Place) -> None:
    async def work(store: Store) -> None:
        other = Store.open(place)
        await asyncio.gather(*(one.append(AgentLost("a", "x")) for one in (store, other) * 25))
        await other.close()
        assert [one.seq for one in await store.events()] == list(range(1, 51))

    using(place, work)
