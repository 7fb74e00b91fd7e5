import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paneward.core.terminal.ansi import (
    ANYWHERE,
    MOST_BLANKS,
    MOST_NEWLINES,
    TRANSITIONS,
    ByteStripper,
    ParserState,
    Stripper,
    _strip_well_formed,
    strip,
)

Machine = type[Stripper] | type[ByteStripper]
both = pytest.mark.parametrize("machine", [Stripper, ByteStripper])

# name, input, text
PUBLISHED = [
    ("no ANSI sequences", b"Task finished successfully", "Task finished successfully"),
    (
        "cursor forward sequences replace with spaces",
        b"Task\x1b[1Cfinished\x1b[1Csuccessfully",
        "Task finished successfully",
    ),
    ("cursor forward with count", b"Hello\x1b[2CWorld", "Hello  World"),
    ("cursor down sequences replace with newlines", b"line1\x1b[1Bline2", "line1\nline2"),
    ("cursor down with count", b"line1\x1b[3Bline2", "line1\n\n\nline2"),
    ("color sequences stripped", b"\x1b[32mSuccess\x1b[0m: done", "Success: done"),
    ("DEC Private Mode sequences stripped", b"\x1b[?2026l\x1b[?2026hHello", "Hello"),
    ("OSC sequences stripped", b"\x1b]0;Window Title\x07Hello", "Hello"),
    ("OSC with ST terminator stripped", b"\x1b]0;Window Title\x1b\\Hello", "Hello"),
    ("DCS sequences stripped", b"\x1bPsome DCS content\x1b\\Hello", "Hello"),
    ("APC sequences stripped", b"\x1b_some APC content\x1b\\Hello", "Hello"),
    ("mixed cursor movements", b"\x1b[2AUp\x1b[3BDown\x1b[4CRight\x1b[5DLeft", "Up\n\n\nDown    RightLeft"),
    ("cursor forward without explicit count defaults to 1", b"A\x1b[CB", "A B"),
    ("cursor down without explicit count defaults to 1", b"A\x1b[BB", "A\nB"),
    (
        "real world Claude Code signal with DEC sequences",
        b"\r\n\x1b[?2026l\x1b[?2026h\r\x1b[8A\x1b[38;2;255;255;255m\xe2\x8f\xba\x1b[1C\x1b[39m"
        b"--<[schmux:needs_input:How\x1b[1Ccan\x1b[1CI\x1b[1Chelp]>--\r\x1b[2B",
        "\r\n\r⏺ --<[schmux:needs_input:How can I help]>--\r\n\n",
    ),
    ("empty string", b"", ""),
]

