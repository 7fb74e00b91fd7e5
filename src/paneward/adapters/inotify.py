"""The kernel's news of directories, by ctypes: Python has no module for it. Nothing is polled."""

import asyncio
import ctypes
import os
from pathlib import Path

CLOSE_WRITE, MODIFY, MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x8, 0x2, 0x40, 0x80, 0x100, 0x200
_libc = ctypes.CDLL(None, use_errno=True)


class Inotify:
    """Watches directories; `wait` returns when something happened in one of them."""

    def __init__(self) -> None:
        self._fd = _checked(_libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC), "inotify")
        self._woken = asyncio.Event()
        asyncio.get_running_loop().add_reader(self._fd, self._wake)

    def watch(self, directory: Path, mask: int) -> None:
        _checked(_libc.inotify_add_watch(self._fd, os.fsencode(directory), mask), str(directory))

    def _wake(self) -> None:
        """What happened is drained: whoever waits looks at the directories anyway, so a lost event loses nothing."""
        try:
            while os.read(self._fd, 65536):
                self._woken.set()
        except BlockingIOError:
            pass

    async def wait(self) -> None:
        await self._woken.wait()
        self._woken.clear()

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._fd)
        os.close(self._fd)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result
