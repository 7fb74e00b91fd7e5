"""Intents and receipts on disk, with real files and real processes."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from paneward.core.errors import Code, StoreError
from paneward.core.flow import Phase
from paneward.core.result import Rung, SendResult, Verdict
from paneward.store import BEHIND, KEEP_ROWS, KEEP_TEXT, SCHEMA, Delivery, Store, text_hash
from paneward.store.file import pragma

T = TypeVar("T")

RECEIPT = SendResult(
    Verdict.CONFIRMED,
    Rung.SUBMITTED,
    "the composer is empty again",
    enters=2,
    latency_ms=1.5,
    pane="%3",
    notes=("a note",),
)
FAILURE = SendResult(
    Verdict.FAILED, Rung.RENDERED, "it stands there", error_type=Code.SEND_FAILED, dump="$ export API_KEY=0123456789"
)


def using(path: Path | None, work: Callable[[Store], Awaitable[T]]) -> T:
    async def main() -> T:
        store = Store.open(path)
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(main())


async def begin(
    store: Store, message_id: str | None = None, text: str = "fix it", **more: bool
) -> tuple[Delivery, bool]:
    secret = more.get("secret", False)
    return await store.begin(message_id=message_id, tmux="socket", pane="%3", pane_pid=7, text=text, secret=secret)


def raw(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        with connection:
            return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def test_a_delivery_is_written_down_before_it_is_typed(tmp_path: Path) -> None:
    first, fresh = using(tmp_path / "deliveries.db", lambda store: begin(store, "m1"))
    assert fresh
    assert first == Delivery(
        id="1",
        message_id="m1",
        tmux="socket",
        pane="%3",
        pane_pid=7,
        text="fix it",
        text_hash=text_hash("fix it"),
        length=6,
        phase=Phase.INTENDED,
        receipt=None,
        created_at=first.created_at,
        updated_at=first.created_at,
    )
    assert first.created_at.endswith("+00:00")
    assert using(tmp_path / "deliveries.db", lambda store: store.find("m1")) == first


def test_a_known_message_id_brings_back_the_first_row_and_its_receipt(tmp_path: Path) -> None:
    async def first(store: Store) -> Delivery:
        delivery, _ = await begin(store, "m1")
        await store.finish(delivery.id, RECEIPT)
        return delivery

    path = tmp_path / "deliveries.db"
    before = using(path, first)
    again, fresh = using(path, lambda store: begin(store, "m1", text="something else"))
    assert not fresh
    assert (again.id, again.text_hash, again.phase) == (before.id, before.text_hash, Phase.DONE)
    assert again.receipt == RECEIPT


def test_deliveries_without_a_message_id_are_all_fresh() -> None:
    async def work(store: Store) -> list[bool]:
        return [(await begin(store))[1] for _ in range(3)]

    assert using(None, work) == [True, True, True]


async def record(store: Store, text: str = "fix it") -> None:
    await store.record(tmux="socket", pane="%3", pane_pid=7, text=text, secret=False, receipt=RECEIPT)


def test_what_is_recorded_behind_the_caller_is_there_for_whoever_asks_next(tmp_path: Path) -> None:
    async def work(store: Store) -> list[Delivery]:
        for number in range(BEHIND + 20):
            await record(store, str(number))
        return await store.recent(limit=BEHIND + 100)

    found = using(tmp_path / "a.db", work)
    assert [row.text for row in reversed(found)] == [str(number) for number in range(BEHIND + 20)]
    assert {(row.phase, row.receipt) for row in found} == {(Phase.DONE, RECEIPT)}


def test_what_was_recorded_last_is_on_the_disk_when_the_store_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    using(path, record)
    assert raw(path, "select text, phase from deliveries") == [("fix it", "done")]


def test_a_failed_receipt_comes_back_as_it_was_but_for_its_secrets() -> None:
    async def work(store: Store) -> SendResult | None:
        delivery, _ = await begin(store, "m1")
        await store.finish(delivery.id, FAILURE)
        found = await store.find("m1")
        return found.receipt if found else None

    receipt = using(None, work)
    assert receipt is not None
    assert receipt.error_type is Code.SEND_FAILED
    assert receipt.dump == "$ export API_KEY=[redacted: secret]"


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


def test_each_phase_is_kept() -> None:
    async def work(store: Store) -> list[Phase]:
        delivery, _ = await begin(store, "m1")
        seen = []
        for phase in (Phase.TYPED, Phase.SUBMITTING):
            await store.mark(delivery.id, phase)
            found = await store.find("m1")
            assert found is not None
            seen.append(found.phase)
        return seen

    assert using(None, work) == [Phase.TYPED, Phase.SUBMITTING]


def test_of_a_secret_only_the_length_reaches_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    delivery, _ = using(path, lambda store: begin(store, "m1", text="correct horse", secret=True))
    assert (delivery.text, delivery.text_hash, delivery.length) == (None, "", 13)
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"correct horse" not in written
    assert text_hash("correct horse").encode() not in written


def test_credentials_in_a_text_do_not_reach_the_disk(tmp_path: Path) -> None:
    text = "use sk-ant-api03-AbCdEfGhIjKlMnOp and go on"
    delivery, _ = using(tmp_path / "deliveries.db", lambda store: begin(store, text=text))
    assert delivery.text == "use [redacted: API key] and go on"
    assert delivery.text_hash == text_hash(text)
    assert b"AbCdEfGhIjKlMnOp" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize("text", ["\udc80 lone", "nul \x00 inside", "🧪" * 3, "x" * 200_000])
def test_any_text_can_be_written_down(text: str) -> None:
    delivery, _ = using(None, lambda store: begin(store, "m1", text=text))
    assert delivery.length == len(text)
    assert len(delivery.text or "") <= KEEP_TEXT + 1


def test_recent_deliveries_come_newest_first_and_by_pane() -> None:
    async def work(store: Store) -> tuple[list[str | None], list[str | None]]:
        for name, pane in [("a", "%1"), ("b", "%2"), ("c", "%1")]:
            await store.begin(message_id=name, tmux="s", pane=pane, pane_pid=1, text="t", secret=False)
        both, one = await store.recent(limit=2), await store.recent(pane="%1")
        return [d.message_id for d in both], [d.message_id for d in one]

    assert using(None, work) == (["c", "b"], ["c", "a"])


def test_an_unknown_message_id_or_row_is_told(tmp_path: Path) -> None:
    assert using(None, lambda store: store.find("nobody")) is None
    with pytest.raises(StoreError, match="there is no delivery '99'"):
        using(None, lambda store: store.mark("99", Phase.TYPED))


RACER = """
import asyncio, sys
from pathlib import Path
from paneward.store import Store

