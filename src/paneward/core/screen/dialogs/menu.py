"""A question with options, read from the screen: functions.

Options are rows that begin alike: numbered, or in one column behind a mark. That they are live, and no list in
a text, is shown by three things together: exactly one is marked, nothing but hints stands below them, and the
cursor does not stand in them as in an editor.

What surprised us:
- A draft of several lines in an input box looks like a menu: a prompt glyph, and further lines indented below it.
- Some menus let the numbers run on behind a separator.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile

from paneward.core.profiles.patterns import compiled
from paneward.core.profiles.row import Frame, Profile
from paneward.core.result import Menu, Option
from paneward.core.screen.cells import Screen, columns
from paneward.core.screen.dialogs.known import told_by
from paneward.core.screen.dialogs.wording import (
    MORE,
    asks,
    fingerprint,
    joint,
    matter,
    near,
    question_above,
    said_above,
)
from paneward.core.screen.lines import Line, LineKind, lines, typing_at
from paneward.core.screen.panel import screen_of
from paneward.core.terminal.scene import Snapshot

RADIO = {"●": True, "○": False, "◉": True, "◯": False, "◆": True, "◇": False}
TICKED = set("xX✓✔*•☑☒◼⬢◉●")
ANCHORS = 8  # marked rows that are tried, from below: what is live stands at the bottom
GAP = 3  # rows without text between numbered options: a separator with a blank on either side
MARGIN = 4  # columns that programs leave free at the right
REFUSABLE = ("permission", "plan")  # kinds of dialogs that are refused with a reason
RULED = (Frame.RULES, Frame.CURSOR)  # frames of programs whose dialogs begin behind a rule; others with the question
CHROME = 3  # rows of a status line that may stand below a closed box
_BOX = r"(?:\[[ xX✓✔*•]?\]|\([ xX*•]?\)(?= )|[●○◯◉◇◆☐☑☒◻◼✔✓⬡⬢](?= ))"
_OPTION = re.compile(
    rf"(?:(?P<mark>[❯›>▶→➤▸»⏵]|[-=]>) *)?(?:(?P<before>{_BOX}) +)?(?:(?P<number>\d{{1,2}})[.)] +)?"
    rf"(?:(?P<after>{_BOX}) +)?(?P<label>\S.*)"
)
_BUTTON = re.compile(r"\[ ?([^\[\]<>]*[^\[\]<>\s]) *\]|< ?([^\[\]<>]*[^\[\]<>\s]) *>")
_COLUMN = re.compile(r"(\S.*?) {2,}(\S.*)")
_TAB = re.compile(r"\S+(?: \S+)*")
_LETTER = re.compile(r"\((\w)\)$")
_ARROWS = ("▲", "▼", "↑", "↓", "⌃", "⌄")
_GROUND = re.compile(r"\x1b\[(?:[\d:;]*;)?(?:7|4[0-8]|10[0-7])[;:m]")
# Without one of these no row can be marked, filled or drawn otherwise: most screens are done with at once.
_MAY_BE = re.compile(r"[❯›▶→➤▸»⏵●◉◆]|>[^\S\n]*\S|\][^\n]*\[|\x1b\[(?:[\d:;]*;)?(?:7|4[0-8]|10[0-7])[;:m]")
_FREE_TEXT = re.compile(
    r"(?:type (?:something|your|a |in )|enter a custom|tell \w+ what"
    r"|other(?:\s*[(:.…–-]|$)|something else|none of the above|custom(?: answer|$)"
    r"|(?:no|reject|deny),? (?:and )?(?:tell|say|suggest|provide|explain|give)|write (?:your|my) own)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class OptionRow:
    """A row that can be an option."""

    line: Line
    mark: str
    number: int | None
    box: str
    label: str
    column: int  # where the label begins
    stem: int  # what is in line with the other options: the column behind the number, or of the label
    rest: tuple[Line, ...] = ()  # the rows below that belong to it

    @property
    def last(self) -> int:
        return self.rest[-1].y if self.rest else self.line.y


Found = tuple[Menu, list[Line]]  # a menu, and the rows above its options


@lru_cache(maxsize=16)  # several rules ask the same of one snapshot
def read_menu(snapshot: Snapshot, profile: Profile | None = None) -> Menu | None:
    """The menu that waits for a choice, or None; where the profile knows the dialog, with the words it asks by."""
    if not (profile and profile.menus.buttons) and not _MAY_BE.search("\n".join(snapshot.rows)):
        return None
    screen = screen_of(snapshot, profile)
    page = lines(screen)
    found = _read_options(screen, page, profile) or _read_buttons(page)
    if found is None and profile and profile.menus.buttons:
        found = _read_tabs(page)
    return _told(*found, profile) if found and profile else found[0] if found else None


def _told(menu: Menu, above: list[Line], profile: Profile) -> Menu:
    """The menu with what the profile knows of it by the words above its options."""
    told = told_by(near(above), profile)
    kind = told[0].kind if told else "question" if profile.dialogs else ""
    free = menu.free_text
    if free is None and kind in REFUSABLE and profile.menus.refuse:
        refuses = compiled(profile.menus.refuse, ignore_case=True)
        free = next((at for at, option in enumerate(menu.options) if refuses.match(option.label)), None)
    question = told[1] if told else menu.question
    about = "" if kind == "question" else matter(above, question, profile.frame in RULED)
    startup = bool(told and told[0].startup)
    return replace(menu, question=question, about=about, kind=kind, startup=startup, free_text=free)


def _read_options(screen: Screen, page: list[Line], profile: Profile | None) -> Found | None:
    page, done = _without_done(page, profile.menus.done) if profile and profile.menus.done else (page, None)
    at = _numbered_above(page, done) if done else None
    for anchor in [at] if at else _anchors(page):
        choices = _siblings(page, anchor)
        if len(choices) > 1 and (menu := _live(screen, page, choices, handing_in=at is not None)):
            return menu
    return None


def _without_done(page: list[Line], pattern: str) -> tuple[list[Line], OptionRow | None]:
    """The rows without that which hands in what is ticked and what is said of it; and that row, if it is marked."""
    found = [choice for line in page if (choice := _choice(line)) and choice.number is None]
    rows = [choice for choice in found if compiled(pattern).fullmatch(choice.label)]
    gone = {choice.line.y for choice in rows}
    gone |= {y + 1 for y in gone if y + 1 < len(page) and page[y + 1].kind is LineKind.TEXT and page[y + 1].faint}
    blank = [replace(line, kind=LineKind.BLANK, text="") if line.y in gone else line for line in page]
    return blank, next((choice for choice in reversed(rows) if choice.mark or RADIO.get(choice.box)), None)


def _numbered_above(page: list[Line], row: OptionRow) -> OptionRow | None:
    """The option right above a row."""
    above = (choice for line in reversed(page[max(0, row.line.y - GAP) : row.line.y]) if (choice := _choice(line)))
    return next((choice for choice in above if choice.number is not None), None)


def _choice(line: Line) -> OptionRow | None:
    found = _OPTION.fullmatch(line.text) if line.kind is LineKind.TEXT else None
    if found is None:
        return None
    number = int(found["number"]) if found["number"] else None
    box = found["after"] or found["before"] or ""
    filled = found["before"] if found["after"] and RADIO.get(found["before"] or "") else ""  # `● 2. [ ] Pear`
    column = line.x + found.start("label")
    stem = column if number is None else line.x + found.end("number")
    return OptionRow(line, found["mark"] or filled, number, box, found["label"], column, stem)


def _anchors(page: list[Line]) -> Iterator[OptionRow]:
    """The rows that may be the chosen option, the likeliest first: marked, then filled, then drawn otherwise."""
    choices = [choice for line in reversed(page) if (choice := _choice(line))]
    yield from islice((choice for choice in choices if choice.mark), ANCHORS)
    yield from islice((choice for choice in choices if RADIO.get(choice.box)), ANCHORS)
    yield from (choice for choice in choices if _GROUND.search(choice.line.row.raw) and choice.line.highlighted)


def _siblings(page: list[Line], anchor: OptionRow) -> list[OptionRow]:
    """The options around one of them, from the top, each with the rows that belong to it."""
    above = list(_walk(page, anchor, -1))[::-1]
    choices = [*above, anchor, *_walk(page, anchor, 1)]
    ends = [choice.line.y for choice in choices[1:]] + [len(page)]
    choices = _without_column(choices)
    return [_with_rest(choice, page[choice.line.y + 1 : end]) for choice, end in zip(choices, ends, strict=True)]


def _without_column(choices: list[OptionRow]) -> list[OptionRow]:
    """The labels without what stands in a second column, in line behind all of them."""
    split = [_COLUMN.fullmatch(choice.label) for choice in choices]
    starts = {
        choice.column + columns(choice.label[: found.start(2)])
        for choice, found in zip(choices, split, strict=True)
        if found
    }
    if len(choices) < 2 or len(starts) != 1 or not all(split):
        return choices
    return [replace(choice, label=found[1]) for choice, found in zip(choices, split, strict=True) if found]


def _walk(page: list[Line], start: OptionRow, step: int) -> Iterator[OptionRow]:
    """The options that follow one another in one direction."""
    at, gap, y = start, 0, start.line.y + step
    while 0 <= y < len(page) and gap <= (GAP if start.number is not None else 0):
        line, choice = page[y], _choice(page[y])
        if choice and _follows(choice, at, step):
            yield choice
            at = choice
        elif line.kind is LineKind.TEXT and not _inner(page, line, start):
            return
        gap = 0 if line.kind is LineKind.TEXT else gap + 1
        y += step


def _follows(choice: OptionRow, other: OptionRow, step: int) -> bool:
    if other.number is not None:
        return choice.number == other.number + step and choice.stem == other.stem
    asks = step < 0 and choice.label.endswith((":", "?"))
    return choice.number is None and choice.stem == other.stem and not asks


def _inner(page: list[Line], line: Line, choice: OptionRow) -> bool:
    """A row that is no option but belongs to one: it stands deeper, or the row above ran into the edge."""
    if choice.number is None:
        return line.x > choice.stem
    first = choice.stem - (len(str(choice.number)) if choice.box else 0)  # below boxes some stand under the number
    return line.x >= first or (line.y > 0 and page[line.y - 1].end >= line.row.width - 1)


def _with_rest(choice: OptionRow, below: list[Line]) -> OptionRow:
    """Take the rows right below an option that belong to it; its label is joined with what was wrapped."""
    rest = tuple(takewhile(lambda line: line.kind is LineKind.TEXT and not _ends(line, choice), below))
    label, above = choice.label, choice.line
    for line in rest:
        if not _wrapped(choice, above, line):
            break
        label += joint(above, line) + line.text
        above = line
    return replace(choice, label=label, rest=rest)


def _ends(line: Line, choice: OptionRow) -> bool:
    """The row below an option stands for itself: not deeper than the option, and the option's row had room left."""
    return line.x <= choice.line.x + (2 if choice.mark else 0) and choice.line.end < choice.line.edge - 1


