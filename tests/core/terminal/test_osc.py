"""OSC in raw output: found at any chunk boundary, with bounded memory."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paneward.core.terminal.osc import LONGEST, Osc, OscReader, ProgramStatus, Status, read_progress, read_status

PIECES = st.sampled_from(
    [
        *(b"\x1b", b"]", b"\\", b"\x07", b"\x18", b";", b"0", b"7501", b"text", b"\n", "⠋ work".encode(), b"\x1b[1m"),
        *(b"\x1b]0;title\x07", b"\x1b]2;other\x1b\\", b"\x1b]7501;state=done\x1b\\", b"\x1bP", b"x" * (LONGEST // 2)),
    ]
)


def read_bytes(data: bytes) -> list[Osc]:
    """The reference: one byte at a time."""
    found: list[Osc] = []
    inside, escaped, text = False, False, b""
    for byte in data:
        if escaped and byte == ord("\\") and inside:
            found += _command(text)
        if escaped:
            inside, text = byte == ord("]"), b""
            escaped = byte == 0x1B
            continue
        if byte == 0x1B:
            escaped = True
        elif byte in (0x07, 0x18, 0x1A):
            found += _command(text) if inside and byte == 0x07 else []
            inside = False
        elif inside:
            text += bytes([byte])
    return found


def _command(text: bytes) -> list[Osc]:
    code, _, rest = text.partition(b";")
    if not code.isdigit() or len(code) > 5 or len(text) > LONGEST - 2:
        return []
    plain = "".join(char for char in rest.decode("utf-8", "replace") if ord(char) >= 0x20 and char != "\x7f")
    return [Osc(int(code), plain)]


@given(st.lists(PIECES, max_size=30))
def test_every_command_is_found_that_a_terminal_would_find(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    reader = OscReader()
    short = [osc for osc in reader.feed(data) if len(osc.text) < LONGEST // 2]
    assert short == [osc for osc in read_bytes(data) if len(osc.text) < LONGEST // 2]


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=20), st.lists(st.integers(0, 400), max_size=12))
def test_chunking_never_changes_what_is_found(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(piece for piece in pieces if len(piece) < 100)
    marks = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    split = OscReader()
    found = [osc for start, end in pairwise(marks) for osc in split.feed(data[start:end])]
    assert found == OscReader().feed(data) == read_bytes(data)


@given(st.lists(PIECES, max_size=40))
def test_byte_by_byte_memory_stays_bounded(pieces: list[bytes]) -> None:
    reader = OscReader()
    for piece in pieces:
        reader.feed(piece)
        assert len(reader._carried) <= LONGEST + 1


def test_a_sequence_that_is_too_long_is_skipped_and_the_next_one_heard() -> None:
    reader = OscReader()
    assert reader.feed(b"\x1b]52;c;" + b"A" * LONGEST) == []
    assert reader.feed(b"A" * LONGEST) == []
    assert reader.feed(b"AA\x1b") == []
    assert reader.feed(b"\\\x1b]2;on\x07") == [Osc(2, "on")]


def test_a_gap_ends_what_was_begun() -> None:
    reader = OscReader()
    reader.feed(b"\x1b]2;half a ti")
    reader.gap()
    assert reader.feed(b"tle\x07") == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("state=working:app=codex", Status(ProgramStatus.WORKING)),
        ("state=blocked:app=codex:kind=permission", Status(ProgramStatus.BLOCKED, "permission")),
        ("state=idle", Status(ProgramStatus.IDLE)),
        ("?", None),
        ("state=bored", None),
        ("", None),
    ],
)
def test_program_status_is_read(text: str, meant: Status | None) -> None:
    assert read_status(Osc(7501, text)) == meant
    assert read_status(Osc(7502, text)) is None


@pytest.mark.parametrize(
    ("osc", "shown"),
    [
        (Osc(9, "4;1;50"), True),
        (Osc(9, "4;3"), True),
        (Osc(9, "4;0;0"), False),
        (Osc(9, "4;2;10"), None),
        (Osc(9, "a notice"), None),
        (Osc(7, "4;1"), None),
    ],
)
def test_progress_is_read(osc: Osc, shown: bool | None) -> None:
    assert read_progress(osc) is shown


def test_a_command_that_may_go_on_is_open() -> None:
    reader = OscReader()
    assert not reader.open
    reader.feed(b"\x1b]0;a ti")
    assert reader.open
    assert [osc.text for osc in reader.feed(b"tle\x07")] == ["a title"]
    assert not reader.open
    reader.feed(b"\x1b]52;" + b"x" * 2 * LONGEST)
    assert reader.open
