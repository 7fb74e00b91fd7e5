"""ECMA-48 stream -> plain text. A machine, written twice.

`ByteStripper` is the reference: one table, one byte at a time. `Stripper` writes the same bytes many times faster: what
is well formed is cut out by regular expressions, the beginning of a sequence at the end of a chunk is carried to the
next one, and whatever they cannot vouch for, or is too long to carry, goes to a `ByteStripper`. Text keeps TAB, LF and
CR; cursor-forward becomes blanks and cursor-down newlines, because agents set words and lines apart with them.

What surprised us:

- ESC restarts from every state. So a sequence is known by its ESC alone, whatever stands before it, an unfinished one
  can only begin at the last ESC of a chunk, and the string terminator ESC \\ is an ordinary two-byte escape.
- Removing a sequence may join its neighbours to a new one (ESC [ 3, a colour, 5 C). A CAN is left in its place: it
  aborts what was open, as the ESC did, and is dropped with the other controls.
- Bytes 80 to 9F are part of most glyphs agents draw. Only C2 80 to C2 9F are C1 controls; C2 is never inside another
  character.
- Controls inside a sequence are carried out: CR, LF and TAB inside a CSI are text. DEL and bytes from 80 on are ignored
  there, as in tmux.
- Shells in tmux name their window by ESC k name ESC \\, a string ECMA-48 does not know.
- Python 3.11.2 misjudges possessive groups, not possessive character sets: only these are used.
"""

import re
from collections.abc import Iterable
from enum import IntEnum, auto
from typing import Final

MOST_BLANKS: Final = 1000  # wider than any pane; a count of 10^9 must not become 10^9 blanks
MOST_NEWLINES: Final = 100  # higher than most panes, and one is enough to end a line
MOST_CARRIED: Final = 64  # longer than any sequence in use

_BEL, _CAN, _SUB, _ESC = 0x07, 0x18, 0x1A, 0x1B
_C1_LEAD = 0xC2
_KEPT = b"\t\n\r"
_DROPPED = bytes(byte for byte in (*range(0x20), 0x7F) if byte not in _KEPT)


class ParserState(IntEnum):
    GROUND = 0
    ESCAPE = auto()
    INTERMEDIATE = auto()
    CSI = auto()  # in its first number
    CSI_MORE = auto()  # beyond it, still digits and semicolons
    CSI_OTHER = auto()  # private or with intermediates: never a movement
    OSC = auto()
    STRING = auto()  # DCS, SOS, PM, APC and the window name


# By global names: looking up a member of an enumeration takes as long as judging a byte.
_GROUND, _ESCAPE, _INTERMEDIATE, _CSI, _CSI_MORE, _CSI_OTHER, _OSC, _STRING = ParserState

_FINALS = range(0x40, 0x7F)
_INTERMEDIATES = range(0x20, 0x30)
_NO_COUNT = (*_INTERMEDIATES, *b":<=>?")

# Later rows of a state overrule earlier ones; a byte in no row leaves the state as it is.
TRANSITIONS: Final[dict[ParserState, list[tuple[Iterable[int], ParserState]]]] = {
    _GROUND: [],
    _ESCAPE: [
        (range(0x30, 0x7F), _GROUND),
        (_INTERMEDIATES, _INTERMEDIATE),
        (b"[", _CSI),
        (b"]", _OSC),
        (b"PX^_k", _STRING),
    ],
    _INTERMEDIATE: [(range(0x30, 0x7F), _GROUND)],
    _CSI: [(_FINALS, _GROUND), (_NO_COUNT, _CSI_OTHER), (b";", _CSI_MORE)],
    _CSI_MORE: [(_FINALS, _GROUND), (_NO_COUNT, _CSI_OTHER)],
    _CSI_OTHER: [(_FINALS, _GROUND)],
    _OSC: [((_BEL,), _GROUND)],
    _STRING: [],
}
ANYWHERE: Final[list[tuple[Iterable[int], ParserState]]] = [((_CAN, _SUB), _GROUND), ((_ESC,), _ESCAPE)]


