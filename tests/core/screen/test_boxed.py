"""Where text goes in a program that hides the cursor and draws none: the only box with a prompt."""

import pytest

from paneward.core.profiles import GENERIC
from paneward.core.screen.boxed import in_box, typing_point
from paneward.core.screen.cells import Screen, columns
from paneward.core.screen.composer import read_composer
from paneward.core.terminal.scene import Snapshot


def screen(*rows: str, visible: bool = False) -> Screen:
    return Screen.of(Snapshot("%1", rows, 30, len(rows), 0, len(rows) - 1, cursor_visible=visible))


def box(*inside: str, left: str = " ", edges: str = "╭╮╰╯─│") -> tuple[str, ...]:
    a, b, c, d, rule, side = list(edges)
    rows = [f"{left}{side} {row}{' ' * (12 - columns(row))} {side}" for row in inside]
    return (f"{left}{a}{rule * 14}{b}", *rows, f"{left}{c}{rule * 14}{d}")


@pytest.mark.parametrize("edges", ["╭╮╰╯─│", "┌┐└┘─│", "╔╗╚╝═║", "┏┓┗┛━┃"])
def test_the_end_of_an_empty_box_is_behind_its_prompt(edges: str) -> None:
    seen = screen("12:00:01", *box("❯", edges=edges), "idle")
    assert typing_point(seen) == (5, 2)


def test_the_end_of_a_text_is_behind_its_last_row() -> None:
    assert in_box(screen(*box("❯ hello", "  you"), "idle")) == (8, 2)
    assert in_box(screen(*box("> 漢字"), "idle")) == (9, 1)


def test_what_is_only_faint_does_not_stand_in_the_box() -> None:
    rows = box("❯ Ask me")
    seen = screen(rows[0], rows[1].replace("Ask me", "\x1b[2mAsk me\x1b[0m"), rows[2], "idle")
    assert in_box(seen) == (5, 1)
    composer = read_composer(seen, GENERIC)
    assert composer is not None
    assert (composer.text, composer.before) == ("", " │ ❯ ")


def test_a_draft_with_a_suggestion_behind_it_is_still_a_draft() -> None:
    rows = box("❯ fix it")
    composer = read_composer(screen(rows[0], rows[1].replace(" it", "\x1b[2m it\x1b[0m"), rows[2], "idle"), GENERIC)
    assert composer is not None
    assert composer.text == "fix"


@pytest.mark.parametrize(
    "seen",
    [
        screen(*box("❯"), visible=True),  # the cursor tells
        screen(*box("\x1b[7m❯\x1b[0m")),  # so does one that is drawn
        screen(*box("❯"), *box("❯")),  # which of them?
        screen(*box("Welcome")),  # no prompt
        screen(*box("❯")[:-1], "idle"),  # not closed
        screen(*box("❯")[:-1], " ╰──────╯"),  # by another box
        screen(box("❯")[0], box("❯")[2]),  # nothing in it
        screen("> quoted", "12:00"),
    ],
    ids=["cursor", "drawn", "two", "words", "open", "other", "flat", "no box"],
)
def test_else_nothing_is_told(seen: Screen) -> None:
    assert in_box(seen) is None


def test_the_composer_of_an_unknown_program_stands_there() -> None:
    composer = read_composer(screen("12:00:01", *box("❯ hello"), "idle"), GENERIC)
    assert composer is not None
    assert (composer.text, composer.holds("hello", GENERIC)) == ("hello", True)
