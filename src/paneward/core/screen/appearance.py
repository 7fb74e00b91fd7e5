"""What an agent shows: its state, its input, what waits, what it asks. A function of one look and a profile.

What stands in the place of the composer counts more than any mark: an agent that asks has taken its composer away.
A screen on which neither a composer nor a dialog can be found is unknown, and nothing may be typed into it.

What surprised us: a wrapped row and a line break look the same. A draft is put together again as a person would,
and says when that was a guess.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from paneward.core.profiles import Profile, nearest, version_seen
from paneward.core.profiles.patterns import search
from paneward.core.profiles.row import Frame, Listing
from paneward.core.result import Menu
from paneward.core.screen.cells import Row, Screen, columns
from paneward.core.screen.composer import Composer, read_composer
from paneward.core.screen.dialogs.known import known_dialog
from paneward.core.screen.dialogs.menu import read_menu
from paneward.core.screen.dialogs.question import question
from paneward.core.screen.marks import find_mark
from paneward.core.screen.panel import screen_of
from paneward.core.screen.style import fits
from paneward.core.terminal.scene import ProcessFacts, Scene, Snapshot

MARGIN = 4  # columns that a program may leave free at the end of a row before it wraps


class ScreenState(StrEnum):
    """What an agent does, as far as its screen shows it."""

    IDLE = "idle"  # its composer is there and nothing says that it works
    BUSY = "busy"  # it works
    DIALOG = "dialog"  # it asks, and keys act at once
    UNKNOWN = "unknown"  # neither a composer nor a dialog can be found


@dataclass(frozen=True, slots=True)
class Appearance:
    state: ScreenState
    evidence: str  # what the state was told by
    draft: str = ""  # unsent text in the composer, or the placeholder that stands for it
    whole: bool = True  # the draft is known character by character: no row was wrapped, scrolled away or collapsed
    placeholder: str = ""  # what the composer shows instead of a paste
    ghost: str = ""
    mode: str = ""  # what the composer takes instead of text
    queued: tuple[str, ...] = ()  # texts that wait their turn, where the agent shows them
    menu: Menu | None = None
    question: str = ""  # what is asked, with or without a menu
    kind: str = ""  # of a dialog that is known by its words
    startup: bool = False  # a dialog before the agent works at all
    version: str | None = None  # on the screen
    version_known: bool | None = None  # the profile was proven on it; None: no version is on the screen
    trouble: str = ""  # why it cannot work, as it says itself below the last text that was given to it


def read_appearance(snapshot: Snapshot, profile: Profile, process: ProcessFacts | None = None) -> Appearance:
    """What the agent shows, told by its profile."""
    return _read(snapshot, profile, None if process is None else process.canonical)


@lru_cache(maxsize=16)  # several questions are asked of one look
def _read(snapshot: Snapshot, profile: Profile, canonical: bool | None) -> Appearance:
    screen = screen_of(snapshot, profile)
    process = ProcessFacts(canonical=canonical)
    composer = read_composer(screen, profile)
    version = version_seen(snapshot, profile)
    known = None if version is None else version == nearest(profile, version)
    menu = None if composer else read_menu(snapshot, profile)
    asked = find_mark(profile.dialog, screen, profile, process)
    if asked or menu or (composer is None and _asks_on_line(screen, profile)):
        return _dialog(screen, profile, menu, asked[1] if asked else "", version, known)
    busy = find_mark(profile.busy, screen, profile, process)
    if composer is None:
        absent = profile.closed or "the composer is not on the screen"
        state, evidence = (ScreenState.BUSY, busy[1]) if busy else (ScreenState.UNKNOWN, absent)
        trouble = _trouble(screen, profile)
        return Appearance(state, evidence, version=version, version_known=known, trouble=trouble)
    draft, unwrapped = _draft(composer)
    placeholder = _placeholder(composer.text, profile)
    mode = next((mode.name for mode in profile.modes if find_mark((mode.mark,), screen, profile)), "")
    return Appearance(
        state=ScreenState.BUSY if busy else ScreenState.IDLE,
        evidence=busy[1] if busy else "the composer is on the screen",
        draft=draft,
        whole=unwrapped and not placeholder and not (composer.region and composer.region.cut),
        placeholder=placeholder,
        ghost=composer.ghost,
        mode=mode,
        queued=_queued(screen, profile, composer),
        version=version,
        version_known=known,
        trouble=_trouble(screen, profile, composer),
    )


def _asks_on_line(screen: Screen, profile: Profile) -> bool:
    """A program whose composer is the cursor's line asks there, too."""
    return profile.frame is Frame.LINES and screen.cursor_visible and question(screen) is not None


