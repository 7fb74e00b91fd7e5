"""One `tmux -C` process: commands out in batches, replies in order, everything else as events.

A thin driver of `core/terminal/control.py`. Replies are handed on while the bytes are read, before any later event of
the same read, so that a capture can be joined to the output that follows it without a gap.

What surprised us: a line that is sent at once can be carried out before the client is attached, and then hears
no output, so the first line waits for `%session-changed`; a client that ends while the server hangs can crash the
server when it goes on, so one that is late is kept, its late replies are counted, and only new work goes
elsewhere; a client that ends tells why in three places (an error block, `%exit`, stderr), of which any may be empty;
the server itself writes into our pipe, so the end of the client process is not the end of the pipe's data, nor
seen there while the server hangs.
"""

import asyncio
import contextlib
import math
import os
import select
import subprocess
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from paneward.adapters.clock import SystemClock
from paneward.adapters.hosts.host import NOT_FOUND, SSH_FAILED, Host
from paneward.adapters.tmux.door import PATIENCE, Door
from paneward.core.errors import TmuxError, TmuxNotInstalled, TmuxTimeout
from paneward.core.terminal.control import (
    BrokenStream,
    ClientExit,
    CommandReply,
    Control,
    Event,
    SessionChanged,
    StrayFailure,
    joined,
)

READ = 1 << 16  # what a pipe holds; a larger buffer costs more to allocate than all the rest of a command
# Seconds before a client is opened in the place of one that ended. Up to 3.5 the tmux server crashes when a
# session begins or ends while a control client attaches, and ours mostly end because a session does.
UPHEAVAL = 0.2
BATCH = 32  # lines that go out at once: tmux works on them while the next are made


class ClientLost(Exception):
    """The client ended before the answer came; the words say why."""


@dataclass(slots=True)
class PendingCommand:
    future: asyncio.Future[CommandReply]
    deadline: float
    early: Callable[[CommandReply], None] | None  # called at the reply's exact place in the stream


