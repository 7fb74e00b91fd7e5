"""Dialogs that a profile knows by their words: functions."""

from paneward.core.profiles.patterns import compiled
from paneward.core.profiles.row import Dialog, Frame, Profile
from paneward.core.screen.cells import Screen
from paneward.core.screen.dialogs.question import question
from paneward.core.screen.lines import LineKind, lines

ROWS = 40  # with text, from the bottom, in which the words are looked for


def known_dialog(screen: Screen, profile: Profile) -> tuple[Dialog, str] | None:
    """The dialog whose words stand lowest on the screen, and its question."""
    return told_by(_said(screen, profile), profile) if profile.dialogs else None


def told_by(text: str, profile: Profile) -> tuple[Dialog, str] | None:
    """The dialog whose words come last in a text, and its question."""
    said = " ".join(text.split())
    found = [(match.start(), one, match) for one in profile.dialogs for match in compiled(one.pattern).finditer(said)]
    if not found:
        return None
    _, dialog, match = max(found, key=lambda one: one[0])
    return dialog, (match.groupdict().get("question") or match[0]).strip()


def _said(screen: Screen, profile: Profile) -> str:
    """The words at the end of the screen as one line; of a program that asks on the cursor's line, that one."""
    if profile.frame is Frame.LINES:
        return question(screen) or ""
    page = [line.text for line in lines(screen) if line.kind is LineKind.TEXT]
    return " ".join(page[-ROWS:])
