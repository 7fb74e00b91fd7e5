"""What a program tells its terminal to call for the human: notifications, progress, the bell. Functions, and a machine.

OSC 9 (iTerm2), 777 (urxvt) and 99 (kitty) carry words; the bell carries none. Progress (OSC 9;4) tells of work, which
is for the arbiter of states to judge, and of an error, which is a signal. A notification says in its own words what is
the matter; where these are not understood, it is taken for a call for input.
"""

import re
from typing import Final

from paneward.core.osc import Osc
from paneward.core.signals.signal import Channel, Signal, SignalState, worded

NOTIFICATIONS: Final = (9, 99, 777)
_WORDS: Final = (
    (SignalState.ERROR, re.compile(r"(?i)\b(?:error|failed|failure|crash(?:ed)?|limit reached)\b")),
    (SignalState.NEEDS_INPUT, re.compile(r"(?i)\b(?:approv\w+|permission|waiting|input|question|needs?|asks?)\b")),
    (SignalState.COMPLETED, re.compile(r"(?i)\b(?:completed?|done|finished|ready)\b")),
)


def notified(osc: Osc, now: float) -> Signal | None:
    """The signal that a command of the output stream is; None for any other command."""
    if osc.code == 9 and osc.text.startswith("4;"):
        failed = osc.text.split(";")[1:2] == ["2"]
        return Signal(SignalState.ERROR, "its progress shows an error", Channel.OSC, now) if failed else None
    words = worded(_words(osc))
    if not words:
        return None
    state = next((state for state, pattern in _WORDS if pattern.search(words)), SignalState.NEEDS_INPUT)
    return Signal(state, words, Channel.OSC, now)


def _words(osc: Osc) -> str:
    match osc.code:
        case 9:
            return "" if re.match(r"\d+(?:;|$)", osc.text) else osc.text  # numbered ones are no notifications
        case 777:
            kind, _, rest = osc.text.partition(";")
            return rest.replace(";", ": ", 1) if kind == "notify" else ""
        case 99:
            how, _, text = osc.text.partition(";")
            asks = {"p=?", "p=close", "p=icon", "p=alive", "p=buttons"}
            return "" if asks & set(how.split(":")) or "e=1" in how.split(":") else text
    return ""


_STRING = re.compile(rb"\x1b[\]PX^_k]")  # begins a string, in which a bell is an end
_ENDS = re.compile(rb"[\x07\x18\x1a\x1b\x9c]")


class Bells:
    """Fed with raw output, it tells whether a bell rang: one that ends a string is none."""

    def __init__(self) -> None:
        self._inside = False
        self._escape = False  # the last byte was ESC

    def feed(self, data: bytes) -> bool:
        if not self._inside and b"\x07" not in data and not data.endswith(b"\x1b") and not _STRING.search(data):
            return self._torn(data)
        if self._escape:
            data, self._escape = b"\x1b" + data, False
        at, rang = 0, False
        while at < len(data):
            if self._inside:
                end = _ENDS.search(data, at)
                if end is None:
                    return rang
                self._inside, at = False, end.end() - (end[0] == b"\x1b")
                continue
            string = _STRING.search(data, at)
            rang = rang or b"\x07" in data[at : string.start() if string else len(data)]
            self._inside, at = string is not None, string.end() if string else len(data)
        self._escape = not self._inside and data.endswith(b"\x1b")
        return rang

    def gap(self) -> None:
        self._inside = self._escape = False

    def _torn(self, data: bytes) -> bool:
        """Nothing of interest, unless the ESC before it makes it the begin of a string."""
        if self._escape and data:
            self._escape = False
            self._inside = data[:1] in (b"]", b"P", b"X", b"^", b"_", b"k") and _ENDS.search(data) is None
        return False
