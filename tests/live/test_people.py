"""Others are at the pane too: an operator who types, a second sender, somebody who scrolls or ends the program."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from paneward.config import BridgeSettings, ProfileSettings, Settings
from paneward.core.errors import Code
from paneward.core.result import SendResult, Verdict
from tests.adapters.conftest import until
from tests.hostile.texts import TEXTS
from tests.live.conftest import SETTINGS, Ground
from tests.live.ground import ROOT, Stage, reached
from tests.live.human import Human
from tests.live.sender import texts

TEXT = "what Paneward has to say"


@pytest.fixture
def hire(ground: Ground) -> Iterator[list[Human]]:
    """Operators that leave when the test ends."""
    humans: list[Human] = []
    yield humans
    for human in humans:
        human.leave()


def attach(ground: Ground, stage: Stage, hire: list[Human]) -> Human:
    asyncio.run(stage.wait_event("ready"))
    hire.append(Human(ground.server, stage.pane))
    return hire[-1]


def slow(ground: Ground, seconds: float) -> Settings:
    """A profile that looks at the text for a while before it submits, so that there is time to interfere."""
    path = ground.directory / "profiles.yaml"
    path.write_text(f"generic: {{settle: {seconds}}}\n")
    return replace(SETTINGS, profiles=ProfileSettings(file=str(path)))


def test_a_draft_is_held_for_and_the_text_goes_in_after_the_operator_submitted(
    ground: Ground, hire: list[Human]
) -> None:
    stage = ground.stage("plain_box")
    human = attach(ground, stage, hire)
    human.type("half a thought")

    async def act() -> SendResult:
        async with ground.connect() as tmux:
            sending = asyncio.create_task(tmux.send_text(stage.pane, TEXT))
            await reached(lambda: ground.server.run("list-clients", "-F", "#{client_control_mode}").count("1") >= 2)
            await asyncio.to_thread(human.type, " made whole")
            human.press(b"\r")
            return await sending

    result = asyncio.run(act())
    assert result.success, result
    assert stage.submits() == ("half a thought made whole", TEXT)


def test_a_draft_that_stays_is_left_alone_and_the_receipt_says_so(ground: Ground, hire: list[Human]) -> None:
    stage = ground.stage("plain_box")
    human = attach(ground, stage, hire)
    human.type("half a thought")
    settings = replace(SETTINGS, tmux_bridge=BridgeSettings(draft_hold_s=0.5))

    async def act(**how: str) -> SendResult:
        async with ground.connect(settings=settings) as tmux:
            return await tmux.send_text(stage.pane, TEXT, **how)  # type: ignore[arg-type]

    for result in (asyncio.run(act()), asyncio.run(act(draft="refuse")), asyncio.run(act(draft="stash"))):
        assert (result.error_type, result.enters) == (Code.OPERATOR_DRAFT, 0), result
        assert "half a thought" in result.detail
        assert result.hint
    assert not stage.submits()
    assert TEXT not in ground.server.screen(stage.pane)
    human.press(b"\x15")
    until(lambda: "half" not in ground.server.screen(stage.pane))
    assert asyncio.run(act()).success
    assert stage.submits() == (TEXT,)


def test_a_draft_the_operator_erases_makes_way(ground: Ground) -> None:
    stage = ground.stage("draft", "--gone-after", "1.5")

    async def act() -> SendResult:
        async with ground.connect() as tmux:
            await stage.wait_event("ready")
            return await tmux.send_text(stage.pane, TEXT)

    assert asyncio.run(act()).success
    assert stage.submits() == (TEXT,)
    erased, taken = stage.named("draft_erased")[0], stage.named("submit")[0]
    assert erased["at"] < taken["at"]
    assert erased["text"] == "a thought the operator has not fini"


def test_what_the_operator_types_behind_our_text_is_not_submitted_with_it(ground: Ground, hire: list[Human]) -> None:
    stage = ground.stage("plain_box")
    human = attach(ground, stage, hire)

    async def act() -> SendResult:
        async with ground.connect(settings=slow(ground, 2.0)) as tmux:
            sending = asyncio.create_task(tmux.send_text(stage.pane, TEXT))
            await reached(lambda: TEXT in ground.server.screen(stage.pane))
            await asyncio.to_thread(human.type, " oops")
            return await sending

    result = asyncio.run(act())
    assert (result.error_type, result.enters) == (Code.OPERATOR_DRAFT, 0), result
    assert not stage.submits()


def test_a_draft_is_put_aside_and_typed_back_where_the_profile_can(ground: Ground, hire: list[Human]) -> None:
    stage = ground.stage("demo_agent", "--speed", "10")
    human = attach(ground, stage, hire)
    human.type("half a thought, with  two blanks")

    async def act() -> SendResult:
        async with ground.connect() as tmux:
            result = await tmux.send_text(stage.pane, TEXT, draft="stash")
            await reached(lambda: any(event.get("state") == "idle" for event in stage.named("state")))
            return result

    assert asyncio.run(act()).success
    assert stage.submits() == (TEXT,)
    human.press(b"\r")
    until(lambda: len(stage.submits()) == 2)
    assert stage.submits() == (TEXT, "half a thought, with  two blanks")


@pytest.mark.parametrize("where", ["before", "meanwhile"])
def test_copy_mode_is_left_and_the_text_arrives_whole(ground: Ground, where: str) -> None:
    stage = ground.stage("plain_box")

    async def act() -> SendResult:
        async with ground.connect(settings=slow(ground, 1.0)) as tmux:
            await stage.wait_event("ready")
            if where == "before":
                ground.server.run("copy-mode", "-t", stage.pane)
            sending = asyncio.create_task(tmux.send_text(stage.pane, TEXT))
            if where == "meanwhile":
                await reached(lambda: TEXT in ground.server.screen(stage.pane))
                ground.server.run("copy-mode", "-t", stage.pane)
            return await sending

    assert asyncio.run(act()).success
    assert stage.submits() == (TEXT,)
    assert ground.server.value(stage.pane, "pane_in_mode") == "0"


@pytest.mark.parametrize("how", ["exit", "kill"])
@pytest.mark.parametrize("after", [1, 100, 1000])
def test_a_program_that_goes_away_in_the_middle_is_told(ground: Ground, how: str, after: int) -> None:
    stage = ground.stage("dropper", "--after-bytes", str(after), "--how", how)

    async def act() -> SendResult:
        async with ground.connect() as tmux:
            return await tmux.send_text(stage.pane, TEXTS["characters_1000"])

    result = asyncio.run(act())
    assert (result.verdict, result.error_type, result.enters) == (Verdict.FAILED, Code.PANE_DEAD, 0), result
    assert not stage.submits()
    assert ground.server.value(stage.pane, "pane_dead") == "1"


def test_a_program_that_ends_at_enter_leaves_the_verdict_open(ground: Ground) -> None:
    text = TEXTS["ascii"]
    stage = ground.stage("dropper", "--after-bytes", str(len(text) + 1))

    async def act() -> SendResult:
        async with ground.connect() as tmux:
            return await tmux.send_text(stage.pane, text)

    result = asyncio.run(act())
    assert (result.verdict, result.error_type, result.enters) == (Verdict.UNCONFIRMED, None, 1), result
    assert "ended" in result.evidence


def test_a_pane_that_is_closed_in_the_middle_is_not_found_any_more(ground: Ground) -> None:
    stage = ground.stage("plain_box")

    async def act() -> SendResult:
        async with ground.connect(settings=slow(ground, 20.0)) as tmux:
            sending = asyncio.create_task(tmux.send_text(stage.pane, TEXT))
            await reached(lambda: TEXT in ground.server.screen(stage.pane))
            ground.server.new_pane()  # so that the server stays
            ground.server.run("kill-pane", "-t", stage.pane)
            return await sending

    result = asyncio.run(act())
    assert (result.error_type, result.enters) == (Code.PANE_NOT_FOUND, 0), result
    assert "typed but not submitted" in result.detail


def test_two_senders_of_two_processes_never_mix_their_text(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    command = [sys.executable, str(Path(__file__).parent / "sender.py"), ground.server.name, str(ground.state)]
    senders = [
        subprocess.Popen(
            [*command, stage.pane, prefix, "4"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for prefix in ("one", "two")
    ]
    told = [sender.communicate(timeout=120) for sender in senders]
    assert [out.strip() for out, _ in told] == ["4", "4"], told
    assert sorted(stage.submits()) == sorted([*texts("one", 4), *texts("two", 4)])
    assert not stage.named("empty_enter")


def test_two_senders_of_one_process_never_mix_their_text(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    sent = [*texts("one", 4), *texts("two", 4)]

    async def act() -> list[SendResult]:
        async with ground.connect() as tmux, ground.connect("exec") as other:
            first = [tmux.send_text(stage.pane, text) for text in texts("one", 4)]
            second = [other.send_text(stage.pane, text) for text in texts("two", 4)]
            return await asyncio.gather(*first, *second)

    results = asyncio.run(act())
    assert all(result.success for result in results), results
    assert sorted(stage.submits()) == sorted(sent)


@pytest.mark.parametrize("options", [(), ("--permission",), ("--multi",), ("--digits", "move"), ("--no-cursor",)])
def test_a_menu_is_never_typed_into(ground: Ground, options: tuple[str, ...]) -> None:
    stage = ground.stage("menu", *options)

    async def act() -> list[SendResult]:
        async with ground.connect() as tmux:
            await stage.wait_event("ready")
            return [await tmux.send_text(stage.pane, text) for text in ("1", TEXT, "first\nsecond")]

    for result in asyncio.run(act()):
        assert (result.error_type, result.enters) == (Code.BLOCKED_BY_DIALOG, 0), result
        assert "paneward answer" in result.hint
    assert [event["event"] for event in stage.events()] == ["ready"]
