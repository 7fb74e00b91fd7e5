"""Which markers were there before. A machine, written down as a small JSON value.

A marker is known by the turn it was given in, its text, and how often that text had come in that turn. Of a program
that prints lines, each is new when it is printed. Of one that paints, a screen is a window on all that was said: the
markers in it are some of those that are known, in their order, and then new ones. Where the window stands is told by
the markers themselves, by where it stood before, and by what is written above each.

What surprised us: a repaint shows a marker again and again, a scroll brings it back after a long time, a resume shows
it in another process. What is written above a marker is the same in all of them; only the wrapping is not. So it is
kept as a sketch of its letters: the smallest checksums of pieces of it. And some agents leave copies of what they drew
on the screen: the same marker below the same words is told once in a turn. An agent that answers another prompt in the
same words says something new: where both prompts are to be seen, and have nothing in common, the markers are two.
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
UNKNOWN: Final = 0.5  # how much what cannot be compared counts as unlike
UNLIKE: Final = 0.9  # the same of other words above one that is known


Sketch = tuple[tuple[int, ...], tuple[int, ...]]  # near and far; empty where too little can be seen


@dataclass(frozen=True, slots=True)
class Sighting:
    """A marker on a screen, and a sketch of what is written above it."""

    essence: str
    above: Sketch = ((), ())
    lead: str = ""  # the words right above it
    prompt: tuple[int, ...] = ()  # a sketch of the prompt above it, if that is to be seen


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
    """The beginning of a prompt, in a form that survives wrapping."""
    letters = "".join(filter(str.isalnum, text[: 4 * HEAD])).lower()[:HEAD]
    pieces = {letters[at : at + PIECE] for at in range(max(len(letters) - PIECE, 0) + 1)} - {""}
    return tuple(sorted(zlib.crc32(piece.encode("utf-8", "surrogatepass")) for piece in pieces)[:PROMPT])


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

    def begin_turn(self) -> None:
        """A prompt was submitted: the same words are new ones from here on."""
        self._turn += 1
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
            self._window = len(self._known)
            return []
        sightings = sightings if past else sightings[-KEPT:]
        shown = [as_known(one.essence, one.above, one.prompt) for one in sightings]
        start = self._place(shown, past)
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
        proven = any(_difference(known, one) < UNKNOWN for known, one in pairs)
        older = max(-start, 0)
        new = len(shown) - len(pairs) - older
        unlike = sum(UNLIKE * _difference(known, one) for known, one in pairs)
        return (BACK if back and not proven else 0.0) + new + older * (OLDER if past else 1.0) + unlike

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
