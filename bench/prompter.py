"""A program that works, writes down the time, prints a prompt and reads a line, again and again. Beside its log lies
another, with a line for each time that it has begun to work."""

import os
import random
import sys
import time


def main(log: str, least: str, most: str) -> None:
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    work = os.open(f"{log}.work", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    while True:
        os.write(1, b"working...\n")
        os.write(work, b"begun\n")
        time.sleep(random.uniform(float(least), float(most)))
        os.write(file, b"%.6f\n" % time.time())
        os.write(1, b"> ")
        os.read(0, 1024)


if __name__ == "__main__":
    main(*sys.argv[1:])
