"""The door of a tmux server, through which one control client at a time comes or goes: across tasks and processes.

What surprised us: up to 3.5a the tmux server crashes, and every program in it dies, when it has something to tell to a
control client that is still introducing itself: that another client went, that a session began or ended, that a pane
entered or left its copy mode. Three processes that came and went as they liked crashed it at every 27th coming. So
Paneward's own coming and going is done in turn; what a human does in that fraction of a millisecond cannot be.

It crashes too when a client is killed while it introduces itself. One that is asked to end sends its words first.

That a client's process is gone does not say that tmux knows: that its end of the pipe is closed does.

Whoever does not get its turn in time goes on without it: a process that is stopped in the door shuts nobody out.
"""

import asyncio
import contextlib
import logging
import os
import pwd
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

from paneward.adapters.tmux import socket as tmux_socket
from paneward.adapters.tmux.pane_lock import pane_lock
from paneward.core.errors import PanewardError

PATIENCE = 2.0  # seconds to wait for one's turn, and for a client to introduce itself
AGAIN = 0.1  # the same, of one who has waited in vain just before
ENDS = 0.5  # seconds for a client that was asked to end, and for tmux to hear of it
READ = 1 << 16
log = logging.getLogger("paneward.tmux")


class Door:
    """`key` names the tmux server, to all processes of this user alike."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._folders = _folders(key)
        self._folder: Path | None = None  # the first of them that is ours
        self._patience = PATIENCE
        self._going: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Nobody else comes or goes meanwhile, as far as that can be had."""
        async with contextlib.AsyncExitStack() as held:
            folder = self._ours()
            if folder is not None:
                try:
                    await held.enter_async_context(pane_lock(folder, self._key, self._patience))
                    self._patience = PATIENCE
                except PanewardError:
                    self._patience = AGAIN
            yield

    def let_out(self, process: subprocess.Popen[bytes], introduced: bool) -> None:
        """End a client when it is its turn; `settle` waits for that."""
        task = asyncio.get_running_loop().create_task(self._let_out(process, introduced))
        self._going.add(task)
        task.add_done_callback(self._going.discard)

    async def settle(self) -> None:
        """Until all who were let out are gone."""
        await asyncio.gather(*self._going)

    async def _let_out(self, process: subprocess.Popen[bytes], introduced: bool) -> None:
        try:
            async with self.alone():
                _end(process, introduced)
                await _let_go(process)
        finally:
            _end(process, introduced)  # of a loop that is closed before its turn came
            for pipe in (process.stdout, process.stderr, process.stdin):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def _ours(self) -> Path | None:
        """The folder for the lock: one that nobody else can write to."""
        if self._folder is None:
            self._folder = next(filter(_is_ours, self._folders), None)
            if self._folder is None and self._key not in _warned:
                _warned.add(self._key)
                log.warning("no lock for the tmux server %s: %s is not ours alone", self._key, self._folders[0])
        return self._folder


_warned: set[str] = set()  # tmux servers without a lock: once is enough


def _folders(key: str) -> tuple[Path, ...]:
    """Where the lock may lie, for all processes of this user alike. Beside its socket, where nobody else can make
    anything beforehand; of a server on another host, in a place that is the same whatever our home is called."""
    shared = Path("/tmp") / f"paneward-{os.getuid()}"
    return (Path(key).parent / ".paneward", shared) if key.startswith("/") else (shared, _home() / ".cache/paneward")


def _home() -> Path:
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return Path.home()


def _is_ours(folder: Path) -> bool:
    """Whether nobody else can write to it. Nothing is made in a directory of another user."""
    try:
        if folder.parent.stat().st_uid not in (os.getuid(), 0):
            return False
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return found.st_uid == os.getuid() and found.st_mode & 0o170077 == 0o040000


def _end(process: subprocess.Popen[bytes], introduced: bool) -> None:
    """End a client's process. One that is killed is heard of no more; one that introduces itself is not killed."""
    if introduced:
        process.kill()
    else:
        process.terminate()
    try:
        process.wait(ENDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


async def _let_go(process: subprocess.Popen[bytes]) -> None:
    """Until tmux has closed its end of the pipe, and so has heard that the client is gone."""
    assert process.stdout is not None
    loop, closed, pipe = asyncio.get_running_loop(), asyncio.Event(), process.stdout.fileno()

    def read() -> None:
        with contextlib.suppress(BlockingIOError):
            if not os.read(pipe, READ):
                closed.set()

    loop.add_reader(pipe, read)
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ENDS):
                await closed.wait()
    finally:
        loop.remove_reader(pipe)


def server_key(host: str, socket_name: str | None, socket_path: str | None) -> str:
    """What names a tmux server: the path of its socket, as tmux finds it; on another host, what is said there."""
    if host:
        return f"{host} {socket_path or socket_name or ''}"
    return os.path.realpath(tmux_socket.socket_path(socket_name, socket_path))
