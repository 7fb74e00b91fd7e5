"""What the operating system knows of the program in a pane: who is in the foreground, and whether it reads.

Here it is asked through /proc and the terminal itself; on another host through one shell that is kept open.

What surprised us: a terminal read sleeps in `wait_woken`, and so does a read from a socket, so the system call
and its files are looked at where we may; a thread that is refused to us looks as if it ran (`0`); the leader
of a pipeline can be gone while the others go on; an editor waits in select or epoll, which tells something only
in raw mode; the bytes typed and not yet taken can be counted (FIONREAD), in canonical mode whole lines only.
"""

import array
import fcntl
import os
import platform
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass

from paneward.adapters.hosts.host import Host
from paneward.adapters.hosts.process import RemoteProbe
from paneward.core.terminal.foreground import SHELLS, YOUNG, Wait, waiting, waits_for
from paneward.core.terminal.scene import ProcessFacts, Snapshot

MANY = 300  # processes of one pane that are looked at; a build of more is certainly not waiting for keys
TICKS = os.sysconf("SC_CLK_TCK")
CALLS_KNOWN = platform.machine() in ("x86_64", "aarch64")


class ProcessProbe:
    """Process facts on one host."""

    def __init__(self, host: Host) -> None:
        self._remote = None if host.local else RemoteProbe(host)
        self._doubted: set[str] = set()  # terminals of line readers that could not be seen to read

    async def facts(self, snapshot: Snapshot) -> ProcessFacts | None:
        """None where nothing can be seen."""
        if snapshot.dead or not snapshot.pid:
            return None
        if self._remote is not None:
            return await self._remote.facts(snapshot)
        return self._here(snapshot.pid, snapshot.tty)

    def _here(self, pid: int, tty: str) -> ProcessFacts | None:
        """What has been read is counted where that is needed to tell a line that was read from one thrown away."""
        facts = local_facts(pid, tty, count=tty in self._doubted)
        if facts is None or facts.canonical is False:
            self._doubted.discard(tty)
        elif facts.reading is None and tty not in self._doubted:
            self._doubted.add(tty)
            return local_facts(pid, tty, count=True)
        return facts

    async def close(self) -> None:
        if self._remote is not None:
            self._remote.close()


