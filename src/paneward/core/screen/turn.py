"""What the screen of an agent tells of its turn: what it does just now, and how the last one ended. Functions."""

from dataclasses import replace
from typing import Final

from paneward.core.profiles.patterns import compiled, search
from paneward.core.profiles.row import Profile
from paneward.core.screen.appearance import read_appearance
from paneward.core.screen.composer import read_composer
from paneward.core.screen.marks import find_mark
from paneward.core.screen.panel import screen_of
from paneward.core.terminal.scene import Scene

NEWS: Final = 8  # rows with text above the composer among which the end of the last turn is told


def activity(scene: Scene, profile: Profile) -> str:
    """What an agent that works does just now; empty where its screen does not tell."""
    screen = screen_of(scene.snapshot, profile)
    told = (one.name for one in profile.activities if find_mark((one.mark,), screen, profile, scene.process))
    return next(told, "")


def broken_off(scene: Scene, profile: Profile) -> bool:
    """The last turn was interrupted: it says so below the last text that was given to it."""
    screen = screen_of(scene.snapshot, profile)
    composer = read_composer(screen, profile)
    if composer is None or composer.region is None:
        return False
    prompt = composer.region.glyph.strip()[:1]
    above = [row.text for row in screen.rows[: composer.region.top] if row.text.strip() not in ("", prompt)]
    news: list[str] = []
    for text in reversed(above[-NEWS:]):
        if text.lstrip().startswith(prompt):
            break
        news.append(text)
    return any(search(mark.pattern, text) for mark in profile.interrupted for text in news)


def trouble(scene: Scene, profile: Profile) -> str | None:
    """Why an agent that rests cannot work, as it says itself; None of a program that is not known to say so."""
    if not (profile.framed and profile.troubles):
        return None
    return read_appearance(replace(scene.snapshot, title=""), profile, scene.process).trouble


def prompted(scene: Scene, profile: Profile) -> bool:
    """A prompt is on the screen, perhaps with words behind it: an agent that has none yet only starts."""
    return any(compiled(profile.glyph).match(row.text) for row in screen_of(scene.snapshot, profile).rows)
