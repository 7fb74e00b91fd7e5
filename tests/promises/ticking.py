"""A REPL that shows a prompt and repaints a corner of the screen all the time: a clock, letters that never repeat, or
the number of the frame, each of which takes 30 ms of work.

`python ticking.py clock|rain|toil`
"""

import itertools
import os
import random
import select
import sys
import termios
import time
import tty

FRAMES = itertools.count(1)


def corner(kind: str) -> str:
    words = time.strftime("%H:%M:%S") if kind == "clock" else "".join(random.choices("abcdefghijklmnop", k=8))
    if kind == "toil":
        until = time.monotonic() + 0.03
        while time.monotonic() < until:
            pass
        words = f"frame {next(FRAMES)}"
    return f"\x1b7\x1b[1;60H{words}\x1b8"


def main(kind: str) -> None:
    saved, line = termios.tcgetattr(0), ""
    tty.setcbreak(0)
    try:
        os.write(1, b"> ")
        while True:
            if select.select([0], [], [], 0.2)[0]:
                for key in os.read(0, 1024).decode():
                    line = "" if key in "\r\n" else line + key
                    os.write(1, b"\r\nok\r\n> " if key in "\r\n" else key.encode())
            os.write(1, corner(kind).encode())
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, saved)


if __name__ == "__main__":
    main(sys.argv[1])
