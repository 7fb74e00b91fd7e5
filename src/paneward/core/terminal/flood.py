"""Does a pane print more than is worth reading? A machine, fed how much was printed and the time.

What is above `RATE` for `LASTS` seconds is a flood, and is to be held back. How much a pane that is held back would
print nobody can measure, and its screen does not tell (`yes` shows the same one all the time). So every `SAMPLE`
seconds it is let on for a trial: as soon as too much comes it is held back again, else it is calm.
"""

from enum import Enum, auto
from typing import Final

# Bytes a second. tmux writes all that is heard once more, escaped: from some megabytes on that slows the program down.
# No agent prints as much; what does is a log that nobody reads at that pace.
RATE: Final = 1e6
LASTS: Final = 1.0  # seconds that are read whole: a long diff or the log of a short build is no flood
LEVEL: Final = RATE / 4  # bytes that one piece counts at most: one burst begins no flood, and a short stall ends none
SAMPLE: Final = 0.25  # seconds between trials: a screen that moves, and a prompt behind the flood that is seen soon
TRIAL: Final = 0.05  # seconds, in which 50 kB are too much: about one read of what tmux sends


class Flow(Enum):
    """What becomes of the output of a pane."""

    FOLLOWED = auto()  # all of it is read
    HELD = auto()  # none of it is sent
    TRIED = auto()  # it is sent, to see how much it is


class Flood:
    def __init__(self) -> None:
        self.flow = Flow.FOLLOWED
        self._level = 0.0  # bytes above what the rate allows; in a trial, all of them
        self._at = 0.0  # when that was so
        self._since = 0.0  # when it began to be above

    def feed(self, size: int, now: float) -> bool:
        """So much was printed. True: it is to be held back, from now on."""
        if self.flow is Flow.TRIED:
            self._level += size
            flooding = self._level > RATE * TRIAL
        else:  # what comes while it is held back was on its way
            flooding = self.flow is Flow.FOLLOWED and self._pour(size, now)
        if flooding:
            self.flow = Flow.HELD
        return flooding

    def _pour(self, size: int, now: float) -> bool:
        left = self._level - RATE * (now - self._at)
        if left <= 0:
            left, self._since = 0.0, now
        self._level, self._at = min(left + size, LEVEL), now
        return now - self._since >= LASTS

    def begin_trial(self) -> None:
        """What was held back is sent again."""
        self.flow, self._level = Flow.TRIED, 0.0

    def end_trial(self) -> bool:
        """All that was printed during the trial was fed. True: it is calm."""
        calm = self.flow is Flow.TRIED
        if calm:
            self.flow, self._level = Flow.FOLLOWED, 0.0
        return calm
