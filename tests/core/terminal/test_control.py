"""The language of a control client: framing that cannot be forged, events that do not depend on the chunks."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.terminal.control import (
    BrokenStream,
    ClientExit,
    CommandReply,
    Continued,
    Control,
    Event,
    Notification,
    Output,
    Paused,
    SessionChanged,
    StrayFailure,
    encode,
    joined,
    notice,
    pane_sizes,
    quote,
    unescape,
)

NONCE = b"pw0123456789abcdef"


def block(number: int, *body: bytes, ok: bool = True, flag: int = 1) -> bytes:
    tail = b" 1700000000 %d %d\n" % (number, flag)
    return b"%begin" + tail + b"".join(line + b"\n" for line in body) + (b"%end" if ok else b"%error") + tail


def plain(*stream: bytes, commands: int = 1) -> list[Event]:
    control = Control()
    for _ in range(commands):
        control.expect_plain()
    return control.feed(b"".join(stream))


def framed(*stream: bytes) -> list[Event]:
    control = Control()
    control.expect_framed(NONCE)
    return control.feed(b"".join(stream))


def test_a_plain_reply_is_the_first_block_of_ours() -> None:
    assert plain(block(7, b"one", b"two")) == [CommandReply(True, [b"one", b"two"])]


def test_a_failed_command_is_a_reply_with_tmux_words() -> None:
    assert plain(block(7, b"can't find pane: %9", ok=False)) == [CommandReply(False, [b"can't find pane: %9"])]


def test_replies_come_in_the_order_of_the_commands() -> None:
    replies = plain(block(7, b"a"), block(8, b"b", ok=False), block(9), commands=3)
    assert replies == [CommandReply(True, [b"a"]), CommandReply(False, [b"b"]), CommandReply(True, [])]


def test_what_others_asked_is_no_reply_of_ours() -> None:
    assert plain(block(6, b"not ours", flag=0), block(7, b"ours")) == [CommandReply(True, [b"ours"])]


def test_a_refused_attach_is_told() -> None:
    assert plain(block(6, b"no sessions", ok=False, flag=0)) == [StrayFailure("no sessions")]


def test_a_block_that_nobody_waits_for_is_dropped() -> None:
    assert Control().feed(block(7, b"x") + b"%sessions-changed\n") == [Notification("sessions-changed", "")]


def test_only_the_end_with_the_same_numbers_ends_a_plain_block() -> None:
    assert plain(b"%begin 5 7 1\n%end 5 8 1\n%error 5 6 1\n%end 5 7 1\n") == [
        CommandReply(True, [b"%end 5 8 1", b"%error 5 6 1"])
    ]


def test_notifications_are_heard_between_and_inside_plain_blocks() -> None:
    inside = b"%begin 5 7 1\n%pause %3\nbody\n%continue %3\n%end 5 7 1\n"
    assert plain(b"%output %1 x\n", inside, b"%exit\n") == [
        Output("%1", b"x"),
        Paused("%3"),
        Continued("%3"),
        CommandReply(True, [b"body"]),
        ClientExit(""),
    ]


def test_a_pane_id_in_a_reply_is_text() -> None:
    assert plain(block(7, b"%0", b"%12")) == [CommandReply(True, [b"%0", b"%12"])]


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (b"%output %1 a\\012\\134b", Output("%1", b"a\n\\b")),
        (b"%output %1 ", Output("%1", b"")),
        (b"%extended-output %2 17 : x : y\\015", Output("%2", b"x : y\r")),
        (b"%pause %1", Paused("%1")),
        (b"%continue %1", Continued("%1")),
        (b"%session-changed $3 my name", SessionChanged("$3")),
        (b"%exit too far behind", ClientExit("too far behind")),
        (b"%window-close @4", Notification("window-close", "@4")),
        (b"%0", None),
        (b"words", None),
        (b"", None),
    ],
)
def test_each_notification_is_read(line: bytes, event: Event | None) -> None:
    assert notice(line) == event


@given(st.binary())
def test_octal_digits_are_undone_exactly(data: bytes) -> None:
    told = b"".join(b"\\%03o" % byte if byte < 32 or byte == 92 else bytes([byte]) for byte in data)
    assert unescape(told) == data


# --- framed replies


def framed_stream(body: list[bytes], trailer: bytes | None = None, ok: bool = True, after: bytes = b"") -> bytes:
    second = b"" if trailer is None else block(8, NONCE + b" " + trailer)
    return block(7, *body, ok=ok) + second + after + block(9, NONCE)


def test_a_framed_reply_has_body_and_trailer() -> None:
    assert framed(framed_stream([b"row"], b"%1|80")) == [CommandReply(True, [b"row"], b"%1|80")]


def test_an_error_drops_the_rest_of_its_line() -> None:
    assert framed(framed_stream([b"can't find pane"], ok=False)) == [CommandReply(False, [b"can't find pane"])]


def test_the_words_of_a_later_command_of_the_line_are_kept() -> None:
    stream = block(7) + block(8, b"no buffer x", ok=False) + block(9, NONCE)
    assert framed(stream) == [CommandReply(True, [], None, b"no buffer x")]


def test_output_after_the_captured_screen_comes_after_the_reply() -> None:
    stream = b"%output %1 before\n" + framed_stream([b"row"], b"t", after=b"%output %1 after\n%pause %1\n")
    assert framed(stream) == [
        Output("%1", b"before"),
        CommandReply(True, [b"row"], b"t"),
        Output("%1", b"after"),
        Paused("%1"),
    ]


def test_a_trailer_of_two_lines_is_one_message() -> None:
    assert framed(framed_stream([], b"name\nwith newline")) == [CommandReply(True, [], b"name\nwith newline")]


FORGERIES = [
    b"%end 1700000000 7 1",
    b"%error 1700000000 7 1",
    b"%begin 1700000000 8 1",
    b"%end 1700000000 8 1",
    b"%begin 1700000000 9 1",
    b"%end 1700000000 9 1",
    b"%output %1 forged",
    b"%exit",
    b"%pause %1",
    b"pw0123456789abcde",
    b"",
    b"text",
]


@given(
    st.lists(st.sampled_from(FORGERIES)), st.one_of(st.none(), st.sampled_from([b"%1|x", b"a\n%end 1700000000 7 1"]))
)
def test_no_screen_can_forge_the_end_of_its_own_reply(body: list[bytes], trailer: bytes | None) -> None:
    assert framed(framed_stream(body, trailer)) == [CommandReply(True, body, trailer)]


@given(st.lists(st.sampled_from(FORGERIES)))
def test_the_next_reply_is_not_touched_by_a_forgery(body: list[bytes]) -> None:
    control = Control()
    control.expect_framed(NONCE)
    control.expect_plain()
    events = control.feed(framed_stream(body, b"t") + block(10, b"next"))
    assert events == [CommandReply(True, body, b"t"), CommandReply(True, [b"next"])]
    assert control.due == 0


def test_an_answer_without_an_end_is_a_failure_not_a_crash() -> None:
    stream = b"%begin 1 7 1\nbody\n%begin 1 9 1\n" + NONCE + b"\n%end 1 9 1\n"
    assert framed(stream) == [CommandReply(False, [b"tmux's answer has no end"])]


# --- chunks, garbage, bounds

PIECES = [
    *(line + b"\n" for line in FORGERIES),
    block(3, b"x", flag=0),
    block(4, b"body", b"%1"),
    framed_stream([b"%end 1700000000 7 1", b"row"], b"t", after=b"%output %1 \\033[1m\xc3\xa9\n"),
    b"%begin 1 2",
    b"\xff\xfe%",
]


def told(chunks: list[bytes]) -> list[Event]:
    control = Control()
    for _ in range(3):
        control.expect_plain()
        control.expect_framed(NONCE)
    return [event for chunk in chunks for event in control.feed(chunk)]


@given(st.lists(st.sampled_from(PIECES)).map(b"".join), st.lists(st.integers(0, 2000)))
def test_chunking_never_changes_the_events(stream: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    assert told([stream[a:b] for a, b in itertools.pairwise(edges)]) == told([stream])


@given(st.lists(st.binary()))
def test_garbage_never_crashes(chunks: list[bytes]) -> None:
    told(chunks)


@given(st.lists(st.sampled_from([b"%begin ", b"%end ", b"1 1 1", b"\n", b" ", NONCE, b"\\9", b"%output ", b"\\"])))
def test_near_misses_never_crash(pieces: list[bytes]) -> None:
    told([b"".join(pieces)])


def test_a_line_that_never_ends_is_given_up_within_bounds() -> None:
    control = Control(line_limit=1000)
    events = [event for _ in range(100) for event in control.feed(b"x" * 100)]
    assert events == [BrokenStream("tmux sent a line or a reply without end")]


def test_a_reply_that_never_ends_is_given_up_within_bounds() -> None:
    for expect in ("expect_plain", "expect_framed"):
        control = Control(span_limit=1000)
        getattr(control, expect)(*([NONCE] if expect == "expect_framed" else []))
        control.feed(b"%begin 1 2 1\n")
        events = [event for _ in range(100) for event in control.feed(b"x" * 100 + b"\n")]
        assert events == [BrokenStream("tmux sent a line or a reply without end")]


# --- what we send


def tmux_parses(line: bytes) -> list[bytes]:
    """tmux's own reading of a quoted line, as its manual tells it."""
    words: list[bytes] = []
    for single, double, bare in re.findall(rb"'([^']*)'|\"((?:[^\"\\]|\\[0-7]{3})*)\"|([^ '\"]+)", line):
        unquoted = re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found[1], 8)]), double)
        words.append(single or unquoted or bare)
    return words


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_every_argument_survives_quoting(text: str) -> None:
    line = encode("send-keys", text)
    assert tmux_parses(line) == [b"send-keys", text.encode()]
    assert b"\n" not in line


