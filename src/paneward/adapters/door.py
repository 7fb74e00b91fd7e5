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
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

from paneward.adapters import tmux_socket
from paneward.adapters.lock import pane_lock
from paneward.core.errors import PanewardError

PATIENCE = 2.0  # seconds to wait for one's turn, and for a client to introduce itself
AGAIN = 0.1  # the same, of one who has waited in vain just before
ENDS = 0.5  # seconds for a client that was asked to end, and for tmux to hear of it
READ = 1 << 16


class Door:
    """`key` names the tmux server, to all processes of this user alike."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._folder = Path("/tmp") / f"paneward-{os.getuid()}"
        self._ours = False
        self._patience = PATIENCE
        self._going: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Nobody else comes or goes meanwhile, as far as that can be had."""
        async with contextlib.AsyncExitStack() as held:
            if self._is_ours():
                try:
                    await held.enter_async_context(pane_lock(self._folder, self._key, self._patience))
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

    def _is_ours(self) -> bool:
        """Whether there is a folder for the lock that nobody else can write to."""
        if not self._ours:
            with contextlib.suppress(OSError):
                self._folder.mkdir(mode=0o700, exist_ok=True)
                found = self._folder.lstat()
                self._ours = found.st_uid == os.getuid() and found.st_mode & 0o170077 == 0o040000
        return self._ours


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
