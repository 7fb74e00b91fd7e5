"""Text of somebody else for a terminal. Shape: functions. It imports next to nothing: every command prints."""

import re

# What a terminal obeys instead of showing it: controls of both sets, and what turns the direction of writing round.
FOREIGN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """`text` without anything that a terminal would obey."""
    return text if text.isascii() and text.isprintable() else FOREIGN.sub("", text)


def escaped(json: str) -> str:
    """The same document, in which such characters are written as `\\u009b`."""
    return json if json.isascii() and json.isprintable() else FOREIGN.sub(_code, json)


def _code(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
