"""What is said again and again: a machine, fed with the time. The log of a server that is attacked stays readable."""

from dataclasses import dataclass, field

AT_ONCE = 10  # of one kind are written in a while
WHILE = 60.0  # seconds
KINDS = 500  # that are remembered


@dataclass(slots=True)
class Repeated:
    since: float
    count: int = 0
    left_out: int = 0


@dataclass(slots=True)
class Repetition:
    """Which messages are written. A kind that was left out is written again after a while, with how many there were."""

    at_once: int = AT_ONCE
    seconds: float = WHILE
    _said: dict[str, Repeated] = field(default_factory=dict)

    def hear(self, kind: str, now: float) -> int | None:
        """None: leave it out. Else how many of its kind were left out before it."""
        said = self._said.pop(kind, None)
        before = 0
        if said is None or not 0 <= now - said.since < self.seconds:
            before, said = said.left_out if said else 0, Repeated(now)
        self._said[kind] = said
        if len(self._said) > KINDS:
            del self._said[next(iter(self._said))]
        said.count += 1
        if said.count > self.at_once:
            said.left_out += 1
            return None
        return before
