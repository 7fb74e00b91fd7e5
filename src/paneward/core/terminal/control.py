"""The language of a tmux control client: a machine over its bytes, and the quoting of what we send.

`Control` is told which replies are due (`expect_plain`, `expect_framed`) in the order of the commands,
is fed the bytes that come, and returns events. Two kinds of reply:

- *plain*, for commands whose answer holds no foreign text: the first block of ours, to its first end;
- *framed*, for all others. A captured screen can hold an exact forgery of a block's end, so the command is
  followed by a line that prints a secret (`nonce`) and the answer is read backwards from that: the body ends
  at the last end that matches its begin. A later command of the same line may add a *trailer*: one message
  that starts with the nonce, which no screen can have known either.

What surprised us: blocks are not escaped; notifications come between blocks and, for the answers to our own
`refresh-client`, inside them; blocks with flag 0 belong to somebody else; the name of a program can hold a
newline, so even a one-line format can come back as two lines; an empty line of input ends the client.
"""

import codecs
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

LINE_LIMIT = 16 << 20  # the longest honest line is a row of styled cells or a buffer shown: megabytes at most
SPAN_LIMIT = 128 << 20  # a whole scrollback of 100 000 wide and styled lines


@dataclass(frozen=True, slots=True)
class Output:
    """Bytes that the program in a pane printed."""

    pane: str
    data: bytes


@dataclass(frozen=True, slots=True)
class CommandReply:
    """The answer to the oldest command that still waited for one."""

    ok: bool
    lines: list[bytes]
    trailer: bytes | None = None  # what followed the nonce in the trusted message
    complaint: bytes = b""  # the words of a later command of the same line that failed


@dataclass(frozen=True, slots=True)
class Paused:
    pane: str


@dataclass(frozen=True, slots=True)
class Continued:
    pane: str


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """This client is now attached to `session`."""

    session: str


@dataclass(frozen=True, slots=True)
class ClientExit:
    reason: str


@dataclass(frozen=True, slots=True)
class Notification:
    name: str
    args: str


@dataclass(frozen=True, slots=True)
class StrayFailure:
    """A command that we did not send over this stream failed: the `attach` of the command line itself."""

    words: str


@dataclass(frozen=True, slots=True)
class BrokenStream:
    """The stream cannot be followed any further."""

    reason: str


Event = (
    Output
    | CommandReply
    | Paused
    | Continued
    | SessionChanged
    | ClientExit
    | Notification
    | StrayFailure
    | BrokenStream
)

INSIDE = frozenset(  # notifications that are believed inside a plain block
    b"output extended-output pause continue message paste-buffer-changed paste-buffer-deleted layout-change "
    b"window-add window-close window-renamed window-pane-changed session-changed session-renamed sessions-changed "
    b"session-window-changed client-detached client-session-changed pane-mode-changed unlinked-window-add "
    b"unlinked-window-close unlinked-window-renamed subscription-changed config-error".split()
)


_PANE: Final = re.compile(r"(\d+)x(\d+),\d+,\d+,(\d+)(?=[,\]}]|$)")  # in a layout; what holds others has brackets


def pane_sizes(args: str) -> dict[str, tuple[int, int]]:
    """Columns and rows of the panes that a `layout-change` shows: of a zoomed window, its one pane."""
    visible = "".join(args.split(" ")[2:3])
    return {f"%{pane}": (int(width), int(height)) for width, height, pane in _PANE.findall(visible)}


def unescape(data: bytes) -> bytes:
    """Undo tmux's three octal digits; what is not of that form is left as it came."""
    if b"\\" not in data:
        return data
    try:
        return codecs.escape_decode(data)[0]
    except (ValueError, DeprecationWarning):
        return data


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def notice(line: bytes) -> Event | None:
    """Read one line outside of blocks; None for what is no notification."""
    name, _, args = line.partition(b" ")
    match name:
        case b"%output":
            pane, _, data = args.partition(b" ")
            return Output(pane.decode("ascii", "replace"), unescape(data))
        case b"%extended-output":
            head, _, data = args.partition(b" : ")
            return Output(head.partition(b" ")[0].decode("ascii", "replace"), unescape(data))
        case b"%pause":
            return Paused(_text(args))
        case b"%continue":
            return Continued(_text(args))
        case b"%session-changed":
            return SessionChanged(_text(args.partition(b" ")[0]))
        case b"%exit":
            return ClientExit(_text(args))
    return Notification(_text(name[1:]), _text(args)) if name[:1] == b"%" and name[1:2].isalpha() else None


