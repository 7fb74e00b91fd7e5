"""The words that went into a pane last, as its receipts tell them."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from paneward.core.readiness.pending import SentWords
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.flow import Phase
from paneward.services.delivery.receipts import left_behind, words_of
from paneward.store import Delivery, Store, newest_delivery, text_hash

SENT = SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "the composer is empty again")
AT = datetime(2026, 11, 17, 12, 0, 0, tzinfo=UTC)
ROW = Delivery("1", None, "here", "%1", 4711, "a text", "", 6, Phase.DONE, SENT, AT.isoformat(), AT.isoformat())


def words(row: Delivery | None, pid: int = 4711) -> SentWords | None:
    return words_of(row, pid, now=100.0, wall=AT.timestamp() + 3.0)


def test_they_are_told_on_the_clock_of_the_looks() -> None:
    assert words(ROW) == SentWords(97.0, "a text", answer=False)
    assert words(replace(ROW, intent="ANSWER", text=None)) == SentWords(97.0, "", answer=True)
    assert words_of(ROW, 4711, 100.0, AT.timestamp() - 60.0) == SentWords(100.0, "a text"), "a clock that was put back"


@pytest.mark.parametrize(
    "row",
    [
        None,
        replace(ROW, pane_pid=1),
        replace(ROW, receipt=replace(SENT, verdict=Verdict.FAILED)),
        replace(ROW, receipt=replace(SENT, rung=Rung.ACTED)),
        replace(ROW, receipt=None, phase=Phase.INTENDED),
    ],
)
def test_what_did_not_go_in_or_was_dealt_with_is_not_waited_for(row: Delivery | None) -> None:
    assert words(row) is None


@pytest.mark.parametrize(
    "row",
    [
        replace(ROW, receipt=replace(SENT, verdict=Verdict.UNCONFIRMED)),
        replace(ROW, receipt=None, phase=Phase.SUBMITTING),
    ],
)
def test_what_may_have_gone_in_is(row: Delivery) -> None:
    assert words(row) is not None


def test_the_newest_is_read_without_the_rest_of_the_store(tmp_path: Path) -> None:
    path = tmp_path / "deliveries.db"
    places = (("here", "%1", "one"), ("here", "%1", "two"), ("here", "%2", "three"), ("there", "%1", "four"))

    async def written() -> Delivery | None:
        store = Store.open(path)
        for tmux, pane, text in places:
            await store.record(tmux=tmux, pane=pane, pane_pid=1, text=text, secret=False, receipt=SENT)
        found = await store.newest("here", "%1")
        assert newest_delivery(path, "here", "%1") == found, "while the store is open"
        await store.close()
        return found

    assert newest_delivery(path, "here", "%1") is None
    found = asyncio.run(written())
    assert found is not None
    assert (found.text, found.receipt) == ("two", SENT)
    assert newest_delivery(path, "here", "%1") == found
    assert newest_delivery(path, "here", "%3") is None
    path.write_bytes(b"no database")
    assert newest_delivery(path, "here", "%1") is None


LOST = SendResult(Verdict.UNCONFIRMED, Rung.TYPED, "tmux did not answer")
TYPED = replace(ROW, text_hash=text_hash("a text"), receipt=LOST)
REFUSED = replace(TYPED, receipt=SendResult(Verdict.FAILED, Rung.NOTHING, "unsent text stands in the composer"))


@pytest.mark.parametrize(
    "rows",
    [
        [TYPED],
        [REFUSED, REFUSED, TYPED],
        [replace(TYPED, tmux="elsewhere", text="b"), TYPED],
        [replace(TYPED, receipt=replace(LOST, verdict=Verdict.FAILED))],
        [replace(TYPED, receipt=None, phase=Phase.INTENDED)],
        [replace(TYPED, receipt=None, phase=Phase.TYPED)],
    ],
)
def test_what_was_typed_and_never_submitted_may_still_stand_there(rows: list[Delivery]) -> None:
    assert left_behind(rows, "here", 4711) == "a text"


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [REFUSED],
        [replace(TYPED, receipt=SENT), TYPED],
        [replace(TYPED, receipt=replace(LOST, enters=1)), TYPED],
        [replace(TYPED, receipt=None, phase=Phase.SUBMITTING)],
        [replace(TYPED, pane_pid=1)],
        [replace(TYPED, tmux="elsewhere")],
        [replace(TYPED, text=None, text_hash="")],
        [replace(TYPED, text="a [redacted]")],
    ],
)
def test_what_was_submitted_or_is_not_known_does_not(rows: list[Delivery]) -> None:
    assert left_behind(rows, "here", 4711) == ""
