"""What a program tells its terminal to call for the human: notifications, progress, the bell. Functions, and a machine.

OSC 9 (iTerm2), 777 (urxvt) and 99 (kitty) carry words; the bell carries none. Progress (OSC 9;4) tells of work, which
is for the arbiter of states to judge, and of an error, which is a signal. A notification says in its own words what is
the matter; where these are not understood, it is taken for a call for input.
"""

import re
from typing import Final

from paneward.core.signals.signal import Channel, Signal, SignalState, worded
from paneward.core.terminal.osc import Osc

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
_ENDS = re.compile(rb"[\x07\x18\x1a\x1b]|\xc2\x9c")  # \x9c alone is a part of many letters
_SURE = re.compile(rb"[\x07\x1b\r\n]")  # behind one of these, no string goes on


def silent(data: bytes) -> bool:
    """Neither a bell nor the beginning of anything that is not shown: only what stands on the screen."""
    return b"\x07" not in data and _STRING.search(data) is None and not data.endswith(b"\x1b")


class Bells:
    """Fed with raw output, it tells whether a bell rang: one that ends a string is none."""

    def __init__(self) -> None:
        self._inside = False
        self._lost = False  # a string may have begun in what was not heard
        self._torn = b""  # the first byte of two that belong together

    @property
    def open(self) -> bool:
        """It is not clear yet what the next bell is."""
        return self._inside or self._lost or bool(self._torn)

    def feed(self, data: bytes) -> bool:
        data, self._torn = self._torn + data, b""
        at, rang = 0, False
        if self._lost:
            sure = _SURE.search(data)
            if sure is None:
                return False
            self._lost, at = False, sure.end() if sure[0] == b"\x07" else sure.start()
        while at < len(data):
            if self._inside:
                end = _ENDS.search(data, at)
                if end is None:
                    self._torn = b"\xc2" if data.endswith(b"\xc2") else b""
                    return rang
                self._inside, at = False, end.end() - (end[0] == b"\x1b")
                continue
            string = _STRING.search(data, at)
            rang = rang or data.find(b"\x07", at, string.start() if string else len(data)) >= 0
            self._inside, at = string is not None, string.end() if string else len(data)
        if not self._inside and data.endswith(b"\x1b"):
            self._torn = b"\x1b"
        return rang

    def gap(self) -> None:
        """Output was lost."""
        self._inside, self._lost, self._torn = False, True, b""
