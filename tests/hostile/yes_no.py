"""A script in a canonical tty that prints something and asks `Continue? [y/N]`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.terminal import Log, parser, read_line


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--loop", action="store_true", help="ask again after each answer")
    options.add_argument("--question", default="Continue? [y/N] ")
    chosen = options.parse_args()
    log = Log(chosen.log)
    print("Reading package lists... Done\nAfter this operation, 12 MB will be used.", flush=True)
    answer = read_line(log, chosen.question, ready=True)
    while answer is not None and chosen.loop:
        print(f"answered {answer!r}", flush=True)
        answer = read_line(log, chosen.question)
    log.write("exit")


if __name__ == "__main__":
    main()
