"""What a place in the kernel says about waiting for keys."""

import struct
from dataclasses import dataclass, field

import pytest

from paneward.core.terminal.foreground import EPOLL, MOST, Wait, epolled, waiting, waits_for


@pytest.mark.parametrize(
    ("wchan", "wait"),
    [
        ("wait_woken", Wait.TERMINAL),
        ("n_tty_read", Wait.TERMINAL),
        ("poll_schedule_timeout.constprop.0", Wait.EVENTS),
        ("do_sys_poll", Wait.EVENTS),
        ("ep_poll", Wait.EVENTS),
        ("hrtimer_nanosleep", Wait.ELSEWHERE),
        ("do_wait", Wait.ELSEWHERE),
        ("futex_wait_queue", Wait.ELSEWHERE),
    ],
)
def test_the_place_tells_what_is_waited_for(wchan: str, wait: Wait) -> None:
    assert waiting(wchan) is wait


@pytest.mark.parametrize(
    ("wait", "raw", "canonical", "unknown"),
    [
        (Wait.TERMINAL, True, True, True),
        (Wait.EVENTS, True, None, None),
        (Wait.ELSEWHERE, False, False, False),
        (Wait.HIDDEN, None, None, None),
    ],
)
def test_a_poll_is_reading_only_where_the_program_took_the_terminal(
    wait: Wait, raw: bool | None, canonical: bool | None, unknown: bool | None
) -> None:
    assert (wait.reading(False), wait.reading(True), wait.reading(None)) == (raw, canonical, unknown)


TTY = "/dev/pts/3"


@dataclass
class Process:
    """A process that waits: its files, its epolls, its memory from address 0x100."""

    links: dict[int, str] = field(default_factory=lambda: {0: TTY, 1: TTY, 5: "socket:[7]", 6: "/dev/tty"})
    epolls: dict[int, str] = field(default_factory=dict)
    kept: bytes | None = b""

    def link(self, fd: int) -> str:
        return self.links.get(fd, "")

    def polled(self, fd: int) -> str:
        return self.epolls.get(fd, "")

    def memory(self, address: int, size: int) -> bytes | None:
        assert address == 0x100
        return None if self.kept is None else self.kept[:size].ljust(size, b"\0")


def fd_set(*fds: int) -> bytes:
    return sum(1 << fd for fd in fds).to_bytes(8, "little")


def pollfds(*fds: tuple[int, int]) -> bytes:
    return b"".join(struct.pack("<iHH", fd, events, 0) for fd, events in fds)


@pytest.mark.parametrize(
    ("call", "wait"),
    [
        ("0 0x0 0x7f 0x400 0x0 0x0 0x0 0x7f 0x7f", Wait.TERMINAL),  # read
        ("63 0x6 0x7f", Wait.TERMINAL),  # read on aarch64, of /dev/tty
        ("0 0x5 0x7f", Wait.ELSEWHERE),  # of a socket
        ("45 0x0 0x7f", Wait.ELSEWHERE),  # recvfrom
        ("1 0x1 0x7f", Wait.ELSEWHERE),  # a write that has to wait
        ("running", Wait.ELSEWHERE),
        ("", Wait.TERMINAL),  # it is not for us, and its input is the terminal
    ],
)
def test_a_read_is_one_of_the_terminal_by_its_descriptor(call: str, wait: Wait) -> None:
    assert waits_for(Wait.TERMINAL, call, Process(), TTY) is wait


def test_a_read_that_is_not_for_us_is_judged_by_the_input_of_the_program() -> None:
    assert waits_for(Wait.TERMINAL, "", Process(links={0: "socket:[7]"}), TTY) is Wait.ELSEWHERE


