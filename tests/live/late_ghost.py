"""A box that answers the first Enter with a suggestion instead of taking the text; Escape takes the suggestion away."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.ghost import MORE, take
from tests.hostile.terminal import parser


def main() -> None:
    with Console(parser(__doc__).parse_args(), escape_wait=0.1) as console:
        offered = False
        for key in console.typed():
            if key.name == "Enter" and not offered:
                offered, console.ghost = True, MORE
                console.log.write("key", key="Enter", offered=MORE)
            elif key.name in ("text", "paste", "tick"):
                console.take(key)
            else:
                take(console, key)


if __name__ == "__main__":
    main()
