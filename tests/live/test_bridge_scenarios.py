"""The bridge's scenarios, each by its name, on the hostile program that brings it about."""

import asyncio
import os
import shutil
import signal
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from paneward.app import Connection
from paneward.config import BridgeSettings, Settings, TmuxSettings, load
from paneward.core.delivery.snippet import extract_verification_snippet, typing_delay
from paneward.core.errors import Code
from paneward.core.result import Rung, SendResult, Verdict
from tests.adapters.conftest import until
from tests.live.conftest import SETTINGS, Ground
from tests.live.ground import Stage, reached

LONG = "please rename the function and say which callers had to change"
SHORT = "yes, go on"


def run(
    ground: Ground, act: Callable[[Connection], Awaitable[SendResult]], settings: Settings = SETTINGS
) -> SendResult:
    async def connected() -> SendResult:
        async with ground.connect(settings=settings) as tmux:
            return await act(tmux)

    return asyncio.run(connected())


def send(ground: Ground, stage: Stage, text: str, settings: Settings = SETTINGS, **how: bool) -> SendResult:
    return run(ground, lambda tmux: tmux.send_text(stage.pane, text, **how), settings)  # type: ignore[arg-type]


# --- tmux Bridge Service


def test_send_literal_text_to_tmux_pane(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    text = "Enter C-c $(id) 'quoted' #{pane_id};"
    result = send(ground, stage, text)
    assert result.success
    assert result.latency_ms >= 1000 * typing_delay(len(text), base=0.12)
    assert stage.submits() == (text,)


@pytest.mark.parametrize("length", [150, 1200])
def test_the_delay_before_enter_grows_with_the_text(ground: Ground, length: int) -> None:
    stage = ground.stage("early_enter_newline", "--early-ms", str(1000 * typing_delay(length, base=0.12) - 5))
    text = ("0123456789 " * 200)[:length].rstrip() + "."
    assert send(ground, stage, text).success
    assert not stage.named("newline")
    assert stage.submits() == (text,)


def test_post_typing_ghost_text_dismissal(ground: Ground) -> None:
    stage = ground.stage("ghost")
    assert send(ground, stage, LONG).success
    assert stage.submits() == (LONG,)
    [dismissed] = stage.named("key")
    assert (dismissed["key"], dismissed["dismissed"]) == ("Escape", " and run the tests again")
    assert not stage.named("newline")  # Escape and Enter were two keys


def test_ghost_text_is_left_alone_when_it_is_not_to_be_detected(ground: Ground) -> None:
    stage = ground.stage("ghost")
    result = send(ground, stage, LONG, detect_ghost_text=False)
    assert not result.success
    assert [event["key"] for event in stage.named("key")] == ["Enter"]
    assert not stage.submits()


def test_enter_verification_with_text_presence_check_for_long_text(ground: Ground) -> None:
    stage = ground.stage("transcript_echo")
    assert extract_verification_snippet(LONG) is not None
    for _ in range(2):  # the transcript shows the text from the first time on
        result = send(ground, stage, LONG)
        assert (result.verdict, result.rung, result.enters) == (Verdict.CONFIRMED, Rung.SUBMITTED, 1), result
    assert stage.submits() == (LONG, LONG)


def test_enter_verification_with_content_change_check_for_short_text(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    assert extract_verification_snippet(SHORT) is None
    result = send(ground, stage, SHORT)
    assert (result.verdict, result.rung, result.enters) == (Verdict.CONFIRMED, Rung.SUBMITTED, 1), result
    assert stage.submits() == (SHORT,)


@pytest.mark.parametrize("text", [LONG, SHORT])
def test_an_enter_that_was_not_taken_is_pressed_again_and_nothing_is_retyped(ground: Ground, text: str) -> None:
    stage = ground.stage("early_enter_swallowed", "--early-ms", "400")
    result = send(ground, stage, text)
    assert result.success, result
    assert result.enters == 1 + len(stage.named("swallowed")) >= 2
    assert stage.submits() == (text,)
    assert not stage.named("empty_enter")


def test_enter_retry_with_ghost_text_recovery(ground: Ground) -> None:
    stage = ground.stage("late_ghost")
    result = send(ground, stage, LONG)
    assert result.success, result
    assert result.enters == 2
    assert [event["key"] for event in stage.named("key")] == ["Enter", "Escape"]
    assert stage.submits() == (LONG,)


def test_all_enter_retries_exhausted(ground: Ground, caplog: pytest.LogCaptureFixture) -> None:
    stage = ground.stage("early_enter_swallowed", "--early-ms", "60000")
    result = send(ground, stage, LONG)
    assert (result.success, result.error_type, result.enters) == (False, Code.SEND_FAILED, 4), result
    assert LONG in result.dump
    [warning] = [record.getMessage() for record in caplog.records if record.name.startswith("paneward")]
    assert LONG in warning
    assert len(stage.named("swallowed")) == 4
    assert not stage.submits()


@pytest.mark.parametrize("text", [LONG, SHORT])
def test_the_number_of_retries_is_configured(ground: Ground, text: str) -> None:
    stage = ground.stage("early_enter_swallowed", "--early-ms", "60000")
    settings = replace(SETTINGS, tmux_bridge=BridgeSettings(max_enter_retries=1))
    result = send(ground, stage, text, settings)
    assert (result.error_type, result.enters) == (Code.SEND_FAILED, 2), result


def test_send_special_keys_to_tmux_pane(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    keys = ("Escape", "Up", "Down")

    async def act(tmux: Connection) -> SendResult:
        await stage.wait_event("ready")
        result = await tmux.send_keys(stage.pane, *keys)
        assert (await tmux.send_keys(stage.pane, "x", "y", "C-u", "z", "Enter")).success
        await reached(lambda: bool(stage.submits()))
        assert (await tmux.send_keys(stage.pane, "C-c")).success
        await stage.wait_event("exit")
        return result

    result = run(ground, act)
    assert (result.success, result.rung) == (True, Rung.TYPED)
    assert [event["key"] for event in stage.named("key")] == [*keys, "C-c"]
    assert stage.submits() == ("z",)


def test_an_enter_among_the_keys_is_verified_when_asked_for(ground: Ground) -> None:
    stage = ground.stage("early_enter_swallowed", "--early-ms", "400")

    async def act(tmux: Connection) -> SendResult:
        await stage.wait_event("ready")
        return await tmux.send_keys(stage.pane, "h", "i", "Enter", verify_enter=True)

    result = run(ground, act)
    assert (result.success, result.rung) == (True, Rung.SUBMITTED), result
    assert result.enters == 1 + len(stage.named("swallowed")) >= 2
    assert stage.submits() == ("hi",)


def test_tmux_pane_does_not_exist(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    gone = f"%{int(stage.pane[1:]) + 999}"
    for result in (
        run(ground, lambda tmux: tmux.send_text(gone, SHORT)),
        run(ground, lambda tmux: tmux.send_keys(gone, "Enter")),
        run(ground, lambda tmux: tmux.answer(gone, select=1)),
    ):
        assert (result.success, result.error_type) == (False, Code.PANE_NOT_FOUND), result
        assert gone in result.detail
        assert "paneward panes" in result.hint


@pytest.mark.parametrize("transport", ["control", "exec"])
def test_tmux_not_installed(ground: Ground, monkeypatch: pytest.MonkeyPatch, transport: str) -> None:
    pane = ground.shell()
    monkeypatch.setenv("PATH", str(ground.directory))

    async def act() -> SendResult:
        async with ground.connect(transport, settings=Settings()) as tmux:  # type: ignore[arg-type]
            return await tmux.send_text(pane, SHORT)

    result = asyncio.run(act())
    assert (result.success, result.error_type) == (False, Code.TMUX_NOT_INSTALLED), result
    assert "apt-get install tmux" in result.hint


@pytest.mark.parametrize("transport", ["control", "exec"])
def test_subprocess_timeout(ground: Ground, transport: str) -> None:
    program = ground.directory / "tmux-that-hangs"
    program.write_text(f'#!/bin/sh\n[ "$1" = -V ] && exec {shutil.which("tmux")} -V\nexec sleep 60\n')
    program.chmod(0o755)
    settings = Settings(tmux=TmuxSettings(binary=str(program)), tmux_bridge=BridgeSettings(subprocess_timeout=0.3))

    async def act() -> SendResult:
        async with ground.connect(transport, settings=settings) as tmux:  # type: ignore[arg-type]
            return await tmux.send_text("%0", SHORT)

    result = asyncio.run(act())
    assert (result.success, result.error_type) == (False, Code.TIMEOUT), result
    assert result.hint


@pytest.mark.parametrize("transport", ["control", "exec"])
def test_a_tmux_server_that_stopped_is_a_timeout_and_nothing_is_typed(ground: Ground, transport: str) -> None:
    stage = ground.stage("plain_box")
    server = int(ground.server.value(stage.pane, "pid"))
    settings = replace(SETTINGS, tmux_bridge=BridgeSettings(subprocess_timeout=0.5))

    async def act() -> SendResult:
        async with ground.connect(transport, settings=settings) as tmux:  # type: ignore[arg-type]
            await stage.wait_event("ready")
            await tmux.panes()
            os.kill(server, signal.SIGSTOP)
            try:
                return await tmux.send_text(stage.pane, SHORT)
            finally:
                os.kill(server, signal.SIGCONT)

    result = asyncio.run(act())
    assert (result.success, result.error_type, result.enters) == (False, Code.TIMEOUT, 0), result
    until(lambda: ground.server.value(stage.pane, "pane_id") == stage.pane)
    assert not stage.submits()


# --- Configuration


def test_config_values(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "tmux_bridge:\n  health_check_interval: 31\n  subprocess_timeout: 6\n  text_enter_delay_ms: 121\n"
        "  sequential_send_delay_ms: 151\n  clear_delay_ms: 201\n  max_enter_retries: 4\n"
    )
    bridge = load(path, env={}).tmux_bridge
    defaults = Settings().tmux_bridge
    assert (defaults.health_check_interval, defaults.subprocess_timeout) == (30.0, 5.0)
    assert (defaults.text_enter_delay_ms, defaults.sequential_send_delay_ms) == (120, 150)
    assert (defaults.clear_delay_ms, defaults.max_enter_retries) == (200, 3)
    assert (bridge.health_check_interval, bridge.subprocess_timeout) == (31.0, 6.0)
    assert (bridge.text_enter_delay_ms, bridge.sequential_send_delay_ms) == (121, 151)
    assert (bridge.clear_delay_ms, bridge.max_enter_retries) == (201, 4)


@pytest.mark.parametrize(("delay_ms", "newlines"), [(0, 1), (400, 0)])
def test_the_configured_delay_is_what_is_waited_before_enter(ground: Ground, delay_ms: int, newlines: int) -> None:
    stage = ground.stage("early_enter_newline", "--early-ms", "300")
    send(ground, stage, LONG, replace(SETTINGS, tmux_bridge=BridgeSettings(text_enter_delay_ms=delay_ms)))
    assert len(stage.named("newline")) == newlines
    assert stage.submits() == ((LONG,) if not newlines else ())


# --- Verification Snippet Extraction


def test_long_text_produces_snippet() -> None:
    assert extract_verification_snippet("x" * 30 + "\n" + LONG + "\n\n") == LONG[-60:]


def test_short_text_returns_none() -> None:
    assert extract_verification_snippet("a text of thirty-nine characters, yes!!") is None


def test_empty_or_whitespace_only_text() -> None:
    assert [extract_verification_snippet(text) for text in ("", "   ", " \n" * 50)] == [None] * 3


def test_text_with_only_short_lines() -> None:
    assert extract_verification_snippet("a line\n" * 20 + "ok") is None
