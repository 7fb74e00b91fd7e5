"""Process facts on another host: one shell over ssh, kept open, asked in plain POSIX sh and procps.

What surprised us: `ps` cuts wide columns unless told a width; a thread's system call can be read only by its
owner, and not everywhere; the shell may be gone at any time, which means no facts, never an error.
"""

import asyncio
import os
import secrets
import shlex
import subprocess

from paneward.adapters.host import Host
from paneward.adapters.pipes import end, read_until
from paneward.core.errors import TmuxError
from paneward.core.foreground import READS, SHELLS, YOUNG, Wait, waiting
from paneward.core.scene import ProcessFacts, Snapshot

PATIENCE = 15.0  # seconds for one answer, connecting included: a late one is worth more than none
LIMIT = 1 << 20
READ_CALLS = {"0", "19", "63", "65"}  # read and readv, on x86_64 and on aarch64

# $1 terminal, $2 process of the pane, $3 mark
SCRIPT = r"""
q() {
g=$(ps -o tpgid= -p "$2" 2>/dev/null | tr -d ' ')
echo "$g"; echo "$3"
ps -L -t "$1" -o pid=,pgid=,stat=,etimes=,wchan:32=,args= 2>/dev/null; echo "$3"
for i in $(ps -t "$1" -o pid=,pgid= 2>/dev/null | while read -r p r; do [ "$r" = "$g" ] && echo "$p"; done); do
read -r c f _ 2>/dev/null </proc/"$i"/syscall || c=; [ -n "$c" ] && f=$(readlink /proc/"$i"/fd/$((f)) 2>/dev/null)
echo "$i|$c|$f|$(readlink /proc/"$i"/fd/0 2>/dev/null)"; done 2>/dev/null; echo "$3"
stty -a <"$1" 2>/dev/null; echo "$3"
}
"""


class RemoteProbe:
    def __init__(self, host: Host) -> None:
        self._host = host
        self._shell: subprocess.Popen[bytes] | None = None
        self._turn = asyncio.Lock()

    async def facts(self, snapshot: Snapshot) -> ProcessFacts | None:
        mark = secrets.token_hex(12)
        question = f"q {shlex.quote(snapshot.tty)} {snapshot.pid} {mark}\n"
        try:
            async with self._turn, asyncio.timeout(PATIENCE):
                answer = await self._ask(question.encode(), f"{mark}\n".encode(), 4)
        except (TimeoutError, OSError, TmuxError):
            self.close()
            return None
        return read_answer(answer.decode("utf-8", "replace").split(f"{mark}\n"), snapshot.tty)

    async def _ask(self, question: bytes, mark: bytes, marks: int) -> bytes:
        if self._shell is None or self._shell.poll() is not None:
            self.close()
            self._shell = self._host.spawn(["sh"])
            question = SCRIPT.encode() + question
        assert self._shell.stdin is not None
        assert self._shell.stdout is not None
        self._shell.stdin.write(question)
        self._shell.stdin.flush()
        return await read_until(self._shell.stdout.fileno(), lambda said: said.count(mark) >= marks, LIMIT)

    def close(self) -> None:
        shell, self._shell = self._shell, None
        if shell is not None:
            end(shell)


def read_answer(parts: list[str], tty: str) -> ProcessFacts | None:
    """Make facts of what `q` printed."""
    if len(parts) < 4 or not parts[0].strip().isdigit():
        return None
    group = parts[0].strip()
    rows = [row.split(None, 5) for row in parts[1].splitlines()]
    members = [row for row in rows if len(row) == 6 and row[1] == group]
    if not members:
        return None
    flags = parts[3].replace(";", " ").split()
    canonical, echo = _flag("icanon", flags), _flag("echo", flags)
    calls = dict(line.split("|", 1) for line in parts[2].splitlines() if "|" in line)
    verdicts = [_wait(row, calls.get(row[0], "||"), tty).reading(canonical) for row in members]
    first = next((row for row in members if row[0] == group), members[0])
    argv = first[5]
    name = os.path.basename(argv.split()[0]).lstrip("-")
    return ProcessFacts(
        command=name,
        argv=argv,
        pid=int(group),
        shell=name in SHELLS,
        reading=True if True in verdicts else None if None in verdicts else False,
        canonical=canonical,
        echo=echo,
        young=first[3].isdigit() and int(first[3]) < YOUNG,
    )


def _flag(name: str, flags: list[str]) -> bool | None:
    return True if name in flags else False if f"-{name}" in flags else None


def _wait(row: list[str], call: str, tty: str) -> Wait:
    _, _, state, _, wchan, _ = row
    if wchan in ("-", "0", "?"):
        return Wait.HIDDEN if state.startswith("S") else Wait.ELSEWHERE
    if wchan not in READS:
        return waiting(wchan)
    number, file, stdin = call.split("|")
    reads = number in READ_CALLS and file in (tty, "/dev/tty") if number else stdin == tty
    return Wait.TERMINAL if reads else Wait.ELSEWHERE
