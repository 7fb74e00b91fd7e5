"""A client that connects to a server which answers late: no prompt yet, and what is typed meanwhile is thrown away.

The terminal still collects lines, as of `ssh`, `psql` or `docker exec` before the other side has a prompt.
"""

from __future__ import annotations

import select
import socket
import sys
import termios
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script that runs from anywhere

from tests.hostile.console import Console
from tests.hostile.terminal import parser


def answer_late(listening: socket.socket, seconds: float) -> None:
    client, _ = listening.accept()
    time.sleep(seconds)
    client.sendall(b"welcome")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seconds", type=float, default=4.0)
    options.add_argument("--how", choices=("select", "poll", "recv"), default="poll")
    options.add_argument("--says", default="", help="what it prints while it connects, such as `far$ `")
    chosen = options.parse_args()
    print(chosen.says, end="", flush=True)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=answer_late, args=(listening, chosen.seconds), daemon=True).start()
        with socket.create_connection(listening.getsockname()) as server:
            if chosen.how == "select":
                select.select([server], [], [])
            elif chosen.how == "poll":
                waiting = select.poll()
                waiting.register(server, select.POLLIN)
                waiting.poll()
            server.recv(100)
    termios.tcflush(0, termios.TCIFLUSH)
    with Console(chosen) as console:
        for key in console.typed():
            console.take(key)


if __name__ == "__main__":
    main()
