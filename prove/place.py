"""Where cells are played: a private tmux server with connections to it, a private sshd, and the load beside them.

Whatever is started here ends with the process that started it, however that ends.
"""

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import paneward
from paneward.adapters.hosts.host import Host
from paneward.app import Connection
from tests.adapters.conftest import SSHD, TMUX, TmuxServer, _write_sshd, free_port, listens, until

BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    for _ in range(10**6): pass"
WAYS = ("control", "exec", "ssh")


class OneSession(TmuxServer):
    """A server whose panes are windows of one session.

    Up to 3.5a tmux crashes when a session begins or ends while a control client is still introducing itself: a notice
    goes to a client that cannot take one yet. With a session per cell, one cell in a thousand met that moment.
    """

    def new_pane(
        self, command: str | Sequence[str] = "sh", width: int = 80, height: int = 24, remain: bool = False
    ) -> str:
        words = [command] if isinstance(command, str) else list(command)
        if not self.sessions:
            return super().new_pane(words, width, height, remain)
        self.sessions += 1
        pane = self.run("new-window", "-d", "-t", "s1:", "-P", "-F", "#{pane_id}", *words)
        if remain:
            self.run("set-option", "-p", "-t", pane, "remain-on-exit", "on")
        if self.run("display-message", "-p", "-t", pane, "#{pane_width} #{pane_height}") != f"{width} {height}":
            self.run("resize-window", "-t", pane, "-x", str(width), "-y", str(height))
        return pane


class Place:
    """A tmux server of its own, reached in any of the ways; connections stay open from cell to cell."""

    def __init__(self, server: TmuxServer, directory: Path, ssh_config: Path | None) -> None:
        self.server = server
        self.directory = directory
        self._ssh_config = ssh_config
        self._stack = AsyncExitStack()
        self._open: dict[str, Connection] = {}

    @property
    def state(self) -> Path:
        return self.directory / "state"

    async def connection(self, way: str = "control") -> Connection:
        if way not in self._open:
            host = None if way != "ssh" else Host.ssh("loopback", "-F", str(self._ssh_config))
            opened = paneward.connect(
                self.server.name, host=host, transport="exec" if way == "exec" else "control", state=self.state
            )
            self._open[way] = await self._stack.enter_async_context(opened)
        return self._open[way]

    async def close_pane(self, pane: str) -> None:
        with contextlib.suppress(RuntimeError):
            await asyncio.to_thread(self.server.run, "kill-pane", "-t", pane)

    async def close(self) -> None:
        with contextlib.suppress(Exception):
            await self._stack.aclose()
        await asyncio.to_thread(self._end_server)

    def _end_server(self) -> None:
        """End it, and take away the socket that it leaves behind."""
        with contextlib.suppress(RuntimeError, OSError):
            socket = self.server.run("display-message", "-p", "#{socket_path}")
            self.server.end()
            os.unlink(socket)


@asynccontextmanager
async def private_place(ssh_config: Path | None = None) -> AsyncIterator[Place]:
    with TemporaryDirectory(prefix="paneward-prove-", ignore_cleanup_errors=True) as name:
        directory = Path(name)
        (directory / "home").mkdir()
        server = OneSession(f"paneward-prove-{uuid.uuid4().hex[:12]}", directory / "home")
        await asyncio.to_thread(server.new_pane, "exec cat")  # so that the server outlives every other pane
        place = Place(server, directory, ssh_config)
        try:
            yield place
        finally:
            await place.close()


def missing() -> list[str]:
    """What this machine lacks for the proofs."""
    return [name for name, found in {"tmux": shutil.which(TMUX), "sshd": SSHD}.items() if not found]


@contextmanager
def loopback() -> Iterator[Path]:
    """The ssh configuration under which `loopback` is a private sshd on this machine."""
    assert SSHD is not None
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd of root insists on its empty directory
    with TemporaryDirectory(prefix="paneward-prove-sshd-", ignore_cleanup_errors=True) as name:
        port = free_port()
        server, client = _write_sshd(Path(name), port)
        process = subprocess.Popen(
            [SSHD, "-D", "-e", "-f", server], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            until(lambda: listens(port))
            yield client
        finally:
            process.terminate()
            process.wait()


@contextmanager
def cores_loaded(wanted: bool) -> Iterator[None]:
    """A busy loop per core, of ordinary priority."""
    loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(os.cpu_count() or 1) if wanted]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
