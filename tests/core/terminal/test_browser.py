import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paneward.core.terminal.browser import CAN, MOST_HELD, Pressed, TerminalFilter, Typed, strokes
from paneward.core.terminal.keys import check_keys


def shown(*chunks: bytes) -> bytes:
    """What a terminal gets, without the marks in place of what was taken out."""
    machine = TerminalFilter()
    return b"".join(machine.feed(chunk) for chunk in chunks).replace(CAN, b"")


# --- what is shown


@pytest.mark.parametrize(
    "data",
    [
        b"plain text \xc3\xa4\xe2\x9c\xbb\r\n",
        b"\x1b[1;38;2;10;20;30mcolour\x1b[0m",
        b"\x1b[2J\x1b[H\x1b[10;5Hmoved\x1b[3A\x1b[K",
        b"\x1b[?25l\x1b[?2026h\x1b[?2004h\x1b[?1049h",
        b"\x1b]0;a title\x07\x1b]2;another\x1b\\",
        b"\x1b]8;;https://example.net/a\x1b\\link\x1b]8;;\x1b\\",
        b"\x1b(B\x1b7\x1b8\x1bM",
        b"\x1b[4h\x1b[ q\x1b[2 q",
        b"non-breaking\xc2\xa0blank",
    ],
)
def test_what_only_draws_passes_unchanged(data: bytes) -> None:
    assert shown(data) == data


@pytest.mark.parametrize(
    "asks",
    [
        b"\x1b[c", b"\x1b[>0c", b"\x1b[=c", b"\x1bZ", b"\x1b[5n", b"\x1b[6n", b"\x1b[?6n", b"\x1b[x", b"\x05",
        b"\x1b[?2026$p", b"\x1b[>q", b"\x1b[18t", b"\x1b[8;50;200t", b"\x1b[?u", b"\x1b[>1u", b"\x1b[?4m",
        b"\x1b]10;?\x07", b"\x1b]4;1;?\x1b\\", b"\x1b]52;c;?\x07", b"\x1b]52;c;aGk=\x07", b"\x1b]1337;File=x\x07",
        b"\x1bP$qm\x1b\\", b"\x1bP+q544e\x1b\\", b"\x1b_Ga=q\x1b\\", b"\x1bktitle\x1b\\",
        b"\xc2\x9b6n", b"\xc2\x9d52;c;?\xc2\x9c", b"\xc2\x9a", b"\x1b]8;;javascript:alert(1)\x07",
    ],
)  # fmt: skip
def test_what_a_terminal_would_answer_or_act_on_is_taken_out(asks: bytes) -> None:
    assert shown(b"a" + asks + b"b") == b"ab"


def test_mouse_modes_are_taken_out_and_their_neighbours_stay() -> None:
    assert shown(b"\x1b[?1000h\x1b[?1002;1006h") == b""
    assert shown(b"\x1b[?25;1003;7l") == b"\x1b[?25;7l"
    assert shown(b"\x1b[?01006h") == b""


def test_taking_something_out_never_makes_a_new_sequence() -> None:
    left = TerminalFilter().feed(b"\x1b[\x1b[c6n")
    assert re.search(rb"\x1b\[6n", left) is None
    assert CAN in left


def test_controls_inside_a_sequence_are_carried_out() -> None:
    assert shown(b"\x1b[3\r\n1m") == b"\r\n\x1b[31m"
    assert shown(b"\x1b[6\nn") == b"\n"


def test_a_sequence_that_is_broken_off_does_not_swallow_the_next() -> None:
    assert shown(b"\x1b]0;title\x1b[31mred") == b"\x1b[31mred"
    assert shown(b"\x1b[3\x18text") == b"text"


@pytest.mark.parametrize("begin", [b"\x1b]0;", b"\x1b[1;", b"\x1bP"])
def test_an_endless_sequence_is_dropped_without_growing(begin: bytes) -> None:
    machine = TerminalFilter()
    for _ in range(100):
        machine.feed(begin if _ == 0 else b"1" * 1000)
    assert len(machine._held) <= MOST_HELD
    assert machine.feed(b"m\x07shown").endswith(b"shown")


PIECES = [
    b"\x1b", b"[", b"]", b"?", b"1000", b"6", b";", b"h", b"n", b"m", b"c", b"0;t", b"\x07", b"\\", b"P", b"k", b" ",
    b"\xc2", b"\x9b", b"\x9c", b"\xa0", b"\x05", b"\n", b"\x18", b"Z", b"$p", b"text", b"1" * (MOST_HELD - 3), b"8;;http://x",
]  # fmt: skip


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=25), st.data())
def test_chunking_never_changes_what_is_shown(pieces: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    machine, out, at = TerminalFilter(), b"", 0
    for cut in [*cuts, len(whole)]:
        out += machine.feed(whole[at:cut])
        at = cut
    assert out == TerminalFilter().feed(whole)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_what_was_filtered_holds_nothing_to_filter(pieces: list[bytes]) -> None:
    once = TerminalFilter().feed(b"".join(pieces)) + b"."
    assert TerminalFilter().feed(once) == once


# --- what comes back


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ("hello", [Typed("hello")]),
        ("ls\r", [Typed("ls"), Pressed(("Enter",))]),
        ("\x03", [Pressed(("C-c",))]),
        ("\x1b[A\x1bOB", [Pressed(("Up", "Down"))]),
        ("\x1b[1;5C", [Pressed(("C-Right",))]),
        ("\x1b[3~\x1b[5;2~", [Pressed(("DC", "S-PPage"))]),
        ("\x1b[Z\x7f\t", [Pressed(("BTab", "BSpace", "Tab"))]),
        ("\x1bx", [Pressed(("M-x",))]),
        ("\x1b", [Pressed(("Escape",))]),
        ("\x1f", [Pressed(("C-_",))]),
        ("\x1b[200~pasted\x1b[201~", [Typed("pasted")]),
    ],
)
def test_keys_of_a_browser_are_keys_of_tmux(data: str, wanted: list[Typed | Pressed]) -> None:
    assert list(strokes(data)) == wanted


@pytest.mark.parametrize(
    "answer",
    [
        "\x1b[?1;2c", "\x1b[0n", "\x1b[12;40R", "\x1b[1;2R", "\x1b[<0;10;5M", "\x1b[M !!", "\x1b[I", "\x1b[O",
        "\x1b]11;rgb:0000/0000/0000\x1b\\", "\x1bP1$r0m\x1b\\", "\x9b6n\x9b"[0:1],
    ],
)  # fmt: skip
def test_answers_of_the_browsers_terminal_are_never_forwarded(answer: str) -> None:
    assert list(strokes(answer)) == []


@given(st.text(st.sampled_from("\x00\x01\x03\t\r\x1b\x1c\x1f\x7f[O12358;~ABRZMx <é"), max_size=20))
def test_every_key_is_one_that_tmux_can_press_and_no_text_holds_a_control(data: str) -> None:
    for stroke in strokes(data):
        match stroke:
            case Pressed(keys):
                check_keys(keys)
            case Typed(text):
                assert re.search("[\x00-\x1f\x7f-\x9f]", text) is None
