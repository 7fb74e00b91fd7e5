"""Where hooks and signals lie until they are taken: a directory with a file for each hook, and the agents' event files.

    spool/4711.0          what one hook wrote, with its end; gone once it was taken
    events/claude-1.jsonl one signal per line, appended by the agent `claude-1` or by `paneward signal`

Each has a mark that tells it from all others, also from a later one of the same name: of a file its inode and its
time, of a line the inode of its file and where it ends there. Who takes them stores the mark together with what the
hook or the line has caused; then a crash at any point neither loses nor doubles one.

What surprised us: an inode is given to the next file at once, so it tells nothing without a time or a place; a file
can be cut short by its owner and grow beyond where it was before the next look; and a line need not have an end: of
one that is too long only its end is looked for, from where the last look came to. Looks are taken in a thread.
"""

import asyncio
import contextlib
import errno
import glob
import json
import logging
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from paneward.adapters.hooks import inotify
from paneward.core.state.hooks import END, LONGEST
from paneward.ports import Clock, Spooled

AT_ONCE = 500  # taken in one go: what they cause is one transaction
MOST = 16_000_000  # bytes in one go
CHUNK = 1_000_000  # bytes of an event file that are read in one go
PASSED_BY = 64 * CHUNK  # bytes of an overlong line that one look passes by
UNFINISHED = 60.0  # seconds after which a file that has no end will not get one
SUFFIX = ".jsonl"
log = logging.getLogger("paneward.spool")


class Spool:
    def __init__(self, directory: Path, clock: Clock) -> None:
        self.spool, self.events = directory / "spool", directory / "events"
        self._clock = clock
        self._marks: dict[str, str] = {}  # what was taken, by name: of event files the place behind it
        self._passed: dict[str, tuple[int, int, int]] = {}  # inode, begin of an overlong line, and how far it was read
        self._more = False  # there is more to pass by
        for place in (self.spool, self.events):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)

    async def run(self, marks: Mapping[str, str]) -> AsyncIterator[list[Spooled]]:
        """What is there, and what comes, the oldest first. `marks` is what was taken before, as it was stored."""
        self._marks = dict(marks)
        watch = inotify.Inotify()
        try:
            watch.watch(self.spool, inotify.CLOSE_WRITE | inotify.MOVED_TO)
            watch.watch(self.events, inotify.MODIFY | inotify.MOVED_TO | inotify.CREATE)
            while True:
                while (found := await asyncio.to_thread(self._look)) or self._more:
                    if found:
                        yield found
                await watch.wait()
        finally:
            watch.close()

    def taken(self, spooled: Spooled) -> None:
        """It was taken, and its mark is stored."""
        self._marks[spooled.name] = spooled.mark
        if spooled.agent is None:
            with contextlib.suppress(OSError):
                (self.spool / spooled.name.removeprefix("spool/")).unlink()
            del self._marks[spooled.name]

    def _look(self) -> list[Spooled]:
        self._more = False
        return [*self._files(), *self._lines()]

    def remove(self, agent: str) -> None:
        """The event file of an agent that is forgotten for good, and what it was moved to."""
        for path in self.events.glob(f"{glob.escape(agent)}{SUFFIX}*"):
            with contextlib.suppress(OSError):
                path.unlink()
        self._marks.pop(f"events/{agent}{SUFFIX}", None)

    def waiting(self) -> int:
        """Hooks that nobody has taken yet."""
        return len(os.listdir(self.spool))

    # --- a file for each hook

    def _files(self) -> Iterator[Spooled]:
        found = []
        for name in os.listdir(self.spool):
            with contextlib.suppress(OSError):
                seen = (self.spool / name).lstat()
                found.append((seen.st_mtime_ns, _number(name), name, seen))
        held = 0
        for mtime, _, name, seen in sorted(found, key=lambda one: one[:3])[:AT_ONCE]:
            if (spooled := self._file(name, f"{seen.st_ino}:{mtime}", seen.st_size, mtime / 1e9)) is not None:
                yield spooled
                held += len(spooled.data)
            if held > MOST:
                return

    def _file(self, name: str, mark: str, size: int, at: float) -> Spooled | None:
        path, key = self.spool / name, f"spool/{name}"
        if self._marks.get(key) == mark:  # it was taken before a crash
            self.taken(Spooled(key, mark, b"", at))
            return None
        try:
            data = _read(path, LONGEST + 1)
        except IsADirectoryError:
            return None
        except OSError as error:
            log.warning("%s cannot be read: %s", path, error.strerror)
            return None
        if not data.endswith(END) and size <= LONGEST and self._clock.wall() - at < UNFINISHED:
            return None  # it is being written
        return Spooled(key, mark, data, at)

    # --- event files

    def _lines(self) -> Iterator[Spooled]:
        for path in sorted(self.events.glob(f"*{SUFFIX}")):
            try:
                yield from self._new_lines(path)
            except OSError as error:
                log.warning("%s cannot be read: %s", path, error.strerror)

    def _new_lines(self, path: Path) -> Iterator[Spooled]:
        """Whole lines behind the last one that was taken. What is left of a file that was put aside comes first."""
        name, agent = f"events/{path.name}", path.name.removesuffix(SUFFIX)
        inode, offset = _place(self._marks.get(name, ""))
        seen = path.stat()
        if inode not in (0, seen.st_ino):
            aside = self._aside(path, inode)
            if aside is not None and (rest := [*self._lines_of(aside, name, agent, inode, offset, last=True)]):
                yield from rest
                return  # the new file's turn comes when these were taken
        begin = offset if inode == seen.st_ino and _goes_on(path, offset, seen.st_size) else 0
        if seen.st_size > begin:
            yield from self._lines_of(path, name, agent, seen.st_ino, begin)

    def _aside(self, path: Path, inode: int) -> Path | None:
        """Where a file is that had this place before."""
        return next((one for one in self.events.glob(f"{path.name}*") if one.stat().st_ino == inode), None)

    def _lines_of(
        self, path: Path, name: str, agent: str, inode: int, begin: int, last: bool = False
    ) -> Iterator[Spooled]:
        with path.open("rb") as file:
            file.seek(begin)
            data = file.read(CHUNK)
            seen = os.fstat(file.fileno())
            at, whole = begin, data.split(b"\n")
            rest = whole.pop()
            for line in whole:
                at += len(line) + 1
                yield Spooled(name, f"{inode}:{at}", line, seen.st_mtime, agent)
            if rest and not whole and (last or len(rest) == CHUNK):
                end = self._line_end(file, name, inode, begin, last)
                if end is not None:  # longer than any signal, or it gets no end any more
                    yield Spooled(name, f"{inode}:{end}", rest, seen.st_mtime, agent)

    def _line_end(self, file: BinaryIO, name: str, inode: int, begin: int, last: bool) -> int | None:
        """Behind the end of a line that is too long; of a file that does not grow any more, its end."""
        passed = self._passed.pop(name, None)
        at = passed[2] if passed is not None and passed[:2] == (inode, begin) else begin
        until = at + PASSED_BY
        while at < until and (data := os.pread(file.fileno(), CHUNK, at)):
            if (found := data.find(b"\n")) >= 0:
                return at + found + 1
            at += len(data)
        self._more = self._more or at >= until
        if last and at < until:
            return at
        self._passed[name] = inode, begin, at
        return None


