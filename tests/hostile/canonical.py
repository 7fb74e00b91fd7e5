"""A plain reader of lines on a canonical tty, as `cat` and `read` are, with a prompt or without."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.terminal import Log, parser, read_line


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--prompt", default="> ", help="empty for none")
    chosen = options.parse_args()
    log = Log(chosen.log)
    line = read_line(log, chosen.prompt, ready=True)
    while line is not None:
        print(f"got {len(line)} characters", flush=True)
        line = read_line(log, chosen.prompt)
    log.write("exit")


if __name__ == "__main__":
    main()
