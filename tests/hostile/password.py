"""A canonical tty with echo off that asks for a password. The log holds it, as proof of what arrived."""

from __future__ import annotations

import sys
import termios
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.terminal import Log, parser, read_line


def main() -> None:
    chosen = parser(__doc__).parse_args()
    log = Log(chosen.log)
    saved = termios.tcgetattr(0)
    silent = saved.copy()
    silent[3] &= ~termios.ECHO
    termios.tcsetattr(0, termios.TCSAFLUSH, silent)
    try:
        read_line(log, "Password: ", ready=True)
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, saved)
    print("\nWelcome.", flush=True)
    log.write("exit")


if __name__ == "__main__":
    main()
