"""The proving ground, played once: whatever the program does to its input, what it took is judged byte for byte."""

import asyncio
import os
import shlex
import sys
from pathlib import Path

import pytest

from paneward.core.errors import Code
from paneward.core.result import SendResult, Verdict
from tests.hostile.driver import read_log
from tests.hostile.texts import TEXTS, expected
from tests.live.conftest import Ground
from tests.live.ground import Played

SOME = ("ascii", "characters_41", "cjk", "two_lines", "characters_1000")
FEW = ("ascii", "characters_41", "two_lines")
LARGE = (*SOME, "bytes_20000")
EVERY = sorted(TEXTS, key=lambda name: name == "looks_busy")  # which a later text has to wait for while it is in view
CUT = {name for name, text in TEXTS.items() if max(len(line.encode()) for line in expected(text).split("\n")) > 4095}

Program = tuple[str, tuple[str, ...], int, tuple[str, ...]]

PROGRAMS: list[Program] = [
    ("early_enter_swallowed", (), 80, LARGE),
    ("early_enter_newline", (), 80, LARGE),
    ("ghost", (), 80, LARGE),
    ("transcript_echo", (), 80, (*LARGE, "already_said", "already_said")),
    ("paste_placeholder", (), 80, (*LARGE, "lines_20000_bytes", "looks_like_placeholder")),
    ("slow_start", (), 80, FEW),
    ("slow_start", ("--drop-visible",), 80, FEW),
    ("busy_ignores", (), 80, FEW),
    ("busy_queues", (), 80, FEW),
    ("busy_queues", ("--type-ahead",), 80, FEW),
    ("alt_clock", (), 80, LARGE),
    ("right_prompt", (), 80, SOME),
    ("right_prompt", ("--right", "clock"), 80, SOME),
    ("pause_output", (), 80, FEW),
    ("flood", (), 80, FEW),
    ("yes_no", ("--loop",), 80, ("one_character", "ascii", "cjk")),
    ("one_key", ("--kind", "read"), 80, ("one_character", "one_character")),
    ("one_key", ("--kind", "getch"), 80, ("one_character", "one_character")),
    ("password", (), 80, ("single_quotes",)),
    ("canonical", ("--prompt", ""), 80, SOME),
    ("plain_box", (), 20, LARGE),
    ("paste_editor", (), 20, SOME),
    ("ghost", (), 20, SOME),
    ("alt_clock", (), 20, SOME),
    ("canonical", (), 20, SOME),
    ("plain_box", ("--no-cursor",), 80, LARGE),
    ("ghost", ("--no-cursor",), 80, (*FEW, "cjk", "bytes_20000")),
    ("alt_clock", ("--no-cursor",), 80, SOME),
    ("plain_box", ("--no-cursor",), 20, SOME),
    ("plain_box", ("--delay-ms", "150"), 80, LARGE),
    ("plain_box", ("--delay-ms", "700"), 80, FEW),
    ("early_enter_newline", ("--delay-ms", "150"), 80, SOME),
    ("ghost", ("--delay-ms", "150"), 80, FEW),
]


def named(program: Program) -> str:
    name, options, width, _ = program
    return " ".join([name, *options, *([] if width == 80 else [f"{width} columns"])])


def told(played: list[Played]) -> str:
    return "\n".join(str(one) for one in played)


@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("program", ["plain_box", "paste_editor"])
def test_every_text_arrives_byte_for_byte(ground: Ground, program: str, part: int) -> None:
    stage = ground.stage(program)

    async def act() -> list[Played]:
        async with ground.connect() as tmux:
            return await stage.play_all(tmux, EVERY[part::2])

    wrong = [one for one in asyncio.run(act()) if one.judgement != "exact"]
    assert not wrong, told(wrong)


@pytest.mark.parametrize("part", range(2))
def test_every_text_that_fits_arrives_at_a_terminal_that_collects_lines(ground: Ground, part: int) -> None:
    stage = ground.stage("canonical")

    async def act() -> list[Played]:
        async with ground.connect() as tmux:
            return await stage.play_all(tmux, EVERY[part::2])

    played = asyncio.run(act())
    wrong = [one for one in played if one.judgement != ("refused" if one.case.text in CUT else "exact")]
    assert not wrong, told(wrong)
    refused = [one.result.error_type for one in played if one.judgement == "refused"]
    assert refused == [Code.TEXT_TOO_LONG] * len(refused)


