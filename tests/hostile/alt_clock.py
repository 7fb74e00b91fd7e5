"""A full-screen program: the alternate screen drawn anew ten times a second, a running clock, a box at the bottom."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import parser


def clock_line(columns: int) -> str:
    now = datetime.now(UTC)
    clock = f"{now:%H:%M:%S}.{now.microsecond // 100_000}"
    return f"\x1b[1mall systems\x1b[0m\x1b[{max(1, columns - len(clock))}G\x1b[36m{clock}\x1b[0m"


def main() -> None:
    with Console(parser(__doc__).parse_args(), alternate=True) as console:
        console.frame_every = 0.1
        console.head = clock_line(console.tty.size()[0])
        for key in console.typed():
            console.head = clock_line(console.tty.size()[0])
            console.take(key)


if __name__ == "__main__":
    main()
