"""A box whose keys are read at once by a thread, and come to the box seconds later: its terminal looks as if what was
typed had been dropped.

`--hidden`: nothing of what was typed is ever shown. `--prompt`: what stands before it.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import Tty, monotonic, parser


class LateTty(Tty):
    """A terminal whose bytes are handed over `lag` seconds after they were read."""

    def __init__(self, columns: int | None, lag: float) -> None:
        super().__init__(columns)
        self._lag = lag
        self._read: queue.Queue[tuple[float, bytes]] = queue.Queue()

    def __enter__(self) -> LateTty:
        super().__enter__()
        threading.Thread(target=self._collect, daemon=True).start()
        return self

    def _collect(self) -> None:
        data = b"-"
        while data:
            try:
                data = os.read(0, self.most)
            except OSError:
                data = b""
            self._read.put((monotonic(), data))

    def read(self, timeout: float | None) -> bytes:
        try:
            at, data = self._read.get(timeout=timeout)
        except queue.Empty:
            return b""
        if not data:
            raise EOFError
        threading.Event().wait(max(0.0, at + self._lag - monotonic()))
        return data


class Late(Console):
    """`hidden`: an empty box is painted, whatever stands in it."""

    hidden = False

    def paint(self) -> None:
        text, cursor = self.text, self.cursor
        if self.hidden:
            self.text, self.cursor = "", 0
        super().paint()
        self.text, self.cursor = text, cursor


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seconds", type=float, default=4.0)
    options.add_argument("--hidden", action="store_true")
    options.add_argument("--prompt", default="> ")
    chosen = options.parse_args()
    console = Late(chosen, prompt=chosen.prompt)
    console.hidden = chosen.hidden
    console.tty = LateTty(chosen.columns, 0.0 if chosen.hidden else chosen.seconds)
    with console, suppress(EOFError):
        for key in console.typed():
            console.take(key)
            if key.name in ("text", "paste"):
                console.log.write("holds", text=console.whole())


if __name__ == "__main__":
    main()
