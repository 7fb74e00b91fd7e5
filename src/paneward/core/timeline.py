"""How old a stored row is, whatever the clock on the wall did meanwhile. Shape: machine, as frozen data.

Rows carry the wall's time, which people read. A clock that was set 40 days ahead makes all of them look old, and one
that was set back makes what is old look new. So a store keeps a timeline: how much time has really passed since it was
first read (the kernel counts that from boot to boot), and when the wall moved by more or less than that. Of the time
between two boots nobody knows how long it was. The wall is believed there up to `UNWITNESSED`.
"""

from dataclasses import dataclass, replace

UNWITNESSED = 12 * 3600.0  # seconds between two boots that are believed: a night, and less than a reply is kept
SLACK = 60.0  # seconds that a clock may be corrected by before it counts as moved
MOST_MOVES = 200  # that are remembered; older ones are put together


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The clocks at one moment."""

    wall: float  # seconds since the epoch
    boot: str = ""  # which start of which machine; empty where that is unknown
    uptime: float = 0.0  # seconds since then


@dataclass(frozen=True, slots=True)
class Move:
    """The wall went another way than the time: ahead by so many seconds, or back by them."""

    lived: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Timeline:
    last: ClockReading
    lived: float = 0.0  # seconds that have passed since the first reading
    drift: float = 0.0  # what the wall went ahead by meanwhile, and is not a move yet
    moves: tuple[Move, ...] = ()

    def observed(self, now: ClockReading) -> "Timeline":
        passed = _passed(self.last, now)
        lived, drift = self.lived + passed, self.drift + now.wall - self.last.wall - passed
        if abs(drift) < SLACK:
            return replace(self, last=now, lived=lived, drift=drift)
        return Timeline(now, lived, 0.0, _bounded((*self.moves, Move(lived, drift))))

    def cutoff(self, age: float) -> float:
        """What is stamped before that has an age of at least `age` seconds, for certain."""
        return self.last.wall - age - max(self._moved(age))

    def at_most(self, stamp: float) -> float:
        """The greatest age that something stamped like that can have."""
        return self.last.wall - stamp - min(self._moved(float("inf")))

    def _moved(self, age: float) -> list[float]:
        """How far the wall moved since each stretch between two moves, of those that are younger than `age`."""
        total, found = 0.0, [0.0]
        for move in reversed(self.moves):
            if self.lived - move.lived >= age:
                break
            total += move.seconds
            found.append(total)
        return found


def _passed(last: ClockReading, now: ClockReading) -> float:
    if now.boot and now.boot == last.boot and now.uptime >= last.uptime:
        return now.uptime - last.uptime
    return min(max(now.wall - last.wall, 0.0), UNWITNESSED)


def _bounded(moves: tuple[Move, ...]) -> tuple[Move, ...]:
    if len(moves) <= MOST_MOVES:
        return moves
    first, second, *rest = moves
    return Move(second.lived, first.seconds + second.seconds), *rest
