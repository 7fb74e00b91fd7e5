"""Marks that tell a state, looked for where a profile says they stand: functions."""

import re
from collections.abc import Iterable
from functools import lru_cache

from paneward.core.profiles.patterns import search
from paneward.core.profiles.row import Mark, Profile, Where
from paneward.core.screen.cells import Row, Screen, columns
from paneward.core.screen.composer import read_composer
from paneward.core.screen.style import fits
from paneward.core.terminal.scene import ProcessFacts


def find_mark(
    marks: Iterable[Mark], screen: Screen, profile: Profile, process: ProcessFacts | None = None
) -> tuple[Mark, str] | None:
    """The first of the marks that is there, and what was seen of it."""
    for mark in marks:
        seen = _look(mark, screen, profile, process)
        if seen is not None:
            return mark, seen
    return None


def _look(mark: Mark, screen: Screen, profile: Profile, process: ProcessFacts | None) -> str | None:
    match mark.where:
        case Where.SCREEN:
            return _in_rows(mark, screen.rows) if mark.style else _in_lines(mark, screen.lines)
        case Where.TITLE:
            return _in_text(mark, screen.snapshot.title.strip(), "title ")
        case Where.CURSOR:
            return _in_text(mark, "shown" if screen.cursor_visible else "hidden", "cursor ")
        case Where.TERMINAL:
            return _in_text(mark, _terminal(process), "terminal ")
    return _at_composer(mark, screen, profile)


def _terminal(process: ProcessFacts | None) -> str:
    if process is None or process.canonical is None:
        return ""
    return "canonical" if process.canonical else "raw"


def _in_text(mark: Mark, text: str, prefix: str) -> str | None:
    return f"{prefix}{text}" if text and search(mark.pattern, text) else None


def _at_composer(mark: Mark, screen: Screen, profile: Profile) -> str | None:
    composer = read_composer(screen, profile)
    if composer is None or composer.region is None or (mark.colourless and not composer.region.colourless):
        return None
    region = composer.region
    match mark.where:
        case Where.ABOVE:
            return _in_rows(mark, screen.rows[: region.top])
        case Where.BELOW:
            return _in_rows(mark, screen.rows[region.bottom :])
        case Where.GLYPH if fits(region.style, mark.style):
            how = f" drawn {mark.style}" if mark.style else ""
            return f"prompt {region.glyph.strip()}{how}" if search(mark.pattern, region.glyph) else None
        case Where.DRAFT:
            found = search(mark.pattern, composer.text)
            return found[0] if found else None
    return None


def _in_lines(mark: Mark, texts: tuple[str, ...]) -> str | None:
    for text in reversed(texts):
        if text and (found := _search(mark.pattern, text)):
            return found[0]
    return None


def _in_rows(mark: Mark, rows: tuple[Row, ...]) -> str | None:
    for row in reversed(rows):
        found = _search(mark.pattern, row.text)
        if found and (not mark.style or fits(row.style(columns(row.text[: found.start()])), mark.style)):
            return found[0]
    return None


@lru_cache(maxsize=8192)  # from one look to the next, most rows stay as they are
def _search(pattern: str, text: str) -> re.Match[str] | None:
    return search(pattern, text)
