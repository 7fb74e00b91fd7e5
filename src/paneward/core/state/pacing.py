"""How long to sleep before a look at what changes without output: soon at first, then ever later. A machine."""

from typing import Final

SOON: Final = 0.02  # seconds until the first look; doubled each time, up to
RARELY: Final = 1.0  # of an agent whose terminal tells where it stands
HARDLY: Final = 300.0  # of a program that nobody knows: its next output tells most
AT_FIRST: Final = 0.32  # seconds until the first look at one that paints again and again, and nothing else


class Naps:
    def __init__(self) -> None:
        self._nap = self._first = SOON

    def begin(self) -> None:
        """It stands elsewhere now."""
        self._nap = self._first = SOON

    def next(self, quiet: float, told_by_terminal: bool) -> float:
        """The next, when nothing was printed for `quiet` seconds. Where looks between two outputs told nothing, the
        first one after an output is later, too."""
        if quiet >= self._nap:
            self._nap = min(self._nap * 2, RARELY if told_by_terminal else HARDLY)
            return self._nap
        if self._nap > self._first and not told_by_terminal:
            self._first = min(self._first * 2, AT_FIRST)
        self._nap = self._first
        return self._nap
