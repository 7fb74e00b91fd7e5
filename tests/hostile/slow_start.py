"""A program that throws away everything typed while it loads, with or without its prompt in view.

`--silently`: with its prompt in view and nothing that tells of it. `--drops`: until it has thrown away so many texts.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import SPINNER, Console
from tests.hostile.terminal import monotonic, parser

MOMENT = 0.5


def load(console: Console, seconds: float, prompt_in_view: bool, silently: bool, drops: int = 0) -> None:
    """Read and discard until the time is up, or until `drops` texts were thrown away and a moment has passed."""
    prompt = console.prompt
    until = float("inf") if drops else monotonic() + seconds
    frame = thrown = 0
    while (left := until - monotonic()) > 0:
        wheel = [] if silently else [f"{SPINNER[frame % len(SPINNER)]} Loading..."]
        console.above = wheel if prompt_in_view else ["Loading..."]
        console.prompt = prompt if prompt_in_view else ""
        console.paint()
        if dropped := console.tty.read(min(left, 0.1)):
            console.log.write("dropped", bytes=len(dropped))
            thrown += dropped.strip(b"\x7f") != b""
            if drops and thrown >= drops:
                until = monotonic() + MOMENT
        frame += 1
    console.above, console.prompt = [], prompt


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seconds", type=float, default=2.0)
    options.add_argument("--drop-visible", action="store_true", help="show the prompt while loading")
    options.add_argument("--silently", action="store_true", help="show the prompt and nothing else while loading")
    options.add_argument("--drops", type=int, default=0, help="load until so many texts were thrown away")
    chosen = options.parse_args()
    with Console(chosen) as console:
        with suppress(EOFError):
            load(console, chosen.seconds, chosen.drop_visible or chosen.silently, chosen.silently, chosen.drops)
        for key in console.typed():
            console.take(key)


if __name__ == "__main__":
    main()
