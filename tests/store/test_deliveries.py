"""Intents and receipts of deliveries."""

import signal
import subprocess
import sys
from typing import Any

import pytest

from paneward.core.errors import Code, StoreError
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.flow import Phase
from paneward.store import BEHIND, KEEP_TEXT, Delivery, Store, text_hash
from tests.store.conftest import Place, using

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


async def begin(
    store: Store, message_id: str | None = None, text: str = "fix it", **more: bool
) -> tuple[Delivery, bool]:
    secret = more.get("secret", False)
    return await store.begin(message_id=message_id, tmux="socket", pane="%3", pane_pid=7, text=text, secret=secret)


def test_a_delivery_is_written_down_before_it_is_typed(place: Place) -> None:
    first, fresh = using(place, lambda store: begin(store, "m1"))
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
    assert using(place, lambda store: store.find("m1")) == first


def test_a_known_message_id_brings_back_the_first_row_and_its_receipt(place: Place) -> None:
    async def first(store: Store) -> Delivery:
        delivery, _ = await begin(store, "m1")
        await store.finish(delivery.id, RECEIPT)
        return delivery

    before = using(place, first)
    again, fresh = using(place, lambda store: begin(store, "m1", text="something else"))
    assert not fresh
    assert (again.id, again.text_hash, again.phase) == (before.id, before.text_hash, Phase.DONE)
    assert again.receipt == RECEIPT


def test_deliveries_without_a_message_id_are_all_fresh(place: Place) -> None:
    async def work(store: Store) -> list[bool]:
        return [(await begin(store))[1] for _ in range(3)]

    assert using(place, work) == [True, True, True]


async def record(store: Store, text: str = "fix it") -> None:
    await store.record(tmux="socket", pane="%3", pane_pid=7, text=text, secret=False, receipt=RECEIPT)


def test_what_is_recorded_behind_the_caller_is_there_for_whoever_asks_next(place: Place) -> None:
    async def work(store: Store) -> list[Delivery]:
        for number in range(BEHIND + 20):
            await record(store, str(number))
        return await store.recent(limit=BEHIND + 100)

    found = using(place, work)
    assert [row.text for row in reversed(found)] == [str(number) for number in range(BEHIND + 20)]
    assert {(row.phase, row.receipt) for row in found} == {(Phase.DONE, RECEIPT)}


def test_a_failed_receipt_comes_back_as_it_was_but_for_its_secrets(place: Place) -> None:
    async def work(store: Store) -> SendResult | None:
        delivery, _ = await begin(store, "m1")
        await store.finish(delivery.id, FAILURE)
        found = await store.find("m1")
        return found.receipt if found else None

    receipt = using(place, work)
    assert receipt is not None
    assert receipt.error_type is Code.SEND_FAILED
    assert receipt.dump == "$ export API_KEY=[redacted: secret]"


def test_each_phase_is_kept(place: Place) -> None:
    async def work(store: Store) -> list[Phase]:
        delivery, _ = await begin(store, "m1")
        seen = []
        for phase in (Phase.TYPED, Phase.SUBMITTING):
            await store.mark(delivery.id, phase)
            found = await store.find("m1")
            assert found is not None
            seen.append(found.phase)
        return seen

    assert using(place, work) == [Phase.TYPED, Phase.SUBMITTING]


@pytest.mark.parametrize("text", ["\udc80 lone", "nul \x00 inside", "🧪" * 3, "x" * 200_000])
def test_any_text_can_be_written_down(place: Place, text: str) -> None:
    delivery, _ = using(place, lambda store: begin(store, "m1", text=text))
    assert delivery.length == len(text)
    assert len(delivery.text or "") <= KEEP_TEXT + 1


@pytest.mark.parametrize("name", ["\udc80 lone", "nul \x00 inside", "🧪 quote ' and :pane and ?"])
def test_what_has_a_name_of_any_text_is_found_by_it(place: Place, name: str) -> None:
    """Rows are written without SQLAlchemy, where that is quicker, and looked for by it."""

    async def work(store: Store) -> None:
        given: dict[str, Any] = {"message_id": name, "tmux": name, "pane": name, "pane_pid": 1}
        delivery, fresh = await store.begin(**given, text="t", secret=False)
        again, also_fresh = await store.begin(**given, text="t", secret=False)
        assert (fresh, also_fresh, again.id) == (True, False, delivery.id)
        assert [one.id for one in await store.recent(pane=name)] == [delivery.id]

    using(place, work)


def test_recent_deliveries_come_newest_first_and_by_pane(place: Place) -> None:
    async def work(store: Store) -> tuple[list[str | None], list[str | None]]:
        for name, pane in [("a", "%1"), ("b", "%2"), ("c", "%1")]:
            await store.begin(message_id=name, tmux="s", pane=pane, pane_pid=1, text="t", secret=False)
        both, one = await store.recent(limit=2), await store.recent(pane="%1")
        return [d.message_id for d in both], [d.message_id for d in one]

    assert using(place, work) == (["c", "b"], ["c", "a"])


def test_an_unknown_message_id_or_row_is_told(place: Place) -> None:
    assert using(place, lambda store: store.find("nobody")) is None
    with pytest.raises(StoreError, match="there is no delivery '99'"):
        using(place, lambda store: store.mark("99", Phase.TYPED))


RACER = """
import asyncio, sys
from paneward.store import Store

async def main():
    print("ready", flush=True)
    sys.stdin.readline()
    store = Store.open(sys.argv[1])
    wins = 0
    for n in range(30):
        place = {"tmux": "s", "pane": "%1", "pane_pid": 1}
        _, fresh = await store.begin(message_id=f"m{n}", text=f"by {sys.argv[2]}", secret=False, **place)
        wins += fresh
    await store.close()
    print(wins, flush=True)

asyncio.run(main())
"""


def test_of_processes_that_race_with_one_message_id_exactly_one_is_first(place: Place) -> None:
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(place), str(number)],
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
    rows = using(place, lambda store: store.recent(limit=100))
    assert len({row.message_id for row in rows}) == len(rows) == 30


def _started(racers: list[subprocess.Popen[str]]) -> list[subprocess.Popen[str]]:
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    return racers


KILLED = """
import asyncio, os, signal, sys
from paneward.store import Phase, Store

async def main():
    store = Store.open(sys.argv[1])
    delivery, _ = await store.begin(message_id="m1", tmux="s", pane="%1", pane_pid=1, text="t", secret=False)
    await store.mark(delivery.id, Phase.SUBMITTING)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def test_what_was_awaited_is_there_after_kill_nine(place: Place) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(place)], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    found = using(place, lambda store: store.find("m1"))
    assert found is not None
    assert found.phase is Phase.SUBMITTING