@pytest.mark.parametrize("text", ["", "a;", ";", "~", "$HOME", "#{x}", "%if", "a=b", "{", "-l", "'", '"', "\\", "a b"])
def test_nothing_that_means_something_to_tmux_goes_unquoted(text: str) -> None:
    word = quote(text)
    assert word == text.encode() == b"-l" or word[:1] in b"'\""


def test_undecodable_bytes_are_sent_as_they_came() -> None:
    assert quote(b"\xff".decode("utf-8", "surrogateescape")) == b"'\xff'"


def test_what_would_end_the_client_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        encode()
    with pytest.raises(ValueError, match="empty"):
        encode("")
    with pytest.raises(ValueError, match="NUL"):
        encode("send-keys", "a\0")


@pytest.mark.parametrize(
    ("args", "sizes"),
    [
        ("@0 b25d,80x24,0,0,3 b25d,80x24,0,0,3 *", {"%3": (80, 24)}),
        (
            "@0 x 6b8b,100x30,0,0{50x30,0,0,0,49x30,51,0[49x10,51,0,1,49x19,51,11,12]} *",
            {"%0": (50, 30), "%1": (49, 10), "%12": (49, 19)},
        ),
        ("@0 6b8b,100x30,0,0{50x30,0,0,0,49x30,51,0,1} a87e,100x30,0,0,1 *Z", {"%1": (100, 30)}),
        ("@0", {}),
        ("", {}),
    ],
)
def test_a_layout_tells_the_sizes_of_the_panes_that_are_shown(args: str, sizes: dict[str, tuple[int, int]]) -> None:
    assert pane_sizes(args) == sizes


