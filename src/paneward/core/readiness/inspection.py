"""All that is read from one look at a pane, region by region, with the rows it stands on: data and one function.

`explain` says why a pane counts as ready; this says what a profile makes of its screen, so that one that no longer
fits can be seen to fail, and where.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from paneward.core.profiles import Profile, Recognised, nearest
from paneward.core.profiles.row import Mark, Where
from paneward.core.readiness.rules import Assessment, assess
from paneward.core.result import Menu, ReadyVerdict
from paneward.core.screen.appearance import Appearance, ScreenState, read_appearance
from paneward.core.screen.cells import Screen
from paneward.core.screen.composer import read_composer
from paneward.core.screen.marks import find_mark
from paneward.core.screen.panel import screen_of
from paneward.core.terminal.scene import Scene

WORDS = 24  # characters of a text by which its row is found: what follows may be wrapped


@dataclass(frozen=True, slots=True)
class SeenMark:
    """A mark that the profile names, and what was seen of it."""

    mark: Mark
    seen: str | None  # None: it is not there


@dataclass(frozen=True, slots=True)
class Spot:
    """Something that was read, and the rows it stands on."""

    what: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Box:
    """The region of the composer."""

    top: int
    bottom: int  # the last row of it
    left: int
    right: int
    prompt: str
    cut: bool  # more stands in it than is shown
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    pane: str
    profile: str
    pattern: str  # that matched `line`; empty where the profile was asked for, or nothing matched
    line: str
    proven: tuple[str, ...]  # the versions that the profile was proven on
    version_known: bool | None  # None: no version is on the screen
    version: str | None
    read_as: str | None  # the proven version that this one is taken for
    verdict: str | None  # None: only time can tell
    rule: str
    because: str
    state: ScreenState
    evidence: str
    composer: Box | None
    draft: str
    whole: bool
    ghost: str
    placeholder: str
    mode: str
    queued: tuple[str, ...]
    busy: tuple[SeenMark, ...]
    asks: tuple[SeenMark, ...]
    kind: str  # of a dialog that is known by its words
    startup: bool
    question: str
    menu: Menu | None
    spots: tuple[Spot, ...]
    trouble: str  # why the program cannot work, as it says itself
    screen: tuple[str, ...]  # the rows as text


def read(scene: Scene, found: Recognised, prompt: re.Pattern[str]) -> Inspection:
    """What the profile makes of the screen."""
    profile, snapshot = found.profile, scene.snapshot
    screen = screen_of(snapshot, profile)
    judged = assess(scene, profile, prompt)
    shown = _shown(scene, profile, judged)
    busy, asks = (_sights(marks, screen, scene, profile) for marks in (profile.busy, profile.dialog))
    box = _box(screen, profile)
    return Inspection(
        pane=snapshot.pane,
        profile=profile.name,
        pattern=found.pattern,
        line=found.line,
        proven=profile.versions,
        version_known=shown.version_known,
        version=shown.version,
        read_as=nearest(profile, shown.version),
        verdict=judged.verdict,
        rule=judged.rule,
        because=judged.evidence,
        state=shown.state,
        evidence=shown.evidence,
        composer=box,
        draft=shown.draft,
        whole=shown.whole,
        ghost=shown.ghost,
        placeholder=shown.placeholder,
        mode=shown.mode,
        queued=shown.queued,
        busy=busy,
        asks=asks,
        kind=shown.kind,
        startup=shown.startup,
        question=shown.question,
        menu=shown.menu,
        trouble=shown.trouble,
        spots=tuple(_spots(screen, shown, box, (*busy, *asks))),
        screen=tuple(row.text for row in Screen.of(snapshot).rows),
    )


def _shown(scene: Scene, profile: Profile, judged: Assessment) -> Appearance:
    """Of a program without a frame of its own the screen alone tells no state, and of a dead one it tells the past."""
    shown = read_appearance(scene.snapshot, profile, scene.process)
    if judged.verdict is ReadyVerdict.DEAD:
        return Appearance(
            ScreenState.UNKNOWN, judged.evidence, version=shown.version, version_known=shown.version_known
        )
    if profile.framed:
        absent = judged.rule == "no_composer" and shown.state is ScreenState.IDLE
        return replace(shown, state=ScreenState.UNKNOWN, evidence=judged.evidence) if absent else shown
    told = {
        ReadyVerdict.READY: ScreenState.IDLE,
        ReadyVerdict.AWAITING_ANSWER: ScreenState.DIALOG,
        None: ScreenState.UNKNOWN,
    }
    state = ScreenState.BUSY if judged.working else told.get(judged.verdict, ScreenState.UNKNOWN)
    return replace(shown, state=state, evidence=judged.evidence, question=judged.question or shown.question)


def _sights(marks: tuple[Mark, ...], screen: Screen, scene: Scene, profile: Profile) -> tuple[SeenMark, ...]:
    looks = ((mark, find_mark((mark,), screen, profile, scene.process)) for mark in marks)
    return tuple(SeenMark(mark, None if found is None else found[1]) for mark, found in looks)


def _box(screen: Screen, profile: Profile) -> Box | None:
    composer = read_composer(screen, profile)
    region = composer.region if composer else None
    if composer is None or region is None:
        return None
    rows = tuple(region.row(screen, y) for y in range(region.top, region.bottom))
    return Box(region.top, region.bottom - 1, region.left, region.edge, region.glyph.strip(), region.cut, rows)


def _spots(screen: Screen, shown: Appearance, box: Box | None, sights: tuple[SeenMark, ...]) -> Iterator[Spot]:
    if box:
        yield Spot("composer", box.top, box.bottom)
    named = [("version", shown.version or ""), ("question", shown.question)]
    named += [("queued", text) for text in shown.queued]
    named += [("mark", one.seen) for one in sights if one.seen and one.mark.where in _ON_SCREEN]
    for what, text in named:
        row = _row_of(screen, text)
        if row is not None:
            yield Spot(what, row, row)
    yield from _options(screen, shown)


def _options(screen: Screen, shown: Appearance) -> Iterator[Spot]:
    """In their order below the question: one label may be the beginning of another."""
    at = _row_of(screen, shown.question) or 0
    for option in shown.menu.options if shown.menu else ():
        wanted = _words(option.label)
        row = next((y for y in range(at, screen.height) if wanted in _words(screen.row(y).text, None)), None)
        if row is not None:
            yield Spot(f"option {option.number}", row, row)
            at = row


_ON_SCREEN = (Where.SCREEN, Where.ABOVE, Where.BELOW)


def _row_of(screen: Screen, text: str) -> int | None:
    """The lowest row that shows the beginning of a text, however it is spaced."""
    wanted = _words(text)
    rows = (y for y in range(screen.height - 1, -1, -1) if wanted in _words(screen.row(y).text, None))
    return next(rows, None) if wanted else None


def _words(text: str, most: int | None = WORDS) -> str:
    return " ".join(text.split())[:most].rstrip()
