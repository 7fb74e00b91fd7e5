"""A panel at the right of the screen."""

from paneward.core.screen.cells import Screen
from paneward.core.screen.panel import without_panel
from paneward.core.terminal.scene import Snapshot

DARK, PANEL = "\x1b[48;5;232m", "\x1b[48;5;233m"


def snapshot(*rows: str, width: int = 40) -> Snapshot:
    return Snapshot("%1", rows, width, len(rows), 0, 0)


def row(left: str, right: str = "") -> str:
    return f"{DARK}{left:<20}{PANEL}{right}"


def test_a_panel_from_top_to_bottom_is_taken_away() -> None:
    cropped = without_panel(snapshot(row("one", " tokens"), row("two"), row("three", " 0%"), row("", " v1")))
    assert (cropped.width, Screen.of(cropped).lines) == (20, ("one", "two", "three", ""))
    assert without_panel(cropped) is cropped


def test_styles_run_on_behind_what_was_cut() -> None:
    coloured = snapshot(row("a", "\x1b[38;5;9mred"), "b", row("c"), row("d"))
    assert Screen.of(without_panel(coloured)).row(1).style(0).fg == 9


def test_wide_characters_are_not_cut_in_half() -> None:
    wide = snapshot(*[row("你好", " panel")] * 4)
    assert set(Screen.of(without_panel(snapshot(*[f"{DARK}{'你' * 10}{PANEL} p"] * 4))).lines) == {"你" * 10}
    assert without_panel(wide).width == 22


def test_a_link_takes_no_columns() -> None:
    link = "\x1b]8;;file:///a\x1b\\one\x1b]8;;\x1b\\"
    linked = f"{DARK}{link}{' ' * 17}{PANEL} tokens"
    assert set(Screen.of(without_panel(snapshot(*[linked] * 4))).lines) == {"one"}


def test_a_screen_without_one_stays_as_it_is() -> None:
    for plain in (snapshot("a", "b", "c"), snapshot(row("a"), "\x1b[0mb", "c", "d"), snapshot(DARK + "a", "b", "c")):
        assert without_panel(plain) is plain
