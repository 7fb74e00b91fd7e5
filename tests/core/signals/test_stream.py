"""Markers in the output of programs that print and paint: each told once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.signals.memory import Sighting
from paneward.core.signals.stream import Stream


def marker(message: object) -> bytes:
    return b"--<[paneward:idle:%b]>--\r\n" % str(message).encode()


def new(stream: Stream, *chunks: bytes) -> list[str]:
    """What is told by the output alone."""
    told = [one for chunk in chunks for one in stream.feed(chunk, 0.0)]
    return [one.marker.message for one in told if one.new and one.marker.sure]


CLEARS = (b"\x1b[H\x1b[2J", b"\x1b[2J\x1b[H", b"\x1b[H\x1b[J\x1b[3J", b"\x1bc", b"\x1b[1;1H\x1b[0J")


@pytest.mark.parametrize("clear", CLEARS)
def test_a_page_that_is_drawn_again_tells_nothing_new(clear: bytes) -> None:
    stream = Stream()
    page = clear + b"".join(map(marker, range(100)))
    assert new(stream, page) == [str(number) for number in range(100)]
    assert new(stream, page * 5, page + marker(100)) == ["100"]


@pytest.mark.parametrize("clear", CLEARS)
def test_what_is_printed_after_a_clear_is_new_however_often_it_is_said(clear: bytes) -> None:
    assert new(Stream(), clear + marker("a") * 100) == ["a"] * 100


def test_rows_that_are_erased_upwards_and_drawn_again() -> None:
    stream = Stream()
    frame = marker("a") + b"words\r\n"
    assert new(stream, marker("a"), frame) == ["a", "a"]
    assert new(stream, b"\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[G" + frame) == []
    assert new(stream, b"\x1b[2F" + frame + marker("b")) == ["b"]
    assert new(stream, b"\x1b[1A\x1b[999999999A" + marker("b")) == []


def test_a_line_that_was_begun_elsewhere_is_for_the_screen() -> None:
    stream = Stream()
    unsure = (b"\x1b[5;3H", b"words\x1b[3C", b"\x08", b"\x1b[9G", b"\x1b8", b"\x1b[u", b"\x1b[7d", b"words\x1b[1A")
    for move in unsure:
        assert [one.marker.sure for one in stream.feed(move + marker("x"), 0.0)] == [False], move
    for move in (b"\r", b"\x1b[G", b"\x1b[1G", b"\x1b[7;1H", b"\x1b[2K", b"\x1b[31m", b"\x1b]0;t\x07", b"\x1b[1;20r"):
        assert [one.marker.sure for one in stream.feed(move + marker("y"), 0.0)] == [True], move


def test_a_marker_that_ends_where_the_cursor_leaves_its_row() -> None:
    row = marker("a").strip()
    assert new(Stream(), b"\x1b[1;1H" + row + b"\x1b[2;1H" + row + b"\x1b[3;1H") == ["a"]


def test_the_alternate_screen_in_and_out() -> None:
    stream = Stream()
    paints = b"\x1b[?1049h\x1b[H\x1b[2J" + marker("b") + b"\x1b[?1049l"
    assert new(stream, marker("a"), paints, paints, marker("a")) == ["a", "b", "a"]


def test_what_is_skipped_moves_the_cursor_too() -> None:
    stream = Stream()
    assert new(stream, marker("a") + b"two\r\n") == ["a"]
    assert stream.skips(b"three\r\n")
    assert stream.skips(b"\x1b[3A")
    assert new(stream, marker("a")) == []


def test_a_sequence_that_is_cut_in_two_is_skipped_and_moves_the_cursor_too() -> None:
    stream = Stream()
    assert new(stream, marker("a") + b"two\r\n") == ["a"]
    assert stream.skips(b"three\r\n\x1b[")
    assert stream.skips(b"3A")
    assert new(stream, marker("a")) == []
    assert not stream.skips(b"-\x1b[")
    assert new(stream, b"-\x1b[", b"1m" + marker("b")[1:]) == ["b"]


def test_what_the_screen_has_told_may_be_drawn_again() -> None:
    stream = Stream()
    stream.seen(Sighting("idle:a"))
    assert stream.accounts_for(Sighting("idle:a"), [Sighting("idle:a")], 24)
    assert not stream.accounts_for(Sighting("idle:a"), [Sighting("idle:a")] * 2, 24)
    assert new(stream, b"\x1b[H" + marker("a") * 2) == ["a"]
    stream.feed(b"\x1b[H", 0.0)
    stream.begin_turn()
    assert new(stream, marker("a")) == ["a"]


def test_what_scrolled_away_does_not_account_for_what_is_shown() -> None:
    stream = Stream()
    assert new(stream, marker("a") + b"\n" * 10) == ["a"]
    assert stream.accounts_for(Sighting("idle:a"), [Sighting("idle:a")], 24)
    stream.feed(b"more\n" * 30, 0.0)
    assert not stream.accounts_for(Sighting("idle:a"), [Sighting("idle:a")], 24)


def test_what_stood_there_at_the_start_may_be_drawn_again() -> None:
    stream = Stream()
    stream.seed("one\ntwo\nthree", [(1, Sighting("idle:a"))])
    assert new(stream, b"\x1b[1A\r" + marker("a") * 2) == ["a"]


def test_an_unfinished_line_is_told_in_time_and_a_gap_forgets_it() -> None:
    stream = Stream()
    stream.feed(marker("a").strip(), 1.0)
    assert stream.deadline() == 1.5
    assert stream.should_flush(1.5)
    assert [one.marker.message for one in stream.flush()] == ["a"]
    stream.feed(marker("a")[:9] + b"\x1b[", 1.0)
    stream.gap()
    assert new(stream, marker("a")[9:]) == []


PIECES = [
    *(marker(1), marker(2), marker(3).strip(), b"words\r\n", b"\r\n", b"\r", b"\x08", b"\x1b[31m"),
    *(b"\x1b[H", b"\x1b[2J", b"\x1b[J", b"\x1b[2A", b"\x1b[F", b"\x1b[3;5H", b"\x1b[4C", b"\x1b[G", b"\x1bM", b"\x1b8"),
    *(b"\x1b[?1049h", b"\x1b[?1049l", b"\x1bc", b"\x1b[2;9r", b"\x1b]0;title\x07"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join), st.lists(st.integers(0, 300), max_size=8))
def test_chunking_never_changes_what_is_told(output: bytes, cuts: list[int]) -> None:
    places = sorted({cut for cut in cuts if cut < len(output)})
    chunks = [output[a:b] for a, b in zip([0, *places], [*places, len(output)], strict=True)]

    def told(*pieces: bytes) -> list[tuple[str, bool, bool]]:
        stream = Stream()
        found = [*(one for piece in pieces for one in stream.feed(piece, 0.0)), *stream.flush()]
        return [(one.marker.message, one.new, one.marker.sure) for one in found]

    assert told(*chunks) == told(output)
