"""The hostile menu acts as menus do: driven through a pseudo-terminal, judged by its log."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.driver import running


@pytest.mark.parametrize(
    ("keys", "choice"), [("\r", 1), ("\x1b[B\r", 2), ("\x1b[A\x1b[A\r", 3), ("2", 2), ("\x1b[B\x1b[B3", 3)]
)
def test_a_menu_acts_on_arrows_enter_and_digits(keys: str, choice: int, tmp_path: Path) -> None:
    with running("menu", tmp_path) as session:
        session.wait_drawn("❯ 1. Red")
        session.type(keys)
        assert [line["choice"] for line in session.wait_event("key")] == [choice]
        session.type("then a box\r")
        assert session.submitted() == ["then a box"]


def test_a_digit_may_only_move(tmp_path: Path) -> None:
    with running("menu", tmp_path, "--digits", "move") as session:
        session.type("3")
        session.wait_drawn("❯ 3. Blue")
        assert session.named("key") == []
        session.type("\r")
        assert session.wait_event("key")[0]["label"] == "Blue"


def test_the_last_option_opens_a_line_for_free_text(tmp_path: Path) -> None:
    with running("menu", tmp_path) as session:
        session.type("4")
        session.wait_drawn("Type your answer:")
        session.type("42, purple\r")
        assert session.submitted() == ["42, purple"]


def test_escape_leaves_the_free_text_and_the_menu(tmp_path: Path) -> None:
    with running("menu", tmp_path) as session:
        session.type("4never")
        session.wait_drawn("> never")
        session.type("\x1b")
        session.wait_event("key", 2)
        session.type("\x1b")
        assert session.wait_event("key", 3)[2]["cancelled"]
        assert session.named("submit") == []


def test_text_at_a_menu_is_told_letter_by_letter_and_its_enter_chooses(tmp_path: Path) -> None:
    with running("menu", tmp_path, "--permission") as session:
        session.type("stop\r")
        keys = session.wait_event("key", 5)
        assert "".join(str(line["text"]) for line in keys[:4]) == "stop"
        assert keys[4]["label"] == "Yes"


def test_a_permission_digit_acts_at_once(tmp_path: Path) -> None:
    with running("menu", tmp_path, "--permission", "--digits", "move") as session:
        session.type("2")
        assert session.wait_event("key")[0]["choice"] == 2


def test_several_options_can_be_ticked(tmp_path: Path) -> None:
    with running("menu", tmp_path, "--multi") as session:
        session.wait_drawn("❯ 1. [ ] Red")
        session.type(" \x1b[B\x1b[B 2 ")
        session.wait_event("key", 4)
        session.type("\r")
        assert session.wait_event("key", 5)[-1]["choices"] == [1, 3]
