"""Which markers of the output stand on the page, and which may only be drawn again. A machine.

The output of a program that clears the screen or moves upwards holds markers of two kinds: those that it says, and
those that it draws again. What stood where the cursor goes back to may be drawn again: it is a ghost. A marker that
repeats a ghost, below the same words, is that one. Any other marker is new, whatever happened to the screen before.
"""

from collections import Counter
from typing import Final

from paneward.core.signals.memory import Known, alike

MOST: Final = 1000  # markers of a page, and as many ghosts, that are remembered


class Page:
    def __init__(self) -> None:
        self._standing: list[tuple[int, Known]] = []  # each with its row, counted from the first that was heard
        self._ghosts: dict[str, list[Known]] = {}  # by name, the oldest first
        self._haunted = 0  # how many ghosts there are
        self._names: Counter[str] = Counter()  # of those that stand there
        self._below: list[tuple[int, Known]] | None = None  # the main screen while the alternate one is shown

    def __bool__(self) -> bool:
        """Something stands on it, or did."""
        return bool(self._standing or self._ghosts or self._below)

    def write(self, row: int, one: Known) -> bool:
        """A marker is written on that row. Whether it is new."""
        ghosts = self._ghosts.get(one.name, [])
        again = next((at for at, ghost in enumerate(ghosts) if alike(ghost, one)), None)
        if again is not None:
            del ghosts[again]
            self._haunted -= 1
            if not ghosts:
                del self._ghosts[one.name]
        self.place(row, one)
        return again is None

    def place(self, row: int, one: Known) -> None:
        """A marker stands on that row, whoever told of it."""
        if len(self._standing) >= 2 * MOST:
            self._set(self._standing[-MOST:])
        self._standing.append((row, one))
        self._names[one.name] += 1

    def _set(self, standing: list[tuple[int, Known]]) -> None:
        self._standing = standing
        self._names = Counter(one.name for _, one in standing)

    def count(self, one: Known, top: int) -> int:
        """How many of that marker stand on the page from the row `top` on, or stood anywhere and were painted over."""
        standing = [other for row, other in self._standing if row >= top] if self._names[one.name] else []
        below = [other for _, other in self._below or ()]
        return sum(alike(other, one) for other in (*standing, *below, *self._ghosts.get(one.name, ())))

    def rewind(self, row: int) -> None:
        """The cursor goes up to that row."""
        gone: list[Known] = []
        while self._standing and self._standing[-1][0] >= row:
            gone.append(self._standing.pop()[1])
        self._names.subtract(one.name for one in gone)
        self._haunt(gone[::-1])

    def clear(self) -> None:
        """The cursor goes anywhere, or everything is erased."""
        if self._standing:
            self._haunt([one for _, one in self._standing])
            self._set([])

    def enter_alternate(self) -> None:
        if self._below is None:
            self._below = self._standing
            self._set([])

    def leave_alternate(self) -> None:
        """The main screen is as it was; what stood on the other may be drawn there again."""
        if self._below is not None:
            self.clear()
            self._set(self._below)
            self._below = None

    def lay_ghosts(self) -> None:
        """Nothing of what stood here will be drawn again."""
        self._ghosts.clear()
        self._haunted = 0

    def _haunt(self, gone: list[Known]) -> None:
        for one in gone:
            self._ghosts.setdefault(one.name, []).append(one)
        self._haunted += len(gone)
        while self._haunted > MOST:  # the names that were added first are the oldest
            self._haunted -= len(self._ghosts.pop(next(iter(self._ghosts))))
