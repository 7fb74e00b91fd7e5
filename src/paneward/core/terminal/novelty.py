"""Whether a program that paints has painted anything new, told from its output alone: a machine.

A clock that runs, a wheel that turns and a frame that is drawn again bring words that were drawn before; only their
numbers and places change. So words are compared without digits, piece by piece between escapes, and a piece that the
output breaks off is new only if nothing known begins like it. Markers end with `>--`: of what has such a sign in it,
each number counts.
"""

from typing import Final

MOST: Final = 1000  # pieces that are remembered; a program that paints more of them does not repeat itself
FRAMES: Final = 16  # outputs that are remembered as a whole: to know one of them again costs next to nothing
LARGEST: Final = 16 << 10  # bytes of such an output
LONGEST: Final = 1000  # bytes of a piece; a longer one is always new
DIGITS: Final = b"0123456789"


class Novelty:
    """Fed with output; it knows what was painted since it forgot."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()
        self._frames: set[bytes] = set()  # outputs of which every piece is known
        self._open = b""  # the piece that may go on

    def forget(self) -> None:
        self._known.clear()
        self._frames.clear()

    def feed(self, data: bytes) -> bool:
        """Whether there is something in it that was not painted before."""
        whole = self._open + data
        frame = _essence(whole)
        if frame in self._frames:
            self._open = whole[whole.rfind(b"\x1b") + 1 :]
            new = len(self._open) > LONGEST
        else:
            new = self._read(whole)
            if not new and len(frame) <= LARGEST:
                self._remember(frame)
        self._open = self._open[-LONGEST - 1 :]
        return new

    def _read(self, whole: bytes) -> bool:
        """The same, piece by piece."""
        *ended, self._open = whole.split(b"\x1b")
        new = [piece for piece in map(_essence, ended) if piece not in self._known]
        if not self._goes_on():
            new.append(_essence(self._open))
        if len(self._known) + len(new) > MOST:
            self.forget()
        self._known.update(piece for piece in new[-MOST:] if len(piece) <= LONGEST)
        return bool(new)

    def _remember(self, frame: bytes) -> None:
        if len(self._frames) >= FRAMES:
            self._frames.clear()
        self._frames.add(frame)

    def _goes_on(self) -> bool:
        """What is open may become something known."""
        start = _essence(self._open)
        if len(self._open) > LONGEST:
            return False
        return not start or start in self._known or any(piece.startswith(start) for piece in self._known)


def _essence(piece: bytes) -> bytes:
    return piece if b">" in piece else piece.translate(None, DIGITS)