@pytest.mark.parametrize("program", PROGRAMS, ids=named)
def test_a_hostile_program_gets_exactly_what_was_sent(ground: Ground, program: Program) -> None:
    name, options, width, texts = program
    stage = ground.stage(name, *options, width=width)

    async def act() -> list[Played]:
        async with ground.connect() as tmux:
            return await stage.play_all(tmux, texts)

    wrong = [one for one in asyncio.run(act()) if one.judgement != "exact"]
    assert not wrong, told(wrong)


@pytest.mark.parametrize("rows", [1, 3])
def test_a_suggestion_nobody_could_see_is_told_when_enter_took_it(ground: Ground, rows: int) -> None:
    """The text fills its row, so that nothing of the suggestion is drawn."""
    stage = ground.stage("ghost")
    text = ("words and words " * 20)[: 77 * rows - 1] + "."

    async def act() -> SendResult:
        async with ground.connect() as tmux:
            return await tmux.send_text(stage.pane, text)

    result = asyncio.run(act())
    assert [event for event in stage.named("key") if "accepted" in event]
    assert (result.verdict, stage.submits()) == (Verdict.UNCONFIRMED, ()), result
    assert "and more with it" in result.evidence


@pytest.mark.parametrize("command", ["read -r answer", "head -n 1", "read -rs answer"])
def test_a_script_that_ends_with_its_answer_has_taken_it(ground: Ground, command: str) -> None:
    """In a shell and alone in its pane: whoever comes after it, the line was handed over."""
    script, alone = f"printf 'Go on? [y/N] '; {command}", ["bash", "-c", f"printf 'Go on? [y/N] '; {command}"]
    shell, pane = ground.shell(), ground.shell(*alone)

    async def act() -> list[SendResult]:
        async with ground.connect() as tmux:
            assert (await tmux.send_text(shell, f"bash -c {shlex.quote(script)}")).success
            assert (await tmux.wait_ready(shell, 20)).question == "Go on? [y/N]"
            return [await tmux.send_text(place, "y") for place in (shell, pane)]

    for result in asyncio.run(act()):
        assert (result.verdict, result.enters) == (Verdict.CONFIRMED, 1), result


def test_a_program_that_becomes_another_before_it_is_typed_to_is_known_as_that(ground: Ground, tmp_path: Path) -> None:
    """An agent is started by a script: whoever sends to it at once must not take it for a shell."""
    door, log = tmp_path / "door", tmp_path / "log"
    os.mkfifo(door)
    agent = shlex.join([sys.executable, "-m", "paneward.demo.agent", "--log", str(log)])
    pane = ground.shell("sh", "-c", f"read -r go <{shlex.quote(str(door))}; exec {agent}")

    async def act() -> SendResult:
        async with ground.connect() as tmux:
            sending = asyncio.create_task(tmux.send_text(pane, "fix it"))
            assert not (await tmux.wait_ready(pane, 0.3)).is_ready
            door.write_text("\n")
            assert (await tmux.wait_ready(pane, 30)).is_ready
            return await sending

    result = asyncio.run(act())
    assert (result.verdict, result.profile) == (Verdict.CONFIRMED, "demo"), result
    assert [event["text"] for event in read_log(log) if event["event"] == "submit"] == ["fix it"]


def test_a_line_that_nobody_reads_was_not_taken(ground: Ground) -> None:
    """The terminal echoes it, and the cursor stands on a new line, as if a prompt were back."""
    pane = ground.shell(sys.executable, "-c", "import select, time; select.select([0], [], []); time.sleep(1000)")

    async def act() -> SendResult:
        async with ground.connect() as tmux:
            return await tmux.send_text(pane, "fix it")

    result = asyncio.run(act())
    assert (result.verdict, result.evidence) == (Verdict.UNCONFIRMED, "the line waits to be read"), result
