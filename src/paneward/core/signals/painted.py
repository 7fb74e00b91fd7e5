"""Markers on the screen of a program that paints. Functions, and the machine that waits until a screen is painted.

Rows that a program wrapped are joined from the beginning of a marker on. What nobody of interest has said is left out:

- what stands in the composer, or below it;
- what stands on a ground of its own: so agents show what was given to them;
- what stands behind a prompt, in quotes, behind `echo`, a line number or a comment sign (`marker.is_quoted`);
- code within a sentence: it has another colour than the words around it;
- text in another style than the profile's `prose`, and blocks that begin with one of its `quotes`: what tools print.

A block of code that is drawn like any other text cannot be told from it.

What surprised us: aider prints the first lines of an answer again when it is whole. The same marker below the same
words, with nothing typed in between, is one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from paneward.core.profiles.patterns import compiled
from paneward.core.profiles.row import Profile
from paneward.core.screen.cells import Row, columns
from paneward.core.screen.composer import read_composer
from paneward.core.screen.panel import screen_of
from paneward.core.screen.style import Colour, fits
from paneward.core.signals.marker import Grammar, Marker
from paneward.core.signals.memory import KEPT, Known, Sighting, alike, as_known, prompt_sketch, sketch
from paneward.core.terminal.scene import Snapshot

ROWS: Final = 16  # rows that one marker may take
SAMPLE: Final = 200  # rows that are looked at to tell the ground of the screen, or the beginning of a block
BAR: Final = 3  # columns of a bar at the left, and the blanks behind it
COPIES: Final = 4  # in a scrollback, of a marker that was drawn: whoever says something, says it less often
ENOUGH: Final = 600  # characters above a marker that tell where it stands
_BORDERS: Final = "│┃║▌▐"


@dataclass(frozen=True, slots=True)
class Spotted:
    """A marker on a screen."""

    marker: Marker
    sighting: Sighting
    lead: str = ""  # the words right above it
    row: int = field(default=0, compare=False)  # where it begins, with the scrollback


@dataclass(frozen=True, slots=True)
class Shown:
    """What a screen shows of markers, from its top."""

    spotted: tuple[Spotted, ...] = ()
    missed: tuple[str, ...] = ()  # what begins like one and is none

    @property
    def sightings(self) -> list[Sighting]:
        return [one.sighting for one in self.spotted]

    @property
    def copied(self) -> bool:
        """The same marker stands below the same words so often that it was drawn, not said again."""
        copies = Counter((one.marker.essence, one.lead) for one in self.spotted)
        return max(copies.values(), default=0) >= COPIES

    def once(self) -> "Shown":
        """Each marker alone where it stands last: a screen that is cleared goes into the scrollback, marker and all."""
        last = {one.marker.essence: one for one in self.spotted}
        return Shown(tuple(one for one in self.spotted if last[one.marker.essence] is one), self.missed)


NOTHING: Final = Shown()


def look(snapshot: Snapshot, profile: Profile, grammar: Grammar) -> Shown:
    """The markers of a screen, with the scrollback that came with it."""
    if not any("<" in row for row in snapshot.rows):
        return NOTHING  # most screens
    rows, composed = _said(snapshot, profile)
    return _Reader(rows, composed, snapshot.width, profile, grammar).read()


def _said(snapshot: Snapshot, profile: Profile) -> tuple[Sequence[Row], bool]:
    """The rows above the composer; and whether there is one."""
    screen = screen_of(snapshot, profile)
    composer = read_composer(screen, profile) if profile.framed else None
    region = composer.region if composer else None
    return [*screen.history, *screen.rows[: region.top if region else None]], region is not None


@dataclass(frozen=True, slots=True)
class _Joined:
    """Rows of one text, and where in it each of them begins."""

    text: str
    rows: tuple[tuple[int, int], ...]  # (place in the text, row)

    def at(self, place: int) -> tuple[int, int]:
        """The row of a place in the text, and how far behind its beginning."""
        start, y = next((start, y) for start, y in reversed(self.rows) if start <= place)
        return y, place - start


class _Reader:
    def __init__(self, rows: Sequence[Row], composed: bool, width: int, profile: Profile, grammar: Grammar) -> None:
        self._rows = rows
        self._composed = composed  # else what looks like a prompt may be an option of a dialog
        self._width = width
        self._profile = profile
        self._grammar = grammar
        self._ground = _ground(rows[-SAMPLE:]) if profile.framed else None
        self._givens: list[int] = []  # for each row, the last one above it that was given to the agent
        self._prompts: dict[int, tuple[int, ...]] = {}  # by the last row of what was given
        self._blocks: list[bool] = []  # for each row, whether it stands in what a tool printed
        self._words: list[int] = []  # for each row, the last one above it that holds letters
        self._leads: dict[str, tuple[int, str]] = {}  # by marker: the last row that was asked for, and its lead

    def read(self) -> Shown:
        spotted: list[Spotted] = []
        missed: list[str] = []
        leads: set[tuple[str, str, int]] = set()
        y = 0
        while y < len(self._rows):
            joined = self._joined(y)
            for marker, (start, end) in self._grammar.placed(joined.text):
                if marker.quoted or self._elsewhere(joined, start, end):
                    continue
                above = self._above(y, joined.text[:start])
                lead = self._lead(y, marker) + joined.text[:start]
                led = (marker.essence, lead, self._given(y))
                if led not in leads or not self._profile.framed:
                    leads.add(led)
                    told = lead if self._profile.framed else ""
                    sighting = Sighting(marker.essence, sketch(above), told, self._prompt(y), self._is_last(y))
                    spotted.append(Spotted(marker, sighting, lead, joined.at(start)[0]))
            missed += self._missed(joined)
            y = joined.rows[-1][1] + 1
        return Shown(tuple(spotted), tuple(missed))

    def _missed(self, joined: _Joined) -> list[str]:
        start, missed = self._grammar.start(joined.text), self._grammar.near_miss(joined.text)
        return [missed] if missed and start is not None and not self._elsewhere(joined, start, len(joined.text)) else []

    # --- rows

    def _joined(self, y: int) -> _Joined:
        """The row, with those that go on with a marker that begins in it."""
        alone = joined = _Joined(self._inner(y), ((0, y),))
        for below in range(y + 1, min(y + ROWS, len(self._rows))):
            more = self._inner(below)
            if not _may_begin(self._unfinished(joined.text)) or not more or self._other_ground(y, below):
                break
            text = joined.text + self._between(below)
            joined = _Joined(text + more, (*joined.rows, (len(text), below)))
            if self._grammar.start(joined.text) is None:
                break
        return joined if self._grammar.start(joined.text) is not None else alone

    def _unfinished(self, text: str) -> str:
        """What stands behind the last whole marker."""
        return text[max((end for _, (_, end) in self._grammar.placed(text)), default=0) :]

    def _inner(self, y: int) -> str:
        text = self._rows[y].text.strip()
        return text[1:].rstrip(_BORDERS).strip() if text and text[0] in _BORDERS else text

    def _between(self, y: int) -> str:
        """What a row was parted by from the one above: nothing, where that is full and this one begins at the edge."""
        above, text = self._rows[y - 1].text, self._rows[y].text
        if above[-1:] in _BORDERS:
            return " " if above[-2:-1] == " " else ""
        return "" if columns(above) >= self._width and not text.startswith(" ") else " "

    def _ground_of(self, y: int) -> Colour:
        """What the text of a row stands on, behind a bar at its left."""
        row = self._rows[y]
        return row.style(row.indent + BAR * (row.text.strip()[:1] in _BORDERS)).bg

    def _other_ground(self, y: int, below: int) -> bool:
        return self._profile.framed and self._ground_of(y) != self._ground_of(below)

    # --- who said it

    def _elsewhere(self, joined: _Joined, start: int, end: int) -> bool:
        """Not said by the agent, as far as can be known."""
        if not self._profile.framed:
            return False
        y, x = joined.at(start)
        if self._is_given(y) or self._in_quoted_block(y):
            return True
        row, column = self._rows[y], self._column(y, x)
        style = row.style(column)
        if self._profile.prose and not fits(style, self._profile.prose):
            return True
        last, after = joined.at(end - 1)
        words = [*row.cells[:column], *self._rows[last].cells[self._column(last, after + 1) :]]
        around = [cell.style.fg for cell in words if cell.char.isalnum()]
        return bool(around) and style.fg not in around

    def _column(self, y: int, behind: int) -> int:
        """The column of a place in the text of a row."""
        text, inner = self._rows[y].text, self._inner(y)
        return columns(text[: text.find(inner) + behind])

    def _in_quoted_block(self, y: int) -> bool:
        """Above it, before any blank row, begins what a tool printed."""
        for at in range(len(self._blocks), y + 1):
            text = self._rows[at].text
            begins = any(compiled(pattern).match(text) for pattern in self._profile.quotes)
            self._blocks.append(bool(text.strip()) and (begins or (at > 0 and self._blocks[-1])))
        return self._blocks[y]

    def _given(self, y: int) -> int:
        """The row of the last text above it that was given to the agent."""
        if not self._profile.framed:
            return -1
        for at in range(len(self._givens), y + 1):
            self._givens.append(at if self._is_given(at) else self._givens[-1] if at else -1)
        return self._givens[y]

    def _is_last(self, y: int) -> bool:
        """No prompt stands below it, where one would be recognised."""
        return self._profile.framed and (not self._composed or self._given(len(self._rows) - 1) <= y)

    def _prompt(self, y: int) -> tuple[int, ...]:
        """A sketch of the last text above it that was given to the agent; empty where its beginning cannot be seen."""
        last = self._given(y)
        if last not in self._prompts:
            first = last
            while first > 0 and last - first < ROWS and self._is_given(first - 1):
                first -= 1
            whole = not self._is_given(first - 1) if first > 0 else first == 0 and self._has_glyph(0)
            text = " ".join(self._inner(at) for at in range(first, last + 1)) if whole else ""
            self._prompts[last] = prompt_sketch(text)
        return self._prompts[last]

    def _is_given(self, y: int) -> bool:
        row = self._rows[y]
        if not row.text:
            return False
        return self._has_glyph(y) or self._ground_of(y) != self._ground

    def _has_glyph(self, y: int) -> bool:
        glyph = self._profile.glyph
        return bool(glyph and compiled(glyph, r"\s*(?:", r")\s*\S").match(self._rows[y].text))

    def _lead(self, y: int, marker: Marker) -> str:
        """The words right above a marker, or above the same one above it."""
        own = "".join(filter(str.isalnum, f"{marker.state}{marker.message}"))
        asked, lead = self._leads.get(own, (-1, ""))
        at = self._worded_above(y)
        while at >= asked and at >= 0:  # above the row that was asked for last, the answer is known
            letters = _letters_of(self._inner(at))
            if not letters.endswith(own):
                lead = letters
                break
            at = self._worded_above(at)
        else:
            lead = lead if at >= 0 else ""
        self._leads[own] = y, lead
        return lead

    def _worded_above(self, y: int) -> int:
        """The last row above with letters in it; -1 where there is none."""
        for at in range(len(self._words), y + 1):
            holds = at > 0 and _letters_of(self._inner(at - 1))
            self._words.append(at - 1 if holds else self._words[-1] if at else -1)
        return self._words[y]

    def _above(self, y: int, before: str) -> str:
        """What is written above a marker."""
        return "".join(reversed([before, *_letters(self._rows, y)]))


def _ground(rows: Sequence[Row]) -> Colour:
    """What the text of an agent stands on: nothing, unless the program paints every row."""
    grounds = Counter(row.style(0).bg for row in rows if row.text)
    return None if None in grounds or not grounds else grounds.most_common(1)[0][0]


def _letters_of(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _letters(rows: Sequence[Row], y: int) -> Iterator[str]:
    count = 0
    for at in range(y - 1, -1, -1):
        text = rows[at].text
        yield text
        count += len(text)
        if count > ENOUGH:
            return


def _may_begin(text: str) -> bool:
    return "--<" in text or "-- <" in text or text.endswith(("-", "--", "<", "["))


def _newest(shown: Shown) -> list[Known]:
    return [as_known(one.essence, one.above, one.prompt) for one in shown.sightings[-KEPT:]]


def _lacks_a_piece(essence: str, whole: str) -> bool:
    """It is the whole without some of its letters in a row: a row of it may not be painted."""
    same = next((at for at, (one, other) in enumerate(zip(essence, whole, strict=False)) if one != other), len(essence))
    return len(essence) < len(whole) and whole.endswith(essence[same:])


class Painted:
    """Fed with what screens show, it lets through what stays: a screen can be caught half painted."""

    SETTLES: Final = 0.01  # seconds without output after which a screen is whole
    MISSES: Final = 0.5  # the same, after which what is no marker will not become one
    REPEATS: Final = 0.5  # seconds that a marker has to stand which may be left from another, or be that one

    def __init__(self) -> None:
        self._shown = NOTHING
        self._taken: Shown | None = None
        self._seen_at = 0.0
        self._told: set[str] = set()

    @property
    def shown(self) -> Shown:
        """What the last screen showed, sure or not."""
        return self._shown

    @property
    def unsure(self) -> bool:
        """The last screen showed what was not taken yet."""
        return self._shown != (self._taken or NOTHING)

    def see(self, shown: Shown, now: float, quiet: float) -> Shown | None:
        """What the screen shows, once that is sure."""
        again = shown == self._shown
        if not again:
            self._shown, self._seen_at = shown, now
        if shown == self._taken:
            return None
        lasts = max(quiet, now - self._seen_at)
        if lasts >= self.REPEATS or (not self._doubtful and (again or lasts >= self.SETTLES)):
            self._taken = shown
            return shown
        return None

    def know(self, shown: Shown) -> None:
        """That was taken without being asked for here."""
        self._shown = self._taken = shown

    @property
    def _doubtful(self) -> bool:
        """A marker is shown without a piece, more often than before, or below other words: it may be half painted."""
        return self._torn or self._repeats

    @property
    def _torn(self) -> bool:
        before = {one.essence for one in (self._taken or NOTHING).sightings[-KEPT:]}
        fresh = {one.essence for one in self._shown.sightings[-KEPT:]} - before
        return any(_lacks_a_piece(one, whole) for one in fresh for whole in before)

    @property
    def _repeats(self) -> bool:
        before, shown = _newest(self._taken or NOTHING), _newest(self._shown)
        counts, names = Counter(one.name for one in before), Counter(one.name for one in shown)
        return any(count > counts[name] > 0 for name, count in names.items()) or any(
            counts[one.name] and not any(alike(other, one) for other in before) for one in shown
        )

    def still(self, now: float) -> Shown | None:
        """Nothing was printed since the last look: what it showed is sure after a moment."""
        return self.see(self._shown, now, now - self._seen_at)

    def deadline(self) -> float | None:
        """When to ask `still`."""
        if self._shown != self._taken:
            return self._seen_at + (self.REPEATS if self._doubtful else self.SETTLES)
        return self._seen_at + self.MISSES if set(self._shown.missed) - self._told else None

    def missed(self, now: float) -> list[str]:
        """What begins like a marker, has stood for a while, and was not told yet."""
        if now < self._seen_at + self.MISSES:
            return []
        fresh = [one for one in dict.fromkeys(self._shown.missed) if one not in self._told]
        self._told = set(self._shown.missed)
        return fresh
