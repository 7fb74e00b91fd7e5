"""What we know of each kind of program: data.

A profile is a row. If a new program needs code, the profile lacks a field. Users override rows or add
their own in a profiles file (see `profile_from`); nothing here is written anywhere else.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, get_type_hints

from paneward.core.errors import Code, InvalidInput
from paneward.core.scene import ProcessFacts, Snapshot

PATTERNS = frozenset({"match", "glyph", "prompt", "placeholders", "busy", "quits"})  # the fields that hold patterns
PROMPT = r"[$#>%]\s*$"


class Typing(StrEnum):
    """How text is put into the program."""

    KEYS = "keys"  # literal keys, as a person would type
    PASTE = "paste"  # a buffer and bracketed paste: the text arrives whole
    AUTO = "auto"  # one short line as keys, anything else pasted


class Frame(StrEnum):
    """Where the input stands on the screen."""

    CURSOR = "cursor"  # on the cursor's line, after whatever stood left of the cursor before typing
    RULES = "rules"  # between the two horizontal rules around the cursor


@dataclass(frozen=True, slots=True)
class Profile:
    name: str
    about: str = ""
    match: tuple[str, ...] = ()  # patterns over the foreground command line
    frame: Frame = Frame.CURSOR
    glyph: str = ""  # pattern of the prompt at the start of a framed composer
    prompt: str = PROMPT  # pattern of a prompt on the cursor's line
    typing: Typing = Typing.AUTO
    settle: float = 0.0  # seconds the composer must stand still before submit
    floor: bool = False  # wait the adaptive delay before submit, whatever is seen
    submit: tuple[str, ...] = ("Enter", "CR")  # pressed in turn; the last one repeats
    escape_dismisses: bool = False  # Escape takes away ghost text and does nothing else
    placeholders: tuple[str, ...] = ()  # patterns of what the composer shows instead of a long paste
    busy: tuple[str, ...] = ()  # patterns of a screen that works; they veto readiness
    queue: tuple[str, ...] = ()  # keys that submit while busy so that the text waits its turn
    steer: tuple[str, ...] = ()  # keys that submit while busy so that the text joins the work
    interrupt: tuple[str, ...] = ()  # keys that stop the work
    cut: tuple[str, ...] = ()  # keys that take the draft out of the composer
    quits: tuple[str, ...] = ()  # patterns of texts at which the program ends
    wait_timeout: float = 10.0


SPINNER = r"[\u2801-\u28ff✻✽✶✳✢]"

SHELL = Profile(
    name="shell",
    about="bash, zsh, fish, sh and their kin at a prompt",
    match=(r"^(?:\S*/)?-?(?:ba|z|fi|da|k|mk|a|tc|c)?sh(?:\s|$)",),
    typing=Typing.AUTO,
    interrupt=("C-c",),
    quits=(r"^\s*(?:exit|logout)\b",),
)
GENERIC = Profile(
    name="generic",
    about="any program nobody told Paneward about",
    prompt=r"[$#>%❯›»]\s*$",
    settle=0.06,
    floor=True,
    escape_dismisses=True,
    placeholders=(r"\[(?:Pasted|Paste|pasted)[^\]]*\]",),
    # `Esc to cancel` alone is what dialogs say; with a running time it is work.
    busy=(rf"{SPINNER}\s+\S", r"(?i)\b(?:esc|ctrl[+-]c) to (?:interrupt|stop)\b|\(esc to cancel, \d"),
)
DEMO = Profile(
    name="demo",
    about="the demo agent that ships with Paneward",
    match=(r"\bdemo-agent\b", r"\bpaneward[./]demo[./]agent\b"),
    frame=Frame.RULES,
    glyph=r"❯[\u00a0 ]?",
    typing=Typing.PASTE,
    placeholders=(r"\[Pasted text #\d+(?: \+\d+ lines)?\]",),
    busy=(r"\besc to interrupt\b",),
    queue=("Enter",),
    interrupt=("Escape",),
    cut=("C-c",),
    quits=(r"^(?:exit|crash)\b",),
    wait_timeout=120.0,
)

BUILT_IN: Mapping[str, Profile] = {profile.name: profile for profile in (SHELL, GENERIC, DEMO)}


def choose(snapshot: Snapshot, process: ProcessFacts | None, profiles: Mapping[str, Profile] = BUILT_IN) -> Profile:
    """The profile of the program in the pane: by its command line, else by its name, else generic."""
    seen = [process.argv, process.command] if process else [snapshot.command]
    for profile in profiles.values():
        if any(re.search(pattern, line) for pattern in profile.match for line in seen if line):
            return profile
    return profiles["generic"]


def named(name: str, profiles: Mapping[str, Profile] = BUILT_IN) -> Profile:
    try:
        return profiles[name]
    except KeyError:
        raise InvalidInput(
            f"no profile is called {name!r}",
            code=Code.UNKNOWN_PROFILE,
            hint=f"Known: {', '.join(sorted(profiles))}.",
        ) from None


def profile_from(name: str, row: Mapping[str, Any], known: Mapping[str, Profile] = BUILT_IN) -> Profile:
    """A profile from a user's file: the row of that name, of `extends`, or generic, with fields replaced."""
    extends = row.get("extends", name if name in known else "generic")
    start = replace(named(str(extends), known), name=name)
    hints = get_type_hints(Profile)
    changes: dict[str, Any] = {}
    for key, value in row.items():
        if key == "extends":
            continue
        if key not in hints or key == "name":
            allowed = ", ".join(sorted({field.name for field in fields(Profile)} - {"name"} | {"extends"}))
            raise _broken(f"profile {name!r}: unknown key {key!r}", f"Allowed: {allowed}.")
        changes[key] = _convert(name, key, value, hints[key])
    return replace(start, **changes)


def _convert(name: str, key: str, value: Any, kind: Any) -> Any:
    where = f"profile {name!r}, key {key!r}"
    if kind in (Typing, Frame):
        if value not in list(kind):
            raise _broken(f"{where}: {value!r}", f"Allowed: {', '.join(kind)}.")
        return kind(value)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if kind in (str, bool) and isinstance(value, kind):
        return _pattern(where, value) if key in PATTERNS else value
    if kind == tuple[str, ...] and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(_pattern(where, item) if key in PATTERNS else item for item in value)
    wanted = "a list of texts" if kind == tuple[str, ...] else getattr(kind, "__name__", str(kind))
    raise _broken(f"{where}: {value!r}", f"Allowed: {wanted}.")


def _pattern(where: str, value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise _broken(f"{where}: {value!r} is not a pattern: {error}", "Python's `re` syntax is used.") from None
    return value


def _broken(message: str, hint: str) -> InvalidInput:
    return InvalidInput(message, code=Code.CONFIG_INVALID, hint=hint)
