"""Which markers were there before. A machine, written down as a small JSON value.

A marker is known by the turn it was given in, its text, and how often that text had come in that turn. Of a program
that prints lines, each is new when it is printed. Of one that paints, a screen is a window on all that was said: the
markers in it are some of those that are known, in their order, and then new ones. Where the window stands is told by
the markers themselves, by where it stood before, and by what is written above each.

What surprised us: a repaint shows a marker again and again, a scroll brings it back after a long time, a resume shows
it in another process. What is written above a marker is the same in all of them; only the wrapping is not. So it is
kept as a sketch of its letters: the smallest checksums of pieces of it. And some agents leave copies of what they drew
on the screen: the same marker below the same words is told once in a turn. An agent that answers another prompt in the
same words says something new: where both prompts are to be seen, and have nothing in common, the markers are two. One
that answers the same prompt of ours again does so too: on a screen that has only moved on since the last look, the
first marker of its kind in a turn is new if no prompt stands below it, and none but ours is to be seen above it: an
agent that is resumed may take our words first and draw its past then.
"""

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

KEPT: Final = 64  # markers that are remembered: more than stand on a screen
NEAR: Final = 24  # letters right above a marker that are sketched, if so many can be seen
FAR: Final = 160  # the same: these outlast a change of the row above it
PIECE: Final = 6  # letters of a piece
SKETCH: Final = 6  # checksums that are kept
HEAD: Final = 48  # letters at the beginning of a prompt that are sketched: what follows may be folded
PROMPT: Final = 4  # checksums of them that are kept
BACK: Final = 1.5  # how unlikely it is that somebody scrolled back, in new markers
OLDER: Final = 0.5  # the same of a copy in the scrollback
FORGOTTEN: Final = 2.0  # the same of one that is older than all that is known, and no copy
UNKNOWN: Final = 0.5  # how much what cannot be compared counts as unlike
UNLIKE: Final = 0.9  # the same of other words above one that is known
REWORDED: Final = 0.8  # the same of another prompt that has words in common
REDRAWN: Final = 0.5  # how unlikely it is that one is new which looks like one that is known, below a prompt not ours


Sketch = tuple[tuple[int, ...], tuple[int, ...]]  # near and far; empty where too little can be seen


@dataclass(frozen=True, slots=True)
class Sighting:
    """A marker on a screen, and a sketch of what is written above it."""

    essence: str
    above: Sketch = ((), ())
    lead: str = ""  # the words right above it
    prompt: tuple[int, ...] = ()  # a sketch of the prompt above it, if that is to be seen
    last: bool = False  # no prompt stands below it, where one would be recognised


@dataclass(frozen=True, slots=True)
class Known:
    """A marker as it is remembered."""

    name: str  # a short hash of the essence: what an agent said is not written down twice
    above: Sketch = ((), ())
    prompt: tuple[int, ...] = ()


def sketch(text: str) -> Sketch:
    """The letters before a marker, in a form that survives wrapping."""
    letters = "".join(filter(str.isalnum, text[-4 * FAR :])).lower()
    return _pieces(letters, NEAR), _pieces(letters, FAR)


def prompt_sketch(text: str) -> tuple[int, ...]:
    """The beginning of a prompt, in a form that survives wrapping: the checksum of all its letters, then of pieces."""
    letters = "".join(filter(str.isalnum, text[: 4 * HEAD])).lower()[:HEAD]
    pieces = {letters[at : at + PIECE] for at in range(max(len(letters) - PIECE, 0) + 1)} - {""}
    sums = sorted(zlib.crc32(piece.encode("utf-8", "surrogatepass")) for piece in pieces)[:PROMPT]
    return (zlib.crc32(letters.encode("utf-8", "surrogatepass")), *sums) if sums else ()


def _pieces(letters: str, count: int) -> tuple[int, ...]:
    if len(letters) < count:
        return ()
    end = letters[-count:]
    data = end.encode("utf-8", "surrogatepass")
    if len(data) == count:  # letters of one byte each, as most are
        pieces = {data[at : at + PIECE] for at in range(count - PIECE + 1)}
    else:
        pieces = {end[at : at + PIECE].encode("utf-8", "surrogatepass") for at in range(count - PIECE + 1)}
    return tuple(sorted(map(zlib.crc32, pieces))[:SKETCH])


def as_known(essence: str, above: Sketch = ((), ()), prompt: tuple[int, ...] = ()) -> Known:
    """A marker as it is remembered."""
    return Known(_name(essence), above, prompt)


