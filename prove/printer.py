"""A program that prints numbered lines as fast as it is let, and keeps count in a file so that a stall shows."""

import os
import sys
import time


def main(progress: str, pause: str) -> None:
    count = os.open(progress, os.O_RDWR | os.O_CREAT, 0o600)
    number = 0
    while True:
        lines = "".join(f"line {number + step} {'.' * 40}\n" for step in range(1, 51))
        sys.stdout.write(lines)
        sys.stdout.flush()
        number += 50
        os.pwrite(count, b"%12d" % number, 0)
        if float(pause):
            time.sleep(float(pause))


if __name__ == "__main__":
    main(*sys.argv[1:])