EXTENDED: Final = b"%extended-output "


def _read_outputs(lines: list[bytes], at: int, events: list[Event]) -> int:
    """Most of what comes: the output of panes, line after line, in turn. What one of them printed is unescaped at once.
    Returns where something else comes."""
    printed: dict[bytes, list[bytes]] = {}
    while at < len(lines) and lines[at].startswith(EXTENDED):
        head, _, data = lines[at].partition(b" : ")
        printed.setdefault(head[len(EXTENDED) :].partition(b" ")[0], []).append(data)
        at += 1
    for pane, parts in printed.items():
        events.append(Output(pane.decode("ascii", "replace"), unescape(b"".join(parts))))
    return at


def joined(events: Iterable[Event]) -> list[Event]:
    """What a pane printed until something else than output comes is one piece: tmux tells a repaint in a dozen of them,
    in turn with those of other panes."""
    found: list[Event] = []
    printed: dict[str, list[bytes]] = {}
    for event in events:
        if type(event) is Output:
            printed.setdefault(event.pane, []).append(event.data)
            continue
        found += _pieces(printed)
        found.append(event)
        printed.clear()
    return [*found, *_pieces(printed)]


def _pieces(printed: Mapping[str, list[bytes]]) -> Iterator[Output]:
    return (Output(pane, b"".join(data)) for pane, data in printed.items())


class Control:
    """One control client's stream of bytes, read."""

    def __init__(self, line_limit: int = LINE_LIMIT, span_limit: int = SPAN_LIMIT) -> None:
        self._line_limit = line_limit
        self._span_limit = span_limit
        self._due: deque[bytes | None] = deque()  # nonce, or None for a plain reply
        self._torn: list[bytes] = []  # pieces of a line that has not ended yet
        self._torn_size = 0
        self._tail = b""  # time, number and flag of the block we are in; empty outside
        self._lines: list[bytes] = []
        self._size = 0
        self._framed = False
        self._nonce_tail = b""  # set once the nonce was seen, until its block ends
        self._broken = False

    @property
    def due(self) -> int:
        """How many replies are still to come."""
        return len(self._due)

    def expect_plain(self) -> None:
        self._due.append(None)

    def expect_framed(self, nonce: bytes) -> None:
        self._due.append(nonce)

    def feed(self, data: bytes) -> list[Event]:
        """Return what `data` completed."""
        events: list[Event] = []
        if self._broken:
            return events
        lines = data.split(b"\n")
        if len(lines) > 1 and self._torn:
            self._torn.append(lines[0])
            lines[0] = b"".join(self._torn)
            self._torn, self._torn_size = [], 0
        rest = lines.pop()
        self._read_lines(lines, events)
        if rest:
            self._torn.append(rest)
            self._torn_size += len(rest)
        self._size = self._size + len(data) if self._tail else 0
        if self._torn_size > self._line_limit or self._size > self._span_limit:
            self._break(events)
        return events

    def _read_lines(self, lines: list[bytes], events: list[Event]) -> None:
        at, count = 0, len(lines)
        while at < count:
            if self._framed and not self._nonce_tail:
                at = self._skip_to_nonce(lines, at)
            elif not self._tail and lines[at].startswith(EXTENDED):
                at = _read_outputs(lines, at, events)
            else:
                self._line(lines[at], events)
                at += 1

    def _skip_to_nonce(self, lines: list[bytes], at: int) -> int:
        """Take the lines up to the nonce as body, at the speed of a search; return where to go on."""
        nonce = self._due[0]
        assert nonce is not None
        try:
            found = lines.index(nonce, at)
        except ValueError:
            found = len(lines)
        self._lines += lines[at:found]
        if found == len(lines):
            return found
        if self._lines and self._lines[-1][:7] == b"%begin ":
            self._nonce_tail = self._lines.pop()[7:]
        else:
            self._lines.append(nonce)
        return found + 1

    def _break(self, events: list[Event]) -> None:
        self._broken = True
        self._torn, self._lines = [], []
        events.append(BrokenStream("tmux sent a line or a reply without end"))

    def _line(self, line: bytes, events: list[Event]) -> None:
        if self._nonce_tail:
            if line == b"%end " + self._nonce_tail:
                self._end_framed(events)
        elif self._tail:
            self._in_plain(line, events)
        elif line[:7] == b"%begin ":
            self._tail = line[7:]
            self._lines = []
            self._framed = bool(self._due) and self._due[0] is not None and line[-2:] == b" 1"
        else:
            event = notice(line)
            if event is not None:
                events.append(event)

    def _in_plain(self, line: bytes, events: list[Event]) -> None:
        if line[:1] == b"%":
            if line[:5] == b"%end " and line[5:] == self._tail:
                return self._end_plain(True, events)
            if line[:7] == b"%error " and line[7:] == self._tail:
                return self._end_plain(False, events)
            if line[1:].partition(b" ")[0] in INSIDE:
                event = notice(line)
                if event is not None:
                    events.append(event)
                return None
        self._lines.append(line)
        return None

    def _end_plain(self, ok: bool, events: list[Event]) -> None:
        ours = self._tail[-2:] == b" 1"
        if ours and self._due:
            self._due.popleft()
            events.append(CommandReply(ok, self._lines))
        elif not ours and not ok:
            events.append(StrayFailure(_text(b"\n".join(self._lines))))
        self._tail, self._lines = b"", []

    def _end_framed(self, events: list[Event]) -> None:
        nonce = self._due.popleft()
        assert nonce is not None
        reply, others = read_framed(self._tail, self._lines, nonce)
        events.append(reply)
        events += others
        self._tail, self._lines, self._framed, self._nonce_tail = b"", [], False, b""


