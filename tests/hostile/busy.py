"""The working phase of the two busy programs: a spinner line above the box, at the start and after each submit."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from tests.hostile.console import SPINNER, Console
from tests.hostile.terminal import Key, monotonic, parser

FRAME = 0.1


class Work:
    """Machine: begun at a time, over at a time, drawn as one line."""

    def __init__(self) -> None:
        self._began, self._until = 0.0, 0.0
        self.idle_said = False

    def begin(self, now: float, seconds: float) -> None:
        self._began, self._until = now, now + seconds
        self.idle_said = False

    def end(self) -> None:
        self._until = 0.0

    def busy(self, now: float) -> bool:
        return now < self._until

    def line(self, now: float) -> str:
        frame = SPINNER[int((now - self._began) / FRAME) % len(SPINNER)]
        return f"\x1b[33m{frame}\x1b[0m Working ({int(now - self._began)}s · esc to interrupt)"


def arguments(description: str | None) -> argparse.Namespace:
    options = parser(description)
    options.add_argument("--start-seconds", type=float, default=2.0, help="busy this long at the start")
    options.add_argument("--work-seconds", type=float, default=1.0, help="busy this long after each submit")
    options.add_argument("--type-ahead", action="store_true", help="queue keys unseen, as a shell does")
    return options.parse_args()


def working_keys(console: Console, work: Work, lines: Callable[[], list[str]] = list) -> Iterator[Key]:
    """The console's keys, with the spinner drawn while there is work; an Escape then interrupts it.

    Logs `ready` when the first work is over, and `idle` after each later one."""
    was_ready = False
    show(console, work, monotonic(), [])
    for key in console.typed(ready=False):
        if key.name == "Escape" and work.busy(key.at):
            console.log.write("key", key="Escape", interrupted=True)
            work.end()
        else:
            yield key
        show(console, work, key.at, lines())
        if not work.busy(key.at) and not work.idle_said:
            console.log.write("idle" if was_ready else "ready")
            was_ready = work.idle_said = True


def show(console: Console, work: Work, now: float, lines: list[str]) -> None:
    busy = work.busy(now)
    console.above = [*([work.line(now)] if busy else []), *lines]
    console.frame_every = FRAME if busy else None
