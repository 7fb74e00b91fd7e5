"""The files of recordings: `recordings/<agent>/<name>.<part>.cast` in the state directory, for their owner alone.

All work is done by one thread of its own, in the order in which it was asked for: a disk that hangs delays recordings
and nothing else. What is written is whole lines, so a process that is killed leaves at most one that is cut off.
"""

import asyncio
import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from paneward.core.agent.record import NAME
from paneward.core.errors import Code, InvalidInput, RecordingNotFound
from paneward.core.recording.cast import LONGEST_LINE, Part, capped, clipped, exported, joined, read_part
from paneward.core.recording.recorder import FILE, KeptRecording, file_name, is_name, order

FOLDER: Final = "recordings"
STAMP: Final = "%Y%m%dT%H%M%SZ"
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
T = TypeVar("T")


class Tape:
    """A file that is written to."""

    def __init__(self, descriptor: int, run: "Run[None]") -> None:
        self._descriptor = descriptor
        self._run = run

    async def write(self, data: bytes) -> None:
        """Append; `OSError` where the disk takes no more. What was asked for is written, also if nobody waits."""
        done = self._run(lambda: append(self._descriptor, data))
        done.add_done_callback(_heeded)
        await asyncio.shield(done)

    def close(self) -> None:
        """Behind all that was asked for."""
        self._run(lambda: os.close(self._descriptor)).add_done_callback(_heeded)


Run = Callable[[Callable[[], T]], "asyncio.Future[T]"]


def _heeded(done: "asyncio.Future[None]") -> None:
    """Nobody may wait for it any more."""
    if not done.cancelled():
        done.exception()


def append(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class Casts:
    """The recordings in a state directory."""

    def __init__(self, directory: Path) -> None:
        self._folder = directory / FOLDER
        self._thread = ThreadPoolExecutor(1, "recordings")

    def _run(self, work: Callable[[], T]) -> "asyncio.Future[T]":
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def fresh_name(self, agent_id: str, wall: float) -> str:
        """What a recording that begins now is called."""
        stamp = datetime.fromtimestamp(wall, UTC).strftime(STAMP)
        taken = {one.name for one in await self.kept(agent_id)}
        return next(name for number in count(1) if (name := stamp if number == 1 else f"{stamp}-{number}") not in taken)

    async def open(self, agent_id: str, recording: str) -> tuple[Tape, int]:
        """The next part of a recording, and its number."""
        descriptor, part = await self._run(lambda: _opened(self._folder, agent_id, recording))
        return Tape(descriptor, self._run), part

    async def kept(self, agent_id: str | None = None) -> list[KeptRecording]:
        return await self._run(lambda: kept(self._folder.parent, agent_id))

    async def remove(self, agent_id: str, recording: str | None = None) -> None:
        """A recording, or all of an agent."""
        await self._run(lambda: _remove(self._folder, agent_id, recording))

    async def close(self) -> None:
        """After all that was asked for."""
        await asyncio.to_thread(self._thread.shutdown)


# --- files


def kept(directory: Path, agent_id: str | None = None) -> list[KeptRecording]:
    """The recordings in a state directory, of one agent or of all, the oldest first."""
    names = [agent_id] if agent_id is not None else sorted(_names(directory / FOLDER))
    found = [one for name in names if NAME.fullmatch(name) for one in _of_agent(directory / FOLDER / name)]
    return sorted(found, key=lambda one: (*order(one.name), one.agent_id))


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _of_agent(folder: Path) -> Iterator[KeptRecording]:
    recordings: dict[str, list[os.stat_result]] = {}
    for name, _, path in _files(folder):
        with suppress(FileNotFoundError):  # removed meanwhile
            recordings.setdefault(name, []).append(path.lstat())
    for name, parts in recordings.items():
        ended = max(part.st_mtime for part in parts)
        yield KeptRecording(folder.name, name, began_of(name), ended, sum(part.st_size for part in parts), len(parts))


def _files(folder: Path) -> list[tuple[str, int, Path]]:
    """The parts of all recordings of an agent: name, number, file; in order."""
    matches = [match for name in _names(folder) if (match := FILE.fullmatch(name))]
    found = [(match[1], int(match[2]), folder / match[0]) for match in matches]
    return sorted(one for one in found if one[2].is_file() and not one[2].is_symlink())


def began_of(recording: str) -> float:
    """Seconds since the epoch; 0 for a name that is no moment."""
    try:
        return datetime.strptime(recording.partition("-")[0], STAMP).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0


def _opened(folder: Path, agent_id: str, recording: str) -> tuple[int, int]:
    place = folder / agent_id
    for each in (folder, place):
        each.mkdir(mode=0o700, exist_ok=True)
    last = max((part for name, part, _ in _files(place) if name == recording), default=0)
    return os.open(place / file_name(recording, last + 1), _FLAGS, 0o600), last + 1


def _remove(folder: Path, agent_id: str, recording: str | None) -> None:
    for name, _, path in _files(folder / agent_id):
        if recording in (None, name):
            path.unlink(missing_ok=True)
    with suppress(OSError):  # others are in it
        (folder / agent_id).rmdir()


# --- reading


def parts_of(directory: Path, agent_id: str, recording: str | None = None) -> list[Path]:
    """The files of a recording, in order; of the newest where none is named."""
    files = _files(directory / FOLDER / agent_id) if NAME.fullmatch(agent_id) else []
    if recording is None and files:
        recording = max((name for name, _, _ in files), key=order)
    found = [path for name, _, path in files if name == recording] if is_name(recording or "") else []
    if not found:
        which = "no recording" if recording is None else f"no recording {recording!r:.80}"
        raise RecordingNotFound(f"there is {which} of {agent_id!r:.80}")
    return found


def export(
    files: list[Path],
    note: Callable[[str], None],
    idle: float | None = None,
    start: float | None = None,
    end: float | None = None,
) -> Iterator[bytes]:
    """The lines of one cast, of all these files; an error at once where none of them can be read."""
    parts = read_parts(files, note)
    first = next(parts, None)
    if first is None:
        raise InvalidInput(
            f"none of the {len(files)} parts can be read",
            code=Code.INVALID_RECORDING,
            hint="`paneward cast list` shows the recordings there are.",
        )
    entries = clipped(joined(chain([first], parts)), start or 0.0, math.inf if end is None else end)
    header = replace(first.header, began=first.header.began + (start or 0.0), part=1)
    return exported(header, entries if idle is None else capped(entries, idle))


def read_parts(files: list[Path], note: Callable[[str], None]) -> Iterator[Part]:
    """The parts one after the other; one that cannot be read is left out and said, unless it is the only one. One that
    is empty has just begun, or was about to when its server was killed: nothing is missing."""
    for path in files:
        try:
            with open(path, "rb") as file:
                if len(files) == 1 or file.peek(1):
                    yield read_part(_lines(file), path.name, note)
        except InvalidInput as failure:
            if len(files) == 1:
                raise
            note(failure.message)
        except FileNotFoundError:
            note(f"{path.name} was removed meanwhile")
        except OSError as error:
            raise InvalidInput(
                f"{path} cannot be read: {error.strerror}", code=Code.INVALID_RECORDING, hint="Is it yours?"
            ) from None


def _lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(LONGEST_LINE + 1):
        yield line