def _row(state: ParserState) -> list[ParserState | None]:
    """Where each byte leads from `state`; None where it stays and is text."""
    text: Iterable[int] = _KEPT
    if state is _GROUND:
        text = set(range(256)).difference(_DROPPED)
    elif state in (_OSC, _STRING):
        text = ()
    row: list[ParserState | None] = [None if byte in text else state for byte in range(256)]
    for some, target in TRANSITIONS[state] + ANYWHERE:
        for byte in some:
            row[byte] = target
    return row


_ROWS = [_row(state) for state in ParserState]


def _movement(final: int, count: int) -> bytes:
    """Cursor-forward or cursor-down by `count` as text; 0 means 1."""
    if final == ord("C"):
        return b" " * min(count or 1, MOST_BLANKS)
    return b"\n" * min(count or 1, MOST_NEWLINES)


class ByteStripper:
    """The reference: exact and slow, its whole state in three small fields."""

    __slots__ = ("_count", "state", "torn")

    def __init__(self) -> None:
        self.state = _GROUND
        self.torn = False  # a C2 was read: the next byte makes it a C1 control or a character
        self._count = 0

    def feed(self, data: bytes) -> bytes:
        """Return the text that `data` completes."""
        out = bytearray()
        state, torn, count = self.state, self.torn, self._count
        row = _ROWS[state]
        for byte in data:
            if torn:
                torn = False
                if 0x80 <= byte <= 0x9F:
                    state, row, byte = _ESCAPE, _ROWS[_ESCAPE], byte - 0x40
                elif state is _GROUND:
                    out.append(_C1_LEAD)
            if byte == _C1_LEAD:
                torn = True
            elif (target := row[byte]) is None:
                out.append(byte)
            elif target is not state:
                if target is _CSI:
                    count = 0
                elif byte in b"BC" and (state is _CSI or state is _CSI_MORE):
                    out += _movement(byte, count)
                state, row = target, _ROWS[target]
            elif state is _CSI and 0x30 <= byte <= 0x39:
                count = min(count * 10 + byte - 0x30, MOST_BLANKS)
        self.state, self.torn, self._count = state, torn, count
        return bytes(out)

    def flush(self) -> bytes:
        """The stream ended: return a torn character that stood in plain text, forget an unfinished sequence."""
        rest = b"\xc2" if self.torn and self.state is _GROUND else b""
        self.state, self.torn = _GROUND, False
        return rest


# What follows ESC, apart from CSI and strings. The sets are possessive: nothing is tried twice.
_SHORT = rb"[0-OQ-WYZ\\`-jl-~]|[ -/]++[0-~]"
_OSC_BODY = rb"\][^\x07\x18\x1a\x1b]*+[\x07\x18\x1a]"
_STRING_BODY = rb"[PX^_k][^\x18\x1a\x1b]*+[\x18\x1a]"
_FINISHED = re.compile(rb"\x1b(?:\[[ -?]*+[@-~]|%b|%b|%b)" % (_OSC_BODY, _STRING_BODY, _SHORT))
# The end of a string may be missing here: where it is, an ESC follows, or followed before the chunk was cut.
_REMOVED = re.compile(rb"\x1b(?:\[[ -?]*+[@AD-~]|%b?+|%b?+|%b)" % (_OSC_BODY, _STRING_BODY, _SHORT))
_MOVEMENT = re.compile(rb"(\x1b\[[0-9;]*+[BC])")
_BEGUN = re.compile(rb"\x1b(?:\[[ -?]*+|[ -/]*+)|\xc2?+")
_C1 = re.compile(rb"\xc2[\x80-\x9f]")

