"""Questions that take one key each, one after the other, and log every key: an Enter too many answers the next one.

`--kind` is how the key is read: `read` (the terminal echoes, as with bash's `read -n1`), `getch` (nothing is echoed),
`echo` (the program echoes it, and works for a moment), `line` (a line editor in raw mode, which wants Enter).
"""

from __future__ import annotations

import os
import sys
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.terminal import Log, parser

QUESTIONS = ("Overwrite? [y/N] ", "Delete ALL backups too? [Y/n] ", "Really everything, finally [y/n]? ")
WORK = 0.2  # seconds between an answer and the next question, with `echo`


def set_mode(echo: bool) -> None:
    mode = termios.tcgetattr(0)
    mode[3] = (mode[3] & ~(termios.ICANON | termios.ECHO)) | (termios.ECHO if echo else 0)
    termios.tcsetattr(0, termios.TCSANOW, mode)


def read_key() -> str:
    return os.read(0, 1).decode("latin-1")


def read_line() -> str:
    text = ""
    while (key := read_key()) not in ("\r", "\n"):
        text += key
        print(key, end="", flush=True)
    return text


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--kind", choices=("read", "getch", "echo", "line"), default="read")
    options.add_argument("--same", action="store_true", help="the same question again and again")
    chosen = options.parse_args()
    log = Log(chosen.log)
    set_mode(chosen.kind == "read")
    for at, question in enumerate(QUESTIONS * 3):
        print(QUESTIONS[0] if chosen.same else question, end="", flush=True)
        if not at:
            log.write("ready")
        answer = read_line() if chosen.kind == "line" else read_key()
        log.write("submit", text=answer, question=at)
        if chosen.kind == "echo":
            print(answer, end="", flush=True)
            time.sleep(WORK)
        print(flush=True)
    log.write("exit")


if __name__ == "__main__":
    main()