def _wrapped(choice: OptionRow, above: Line, line: Line) -> bool:
    """The row goes on with the label: drawn as that begins or ends, and its first word had no room in the row above."""
    room = above.edge - MARGIN - above.end
    alike = {
        style._replace(bold=False) for style in (choice.line.row.style(choice.column), above.row.style(above.end - 1))
    }
    inside = line.x <= choice.column
    return inside and line.style._replace(bold=False) in alike and columns(line.text.split()[0]) >= room


def _live(screen: Screen, page: list[Line], choices: list[OptionRow], handing_in: bool) -> Found | None:
    """The menu of these options, if it is one that waits for a key."""
    chosen = None if handing_in else _chosen(choices)
    if (chosen is None and not handing_in) or _edited(screen, choices) or not _whole(page, choices[0]):
        return None
    first, last = choices[0].line, choices[-1].last
    below = page[last + 1 :]
    if not _quiet(below, boxed=first.edge < screen.width) or _asks_for_text(screen, last):
        return None
    if not _evident(choices, page[first.y - 1] if first.y else None, below, question_above(page, first.y)):
        return None
    ticked = _ticked(choices)
    options = [_option(place, choice, ticked) for place, choice in enumerate(choices, 1)]
    menu, above = _menu(page, first.y, options, chosen, multi=ticked)
    return replace(menu, done=handing_in), above


