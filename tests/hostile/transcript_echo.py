"""A box whose transcript repeats what was submitted, with the same prompt, right above the box, and keeps it there."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import parser


def main() -> None:
    with Console(parser(__doc__).parse_args()) as console:
        console.said_by = console.prompt
        for key in console.typed():
            console.take(key)


if __name__ == "__main__":
    main()
