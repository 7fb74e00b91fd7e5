"""A program that prints 300 kB and then asks."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import parser


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--bytes", type=int, default=300_000)
    chosen = options.parse_args()
    written = number = 0
    while written < chosen.bytes:
        number += 1
        written += 1 + len(line := f"{number:06d} compiling module {number * 7919 % 10007} > out.o 100%")
        print(line)
    with Console(chosen) as console:
        for key in console.typed():
            console.take(key)


if __name__ == "__main__":
    main()
