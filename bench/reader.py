"""The least a reader of a control client has to do: read, split, unescape, count. The measure for our watcher."""

import codecs
import os
import subprocess
import sys
import threading
from collections import Counter


def main(tmux: str, socket: str, session: str) -> None:
    client = subprocess.Popen(
        [tmux, "-L", socket, "-C", "attach-session", "-t", session, "-f", "ignore-size"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    lines: Counter[bytes] = Counter()
    threading.Thread(target=_answer, args=(lines,), daemon=True).start()
    assert client.stdout is not None
    source, rest = client.stdout.fileno(), b""
    while data := os.read(source, 1 << 18):
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            if line.startswith(b"%output "):
                _, pane, escaped = line.split(b" ", 2)
                lines[pane] += codecs.escape_decode(escaped)[0].count(b"\n")


def _answer(lines: "Counter[bytes]") -> None:
    print("ready", flush=True)
    for _ in sys.stdin:
        print("said", sum(lines.values()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
