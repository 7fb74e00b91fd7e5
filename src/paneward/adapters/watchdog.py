"""A thread beside the loop of a server. It tells the log when the loop is held, and ends a process that was told to end
and does not.

A handler of signals that the loop calls is not called while the loop is held. So a signal is heard by Python itself,
between two of its instructions, and told to this thread as well. What holds the interpreter too (a C function that does
not return) can only be killed from outside: `paneward down --force`.
"""

import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

HELD = 10.0  # seconds without a sign of life after which the loop is held
GRACE = 30.0  # seconds that an orderly end may take: requests get ten of them
ABANDONED = 70  # exit code of a server that was told to end and could not
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
log = logging.getLogger("paneward.server")


class Watchdog:
    """`beat` is called by the loop, a signal calls `told`; the rest happens in the thread."""

    def __init__(self, held: float = HELD, grace: float = GRACE) -> None:
        self._held, self._grace = held, grace
        self._beats = 0
        self._told, self._ended = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def beat(self) -> None:
        """The loop is alive."""
        self._beats += 1

    def told(self) -> None:
        """The process shall end: from now on it has a limited time for it."""
        self._told.set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._ended.set()
            self._told.set()
            self._thread.join()

    @contextmanager
    def hearing(self, stop: Callable[[], object]) -> Iterator[None]:
        """Signals that end a server begin its end. `stop` is called in the main thread, at any moment."""

        def heard(_number: int, _frame: FrameType | None) -> None:
            self.told()
            stop()

        before = {number: signal.signal(number, heard) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _watch(self) -> None:
        seen, silent = -1, False
        while not self._told.wait(self._held):
            if self._beats == seen and not silent:
                log.warning("the server has answered nothing for %g seconds; it is here:\n%s", self._held, _where())
            elif self._beats != seen and silent:
                log.warning("the server goes on")
            silent, seen = self._beats == seen, self._beats
        if not self._ended.wait(self._grace):
            log.error("the server did not end within %g seconds, and is left as it is:\n%s", self._grace, _where())
            logging.shutdown()
            os._exit(ABANDONED)


def _where() -> str:
    """What the main thread does."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    return "".join(traceback.format_stack(frame)) if frame is not None else ""
