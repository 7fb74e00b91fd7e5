"""An editor that trusts only a bracketed paste: any other line end submits at once, and a typed tab completes."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import Key, parser


def main() -> None:
    with Console(parser(__doc__).parse_args()) as console:
        for key in console.typed():
            if key.name == "Tab":
                console.log.write("key", key="Tab", completion=True)
            else:
                console.take(Key("Enter", at=key.at) if key.name == "C-j" else key)


if __name__ == "__main__":
    main()
