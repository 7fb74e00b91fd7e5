"""HTTP on the Unix socket of a server: functions to listen and connect, and a machine that reads one answer.

The socket lies in the state directory, which is its owner's alone, and the kernel says whose process listens there: so
a server has proven itself before it is sent a token. A port proves nothing: whoever binds it next would be sent it.

Every command that asks a server loads this, so it imports next to nothing: `http.client` costs as much as all the rest.
"""

import contextlib
import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

SOCKET = "server.sock"
LONGEST = 100  # characters of a path that fit into the address of a Unix socket (108 on Linux, 104 elsewhere)
PIECE = 1 << 16
HEAD = 1 << 16  # bytes of a head, beyond which no server of ours answers


class Stranger(Exception):
    """Somebody else listens on our socket."""

    def __init__(self, user: int) -> None:
        super().__init__(f"a process of user {user} listens")
        self.user = user


class BrokenAnswer(Exception):
    """The answer ended too early, or is none."""


def connect(directory: Path) -> socket.socket:
    """A connection to the server of this state directory, whose process is ours. `OSError` where none listens."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _address(directory) as address:
            sock.connect(address)
        user = _peer(sock)
        if user != os.geteuid():
            raise Stranger(user)
    except BaseException:
        sock.close()
        raise
    return sock


@contextlib.contextmanager
def listening(directory: Path, backlog: int) -> Iterator[socket.socket]:
    """The socket of a server, in place of one that was left behind; gone at the end."""
    own = f"{SOCKET}.{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        with contextlib.suppress(FileNotFoundError):
            (directory / own).unlink()
        with _address(directory, own) as address:
            sock.bind(address)
        os.chmod(directory / own, 0o600)
        sock.listen(backlog)
        made = (directory / own).stat().st_ino
        (directory / own).replace(directory / SOCKET)
        try:
            yield sock
        finally:
            with contextlib.suppress(OSError):
                if (directory / SOCKET).stat().st_ino == made:
                    (directory / SOCKET).unlink()


@contextlib.contextmanager
def _address(directory: Path, name: str = SOCKET) -> Iterator[str]:
    """A path that fits into an address: a long one is gone by way of its directory."""
    if len(os.fsencode(directory / name)) <= LONGEST:
        yield str(directory / name)
        return
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{name}"
    finally:
        os.close(folder)


def _peer(sock: socket.socket) -> int:
    """The user whose process listens, as the kernel knows it."""
    said = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", said)
    return int(user)


def request(method: str, target: str, token: str, body: bytes | None) -> bytes:
    """One request; the server closes the connection behind its answer."""
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines += [f"Authorization: Bearer {token}"] if token else []
    lines += [] if body is None else ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")


class HttpAnswer:
    """One answer, read as it comes. `TimeoutError` leaves it whole: it can be read on."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._held = b""
        self._left: int | None = 0  # bytes until the end of the body, or of a chunk; none: until the connection ends
        self._chunked = False
        self.status = 0

    def head(self) -> int:
        """Read the head; the status."""
        while b"\r\n\r\n" not in self._held:
            self._more()
            if len(self._held) > HEAD:
                raise BrokenAnswer("its head has no end")
        head, _, self._held = self._held.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        status = first.split(" ")[1:2]
        if not first.startswith("HTTP/1.") or not status or not status[0].isdecimal():
            raise BrokenAnswer(f"it says {first[:80]!r}")
        self.status = int(status[0])
        self._chunked = fields.get("transfer-encoding", "").lower() == "chunked"
        length = fields.get("content-length", "")
        self._left = 0 if self._chunked else int(length) if length.isdecimal() else None
        return self.status

    def timeout(self, seconds: float | None) -> None:
        """How long each further read may take."""
        self._sock.settimeout(seconds)

    def body(self) -> bytes:
        return b"".join(iter(self.piece, b""))

    def piece(self) -> bytes:
        """The next bytes of the body; none at its end."""
        if self._left == 0 and (not self._chunked or not self._next_chunk()):
            return b""
        if not self._held:
            try:
                self._more()
            except BrokenAnswer:
                if self._left is None:
                    return b""
                raise
        piece = self._held if self._left is None else self._held[: self._left]
        self._held = self._held[len(piece) :]
        self._left = None if self._left is None else self._left - len(piece)
        return piece

    def lines(self) -> Iterator[str | None]:
        """The lines of a stream; none where the time-out of the connection passed without one."""
        rest = b""
        while True:
            try:
                piece = self.piece()
            except TimeoutError:
                yield None
                continue
            if not piece:
                return
            *whole, rest = (rest + piece).split(b"\n")
            yield from (line.decode("utf-8", "replace").removesuffix("\r") for line in whole)

    def _next_chunk(self) -> bool:
        """Whether there is one; its size is what is left."""
        line = self._line() or self._line()  # a chunk ends with an empty line
        try:
            self._left = int(line.partition(b";")[0], 16)
        except ValueError:
            raise BrokenAnswer(f"a chunk begins with {line[:40]!r}") from None
        if self._left == 0:
            self._chunked = False
        return self._left > 0

    def _line(self) -> bytes:
        while b"\n" not in self._held:
            self._more()
        line, _, self._held = self._held.partition(b"\n")
        return line.strip()

    def _more(self) -> None:
        piece = self._sock.recv(PIECE)
        if not piece:
            raise BrokenAnswer("it hung up")
        self._held += piece
