"""A text that a loading program dropped before submit: a machine and a flow.

Some programs show their prompt and throw away what is typed while they load. That a text was dropped is told by what is
not there: the program read all of it, waits for more, and the screen is the same to the letter as before.

What surprised us: a program that reads in one thread and draws in another looks just so until it draws, and one that
hides what is typed looks so for ever. So what may still stand there is erased before the text is typed again, and
submit is pressed only when it has stood there once for as long as it had been missed.
"""

import re

from paneward.core.delivery.preflight import Terms
from paneward.core.readiness.rules import assess
from paneward.core.screen.cells import Screen
from paneward.core.screen.composer import Composer, essence, read_composer
from paneward.core.terminal.flow import Flow, Watch
from paneward.core.terminal.scene import Scene

GAPS = (3.0, 5.0)  # seconds without a trace after which a text was dropped: the first time, and the second
LONGEST = 400  # characters of a text that can be erased again, and seen whole
BLINK = 0.03
NOTE = "the program dropped what was typed, as programs do that are still loading: it was typed again"
_HIDDEN = re.compile(r"(?i)pass|secret|token|\bpin\b|credential")


class Typings:
    """How often a text was typed, and whether it may be typed again."""

    def __init__(self, text: str, terms: Terms) -> None:
        self._text = text
        self._terms = terms
        self._gaps: tuple[float, ...] = (
            GAPS if 0 < len(essence(text)) <= len(text) <= LONGEST and terms.profile.reads else ()
        )
        self._before: Scene | None = None
        self._first: float | None = None
        self.missed = 0.0  # seconds for which the text that was typed before this one was missed

    def typed(self, before: Scene) -> None:
        """The text was typed after this scene."""
        self._before = before
        self._first = before.now if self._first is None else self._first

    def dropped(self, now: Scene) -> bool:
        """There is no trace of the text, and if that stays so, it may be typed again."""
        if not self._gaps or self._before is None or self._first is None:
            return False
        in_time = now.now - self._first < self._terms.timeout
        return in_time and _waits(self._before, now) and _same(self._before, now) and self._loading(now)

    def _loading(self, now: Scene) -> bool:
        """It may be: that is what `wait` says of it."""
        found = assess(now, self._terms.profile, self._terms.prompt)
        composer = self._composer(now)
        return found.rule == "prompt_unproven" and composer is not None and not _HIDDEN.search(composer.before)

    @property
    def gap(self) -> float:
        """Seconds without a trace after which it was dropped."""
        return self._gaps[0]

    def again(self) -> tuple[str, ...]:
        """Before it is typed again: the keys that erase what may have been taken unseen. In an empty line they do
        nothing."""
        self.missed, self._gaps = self._gaps[0], self._gaps[1:]
        return ("BSpace",) * len(self._text)

    def alone(self, now: Scene) -> bool:
        """The text stands in the composer once."""
        return self._before is not None and self._count(now) == self._count(self._before) + 1

    def stays_alone(self, scene: Scene) -> Flow[bool]:
        """The text stands there once, for as long as the one that was typed before it had been missed."""
        until = scene.now + self.missed
        while self.alone(scene) and scene.now < until:
            scene = yield Watch(BLINK)
        return self.alone(scene)

    def _count(self, scene: Scene) -> int:
        composer = self._composer(scene)
        return essence("".join(composer.rows)).count(essence(self._text)) if composer else 0

    def _composer(self, scene: Scene) -> Composer | None:
        return read_composer(Screen.of(scene.snapshot), self._terms.profile)


def _waits(before: Scene, now: Scene) -> bool:
    """The same program has read all that was typed, and waits for more."""
    was, process = before.process, now.process
    if was is None or process is None or was.pid != process.pid or process.shell:
        return False
    return process.reading is True and process.unread == 0


def _same(before: Scene, now: Scene) -> bool:
    old, new = before.snapshot, now.snapshot
    return (old.rows, old.cursor_x, old.cursor_y) == (new.rows, new.cursor_x, new.cursor_y)