# What tmux shows for these is the same (tried where it could differ), but for C1 controls, which tmux does not know.
FURTHER = [
    ("a count of zero is one", b"a\x1b[0Cb\x1b[00Bc", b"a b\nc"),
    ("an empty first parameter is one", b"a\x1b[;5Cb", b"a b"),
    ("only the first parameter counts", b"a\x1b[2;9Cb", b"a  b"),
    ("leading zeros change nothing", b"a\x1b[0000000003Cb", b"a   b"),
    ("private forward is not a movement", b"a\x1b[?3Cb\x1b[>3Bc", b"abc"),
    ("sub-parameters are not a count", b"a\x1b[3:2Cb\x1b[3;2:1Cc", b"abc"),
    ("an intermediate makes another function", b"a\x1b[3 Cb\x1b[3;1 Cc", b"abc"),
    ("a huge count is capped", b"\x1b[1000000000C|\x1b[1000000000B", b" " * MOST_BLANKS + b"|" + b"\n" * MOST_NEWLINES),
    ("a count just above the cap", b"\x1b[1001C|\x1b[101B", b" " * 1000 + b"|" + b"\n" * 100),
    ("a count at the cap", b"\x1b[1000C|\x1b[100B", b" " * 1000 + b"|" + b"\n" * 100),
    ("a count below the cap", b"\x1b[999C|\x1b[99B", b" " * 999 + b"|" + b"\n" * 99),
    ("character sets are three bytes", b"a\x1b(Bb\x1b)0c\x1b%Gd\x1b#5e", b"abcde"),
    ("several intermediates", b"a\x1b $!0b", b"ab"),
    ("two-byte escapes", b"\x1b7a\x1b8b\x1b=c\x1b>d\x1bMe\x1bcf\x1b\\g", b"abcdefg"),
    ("SOS and PM", b"a\x1bXhidden\x1b\\b\x1b^hidden\x1b\\c", b"abc"),
    ("the window name of tmux", b"a\x1bkname\x1b\\b", b"ab"),
    ("BEL ends an OSC only", b"a\x1bPx\x07y\x1b\\b\x1b_x\x07y\x1b\\c", b"abc"),
    ("line ends inside a string are not text", b"a\x1b]0;x\r\n\ty\x07b\x1bPx\r\ny\x1b\\c", b"abc"),
    ("CAN aborts", b"a\x1b[3\x18Cb\x1b]0;t\x18c\x1bPt\x18d\x1b(\x18e\x1b\x18[f", b"aCbcde[f"),
    ("SUB aborts", b"a\x1b[3\x1aCb\x1b]0;t\x1ac\x1bPt\x1ad\x1b(\x1ae\x1b\x1a[f", b"aCbcde[f"),
    ("ESC restarts in a CSI", b"a\x1b[3\x1b[2Cb\x1b[?\x1b[2Cc", b"a  b  c"),
    ("ESC restarts in a string", b"a\x1b]0;t\x1b[2Cb\x1bPt\x1b[32mc", b"a  bc"),
    ("ESC restarts after ESC", b"a\x1b\x1b\x1b[2Cb\x1b(\x1b[2Cc", b"a  b  c"),
    ("a removed sequence never joins its neighbours", b"a\x1b[3\x1b[m5Cb\x1b[\x1b[mBc\x1b\x1b[m[Cd", b"a5CbBc[Cd"),
    ("blanks never become part of a CSI", b"a\x1b[3\x1b[1Cmb\x1b[3\x1b[2Cm", b"a mb  m"),
    ("blanks never become part of an escape", b"a\x1b\x1b[1Cmb\x1b\x1b[2Cm", b"a mb  m"),
    ("blanks after an open string are text", b"a\x1b]0;t\x1b[1Cx\x07b\x1bPt\x1b[2Cx\x1b\\c", b"a xb  xc"),
    ("controls inside a CSI are carried out", b"a\x1b[3\r\n\t\x00\x07Cb", b"a\r\n\t   b"),
    ("controls inside an escape are carried out", b"a\x1b\r[2Cb\x1b(\nBc", b"a\r  b\nc"),
    ("DEL inside a sequence is ignored", b"a\x1b[3\x7fCb\x1b\x7f[2Cc", b"a   b  c"),
    ("high bytes inside a sequence are ignored", b"a\x1b[3\xffCb\x1b[2\xc2\xb7Cc\x1b\xe2\x9d\xafxyz", b"a   b  cyz"),
    ("other controls are dropped", bytes(range(0x1B)) + b"\x1c\x1d\x1e\x1f\x7f", b"\t\n\r"),
    ("bare C1 bytes are text", b"\x80\x9b3C\x9d0;t\x07\x9c", b"\x80\x9b3C\x9d0;t\x9c"),
    ("glyphs that contain C1 bytes are text", "❯ 🛑 │─╯ ⏺ …".encode(), "❯ 🛑 │─╯ ⏺ …".encode()),
    ("characters that begin as C1 are text", "a · b\u00a0c ¿".encode(), "a · b\u00a0c ¿".encode()),
    ("eight-bit CSI", "a\u009b3Cb\u009b32mc\u009b2Bd".encode(), b"a   bc\n\nd"),
    ("eight-bit OSC and ST", "a\u009d0;t\u009cb\u009d0;t\x07c\x1b]0;t\u009cd".encode(), b"abcd"),
    ("eight-bit strings", "a\u0090t\u009cb\u0098t\u009cc\u009et\u009cd\u009ft\u009ce".encode(), b"abcde"),
    ("other C1 controls", "a\u0080\u0084\u0085\u008d\u0099\u009cb".encode(), b"ab"),
    ("C1 restarts in a sequence", "a\x1b[3\u009b2Cb\x1b]0;t\u009b2Cc\x1b\u009b2Cd".encode(), b"a  b  c  d"),
    ("C2 before something else", b"\xc2a\xc2\xc2\x9bCb\xc2\x1b[Cc\xc2\n\xc2\xff", b"\xc2a\xc2 b\xc2 c\xc2\n\xc2\xff"),
    ("C2 in a string", b"a\x1b]0;\xc2\xb7\xc2\xc2\x07b\x1bP\xc2x\xc2\x1b[Cc", b"ab c"),
    ("invalid UTF-8 passes", b"\xff\xfe\xe2\x28\xa1\xf0\x9f\xc3", b"\xff\xfe\xe2\x28\xa1\xf0\x9f\xc3"),
    ("C2 at the end", b"a\xc2", b"a\xc2"),
    ("C2 at the end of a sequence", b"a\x1b[3\xc2", b"a"),
    ("unfinished CSI", b"a\x1b[38;5", b"a"),
    ("unfinished string", b"a\x1b]0;title", b"a"),
    ("unfinished after unfinished", b"a\x1b]0;title\x1b[3\x1b", b"a"),
    ("text after an irregular last sequence", b"a\x1b[3\rCb\n", b"a\r   b\n"),
]
CASES = [pytest.param(data, text.encode(), id=name) for name, data, text in PUBLISHED] + [
    pytest.param(data, text, id=name) for name, data, text in FURTHER
]
REGULAR = [
    *(b"\x1b[%dm" % colour for colour in range(30, 38)),
    *(b"\x1b[1C", b"\x1b[2C", b"\x1b[C", b"\x1b[12;3C", b"\x1b[5000C", b"\x1b[1B", b"\x1b[3B"),
    *(b"\x1b[2K", b"\x1b[?25l", b"\x1b[4;7H", b"\x1b(B", b"\x1b7", b"\x1b]0;\xe2\x9c\xb3 t\x07", b"\x1b]8;;u\x1b\\"),
    *(b"\x1bPq\x1b\\", b"\x1bkn\x1b\\", b"text ", b"\r\n", b"\t", "╭─❯·".encode()),
]
BROKEN = [
    *(b"\x1b", b"\x1b[", b"\x1b]", b"\x1bP", b"\x1b\\", b"\x07", b"\x18", b"\x1a", b"\x00", b"\x7f"),
    *(b"\xc2", b"\x9b", b"\x9c", b"\x9d", b"\xc2\x9b", b"\xc2\x9d", b"\xc2\x9c", b"\xff", b"\xe2"),
    *(b"[", b"]", b"3", b"0", b";", b"?", b":", b" ", b"B", b"C", b"m", b"k"),
]
PIECES = REGULAR + BROKEN
soups = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=3)), max_size=40).map(b"".join)
cuts = st.lists(st.integers(0, 150), max_size=12)