def _read(path: str) -> str:
    """A small file of /proc; empty when it is gone or not for us."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(fd, 1 << 16).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(fd)


@dataclass(frozen=True, slots=True)
class _Stat:
    pid: int
    parent: int
    group: int
    foreground: int
    threads: int
    started: int  # ticks after the machine did


def _stat(pid: int) -> _Stat | None:
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if len(fields) < 20:
        return None
    return _Stat(pid, int(fields[1]), int(fields[2]), int(fields[5]), int(fields[17]), int(fields[19]))


def _numbers(path: str) -> list[int]:
    try:
        return [int(name) for name in os.listdir(path) if name.isdigit()]
    except OSError:
        return []


def _children(pid: int) -> list[int]:
    return [
        int(word)
        for task in _numbers(f"/proc/{pid}/task")
        for word in _read(f"/proc/{pid}/task/{task}/children").split()
    ]


def _descendants(root: int) -> Iterator[_Stat]:
    """The processes of a pane; those started last come first, as the foreground is among them."""
    stack = [root]
    for _ in range(MANY):
        if not stack:
            return
        stat = _stat(stack.pop())
        if stat is not None:
            yield stat
            stack += _children(stat.pid)


def _members(pane: _Stat, leader: _Stat | None) -> Iterator[_Stat]:
    """The processes of the foreground group, the leader first; all of /proc is read only if none is a descendant."""
    found, group = False, pane.foreground
    if leader is not None and leader.group == group:
        found = True
        yield leader
    for stat in _descendants(pane.pid):
        if stat.group == group and stat.pid != group:
            found = True
            yield stat
    if not found:
        yield from (one for pid in _numbers("/proc") if (one := _stat(pid)) is not None and one.group == group)


@dataclass(slots=True)
class _Files:
    """What /proc shows of a process that waits."""

    pid: int
    looked_into: bool = False  # its memory was read

    def link(self, fd: int) -> str:
        return _link(f"/proc/{self.pid}/fd/{fd}")

    def polled(self, fd: int) -> str:
        return _read(f"/proc/{self.pid}/fdinfo/{fd}")

    def memory(self, address: int, size: int) -> bytes | None:
        self.looked_into = True
        try:
            fd = os.open(f"/proc/{self.pid}/mem", os.O_RDONLY)
        except OSError:
            return None
        try:
            return os.pread(fd, size, address)
        except OSError:
            return None
        finally:
            os.close(fd)


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _thread(pid: int, task: int, tty: str) -> Wait:
    base = f"/proc/{pid}" if pid == task else f"/proc/{pid}/task/{task}"
    wchan = _read(f"{base}/wchan")
    if wchan in ("", "0"):
        state = _read(f"{base}/stat").rpartition(")")[2].split()[:1]
        return Wait.HIDDEN if state == ["S"] else Wait.ELSEWHERE
    wait = waiting(wchan)
    if wait is Wait.ELSEWHERE:
        return wait
    call = _read(f"{base}/syscall") if CALLS_KNOWN else ""
    files = _Files(pid)
    judged = waits_for(wait, call, files, tty)
    if files.looked_into and judged is Wait.EVENTS and call != _read(f"{base}/syscall"):
        return Wait.ELSEWHERE  # it went on while its memory was read
    return judged


def _threads(process: _Stat) -> list[int]:
    return [process.pid] if process.threads == 1 else _numbers(f"/proc/{process.pid}/task")


def _reading(members: Iterator[_Stat], tty: str, canonical: bool | None) -> bool | None:
    verdict: bool | None = False
    for process in members:
        for task in _threads(process):
            match _thread(process.pid, task, tty).reading(canonical):
                case True:
                    return True
                case None:
                    verdict = None
    return verdict


def _taken(members: list[_Stat]) -> int | None:
    """Bytes that all of them have read, with what children read that have ended; None: it is not for us."""
    first = [_read(f"/proc/{one.pid}/io").partition("\n")[0].split() for one in members]
    return sum(int(words[1]) for words in first) if all(len(words) == 2 for words in first) else None


@dataclass(frozen=True, slots=True)
class _Terminal:
    canonical: bool | None = None
    echo: bool | None = None
    unread: int | None = None


def _terminal(tty: str) -> _Terminal:
    if not tty.startswith("/dev/"):
        return _Terminal()
    try:
        fd = os.open(tty, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return _Terminal()
    try:
        local = termios.tcgetattr(fd)[3]
        unread = array.array("i", [0])
        fcntl.ioctl(fd, termios.FIONREAD, unread)
        return _Terminal(bool(local & termios.ICANON), bool(local & termios.ECHO), unread[0])
    except (OSError, termios.error):
        return _Terminal()
    finally:
        os.close(fd)


def _age(process: _Stat) -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) - process.started / TICKS


def _words(pid: int) -> list[str]:
    return _read(f"/proc/{pid}/cmdline").rstrip("\0").split("\0")


def local_facts(pid: int, tty: str, count: bool = False) -> ProcessFacts | None:
    """The foreground of the terminal `tty`, on which `pid` was started; `count`: with what it has read so far."""
    pane = _stat(pid)
    if pane is None or pane.foreground <= 0:
        return None
    group = pane.foreground
    leader = pane if group == pid else _stat(group)
    terminal = _terminal(tty)
    members = list(_members(pane, leader)) if count and terminal.canonical else []
    reading = _reading(iter(members) if members else _members(pane, leader), tty, terminal.canonical)
    first, words = group, _words(group)
    if not words[0]:  # the leader has ended
        first = next((one.pid for one in _members(pane, leader) if one.pid != group), group)
        words = _words(first)
    name = os.path.basename(words[0]).lstrip("-") or _read(f"/proc/{first}/comm").strip()
    if first == pid and "tmux" in name and words == _words(pane.parent):
        words, name = [""], ""  # tmux has forked, and has not become the program yet
    return ProcessFacts(
        command=name,
        argv=" ".join(words),
        pid=group,
        shell=name in SHELLS,
        reading=reading,
        canonical=terminal.canonical,
        echo=terminal.echo,
        young=leader is not None and _age(leader) < YOUNG,
        exe=_link(f"/proc/{first}/exe"),
        unread=terminal.unread,
        taken=_taken(members) if members else None,
    )
