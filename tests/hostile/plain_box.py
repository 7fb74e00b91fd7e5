"""A well-behaved input box: echo, several lines by paste, Enter submits, the transcript above."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import parser


def main() -> None:
    with Console(parser(__doc__).parse_args()) as console:
        for key in console.typed():
            console.take(key)


if __name__ == "__main__":
    main()
