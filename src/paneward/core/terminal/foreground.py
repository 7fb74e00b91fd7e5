"""Where a thread sleeps, and what that says about waiting for keys: functions.

What surprised us: a select without descriptors is a sleep, and one on a socket waits for the network; which
descriptors a thread waits for stands in its system call, in its memory and, for epoll, in the file of that epoll.
"""

import re
import struct
from collections.abc import Iterator
from enum import StrEnum
from typing import Protocol

SHELLS = frozenset(
    "bash zsh fish sh dash ksh mksh ash tcsh csh nu xonsh pwsh elvish rbash lksh yash".split()  # noqa: SIM905
)
# Places in the kernel where a read of a terminal sleeps; sockets sleep in the first one too.
READS = frozenset({"wait_woken", "n_tty_read", "read_chan", "tty_read"})
POLLS = ("poll_schedule_timeout", "do_select", "do_poll", "do_sys_poll", "ep_poll", "do_epoll_wait", "core_sys_select")

# System calls by their numbers on x86_64 and on aarch64. None of them means another one of these on the other.
READ_CALLS = frozenset({"0", "19", "63", "65"})  # read, readv
SELECT_CALLS = frozenset({"23", "270", "72"})  # select, pselect6
POLL_CALLS = frozenset({"7", "271", "73"})  # poll, ppoll
EPOLL_CALLS = frozenset({"232", "281", "22", "441"})  # epoll_wait, epoll_pwait, epoll_pwait2

MOST = 4096  # descriptors of one call that are looked at
WORD = 64  # bits of the words that the sets of select are made of
READABLE = 0x41  # POLLIN and POLLRDNORM; those of epoll are the same
EPOLL = "anon_inode:[eventpoll]"
_EPOLLED = re.compile(r"^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)", re.MULTILINE)

YOUNG = 60.0  # seconds after its start in which a program may still be loading, on a loaded machine


class Wait(StrEnum):
    TERMINAL = "terminal"  # in a read of the terminal
    EVENTS = "events"  # in select, poll or epoll: of the terminal, or of what cannot be seen
    ELSEWHERE = "elsewhere"  # running, or waiting for something else
    HIDDEN = "hidden"  # the kernel does not tell us

    def reading(self, canonical: bool | None) -> bool | None:
        """Whether that is waiting for keys; a program that polls is, where it took the terminal for itself."""
        match self:
            case Wait.TERMINAL:
                return True
            case Wait.EVENTS:
                return True if canonical is False else None
            case Wait.ELSEWHERE:
                return False
        return None


class Files(Protocol):
    """What can be seen of a process that waits."""

    def link(self, fd: int) -> str:
        """What is open there; empty: nothing, or it is not for us."""

    def polled(self, fd: int) -> str:
        """What the kernel tells of a descriptor (`fdinfo`)."""

    def memory(self, address: int, size: int) -> bytes | None:
        """A piece of its memory; None: it is not for us."""


def waiting(wchan: str) -> Wait:
    """Judge by the kernel function alone."""
    if wchan in READS:
        return Wait.TERMINAL
    return Wait.EVENTS if wchan.startswith(POLLS) else Wait.ELSEWHERE


def waits_for(wait: Wait, call: str, files: Files, tty: str) -> Wait:
    """Judge by the system call too, as `/proc/PID/syscall` tells it; empty: it is not for us."""
    number, *arguments = call.split() or [""]
    if number == "running":
        return Wait.ELSEWHERE
    match wait:
        case Wait.TERMINAL if number:
            reads = number in READ_CALLS and _is_terminal(files.link(int(arguments[0], 16)), tty)
            return Wait.TERMINAL if reads else Wait.ELSEWHERE
        case Wait.TERMINAL:
            return Wait.TERMINAL if _is_terminal(files.link(0), tty) else Wait.ELSEWHERE
        case Wait.EVENTS:
            waited = _waited_for(number, [int(word, 16) for word in arguments[:2]], files)
            known = waited is None or any(_keys_come_by(fd, files, tty) for fd in waited)
            return Wait.EVENTS if known else Wait.ELSEWHERE
    return wait


def _is_terminal(link: str, tty: str) -> bool:
    """By the last part of its name: a program in a mount namespace may have it elsewhere."""
    return link.startswith("/") and link.rpartition("/")[2] in (tty.rpartition("/")[2], "tty")


def _keys_come_by(fd: int, files: Files, tty: str) -> bool:
    """The descriptor is the terminal, or an epoll that waits for it: loops are put inside loops."""
    link = files.link(fd)
    if link != EPOLL:
        return _is_terminal(link, tty) or not link
    return any(_is_terminal(inner := files.link(one), tty) or not inner for one in epolled(files.polled(fd)))


def _waited_for(number: str, arguments: list[int], files: Files) -> Iterator[int] | None:
    """The descriptors that the call waits to read; None where they cannot be told."""
    if number in SELECT_CALLS:
        return _selected(arguments[0] & 0xFFFFFFFF, arguments[1], files)
    if number in POLL_CALLS:
        return _polled(arguments[1] & 0xFFFFFFFF, arguments[0], files)
    if number in EPOLL_CALLS:
        told = files.polled(arguments[0])
        return epolled(told) if told else None
    return None


def _selected(count: int, address: int, files: Files) -> Iterator[int] | None:
    if not count or not address:
        return iter(())
    found = files.memory(address, -(-count // WORD) * WORD // 8) if count <= MOST else None
    if found is None:
        return None
    bits = int.from_bytes(found, "little")
    return (fd for fd in range(count) if bits >> fd & 1)


def _polled(count: int, address: int, files: Files) -> Iterator[int] | None:
    if not count:
        return iter(())
    found = files.memory(address, 8 * count) if count <= MOST else None
    if found is None:
        return None
    return (fd for fd, events, _ in struct.iter_unpack("<iHH", found) if fd >= 0 and events & READABLE)


def epolled(told: str) -> Iterator[int]:
    """The descriptors that an epoll waits to read, from what the kernel tells of it."""
    return (int(fd) for fd, events in _EPOLLED.findall(told) if int(events, 16) & READABLE)
