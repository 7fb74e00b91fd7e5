"""A synchronous door to Paneward for programs without an event loop.

Thin: one background thread runs one event loop with one connection, and each function waits there for
its answer. A failure of the outside comes back as a `SendResult` with its code; only a programming error
raises. What surprised us: a forked child has the module but not the thread, so it gets a thread of its own.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from paneward.app import Connection, connect
from paneward.config import Settings
from paneward.core.delivery.preflight import BusyPolicy, DraftPolicy
from paneward.core.delivery.snippet import extract_verification_snippet as _extract_verification_snippet
from paneward.core.errors import PanewardError
from paneward.core.result import Menu, Readiness, Rung, SendResult, Verdict

__all__ = [
    "SendResult",
    "_extract_verification_snippet",
    "answer",
    "capture",
    "capture_pane",
    "close",
    "configure",
    "menu",
    "send_keys",
    "send_text",
    "wait",
]

T = TypeVar("T")
Opener = Callable[[], AbstractAsyncContextManager[Connection]]


class Bridge:
    """One thread, one loop, one connection that is opened by the first call that needs it."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._loop = asyncio.new_event_loop()
        self._opening = asyncio.Lock()
        self._owner: asyncio.Task[None] | None = None  # holds the connection: what a task opens, it has to close
        self._ready: asyncio.Future[Connection] = self._loop.create_future()
        self._thread = threading.Thread(target=self._serve, name="paneward-bridge", daemon=True)
        self._thread.start()

    def ask(self, pane: str, verb: Callable[[Connection], Awaitable[T]]) -> T | SendResult:
        """Run `verb` on the connection and wait for it; a failure of the outside is a receipt."""
        waiting = asyncio.run_coroutine_threadsafe(self._answer(verb), self._loop)
        try:
            return waiting.result()
        except PanewardError as error:
            return _refused(error, pane)
        except BaseException:
            waiting.cancel()  # an interrupt from the keyboard: nobody waits for the answer any more
            raise

    def close(self) -> None:
        """End the connection and the thread; whoever still waits is told."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._disconnect(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    async def _answer(self, verb: Callable[[Connection], Awaitable[T]]) -> T:
        return await verb(await self._connected())

    async def _connected(self) -> Connection:
        async with self._opening:
            if self._owner is None or self._owner.done():
                self._ready = self._loop.create_future()
                self._owner = asyncio.create_task(self._hold(self._ready))
            either: set[asyncio.Future[Any]] = {self._owner, self._ready}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if self._owner.done():
                self._owner.result()  # raises what went wrong; the next call tries again
            return self._ready.result()

    async def _hold(self, ready: asyncio.Future[Connection]) -> None:
        async with self._opener() as connection:
            ready.set_result(connection)
            await asyncio.Event().wait()  # until it is cancelled

    async def _disconnect(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task(), self._owner}
        await _cancelled(others)
        await _cancelled({self._owner} if self._owner else set())


async def _cancelled(tasks: set[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _refused(error: PanewardError, pane: str) -> SendResult:
    return SendResult(
        Verdict.FAILED,
        Rung.NOTHING,
        error.message,
        error_type=error.code,
        detail=error.message,
        hint=error.hint,
        pane=pane,
    )


# --- the module's one bridge


class _Door:
    """Which bridge the functions use: made by the first call, anew in a forked child and after `configure`."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._arguments: dict[str, Any] = {}
        self._bridge: Bridge | None = None

    def bridge(self) -> Bridge:
        with self._guard:
            if self._bridge is None:
                arguments = self._arguments
                self._bridge = Bridge(lambda: connect(**arguments))
            return self._bridge

    def configure(self, **arguments: Any) -> None:
        self.close()
        self._arguments = arguments

    def close(self) -> None:
        with self._guard:
            bridge, self._bridge = self._bridge, None
        if bridge is not None:
            bridge.close()

    def forget(self) -> None:
        """In a forked child: the thread and the connection stayed with the parent."""
        self._guard = threading.Lock()
        self._bridge = None


