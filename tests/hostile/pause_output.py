"""A program that stops for seconds in the middle of a line that looks like a prompt, goes on, and then asks.

It does not read while it prints; what was typed by then is thrown away, as a program does that sets up its terminal.
`--pause` says what it waits in; `--raw` that it took the terminal for itself before.
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import termios
import threading
import time
import tty
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import parser


def poll(seconds: float) -> None:
    """Of the terminal it only wants to know whether it was hung up."""
    waiting = select.poll()
    waiting.register(1, select.POLLERR)
    waiting.register(os.pipe()[0], select.POLLIN)
    waiting.poll(seconds * 1000)


def epoll(seconds: float) -> None:
    with select.epoll() as waiting:
        waiting.register(os.pipe()[0], select.EPOLLIN)
        waiting.poll(seconds)


def nested(seconds: float) -> None:
    """An event loop inside another one."""
    with select.epoll() as inner:
        inner.register(os.pipe()[0], select.EPOLLIN)
        select.select([inner], [], [], seconds)


def thread(seconds: float) -> None:
    waiting = threading.Thread(target=select.select, args=([], [], [], seconds))
    waiting.start()
    waiting.join()


def server(seconds: float) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(seconds)
        with suppress(TimeoutError):
            listening.accept()


CHILD = "import select, sys; select.select([], [], [], float(sys.argv[1]))"
PAUSES: dict[str, Callable[[float], object]] = {
    "sleep": time.sleep,
    "select": lambda seconds: select.select([], [], [], seconds),
    "select-pipe": lambda seconds: select.select([os.pipe()[0]], [], [], seconds),
    "select-write": lambda seconds: select.select([], [], [0], seconds),
    "poll": poll,
    "poll-nothing": lambda seconds: select.poll().poll(seconds * 1000),
    "epoll": epoll,
    "nested": nested,
    "thread": thread,
    "futex": lambda seconds: threading.Event().wait(seconds),
    "server": server,
    "child": lambda seconds: subprocess.run(
        [sys.executable, "-c", f"import select; select.select([],[],[],{seconds})"]
    ),
    "shell": lambda seconds: subprocess.run(["bash", "-c", f"read -t {seconds} <> <(:)"]),
}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seconds", type=float, default=3.0)
    options.add_argument("--half", default="Downloading: 50%", help="the part of the line before the pause")
    options.add_argument("--pause", choices=PAUSES, default="sleep")
    options.add_argument("--raw", action="store_true")
    chosen = options.parse_args()
    if chosen.raw:
        tty.setraw(0)
    for number in range(1, 9):
        print(f"Get:{number} package-{number}.tar.gz", end="\r\n", flush=True)
    print(chosen.half, end="", flush=True)
    PAUSES[chosen.pause](chosen.seconds)
    termios.tcflush(0, termios.TCIFLUSH)
    print(" ... 100%, done.\r\nEverything is up to date.", end="\r\n", flush=True)
    with Console(chosen) as console:
        for key in console.typed():
            console.take(key)


if __name__ == "__main__":
    main()
