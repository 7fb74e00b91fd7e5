"""A plain box in which a human's draft already stands; with `--gone-after` the human erases it after a while."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import monotonic, parser


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--draft", default="a thought the operator has not fini")
    options.add_argument("--gone-after", type=float, help="seconds until the human erases the draft")
    chosen = options.parse_args()
    with Console(chosen) as console:
        console.text, console.cursor = chosen.draft, len(chosen.draft)
        gone_at = None if chosen.gone_after is None else monotonic() + chosen.gone_after
        console.frame_every = chosen.gone_after
        for key in console.typed():
            if gone_at is not None and key.at >= gone_at:
                console.log.write("draft_erased", text=console.text)
                console.text, console.cursor, console.frame_every, gone_at = "", 0, None, None
            console.take(key)


if __name__ == "__main__":
    main()
