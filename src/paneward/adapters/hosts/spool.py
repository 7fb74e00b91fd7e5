"""The spool of another host: looked at through one `sh` over ssh that is kept open.

Hooks over there write files as they do here. A look prints those that are there, and what was taken is removed before
the next look. What surprised us: a file is removed a moment after it was taken, or, where the connection broke, not at
all; its mark is stored by then, so it is known again. The clocks of two machines differ: the age of a file counts.
"""

import asyncio
import base64
import binascii
import contextlib
import os
import secrets
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping

from paneward.adapters.hosts.host import Host, HostGate
from paneward.adapters.hosts.pipes import end, read_until
from paneward.core.errors import TmuxError
from paneward.core.state.hooks import END, LONGEST
from paneward.ports import Clock, Spooled

EVERY = 0.3  # seconds between looks
PATIENCE = 60.0  # seconds for one look
UNFINISHED = 60.0  # seconds after which a file that has no end will not get one
MOST = 64 << 20  # bytes of one answer
# Words on standard input: `look MARK`, `rm NAME`. Where a server of its own listens, nothing is taken from it.
SCRIPT = r"""
d=${PANEWARD_STATE_DIR:-${XDG_STATE_HOME:-$HOME/.local/state}/paneward}/spool
while read -r word name; do
case $word in
rm) rm -f -- "$d/$name";;
look)
set -- "$d"/*
if [ -e "$1" ] && ! [ -e "$d/../server.json" ]; then
total=0
ls -tr "$d" | head -n 100 | while read -r f; do
case $f in *[!0-9.]*) continue;; esac
s=$(stat -c '%s %i %Y %y' -- "$d/$f" 2>/dev/null) || continue
total=$((total + ${s%% *})); [ "$total" -gt 16000000 ] && [ "$total" -gt "${s%% *}" ] && break
printf '%s file %s %s %s\n' "$name" "$f" "$(date +%s)" "$s"
head -c 8000001 "$d/$f" 2>/dev/null | base64
done
fi
printf '%s end\n' "$name";;
esac
done
"""


class RemoteSpool:
    """The `Spool` port, on a host."""

    def __init__(self, host: Host, gate: HostGate, clock: Clock) -> None:
        self._host = host
        self._gate = gate
        self._clock = clock
        self._marks: dict[str, str] = {}  # what was taken and may be there still
        self._shell: subprocess.Popen[bytes] | None = None

    async def run(self, marks: Mapping[str, str]) -> AsyncIterator[list[Spooled]]:
        """What is there, and what comes; while the host is away, it is waited for. Who takes something at the moment in
        which it is lost is not interrupted."""
        self._marks = {name: mark for name, mark in marks.items() if name.startswith(f"{self._host.name}:")}
        while True:
            await self._gate.up.wait()
            with contextlib.suppress(OSError, TmuxError), self._opened() as shell:
                while True:
                    if found := await self._look(shell):
                        yield found
                    await self._clock.sleep(EVERY)
            await self._clock.sleep(EVERY)

    def taken(self, spooled: Spooled) -> None:
        """It was taken, and its mark is stored."""
        self._marks[spooled.name] = spooled.mark
        if self._shell is not None:
            _send(self._shell, f"rm {spooled.name.rpartition('/')[2]}\n")

    # --- inside

    @contextlib.contextmanager
    def _opened(self) -> Iterator[subprocess.Popen[bytes]]:
        self._shell = shell = self._host.spawn(["sh", "-c", SCRIPT, "sh"])
        try:
            yield shell
        finally:
            self._shell = None
            end(shell)

    async def _look(self, shell: subprocess.Popen[bytes]) -> list[Spooled]:
        mark = secrets.token_hex(12)
        _send(shell, f"look {mark}\n")
        assert shell.stdout is not None
        async with asyncio.timeout(PATIENCE):
            answer = await read_until(shell.stdout.fileno(), lambda said: said.endswith(f"{mark} end\n".encode()), MOST)
        there = [one for one in map(self._read, answer.split(f"{mark} file ".encode())[1:]) if one is not None]
        known = {one.name: one.mark for one in there if self._marks.get(one.name) == one.mark}
        self._marks = known  # all else is gone: what is to be removed is removed before the next look
        for one in there:
            if one.name in known:  # it was taken before the connection broke
                self.taken(one)
        return [one for one in there if one.name not in known and not self._unfinished(one)]

    def _unfinished(self, found: Spooled) -> bool:
        """It is being written."""
        young = self._clock.wall() - found.at < UNFINISHED
        return young and not found.data.endswith(END) and len(found.data) <= LONGEST

    def _read(self, block: bytes) -> Spooled | None:
        """One file: its name, the time there, its facts; its content below."""
        head, _, rest = block.partition(b"\n")
        try:
            file, now, _, inode, changed, exact = head.decode("ascii").split(" ", 5)
            data = base64.b64decode(b"".join(line for line in rest.split(b"\n") if b" " not in line), validate=True)
            age = max(float(now) - float(changed), 0.0)
        except (ValueError, binascii.Error):
            return None
        return Spooled(f"{self._host.name}:spool/{file}", f"{inode}:{exact}", data, self._clock.wall() - age)


def _send(shell: subprocess.Popen[bytes], line: str) -> None:
    assert shell.stdin is not None
    with contextlib.suppress(OSError, ValueError):  # that it ended, reading tells
        os.write(shell.stdin.fileno(), line.encode())
