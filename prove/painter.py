"""A program with markers to give: `python -m prove.painter HOW LOG COUNT [BYTES]`. It begins at a line of input.

`painted`: each marker stands on a screen that is drawn anew fifty times, by cursor position, with a clock that moves.
`printed`: each is a line among others. `flood`: so many bytes as fast as they are taken, and one marker behind them.
What it gave is in its log before it is shown.
"""

import os
import sys
import time

REDRAWS = 50
STATES = ("needs_input", "needs_testing", "error", "completed")


def marker(number: int) -> tuple[str, str]:
    return STATES[number % len(STATES)], f"number {number} [of many]"


def main(how: str, log: str, count: str, size: str = "0") -> None:
    sys.stdin.readline()
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if how == "flood":
        line, left = b"a line of a build that floods its pane, and nobody reads it\r\n" * 1000, int(size)
        while left > 0:
            left -= os.write(1, line)
    given: list[str] = []
    for number in range(int(count)):
        state, message = marker(number)
        os.write(written, f"{state}:{message}\n".encode())
        given.append(f"--<[paneward:{state}:{message}]>--")
        if how == "painted":
            paint(given)
        else:
            os.write(1, f"Step {number} is done.\r\n{given[-1]}\r\nNow the next.\r\n".encode())
            time.sleep(0.6)
    os.write(written, b"end\n")
    time.sleep(100_000)


def paint(given: list[str]) -> None:
    """All of it, again and again."""
    for redraw in range(REDRAWS):
        rows = [
            f"\x1b[{2 * at + 2};3H\x1b[2KStep {at} is done.\x1b[{2 * at + 3};3H\x1b[2K{one}"
            for at, one in enumerate(given)
        ]
        os.write(1, f"\x1b[H\x1b[2J{''.join(rows)}\x1b[30;1H{redraw} redraws".encode())
        time.sleep(0.012)


if __name__ == "__main__":
    main(*sys.argv[1:])