def _dialog(
    screen: Screen, profile: Profile, menu: Menu | None, evidence: str, version: str | None, known: bool | None
) -> Appearance:
    words = menu.question if menu else question(screen) if profile.frame is Frame.LINES else None
    told = None if menu else known_dialog(screen, profile)
    if told:
        words = told[1]
    return Appearance(
        ScreenState.DIALOG,
        evidence or ("a menu in the place of the composer" if menu else "a question on the cursor's line"),
        menu=menu,
        question=words or evidence,
        kind=menu.kind if menu else told[0].kind if told else "",
        startup=menu.startup if menu else bool(told and told[0].startup),
        version=version,
        version_known=known,
    )


def _trouble(screen: Screen, profile: Profile, composer: Composer | None = None) -> str:
    """What the program says of it below the last text that was given to it."""
    region = composer.region if composer else None
    prompt = region.glyph.strip()[:1] if region else ""
    for row in reversed(screen.rows[: region.top if region else None]) if profile.troubles else ():
        if name := next((one.name for one in profile.troubles if search(one.pattern, row.text)), ""):
            return name
        if prompt and row.text.lstrip().startswith(prompt) and row.text.strip() != prompt:
            break
    return ""


def _placeholder(text: str, profile: Profile) -> str:
    found = (search(pattern, text) for pattern in profile.placeholders)
    return next((match[0] for match in found if match), "")


def _draft(composer: Composer) -> tuple[str, bool]:
    """The text of the composer with its wrapped rows joined, and whether none was."""
    if composer.region is None:
        return composer.text, True
    room = composer.region.edge - composer.region.left
    text, whole, above = "", True, ""
    for number, row in enumerate(composer.text.split("\n")):
        wrapped = number > 0 and bool(row.strip()) and row == row.lstrip() and _had_no_room(above, row, room)
        whole = whole and not wrapped
        text += row if number == 0 else f"{'' if columns(above) >= room else ' '}{row}" if wrapped else f"\n{row}"
        above = row
    return text, whole


def _had_no_room(above: str, row: str, room: int) -> bool:
    return columns(above) + 1 + columns(row.split()[0]) > room - MARGIN and columns(above) > room // 2


def _queued(screen: Screen, profile: Profile, composer: Composer) -> tuple[str, ...]:
    if composer.region is None:
        return ()
    above = screen.rows[: composer.region.top]
    return next((found for listing in profile.queued if (found := _listed(above, listing))), ())


def _listed(rows: tuple[Row, ...], listing: Listing) -> tuple[str, ...]:
    """The texts of a listing: the rows that follow its heading, or go before its hint, up to one that is none."""
    if listing.after:
        head = next((y for y in range(len(rows) - 1, -1, -1) if search(listing.after, rows[y].text)), None)
        if head is None:
            return ()
        rows = rows[head + 1 :]
    texts: list[str] = []
    for row in rows:
        found = search(listing.item, row.text)
        if found and fits(row.style(columns(row.text[: found.start(1)])), listing.style):
            texts.append(found[1].rstrip())
        elif listing.before and texts and search(listing.before, row.text):
            return tuple(texts)
        elif row.blank and texts and listing.after:
            break
        elif listing.before:
            texts = []
    return () if listing.before else tuple(texts)


def troubles(scene: Scene, profile: Profile) -> tuple[str, ...]:
    """What the agent said of itself before it was given the text: it may take it and do nothing."""
    said = read_appearance(scene.snapshot, profile, scene.process).trouble if profile.troubles else ""
    return (f"before this, the agent had said why it cannot work: {said}",) if said else ()
