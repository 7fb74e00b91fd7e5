"""The transcripts of agents on this machine: found, and read as they grow.

Of each only what is new is read, in pieces, in a thread. A transcript that was cut short or written anew is read from
its beginning; what that would count twice, the account knows.
"""

import asyncio
import errno
import logging
import os
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path

from paneward.adapters.hooks import inotify
from paneward.adapters.transcripts import asking
from paneward.adapters.transcripts.asking import opencode
from paneward.adapters.transcripts.places import PLACES, claude_subs, process_in, since
from paneward.core.usage import Account
from paneward.ports import Clock, Grown, TranscriptPlace

PIECE = 1_000_000  # bytes that are read from one transcript in one go
TOGETHER = 4_000_000  # bytes of all transcripts of one agent
NEWS = inotify.MODIFY | inotify.CREATE | inotify.MOVED_TO
log = logging.getLogger("paneward.usage")


class Transcripts:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._complained = False
        self._inotify: inotify.Inotify | None = None
        try:
            self._inotify = inotify.Inotify()
        except OSError as error:
            self._complain(error)

    async def find(self, kind: str, pane_pid: int, told: Collection[str]) -> TranscriptPlace | None:
        """Where the transcripts of the agent in a pane lie, by its process and by what its hooks told."""
        return await asyncio.to_thread(_find, kind, pane_pid, tuple(told), self._clock.wall)

    async def read(self, account: Account, place: TranscriptPlace) -> Grown:
        return await asyncio.to_thread(_read, account, place)

    def watch(self, directories: Collection[str]) -> None:
        if self._inotify is not None:
            for error in self._inotify.only(map(Path, directories), NEWS):
                self._complain(error)

    async def changed(self) -> set[str]:
        if self._inotify is None:
            await asyncio.Event().wait()  # nothing will be told
        assert self._inotify is not None
        return {str(place) for place in await self._inotify.wait()}

    def close(self) -> None:
        if self._inotify is not None:
            self._inotify.close()

    def _complain(self, error: OSError) -> None:
        """Once: it is the same each time."""
        if not self._complained and error.errno != errno.ENOENT:
            self._complained = True
            log.warning("transcripts are read at the ends of turns only: %s", error)


def _find(kind: str, pane_pid: int, told: Collection[str], wall: Callable[[], float]) -> TranscriptPlace | None:
    process = process_in(pane_pid, wall)
    if process is not None and kind == "opencode":
        return opencode(process, since(kind, process))
    if process is None or kind not in PLACES:
        return None
    found = dict(PLACES[kind](process)) if not told or kind in ("claude", "codex") else {}
    for path in map(Path, told):
        found[path] = found.get(path, False)
        if kind == "claude":
            found |= dict(claude_subs(path, process.started_at))
    files = {str(path): sub for path, sub in found.items()}
    return TranscriptPlace(since(kind, process), files, frozenset(_directories(kind, found))) if files else None


def _directories(kind: str, found: Collection[Path]) -> Iterator[str]:
    """Where something new can come: lines of a transcript, and transcripts of sub-agents."""
    for path in found:
        yield str(path.parent)
        if kind == "claude" and path.with_suffix("").is_dir():
            yield str(path.with_suffix(""))


def _read(account: Account, place: TranscriptPlace) -> Grown:
    if place.asked is not None:
        return asking.read(account, *place.asked)
    told, left = False, TOGETHER
    for path, sub in ({path: file.sub for path, file in account.files.items()} | dict(place.files)).items():
        with suppress(OSError):
            more, size = _grow(account, path, sub, min(left, PIECE))
            told, left = told or more, left - size
    return Grown(told, left < TOGETHER)


def _grow(account: Account, path: str, sub: bool, most: int) -> tuple[bool, int]:
    """Read what is new; whether that tells anything, and how much it was."""
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        seen = os.fstat(number)
        if not stat.S_ISREG(seen.st_mode):
            return False, 0
        file = account.begin(path, seen.st_ino, sub)
        end = os.pread(number, file.tail, file.offset - file.tail)
        if not account.goes_on(path, seen.st_size, end):
            file = account.restart(path)
        data = os.pread(number, min(most, seen.st_size - file.read_to), file.read_to)
        return account.feed(path, data) if data else False, len(data)
    finally:
        os.close(number)
