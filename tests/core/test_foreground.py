"""What a place in the kernel says about waiting for keys."""

import pytest

from paneward.core.foreground import Wait, waiting


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
