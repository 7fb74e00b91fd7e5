"""The synchronous door: over a stand-in where timing matters, over a real tmux where the outside does."""

import asyncio
import os
import shutil
import subprocess
import sys
import threading
import uuid
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from paneward import tmux_bridge
from paneward.app import Connection
from paneward.config import BridgeSettings, Settings, TmuxSettings
from paneward.core.errors import Code, PaneNotFound, TmuxNotInstalled
from paneward.core.result import Rung, SendResult, Verdict
from paneward.tmux_bridge import Bridge

live = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Panes:
    """Answers like a connection; `blocked` never does."""

    def __init__(self) -> None:
        self.loops: set[asyncio.AbstractEventLoop] = set()
        self.asked = threading.Event()
        self.closed = False

    async def capture(self, pane: str) -> str:
        self.loops.add(asyncio.get_running_loop())
        if pane == "%9":
            raise PaneNotFound("no pane is called '%9'")
        if pane == "blocked":
            self.asked.set()
            await asyncio.Event().wait()
        return f"the screen of {pane}"


class Server:
    """Opens connections, and counts; the first `failures` attempts find no tmux."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.opened: list[Panes] = []
        self.owner: asyncio.Task[Any] | None = None

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Connection]:
        if self.failures:
            self.failures -= 1
            raise TmuxNotInstalled()
        self.opened.append(Panes())
        self.owner = asyncio.current_task()
        try:
            yield cast(Connection, self.opened[-1])
        finally:
            assert asyncio.current_task() is self.owner
            self.opened[-1].closed = True


def ask(bridge: Bridge, pane: str) -> str | SendResult:
    return bridge.ask(pane, lambda tmux: tmux.capture(pane))


def test_all_callers_share_one_connection_on_one_loop() -> None:
    server = Server()
    bridge = Bridge(server.connect)
    with ThreadPoolExecutor(8) as callers:
        answers = list(callers.map(lambda number: ask(bridge, f"%{number % 8}"), range(40)))
    bridge.close()
    assert answers == [f"the screen of %{number % 8}" for number in range(40)]
    [panes] = server.opened
    assert len(panes.loops) == 1
    assert panes.closed


def test_a_failure_of_the_outside_is_a_receipt_with_its_code_and_hint() -> None:
    bridge = Bridge(Server().connect)
    result = ask(bridge, "%9")
    bridge.close()
    assert isinstance(result, SendResult)
    assert (result.success, result.verdict, result.rung) == (False, Verdict.FAILED, Rung.NOTHING)
    assert (result.error_type, result.pane) == (Code.PANE_NOT_FOUND, "%9")
    assert "no pane is called '%9'" in result.detail
    assert result.hint


def test_a_connection_that_could_not_be_opened_is_tried_again_by_the_next_call() -> None:
    server = Server(failures=1)
    bridge = Bridge(server.connect)
    first, second = ask(bridge, "%1"), ask(bridge, "%1")
    bridge.close()
    assert isinstance(first, SendResult)
    assert first.error_type is Code.TMUX_NOT_INSTALLED
    assert second == "the screen of %1"


def test_a_programming_error_raises() -> None:
    bridge = Bridge(Server().connect)
    with pytest.raises(AttributeError, match="nonsense"):
        bridge.ask("%1", lambda tmux: cast(Any, tmux).nonsense())
    bridge.close()


def test_closing_ends_the_thread_and_whoever_still_waits() -> None:
    server = Server()
    bridge = Bridge(server.connect)
    ask(bridge, "%1")
    with ThreadPoolExecutor(1) as caller:
        waiting = caller.submit(ask, bridge, "blocked")
        assert server.opened[0].asked.wait(30)
        bridge.close()
        with pytest.raises(CancelledError):
            waiting.result(30)
    assert server.opened[0].closed
    assert "paneward-bridge" not in {thread.name for thread in threading.enumerate()}


# --- over a real tmux


@pytest.fixture
def pane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bash in a tmux server of its own, to which the module is connected."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PANEWARD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("TMUX", raising=False)
    name = f"paneward-bridge-{uuid.uuid4().hex[:8]}"
    tmux = ["tmux", "-L", name, "-f", "/dev/null"]
    shell = ["new-session", "-d", "-x", "80", "-y", "24", "-P", "-F", "#{pane_id}", "PS1='$ ' exec bash --norc -i"]
    started = subprocess.run([*tmux, *shell], check=True, capture_output=True, text=True)
    tmux_bridge.configure(socket_name=name)
    yield started.stdout.strip()
    tmux_bridge.configure()
    subprocess.run([*tmux, "kill-server"], check=True)


@live
def test_send_literal_text_to_tmux_pane(pane: str) -> None:
    result = tmux_bridge.send_text(pane, "echo one-$((1 + 1))")
    assert result.success
    assert result.error_type is None
    assert result.latency_ms > 0
    screen = tmux_bridge.capture(pane)
    assert isinstance(screen, str)
    assert "one-2" in screen.splitlines()


@live
def test_send_special_keys_to_tmux_pane(pane: str) -> None:
    assert tmux_bridge.send_text(pane, "cat").success
    for keys in (("x", "Enter"), ("Up", "C-u"), ("C-c",), ("Escape",)):
        assert tmux_bridge.send_keys(pane, *keys).success
    unknown = tmux_bridge.send_keys(pane, "Return")
    assert unknown.error_type is Code.UNKNOWN_KEY


@live
def test_tmux_pane_does_not_exist(pane: str) -> None:
    for result in (
        tmux_bridge.send_text("%999", "echo"),
        tmux_bridge.send_keys("%999", "Enter"),
        tmux_bridge.capture("%999"),
        tmux_bridge.capture_pane("%999"),
    ):
        assert isinstance(result, SendResult)
        assert not result.success
        assert result.error_type is Code.PANE_NOT_FOUND


@live
@pytest.mark.parametrize("transport", ["control", "exec"])
def test_tmux_not_installed(pane: str, transport: Any) -> None:
    tmux_bridge.configure(Settings(tmux=TmuxSettings(binary="paneward-no-such-tmux", transport=transport)))
    assert tmux_bridge.send_text(pane, "echo").error_type is Code.TMUX_NOT_INSTALLED
    captured = tmux_bridge.capture(pane)
    assert isinstance(captured, SendResult)
    assert captured.error_type is Code.TMUX_NOT_INSTALLED


@live
@pytest.mark.parametrize("transport", ["control", "exec"])
def test_subprocess_timeout(pane: str, tmp_path: Path, transport: Any) -> None:
    hanging = tmp_path / "tmux"
    hanging.write_text("#!/bin/sh\nexec sleep 600\n")
    hanging.chmod(0o755)
    tmux_bridge.configure(
        Settings(
            tmux=TmuxSettings(binary=str(hanging), transport=transport),
            tmux_bridge=BridgeSettings(subprocess_timeout=0.2),
        )
    )
    assert tmux_bridge.send_text(pane, "echo").error_type is Code.TIMEOUT


@live
def test_a_repeated_message_id_brings_back_the_first_receipt(pane: str) -> None:
    first = tmux_bridge.send_text(pane, "echo once", message_id="m1")
    again = tmux_bridge.send_text(pane, "echo once", message_id="m1")
    assert first.success
    assert again.repeated
    screen = tmux_bridge.capture(pane)
    assert isinstance(screen, str)
    assert screen.splitlines().count("once") == 1


FORKING = """
import os, sys
from paneward import tmux_bridge
tmux_bridge.configure(socket_name=sys.argv[1])
assert tmux_bridge.send_keys("nobody", "Up").error_type
child = os.fork()
if not child:
    code = tmux_bridge.send_keys("nobody", "Up").error_type
    tmux_bridge.close()
    os._exit(0 if code else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert tmux_bridge.send_keys("nobody", "Up").error_type
"""


@live
def test_a_forked_child_gets_a_bridge_of_its_own(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "PANEWARD_STATE_DIR": str(tmp_path / "state")}
    name = f"paneward-none-{uuid.uuid4().hex[:8]}"
    subprocess.run([sys.executable, "-c", FORKING, name], check=True, timeout=60, env=env)


def test_the_snippet_helper_has_its_name_here() -> None:
    assert tmux_bridge._extract_verification_snippet("x" * 39) is None
    assert tmux_bridge._extract_verification_snippet("x" * 70) == "x" * 60
