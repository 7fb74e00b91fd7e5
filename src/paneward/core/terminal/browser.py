"""The output of a pane on its way to a terminal in a browser, and the keys on their way back. A machine and functions.

tmux is the terminal of the program: it draws, and it answers what the program asks of its terminal. The browser's
terminal only shows. So what would make it answer, report the mouse or act beside the screen is taken out of the output,
and of what comes back only keys and text are taken.

What surprised us:

- A sequence taken out may join its neighbours to a new one, so a CAN stays in its place: it ends what was open, and
  terminals show nothing for it.
- ESC k, by which shells in tmux name their window, is no sequence to a browser's terminal: it would show the name.
- C2 9B is CSI in UTF-8, and other terminals than tmux obey it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

CAN: Final = b"\x18"
ESC: Final = "\x1b"
MOST_HELD: Final = 4096  # bytes of a sequence that is not complete; a longer one is dropped up to its end

# Mouse reports, focus reports, and the wheel as arrow keys.
_UNWANTED_MODES: Final = frozenset(b"9 1000 1001 1002 1003 1004 1005 1006 1007 1015 1016 2031 2048".split())
_TOLD: Final = frozenset(b"0 1 2 4 8 10 11 12 104 110 111 112 133".split())  # the OSC that only show something
_LINK: Final = re.compile(rb"8;[^;]*;(?:https?://.*)?", re.DOTALL)

# What needs no second look, in one pass: text, colours, movements, erasures, cursor shapes.
_PLAIN: Final = re.compile(
    rb"(?>(?:[^\x05\x1b\xc2]++|\xc2[\xa0-\xbf]|\x1b(?:\[[0-9;:]*+[@-HJ-MPSTXZ`abdefgjkmrsu]|\[\?(?:25|7|12|2004|2026)[hl]"
    rb"|[()][0-9A-Z]|[78=>DEHM]))*)"
)
_NEXT: Final = re.compile(rb"[\x05\x1b]|\xc2(?:[\x80-\x9f]|\Z)")
_CSI: Final = re.compile(rb"[\x00-\x17\x19\x1c-?\x7f]*+")  # controls inside are carried out
_ORDERLY: Final = re.compile(rb"([0-?]*+)([ -/]*+)")
_CONTROLS: Final = re.compile(rb"[\x00-\x1f\x7f]+")
_ESCAPE: Final = re.compile(rb"[ -/]{0,15}+[0-~]")
_ESCAPE_BEGUN: Final = re.compile(rb"[ -/]{0,15}+\Z")
_STRINGS: Final = b"]PX^_k"
_STRING_END: Final = re.compile(rb"\x07|\x18|\x1a|\x1b|\xc2\x9c|\xc2\Z")


class TerminalFilter:
    """Chunks of raw output in, chunks that are safe to show out; how they are cut never changes what comes out."""

    def __init__(self) -> None:
        self._held = b""  # a sequence that is not complete
        self._dropping: Callable[[bytes], int] | None = None  # finds the end of one that was too long to hold

    def feed(self, data: bytes) -> bytes:
        if not self._held and self._dropping is None and _PLAIN.fullmatch(data):
            return data
        data, self._held = self._held + data, b""
        out: list[bytes] = []
        at = 0 if self._dropping is None else self._dropping(data)
        while at < len(data):
            found = _NEXT.search(data, at)
            if found is None:
                out.append(data[at:])
                break
            out.append(data[at : found.start()])
            at = self._judge(data, found.start(), out)
        return b"".join(out)

    def _judge(self, data: bytes, at: int, out: list[bytes]) -> int:
        """Take the control at `at`, or hold it until it is complete; where to go on."""
        if data[at] == 0x05:  # asks for the name of the terminal
            out.append(CAN)
            return at + 1
        if at + 1 == len(data):
            return self._hold(data, at)
        following = data[at + 1] if data[at] == 0x1B else data[at + 1] - 0x40
        if following == ord("["):
            return self._csi(data, at, out)
        if following in _STRINGS:
            return self._string(data, at, following, out)
        return self._escape(data, at, following, out)

    def _hold(self, data: bytes, at: int) -> int:
        self._held = data[at:]
        return len(data)

    def _csi(self, data: bytes, at: int, out: list[bytes]) -> int:
        body = _CSI.match(data, at + 2)
        assert body is not None
        if body.end() - at > MOST_HELD:
            out.append(CAN)
            return self._skip_csi(data, at + 2)
        if body.end() == len(data):
            return self._hold(data, at)
        if not 0x40 <= data[body.end()] < 0x7F:  # broken off
            out.append(CAN)
            return body.end()
        out.append(_judged_csi(body.group(), data[body.end() : body.end() + 1]))
        return body.end() + 1

    def _skip_csi(self, data: bytes, at: int = 0) -> int:
        """Where one ends that is too long."""
        body = _CSI.match(data, at)
        assert body is not None
        self._dropping = self._skip_csi if body.end() == len(data) else None
        return body.end() + (body.end() < len(data) and 0x40 <= data[body.end()] < 0x7F)

    def _string(self, data: bytes, at: int, kind: int, out: list[bytes]) -> int:
        ended = _STRING_END.search(data, at + 2)
        end = len(data) if ended is None else ended.start()
        if end - at > MOST_HELD:
            out.append(CAN)
            return self._skip_string(data, end)
        if ended is None or (ended.end() == len(data) and ended.group() in (b"\x1b", b"\xc2")):
            return self._hold(data, at)
        closed = ended.group() in (b"\x07", b"\xc2\x9c") or data.startswith(b"\x1b\\", end)
        shown = closed and kind == ord("]") and _harmless_osc(data[at + 2 : end])
        after = end if ended.group() == b"\x1b" and not closed else ended.end() + (ended.group() == b"\x1b")
        out.append(data[at:after] if shown else CAN)
        return after

    def _skip_string(self, data: bytes, at: int = 0) -> int:
        ended = _STRING_END.search(data, at)
        self._dropping = None
        if ended is None or ended.group() == b"\xc2":
            self._dropping = self._skip_string
            return self._hold(data, len(data) if ended is None else ended.start())
        return ended.start() if ended.group() == b"\x1b" else ended.end()

    def _escape(self, data: bytes, at: int, following: int, out: list[bytes]) -> int:
        if data[at] != 0x1B:  # a C1 control is complete
            out.append(CAN if following == ord("Z") else data[at : at + 2])
            return at + 2
        found = _ESCAPE.match(data, at + 1)
        if found is not None:
            out.append(CAN if found.group() == b"Z" else data[at : found.end()])  # asks what the terminal is
            return found.end()
        if _ESCAPE_BEGUN.match(data, at + 1):
            return self._hold(data, at)
        out.append(CAN)
        return at + 1


def _judged_csi(body: bytes, final: bytes) -> bytes:
    """A control sequence without what it must not do; the controls inside it are carried out first."""
    controls = b"".join(_CONTROLS.findall(body)).translate(None, b"\x05")
    orderly = _ORDERLY.fullmatch(_CONTROLS.sub(b"", body))
    return controls + (CAN if orderly is None else _allowed_csi(orderly[1], orderly[2], final))


def _allowed_csi(parameters: bytes, between: bytes, final: bytes) -> bytes:
    """The sequence, or what of it may stay; CAN where nothing is left of it."""
    if final in b"hl" and parameters.startswith(b"?") and not between:
        kept = [mode for mode in parameters[1:].split(b";") if (mode.lstrip(b"0") or b"0") not in _UNWANTED_MODES]
        return b"\x1b[?" + b";".join(kept) + final if kept else CAN
    asks = (
        (final in b"cntx" and not between)  # for attributes, status or size; `t` moves windows
        or (final == b"p" and between == b"$")  # for a mode
        or (final == b"q" and parameters.startswith(b">"))  # for the version
        or (final == b"m" and parameters.startswith(b"?"))
        or (final == b"u" and parameters[:1] in (b"?", b">", b"<", b"="))  # and sets another way to report keys
    )
    return CAN if asks else b"\x1b[" + parameters + between + final


def _harmless_osc(body: bytes) -> bool:
    """It shows something, and asks nothing."""
    number, _, rest = body.partition(b";")
    if number not in _TOLD or b"?" in rest.split(b";") or (number == b"4" and rest.endswith(b"?")):
        return False
    return number != b"8" or _LINK.fullmatch(body) is not None


# --- the way back


@dataclass(frozen=True, slots=True)
class Typed:
    """Text for the program."""

    text: str


@dataclass(frozen=True, slots=True)
class Pressed:
    """Keys by their names in tmux."""

    keys: tuple[str, ...]


Stroke = Typed | Pressed

_NAMED: Final = {"\r": "Enter", "\n": "C-j", "\t": "Tab", "\x7f": "BSpace", "\x1b": "Escape", "\x00": "C-Space"}
_FINALS: Final = {
    "A": "Up",
    "B": "Down",
    "C": "Right",
    "D": "Left",
    "H": "Home",
    "F": "End",
    "Z": "BTab",
    "P": "F1",
    "Q": "F2",
    "R": "F3",
    "S": "F4",
}
_NUMBERS: Final = {
    1: "Home",
    2: "IC",
    3: "DC",
    4: "End",
    5: "PPage",
    6: "NPage",
    7: "Home",
    8: "End",
    11: "F1",
    12: "F2",
    13: "F3",
    14: "F4",
    15: "F5",
    17: "F6",
    18: "F7",
    19: "F8",
    20: "F9",
    21: "F10",
    23: "F11",
    24: "F12",
}
# A key with its modifiers, or anything else that begins with ESC and is dropped: an answer, a report, a paste mark.
_SENT: Final = re.compile(
    r"\x1b(?:\[(?:1;(?P<with>[2-8]))?(?P<final>[ABCDHFPQS])|\[(?P<back>Z)|O(?P<ss3>[A-DHFPQRS])"
    r"|\[(?P<number>\d{1,2})(?:;(?P<also>[2-8]))?~|\[<[\d;]*[mM]|\[M...|\[[0-?]*[ -/]*[@-~]"
    r"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|(?P<meta>[ -~\r\x7f]))"
    r"|(?P<control>[\x00-\x1f\x7f])|(?P<text>[^\x00-\x1f\x7f-\x9f]+)",
    re.DOTALL,
)


def strokes(data: str) -> Iterator[Stroke]:
    """What somebody did in a browser's terminal: text and keys, in order; neighbouring keys together."""
    keys: list[str] = []
    for found in _SENT.finditer(data):
        if text := found["text"]:
            yield from _pressed(keys)
            keys = []
            yield Typed(text)
        elif key := _key(found):
            keys.append(key)
    yield from _pressed(keys)


def _pressed(keys: list[str]) -> Iterator[Pressed]:
    if keys:
        yield Pressed(tuple(keys))


def _key(found: re.Match[str]) -> str:
    if control := found["control"]:
        return _NAMED.get(control) or f"C-{chr(ord(control) + (0x60 if control < ESC else 0x40))}"
    if meta := found["meta"]:
        return f"M-{_NAMED.get(meta, meta)}" if meta != " " else "M-Space"
    named = _FINALS.get(found["final"] or found["back"] or found["ss3"] or "")
    named = named or _NUMBERS.get(int(found["number"] or 0), "")
    return _modifiers(found["with"] or found["also"]) + named if named else ""


def _modifiers(number: str | None) -> str:
    """xterm's count of modifiers as tmux writes them."""
    bits = int(number) - 1 if number else 0
    return "".join(name for bit, name in ((4, "C-"), (2, "M-"), (1, "S-")) if bits & bit)