def read_framed(tail: bytes, lines: list[bytes], nonce: bytes) -> tuple[CommandReply, list[Event]]:
    """Read the lines between the begin of the first block and the begin of the nonce's own block.

    Returns the reply and the notifications that came after its first block.
    """
    mark = nonce + b" "
    at = next((i for i in range(len(lines) - 1, 0, -1) if lines[i].startswith(mark)), len(lines) + 1)
    end, fail = b"%end " + tail, b"%error " + tail
    stop = next((i for i in range(min(at - 1, len(lines)) - 1, -1, -1) if lines[i] in (end, fail)), None)
    if stop is None:
        return CommandReply(False, [b"tmux's answer has no end"]), []
    trailer, later = _read_trailer(lines, at, mark) if at < len(lines) else (None, [])
    events, complaint = _read_later([*lines[stop + 1 : at - 1], *later])
    return CommandReply(lines[stop] is not fail and lines[stop] == end, lines[:stop], trailer, complaint), events


def _read_trailer(lines: list[bytes], at: int, mark: bytes) -> tuple[bytes | None, list[bytes]]:
    """The message that starts with the nonce, to the last end of its block; and the lines after it."""
    end = b"%end " + lines[at - 1][7:]
    stop = next((i for i in range(len(lines) - 1, at, -1) if lines[i] == end), None)
    if stop is None:
        return None, []
    return b"\n".join(lines[at:stop])[len(mark) :], lines[stop + 1 :]


def _read_later(lines: Iterable[bytes]) -> tuple[list[Event], bytes]:
    """Notifications and the words of a failure among blocks that hold no foreign text."""
    events: list[Event] = []
    complaint = b""
    tail: bytes | None = None
    body: list[bytes] = []
    for line in lines:
        if tail is None and line.startswith(b"%begin "):
            tail, body = line[7:], []
        elif tail is not None and line == b"%error " + tail:
            tail, complaint = None, b"\n".join(body)
        elif tail is not None and line == b"%end " + tail:
            tail = None
        elif tail is not None and line[1:].partition(b" ")[0] not in INSIDE:
            body.append(line)
        elif (event := notice(line)) is not None:
            events.append(event)
    return events, complaint


_WORD = re.compile(r"(?:[A-Za-z0-9_/.:@+,-]+|%\d+)\Z")  # what needs no quotes; "%if" would be a directive
_PLAIN = re.compile(rb"[^\x00-\x1f\x7f']*\Z")
_OCTAL = re.compile(rb'[\x00-\x1f\x7f"\\$]')


def _octal(match: re.Match[bytes]) -> bytes:
    return b"\\%03o" % match[0][0]


def quote(text: str | bytes) -> bytes:
    """Quote one argument so that tmux's parser gives back exactly `text`."""
    if isinstance(text, str):
        if _WORD.match(text):
            return text.encode()
        text = text.encode("utf-8", "surrogateescape")
    return _quote(text)


def _quote(data: bytes) -> bytes:
    if b"\0" in data:
        raise ValueError("tmux cannot take a NUL byte")
    if _PLAIN.match(data):
        return b"'" + data + b"'"
    return b'"' + _OCTAL.sub(_octal, data) + b'"'


def encode(*command: str | bytes) -> bytes:
    """One command as one control line, without its newline. Never empty, never two commands."""
    if not command or not command[0]:
        raise ValueError("an empty command would end the control client")
    return b" ".join([quote(part) for part in command])
