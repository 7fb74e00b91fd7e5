"""The timeline of a store: functions on its mark. How old rows are is told by it, never by the wall alone.

It is written down when an hour has passed or the wall has moved, so that opening a store costs one look at a row.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from paneward.core.timeline import ClockReading, Move, Timeline
from paneward.store.rows import marks
from paneward.store.tables import tables

if TYPE_CHECKING:
    import sqlalchemy as sa

MARK = "clock"
WRITTEN_EVERY = 3600.0
BOOT, UPTIME = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/uptime")


def reading() -> ClockReading:
    wall = datetime.now(UTC).timestamp()
    try:
        return ClockReading(wall, BOOT.read_text().strip(), float(UPTIME.read_text().split()[0]))
    except (OSError, ValueError, IndexError):
        return ClockReading(wall)


def observe(connection: sa.Connection) -> Timeline:
    """The timeline up to now; written down where it is time to."""
    known, now = _read(connection), reading()
    timeline = (known or Timeline(_newest(connection, now))).observed(now)
    if known is None or worth_writing(known, timeline):
        marks.set_marks(connection, {MARK: json.dumps(asdict(timeline))})
    return timeline


def worth_writing(known: Timeline, now: Timeline) -> bool:
    return now.moves != known.moves or now.lived - known.lived >= WRITTEN_EVERY


def _read(connection: sa.Connection) -> Timeline | None:
    """None: there is no timeline, or none that can be read."""
    table = tables().marks
    row = connection.execute(table.select().where(table.c.name == MARK)).first()
    try:
        found = json.loads(row.mark) if row else {}
        moves = tuple(Move(**move) for move in found["moves"])
        return Timeline(ClockReading(**found["last"]), found["lived"], found["drift"], moves)
    except (ValueError, TypeError, KeyError):
        return None


def _newest(connection: sa.Connection, now: ClockReading) -> ClockReading:
    """A store without a timeline: it was last used when its newest row was written, by an unknown boot."""
    import sqlalchemy as sa

    of = tables()
    event = connection.execute(sa.select(of.events.c.at).order_by(of.events.c.seq.desc()).limit(1)).scalar()
    rows = of.deliveries.c
    sent = connection.execute(sa.select(rows.updated_at).order_by(rows.id.desc()).limit(1)).scalar()
    stamps = [stamp for stamp in (event, _seconds(sent)) if stamp]
    return ClockReading(max(stamps)) if stamps else now


def _seconds(stamp: str | None) -> float | None:
    try:
        return datetime.fromisoformat(stamp or "").timestamp()
    except ValueError:
        return None
