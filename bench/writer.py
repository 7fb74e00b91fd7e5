"""Prints into many panes from one process, by their terminals: `count` so many lines in each, evenly spread; or `stamp`
the time into one after the other. It says `ready`, begins at a line of input, and says `done` with how many it wrote.
"""

import os
import sys
import time


def main(what: str, per_second: str, seconds: str, *terminals: str) -> None:
    files = [os.open(terminal, os.O_WRONLY | os.O_NOCTTY) for terminal in terminals]
    print("ready", flush=True)
    while sys.stdin.readline():
        print("done", write(files, what == "stamp", float(per_second), float(seconds)), flush=True)


def write(files: list[int], stamp: bool, per_second: float, seconds: float) -> int:
    """So many lines a second over all files in turn."""
    began, written = time.monotonic(), 0
    total = int(per_second * seconds)
    while written < total:
        due = min(total, int((time.monotonic() - began) * per_second) + 1)
        for number in range(written, due):
            line = (
                b"at %d\n" % time.monotonic_ns() if stamp else b"line %d of the output of an agent at work\n" % number
            )
            os.write(files[number % len(files)], line)
        written = due
        time.sleep(max(0.0, began + written / per_second - time.monotonic()))
    return written


if __name__ == "__main__":
    main(*sys.argv[1:])
