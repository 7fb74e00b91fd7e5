"""One writer per pane, across tasks and processes.

A lock file in the state directory is held with `flock`, which the kernel lets go of when its holder
dies, however it dies. Tasks of one event loop queue up on an `asyncio.Lock` first, so that a hundred of
them cost one waiting thread. Nothing polls: whoever finds the file locked waits in a daemon thread.

What surprised us: a thread inside `flock` cannot be called back. So a waiter that gave up leaves its
thread behind; the next one for the same pane adopts it, and if nobody came, the thread lets go at once.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from weakref import WeakKeyDictionary

from paneward.core.errors import Code, PanewardError, StoreError


@dataclass(slots=True)
class _Queue:
    """The tasks of one event loop that want one pane."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


@dataclass(slots=True, eq=False)
class _Wait:
    """One thread that waits for one file. `client` is None while nobody wants the outcome."""

    file: int
    client: tuple[asyncio.AbstractEventLoop, asyncio.Future[None]] | None
    settled: bool = False
    error: OSError | None = None


# What the process knows of its own waiters: both registries hold only what is in use.
_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Path, _Queue]] = WeakKeyDictionary()
_orphans: dict[Path, list[_Wait]] = {}
_guard = threading.Lock()


@contextlib.asynccontextmanager
async def pane_lock(directory: Path, key: str, timeout: float) -> AsyncIterator[None]:
    """Be the only writer of the pane that `key` names, across processes: `<tmux server> <pane>`.

    Raises `PanewardError` with TIMEOUT after `timeout` seconds, naming the process that holds it.
    """
    path = _place(directory, key)
    queues = _queues.setdefault(asyncio.get_running_loop(), {})
    queue = queues.setdefault(path, _Queue())
    queue.users += 1
    try:
        file = await _acquire(path, queue, timeout, key.split(" ")[-1])
        try:
            yield
        finally:
            _release(file)
            queue.lock.release()
    finally:
        queue.users -= 1
        if not queue.users:
            del queues[path]


@lru_cache(256)  # the same few panes again and again
def _place(directory: Path, key: str) -> Path:
    return directory / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.lock"


async def _acquire(path: Path, queue: _Queue, timeout: float, pane: str) -> int:
    """The locked file; on the way out of here by an exception nothing is held."""
    try:
        if queue.users == 1 and (file := _at_once(path)) is not None:
            await queue.lock.acquire()  # nobody else wants it: it takes no time
            return file
        async with asyncio.timeout(timeout):
            await queue.lock.acquire()
            try:
                return await _take(path)
            except BaseException:
                queue.lock.release()
                raise
    except TimeoutError:
        raise PanewardError(
            f"another sender holds pane {pane} ({_holder(path)})",
            code=Code.TIMEOUT,
            hint="Nothing was typed. Try again when that sender is done, or with a longer time-out.",
        ) from None
    except OSError as error:
        raise StoreError(
            f"cannot lock {path}: {error.strerror}", hint="PANEWARD_STATE_DIR names another state directory."
        ) from None


def _at_once(path: Path) -> int | None:
    """The same as `_take`, if nobody has to be waited for: mostly."""
    file = _open(path)
    if _try(file) and _current(path, file):
        _sign(file)
        return file
    os.close(file)
    return None


async def _take(path: Path) -> int:
    """The open lock file of the pane, locked: the one that stands in the directory now, not a swept one."""
    while True:
        file = _open(path)
        if not _try(file):
            file = await _wait(path, file)
        if _current(path, file):
            _sign(file)
            return file
        os.close(file)


def _try(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        os.close(file)
        raise
    return True


def _sign(file: int) -> None:
    """Leave our pid, for those who will wait; whose name stands there counts only while the file is locked."""
    name = b"%-10d\n" % os.getpid()
    with contextlib.suppress(OSError):  # a full disk takes the name of the holder, not the lock
        if os.pread(file, len(name), 0) != name:  # to write it again costs more than all the rest
            os.pwrite(file, name, 0)


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.open(path, flags, 0o600)


def _current(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False


def _release(file: int) -> None:
    fcntl.flock(file, fcntl.LOCK_UN)  # closing alone would leave it to a forked child that inherited the file
    os.close(file)


async def _wait(path: Path, file: int) -> int:
    """Wait in a thread until the lock of `path` is ours; the file that holds it."""
    loop = asyncio.get_running_loop()
    granted: asyncio.Future[None] = loop.create_future()
    wait = _adopt_or_start(path, file, (loop, granted))
    try:
        await granted
    except BaseException:
        _abandon(path, wait)
        raise
    if wait.error:
        os.close(wait.file)
        raise wait.error
    return wait.file


def _adopt_or_start(path: Path, file: int, client: tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]) -> _Wait:
    with _guard:
        waits = _orphans.get(path)
        if waits:
            wait = waits.pop()
            wait.client = client
            _forget(path)
            os.close(file)
            return wait
    wait = _Wait(file, client)
    threading.Thread(target=_block, args=(path, wait), name=f"paneward-lock-{path.name[:8]}", daemon=True).start()
    return wait


def _block(path: Path, wait: _Wait) -> None:
    """The thread: take the lock, then hand it to whoever wants it by now, or let it go."""
    try:
        fcntl.flock(wait.file, fcntl.LOCK_EX)
    except OSError as error:
        wait.error = error
    with _guard:
        wait.settled = True
        client = wait.client
        if client is None:
            _orphans[path].remove(wait)
            _forget(path)
            _release(wait.file)
            return
    loop, granted = client
    with contextlib.suppress(RuntimeError):  # the loop is closed: its tasks were cancelled and have abandoned us
        loop.call_soon_threadsafe(_grant, granted)


def _grant(granted: asyncio.Future[None]) -> None:
    if not granted.done():
        granted.set_result(None)


def _abandon(path: Path, wait: _Wait) -> None:
    with _guard:
        if wait.settled:
            _release(wait.file)
        else:
            wait.client = None
            _orphans.setdefault(path, []).append(wait)


def _forget(path: Path) -> None:
    if not _orphans[path]:
        del _orphans[path]


def _holder(path: Path) -> str:
    try:
        pid = path.read_text().strip()
    except OSError:
        pid = ""
    return f"pid {pid}" if pid else "its pid is not known"


def sweep(directory: Path, older_than: float) -> int:
    """Remove the lock files nobody holds that were last used before `older_than` (seconds since the epoch)."""
    removed = 0
    for path in directory.glob("*.lock"):
        with contextlib.suppress(OSError):
            removed += path.stat().st_mtime < older_than and _remove(path)
    return removed


def _remove(path: Path) -> bool:
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(file)
