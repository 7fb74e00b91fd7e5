"""What the fields of a profile mean: the comments behind them in its source, which is where they are kept true."""

import inspect
import re
from enum import StrEnum

from paneward.core.profiles import Frame, Profile, Typing, Where
from paneward.core.profiles.row import Edit


def remarks(kind: type) -> dict[str, str]:
    """The comment behind each field of a data class, or each name of an enumeration."""
    try:
        source = inspect.getsource(kind)
    except OSError:  # installed without its sources
        return {}
    return dict(re.findall(r"^    (\w+)(?:: .*?| = \".*\")  # (.+)$", source, re.MULTILINE))


def choices(kind: type[StrEnum]) -> str:
    says = remarks(kind)
    return "; ".join(f"`{member.value}` {says.get(member.name, '')}" for member in kind)


def meanings(kind: type) -> dict[str, str]:
    """What each field of a profile, or of a part of one, means."""
    own = {
        "about": "one line for people",
        "edits": f"what it changes in every text: {choices(Edit)}",
        "frame": f"where the input stands: {choices(Frame)}",
        "typing": f"how text is put in: {choices(Typing)}",
        "wait_timeout": "seconds `wait` waits unless told otherwise",
    }
    others = {"where": choices(Where), "mark": "a mark, as above"}
    return {**others, **remarks(kind), **(own if kind is Profile else {})}
