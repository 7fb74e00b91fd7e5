"""A box, always in view, that queues what is entered while the spinner runs and executes it afterwards.

An Enter while busy logs `queued`; the text is logged as submitted when its turn comes. With `--type-ahead` keys are
kept unseen until the work is over, as a shell does with what is typed while a command runs.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.busy import Work, arguments, working_keys
from tests.hostile.console import Console
from tests.hostile.terminal import Key, monotonic


class Queue:
    """Takes keys while there is work and plays them back when it is over."""

    def __init__(self, console: Console, work: Work, seconds: float, type_ahead: bool) -> None:
        self._console, self._work, self._seconds = console, work, seconds
        self._type_ahead = type_ahead
        self._texts: list[str] = []
        self._keys: list[Key] = []

    def lines(self) -> list[str]:
        return [f"\x1b[2m  queued: {text.splitlines()[0][:40]}\x1b[0m" for text in self._texts]

    def take(self, key: Key) -> None:
        if not self._work.busy(key.at):
            self._play(key.at)
        if self._work.busy(key.at) and key.name != "tick":
            self._hold(key)
        else:
            self._execute(key)

    def _hold(self, key: Key) -> None:
        if self._type_ahead:
            self._keys.append(key)
        elif key.name == "Enter" and self._console.text:
            self._texts.append(self._console.whole())
            self._console.log.write("queued", text=self._texts[-1])
            self._console.text, self._console.cursor = "", 0
        else:
            self._console.take(key)

    def _play(self, now: float) -> None:
        """Execute what waited, up to the next submit."""
        if self._texts:
            self._submit(self._texts.pop(0), now)
        while self._keys and not self._work.busy(now):
            key = self._keys.pop(0)
            self._execute(Key(key.name, key.text, now))

    def _execute(self, key: Key) -> None:
        submitted = key.name == "Enter" and self._console.text
        self._console.take(key)
        if submitted:
            self._work.begin(key.at, self._seconds)

    def _submit(self, text: str, now: float) -> None:
        self._console.log.write("submit", text=text)
        self._console.say(self._console.said_by, text)
        self._work.begin(now, self._seconds)


def main() -> None:
    chosen = arguments(__doc__)
    work = Work()
    with Console(chosen) as console:
        queue = Queue(console, work, chosen.work_seconds, chosen.type_ahead)
        work.begin(monotonic(), chosen.start_seconds)
        for key in working_keys(console, work, queue.lines):
            queue.take(key)


if __name__ == "__main__":
    main()
