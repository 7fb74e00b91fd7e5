"""Text that a program takes as text, though it begins or ends like something else: a function.

What a program would run, or quit at, gets something put before or behind it, as the guards of its profile say. That is
said in the receipt, with whether the program cuts it off again. Where nothing helps, nothing is typed.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from paneward.core.profiles.patterns import search
from paneward.core.profiles.row import Guard

MEANS = {
    "command": "be taken as a command",
    "shell": "be run in a shell",
    "quit": "end the program",
    "newline": "not be submitted",
    "lines": "begin a text of several lines",
}
_NAMES = {" ": "blank", "\n": "newline"}


@dataclass(frozen=True, slots=True)
class Defused:
    """A text that the program takes as text, unless something is left that nothing can be done about."""

    text: str
    notes: tuple[str, ...] = ()  # what was added, for the receipt
    left: Guard | None = None


def defuse(text: str, guards: Iterable[Guard]) -> Defused:
    """`text` with what makes the program take it as text."""
    notes: list[str] = []
    for guard in guards:
        if not search(guard.pattern, text):
            continue
        if not guard.defused:
            return Defused(text, tuple(notes), guard)
        text = guard.apply(text)
        notes.append(_added(guard))
    return Defused(text, tuple(notes))


def _added(guard: Guard) -> str:
    parts = [f"{_counted(1, guard.before)} before"] if guard.before else []
    parts += [f"{_counted(guard.times, guard.after)} behind"] if guard.after else []
    fate = "the program cuts that off again" if guard.exact else "that is sent with it"
    return f"put {' and '.join(parts)} the text, which would {MEANS.get(guard.means, guard.means)}; {fate}"


def _counted(count: int, what: str) -> str:
    name = _NAMES.get(what, repr(what))
    return f"{count} {name}s" if count > 1 else f"a {name}"
