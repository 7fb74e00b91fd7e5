"""What is behind the commands on recordings: the server's, those on the disk, and one that this process writes."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import quote

from rich.markup import escape

from paneward.adapters import recordings as casts
from paneward.adapters.clock import SystemClock
from paneward.client.panes import agents_in
from paneward.client.records import revive
from paneward.client.remote import Remote
from paneward.config import state_dir
from paneward.core.agent.record import NAME
from paneward.core.errors import Code, InvalidInput
from paneward.core.recording.cast import Header
from paneward.core.recording.recorder import KeptRecording
from paneward.core.terminal.scene import Snapshot
from paneward.surfaces.cli.declarations import UsageError
from paneward.surfaces.cli.options import RootOptions
from paneward.surfaces.cli.show.console import HarmlessConsole
from paneward.surfaces.cli.upkeep import Cast, Recording, RecordingList
from paneward.surfaces.cli.work import PATIENCE, complain, connection, server_if_any

LINES = 1000  # between two looks at whether it takes long


class Cut(NamedTuple):
    """What of a recording is wanted."""

    idle: float | None = None
    start: float | None = None
    end: float | None = None


# --- through the server


def asked(remote: Remote, agent: str, stop: bool, list_them: bool) -> Recording | RecordingList:
    if list_them:
        return kept(remote, agent)
    return (ended if stop else begun)(remote, agent)


def begun(remote: Remote, agent: str) -> Recording:
    found = remote.post(f"{_of(agent)}/recording", {})
    return Recording(agent, str(found["recording"]), running=True, fresh=bool(found["fresh"]))


def ended(remote: Remote, agent: str) -> Recording:
    found = remote.ask("DELETE", f"{_of(agent)}/recording")
    return Recording(agent, str(found["recording"]))


def kept(remote: Remote, agent: str) -> RecordingList:
    found = remote.get(f"{_of(agent)}/recordings")
    return RecordingList(tuple(revive(KeptRecording, row) for row in found["recordings"]))


def _of(agent: str) -> str:
    return f"/api/agents/{quote(agent, safe='')}"


# --- on the disk


def all_kept(agent: str | None) -> RecordingList:
    """Those on the disk. Which of them go on, only a server can tell: without one, none does."""
    found = casts.kept(state_dir(), agent)
    if agent is not None and not found:
        casts.parts_of(state_dir(), agent)  # says that there are none
    running = _running() if found else set()
    return RecordingList(tuple(replace(one, running=(one.agent_id, one.name) in running) for one in found))


def _running() -> set[tuple[str, str]]:
    remote = server_if_any()
    agents = [] if remote is None else agents_in(remote.get("/api/agents"))
    return {(agent.id, agent.recording) for agent in agents}


def exported(place: RootOptions, what: str, recording: str | None, cut: Cut, out: Path | None) -> Cast | None:
    """Written to a file; or to standard output, which is the whole answer."""
    notes: list[str] = []
    files = _files(what, recording)
    lines = casts.export(files, notes.append, cut.idle, cut.start, cut.end)
    with _opened(out) as file, _patience(place, f"exporting {what}") as tick:
        size, count = 0, 0
        for count, line in enumerate(lines):
            size += file.write(line)
            if not count % LINES:
                tick()
    if out is not None:
        return Cast(out, size, count, tuple(notes))
    for note in notes:
        complain(note, "")
    return None


def _files(what: str, recording: str | None) -> list[Path]:
    """Those of an agent's recording, else the file of that name."""
    path = Path(what)
    if recording is None and not _has_any(what) and path.exists():
        return [path]
    return casts.parts_of(state_dir(), what, recording)


def _has_any(agent: str) -> bool:
    return NAME.fullmatch(agent) is not None and bool(casts.kept(state_dir(), agent))


@contextlib.contextmanager
def _opened(out: Path | None) -> Iterator[BinaryIO]:
    if out is None:
        with contextlib.suppress(BrokenPipeError):
            yield sys.stdout.buffer
            sys.stdout.flush()
        return
    with _created(out) as file:
        yield file


@contextlib.contextmanager
def _created(out: Path) -> Iterator[BinaryIO]:
    """A new file, for its owner alone: what stood on a screen is in it."""
    try:
        with open(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            yield file
    except FileExistsError:
        raise UsageError(f"{out} exists: name a new file") from None
    except OSError as error:
        raise _unwritable(out, error) from None


def _unwritable(out: Path, error: OSError) -> InvalidInput:
    return InvalidInput(
        f"{out} cannot be written: {error.strerror}", code=Code.INVALID_RECORDING, hint="--out names another file."
    )


@contextlib.contextmanager
def _patience(place: RootOptions, doing: str) -> Iterator["Tick"]:
    with contextlib.ExitStack() as sign:
        yield Tick(place, doing, sign)


class Tick:
    """A sign of life for what takes longer than a person likes to wait."""

    def __init__(self, place: RootOptions, doing: str, sign: contextlib.ExitStack) -> None:
        self._due = SystemClock().now() + PATIENCE
        self._shown = place.json or not sys.stderr.isatty()
        self._doing = doing
        self._sign = sign

    def __call__(self) -> None:
        if not self._shown and SystemClock().now() >= self._due:
            self._shown = True
            self._sign.enter_context(HarmlessConsole(stderr=True).status(f"{escape(self._doing)} … (Ctrl-C gives up)"))


# --- by this process


class OneFile:
    """Everything into one file; the `Reel` of a command."""

    def __init__(self, file: BinaryIO, title: str) -> None:
        self._file = file
        self._title = title
        self.size = 0

    async def begin(self, snapshot: Snapshot) -> Header:
        return Header(snapshot.width, snapshot.height, SystemClock().wall(), self._title)

    async def write(self, lines: bytes) -> bool:
        self._file.write(lines)
        self._file.flush()
        self.size += len(lines)
        return True


def written_here(place: RootOptions, pane: str, title: str, out: Path) -> Cast:
    """Record a pane into a new file until it closes, or Ctrl-C."""
    asyncio.run(_resolved(place, pane))  # before a file is made
    with _created(out) as file, contextlib.ExitStack() as sign:
        reel = OneFile(file, title)
        if not place.json and sys.stderr.isatty():
            words = f"recording {pane} into {out} … (Ctrl-C ends it)"
            sign.enter_context(HarmlessConsole(stderr=True).status(escape(words)))
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_recorded(place, pane, reel))
    return Cast(out, reel.size)


async def _resolved(place: RootOptions, pane: str) -> None:
    async with connection(place) as tmux:
        await tmux.resolve(pane)


async def _recorded(place: RootOptions, pane: str, reel: OneFile) -> None:
    """A shell lets what it starts in the background ignore Ctrl-C: it is heeded all the same."""
    async with connection(place) as tmux:
        recording = asyncio.ensure_future(tmux.record(pane, reel))
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, recording.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await recording
