"""The hostile programs that do not show what was typed: because they drop it, or because they draw it late or never."""

from pathlib import Path

import pytest

from tests.hostile.driver import running


def test_texts_are_thrown_away_until_there_were_enough(tmp_path: Path) -> None:
    with running("slow_start", tmp_path, "--silently", "--drops", "1", ready=False) as session:
        session.wait_drawn("> ")
        session.type("lost")
        session.wait_event("ready")
        session.type("kept\r")
        assert session.submitted() == ["kept"]


@pytest.mark.parametrize("hidden", [True, False])
def test_a_late_drawer_takes_what_it_does_not_show(hidden: bool, tmp_path: Path) -> None:
    options = ["--hidden"] if hidden else ["--seconds", "0.5"]
    with running("late_drawer", tmp_path, *options) as session:
        session.type("taken")
        session.wait_event("holds")
        session.type("\r")
        assert session.submitted() == ["taken"]
