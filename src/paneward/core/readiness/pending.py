"""Whether the work on words of ours has ended: a machine, fed with the looks that follow a delivery.

A composer that let go of a text proves that the text went in. It does not prove that the work on it has begun, let
alone ended: OpenCode shows its first sign of work up to seven seconds later on a loaded machine. So a program that
looks idle right after our words is not called ready before one of these is seen, the strongest first:

- it was at work after the words went in, and is at rest now;
- it is blocked in reading its next line, and everything that was typed has been read: a shell, or a program that reads
  whole lines, does one thing after the other;
- an answer stands below the text, and nothing new was painted for a while;
- nothing of that, for as long as its first sign of work may take (`first_work` of its profile). It may have finished
  unseen, or did no work at all. This rests on time alone, and says so.

Something new that is painted counts as life. A clock that ticks and a wheel that turns paint nothing new, and what
never stops painting is waited for no longer than `RESTLESS`.
"""

import re
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

from paneward.core.profiles.row import Profile
from paneward.core.readiness.away import Away
from paneward.core.screen.appearance import ScreenState, read_appearance
from paneward.core.screen.cells import Screen
from paneward.core.screen.composer import read_composer
from paneward.core.screen.panel import screen_of
from paneward.core.terminal.scene import Scene

REST: Final = 2.0  # seconds at rest, without anything new, after which a program that showed no work has done its own
RESTLESS: Final = 30.0  # seconds after which a program at rest that paints new things all the time is believed
TAIL: Final = 30  # letters and digits at the end of a text that are looked for on the screen
NEVER: Final = float("-inf")
FEWEST: Final = 3  # of them: fewer stand anywhere
_CHANGES: Final = re.compile(r"\d+|[\u2800-\u28ff✻✽✶✳✢·■⬝|/\\-]")  # numbers of a clock, a wheel


class ProgramSight(Enum):
    """What one look tells of the program."""

    WORKING = auto()  # it shows so, or tells so
    AWAY = auto()  # it does not read its terminal: for a moment that is how it takes a text
    ASKING = auto()
    NEITHER = auto()


@dataclass(frozen=True, slots=True)
class SentWords:
    """Words of ours that went in, or may have."""

    at: float  # when, on the clock of the looks
    text: str = ""  # as far as it is kept
    answer: bool = False  # to a question: who asks is at work already, and goes on at once


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether the work on them is over, and by what."""

    over: bool
    rule: str  # `worked`, `reads_again`, `answered`, `unseen`; `delivered` while it is not over
    evidence: str
    due: float = 0.0  # when to judge again although nothing happens, while it is not over


class Pending:
    """The words that went in last; without any, what the program was found at."""

    def __init__(self, words: SentWords | None = None) -> None:
        self._words = words or SentWords(NEVER)
        self._worked = False
        self._since = self._words.at  # from when on work may be expected
        self._away = Away()
        self._shown: set[int] = set()
        self._painted_at = self._since

    def told(self, words: SentWords) -> "Pending":
        """They have gone in: what was seen since they were begun counts."""
        told = Pending(words)
        told._worked = self._worked
        return told

    def see(self, sight: ProgramSight, now: float, scene: Scene | None = None, profile: Profile | None = None) -> None:
        """A look."""
        if self._since == NEVER:
            self._since = self._painted_at = now
        if sight is ProgramSight.ASKING:  # whoever answers that, work goes on then
            self._worked, self._since = False, now
            self._words = replace(self._words, answer=True)
        elif self._works(sight, now) and not (scene and profile and _other_work(scene, profile)):
            self._worked = True
        if scene is not None and scene.now >= self._words.at:
            self._look(scene)
        if scene is not None and profile is not None and waits_its_turn(scene, profile):
            self._worked, self._since = False, now

    def _works(self, sight: ProgramSight, now: float) -> bool:
        self._away.see(sight is ProgramSight.AWAY, now)
        return sight is ProgramSight.WORKING or (sight is ProgramSight.AWAY and not self._away.briefly(now))

    def _look(self, scene: Scene) -> None:
        shows = hash(_CHANGES.sub("", Screen.of(scene.snapshot).text))
        if shows not in self._shown:
            self._painted_at = scene.now if self._shown else self._painted_at
            self._shown.add(shows)

    def judge(self, now: float, scene: Scene | None = None, profile: Profile | None = None) -> Judged:
        """Judge a program that looks as if it were at rest."""
        if self._worked:
            return Judged(True, "worked", "it was at work since it was told something, and is at rest")
        if scene is not None and profile is not None and scene.now >= self._words.at and reads_again(scene, profile):
            return Judged(True, "reads_again", "it has read all that was typed, and reads its next line")
        patience = REST if self._words.answer or profile is None else max(REST, profile.first_work)
        rested = max(self._since, self._painted_at) + REST
        due = min(max(self._since + patience, rested), self._since + max(patience, RESTLESS))
        answered = scene is not None and profile is not None and answer_below(scene, profile, self._words.text)
        if now >= due:
            return Judged(
                True, "unseen", f"no sign of work in the {now - self._since:.1f} s since it was told something"
            )
        if answered and now >= rested:
            return Judged(True, "answered", "something stands below the text, and nothing was painted since")
        evidence = f"it was told something {max(now - self._since, 0.0):.1f} s ago, and has shown no work yet"
        return Judged(False, "delivered", evidence, min(due, rested) if answered else due)


def reads_again(scene: Scene, profile: Profile) -> bool:
    """It has read all that was typed, and is blocked in reading its next line."""
    process = scene.process
    if process is None or profile.framed or not process.reading or process.unread:
        return False
    return process.shell or process.canonical is True


def waits_its_turn(scene: Scene, profile: Profile) -> bool:
    """It shows texts that wait until the work that goes on is over."""
    return bool(profile.queued) and bool(read_appearance(scene.snapshot, profile, scene.process).queued)


def answer_below(scene: Scene, profile: Profile, text: str) -> bool:
    """Something stands between the text, where the program repeats it, and the composer."""
    tail = _letters(text)[-TAIL:]
    screen = screen_of(scene.snapshot, profile)
    composer = read_composer(screen, profile) if profile.framed else None
    if len(tail) < FEWEST or composer is None or composer.region is None:
        return False
    above = _letters("".join(row.text for row in screen.rows[: composer.region.top]))
    found = above.rfind(tail)
    return found >= 0 and len(above) > found + len(tail)


def _letters(text: str) -> str:
    """What frames and wrapped rows leave as it is."""
    return "".join(filter(str.isalnum, text))


def _other_work(scene: Scene, profile: Profile) -> bool:
    """It works on something else: our text waits its turn, or it only starts."""
    return waits_its_turn(scene, profile) or _only_starts(scene, profile)


def _only_starts(scene: Scene, profile: Profile) -> bool:
    """It may tell of work by its title while it only starts: then the screen has to show it too."""
    if not profile.stirs or scene.process is None or not scene.process.young:
        return False
    return read_appearance(replace(scene.snapshot, title=""), profile, scene.process).state is ScreenState.IDLE
