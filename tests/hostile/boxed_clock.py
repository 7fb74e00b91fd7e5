"""A full-screen program that draws everything anew ten times a second: a clock, and a box in the middle of the screen.

The cursor is hidden and no other is drawn: only the frame and the glyph in it tell where input goes. While it works a
wheel turns below the box, and what is typed is thrown away: at first for `--works` seconds, and after each text.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.alt_clock import clock_line
from tests.hostile.console import SPINNER, Console
from tests.hostile.terminal import cells, monotonic, parser

MARGIN = 3  # columns beside the box
AROUND = 9  # rows of the screen that are not for the text in the box
FRAME = 0.1


class Box(Console):
    """A framed box, with what was said above it and what is done below it."""

    def __init__(self, options: argparse.Namespace, hint: str) -> None:
        super().__init__(options, prompt="❯ ", alternate=True)
        self.frame_every = FRAME
        self.wheel = -1
        self.hint = hint

    def __enter__(self) -> Box:
        super().__enter__()
        self.tty.write("\x1b[?25l")
        return self

    def paint(self) -> None:
        columns, height = self.tty.size()
        inside = columns - 2 * MARGIN - 4
        rows = self._box(inside + 1).rows[-max(1, height - AROUND) :]
        if self.hint and not self.text:
            rows = [f"{rows[0]}\x1b[2m{self.hint}\x1b[0m"]
        side = " " * MARGIN
        framed = [f"{side}│ {row}{' ' * max(0, inside - cells(row))} │" for row in rows]
        edge = "─" * (inside + 2)
        box = [f"{side}╭{edge}╮", *framed, f"{side}╰{edge}╯"]
        status = f"{side}{SPINNER[self.wheel % len(SPINNER)]} Thinking" if self.wheel >= 0 else f"{side}idle"
        foot = [status, "", f"{side}enter send · ctrl+c quit"]
        room = max(0, height - 2 - len(box) - len(foot) - 2)
        said = self.transcript[-room:] if room else []
        screen = [clock_line(columns), "", *said, *[""] * ((room - len(said)) // 2), *box, *foot]
        self.tty.write("\x1b[H" + "\r\n".join(f"\x1b[2K{row}" for row in screen[:height]) + "\x1b[J")

    def work(self, seconds: float) -> None:
        """Turn the wheel, and throw away what is typed."""
        until = monotonic() + seconds
        while (left := until - monotonic()) > 0:
            self.wheel += 1
            self.paint()
            if dropped := self.tty.read(min(left, FRAME)):
                self.log.write("dropped", bytes=len(dropped))
        self.wheel = -1
        self.paint()


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--works", type=float, default=1.5)
    options.add_argument("--hint", default="", help="dim words in the empty box")
    chosen = options.parse_args()
    with Box(chosen, chosen.hint) as console, suppress(EOFError):
        console.work(chosen.works)
        for key in console.typed():
            console.take(key)
            if key.name == "Enter":
                console.work(chosen.works)
                console.log.write("idle")


if __name__ == "__main__":
    main()
