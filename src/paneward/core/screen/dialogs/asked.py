"""What a program asks, with the answers it takes, however it takes them: functions.

Most dialogs are a list of options (`menu.py`). Some have none: aider asks on the cursor's line and wants a letter,
others show a page that Enter takes and Escape leaves, or a field that wants words. Such a page is told by the words
that the profile knows it by.
"""

import re
from functools import lru_cache
from itertools import takewhile

from paneward.core.profiles.patterns import compiled
from paneward.core.profiles.row import Dialog, Frame, Profile
from paneward.core.result import Menu, Option
from paneward.core.screen.cells import Screen, insertion_point
from paneward.core.screen.composer import read_composer
from paneward.core.screen.dialogs.known import known_dialog, told_by
from paneward.core.screen.dialogs.menu import REFUSABLE, read_menu
from paneward.core.screen.dialogs.question import question
from paneward.core.screen.dialogs.wording import fingerprint
from paneward.core.screen.lines import LineKind, lines
from paneward.core.screen.panel import screen_of
from paneward.core.terminal.scene import Snapshot

ABOUT = 4  # rows above a question on a line that say what it is about
_LETTERED = re.compile(r"\((\w)\)([\w' ]*)")
_CHOICES = re.compile(r"\(\w\)[\w' ]*(?:/\(\w\)[\w' ]*)+(?:\s*\[(\w+)\])?")


@lru_cache(maxsize=16)  # menu and answer ask the same of one look
def read_asked(snapshot: Snapshot, profile: Profile) -> Menu | None:
    """The dialog that is open, or None."""
    menu = read_menu(snapshot, profile)
    if menu or not profile.dialogs:
        return menu
    screen = screen_of(snapshot, profile)
    if profile.frame is Frame.LINES:
        return _on_line(screen, profile)
    told = known_dialog(screen, profile) if read_composer(screen, profile) is None else None
    return _page(screen, *told) if told and (told[0].keys or told[0].field) else None


def _on_line(screen: Screen, profile: Profile) -> Menu | None:
    """A question on the cursor's line with a letter for each answer: `(Y)es/(N)o [Yes]:`."""
    asked = question(screen) if screen.cursor_visible else None
    choices = _CHOICES.search(asked) if asked else None
    if asked is None or choices is None:
        return None
    options = _lettered(choices[0])
    default = (choices[1] or "").casefold()
    selected = next((at for at, option in enumerate(options) if option.label.casefold() == default), None)
    told = told_by(asked, profile)
    kind = told[0].kind if told else "question"
    refuses = compiled(profile.menus.refuse, ignore_case=True) if profile.menus.refuse else None
    free = next((at for at, option in enumerate(options) if refuses and refuses.match(option.label)), None)
    return Menu(
        question=told[1] if told else asked,
        options=options,
        selected=selected,
        free_text=free if kind in REFUSABLE else None,
        multi=False,
        fingerprint=fingerprint([*_about(screen), asked]),
        kind=kind,
        startup=bool(told and told[0].startup),
        line=True,
        about="\n".join(_right_above(screen)),
    )


def _lettered(text: str) -> tuple[Option, ...]:
    found = enumerate(_LETTERED.finditer(text), 1)
    return tuple(Option(place, f"{one[1]}{one[2]}".strip(), one[1].lower()) for place, one in found)


def _about(screen: Screen) -> list[str]:
    y = insertion_point(screen)[1]
    return [screen.row(at).text for at in range(max(0, y - ABOUT), y)]


def _right_above(screen: Screen) -> list[str]:
    """The rows above the question down from the last blank one, or a rule: the file or the command that it is about."""
    above = lines(screen)[: insertion_point(screen)[1]][::-1]
    return [line.text for line in takewhile(lambda line: line.kind is LineKind.TEXT, above)][::-1]


def _page(screen: Screen, dialog: Dialog, said: str) -> Menu:
    options = tuple(Option(place, label, key) for place, (label, key) in enumerate(dialog.keys, 1))
    return Menu(
        question=said,
        options=options,
        selected=0 if options else None,
        free_text=None,
        multi=False,
        fingerprint=fingerprint([said]),
        kind=dialog.kind,
        startup=dialog.startup,
        keys=bool(dialog.keys),
        field=dialog.field,
    )
