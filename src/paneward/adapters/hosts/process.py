"""Process facts on another host: one shell over ssh, kept open, asked in plain POSIX sh and procps.

What surprised us: `ps` cuts wide columns unless told a width; a thread's system call can be read only by its
owner, and not everywhere; the shell may be gone at any time, which means no facts, never an error.
"""

import asyncio
import os
import secrets
import shlex
import subprocess
from dataclasses import dataclass, field

from paneward.adapters.hosts.host import Host
from paneward.adapters.hosts.pipes import end, read_until
from paneward.core.errors import TmuxError
from paneward.core.terminal.foreground import EPOLL, SHELLS, YOUNG, Wait, waiting, waits_for
from paneward.core.terminal.scene import ProcessFacts, Snapshot

PATIENCE = 15.0  # seconds for one answer, connecting included: a late one is worth more than none
LIMIT = 1 << 20
TRIES = 3  # how often it is asked who is in the foreground, while that changes
# q: $1 terminal, $2 process of the pane, $3 mark. Of each thread that reads or polls, w tells its system call, which of
# its process's files are the terminal, what its epolls wait for, and the memory with the descriptors of the call.
# Each program that it starts costs more than all the rest.
SCRIPT = r"""
w() {
echo "thread $3"; c=; read -r c </proc/"$2"/task/"$3"/syscall; echo "call $c"
for f in /proc/"$2"/fd/*; do
[ "$f" -ef "$1" ] && echo "link ${f##*/} $1"; [ "$f" -ef /dev/tty ] && echo "link ${f##*/} /dev/tty"
done
set -- "$2" $c
case $2 in
23|270|72) a=$4 n=$(( ($3 + 63) / 64 * 8 ));;
7|271|73) a=$3 n=$(( $4 * 8 ));;
232|281|22|441) echo "epoll $(( $3 ))"; cat /proc/"$1"/fdinfo/$(( $3 )); return;;
*) return;;
esac
[ "$n" -gt 0 ] && [ "$n" -le 4096 ] && [ $(( a )) -gt 0 ] || return
echo "memory"; dd if=/proc/"$1"/mem bs=1 skip=$(( a )) count="$n" | od -An -v -tx1
grep ^tfd /proc/"$1"/fdinfo/* /dev/null
}
q() {
g=; read -r g </proc/"$2"/stat; set -- "$1" "$2" "$3" ${g##*) }; g=$9
echo "$g"; echo "$3"
r=$(ps -L -t "$1" -o pid=,lwp=,pgid=,stat=,etimes=,wchan:32=,args=)
echo "$r"; echo "$3"
while read -r p l o _ _ k _; do
[ "$o" = "$g" ] || continue
[ "$p" = "$l" ] && { v=; read -r _ v </proc/"$p"/io; echo "taken $v"; }
case $k in *poll*|*select*|*read*|wait_woken) w "$1" "$p" "$l";; esac
done <<.
$r
.
echo "$3"
stty -a <"$1"; echo "$3"
} 2>/dev/null
"""


class RemoteProbe:
    def __init__(self, host: Host) -> None:
        self._host = host
        self._shell: subprocess.Popen[bytes] | None = None
        self._turn = asyncio.Lock()

    async def facts(self, snapshot: Snapshot) -> ProcessFacts | None:
        for _ in range(TRIES):
            found = await self._asked(snapshot)
            if found is None or found.command:
                return found
        return found

    async def _asked(self, snapshot: Snapshot) -> ProcessFacts | None:
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
    """Make facts of what `q` printed. Without a command: another program took the foreground while we asked."""
    if len(parts) < 4 or not parts[0].strip().isdigit():
        return None
    group = parts[0].strip()
    rows = [row.split(None, 6) for row in parts[1].splitlines()]
    members = [row for row in rows if len(row) == 7 and row[2] == group]
    if not rows:
        return None
    flags = parts[3].replace(";", " ").split()
    canonical, echo = _flag("icanon", flags), _flag("echo", flags)
    if not members:
        return ProcessFacts(reading=False, canonical=canonical, echo=echo)
    threads = _read_threads(parts[2])
    verdicts = [_wait(row, threads.get(row[1]), tty).reading(canonical) for row in members]
    first = next((row for row in members if row[0] == group), members[0])
    argv = first[6]
    name = os.path.basename(argv.split()[0]).lstrip("-")
    return ProcessFacts(
        command=name,
        argv=argv,
        pid=int(group),
        shell=name in SHELLS,
        reading=True if True in verdicts else None if None in verdicts else False,
        canonical=canonical,
        echo=echo,
        young=first[4].isdigit() and int(first[4]) < YOUNG,
        taken=_taken(parts[2]) if canonical else None,
    )


def _taken(told: str) -> int | None:
    """Bytes that the processes of the foreground have read; None: one of them is not for us."""
    said = [line.split() for line in told.splitlines() if line.startswith("taken")]
    return sum(int(words[1]) for words in said) if said and all(len(words) == 2 for words in said) else None


def _flag(name: str, flags: list[str]) -> bool | None:
    return True if name in flags else False if f"-{name}" in flags else None


@dataclass(slots=True)
class _Thread:
    """What `w` printed of one thread."""

    call: str = ""
    links: dict[int, str] = field(default_factory=dict)
    epolls: dict[int, str] = field(default_factory=dict)
    dump: str = ""

    def link(self, fd: int) -> str:
        return self.links.get(fd, "something else" if self.links else "")

    def polled(self, fd: int) -> str:
        return self.epolls.get(fd, "")

    def memory(self, address: int, size: int) -> bytes | None:
        return bytes.fromhex(self.dump) if len(self.dump) == 2 * size else None


def _read_threads(told: str) -> dict[str, _Thread]:
    threads, epoll = dict[str, _Thread](), 0
    last = _Thread()
    for line in told.splitlines():
        word, _, rest = line.partition(" ")
        match word:
            case "thread":
                last = threads[rest] = _Thread()
            case "call":
                last.call = rest
            case "link":
                fd, _, last.links[int(fd)] = rest.partition(" ")
            case "epoll":
                epoll = int(rest)
            case "memory" | "taken":
                pass
            case "":
                last.dump += rest.replace(" ", "")
            case _ if line.startswith("/proc/"):  # of an epoll that the call may wait for
                path, _, inner = line.partition(":")
                epoll = int(path.rpartition("/")[2])
                last.links[epoll] = EPOLL
                last.epolls[epoll] = last.epolls.get(epoll, "") + f"{inner}\n"
            case _:
                last.epolls[epoll] = last.epolls.get(epoll, "") + f"{line}\n"
    return threads


def _wait(row: list[str], seen: _Thread | None, tty: str) -> Wait:
    _, _, _, state, _, wchan, _ = row
    if wchan in ("-", "0", "?"):
        return Wait.HIDDEN if state.startswith("S") else Wait.ELSEWHERE
    wait = waiting(wchan)
    if wait is Wait.ELSEWHERE or seen is None:  # not seen: it went on between two questions
        return Wait.ELSEWHERE
    return waits_for(wait, seen.call, seen, tty)
