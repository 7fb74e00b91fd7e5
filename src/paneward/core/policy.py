"""How much is too much: a machine, fed with the time."""

from dataclasses import dataclass, field

BURST = 2.0  # seconds of the rate that may be used at once
KNOWN = 1000  # names whose use is remembered


@dataclass(slots=True)
class Allowance:
    """So many a second for each name, with a reserve for a burst. The name of an unused allowance is forgotten."""

    rate: float
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)  # name -> what is left, and when that was

    @property
    def reserve(self) -> float:
        return max(1.0, self.rate * BURST)

    def take(self, name: str, now: float) -> float:
        """0 where one is left, which is taken; else the seconds until there is one."""
        left, at = self._left.pop(name, (self.reserve, now))
        left = min(self.reserve, left + (now - at) * self.rate)
        wait = 0.0 if left >= 1 else (1 - left) / self.rate
        self._left[name] = (left if wait else left - 1, now)
        if len(self._left) > KNOWN:
            del self._left[next(iter(self._left))]
        return wait
