"""A box that shows a long paste as a placeholder and submits it whole."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console, Held
from tests.hostile.terminal import Key, parser

FIRST_HOLDER = 0x100000  # a private-use character of the box's text stands for each paste


def take_paste(console: Console, key: Key) -> None:
    lines = key.text.count("\n")
    if len(key.text) <= 200 and lines < 2:
        console.take(key)
        return
    number = len(console.held) + 1
    holder = chr(FIRST_HOLDER + number)
    console.held[holder] = Held(f"[Pasted text #{number} +{lines} lines]", key.text)
    console.insert(holder, key.at)


def main() -> None:
    with Console(parser(__doc__).parse_args()) as console:
        for key in console.typed():
            if key.name == "paste":
                take_paste(console, key)
            else:
                console.take(key)


if __name__ == "__main__":
    main()