@pytest.mark.parametrize(
    ("call", "memory", "wait"),
    [
        ("23 0x0 0x0 0x0 0x0 0x7f", b"", Wait.ELSEWHERE),  # a select of nothing is a sleep
        ("270 0x0 0x100 0x0 0x0 0x7f", fd_set(0), Wait.ELSEWHERE),
        ("23 0x2 0x0 0x100 0x0 0x0", b"", Wait.ELSEWHERE),  # it waits to write
        ("23 0x1 0x100 0x0 0x0 0x0", fd_set(0), Wait.EVENTS),
        ("23 0x6 0x100 0x0 0x0 0x0", fd_set(0, 5), Wait.EVENTS),
        ("72 0x6 0x100 0x0 0x0 0x0", fd_set(5), Wait.ELSEWHERE),  # pselect6 on aarch64
        ("270 0x7 0x100 0x0 0x0 0x0", fd_set(6), Wait.EVENTS),
        ("23 0x1 0x100 0x0 0x0 0x0", fd_set(5), Wait.ELSEWHERE),  # beyond the count, bits mean nothing
        ("7 0x100 0x0 0x3e8", b"", Wait.ELSEWHERE),
        ("7 0x100 0x2 0xffffffff", pollfds((5, 1), (0, 1)), Wait.EVENTS),
        ("271 0x100 0x2 0x0", pollfds((5, 1), (0, 4)), Wait.ELSEWHERE),  # of the terminal it waits to write
        ("271 0x100 0x1 0x0", pollfds((-1, 1)), Wait.ELSEWHERE),
        ("7 0x100 0x1 0xffffffff", pollfds((42, 1)), Wait.EVENTS),  # what that is cannot be seen
        (f"7 0x100 {MOST + 1:#x} 0x0", b"", Wait.EVENTS),
        (f"23 {MOST + 1:#x} 0x100 0x0 0x0 0x0", b"", Wait.EVENTS),
        ("running", b"", Wait.ELSEWHERE),
        ("", b"", Wait.EVENTS),  # it is not for us
        ("999 0x0 0x0", b"", Wait.EVENTS),  # a call that we do not know
    ],
)
def test_what_is_polled_tells_whether_keys_are_waited_for(call: str, memory: bytes, wait: Wait) -> None:
    assert waits_for(Wait.EVENTS, call, Process(kept=memory), TTY) is wait


@pytest.mark.parametrize("call", ["23 0x1 0x100 0x0 0x0 0x0", "7 0x100 0x1 0x0"])
def test_memory_that_is_not_for_us_tells_nothing(call: str) -> None:
    assert waits_for(Wait.EVENTS, call, Process(kept=None), TTY) is Wait.EVENTS


TOLD = "pos:\t0\nflags:\t02000002\ntfd:{:9} events: {:8x} data: 7f  pos:0 ino:6 sdev:19\n"


@pytest.mark.parametrize(
    ("told", "wait"),
    [
        (TOLD.format(0, 0x19), Wait.EVENTS),
        (TOLD.format(5, 0x19), Wait.ELSEWHERE),
        (TOLD.format(0, 0x8), Wait.ELSEWHERE),  # of errors only
        ("pos:\t0\nflags:\t02000002\n", Wait.ELSEWHERE),
        ("", Wait.EVENTS),  # it is not for us
    ],
)
def test_an_epoll_tells_what_it_waits_for(told: str, wait: Wait) -> None:
    process = Process(links={0: TTY, 5: "socket:[7]", 9: EPOLL}, epolls={9: told}, kept=fd_set(9))
    assert waits_for(Wait.EVENTS, "281 0x9 0x7f 0x400 0xffffffff", process, TTY) is wait
    if told:
        assert waits_for(Wait.EVENTS, "23 0xa 0x100 0x0 0x0 0x0", process, TTY) is wait  # the epoll, inside a select


def test_the_descriptors_of_an_epoll_are_those_to_be_read() -> None:
    assert list(epolled(TOLD.format(0, 0x19) + TOLD.format(12, 0x1) + TOLD.format(13, 0x4))) == [0, 12]


def test_a_terminal_that_is_mounted_elsewhere_is_still_the_terminal() -> None:
    process = Process(links={0: "/pts/3", 4: "/tmp/30"}, kept=fd_set(0))
    assert waits_for(Wait.EVENTS, "23 0x1 0x100 0x0 0x0 0x0", process, TTY) is Wait.EVENTS
    process.kept = fd_set(4)
    assert waits_for(Wait.EVENTS, "23 0x5 0x100 0x0 0x0 0x0", process, TTY) is Wait.ELSEWHERE
    assert waits_for(Wait.HIDDEN, "", process, TTY) is Wait.HIDDEN
