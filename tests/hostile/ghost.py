"""A box that suggests how to go on, dim and after the cursor; Enter takes the suggestion instead of submitting.

Escape dismisses it until the text changes. Escape and Enter within 100 ms are one key, Meta-Enter: a newline.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import Key, parser

MORE = " and run the tests again"


def take(console: Console, key: Key) -> None:
    """One key, with the suggestion shown or not."""
    if console.ghost and key.name == "Enter":
        console.log.write("key", key="Enter", accepted=console.ghost)
        console.insert(console.ghost, key.at)
        console.ghost = ""
    elif key.name == "Escape":
        console.log.write("key", key="Escape", dismissed=console.ghost)
        console.ghost = ""
    else:
        console.take(key)
        if key.name in ("text", "paste"):
            console.ghost = MORE
        elif key.name != "tick":
            console.ghost = ""


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--meta-ms", type=float, default=100, help="Escape waits this long for an Enter")
    chosen = options.parse_args()
    with Console(chosen, escape_wait=chosen.meta_ms / 1000) as console:
        for key in console.typed():
            take(console, key)


if __name__ == "__main__":
    main()
