"""Dialogs answered by what they say: numbers, labels, several, free text; judged by what the program logged."""

import asyncio
from typing import Any

import pytest

from paneward.app import Connection
from paneward.core.errors import Code
from paneward.core.result import Menu, Rung, SendResult, Verdict
from tests.live.conftest import Ground
from tests.live.ground import Stage, reached

RED, GREEN, BLUE, FREE = "Red, as the logo", "Green", "Blue", "Type something else"
TEXT = "a colour between blue and green"


def answer(ground: Ground, stage: Stage, text: str | None = None, **how: Any) -> SendResult:
    async def act() -> SendResult:
        async with ground.connect() as tmux:
            await stage.wait_event("ready")
            return await tmux.answer(stage.pane, text, **how)

    return asyncio.run(act())


def menu_of(ground: Ground, stage: Stage) -> Menu:
    async def act() -> Menu | None:
        async with ground.connect() as tmux:
            await tmux.wait_ready(stage.pane, 20)
            return await tmux.menu(stage.pane)

    menu = asyncio.run(act())
    assert menu is not None
    return menu


def choices(stage: Stage) -> list[Any]:
    """What was chosen; keys that had no business there are told too."""
    return [
        event.get("label") or event.get("labels") or event for event in stage.named("key") if "toggled" not in event
    ]


def untouched(stage: Stage) -> bool:
    return [event["event"] for event in stage.events()] == ["ready"]


# --- a menu with numbers and free text


@pytest.mark.parametrize(
    ("options", "select", "label"),
    [
        ((), 1, RED),
        ((), "blue", BLUE),
        (("--digits", "move"), 3, BLUE),
        (("--no-cursor",), 2, GREEN),
        (("--delay-ms", "100"), "red, as", RED),
    ],
)
def test_an_option_is_chosen_by_its_number_or_label(
    ground: Ground, options: tuple[str, ...], select: int | str, label: str
) -> None:
    stage = ground.stage("menu", *options)
    result = answer(ground, stage, select=select)
    assert (result.verdict, result.rung) == (Verdict.CONFIRMED, Rung.SUBMITTED), result
    assert choices(stage) == [label]


@pytest.mark.parametrize("how", ["text", "other"])
def test_free_text_goes_through_the_option_that_takes_it(ground: Ground, how: str) -> None:
    stage = ground.stage("menu")
    result = answer(ground, stage, **{how: TEXT})
    assert result.success, result
    assert choices(stage) == [FREE]
    assert stage.submits() == (TEXT,)
    assert not stage.named("empty_enter")


def test_several_options_are_ticked_and_sent(ground: Ground) -> None:
    stage = ground.stage("menu", "--multi")
    result = answer(ground, stage, multi=[3, "red, as the logo"])
    assert result.success, result
    assert choices(stage) == [[RED, BLUE]]


def test_a_permission_is_a_menu_too(ground: Ground) -> None:
    stage = ground.stage("menu", "--permission")
    menu = menu_of(ground, stage)
    assert menu.question == "Do you want to run `rm -r build`?"
    assert answer(ground, stage, select="No", fingerprint=menu.fingerprint).success
    assert choices(stage) == ["No"]


def test_the_menu_is_read_as_data(ground: Ground) -> None:
    menu = menu_of(ground, ground.stage("menu"))
    assert menu.question == "Which colour do you want?"
    assert [(option.number, option.label) for option in menu.options] == list(enumerate((RED, GREEN, BLUE, FREE), 1))
    assert (menu.selected, menu.free_text, menu.multi) == (0, 3, False)


# --- what is refused, with nothing pressed


def test_a_stale_fingerprint_is_refused(ground: Ground) -> None:
    stage, other = ground.stage("menu"), ground.stage("menu", "--permission")
    fingerprint = menu_of(ground, other).fingerprint
    assert fingerprint != menu_of(ground, stage).fingerprint
    result = answer(ground, stage, select=1, fingerprint=fingerprint)
    assert (result.error_type, bool(result.hint)) == (Code.STALE_DIALOG, True), result
    assert untouched(stage)


def test_a_fingerprint_outlives_the_highlight_and_not_the_dialog(ground: Ground) -> None:
    stage = ground.stage("menu")
    fingerprint = menu_of(ground, stage).fingerprint

    async def act() -> tuple[str | None, SendResult, SendResult]:
        async with ground.connect() as tmux:
            await tmux.send_keys(stage.pane, "Down")
            await reached(lambda: "❯ 2." in ground.server.screen(stage.pane))
            moved = await tmux.menu(stage.pane)
            first = await tmux.answer(stage.pane, select=3, fingerprint=fingerprint)
            second = await tmux.answer(stage.pane, select=3, fingerprint=fingerprint)
            return moved.fingerprint if moved else None, first, second

    moved, first, second = asyncio.run(act())
    assert moved == fingerprint
    assert first.success, first
    assert second.error_type is Code.STALE_DIALOG, second
    assert choices(stage) == [BLUE]