def text_of(machine: Machine, chunks: list[bytes]) -> bytes:
    stripper = machine()
    return b"".join([*map(stripper.feed, chunks), stripper.flush()])


def split(data: bytes, at: list[int]) -> list[bytes]:
    return [data[start:end] for start, end in pairwise([0, *sorted(at), len(data)]) if start < end]


def single_bytes(data: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in data]


@both
@pytest.mark.parametrize(("data", "text"), CASES)
def test_the_text_is_exact_at_every_chunk_boundary(machine: Machine, data: bytes, text: bytes) -> None:
    assert text_of(machine, [data]) == text
    assert text_of(machine, single_bytes(data)) == text
    for at in range(len(data) + 1):
        assert text_of(machine, [data[:at], data[at:]]) == text, at


@pytest.mark.parametrize(("data", "text"), CASES)
def test_a_whole_text_is_stripped_in_one_call(data: bytes, text: bytes) -> None:
    assert strip(data) == text


@both
@given(data=soups, at=cuts)
@settings(max_examples=400)
def test_chunking_never_changes_the_text(machine: Machine, data: bytes, at: list[int]) -> None:
    whole = text_of(machine, [data])
    assert text_of(machine, split(data, at)) == whole
    assert text_of(machine, single_bytes(data)) == whole


@given(data=soups, at=cuts)
@settings(max_examples=1500)
def test_the_stripper_equals_the_byte_machine(data: bytes, at: list[int]) -> None:
    assert text_of(Stripper, split(data, at)) == text_of(ByteStripper, [data])


@given(st.binary(max_size=300), cuts)
@settings(max_examples=400)
def test_both_agree_on_any_bytes(data: bytes, at: list[int]) -> None:
    assert text_of(Stripper, split(data, at)) == text_of(ByteStripper, [data])


