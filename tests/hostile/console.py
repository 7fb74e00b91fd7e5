"""The input box that most hostile programs are built around: its text, its transcript, its painting, its keys.

A program is a loop over `Console.typed()` that hands each key to `Console.take` or does something hostile with it.
The box is repainted whole at the bottom of the main screen; submitted text scrolls up into the real scrollback.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from tests.hostile.terminal import (
    ESCAPE_WAIT,
    Key,
    KeyDecoder,
    Layout,
    Log,
    Tty,
    cells,
    clusters,
    fitting,
    folded,
    layout,
    monotonic,
)

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
DIM, REVERSED, PLAIN = "\x1b[2m", "\x1b[7m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Held:
    """A paste that the box shows as a label."""

    label: str
    text: str


class Console:
    """A box on a raw terminal. Public fields are the program's to change; the next paint shows them."""

    def __init__(
        self, options: argparse.Namespace, prompt: str = "> ", escape_wait: float = ESCAPE_WAIT, alternate: bool = False
    ) -> None:
        self.prompt, self.said_by = prompt, "you: "
        self.text, self.cursor = "", 0
        self.ghost = ""
        self.above: list[str] = []
        self.right = ""
        self.head = ""
        self.held: dict[str, Held] = {}
        self.frame_every: float | None = None
        self.typed_at = float("-inf")
        self.received = 0
        self.transcript: list[str] = []
        self.log = Log(options.log)
        self.tty = Tty(options.columns)
        self._delay = options.delay_ms / 1000
        self._hidden_cursor = options.no_cursor
        self._escape_wait = escape_wait
        self._alternate = alternate
        self._decoder = KeyDecoder()
        self._unprinted: list[str] = []
        self._cursor_row = self._painted = 0
        self._paint_at: float | None = None

    def __enter__(self) -> Console:
        self.tty.__enter__()
        self.tty.write(("\x1b[?1049h" if self._alternate else "") + "\x1b[?2004h" + "\x1b[?25l" * self._hidden_cursor)
        return self

    def __exit__(self, *_: object) -> None:
        below = "\x1b[?1049l" if self._alternate else "\r\n" * (self._painted - self._cursor_row)
        with suppress(OSError):
            self.tty.write(below)
        self.tty.__exit__()
        self.log.write("exit", received=self.received)

    # -- what the operator sees and does ------------------------------------------------------------------------

    def typed(self, ready: bool = True) -> Iterator[Key]:
        """Each key as it comes, painting in between; `tick` after each read and every `frame_every` seconds.

        Ends with the terminal."""
        self.paint()
        if ready:
            self.log.write("ready")
        while True:
            try:
                data = self.tty.read(self._timeout())
            except EOFError:
                return
            now = monotonic()
            self.received += len(data)
            yield from self._decoder.feed(data, now) if data else self._decoder.flush(now)
            yield Key("tick", at=now)
            self._paint_when_due(now, bool(data))

    def take(self, key: Key) -> None:
        """What a well-behaved box does with a key."""
        match key.name:
            case "text" | "paste":
                self.insert(key.text, key.at)
            case "Tab":
                self.insert("\t", key.at)
            case "C-j" | "M-Enter":
                self.insert("\n", key.at)
            case "Enter":
                self.submit()
            case "tick":
                pass
            case "C-c":
                self.log.write("key", key="C-c")
                raise SystemExit(0)
            case _ if not self._edit(key.name):
                self.log.write("key", key=key.name)

    def insert(self, text: str, at: float) -> None:
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)
        self.typed_at = at

    def submit(self) -> None:
        """Let go of the text; an Enter on an empty box is what no sender should ever press."""
        whole = self.whole()
        if not whole:
            self.log.write("empty_enter")
            return
        self.text, self.cursor = "", 0
        self.log.write("submit", text=whole)
        self.say(self.said_by, whole)

    def whole(self) -> str:
        """The text with every placeholder replaced by what it stands for."""
        return "".join(self.held[char].text if char in self.held else char for char in self.text)

    def say(self, who: str, text: str) -> None:
        """Put a line into the transcript above the box."""
        rows = layout(who, text, 0, self.tty.size()[0]).rows
        self._unprinted += rows
        self.transcript = (self.transcript + rows)[-200:]

    def _edit(self, name: str) -> bool:
        match name:
            case "Backspace":
                keep = max(0, self.cursor - 1)
                self.text, self.cursor = self.text[:keep] + self.text[self.cursor :], keep
            case "Left":
                self.cursor = max(0, self.cursor - 1)
            case "Right":
                self.cursor = min(len(self.text), self.cursor + 1)
            case "Home" | "C-a":
                self.cursor = 0
            case "End" | "C-e":
                self.cursor = len(self.text)
            case "C-u":
                self.text, self.cursor = self.text[self.cursor :], 0
            case _:
                return False
        return True

    # -- time -----------------------------------------------------------------------------------------------------

    def _timeout(self) -> float | None:
        waits = [self.frame_every] if self.frame_every else []
        if self._decoder.holds_escape:
            waits.append(self._escape_wait)
        if self._paint_at is not None:
            waits.append(max(0.0, self._paint_at - monotonic()))
        return min(waits) if waits else None

    def _paint_when_due(self, now: float, typed: bool) -> None:
        if typed and self._delay and self._paint_at is None:
            self._paint_at = now + self._delay
        if self._paint_at is None or now >= self._paint_at:
            self._paint_at = None
            self.paint()

    # -- painting -------------------------------------------------------------------------------------------------

    def paint(self) -> None:
        resized, self.tty.resized = self.tty.resized, False  # before the size is asked: a later change is a later paint
        columns, height = self.tty.size()
        if resized:
            self._cursor_row = self._painted = 0
            self._unprinted = self.transcript[-height:]
            self.tty.write("\x1b[H" + "\r\n".join(["\x1b[2K"] * height) + "\x1b[H")
        box = self._box(columns)
        above = [part for row in self.above for part in folded(row, columns)]
        rows = [*above, *self._decorated(box, columns)]
        cursor_row = len(above) + box.row
        first = max(0, min(len(rows) - (height - 1), cursor_row))
        rows, cursor_row = rows[first : first + height - 1], cursor_row - first
        if self._alternate:
            self._paint_screen(rows, cursor_row, box.before, height)
        else:
            self._paint_inline(rows, cursor_row, box.before)

    def _box(self, columns: int) -> Layout:
        labels = {char: held.label for char, held in self.held.items()}
        before, after = ("".join(labels.get(c, c) for c in part) for part in halves(self.text, self.cursor))
        return layout(self.prompt, before + after, len(before), columns)

    def _decorated(self, box: Layout, columns: int) -> list[str]:
        """The box with what is drawn after its text: ghost text, a cursor cell, the right-hand side."""
        rows = list(box.rows)
        after = rows[box.row][len(box.before) :]
        free = columns - 1 - cells(rows[box.row])
        ghost = "" if after else fitting(self.ghost, free)
        if self._hidden_cursor:
            first, *rest = clusters(after or ghost or " ")
            tail = "".join(rest)
            rows[box.row] = box.before + REVERSED + first + PLAIN + (tail if after else DIM + tail + PLAIN)
        elif ghost:
            rows[box.row] += DIM + ghost + PLAIN
        if self.right and len(rows) == 1 and free > cells(self.right) + cells(ghost):
            rows[0] += f"\x1b[{columns - cells(self.right)}G{self.right}"
        return rows

    def _paint_inline(self, rows: list[str], cursor_row: int, before: str) -> None:
        """Row by row over what stood there: erasing the screen at once would push the box into tmux's history."""
        lines = [*self._unprinted, *rows]
        left_over = max(0, self._painted - len(lines))
        self._unprinted, self._painted = [], len(rows)
        frame = up(self._cursor_row) + "\r" + "\r\n".join(f"\x1b[2K{line}" for line in lines)
        frame += "\r\n\x1b[2K" * left_over + up(left_over) + "\r"
        self._cursor_row = len(rows) - 1
        if not self._hidden_cursor:
            frame += up(len(rows) - 1 - cursor_row) + before
            self._cursor_row = cursor_row
        self.tty.write(frame)

    def _paint_screen(self, rows: list[str], cursor_row: int, before: str, height: int) -> None:
        room = height - len(rows) - 1
        said = self.transcript[-room:] if room else []
        screen = [self.head, *said, *[""] * (room - len(said)), *rows]
        self._unprinted = []
        frame = "\x1b[H" + "\r\n".join(f"\x1b[2K{row}" for row in screen)
        if not self._hidden_cursor:
            frame += f"\x1b[{height - len(rows) + cursor_row + 1};1H{before}"
        self.tty.write(frame)


def halves(text: str, at: int) -> tuple[str, str]:
    return text[:at], text[at:]


def up(rows: int) -> str:
    return f"\x1b[{rows}A" if rows else ""
