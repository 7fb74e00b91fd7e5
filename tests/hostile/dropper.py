"""A plain box that goes away in the middle of what is sent: it exits, or is killed, after so many bytes of input."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import parser


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--after-bytes", type=int, default=100)
    options.add_argument("--how", choices=("exit", "kill"), default="exit")
    chosen = options.parse_args()
    with Console(chosen) as console:
        console.tty.most = chosen.after_bytes  # so that it goes right there, not at the end of a read
        for key in console.typed():
            if console.received < chosen.after_bytes:
                console.take(key)
            elif chosen.how == "exit":
                return
            else:
                console.log.write("exit", received=console.received, killed=True)
                os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
