"""What we know of each kind of program: data, and how the right row is chosen.

row.py: what a row can say;
programs.py: shells, other multiplexers, the unknown program, the demo agent;
agents.py: the coding agents;
patterns.py: which engine looks for the patterns of a row;
own.py: a row from a user's file.

A row names the versions it was proven on. On any other, it counts as that of the nearest of them, and says so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from paneward.core.errors import Code, InvalidInput
from paneward.core.profiles.agents import AIDER, CLAUDE, CODEX, GEMINI, OPENCODE
from paneward.core.profiles.own import as_data, changed
from paneward.core.profiles.patterns import ROWS, search
from paneward.core.profiles.programs import DEMO, GENERIC, MULTIPLEXER, SHELL
from paneward.core.profiles.row import PROMPT, Frame, Mark, Profile, Typing, Where
from paneward.core.terminal.scene import ProcessFacts, Snapshot

__all__ = [
    "AIDER",
    "BUILT_IN",
    "CLAUDE",
    "CODEX",
    "DEMO",
    "GEMINI",
    "GENERIC",
    "MULTIPLEXER",
    "OPENCODE",
    "PROMPT",
    "SHELL",
    "Frame",
    "Mark",
    "Profile",
    "Recognised",
    "Typing",
    "Where",
    "as_data",
    "at_version",
    "choose",
    "named",
    "nearest",
    "profile_from",
    "recognise",
    "version_seen",
]

_STYLE = re.compile(r"\x1b\[[0-9;:]*m")

BUILT_IN: Mapping[str, Profile] = {profile.name: profile for profile in ROWS}


@dataclass(frozen=True, slots=True)
class Recognised:
    """A profile, and what it was told by."""

    profile: Profile  # as it is true of the version on the screen
    pattern: str = ""  # the one of its patterns that matched; empty where none had to
    line: str = ""  # what that matched: a command line, or the name of a program


def choose(snapshot: Snapshot, process: ProcessFacts | None, profiles: Mapping[str, Profile] = BUILT_IN) -> Profile:
    """The profile of the program in the pane: by its command line, else by its name, else generic."""
    return recognise(snapshot, process, profiles).profile


def recognise(
    snapshot: Snapshot, process: ProcessFacts | None, profiles: Mapping[str, Profile] = BUILT_IN
) -> Recognised:
    """The profile of the program in the pane, and by which of its patterns."""
    seen = [process.argv, process.command] if process else [snapshot.command]
    for profile in profiles.values():
        for pattern in profile.match:
            for line in seen:
                if line and _fits(pattern, line):
                    version = version_seen(snapshot, profile) if profile.variants else None
                    return Recognised(at_version(profile, version), pattern, line)
    return Recognised(profiles["generic"])


@lru_cache(maxsize=4096)  # the same few command lines are looked at again and again
def _fits(pattern: str, line: str) -> bool:
    return search(pattern, line) is not None


def version_seen(snapshot: Snapshot, profile: Profile) -> str | None:
    """The version that stands on the screen; most programs show it at their start only."""
    if not profile.version:
        return None
    return next((found for row in snapshot.rows if (found := _version_in(row, profile.version))), None)


@lru_cache(maxsize=4096)  # from one look to the next, most rows stay as they are
def _version_in(row: str, pattern: str) -> str | None:
    found = search(pattern, _STYLE.sub("", row).rstrip())
    return found[1] if found else None


def named(name: str, profiles: Mapping[str, Profile] = BUILT_IN) -> Profile:
    try:
        return profiles[name]
    except KeyError:
        raise InvalidInput(
            f"no profile is called {name!r}",
            code=Code.UNKNOWN_PROFILE,
            hint=f"Known: {', '.join(sorted(profiles))}.",
        ) from None


def at_version(profile: Profile, version: str | None) -> Profile:
    """The row as it is true of a version; of one that is not known, as it stands."""
    nearby = nearest(profile, version)
    variant = next((one for one in profile.variants if nearby in one.versions), None)
    return replace(profile, **dict(variant.changes)) if variant else profile


def nearest(profile: Profile, version: str | None) -> str | None:
    """The newest of the versions it was proven on that is not newer, else the oldest of them."""
    if version is None or not profile.versions:
        return None
    proven = sorted(profile.versions, key=_order)
    return next((one for one in reversed(proven) if _order(one) <= _order(version)), proven[0])


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def profile_from(name: str, row: Mapping[str, Any], known: Mapping[str, Profile] = BUILT_IN) -> Profile:
    """A profile from a user's file: the row of that name, of `extends`, or generic, with fields replaced."""
    extends = row.get("extends", name if name in known else "generic")
    start = replace(named(str(extends), known), name=name)
    return changed(start, {key: value for key, value in row.items() if key != "extends"})
