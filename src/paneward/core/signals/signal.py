"""One signal, and when two channels tell the same thing: data and functions.

The same thing comes over several channels: an agent prints a marker, its hook tells the same, and its screen shows that
it asks. Within five seconds that is one signal, with the words of the strongest channel. What only the terminal tells
(a notification, a bell) has no state of its own that could be relied on: it takes that of whatever it comes with.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

TOGETHER: Final = 5.0  # seconds within which several channels tell one thing
KNOWN_BY: Final = 8  # letters by which a secret is told
LONGEST: Final = 500  # characters of a message that are kept
LOOKED_AT: Final = 16 * LONGEST  # characters of a text from which it is made


class SignalState(StrEnum):
    WORKING = "working"
    NEEDS_INPUT = "needs_input"
    NEEDS_TESTING = "needs_testing"
    COMPLETED = "completed"
    ERROR = "error"
    IDLE = "idle"


class Channel(StrEnum):
    """How a signal came, the strongest first."""

    HOOK = "hook"
    EVENT_FILE = "event_file"
    MARKER = "marker"
    OSC = "osc"  # a notification of the terminal
    STATUS = "status"  # from here on: where the agent was seen to stand, by whom
    TITLE = "title"
    PROGRESS = "progress"
    PROCESS = "process"
    SCREEN = "screen"
    BELL = "bell"
    BUDGET = "budget"  # not the agent's own: what it may use is used


SAID: Final = (Channel.HOOK, Channel.EVENT_FILE, Channel.MARKER)  # in the agent's own words
VAGUE: Final = (Channel.OSC, Channel.BELL)  # that something is the matter, not what
_RANKS: Final = {channel: rank for rank, channel in enumerate(Channel)}


@dataclass(frozen=True, slots=True)
class Signal:
    """Something that an agent has told."""

    state: SignalState
    message: str = ""
    source: Channel = Channel.MARKER
    at: float = 0.0  # monotonic seconds
    key: str = ""  # tells it from every other; empty where whoever found it knows that it is new
    old: bool = False  # it was told while nobody listened
    stands: bool = False  # the agent was seen to stand so, and has not said it

    def stronger_than(self, other: "Signal") -> bool:
        return _RANKS[self.source] < _RANKS[other.source]


def worded(text: str) -> str:
    """A message in one line, without controls, of a length that can be shown."""
    start = text[:LOOKED_AT]  # a hook may bring megabytes
    line = " ".join("".join(char if char.isprintable() else " " for char in start).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def masked(text: str, secrets: Iterable[str]) -> str:
    """The text up to where it begins to repeat a secret, however that is wrapped or cut off."""
    for secret in secrets:
        letters = "".join(secret.split())[:KNOWN_BY]
        found = re.search(r"\s*".join(map(re.escape, letters)), text) if letters else None
        text = text if found is None else f"{text[: found.start()]}…"
    return text


def same_thing(last: Signal, new: Signal) -> bool:
    """Whether `new` tells over another channel what `last` has told."""
    if abs(new.at - last.at) > TOGETHER or Channel.BUDGET in (last.source, new.source):
        return False
    if SignalState.WORKING in (last.state, new.state):
        return last.state is new.state and new.source is not last.source
    if _rests(new, last) or _rests(last, new):
        return True
    if new.source is last.source:
        return new.source in VAGUE and new.message == last.message
    return last.state is new.state or last.source in VAGUE or new.source in VAGUE


def _rests(seen: Signal, told: Signal) -> bool:
    """It was only seen to be at rest, after it had asked in words, or while it shows what is wrong."""
    if seen.state is not SignalState.COMPLETED or not (seen.stands or seen.source not in (*SAID, *VAGUE)):
        return False
    says = told.source in SAID and not told.stands
    return told.state is SignalState.ERROR or (says and told.state is not SignalState.COMPLETED)


def joined(last: Signal, new: Signal) -> Signal:
    """One of two that tell the same thing: the words of the stronger one, the state of one that knows it."""
    strong, weak = (new, last) if new.stronger_than(last) or _rests(last, new) else (last, new)
    if _rests(strong, weak):
        strong, weak = weak, strong
    state = weak.state if strong.source in VAGUE and weak.source not in VAGUE else strong.state
    return replace(strong, state=state, message=strong.message or weak.message, at=max(last.at, new.at))
