"""Marks are found where a profile says they stand, and nowhere else."""

from dataclasses import replace

import pytest

from paneward.core.profiles import CLAUDE, GENERIC
from paneward.core.profiles.row import Mark, Where
from paneward.core.screen.marks import find_mark
from paneward.core.terminal.scene import ProcessFacts
from tests.core.screen.drawing import shown

RULE = "─" * 40
BOX = shown(f"above\n\x1b[2mfaint above\x1b[0m\n{RULE}\n\x1b[38;5;246m❯\x1b[39m\u00a0my draft█\n{RULE}\nbelow", 40, 8)


def seen(mark: Mark, **facts: object) -> str | None:
    screen = shown("", 1, 1) if facts.get("empty") else BOX
    titled = replace(screen, snapshot=replace(screen.snapshot, title=str(facts.get("title", ""))))
    process = ProcessFacts(canonical=facts["canonical"]) if "canonical" in facts else None  # type: ignore[arg-type]
    found = find_mark((Mark(pattern="never there"), mark), titled, CLAUDE, process)
    assert found is None or found[0] == mark
    return found[1] if found else None


@pytest.mark.parametrize(
    ("mark", "what"),
    [
        (Mark(pattern="draft"), "draft"),
        (Mark(Where.ABOVE, "above"), "above"),
        (Mark(Where.ABOVE, "below|draft"), None),
        (Mark(Where.ABOVE, "^above", "dim"), None),
        (Mark(Where.ABOVE, "faint", "dim"), "faint"),
        (Mark(Where.SCREEN, "faint", "!dim"), None),
        (Mark(Where.BELOW, "below"), "below"),
        (Mark(Where.BELOW, "above"), None),
        (Mark(Where.GLYPH, "❯"), "prompt ❯"),
        (Mark(Where.GLYPH, "❯", "fg!=default"), "prompt ❯ drawn fg!=default"),
        (Mark(Where.GLYPH, "❯", "fg=default"), None),
        (Mark(Where.GLYPH, "!"), None),
        (Mark(Where.DRAFT, "^my"), "my"),
        (Mark(Where.DRAFT, "^draft"), None),
        (Mark(Where.CURSOR, "shown"), "cursor shown"),
        (Mark(Where.CURSOR, "hidden"), None),
    ],
)
def test_a_mark_is_found_in_its_place(mark: Mark, what: str | None) -> None:
    assert seen(mark) == what


def test_the_title_counts_without_the_blanks_around_it() -> None:
    assert seen(Mark(Where.TITLE, "^✦.*$"), title="✦  Working   ") == "title ✦  Working"
    assert seen(Mark(Where.TITLE, "^✦"), title="◇  Ready") is None
    assert seen(Mark(Where.TITLE, "")) is None


def test_the_terminals_mode_counts_where_it_can_be_seen() -> None:
    line = Mark(Where.TERMINAL, "canonical")
    assert seen(line, canonical=True) == "terminal canonical"
    assert [seen(line, canonical=False), seen(line, canonical=None), seen(line)] == [None, None, None]


def test_without_a_composer_nothing_stands_above_or_below_it() -> None:
    assert seen(Mark(Where.ABOVE, ""), empty=True) is None
    assert find_mark((Mark(Where.GLYPH),), shown("$ █"), GENERIC) is None


def test_a_mark_for_terminals_without_colours_counts_in_no_other() -> None:
    mark = Mark(Where.ABOVE, "^✻ Working…", colourless=True)
    for colour, what in (("", "✻ Working…"), ("\x1b[38;5;244m", None)):
        box = shown(f"✻ Working…\n{colour}{RULE}\x1b[39m\n❯\u00a0█\n{RULE}\nbelow", 40, 8)
        found = find_mark((mark,), box, CLAUDE)
        assert (found[1] if found else None) == what