class Client:
    """A control client. `on_event` hears what is no reply; `on_lost` is called once when it ended by itself."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        host: Host,
        door: Door,
        timeout: float,
        on_event: Callable[[Event], None] | None = None,
        on_lost: Callable[[], None] | None = None,
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._host = host
        self._door = door
        self._timeout = timeout
        self._on_event = on_event
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._clock = SystemClock()
        self._control = Control()
        self._pending: deque[PendingCommand] = deque()
        self._out: list[bytes] = []
        self._unsent = b""
        self._flushing = False
        self._writing = False  # waiting until the pipe takes more
        self._timer: asyncio.TimerHandle | None = None
        self._in = process.stdin.fileno()
        self._from = process.stdout.fileno()
        self.lost: str | None = None  # why it ended; None while it lives
        self.late = False  # a command timed out here: the server hangs, or the command blocks
        self._attached = False
        self._settled = asyncio.Event()  # it has introduced itself, or ended
        self._words: list[str] = []
        os.set_blocking(self._in, False)
        os.set_blocking(self._from, False)
        self._loop.add_reader(self._from, self._readable)
        self._pidfd = _pidfd(process.pid)
        if self._pidfd is not None:
            self._loop.add_reader(self._pidfd, self._process_ended)

    async def introduced(self) -> None:
        """Until it has told tmux who it is: at the door until then."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._settled.wait()

    # --- asking

    def ask(
        self,
        line: bytes,
        framed: str | None = None,
        early: Callable[[CommandReply], None] | None = None,
        timeout: float | None = None,
    ) -> asyncio.Future[CommandReply]:
        """Send one line; `framed` is the nonce under which its answer is to be read."""
        future: asyncio.Future[CommandReply] = self._loop.create_future()
        if self.lost is not None:
            future.set_exception(ClientLost(self.lost))
            return future
        if framed is None:
            self._control.expect_plain()
            self._out.append(line)
        else:
            mark = framed.encode()
            self._control.expect_framed(mark)
            self._out += (line, b"display-message -p " + mark)
        patience = self._timeout if timeout is None else timeout
        deadline = self._clock.now() + patience
        self._pending.append(PendingCommand(future, deadline, early))
        if self._timer is None and deadline < math.inf:
            self._timer = self._loop.call_later(patience, self._overdue)
        if len(self._pending) == 1 or len(self._out) >= BATCH:  # nothing is under way, or enough to go on with
            self._flush()
        elif not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)
        return future

    def _flush(self) -> None:
        self._flushing = False
        if self.lost is not None or not self._attached or not (self._out or self._unsent):
            return
        if self._out:
            self._unsent += b"\n".join(self._out) + b"\n"
            self._out.clear()
        try:
            sent = os.write(self._in, self._unsent)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            self._end(f"tmux no longer listens ({error.strerror})")
            return
        self._unsent = self._unsent[sent:]
        if bool(self._unsent) is not self._writing:
            self._writing = bool(self._unsent)
            if self._writing:
                self._loop.add_writer(self._in, self._flush)
            else:
                self._loop.remove_writer(self._in)

    # --- hearing

    def _readable(self) -> None:
        try:
            data = os.read(self._from, READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._end("the control client ended")
            return
        for event in joined(self._control.feed(data)):
            if type(event) is CommandReply:
                self._answer(event)
            else:
                self._hear(event)

    def _process_ended(self) -> None:
        """Hear what is still in the pipe, then end."""
        while self.lost is None and select.select([self._from], [], [], 0)[0]:
            self._readable()
        self._end("the control client ended")

    def _answer(self, reply: CommandReply) -> None:
        pending = self._pending.popleft()
        if pending.early is not None:
            pending.early(reply)
        if not pending.future.done():
            pending.future.set_result(reply)

    def _hear(self, event: Event) -> None:
        match event:
            case SessionChanged() if not self._attached:
                self._attached = True
                self._settled.set()
                self._flush()
            case ClientExit(reason) if reason:
                self._words.append(reason)
            case StrayFailure(words):
                self._words.append(words)
            case BrokenStream(reason):
                self._end(reason)
        if self._on_event is not None:
            self._on_event(event)

    def _overdue(self) -> None:
        """Tell those whose time is up; their replies are still due."""
        self._timer = None
        now = self._clock.now()
        for pending in self._pending:
            if pending.deadline > now:
                if pending.deadline < math.inf:
                    self._timer = self._loop.call_later(pending.deadline - now, self._overdue)
                return
            if not pending.future.done():
                self.late = True
                pending.future.set_exception(TmuxTimeout(f"tmux did not answer within {self._timeout:g} s"))

    # --- the end

    def failure(self) -> TmuxError | None:
        """What kept this client from ever working, where that is known to be other than tmux's own words."""
        words = self.lost or ""
        if not self._host.local and self._process.returncode == SSH_FAILED:
            return self._host.failure(words)
        if self._process.returncode == NOT_FOUND:
            return TmuxNotInstalled(words)
        return None

    def _end(self, reason: str) -> None:
        """The client is of no use any more: say so to all who wait."""
        if self.lost is not None:
            return
        self._unlisten()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._tell_lost("; ".join(filter(None, [*self._words, self._last_words()])) or reason)
        if self._on_lost is not None:
            self._on_lost()

    def _tell_lost(self, why: str) -> None:
        self.lost = why
        self._settled.set()
        for pending in self._pending:
            if not pending.future.done():
                pending.future.set_exception(ClientLost(self.lost))
                pending.future.exception()  # whoever was cancelled does not come back for it
        self._pending.clear()

    def _unlisten(self) -> None:
        self._loop.remove_reader(self._from)
        self._loop.remove_writer(self._in)
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _last_words(self) -> str:
        """Reap the process and read its stderr. Its exit status is kept when it ended by itself just now."""
        try:
            self._process.wait(0.2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stderr
        os.set_blocking(self._process.stderr.fileno(), False)
        with self._process.stderr as stderr:
            return (stderr.read() or b"").decode("utf-8", "replace").strip()

    def close(self) -> None:
        """Who still waits is told that it was closed; the process ends when it is its turn at the door."""
        if self.lost is None:
            self._unlisten()
            self._tell_lost("closed")
            self._door.let_out(self._process, self._attached)


def _pidfd(pid: int) -> int | None:
    """A descriptor that tells when the process ends; None where the system has none to give."""
    try:
        return os.pidfd_open(pid)
    except (OSError, AttributeError):
        return None


def open_client(
    host: Host,
    door: Door,
    argv: list[str],
    timeout: float,
    on_event: Callable[[Event], None] | None = None,
    on_lost: Callable[[], None] | None = None,
) -> Client:
    """Start a control client; that it works is known with its first reply."""
    try:
        process = host.spawn(argv)
    except FileNotFoundError:
        raise TmuxNotInstalled from None
    return Client(process, host, door, timeout, on_event, on_lost)
