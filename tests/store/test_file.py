"""A store in a SQLite file: what it promises, and what it refuses."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from paneward.core.errors import Code, StoreError
from paneward.store import KEEP_ROWS, SCHEMA, Store, text_hash
from paneward.store.file import pragma
from tests.store.conftest import on_disk, raw, using
from tests.store.test_deliveries import RECEIPT, begin, record


def test_what_was_recorded_last_is_on_the_disk_when_the_store_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    using(path, record)
    assert raw(path, "select text, phase from deliveries") == [("fix it", "done")]


def test_a_receipt_of_a_later_version_with_more_fields_can_be_read(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        delivery, _ = await begin(store, "m1")
        await store.finish(delivery.id, RECEIPT)

    path = tmp_path / "deliveries.db"
    using(path, work)
    [(written,)] = raw(path, "SELECT receipt FROM deliveries")
    raw(path, "UPDATE deliveries SET receipt = ?", json.dumps({**json.loads(str(written)), "mood": "good"}))
    found = using(path, lambda store: store.find("m1"))
    assert found is not None
    assert found.receipt == RECEIPT


def test_of_a_secret_only_the_length_reaches_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    delivery, _ = using(path, lambda store: begin(store, "m1", text="correct horse", secret=True))
    assert (delivery.text, delivery.text_hash, delivery.length) == (None, "", 13)
    written = on_disk(tmp_path)
    assert b"correct horse" not in written
    assert text_hash("correct horse").encode() not in written


def test_credentials_in_a_text_do_not_reach_the_disk(tmp_path: Path) -> None:
    text = "use sk-ant-api03-AbCdEfGhIjKlMnOp and go on"
    delivery, _ = using(tmp_path / "deliveries.db", lambda store: begin(store, text=text))
    assert delivery.text == "use [redacted: API key] and go on"
    assert delivery.text_hash == text_hash(text)
    assert b"AbCdEfGhIjKlMnOp" not in on_disk(tmp_path)


def test_every_commit_is_synced_to_the_disk(tmp_path: Path) -> None:
    async def pragmas(store: Store) -> list[object]:
        return await store._run(
            lambda tx: [pragma(tx.connection, name) for name in ("synchronous", "journal_mode")], rows=False
        )

    assert using(tmp_path / "deliveries.db", pragmas) == [2, "wal"]


def test_the_file_and_its_directory_are_private(tmp_path: Path) -> None:
    path = tmp_path / "state" / "deliveries.db"
    using(path, begin)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600


def test_old_rows_go_when_the_store_is_opened(tmp_path: Path) -> None:
    async def two_old_ones(store: Store) -> None:
        for name in ("old", "old and open", "young"):
            delivery, _ = await begin(store, name)
            if name != "old and open":
                await store.finish(delivery.id, RECEIPT)

    path = tmp_path / "deliveries.db"
    using(path, two_old_ones)
    raw(path, "UPDATE deliveries SET created_at = '2001-01-01T00:00:00.000+00:00' WHERE message_id LIKE 'old%'")
    left = using(path, lambda store: store.recent())
    assert [delivery.message_id for delivery in left] == ["young"]


def test_rows_beyond_the_limit_go_except_open_ones_of_today(tmp_path: Path) -> None:
    async def three(store: Store) -> None:
        await begin(store, "open")
        await store.finish((await begin(store, "done"))[0].id, RECEIPT)
        await begin(store, "last")

    path = tmp_path / "deliveries.db"
    using(path, three)
    raw(path, "UPDATE deliveries SET id = ? WHERE message_id = 'last'", KEEP_ROWS + 100)
    left = using(path, lambda store: store.recent())
    assert [delivery.message_id for delivery in left] == ["last", "open"]


def refusal(path: Path) -> StoreError:
    with pytest.raises(StoreError) as caught:
        Store.open(path)
    assert str(path) in caught.value.message
    assert caught.value.code is Code.STORE_ERROR
    return caught.value


def test_a_file_that_is_no_database_is_refused_with_the_way_back(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    path.write_bytes(b"not a database at all, but long enough to look like one" * 100)
    assert f"mv {path}" in refusal(path).hint


def test_a_damaged_file_is_refused_with_the_way_back(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    using(path, lambda store: begin(store, "m1"))
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + os.urandom(len(whole) - 4096))
    with pytest.raises(StoreError, match="malformed") as caught:
        using(path, lambda store: begin(store, "m1"))
    assert "damaged" in caught.value.hint


def test_a_store_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    using(path, begin)
    raw(path, f"PRAGMA user_version = {SCHEMA + 1}")
    error = refusal(path)
    assert f"schema {SCHEMA + 1}" in error.message
    assert "upgrade" in error.hint
    assert raw(path, "SELECT count(*) FROM deliveries") == [(1,)]


def test_a_directory_that_cannot_be_written_is_refused_with_the_way_out() -> None:
    assert "PANEWARD_STATE_DIR" in refusal(Path("/proc/paneward/deliveries.db")).hint


async def fill(store: Store) -> None:
    for _ in range(50):
        await begin(store, text="x" * 10_000)


def test_a_full_disk_is_a_clear_error_and_the_store_lives_on(tmp_path: Path) -> None:
    async def work(store: Store) -> str:
        await store._run(lambda tx: tx.connection.exec_driver_sql("PRAGMA max_page_count=80"))
        with pytest.raises(StoreError, match="full") as caught:
            await fill(store)
        assert await store.recent(1)
        return caught.value.hint

    assert "free some space" in using(tmp_path / "deliveries.db", work)


def test_a_store_that_another_process_locked_says_who_to_look_for(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"

    async def work(store: Store) -> str:
        await store._run(lambda tx: tx.connection.exec_driver_sql("PRAGMA busy_timeout=1"))
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        try:
            with pytest.raises(StoreError, match="locked") as caught:
                await begin(store)
        finally:
            holder.close()
        return caught.value.hint

    assert f"fuser {path}" in using(path, work)


def test_what_only_names_the_store_does_not_pay_for_the_database_library() -> None:
    code = "import sys, paneward.app; print('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
