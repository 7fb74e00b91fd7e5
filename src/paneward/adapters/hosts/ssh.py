"""One ssh to a host that stays open: as long as it answers, the host is there.

It runs a small `sh` over there that tells the version of tmux and then sends back whatever it is sent. What surprised
us: a connection into nothing breaks only when TCP gives up, after minutes; the start-up files of a shell may print
before our own words, so those have a mark.
"""

import asyncio
import contextlib
import os
import secrets
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from paneward.adapters.hosts.host import Host, HostGate
from paneward.adapters.hosts.pipes import end, readable
from paneward.adapters.tmux.words import check_version
from paneward.core.errors import HostUnreachable, LoginNeeded, TmuxNotInstalled, TmuxTooOld
from paneward.ports import Clock

PING_EVERY = 5.0  # seconds
LIMIT = 1 << 16  # bytes of what is printed before our own words
# $1 mark, $2 tmux
SCRIPT = r"""printf '\n%s %s\n' "$1" "$("$2" -V 2>/dev/null)"; exec cat"""
NO_TMUX = "Install it there; `ssh HOST tmux -V` must tell its version, or tmux.binary names where it is."


class SshConnection:
    def __init__(self, host: Host, process: subprocess.Popen[bytes], clock: Clock, silent_after: float) -> None:
        self._host = host
        self._process = process
        self._clock = clock
        self._silent_after = silent_after
        self._said = b""
        self.tmux = ""

    async def greet(self, mark: str, timeout: float) -> None:
        """Until the other side has told its tmux."""
        try:
            async with asyncio.timeout(timeout):
                words = await self._until(mark.encode())
        except TimeoutError:
            raise HostUnreachable(f"{self._host.name}: no answer within {timeout:g} s") from None
        if not words.strip():
            raise TmuxNotInstalled(f"{self._host.name}: there is no tmux", hint=NO_TMUX)
        try:
            check_version(words)
        except TmuxTooOld as old:
            raise TmuxTooOld(f"{self._host.name}: {old.message}", hint=old.hint) from None
        self.tmux = words.strip().removeprefix("tmux ")

    async def hold(self, gate: HostGate) -> None:
        """For as long as it answers: ends by an exception that tells why."""
        pinging, refused = asyncio.ensure_future(self._ping()), asyncio.ensure_future(gate.refused.wait())
        try:
            await asyncio.wait({pinging, refused}, return_when=asyncio.FIRST_COMPLETED)
            if refused.done():
                raise LoginNeeded(f"{self._host.name}: ssh refused another connection")
            await pinging
        finally:
            for task in (pinging, refused):
                task.cancel()
            await asyncio.wait({pinging, refused})

    async def _ping(self) -> None:
        while True:
            mark = secrets.token_hex(8).encode()
            self._send(mark + b"\n")
            try:
                async with asyncio.timeout(self._silent_after):
                    await self._until(mark)
            except TimeoutError:
                raise HostUnreachable(f"{self._host.name}: no answer within {self._silent_after:g} s") from None
            await self._rest(PING_EVERY)

    async def _rest(self, seconds: float) -> None:
        """A while without a question; that it ended is heard at once."""
        resting = asyncio.ensure_future(self._clock.sleep(seconds))
        reading = asyncio.ensure_future(self._read())
        try:
            await asyncio.wait({resting, reading}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
        finally:
            for task in (resting, reading):
                task.cancel()
            await asyncio.wait({resting, reading})

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # that it ended, reading tells
            os.write(self._process.stdin.fileno(), data)

    async def _until(self, mark: bytes) -> str:
        """What stands behind the mark on its line."""
        while True:
            for line in self._said.split(b"\n")[:-1]:
                if line.startswith(mark):
                    self._said = b""
                    return line[len(mark) :].decode("utf-8", "replace")
            await self._read()

    async def _read(self) -> None:
        """Something more was said; raises when it ended."""
        assert self._process.stdout is not None
        file = self._process.stdout.fileno()
        await readable(file)
        data = os.read(file, LIMIT)
        if not data:
            raise self._host.failure(await self._last_words())
        self._said = (self._said + data)[-LIMIT:]

    async def _last_words(self) -> str:
        """ssh says why before it ends, which it is given a moment for."""
        for _ in range(20):
            if self._process.poll() is not None:
                break
            await self._clock.sleep(0.01)
        self._process.kill()
        self._process.wait()
        assert self._process.stderr is not None
        os.set_blocking(self._process.stderr.fileno(), False)
        return (self._process.stderr.read() or b"").decode("utf-8", "replace")

    def close(self) -> None:
        end(self._process)


@asynccontextmanager
async def open_line(
    host: Host, gate: HostGate, clock: Clock, *, tmux: str, connect_timeout: float, silent_after: float
) -> AsyncIterator[SshConnection]:
    """A line to `host`; inside, `gate` is open. Raises why there is none: ssh's own words, or what tmux lacks."""
    mark = secrets.token_hex(12)
    try:
        process = host.spawn(["sh", "-c", SCRIPT, "sh", mark, tmux])
    except FileNotFoundError as missing:
        raise HostUnreachable(f"no `{missing.filename}` on PATH", hint="Install it: `openssh-client`.") from None
    line = SshConnection(host, process, clock, silent_after)
    try:
        await line.greet(mark, connect_timeout)
        gate.open()
        why = HostUnreachable(f"{host.name}: it is not connected")
        try:
            yield line
        except HostUnreachable as told:
            why = told
            raise
        finally:
            gate.shut(why)
    finally:
        line.close()
