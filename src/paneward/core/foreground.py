"""Where a thread sleeps, and what that says about waiting for keys: functions."""

from enum import StrEnum

SHELLS = frozenset(
    "bash zsh fish sh dash ksh mksh ash tcsh csh nu xonsh pwsh elvish rbash lksh yash".split()  # noqa: SIM905
)
# Places in the kernel where a read of a terminal sleeps; sockets sleep in the first one too.
READS = frozenset({"wait_woken", "n_tty_read", "read_chan", "tty_read"})
POLLS = ("poll_schedule_timeout", "do_select", "do_poll", "do_sys_poll", "ep_poll", "do_epoll_wait", "core_sys_select")

YOUNG = 60.0  # seconds after its start in which a program may still be loading, on a loaded machine


class Wait(StrEnum):
    TERMINAL = "terminal"  # in a read of the terminal
    EVENTS = "events"  # in select, poll or epoll: of what, cannot be seen
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


def waiting(wchan: str) -> Wait:
    """Judge by the kernel function alone."""
    if wchan in READS:
        return Wait.TERMINAL
    return Wait.EVENTS if wchan.startswith(POLLS) else Wait.ELSEWHERE
