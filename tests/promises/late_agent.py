"""A demo agent that takes a text, looks idle for a while, and only then begins to work: as coding agents do.

`python late_agent.py demo-agent LOG LATE BUSY`; the second word has it recognised as the demo agent.
"""

import sys
from pathlib import Path

from paneward.demo.agent import RawTerminal, logger, run
from paneward.demo.session import DemoSession


class Late(DemoSession):
    def __init__(self, late: float, busy: float, log: Path) -> None:
        super().__init__("late", busy, 1.0, logger(log))
        self._late = late
        self._taken: tuple[str, float] | None = None

    def _begin(self, text: str, now: float) -> None:
        self._taken = text, now + self._late

    def tick(self, now: float) -> None:
        if self._taken is not None and now >= self._taken[1]:
            (text, _), self._taken = self._taken, None
            super()._begin(text, now)
        super().tick(now)

    def deadline(self, now: float) -> float | None:
        due = [one for one in (super().deadline(now), self._taken and self._taken[1]) if one is not None]
        return min(due, default=None)


if __name__ == "__main__":
    _, _, log, late, busy = sys.argv
    with RawTerminal() as terminal:
        session = Late(float(late), float(busy), Path(log))
        sys.exit(run(session, terminal, logger(Path(log))))