_door = _Door()
atexit.register(_door.close)
os.register_at_fork(after_in_child=_door.forget)


def configure(
    settings: Settings | None = None,
    *,
    socket_name: str | None = None,
    socket_path: str | None = None,
    host: str | None = None,
) -> None:
    """Choose the settings and the tmux server of the calls that follow; without arguments, the defaults."""
    settings = settings or Settings()
    _door.configure(
        settings=settings,
        socket_name=socket_name,
        socket_path=socket_path,
        host=host,
        transport=settings.tmux.transport,
    )


def close() -> None:
    """End the background connection; the next call opens a new one."""
    _door.close()


def send_text(
    pane_id: str,
    text: str,
    *,
    verify_enter: bool = True,
    detect_ghost_text: bool = True,
    profile: str | None = None,
    when_busy: BusyPolicy = "wait",
    draft: DraftPolicy = "hold",
    as_command: bool = False,
    message_id: str | None = None,
    timeout: float = 30.0,
    secret: bool = False,
    expect: str | None = None,
) -> SendResult:
    """Type `text` into the program in the pane, submit it, and prove that it went in.

    The options are those of `Connection.send_text`.
    """
    return _door.bridge().ask(
        pane_id,
        lambda tmux: tmux.send_text(
            pane_id,
            text,
            profile=profile,
            verify_enter=verify_enter,
            detect_ghost_text=detect_ghost_text,
            when_busy=when_busy,
            draft=draft,
            as_command=as_command,
            message_id=message_id,
            timeout=timeout,
            secret=secret,
            expect=expect,
        ),
    )


def send_keys(pane_id: str, *keys: str, verify_enter: bool = False, expect: str | None = None) -> SendResult:
    """Press keys by name: `Enter`, `Escape`, `Up`, `Down`, `C-c`, `C-u`."""
    return _door.bridge().ask(
        pane_id, lambda tmux: tmux.send_keys(pane_id, *keys, verify_enter=verify_enter, expect=expect)
    )


def menu(pane_id: str) -> Menu | SendResult | None:
    """The dialog that is open in the pane, or None; where there is no pane, the failed receipt that says why."""
    return _door.bridge().ask(pane_id, lambda tmux: tmux.menu(pane_id))


def answer(
    pane_id: str,
    text: str | None = None,
    *,
    select: int | str | None = None,
    other: str | None = None,
    multi: Sequence[int | str] | None = None,
    key: str | None = None,
    fingerprint: str | None = None,
    startup: bool = False,
    message_id: str | None = None,
    timeout: float = 30.0,
    secret: bool = False,
    expect: str | None = None,
) -> SendResult:
    """Answer what is asked in the pane: by free text, the number or label of an option, several, or one key.

    The options are those of `Connection.answer`.
    """
    how: dict[str, Any] = {"select": select, "other": other, "multi": multi, "key": key, "fingerprint": fingerprint}
    rest: dict[str, Any] = {"startup": startup, "message_id": message_id, "timeout": timeout}
    kept: dict[str, Any] = {"secret": secret, "expect": expect}
    return _door.bridge().ask(pane_id, lambda tmux: tmux.answer(pane_id, text, **how, **rest, **kept))


def wait(
    pane_id: str,
    timeout: float | None = None,
    prompt_pattern: str | None = None,
    accept_stable: bool | None = None,
    profile: str | None = None,
) -> Readiness | SendResult:
    """Wait until the program in the pane takes input, asks something, or the time is up."""
    how = (timeout, prompt_pattern, accept_stable, profile)
    return _door.bridge().ask(pane_id, lambda tmux: tmux.wait_ready(pane_id, *how))


def capture(pane_id: str, lines: int = 50, ansi: bool = False) -> str | SendResult:
    """The last lines of the pane; where there is none to read, the failed receipt that says why."""
    return _door.bridge().ask(pane_id, lambda tmux: tmux.capture(pane_id, lines=lines, ansi=ansi))


capture_pane = capture