def _menu(page: list[Line], y: int, options: list[Option], chosen: int | None, multi: bool) -> Found:
    free = next((at for at, option in enumerate(options) if _FREE_TEXT.match(option.label)), None)
    hidden = _scrolls(page, y)  # then other options are shown at every move
    said = [said_above(page, y), *(option.label for option in options if not hidden)]
    menu = Menu(question_above(page, y), tuple(options), chosen, free, multi, fingerprint(said), hidden)
    return menu, page[:y]


def _scrolls(page: list[Line], y: int) -> bool:
    """An arrow in a row of its own, not greyed out, points to options that are not shown."""
    return any(line.text in _ARROWS and not line.faint for line in page[max(0, y - 1) :])


def _option(place: int, choice: OptionRow, ticked: bool) -> Option:
    letter = _LETTER.search(choice.label)
    number = place if choice.number is None else choice.number
    key = "" if choice.number is None or number > 9 else str(number)
    checked = bool(TICKED & set(choice.box)) if ticked and choice.box else None
    return Option(number, choice.label, key or (letter[1] if letter else ""), checked)


def _ticked(choices: list[OptionRow]) -> bool:
    """Several can be chosen: there are boxes to tick, and they are not the round ones of which one is filled."""
    boxes = [choice.box for choice in choices if choice.box]
    round_ones = all(box in "●○◆◇" for box in boxes)
    return len(boxes) > 1 and not round_ones


