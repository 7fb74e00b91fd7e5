"""`paneward demo-agent`: a small real terminal program to try Paneward on.

It has an input box between two rules, ghost text, a busy phase, menus, bracketed paste and markers, and draws on the
main screen as coding agents do: the box is repainted at the bottom, what was said scrolls into the real scrollback.
This file is the thin part: the terminal, the log and the clock. What it does is decided in `session`.

What surprised us: erasing the screen from its top corner makes tmux push the erased rows into the history, so the
region is overwritten row by row.
"""

import argparse
import json
import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from paneward.demo.keys import ESCAPE_WAIT, Keyboard
from paneward.demo.screen import DemoFrame
from paneward.demo.session import Block, DemoSession

KEPT_BLOCKS = 200
SHOW_CURSOR, HIDE_CURSOR = "\x1b[?25h", "\x1b[?25l"


class RawTerminal:
    """The tty in raw mode with bracketed paste; a resize and a signal to end wake `read`."""

    def __init__(self) -> None:
        self._resized = False
        self._wake, self._waker = os.pipe()

    def __enter__(self) -> "RawTerminal":
        self._saved = termios.tcgetattr(0)
        tty.setraw(0)
        os.set_blocking(self._waker, False)
        signal.set_wakeup_fd(self._waker)  # a signal that comes just before `select` ends its wait too
        signal.signal(signal.SIGWINCH, lambda *_: self._on_resize())
        for ending in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(ending, lambda number, _frame: sys.exit(128 + number))
        self.write("\x1b[?2004h")
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, termios.error):  # the terminal may be gone
            self.write("\x1b[?2004l" + SHOW_CURSOR)
            termios.tcsetattr(0, termios.TCSADRAIN, self._saved)

    def _on_resize(self) -> None:
        self._resized = True

    def take_resize(self) -> bool:
        """Whether the window changed since the last call. Ask before `size`: a later change is for a later paint."""
        resized, self._resized = self._resized, False
        return resized

    def size(self) -> tuple[int, int]:
        columns, rows = os.get_terminal_size(1)
        return max(10, columns or 80), max(6, rows or 24)

    def write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(1, data) :]

    def read(self, seconds: float | None) -> bytes | None:
        """What was typed, or nothing when the time is up; None when the terminal is gone."""
        ready, _, _ = select.select([0, self._wake], [], [], seconds)
        if self._wake in ready:
            os.read(self._wake, 1024)
        if 0 not in ready:
            return b""
        try:
            return os.read(0, 65536) or None
        except OSError:
            return None


class Painter:
    """Repaints the region at the bottom of the main screen and prints above it."""

    def __init__(self, terminal: RawTerminal) -> None:
        self._terminal = terminal
        self._blocks: list[Block] = []
        self._drawn = DemoFrame([], 0, "")
        self._title = ""

    def paint(self, session: DemoSession, now: float) -> None:
        """One write for everything that changed; none when nothing did."""
        resized = self._terminal.take_resize()
        columns, height = self._terminal.size()
        frame = session.frame(now, columns, height - 1)
        blocks = session.printed()
        self._blocks = [*self._blocks, *blocks][-KEPT_BLOCKS:]
        text = ""
        if resized:
            text, self._drawn = erased(height), DemoFrame([], 0, "")
            rows = laid_out(self._blocks, columns)[-(height - len(frame.rows)) :]
        else:
            rows = laid_out(blocks, columns)
        if rows or frame != self._drawn:
            text += self._over(rows, frame)
        text += self._titled(session.title(now))
        if text:
            self._terminal.write(text)

    def _titled(self, title: str) -> str:
        changed, self._title = title != self._title, title
        return f"\x1b]2;{title}\x07" if changed else ""

    def _over(self, printed: list[str], frame: DemoFrame) -> str:
        """The rows of the old region overwritten by what is printed and by the new region."""
        rows = [*printed, *frame.rows]
        left_over = max(0, len(self._drawn.rows) - len(rows))
        text = HIDE_CURSOR + up(self._drawn.row) + "\r" + "\r\n".join(f"\x1b[2K{row}" for row in rows)
        text += "\r\n\x1b[2K" * left_over + up(left_over) + "\r"
        text += up(len(frame.rows) - 1 - frame.row) + frame.before + "\x1b[0m"
        self._drawn = frame
        return text + (SHOW_CURSOR if frame.cursor else "")

    def leave(self, blocks: list[Block]) -> None:
        """Take the region away and leave what was said."""
        columns, _ = self._terminal.size()
        with suppress(OSError):
            self._terminal.write(self._over(laid_out(blocks, columns), DemoFrame([""], 0, "")))


def up(rows: int) -> str:
    return f"\x1b[{rows}A" if rows else ""


def erased(height: int) -> str:
    return "\x1b[H" + "\r\n".join(["\x1b[2K"] * height) + "\x1b[H"


def laid_out(blocks: list[Block], columns: int) -> list[str]:
    return [row for block in blocks for row in block(columns)]


def logger(path: Path | None) -> Callable[..., None]:
    """Writes JSON lines, each on the disk at once; nothing without a file."""
    if path is None:
        return lambda _event, **_fields: None
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(event: str, **fields: object) -> None:
        os.write(fd, json.dumps({"event": event, **fields, "at": time.monotonic()}).encode() + b"\n")
        os.fsync(fd)

    return write


def run(session: DemoSession, terminal: RawTerminal, log: Callable[..., None]) -> int:
    keyboard, painter = Keyboard(), Painter(terminal)
    painter.paint(session, time.monotonic())
    log("ready")
    while session.status is None:
        data = terminal.read(patience(session, keyboard))
        if data is None:
            return 0
        now = time.monotonic()
        for key in keyboard.feed(data) if data else keyboard.flush():
            session.take(key, now)
        session.tick(now)
        if session.status is None:
            painter.paint(session, now)
    painter.leave(session.printed())
    return session.status


def patience(session: DemoSession, keyboard: Keyboard) -> float | None:
    """How long nothing needs to be done."""
    now = time.monotonic()
    due = session.deadline(now)
    waits = [max(0.0, due - now)] if due is not None else []
    return min([*waits, ESCAPE_WAIT] if keyboard.escape_pending else waits, default=None)


def options(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="paneward demo-agent", description="A small agent to try Paneward on.")
    parser.add_argument("--log", type=Path, help="append what happens to this file, one JSON object per line")
    parser.add_argument("--busy", type=float, default=1.5, metavar="SECONDS", help="how long it works on a message")
    parser.add_argument("--name", default="demo", help="what it calls itself")
    parser.add_argument("--speed", type=float, default=1.0, help="divides every time it works for")
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    chosen = options(argv)
    if not (os.isatty(0) and os.isatty(1)):
        print("The demo agent needs a terminal: run it in a tmux pane.", file=sys.stderr)
        return 2
    log = logger(chosen.log)
    session = DemoSession(chosen.name, max(0.0, chosen.busy), max(0.01, chosen.speed), log)
    status = 1
    try:
        with RawTerminal() as terminal:
            status = run(session, terminal, log)
    finally:
        log("exit", status=status)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
