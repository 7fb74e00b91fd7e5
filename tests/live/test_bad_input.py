"""What is asked wrongly, or cannot be: each answered with its code, what was seen, and what to do. Nothing is typed."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from paneward.app import Connection, Transport, connect
from paneward.config import BridgeSettings, ProfileSettings, Settings, TmuxSettings
from paneward.core.errors import Code, InvalidInput, PanewardError
from paneward.core.result import Rung, SendResult, Verdict
from tests.adapters.conftest import TMUX, TmuxServer, until
from tests.live.conftest import SETTINGS, Ground
from tests.live.ground import Stage

Act = Callable[[Connection], Awaitable[Any]]
BOTH = pytest.mark.parametrize("transport", ["control", "exec"])


def ask(ground: Ground, act: Act, transport: str = "control", settings: Settings = SETTINGS, **server: str) -> Any:
    async def connected() -> Any:
        async with ground.connect(transport, settings=settings, **server) as tmux:  # type: ignore[arg-type]
            return await act(tmux)

    return asyncio.run(connected())


def refused(result: SendResult, code: Code, *words: str) -> None:
    """A receipt that names the failure, what was seen and what to do, and claims nothing."""
    assert (result.verdict, result.success, result.error_type) == (Verdict.FAILED, False, code), result
    assert (result.rung, result.enters) == (Rung.NOTHING, 0)
    assert all(word in result.detail for word in words), result.detail
    assert result.hint


def raised(ground: Ground, act: Act, code: Code, *words: str, **how: Any) -> None:
    with pytest.raises(PanewardError) as caught:
        ask(ground, act, **how)
    assert (caught.value.code, bool(caught.value.hint)) == (code, True)
    assert all(word in caught.value.message for word in words), caught.value.message


def program(ground: Ground, script: str) -> Settings:
    """Settings whose tmux is a script."""
    path = ground.directory / "fake-tmux"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return replace(SETTINGS, tmux=TmuxSettings(binary=str(path)), tmux_bridge=BridgeSettings(subprocess_timeout=0.3))


@pytest.fixture
def stage(ground: Ground) -> Iterator[Stage]:
    """A box that must not notice anything."""
    stage = ground.stage("plain_box")
    asyncio.run(stage.wait_event("ready"))
    yield stage
    assert [event["event"] for event in stage.events()] == ["ready"]


@BOTH
def test_no_tmux(ground: Ground, stage: Stage, monkeypatch: pytest.MonkeyPatch, transport: str) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(ground.directory))
        refused(
            ask(ground, lambda tmux: tmux.send_text(stage.pane, "x"), transport, Settings()), Code.TMUX_NOT_INSTALLED
        )
        for verb in (lambda tmux: tmux.wait_ready("%0"), lambda tmux: tmux.capture("%0"), lambda tmux: tmux.panes()):
            raised(ground, verb, Code.TMUX_NOT_INSTALLED, transport=transport, settings=Settings())


@BOTH
def test_no_server(ground: Ground, transport: str) -> None:
    name = f"paneward-none-{uuid.uuid4().hex[:8]}"
    result = ask(ground, lambda tmux: tmux.send_text("%0", "x"), transport, socket_name=name)
    refused(result, Code.PANE_NOT_FOUND)
    assert "-L" in result.hint


@BOTH
@pytest.mark.parametrize("target", ["%4242", "nobody", "s1:9.9", "", "%"])
def test_no_such_pane(ground: Ground, stage: Stage, transport: str, target: str) -> None:
    refused(ask(ground, lambda tmux: tmux.send_text(target, "x"), transport), Code.PANE_NOT_FOUND, target)
    refused(ask(ground, lambda tmux: tmux.send_keys(target, "Enter"), transport), Code.PANE_NOT_FOUND, target)
    raised(ground, lambda tmux: tmux.capture(target), Code.PANE_NOT_FOUND, transport=transport)
    raised(ground, lambda tmux: tmux.menu(target), Code.PANE_NOT_FOUND, transport=transport)


@BOTH
def test_a_dead_pane(ground: Ground, transport: str) -> None:
    pane = ground.shell("sh", "-c", "echo '$ '; read line; exit 1")
    until(lambda: ground.server.run("capture-pane", "-p", "-t", pane).startswith("$"))  # tmux may lose last words
    ground.server.run("send-keys", "-t", pane, "Enter")
    until(lambda: ground.server.value(pane, "pane_dead") == "1")
    refused(ask(ground, lambda tmux: tmux.send_text(pane, "x"), transport), Code.PANE_DEAD, "ended")
    refused(ask(ground, lambda tmux: tmux.answer(pane, select=1), transport), Code.PANE_DEAD)
    refused(ask(ground, lambda tmux: tmux.send_keys(pane, "Enter"), transport), Code.PANE_DEAD)
    assert ask(ground, lambda tmux: tmux.capture(pane), transport).startswith("$")
    assert ground.server.value(pane, "pane_dead") == "1"  # the server lives


def test_a_pane_of_another_server(ground: Ground, stage: Stage, tmp_path: Path) -> None:
    other = TmuxServer(f"{ground.server.name}-b", ground.server.home)
    other.new_pane("cat")
    foreign = other.new_pane("cat")
    try:
        assert foreign != stage.pane
        refused(ask(ground, lambda tmux: tmux.send_text(foreign, "x")), Code.PANE_NOT_FOUND, foreign)
        assert "x" not in other.screen(foreign)
    finally:
        other.end()


def test_an_invalid_pattern(ground: Ground, stage: Stage) -> None:
    for pattern in ("[", "(?P<a", "*"):
        raised(ground, lambda tmux: tmux.wait_ready(stage.pane, prompt_pattern=pattern), Code.INVALID_PATTERN, pattern)  # noqa: B023
        raised(ground, lambda tmux: tmux.explain(stage.pane, prompt_pattern=pattern), Code.INVALID_PATTERN, pattern)  # noqa: B023


@pytest.mark.parametrize("text", ["", "\x1b", "\x00\x07"])
def test_empty_text(ground: Ground, stage: Stage, text: str) -> None:
    refused(ask(ground, lambda tmux: tmux.send_text(stage.pane, text)), Code.EMPTY_TEXT)


def test_text_over_the_limit(ground: Ground, stage: Stage) -> None:
    refused(
        ask(ground, lambda tmux: tmux.send_text(stage.pane, "ä" * 500_001)), Code.TEXT_TOO_LONG, "1000002", "1000000"
    )


def test_a_line_over_the_limit_of_the_terminal(ground: Ground) -> None:
    stage = ground.stage("canonical")
    asyncio.run(stage.wait_event("ready"))
    refused(ask(ground, lambda tmux: tmux.send_text(stage.pane, "x" * 4096)), Code.TEXT_TOO_LONG, "4096", "4095")
    assert not stage.submits()


def test_control_bytes_are_removed_and_that_is_said(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    result = ask(ground, lambda tmux: tmux.send_text(stage.pane, "safe\x1b[201~\x03\r\nand sound\x07"))
    assert result.success
    assert stage.submits() == ("safe[201~\nand sound",)
    assert result.notes == ("1 line end written as LF", "3 control characters removed")


@pytest.mark.parametrize("keys", [("Entr",), ("Enter", "hello"), ("C-",), ("",)])
def test_an_unknown_key(ground: Ground, stage: Stage, keys: tuple[str, ...]) -> None:
    refused(ask(ground, lambda tmux: tmux.send_keys(stage.pane, *keys)), Code.UNKNOWN_KEY)


def test_an_unknown_profile(ground: Ground, stage: Stage) -> None:
    refused(ask(ground, lambda tmux: tmux.send_text(stage.pane, "x", profile="clod")), Code.UNKNOWN_PROFILE, "clod")
    raised(ground, lambda tmux: tmux.wait_ready(stage.pane, profile="clod"), Code.UNKNOWN_PROFILE, "clod")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("generic: [1", "line 1"),
        ("generic: {submitt: [Enter]}", "submitt"),
        ("mine:\n  typing: fast\n", "line 2"),
        ("mine: {prompt: '['}", "prompt"),
        ("mine: {submit: [Entr]}", "Entr"),
    ],
)
def test_a_broken_override_file(ground: Ground, text: str, words: str) -> None:
    path = ground.directory / "profiles.yaml"
    path.write_text(text)
    settings = replace(SETTINGS, profiles=ProfileSettings(file=str(path)))
    raised(ground, lambda tmux: tmux.panes(), Code.CONFIG_INVALID, "profiles.yaml", words, settings=settings)


def test_an_override_file_that_is_not_there(ground: Ground) -> None:
    settings = replace(SETTINGS, profiles=ProfileSettings(file=str(ground.directory / "nowhere.yaml")))
    raised(ground, lambda tmux: tmux.panes(), Code.CONFIG_INVALID, "nowhere.yaml", settings=settings)


@BOTH
def test_tmux_older_than_3_2(ground: Ground, stage: Stage, transport: str) -> None:
    settings = program(ground, '[ "$1" = -V ] && { echo tmux 3.1c; exit; }\necho "usage: tmux [-2CluvV]" >&2; exit 1')
    result = ask(ground, lambda tmux: tmux.send_text(stage.pane, "x"), transport, settings)
    refused(result, Code.TMUX_TOO_OLD, "3.1c")
    assert "3.2" in result.hint


@BOTH
@pytest.mark.parametrize("script", ["exec sleep 60", f'[ "$1" = -V ] && exec {TMUX} -V\nexec sleep 60'])
def test_tmux_hanging(ground: Ground, transport: str, script: str) -> None:
    settings = program(ground, script)
    refused(ask(ground, lambda tmux: tmux.send_text("%0", "x"), transport, settings), Code.TIMEOUT, "0.3 s")
    raised(ground, lambda tmux: tmux.wait_ready("%0"), Code.TIMEOUT, transport=transport, settings=settings)


@BOTH
def test_a_program_that_is_no_tmux(ground: Ground, transport: str) -> None:
    result = ask(ground, lambda tmux: tmux.send_text("%0", "x"), transport, program(ground, "echo what; exit 7"))
    assert result.verdict is Verdict.FAILED
    assert result.error_type in (Code.TMUX_ERROR, Code.TMUX_NOT_INSTALLED, Code.PANE_NOT_FOUND)


@pytest.mark.parametrize("transport", ["control", "exec"])
def test_a_host_that_cannot_be_reached(ground: Ground, transport: Transport) -> None:
    async def act() -> SendResult:
        nobody = connect(host="nobody@127.0.0.1", transport=transport, settings=SETTINGS, state=ground.state)
        async with nobody as tmux:
            return await tmux.send_text("%0", "x")

    refused(asyncio.run(act()), Code.HOST_UNREACHABLE)


def test_an_unknown_transport() -> None:
    async def act() -> None:
        async with connect(transport="pigeon"):  # type: ignore[arg-type]
            pass

    with pytest.raises(InvalidInput, match="pigeon") as caught:
        asyncio.run(act())
    assert "control, exec" in caught.value.hint


def test_a_word_that_is_no_choice_is_a_programming_error(ground: Ground, stage: Stage) -> None:
    with pytest.raises(ValueError, match="never"):
        ask(ground, lambda tmux: tmux.send_text(stage.pane, "x", when_busy="never"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lose"):
        ask(ground, lambda tmux: tmux.send_text(stage.pane, "x", draft="lose"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="exactly one"):
        ask(ground, lambda tmux: tmux.answer(stage.pane, "x", select=1))


@pytest.mark.parametrize("off", ["select-pane -d", "synchronize"])
def test_a_pane_whose_input_goes_elsewhere(ground: Ground, stage: Stage, off: str) -> None:
    if off == "synchronize":
        ground.server.run("split-window", "-d", "-t", stage.pane, "cat")
        ground.server.run("set-option", "-w", "-t", stage.pane, "synchronize-panes", "on")
    else:
        ground.server.run("select-pane", "-d", "-t", stage.pane)
    refused(ask(ground, lambda tmux: tmux.send_text(stage.pane, "x")), Code.NOT_READY)


def test_a_program_that_stays_busy(ground: Ground) -> None:
    pane = ground.shell("sleep", "60")
    refused(ask(ground, lambda tmux: tmux.send_text(pane, "x", timeout=1)), Code.NOT_READY, "sleep")
    for how in ("refuse", "queue", "steer", "interrupt"):
        refused(ask(ground, lambda tmux: tmux.send_text(pane, "x", when_busy=how, timeout=1)), Code.NOT_READY)  # noqa: B023
    assert ground.server.screen(pane) == ""
