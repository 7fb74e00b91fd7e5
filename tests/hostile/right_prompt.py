"""A line editor with a coloured prompt and something at the right edge of the same row: a branch or a clock."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import parser


def right_side(kind: str) -> str:
    text = f"{datetime.now(UTC):%H:%M:%S}" if kind == "clock" else "on main ✓"
    return f"\x1b[35m{text}\x1b[0m"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--right", choices=("branch", "clock"), default="branch")
    chosen = options.parse_args()
    with Console(chosen, prompt="\x1b[1;32m❯\x1b[0m ") as console:
        console.said_by = console.prompt
        console.frame_every = 0.5 if chosen.right == "clock" else None
        console.right = right_side(chosen.right)
        for key in console.typed():
            console.right = right_side(chosen.right)
            console.take(key)


if __name__ == "__main__":
    main()
