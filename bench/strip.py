"""How fast the stripper is on agent output against the byte machine, and whether both write the same bytes.

Run by `python -m bench.strip`. Speed is the best of several rounds over the same 4 kB chunks, both in turn, in CPU time
and in samples of about the same length: a short sample escapes the load of the machine more easily than a long one.
"""

import json
import random
from itertools import pairwise
from time import process_time

from paneward.core.terminal.ansi import ByteStripper, Stripper

CHUNK = 4096
CHUNKINGS_PER_TEXT = 10
TEXT = "the file has been read and its tests pass now I will update parser config handle edge cases before commit"
WORDS = TEXT.split()
SPINNER = "✢✳✶✻✽·"
FRAGMENTS = [
    *(b"\x1b", b"\x1b[", b"\x1b]", b"\x1bP", b"\x1b_", b"\x1bk", b"\x1b(", b"\x1b\\", b"\x07", b"\x18", b"\x1a"),
    *(b"[", b"]", b"0", b"3", b";", b"?", b":", b" ", b"B", b"C", b"m", b"\r", b"\n", b"\t", b"\x00", b"\x7f", b"word"),
    *(b"\xc2", b"\x9b", b"\x9c", b"\xc2\x9b", b"\xc2\x9c", b"\xc2\x9d", b"\xe2", b"\xff", "❯".encode(), "·".encode()),
    *(
        b"\x1b[1C",
        b"\x1b[3C",
        b"\x1b[2B",
        b"\x1b[1000000000C",
        b"\x1b[38;5;246m",
        b"\x1b[K",
        b"\x1b]0;t\x07",
        b"\x1b(B",
    ),
]


def _words(rng: random.Random, most: int) -> list[str]:
    return [rng.choice(WORDS) for _ in range(rng.randint(4, most))]


def _prose(rng: random.Random) -> str:
    """A reply whose words are set apart by cursor-forward, as Claude Code writes it."""
    dot = "\x1b[38;2;255;255;255m⏺\x1b[1C\x1b[39m" if rng.random() < 0.3 else "\x1b[2C"
    return dot + "\x1b[1C".join(_words(rng, 14)) + "\r\x1b[1B"


def _tool_output(rng: random.Random) -> str:
    return f"\x1b[38;5;246m  ⎿  \x1b[39m{' '.join(_words(rng, 16))}\x1b[K\r\n"


def _diff(rng: random.Random) -> str:
    colour = rng.choice(["48;2;74;34;29", "48;2;27;67;33"])
    code = " ".join(_words(rng, 10))
    return f"\x1b[38;2;153;153;153m  {rng.randint(1, 999):>4} \x1b[{colour}m{code:<72}\x1b[49m\x1b[39m\r\n"


def _build_log(rng: random.Random) -> str:
    return f"src/core/{rng.choice(WORDS)}.py:{rng.randint(1, 400)}: \x1b[32mok\x1b[0m {' '.join(_words(rng, 12))}\r\n"


def _box(rng: random.Random) -> str:
    text = " ".join(_words(rng, 8))
    frame = "\x1b[38;5;240m"
    return f"{frame}╭{'─' * 78}╮\r\n│\x1b[39m > {text:<75}{frame}│\r\n╰{'─' * 78}╯\x1b[39m\r\n"


def _spinner(rng: random.Random) -> str:
    """One frame: back to the line, glyph, verb with a shimmer, elapsed time, down again; in a synchronised update."""
    verb = "".join(f"\x1b[38;2;{rng.randint(180, 255)};119;87m{part}" for part in ("Pon", "der", "ing…"))
    note = f"({rng.randint(1, 90)}s · ↓ {rng.randint(1, 9)}.{rng.randint(0, 9)}k tokens · esc to interrupt)"
    return (
        f"\x1b[?2026h\x1b[?25l\x1b[6A\r\x1b[38;2;215;119;87m{rng.choice(SPINNER)}\x1b[1C{verb}\x1b[39m\x1b[2C"
        f"\x1b[38;5;246m{note}\x1b[39m\x1b[K\r\x1b[6B\x1b[?2026l"
    )


