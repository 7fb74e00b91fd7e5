"""A program that prints markers among other lines, and notes each in a file before: `python -m prove.marking FILE`.

It begins when FILE.go is there, and prints no more when FILE.stop is.
"""

import random
import sys
import time
from pathlib import Path

STATES = ("working", "needs_input", "needs_testing", "completed")


def main(name: str) -> None:
    notes, number = Path(name), 0
    while not Path(f"{name}.go").exists():
        time.sleep(0.02)
    while not Path(f"{name}.stop").exists():
        number += 1
        state = STATES[number % len(STATES)]
        with notes.open("a") as file:
            file.write(f"{state} number {number}\n")
        print(f"--<[paneward:{state}:number {number}]>--", flush=True)
        for line in range(random.randrange(4)):
            print(f"line {line} after {number}", flush=True)
        time.sleep(random.uniform(0.05, 0.4))
    print("no more", flush=True)
    time.sleep(3600)


if __name__ == "__main__":
    main(sys.argv[1])
