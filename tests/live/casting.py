"""Panes that show exactly what a test feeds them: the source of a recording, and the terminal that it is played in."""

import os
import shlex
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from paneward.adapters.recordings import parts_of, read_parts
from paneward.core.recording.cast import OUTPUT, RESIZE, CastLine, joined
from tests.adapters.conftest import TmuxServer, until
from tests.live.conftest import Ground


class Canvas:
    """A pane whose program prints what is written to a pipe."""

    def __init__(self, ground: Ground, width: int = 80, height: int = 24) -> None:
        self._server: TmuxServer = ground.server
        self._pipe = ground.directory / f"pipe-{ground.server.sessions}"
        os.mkfifo(self._pipe)
        self.pane = ground.server.new_pane(f"stty raw -echo; exec cat {shlex.quote(str(self._pipe))}", width, height)
        self._into: IO[bytes] = open(self._pipe, "wb", buffering=0)  # noqa: SIM115
        self._shown = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._into.close()

    @property
    def title(self) -> str:
        """Of what was printed last."""
        return f"shown {self._shown}"

    def write(self, data: bytes) -> None:
        self._into.write(data)

    def print(self, data: bytes | str) -> None:
        """And wait until tmux has drawn it: a title comes after it."""
        self._shown += 1
        title = self.title
        self._into.write((data.encode() if isinstance(data, str) else data) + f"\x1b]2;{title}\x1b\\".encode())
        until(lambda: self._server.value(self.pane, "pane_title") == title)

    def resize(self, width: int, height: int) -> None:
        self._server.run("resize-window", "-t", self.pane, "-x", str(width), "-y", str(height))

    def play(self, entries: list[CastLine]) -> None:
        waiting = ""
        for entry in entries:
            waiting += entry.data if entry.kind == OUTPUT else ""
            if entry.kind == RESIZE:
                self.print(waiting)
                self.resize(*map(int, entry.data.split("x")))
                waiting = ""
        self.print(waiting)

    def seen(self) -> list[str]:
        """The screen with its styles, and where the cursor is."""
        facts = "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on}"
        told = self._server.run("display-message", "-p", "-t", self.pane, facts)
        rows = self._server.run("capture-pane", "-p", "-e", "-N", "-t", self.pane).split("\n")
        return [told, *(row.rstrip(" ") for row in rows)]  # from tmux 3.5 on there are blanks that nobody wrote


def recorded(state: Path, agent: str = "worker", running: bool = False) -> list[CastLine]:
    """All that was recorded of an agent; unless it goes on meanwhile, nothing of it had to be left out."""
    notes: list[str] = []
    found = list(joined(read_parts(parts_of(state, agent), notes.append)))
    assert running or notes == []
    return found


def text_of(entries: list[CastLine]) -> str:
    return "".join(entry.data for entry in entries if entry.kind == OUTPUT)


def captions(entries: list[CastLine]) -> list[str]:
    return [entry.data for entry in entries if entry.kind == "m"]