def _name(essence: str) -> str:
    return hashlib.blake2s(essence.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()


class Memory:
    def __init__(self) -> None:
        self.paints = False  # its program draws over what it wrote
        self._turn = 0
        self._counts: dict[str, int] = {}  # of this turn, by name
        self._leads: list[str] = []  # of this turn: markers with the words right above them
        self._known: list[Known] = []
        self._window: int | None = None  # the first of the known ones that was on the last screen
        self._prompted = False  # this turn was begun by a prompt of ours
        self._prompt: tuple[int, ...] = ()  # a sketch of that; empty where the words are not known
        self._left = False  # in this turn a screen showed no marker: all that are known have left it

    # --- written down

    def written(self) -> dict[str, Any]:
        known = [[one.name, *map(list, (*one.above, one.prompt))] for one in self._known]
        heard = {"turn": self._turn, "counts": dict(self._counts), "leads": list(self._leads), "known": known}
        return heard | {"paints": self.paints}

    @classmethod
    def read(cls, data: Mapping[str, Any] | None) -> Self:
        memory = cls()
        if data:
            memory.paints = bool(data.get("paints"))
            memory._turn = int(data["turn"])
            memory._counts = {str(name): int(count) for name, count in data["counts"].items()}
            memory._leads = list(map(str, data.get("leads", ())))
            memory._known = [_read_known(*one) for one in data["known"]]
        return memory

    # --- what happens

    @property
    def turn(self) -> int:
        return self._turn

    def begin_turn(self, ours: bool = True, prompt: str = "") -> None:
        """A prompt was submitted, by us or, as far as can be told, by somebody else: the same words are new ones from
        here on. What looks like work of somebody else can be an agent that only starts, and draws its past."""
        self._turn += 1
        self._prompted, self._left, self._prompt = ours, False, prompt_sketch(prompt)
        self._counts.clear()
        self._leads.clear()

    def printed(self, essence: str, above: str = "") -> str:
        """A line with this marker was printed, below these: its key."""
        return self.remember(as_known(essence, sketch(above)))

    def remember(self, one: Known) -> str:
        """A marker that is new: its key."""
        return self._add(one)

    def knows(self, essence: str) -> bool:
        return any(one.name == _name(essence) for one in self._known)

    def see(self, sightings: Sequence[Sighting], past: bool = False) -> list[tuple[Sighting, str]]:
        """The markers of a screen, from its top: those that are new, each with its key. With `past` the scrollback is
        there too, with turns in it that nobody has seen begin."""
        if not sightings:
            self._window, self._left = len(self._known), True
            return []
        sightings = sightings if past else sightings[-KEPT:]
        shown = [as_known(one.essence, one.above, one.prompt) for one in sightings]
        start = None if past else self._further_down(shown, sightings)
        start = self._place(shown, past) if start is None else start
        if start is None:
            fresh = [at for at, one in enumerate(shown) if not any(alike(known, one) for known in self._known)]
            self._window = len(self._known)
        else:
            self._learn(shown, start)
            fresh = list(range(len(self._known) - start, len(shown)))
            self._window = max(start, 0)
        before = len(self._known)
        copies = [at for at in fresh if not self._led(sightings[at]) and not past]
        self._doubt_prompts({shown[at].name for at in copies})
        fresh = [at for at in fresh if at not in copies]  # a copy is not kept: it will be gone
        found = [(sightings[at], self._add(shown[at])) for at in fresh]
        self._window = max(0, self._window - (before + len(fresh) - len(self._known)))
        return found

    # --- inside

    def _add(self, one: Known) -> str:
        if len(self._counts) >= 4 * KEPT:
            self._counts.clear()
            self._turn += 1  # no key is given twice
        count = self._counts[one.name] = self._counts.get(one.name, 0) + 1
        self._known = [*self._known, one][-KEPT:]
        return f"{self._turn}.{one.name}.{count}"

    def _led(self, sighting: Sighting) -> bool:
        """It was not told in this turn below these words."""
        if not sighting.lead:
            return True
        lead = _name(f"{sighting.lead}\n{sighting.essence}")
        fresh = lead not in self._leads
        self._leads = [*self._leads, lead][-KEPT:] if fresh else self._leads
        return fresh

    def _doubt_prompts(self, names: set[str]) -> None:
        """A marker is drawn twice in a turn: either may stand below what is no prompt."""
        if names:
            self._known = [replace(one, prompt=()) if one.name in names else one for one in self._known]

    def _further_down(self, shown: Sequence[Known], sightings: Sequence[Sighting]) -> int | None:
        """Which of the known ones is the first on a screen that has only moved on since the last look, so that the
        first marker of its kind in this turn is new even where it looks like one of an earlier turn; None where the
        screen cannot be read so."""
        if self._window is None or not self._prompted:
            return None
        whole = len(self._known) - len(shown)  # from where on the screen ends behind all that is known
        starts = [*range(whole, self._window - 1, -1), *range(max(self._window, whole + 1), len(self._known) + 1)]
        return next((start for start in starts if self._has_moved_to(start, shown, sightings)), None)

    def _has_moved_to(self, start: int, shown: Sequence[Known], sightings: Sequence[Sighting]) -> bool:
        known = self._known[start:]
        if not known and not (self._left and self._window == start):
            return False  # an agent that was resumed draws its past
        names = [one.name for one in shown[len(known) :]]
        if len(set(names)) < len(names) or any(name in self._counts for name in names):
            return False
        answers = all(one.last and not self._answers_another(one) for one in sightings[len(known) :])
        return answers and all(map(_same, known, shown))

    def _place(self, shown: Sequence[Known], past: bool) -> int | None:
        """Which of the known ones is the first of those on the screen; None where none of them fits. Less than 0: so
        many are older than all that is known."""
        fitting = ((self._cost(shown, start, past), -start) for start in range(1 - len(shown), len(self._known)))
        best = min((one for one in fitting if one[0] is not None), default=None)
        return None if best is None else -best[1]

    def _cost(self, shown: Sequence[Known], start: int, past: bool) -> float | None:
        """How unlikely it is that the screen begins with that one; None: it does not."""
        pairs = list(zip(self._known[max(start, 0) :], shown[max(-start, 0) :], strict=False))
        if not pairs or not all(alike(known, one) for known, one in pairs):
            return None
        back = self._window is not None and start < self._window
        reworded = any(map(_reworded, *zip(*pairs, strict=True)))
        proven = not reworded and any(_difference(known, one) < UNKNOWN for known, one in pairs)
        older = shown[: max(-start, 0)]
        new = sum(1.0 + REDRAWN * self._is_drawn_again(one) for one in shown[len(older) + len(pairs) :])
        unlike = sum(_unlikely(known, one) for known, one in pairs)
        return (BACK if back and not proven else 0.0) + new + sum(self._older(one, past) for one in older) + unlike

    def _is_drawn_again(self, one: Known) -> bool:
        """It looks like one that is known, and answers another prompt than that of this turn."""
        return self._answers_another(one) and any(_same(known, one) for known in self._known)

    def _answers_another(self, one: Known | Sighting) -> bool:
        """A prompt is to be seen above it, and that is not the one of this turn."""
        return bool(self._prompt and one.prompt) and self._prompt[0] != one.prompt[0]

    def _older(self, one: Known, past: bool) -> float:
        """How unlikely it is that this one is older than all that is known."""
        if not past:
            return 1.0
        forgotten = len(self._known) < KEPT and not any(alike(known, one) for known in self._known)
        return FORGOTTEN if forgotten else OLDER

    def _learn(self, shown: Sequence[Known], start: int) -> None:
        """What is written above those that were known without it."""
        for at, one in enumerate(shown[: max(len(self._known) - start, 0)], start):
            if at < 0:
                continue
            known = self._known[at]
            above = one.above if sum(map(len, one.above)) > sum(map(len, known.above)) else known.above
            self._known[at] = replace(known, above=above, prompt=known.prompt or one.prompt)


def _read_known(name: str, near: Sequence[int], far: Sequence[int], prompt: Sequence[int] = ()) -> Known:
    return Known(name, (tuple(near), tuple(far)), tuple(prompt))


def alike(known: Known, shown: Known) -> bool:
    """It can be the same: its text is, and what is above it has something in common, where that is known."""
    if known.name != shown.name or (known.prompt and shown.prompt and not set(known.prompt) & set(shown.prompt)):
        return False
    return _difference(known, shown) < 1.0


def _difference(known: Known, shown: Known) -> float:
    """Of what is written above the two: from 0, the same, up to 1, nothing in common."""
    both = [(set(one), set(other)) for one, other in zip(known.above, shown.above, strict=True) if one and other]
    return min((1.0 - len(one & other) / min(len(one), len(other)) for one, other in both), default=UNKNOWN)


def _reworded(known: Known, shown: Known) -> bool:
    """Their prompts are not the same."""
    return bool(known.prompt and shown.prompt) and known.prompt[0] != shown.prompt[0]


def _same(known: Known, shown: Known) -> bool:
    return alike(known, shown) and not _reworded(known, shown) and _difference(known, shown) <= UNKNOWN


def _unlikely(known: Known, shown: Known) -> float:
    """How unlikely it is that they are one, by what is written above them."""
    return max(UNLIKE * _difference(known, shown), REWORDED * _reworded(known, shown))
