"""The least that reads screens: captures some panes through a control client, so many times a second, and compares each
with the one before: `python -m bench.capturer TMUX SOCKET SESSION RATE PANE...`. It says `ready`, and how many it saw.
"""

import os
import select
import subprocess
import sys
import time


def main(tmux: str, socket: str, session: str, rate: str, *panes: str) -> None:
    client = subprocess.Popen(
        [
            "setpriv",
            "--pdeathsig",
            "KILL",
            tmux,
            "-L",
            socket,
            "-C",
            "attach-session",
            "-t",
            session,
            "-f",
            "ignore-size,no-output",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert client.stdin is not None
    assert client.stdout is not None
    source, rest, count = client.stdout.fileno(), b"", 0
    last: dict[str, bytes] = {}
    os.set_blocking(sys.stdin.fileno(), False)
    print("ready", flush=True)
    due = time.monotonic()
    while True:
        for pane in panes:
            client.stdin.write(b"capture-pane -p -e -t %s\n" % pane.encode())
        client.stdin.flush()
        for pane in panes:
            while True:
                begin = rest.find(b"%begin")
                end = rest.find(b"\n%end", begin)
                if 0 <= begin < end and rest.find(b"\n", end + 1) > 0:
                    break
                rest += os.read(source, 1 << 18)
            screen = rest[rest.find(b"\n", begin) : end]
            rest = rest[rest.find(b"\n", end + 1) :]
            count += last.get(pane) != screen
            last[pane] = screen
        due += 1 / float(rate)
        if select.select([sys.stdin], [], [], max(0.0, due - time.monotonic()))[0]:
            if not sys.stdin.read():
                return
            print("said", count, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
