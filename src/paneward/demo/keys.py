"""The keyboard of the demo agent: bytes of a terminal -> keys. Shape: machine.

Terminals send text, control bytes and escape sequences on one stream, cut anywhere. A lone Escape looks like the start
of a sequence until nothing follows: the caller waits `ESCAPE_WAIT` and then calls `flush`.
"""

import codecs
import re
from dataclasses import dataclass

ESCAPE_WAIT = 0.05
PASTE_BEGIN, PASTE_END = "\x1b[200~", "\x1b[201~"
CONTROLS = {"\r": "Enter", "\n": "Newline", "\t": "Tab", "\x7f": "Backspace", "\x08": "Backspace"}
SEQUENCES = {
    "\x1b[A": "Up",
    "\x1bOA": "Up",
    "\x1b[B": "Down",
    "\x1bOB": "Down",
    "\x1b[C": "Right",
    "\x1bOC": "Right",
    "\x1b[D": "Left",
    "\x1bOD": "Left",
    "\x1b[H": "Home",
    "\x1b[1~": "Home",
    "\x1b[F": "End",
    "\x1b[4~": "End",
    "\x1b[3~": "Delete",
    "\x1b\r": "Newline",
    "\x1b[13;2u": "Newline",
}
WHOLE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~]|[^\[O\x1b])", re.DOTALL)
BEGUN = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
PLAIN = re.compile(r"[^\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Key:
    """`text` and `paste` carry what was typed; every other name is a key that acts."""

    name: str
    text: str = ""


class Keyboard:
    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._pending = ""
        self._pasting = False

    def feed(self, data: bytes) -> list[Key]:
        """The keys that `data` completed."""
        self._pending += self._utf8.decode(data)
        keys: list[Key] = []
        while self._pending:
            found = self._paste() if self._pasting else self._key()
            if found is None:
                break
            keys += found
        return keys

    @property
    def escape_pending(self) -> bool:
        return not self._pasting and BEGUN.match(self._pending) is not None

    def flush(self) -> list[Key]:
        """The Escape that nothing followed."""
        if not self.escape_pending:
            return []
        rest, self._pending = self._pending[1:], ""
        return [Key("Escape"), *([Key("text", rest)] if rest else [])]

    def _paste(self) -> list[Key] | None:
        body, end, rest = self._pending.partition(PASTE_END)
        if not end:
            return None
        self._pending, self._pasting = rest, False
        return [Key("paste", body.replace("\r\n", "\n").replace("\r", "\n"))]

    def _key(self) -> list[Key] | None:
        if self._pending[0] == "\x1b":
            return self._sequence()
        plain = PLAIN.match(self._pending)
        taken = plain[0] if plain else self._pending[0]
        self._pending = self._pending[len(taken) :]
        if plain:
            return [Key("text", taken)]
        return [Key(CONTROLS.get(taken) or f"C-{chr(ord(taken) | 0x60)}")]

    def _sequence(self) -> list[Key] | None:
        if self._pending.startswith("\x1b\x1b"):
            self._pending = self._pending[1:]
            return [Key("Escape")]
        whole = WHOLE.match(self._pending)
        if whole is None:
            return None
        self._pending = self._pending[whole.end() :]
        self._pasting = whole[0] == PASTE_BEGIN
        return [] if self._pasting else [Key(SEQUENCES.get(whole[0], "Unknown"), whole[0])]
