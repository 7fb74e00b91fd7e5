"""A program that stops for seconds in the middle of a line that looks like a prompt, goes on, and then asks.

It does not read while it prints; what was typed by then is thrown away, as a program does that sets up its terminal.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import parser


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seconds", type=float, default=3.0)
    options.add_argument("--half", default="Downloading: 50%", help="the part of the line before the pause")
    chosen = options.parse_args()
    for number in range(1, 9):
        print(f"Get:{number} package-{number}.tar.gz", flush=True)
    print(chosen.half, end="", flush=True)
    time.sleep(chosen.seconds)
    print(" ... 100%, done.\nEverything is up to date.", flush=True)
    with Console(chosen) as console:
        for key in console.typed():
            console.take(key)


if __name__ == "__main__":
    main()