async def main():
    print("ready", flush=True)
    sys.stdin.readline()
    store = Store.open(Path(sys.argv[1]))
    wins = 0
    for n in range(30):
        place = {"tmux": "s", "pane": "%1", "pane_pid": 1}
        _, fresh = await store.begin(message_id=f"m{n}", text=f"by {sys.argv[2]}", secret=False, **place)
        wins += fresh
    await store.close()
    print(wins, flush=True)

asyncio.run(main())
"""


def test_of_processes_that_race_with_one_message_id_exactly_one_is_first(tmp_path: Path) -> None:
    path = tmp_path / "new" / "deliveries.db"
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(path), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    outputs = [racer.communicate(timeout=60)[0] for racer in _started(racers)]
    assert sum(int(output) for output in outputs) == 30
    assert raw(path, "SELECT count(*), count(DISTINCT message_id) FROM deliveries") == [(30, 30)]


def _started(racers: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    return racers


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from paneward.store import Phase, Store

async def main():
    store = Store.open(Path(sys.argv[1]))
    delivery, _ = await store.begin(message_id="m1", tmux="s", pane="%1", pane_pid=1, text="t", secret=False)
    await store.mark(delivery.id, Phase.SUBMITTING)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def test_what_was_awaited_is_there_after_kill_nine(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    found = using(path, lambda store: store.find("m1"))
    assert found is not None
    assert found.phase is Phase.SUBMITTING


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