def test_what_a_pane_prints_until_something_else_comes_is_one_piece() -> None:
    a, b, said = Output("%1", b"a"), Output("%2", b"b"), CommandReply(True, [b"x"])
    assert joined([a, b, a, b, said, a, said]) == [Output("%1", b"aa"), Output("%2", b"bb"), said, a, said]


@given(st.lists(st.sampled_from([Output("%1", b"ab"), Output("%1", b""), Output("%2", b"c"), CommandReply(True, [])])))
def test_joining_leaves_what_each_pane_printed_and_the_replies_in_between(events: list[Event]) -> None:
    def stream(some: list[Event], pane: str) -> list[object]:
        """The bytes of one pane one by one, and the replies where they stand."""
        of = [one.data if isinstance(one, Output) else one for one in some if getattr(one, "pane", pane) == pane]
        return [piece for one in of for piece in (one if isinstance(one, bytes) else [one])]

    for pane in ("%1", "%2"):
        assert stream(joined(events), pane) == stream(events, pane)
    assert joined(joined(events)) == joined(events)


def test_what_panes_print_in_turn_is_one_piece_each_and_a_broken_line_is_left_as_it_came() -> None:
    said = (b"%extended-output %1 0 : a\\012", b"%extended-output %2 0 : x", b"%extended-output %1 3 : b : c\\134")
    control = Control()
    assert control.feed(b"\n".join(said) + b"\n%window-add @1\n%extended-output %1 0 : \\x\n") == [
        Output("%1", b"a\nb : c\\"),
        Output("%2", b"x"),
        Notification("window-add", "@1"),
        Output("%1", b"\\x"),
    ]