@given(st.lists(st.sampled_from(REGULAR), max_size=60).map(b"".join))
def test_regular_output_never_needs_the_byte_machine(data: bytes) -> None:
    assert _strip_well_formed(data) == text_of(ByteStripper, [data])


@given(soups)
def test_no_control_but_tab_and_line_ends_comes_out(data: bytes) -> None:
    assert not {*strip(data)} & ({*range(0x20), 0x7F} - {*b"\t\n\r"})


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])), cuts)
def test_plain_text_of_any_language_comes_out_as_it_went_in(text: str, at: list[int]) -> None:
    data = text.encode()
    assert text_of(Stripper, split(data, at)) == data


@both
def test_text_comes_out_with_the_chunk_that_completes_it(machine: Machine) -> None:
    stripper = machine()
    assert [stripper.feed(chunk) for chunk in (b"a\x1b[3", b"Cb", b"\x1b]0;t", b"\x07c\xc2", b"\xb7d")] == [
        b"a", b"   b", b"", b"c", b"\xc2\xb7d",
    ]  # fmt: skip


@both
def test_text_behind_an_irregular_sequence_is_not_held_back(machine: Machine) -> None:
    assert machine().feed(b"\x1b[3\rCdone\n") == b"\r   done\n"


@both
def test_after_a_flush_the_next_stream_begins_in_plain_text(machine: Machine) -> None:
    stripper = machine()
    for unfinished in (b"\x1b[3", b"\x1b]0;t", b"\x1b", b"\x1b(", b"\x1bP\xc2"):
        assert stripper.feed(unfinished) == b""
        assert stripper.flush() == b""
        assert stripper.feed(b"\x9bplain") == b"\x9bplain"


@both
@pytest.mark.parametrize(
    ("opening", "filling", "closing", "text"),
    [
        pytest.param(b"\x1b]52;c;", b"QUJD", b"\x07", b"", id="OSC"),
        pytest.param(b"\x1bPq", "·#0".encode(), b"\x1b\\", b"", id="DCS"),
        pytest.param("\u009f".encode(), b"\xc2\xc2a", "\u009c".encode(), b"", id="APC"),
        pytest.param(b"\x1b[", b"9999", b"C", b" " * MOST_BLANKS, id="CSI digits"),
        pytest.param(b"\x1b[2", b";0:1", b"m", b"", id="CSI parameters"),
        pytest.param(b"\x1b[", b"0000", b"2C", b"  ", id="CSI zeros"),
        pytest.param(b"\x1b[3", b"\x00\x7f\xff", b"C", b"   ", id="CSI with ignored bytes"),
        pytest.param(b"\x1b(", b"((((", b"B", b"", id="intermediates"),
        pytest.param(b"\x1b", b"\x1b\x1b", b"M", b"", id="escapes"),
    ],
)
def test_an_endless_sequence_takes_no_memory(
    machine: Machine, opening: bytes, filling: bytes, closing: bytes, text: bytes
) -> None:
    stripper, chunk = machine(), filling * 2000
    assert stripper.feed(opening) == b""
    tracemalloc.start()
    try:
        for _ in range(8):
            assert stripper.feed(chunk) == b""
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 4000
    assert stripper.feed(closing + b"|") == text + b"|"


def test_megabytes_in_one_sequence_are_read_in_one_go() -> None:
    assert strip(b"\x1b[" + b"1" * 5_000_000 + b"C|") == b" " * MOST_BLANKS + b"|"
    assert strip(b"\x1b[3;" + b"1" * 5_000_000 + b"B|") == b"\n\n\n|"
    assert strip(b"\x1b]" + b"x" * 5_000_000 + b"\x07|") == b"|"


def test_the_table_covers_every_state_and_no_sequence_is_a_trap() -> None:
    assert set(TRANSITIONS) == set(ParserState)
    assert {target for _, target in ANYWHERE} == {ParserState.GROUND, ParserState.ESCAPE}
    for opening in (b"\x1b", b"\x1b(", b"\x1b[", b"\x1b[;", b"\x1b[?", b"\x1b]", b"\x1bP"):
        assert strip(opening + b"\x18text") == b"text"
        assert strip(opening + b"\x1b[mtext") == b"text"
