"""The timeline of a store: written down where it is news, read again by whoever opens the store."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from paneward.core.timeline import ClockReading
from paneward.store import KEEP_REPLIES, Store
from paneward.store.rows import timeline as lifetime
from paneward.store.tables import tables
from paneward.store.writer import Transaction
from tests.store.conftest import Place, using

DAY = 86400.0


@dataclass
class Clocks:
    """The clocks of a machine, which only move when they are told to."""

    now: ClockReading = field(default_factory=lambda: ClockReading(datetime.now(UTC).timestamp(), "boot", 1000.0))

    def read(self) -> ClockReading:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now = replace(self.now, wall=self.now.wall + seconds, uptime=self.now.uptime + seconds)

    def set_ahead(self, seconds: float) -> None:
        self.now = replace(self.now, wall=self.now.wall + seconds)


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    found = Clocks()
    monkeypatch.setattr(lifetime, "reading", found.read)
    return found


async def _keep(store: Store) -> None:
    await store.keep_reply("operator", "k", "hash", 200, "{}")


async def _kept(store: Store) -> bool:
    return await store.reply("operator", "k") is not None


def test_a_clock_that_was_moved_while_nobody_looked_makes_nothing_old(place: Place, clocks: Clocks) -> None:
    using(place, _keep)
    for days in (40, -40, -40, 40):
        clocks.set_ahead(days * DAY)
        assert using(place, _kept)


def test_a_reply_is_old_when_its_time_has_really_passed(place: Place, clocks: Clocks) -> None:
    using(place, _keep)
    clocks.set_ahead(40 * DAY)
    clocks.pass_by(KEEP_REPLIES / 2)
    assert using(place, _kept)
    clocks.set_ahead(-40 * DAY)
    clocks.pass_by(KEEP_REPLIES)
    assert not using(place, _kept)


def test_a_move_that_is_taken_back_is_seen_where_the_clock_is_watched(place: Place, clocks: Clocks) -> None:
    """What is stamped 40 days ago, while the clock was wrong for some minutes, is young."""

    async def work(store: Store) -> None:
        def age(tx: Transaction) -> None:
            tx.connection.execute(tables().replies.update().values(at=clocks.now.wall))

        clocks.set_ahead(-40 * DAY)
        await store.watch_clock()
        await _keep(store)
        await store._run(age)  # as the wall says at that moment
        clocks.set_ahead(40 * DAY)
        await store.watch_clock()
        assert await _kept(store)

    using(place, work)
    assert using(place, _kept)


@pytest.mark.parametrize("mark", ["", "no JSON", "[]", "{}", '{"moves": [1], "last": {}}'])
def test_a_mark_that_cannot_be_read_is_made_anew(place: Place, clocks: Clocks, mark: str) -> None:
    async def spoil(store: Store) -> None:
        await _keep(store)
        marks = tables().marks
        await store._run(
            lambda tx: tx.connection.execute(marks.update().where(marks.c.name == "clock").values(mark=mark))
        )

    using(place, spoil)
    assert using(place, _kept)
    assert using(place, lambda store: store.marks()) == {}


def test_nothing_is_written_while_there_is_no_news(place: Place, clocks: Clocks) -> None:
    async def work(store: Store) -> None:
        before = store._writer.timeline
        clocks.pass_by(60)
        await store.watch_clock()
        assert store._writer.timeline is before
        clocks.pass_by(3600)
        await store.watch_clock()
        assert store._writer.timeline.lived == before.lived + 3660

    using(place, work)
