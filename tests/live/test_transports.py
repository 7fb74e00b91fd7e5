"""The same deliveries, waits and answers over both transports, here and over ssh."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from paneward.app import Connection, Transport
from paneward.core.errors import Code
from paneward.core.result import ReadyVerdict
from tests.adapters.conftest import until
from tests.live.conftest import Ground
from tests.live.ground import Played

WAYS: list[tuple[Transport, str]] = [("control", "local"), ("exec", "local"), ("control", "ssh"), ("exec", "ssh")]
Run = Callable[[Callable[[Connection], Awaitable[Any]]], Any]

CASES = [
    ("plain_box", (), 80, ("ascii", "unicode", "two_lines", "trailing_semicolon", "bytes_20000")),
    ("canonical", (), 80, ("ascii", "cjk", "trailing_backslash")),
    ("paste_editor", (), 20, ("tabs", "code", "end_of_paste_and_command")),
    ("ghost", (), 80, ("ascii", "two_lines")),
    ("early_enter_swallowed", (), 80, ("ascii", "characters_41")),
    ("paste_placeholder", (), 80, ("lines_20000_bytes",)),
    ("slow_start", ("--drop-visible",), 80, ("ascii",)),
    ("busy_ignores", (), 80, ("ascii", "characters_41")),
    ("alt_clock", (), 80, ("ascii", "characters_1000")),
    ("right_prompt", ("--right", "clock"), 80, ("ascii",)),
    ("pause_output", (), 80, ("ascii",)),
    ("password", (), 80, ("single_quotes",)),
]


@pytest.fixture(params=WAYS, ids=["-".join(way) for way in WAYS])
def run(ground: Ground, request: pytest.FixtureRequest) -> Run:
    transport, host = request.param

    def act(what: Callable[[Connection], Awaitable[Any]]) -> Any:
        async def connected() -> Any:
            async with ground.connect(transport, host) as tmux:
                return await what(tmux)

        return asyncio.run(connected())

    return act


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_hostile_program_gets_exactly_what_was_sent(
    ground: Ground, run: Run, case: tuple[str, tuple[str, ...], int, tuple[str, ...]]
) -> None:
    program, options, width, texts = case
    stage = ground.stage(program, *options, width=width)
    played: list[Played] = run(lambda tmux: stage.play_all(tmux, texts))
    assert [one.judgement for one in played] == ["exact"] * len(texts), [str(one) for one in played]


def test_a_busy_shell_an_idle_one_and_a_question_are_told_apart(ground: Ground, run: Run) -> None:
    shell, question = ground.shell(), ground.stage("yes_no")
    menu, dead = ground.stage("menu"), ground.shell("true")
    until(lambda: ground.server.value(dead, "pane_dead") == "1")

    async def act(tmux: Connection) -> list[ReadyVerdict]:
        found = [await tmux.wait_ready(pane, 20) for pane in (shell, question.pane, menu.pane, dead)]
        assert (await tmux.send_text(shell, "sleep 3")).success
        found += [await tmux.wait_ready(shell, 1), await tmux.wait_ready(shell, 20)]
        return [ready.verdict for ready in found]

    awaiting = ReadyVerdict.AWAITING_ANSWER
    expected = [ReadyVerdict.READY, awaiting, awaiting, ReadyVerdict.DEAD, ReadyVerdict.BUSY, ReadyVerdict.READY]
    assert run(act) == expected


def test_a_pause_in_mid_output_is_never_ready(ground: Ground, run: Run) -> None:
    stage = ground.stage("pause_output", "--half", "continue > ")
    ready = run(lambda tmux: tmux.wait_ready(stage.pane, 30))
    assert ready.verdict is ReadyVerdict.READY, ready
    assert "Everything is up to date." in ready.screen


def test_a_dialog_is_answered_and_never_typed_into(ground: Ground, run: Run) -> None:
    stage = ground.stage("menu")

    async def act(tmux: Connection) -> Any:
        await stage.wait_event("ready")
        refused = await tmux.send_text(stage.pane, "1")
        assert [event["event"] for event in stage.events()] == ["ready"]
        menu = await tmux.menu(stage.pane)
        assert menu is not None
        return refused, await tmux.answer(stage.pane, other="teal", fingerprint=menu.fingerprint)

    refused, answered = run(act)
    assert refused.error_type is Code.BLOCKED_BY_DIALOG, refused
    assert answered.success, answered
    assert stage.submits() == ("teal",)


def test_copy_mode_a_draft_and_a_repeated_id(ground: Ground, run: Run) -> None:
    stage = ground.stage("draft", "--gone-after", "1")

    async def act(tmux: Connection) -> Any:
        await stage.wait_event("ready")
        ground.server.run("copy-mode", "-t", stage.pane)
        return [await tmux.send_text(stage.pane, "after all that", message_id="m-1") for _ in range(2)]

    first, second = run(act)
    assert (first.success, first.repeated, second.repeated) == (True, False, True), (first, second)
    assert stage.submits() == ("after all that",)


def test_what_is_not_there_is_told(ground: Ground, run: Run) -> None:
    pane = ground.shell("cat")
    assert run(lambda tmux: tmux.send_text("%4242", "x")).error_type is Code.PANE_NOT_FOUND
    assert run(lambda tmux: tmux.send_keys(pane, "Entr")).error_type is Code.UNKNOWN_KEY
    assert run(lambda tmux: tmux.send_text(pane, "x" * 4096)).error_type is Code.TEXT_TOO_LONG


def test_a_program_that_goes_away_in_the_middle_is_told(ground: Ground, run: Run) -> None:
    stage = ground.stage("dropper", "--after-bytes", "100")
    result = run(lambda tmux: tmux.send_text(stage.pane, "word " * 100))
    assert (result.error_type, result.enters) == (Code.PANE_DEAD, 0), result


def test_keys_and_the_screen(ground: Ground, run: Run) -> None:
    pane = ground.shell()

    async def act(tmux: Connection) -> str:
        await tmux.wait_ready(pane, 20)
        assert (await tmux.send_keys(pane, "e", "c", "h", "o", "Space", "h", "i", "Enter", verify_enter=True)).success
        await tmux.wait_ready(pane, 20)
        return await tmux.capture(pane)

    assert run(act) == "$ echo hi\nhi\n$"
