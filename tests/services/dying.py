"""A store whose server is killed at a chosen write, and a pane at whose keys it is: right before, or right after."""

import asyncio
from collections.abc import Callable
from typing import Any

from paneward.core.terminal.scene import Snapshot
from paneward.store import Store
from paneward.testing import CURSOR, FakeClock, FakeTmux, snapshot

LABELS = ("Red", "Green", "Blue")
WRITES = (
    *("begin", "mark", "finish", "append", "adopt", "save", "take_turn", "upgrade", "forget"),
    *("take", "amend_turn"),
)


class Killed(BaseException):
    """No code runs after it but that of a test."""


class DyingStore:
    """`at` counts the writes; `after` says on which side of that write the end comes."""

    def __init__(self, store: Store, at: int, after: bool) -> None:
        self._store = store
        self._left = at
        self._after = after
        self.dead = False

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        return self._dying(found) if name in WRITES else found

    def _dying(self, write: Callable[..., Any]) -> Callable[..., Any]:
        async def act(*args: Any, **named: Any) -> Any:
            self._left -= 1
            if self.dead or (self._left == 0 and not self._after):
                self.dead = True
                raise Killed
            result = await write(*args, **named)
            if self._left == 0:
                self.dead = True
                raise Killed
            return result

        return act


class Pane(FakeTmux):
    """The box, or a menu in its place; somebody may die at one of the keys."""

    def __init__(self) -> None:
        super().__init__(FakeClock())
        self.at: int | None = None  # the highlighted option of the menu that is open
        self.chosen: list[str] = []
        self.left = 0  # keys until the end; none for ever
        self.after = False
        self.typed = asyncio.Event()

    async def look(self, pane: str, history: int = 0) -> Snapshot:
        if self.at is None:
            return await super().look(pane, history)
        rows = [f"{'❯' if number == self.at else ' '} {number + 1}. {label}" for number, label in enumerate(LABELS)]
        return snapshot("\n".join(["Which colour?", "", *rows, "", f"Enter to choose {CURSOR}"]), pid=7)

    async def press(self, pane: str, *keys: str) -> None:
        self._dies(before=True)
        if self.at is None:
            await super().press(pane, *keys)
        else:
            self._walk(keys)
        self._dies(before=False)

    def _walk(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            if key == "Enter" and self.at is not None:
                self.chosen.append(LABELS[self.at])
                self.at = None
            elif self.at is not None:
                self.at = max(0, min(len(LABELS) - 1, self.at + {"Down": 1, "Up": -1}.get(key, 0)))
        self.put(self.text)

    async def type(self, pane: str, text: str, seen: Snapshot | None = None) -> None:
        self._dies(before=True)
        await super().type(pane, text, seen)
        self.typed.set()
        self._dies(before=False)

    def _dies(self, before: bool) -> None:
        if before:
            self.left -= 1
        if self.left == 0 and self.after is not before:
            raise Killed
