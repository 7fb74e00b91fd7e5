"""The kernel's news of directories, by ctypes: Python has no module for it. Nothing is polled."""

import asyncio
import contextlib
import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

CLOSE_WRITE, MODIFY, MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x8, 0x2, 0x40, 0x80, 0x100, 0x200
OVERFLOW, IGNORED = 0x4000, 0x8000
_EVENT = struct.Struct("iIII")
_libc = ctypes.CDLL(None, use_errno=True)


class Inotify:
    """Watches directories; `wait` returns when something happened in one of them."""

    def __init__(self) -> None:
        self._fd = _checked(_libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC), "inotify")
        self._woken = asyncio.Event()
        self._places: dict[int, set[Path]] = {}  # one directory may have several names
        self._stirred: set[Path] = set()
        asyncio.get_running_loop().add_reader(self._fd, self._wake)

    def watch(self, directory: Path, mask: int) -> None:
        number = _checked(_libc.inotify_add_watch(self._fd, os.fsencode(directory), mask), str(directory))
        self._places.setdefault(number, set()).add(directory)

    def only(self, directories: Iterable[Path], mask: int) -> list[OSError]:
        """Watch these and no others; why some cannot be watched."""
        wanted, failed = set(directories), list[OSError]()
        for number, places in list(self._places.items()):
            places &= wanted
            if not places:
                _libc.inotify_rm_watch(self._fd, number)
                del self._places[number]
        for place in sorted(wanted - self._watched):
            try:
                self.watch(place, mask)
            except OSError as error:
                failed.append(error)
        return failed

    @property
    def _watched(self) -> set[Path]:
        return set().union(*self._places.values())

    def _wake(self) -> None:
        """What happened is drained: whoever waits looks at the directories anyway, so a lost event loses nothing."""
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._fd, 65536):
                self._note(data)
                self._woken.set()

    def _note(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            number, mask, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size + length
            if mask & IGNORED:
                self._places.pop(number, None)  # the directory is gone
            elif mask & OVERFLOW:
                self._stirred |= self._watched
            else:
                self._stirred |= self._places.get(number, set())

    async def wait(self) -> set[Path]:
        """Until something happened; where that was."""
        await self._woken.wait()
        self._woken.clear()
        stirred, self._stirred = self._stirred, set()
        return stirred

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._fd)
        os.close(self._fd)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result
