"""Turns that look alike, as the follower of an agent sees them."""

from dataclasses import replace

from paneward.core.profiles import CLAUDE
from paneward.core.terminal.scene import Scene
from tests.services.test_tracker import DONE, HEIGHT, Pane, claude

TURN = ("❯\u00a0once more", "", "● That is done.", f"  {DONE}", "")


def test_what_was_read_from_the_past_is_not_new_when_a_turn_begins() -> None:
    pane = Pane(CLAUDE)
    pane.tracker.catch_up(claude(*TURN), CLAUDE)
    assert pane.told() == [("All done", True)]
    pane.tracker.tick(pane.now + 1.0, True)
    pane.tracker.begin_turn(ours=True)
    pane.see(*TURN, quiet=1.0)
    assert pane.told() == []


def test_what_scrolls_away_before_it_was_sure_is_told_too() -> None:
    pane = Pane(CLAUDE).begin()
    pane.tracker.begin_turn(ours=True)
    pane.see(*TURN, quiet=1.0)
    assert pane.told() == [("All done", False)]
    pane.tracker.begin_turn(ours=True)
    pane.see(*TURN, *TURN)
    assert pane.told() == []  # it may be half painted
    page = claude(*TURN, *TURN, *["words"] * 20)
    scrolled = len(page.rows) - HEIGHT
    past = replace(page, cursor_y=page.cursor_y - scrolled, history=scrolled, scrolled=scrolled)
    now = replace(past, rows=past.rows[scrolled:], history=0)
    pane.tracker.see(Scene(now, now=pane.now + 0.1), CLAUDE)
    assert pane.tracker.behind
    pane.tracker.catch_up(past, CLAUDE)
    assert pane.told() == [("All done", False)]