def _chosen(choices: list[OptionRow]) -> int | None:
    """The place of the one option that is marked, else filled, else drawn otherwise than all others."""
    marked = [at for at, choice in enumerate(choices) if choice.mark]
    filled = [at for at, choice in enumerate(choices) if RADIO.get(choice.box)]
    grounds = [(choice.line.style.reverse, choice.line.style.bg) for choice in choices]
    other = [at for at, ground in enumerate(grounds) if grounds.count(ground) == 1]
    found = marked or filled or (other if len(set(grounds)) == 2 else [])
    if len(choices) == 2 and not marked and not filled:
        found = [at for at in other if choices[at].line.style.highlighted]
    return found[0] if len(found) == 1 else None


def _edited(screen: Screen, choices: list[OptionRow]) -> bool:
    """The cursor stands in an option's text: this is a draft in an editor, unless the option is to be typed into."""
    at = typing_at(screen)
    inside = [choice for choice in choices if at and choice.line.y <= at[1] <= choice.last and at[0] > choice.column]
    return any(not _FREE_TEXT.match(choice.label) for choice in inside)


def _whole(page: list[Line], first: OptionRow) -> bool:
    """The numbers begin at the beginning, or the screen shows that there is more above."""
    above = page[first.line.y - 1] if first.line.y else None
    return first.number in (None, 0, 1) or above is None or bool(above.text and MORE.fullmatch(above.text))


def _quiet(below: list[Line], boxed: bool) -> bool:
    """Nothing stands below but rules, hints and, under a closed box, a status line."""
    talk = [line for line in below if line.kind is LineKind.TEXT and not MORE.fullmatch(line.text)]
    if any(line.prompt for line in talk):
        return False
    closed = boxed and bool(below) and below[0].kind is not LineKind.TEXT
    others = [line for line in talk if not (line.keys_hint or line.faint)]
    return len(others) <= (CHROME if closed else 0)


def _asks_for_text(screen: Screen, last: int) -> bool:
    """The cursor waits behind a line prompt below the options: `Choice:`."""
    at = typing_at(screen)
    return (
        at is not None and at[1] > last and screen.row(at[1]).left(at[0]).rstrip().endswith((":", "?", ">", "$", "#"))
    )


def _evident(choices: list[OptionRow], above: Line | None, below: list[Line], question: str) -> bool:
    """What a draft between the rules of an input box lacks, and a list without numbers needs: somebody asks."""
    if choices[0].number is not None and any(choice.mark or choice.box for choice in choices):
        return bool(question) or above is None or above.kind is not LineKind.RULE
    return bool(question) and (asks(question) or any(line.keys_hint for line in below))


def _read_buttons(page: list[Line]) -> Found | None:
    """A row of `[ Yes ] [ No ]`, one of them drawn otherwise or behind a mark."""
    for line in reversed(page):
        buttons = list(_BUTTON.finditer(line.text)) if line.kind is LineKind.TEXT else []
        if len(buttons) < 2 or _BUTTON.sub("", line.text).strip(" ❯›>▶▸"):
            continue
        chosen = _chosen_button(line, buttons)
        if chosen is None or not _quiet(page[line.y + 1 :], boxed=line.edge < line.row.width):
            return None
        options = [Option(place, button[1] or button[2]) for place, button in enumerate(buttons, 1)]
        return _across(_menu(page, line.y, options, chosen, multi=False))
    return None


def _read_tabs(page: list[Line]) -> Found | None:
    """Words side by side, one of them on a ground of its own; below and behind them only hints."""
    for line in reversed(page):
        words = list(_TAB.finditer(line.text)) if line.kind is LineKind.TEXT else []
        grounds = [line.row.style(line.x + columns(line.text[: word.start()])).bg for word in words]
        other = [at for at, ground in enumerate(grounds) if grounds.count(ground) == 1]
        if len(other) != 1 or len(words) < 2 or not _quiet(page[line.y + 1 :], boxed=False):
            continue
        names = [word[0] for word in words]
        offered = list(takewhile(lambda name: name[0].isupper(), names))
        if other[0] < len(offered) > 1:
            options = [Option(place, name) for place, name in enumerate(offered, 1)]
            return _across(_menu(page, line.y, options, other[0], multi=False))
    return None


def _across(found: Found) -> Found:
    return replace(found[0], across=True), found[1]


def _chosen_button(line: Line, buttons: list[re.Match[str]]) -> int | None:
    marked = [at for at, button in enumerate(buttons) if line.text[: button.start()].rstrip(" ")[-1:] in set("❯›▶▸")]
    styles = [line.row.style(line.x + button.start(button.lastindex or 0)) for button in buttons]
    other = [at for at, style in enumerate(styles) if styles.count(style) == 1]
    if len(buttons) == 2:
        other = [at for at in other if styles[at].highlighted]
    found = marked or other
    return found[0] if len(found) == 1 else None
