"""The key names that may be pressed: functions.

tmux types a name it does not know as text and reports success, so names are judged here. The grammar is
narrower than tmux's own: left out is what tmux accepts and then swallows (`C-Enter`, `C-1`: nothing is
sent), sends without its modifier (`C-é`), or types out in some versions (`S-Enter` arrives as seven
letters).
"""

import difflib
import re
from collections.abc import Iterable

from paneward.core.errors import Code, InvalidInput

# Keys that carry any of the three modifiers as an escape sequence.
MOVING = (
    *("Up", "Down", "Left", "Right", "Home", "End", "IC", "Insert", "DC", "Delete"),
    *("PPage", "PageUp", "PgUp", "NPage", "PageDown", "PgDn"),
    *(f"F{number}" for number in range(1, 13)),
)
SENDING = ("Enter", "Escape", "Space", "Tab", "BSpace")  # one byte each; Meta puts an Escape before it
FIXED = ("BTab", "KPEnter", *(f"KP{key}" for key in "0123456789./*-+"))  # no modifier reaches the program
CONTROLLED = "abcdefghijklmnopqrstuvwxyz@[\\]^_?"  # the characters for which a control byte exists

NAMES = (*SENDING, *FIXED, *MOVING)

# What people and language models write instead, with the name they mean.
_MEANT = {
    wrong: name
    for name, spellings in {
        "Enter": ("return", "cr", "newline", "c-m", "c-enter", "s-enter", "\r", "\n"),
        "Escape": ("esc", "\x1b"),
        "BSpace": ("backspace", "bs", "\x7f"),
        "Delete": ("del",),
        "Insert": ("ins",),
        "Tab": ("\t",),
        "BTab": ("s-tab", "backtab"),
        "Up": ("arrowup",),
        "Down": ("arrowdown",),
        "Left": ("arrowleft",),
        "Right": ("arrowright",),
    }.items()
    for wrong in spellings
}
_MODIFIER = re.compile(r"(?i)[cms]-(?=.)", re.DOTALL)
_SPELLED = re.compile(r"(?i)(ctrl|control|alt|meta|shift)[-+]")
_LOWER = {name.lower(): name for name in NAMES}
_WRITTEN = {**_LOWER, **_MEANT}


def check_keys(keys: Iterable[str]) -> None:
    """Refuse the first key that tmux would not press as the key it names."""
    for key in keys:
        if not _is_key(key):
            raise InvalidInput(f"{key!r} is no key that tmux can press", code=Code.UNKNOWN_KEY, hint=_hint(key))


def _is_key(key: str) -> bool:
    modifiers, base = _split(key)
    named = _LOWER.get(base.lower())
    if named in MOVING:
        return True
    if named in FIXED:
        return not modifiers
    if named in SENDING:
        return modifiers <= ({"M", "C"} if named == "Space" else {"M"})
    return len(base) == 1 and base.isprintable() and _takes(base, modifiers)


def _takes(character: str, modifiers: frozenset[str]) -> bool:
    if modifiers == {"C"}:
        return character.lower() in CONTROLLED or character == "/"
    if modifiers == {"C", "M"}:
        return character.lower() in CONTROLLED
    return modifiers <= {"M"}


def _split(key: str) -> tuple[frozenset[str], str]:
    """The modifiers of a key and what they modify; `^x` is another way to write `C-x`."""
    if len(key) == 2 and key[0] == "^":
        return frozenset("C"), key[1]
    modifiers = set()
    while match := _MODIFIER.match(key):
        modifiers.add(key[0].upper())
        key = key[match.end() :]
    return frozenset(modifiers), key


def _hint(key: str) -> str:
    near = _near(key)
    if near:
        return f"Did you mean {' or '.join(near)}?"
    if len(key) > 1 and not _split(key)[0]:
        return "Text goes through `send_text`; keys are names such as Enter, Escape, Up, C-c, M-b, F5."
    return "Keys are names such as Enter, Escape, Up, C-c, M-b, F5, or one character."


def _near(key: str) -> list[str]:
    spelled = _SPELLED.sub(lambda match: {"c": "C-", "s": "S-"}.get(match[1][0].lower(), "M-"), key)
    if spelled != key and _is_key(spelled):
        return [spelled.lower().replace("c-", "C-") if re.fullmatch("(?i)C-[a-z]", spelled) else spelled]
    if meant := _MEANT.get(spelled.lower()):
        return [meant]
    prefix, base = spelled[: len(spelled) - len(_split(spelled)[1])], _split(spelled)[1]
    close = difflib.get_close_matches(base.lower(), _WRITTEN, n=3, cutoff=0.6) if len(base) > 1 else []
    names = dict.fromkeys(prefix + _WRITTEN[word] for word in close)
    return [name for name in names if _is_key(name)]
