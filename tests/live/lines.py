"""A program that prints what it is told, without echo: `python lines.py`."""

import sys
import termios
from pathlib import Path


def quiet() -> None:
    """What is typed is not shown: it would be on the screen twice."""
    mode = termios.tcgetattr(0)
    mode[3] &= ~termios.ECHO
    termios.tcsetattr(0, termios.TCSANOW, mode)


def marker(state: str, message: str) -> str:
    return f"--<[paneward:{state}:{message}]>--"


def redraw(how: str, count: int) -> None:
    drawn = marker("error", f"drawn by {how}")
    if how == "alternate":
        sys.stdout.write("\x1b[?1049h")
    for number in range(count):
        if how == "carriage":
            sys.stdout.write(f"\r{drawn} {number}")
        else:
            sys.stdout.write(f"\x1b[H\x1b[2Jdrawing {number}\r\n\r\nIt says:\r\n{drawn}\r\n")
        sys.stdout.flush()
    sys.stdout.write("\r\n")


def answer(line: str) -> None:
    word, _, rest = line.partition(" ")
    match word:
        case "marker":
            print(marker(*rest.split(" ", 1)))
        case "bare":
            sys.stdout.write(marker(*rest.split(" ", 1)))
        case "raw":
            print(rest)
        case "lines":
            print("\n".join(f"line {number}" for number in range(int(rest))))
        case "flood":
            half = "\n".join(f"a line of the flood, number {number}" for number in range(int(rest) // 2))
            print(half, marker("completed", "in the middle"), half, sep="\n")
        case "deluge":
            first = 0
            while Path(rest).exists():  # no line comes twice: those that are lost are not to be found again
                print("\n".join(f"a line of the deluge, number {number}" for number in range(first, first + 5000)))
                first += 5000
        case "redraw":
            how, count = rest.split()
            redraw(how, int(count))
        case "osc":
            sys.stdout.write(f"\x1b]{rest}\x07")
        case "junk":
            sys.stdout.buffer.write(b"\xff\xfe\xe2\x28\xa1 \x1b[1000000000C\x1b[1000000000B\x1b]0;never ends\x1b\\\n")
            sys.stdout.buffer.write(b"x" * 40_000 + b"\n")
    sys.stdout.flush()


if __name__ == "__main__":
    quiet()
    print("ready", flush=True)
    for line in sys.stdin:
        answer(line.rstrip("\n"))