# Where the byte machine is likely to come to rest. A bad guess costs time only: it is right in plain text too.
_NEXT_BYTE = re.compile(rb"[\x00-\xff]")
_FINAL = re.compile(rb"[@-~]")
_REST = {
    _ESCAPE: _NEXT_BYTE,
    _INTERMEDIATE: re.compile(rb"[0-~]"),
    _CSI: _FINAL,
    _CSI_MORE: _FINAL,
    _CSI_OTHER: _FINAL,
    _OSC: re.compile(rb"[\x07\x18\x1a\x1b\xc2]"),
    _STRING: re.compile(rb"[\x18\x1a\x1b\xc2]"),
}


def _written(sequence: bytes) -> bytes:
    """The text of a whole cursor-forward or cursor-down."""
    first = sequence[2:-1].partition(b";")[0].lstrip(b"0")
    return _movement(sequence[-1], int(first[:4] or b"0"))  # four digits are beyond every limit


_WRITTEN = {
    sequence: _written(sequence)
    for final in (b"B", b"C")
    for sequence in (b"\x1b[" + final, *(b"\x1b[%d%b" % (count, final) for count in range(300)))
}


def _strip_well_formed(text: bytes) -> bytes | None:
    """Strip `text`, which begins in plain text and ends there or before an ESC; None if it holds anything unusual."""
    if b"\x1b" in text:
        # The most frequent movement, here because replacing by the same length is by far the cheapest way.
        text = text.replace(b"\x1b[1C", b"\x18\x18\x18 ")
        text = b"\x18".join(_REMOVED.split(text))
    if b"\x1b" in text:
        parts = _MOVEMENT.split(text)
        parts[1::2] = [_WRITTEN.get(part) or _written(part) for part in parts[1::2]]
        text = b"".join(parts)
    return None if b"\x1b" in text else text.translate(None, _DROPPED)


def _cut(data: bytes) -> int:
    """Where the sequence or character begins that `data` leaves unfinished, or its length."""
    last = data.rfind(b"\x1b")
    if last >= 0 and not _FINISHED.match(data, last):
        return last
    return len(data) - data.endswith(b"\xc2")


class Stripper:
    """The same text as of a `ByteStripper`, by regular expressions where the input is well formed."""

    __slots__ = ("_carry", "_machine")

    def __init__(self) -> None:
        self._carry = b""  # a short, regular beginning; any other is in the machine
        self._machine = ByteStripper()

    def feed(self, data: bytes) -> bytes:
        """Return the text that `data` completes."""
        machine = self._machine
        if machine.torn or machine.state is not _GROUND:
            head, start = self._resume(data)
            return head + self.feed(data[start:]) if start < len(data) else head
        if self._carry:
            data, self._carry = self._carry + data, b""
        if b"\xc2" in data and _C1.search(data):
            return machine.feed(data)
        cut = _cut(data)
        text = _strip_well_formed(data[:cut])
        if text is None:
            return machine.feed(data)
        if len(data) - cut <= MOST_CARRIED and _BEGUN.fullmatch(data, cut):
            self._carry = data[cut:]
            return text
        return text + machine.feed(data[cut:])

    def _resume(self, data: bytes) -> tuple[bytes, int]:
        """Finish what the last chunk left open; return its text and where plain text begins."""
        machine, out, at = self._machine, bytearray(), 0
        while at < len(data) and (machine.torn or machine.state is not _GROUND):
            rest = (_NEXT_BYTE if machine.torn else _REST[machine.state]).search(data, at)
            end = rest.end() if rest else len(data)
            if machine.state in (_OSC, _STRING):
                at = end - 1  # what a string holds needs no look
            out += machine.feed(data[at:end])
            at = end
        return bytes(out), at

    def flush(self) -> bytes:
        """The stream ended: return a torn character that stood in plain text, forget an unfinished sequence."""
        rest, self._carry = self._machine.feed(self._carry), b""
        return rest + self._machine.flush()


def strip(data: bytes) -> bytes:
    """Strip a whole text."""
    stripper = Stripper()
    return stripper.feed(data) + stripper.flush()
