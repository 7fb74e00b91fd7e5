"""A program that shows a prompt and reads keys in raw mode, as line editors do: `--prompt`, and what it prints first.

Stands in for programs that a bare machine does not have. Enter is answered with a new prompt.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import parser


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--prompt", required=True)
    options.add_argument("--said", default="")
    chosen = options.parse_args()
    if chosen.said:
        print(chosen.said, flush=True)
    with Console(chosen, prompt=chosen.prompt) as console:
        for key in console.typed():
            console.take(key)


if __name__ == "__main__":
    main()