@pytest.mark.parametrize("how", [{"text": TEXT}, {"other": TEXT}])
def test_free_text_is_refused_where_none_is_taken(ground: Ground, how: dict[str, str]) -> None:
    stage = ground.stage("menu", "--multi")
    result = answer(ground, stage, **how)
    assert (result.error_type, bool(result.hint)) == (Code.NO_FREE_TEXT, True), result
    assert untouched(stage)


@pytest.mark.parametrize("select", [0, 7, "purple", "e"])
def test_an_unknown_option_is_refused_with_the_ones_there_are(ground: Ground, select: int | str) -> None:
    stage = ground.stage("menu")
    result = answer(ground, stage, select=select)
    assert result.error_type is Code.UNKNOWN_OPTION, result
    assert repr(select) in result.detail
    assert GREEN in result.hint
    assert untouched(stage)


def test_several_answers_are_refused_where_one_is_taken(ground: Ground) -> None:
    stage = ground.stage("menu")
    assert answer(ground, stage, multi=[1, 2]).error_type is Code.UNKNOWN_OPTION
    assert untouched(stage)


def test_without_a_dialog_there_is_nothing_to_select(ground: Ground) -> None:
    stage = ground.stage("plain_box")
    result = answer(ground, stage, select=1)
    assert (result.error_type, bool(result.hint)) == (Code.NO_DIALOG, True), result
    assert untouched(stage)


# --- a line that asks


def test_a_line_prompt_is_answered_by_text(ground: Ground) -> None:
    stage = ground.stage("yes_no", "--loop")
    assert answer(ground, stage, "y").success
    assert stage.submits() == ("y",)


def test_a_password_is_answered_and_kept_by_its_length_only(ground: Ground) -> None:
    stage = ground.stage("password")

    async def act() -> tuple[SendResult, Any]:
        async with ground.connect() as tmux:
            result = await tmux.answer(stage.pane, "correct horse")
            return result, (await tmux.deliveries())[0]

    result, stored = asyncio.run(act())
    assert result.success, result
    assert stage.submits() == ("correct horse",)
    assert (stored.text, stored.text_hash, stored.length) == (None, "", 13)
    assert "correct horse" not in repr(stored)


# --- the demo agent


def asked(ground: Ground, stage: Stage, request: str, **how: Any) -> SendResult:
    """Make the demo agent ask, and answer."""

    async def act() -> SendResult:
        async with ground.connect() as tmux:
            assert (await tmux.send_text(stage.pane, request)).success
            await _dialog(tmux, stage)
            return await tmux.answer(stage.pane, **how)

    return asyncio.run(act())


async def _dialog(tmux: Connection, stage: Stage) -> None:
    await reached(lambda: any(event["state"] in ("question", "permission") for event in stage.named("state")))
    await tmux.wait_ready(stage.pane, 20)


def answered(stage: Stage) -> tuple[list[int], str]:
    [event] = stage.named("answer")
    return list(event["numbers"]), str(event["text"])


@pytest.mark.parametrize(("select", "number"), [(1, 1), ("yes, and don't ask again", 2)])
def test_the_demo_agent_is_permitted(ground: Ground, select: int | str, number: int) -> None:
    stage = ground.stage("demo_agent", "--speed", "5")
    result = asked(ground, stage, "permit rm -r build", select=select)
    assert result.success, result
    assert answered(stage) == ([number], "")


def test_the_demo_agent_is_refused_with_a_reason(ground: Ground) -> None:
    stage = ground.stage("demo_agent", "--speed", "5")
    result = asked(ground, stage, "permit rm -r build", other="it is still needed")
    assert result.success, result
    assert answered(stage) == ([3], "it is still needed")


def test_the_demo_agent_is_answered_in_free_text(ground: Ground) -> None:
    stage = ground.stage("demo_agent", "--speed", "5")
    result = asked(ground, stage, "ask which colour to use", text=TEXT)
    assert result.success, result
    assert answered(stage)[1] == TEXT


def test_the_demo_agent_is_answered_by_an_option(ground: Ground) -> None:
    stage = ground.stage("demo_agent", "--speed", "5")
    result = asked(ground, stage, "ask which colour to use", select=2)
    assert result.success, result
    assert answered(stage) == ([2], "")


def test_the_demo_agent_is_told_several_things(ground: Ground) -> None:
    stage = ground.stage("demo_agent", "--speed", "5")
    result = asked(ground, stage, "multi what to check", multi=["Types", 4])
    assert result.success, result
    assert answered(stage) == ([2, 4], "")


def test_the_demo_agent_is_never_typed_into_while_it_asks(ground: Ground) -> None:
    stage = ground.stage("demo_agent", "--speed", "5")

    async def act() -> SendResult:
        async with ground.connect() as tmux:
            assert (await tmux.send_text(stage.pane, "ask which colour to use")).success
            await _dialog(tmux, stage)
            return await tmux.send_text(stage.pane, "1")

    assert asyncio.run(act()).error_type is Code.BLOCKED_BY_DIALOG
    assert not stage.named("answer")