def _goes_on(path: Path, offset: int, size: int) -> bool:
    """The file still holds what was taken: it was not cut short, nor written anew from its begin."""
    if size < offset or not offset:
        return size >= offset
    with path.open("rb") as file:
        return os.pread(file.fileno(), 1, offset - 1) == b"\n"


def _place(mark: str) -> tuple[int, int]:
    inode, _, offset = mark.partition(":")
    return (int(inode), int(offset)) if inode.isdecimal() and offset.isdecimal() else (0, 0)


def _read(path: Path, most: int) -> bytes:
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        return file.read(most)


def _number(name: str) -> int:
    tail = name.rpartition(".")[2]
    return int(tail) if tail.isascii() and tail.isdecimal() else 0


# --- writing


def put_signal(directory: Path, state: str, message: str, env: Mapping[str, str] = os.environ) -> str:
    """A signal of the agent in whose environment we run: into its event file, else into the spool with its pane. The
    place where it was put."""
    body = json.dumps({"state": state, "message": message}, ensure_ascii=False)
    if named := env.get("PANEWARD_EVENTS"):
        _append(Path(named), f"{body}\n".encode("utf-8", "replace"))
        return named
    head = f"signal\t{env.get('TMUX_PANE', '')}\t{env.get('TMUX', '')}\n"
    spool = directory / "spool"
    spool.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(_create(spool, f"{head}{body}".encode("utf-8", "replace") + END))


def _append(path: Path, line: bytes) -> None:
    """In one write: two at once do not mix. A half line that somebody left there is ended first."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        size = os.fstat(file).st_size
        torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
        os.write(file, b"\n" + line if torn else line)
    finally:
        os.close(file)


def _create(spool: Path, data: bytes) -> Path:
    number = 0
    while True:
        path = spool / f"{os.getpid()}.{number}"
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if error.errno != errno.EEXIST:
                raise
            number += 1
            continue
        with open(file, "wb") as written:
            written.write(data)
        return path
