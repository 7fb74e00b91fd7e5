"""A store whose server is killed at a chosen write: right before it, or right after it was committed."""

from collections.abc import Callable
from typing import Any

from paneward.store import Store

WRITES = ("begin", "mark", "finish", "append", "adopt", "save", "take_turn", "close_command", "forget")


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
