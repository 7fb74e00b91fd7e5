"""A box that ignores an Enter which comes too soon after the text."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import parser


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--early-ms", type=float, default=100)
    chosen = options.parse_args()
    with Console(chosen) as console:
        for key in console.typed():
            if key.name == "Enter" and key.at - console.typed_at < chosen.early_ms / 1000:
                console.log.write("swallowed")
            else:
                console.take(key)


if __name__ == "__main__":
    main()