def _repaint(rng: random.Random) -> str:
    """A whole frame: every line of the last one erased from below, then spinner, box and hint written anew."""
    note = f"({rng.randint(1, 90)}s · esc to interrupt)"
    erased = "\x1b[2K\x1b[1A" * 6 + "\x1b[2K\x1b[G"
    spinner = f"\x1b[38;2;215;119;87m{rng.choice(SPINNER)} Pondering… \x1b[39m\x1b[2m{note}\x1b[22m\r\n\r\n"
    return f"{erased}{spinner}{_box(rng)}\x1b[2m  ? for shortcuts\x1b[22m{' ' * 40}\x1b[2m◯ IDE\x1b[22m\r\n"


def _addressed(rng: random.Random) -> str:
    return f"\x1b[{rng.randint(1, 50)};{rng.randint(1, 20)}H\x1b[1m{' '.join(_words(rng, 8))}\x1b[22m\x1b[K"


def _title(rng: random.Random) -> str:
    return f"\x1b]0;✳ {' '.join(_words(rng, 5))}\x07"


PARTS = [_prose, _prose, _tool_output, _diff, _build_log, _box, _spinner, _spinner, _repaint, _addressed, _title]


def agent_output(size: int, seed: int = 1) -> bytes:
    """At least `size` bytes of what coding agents print, the same for the same seed."""
    rng = random.Random(seed)
    out = bytearray()
    while len(out) < size:
        out += rng.choice(PARTS)(rng).encode()
    return bytes(out)


def _seconds(machine: Stripper | ByteStripper, chunks: list[bytes], passes: int) -> float:
    """CPU seconds of one pass."""
    began = process_time()
    for _ in range(passes):
        for chunk in chunks:
            machine.feed(chunk)
    return (process_time() - began) / passes


def speeds(data: bytes, rounds: int = 12) -> tuple[float, float]:
    """MB/s of the stripper and of the byte machine."""
    chunks = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
    fast, slow = [], []
    for _ in range(rounds):
        fast.append(_seconds(Stripper(), chunks, passes=8))  # about as long as one pass of the other
        slow.append(_seconds(ByteStripper(), chunks, passes=1))
    return len(data) / min(fast) / 1e6, len(data) / min(slow) / 1e6


def _soup(rng: random.Random) -> bytes:
    """A small text of whole and broken sequences, some of it agent output."""
    pieces = [rng.choice(FRAGMENTS) for _ in range(rng.randint(2, 16))]
    return b"".join(pieces) + rng.choice(PARTS)(rng).encode()[: rng.randint(0, 60)]


def _pieces(rng: random.Random, data: bytes) -> list[bytes]:
    at = sorted(rng.randint(0, len(data)) for _ in range(rng.randint(0, 8)))
    return [data[start:end] for start, end in pairwise([0, *at, len(data)])]


def _text(machine: Stripper | ByteStripper, chunks: list[bytes]) -> bytes:
    return b"".join([*map(machine.feed, chunks), machine.flush()])


def unequal(chunkings: int, seed: int = 1) -> list[list[bytes]]:
    """The random chunkings on which the stripper does not write what the byte machine writes of the whole."""
    rng = random.Random(seed)
    wrong = []
    for done in range(chunkings):
        if done % CHUNKINGS_PER_TEXT == 0:
            data = _soup(rng)
            expected = _text(ByteStripper(), [data])
        chunks = _pieces(rng, data)
        if not _text(Stripper(), chunks) == _text(ByteStripper(), chunks) == expected:
            wrong.append(chunks)
    return wrong


def run(chunkings: int = 100_000) -> dict[str, object]:
    """Measure speed and equality; `ratio` is to be at least 7 and `unequal` 0."""
    data = agent_output(500_000)
    fast, slow = speeds(data)
    wrong = unequal(chunkings)
    return {
        "stripper_mb_per_s": round(fast, 1),
        "byte_machine_mb_per_s": round(slow, 1),
        "ratio": round(fast / slow, 2),
        "bytes_per_sequence": round(len(data) / data.count(b"\x1b"), 1),
        "chunkings": chunkings,
        "unequal": len(wrong),
        "equal": not wrong,
    }


if __name__ == "__main__":
    print(json.dumps(run()))
