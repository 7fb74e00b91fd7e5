"""Markers in the output of programs that print lines. The published cases have their published names."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.signals.detector import FLUSH_AFTER, LIMIT, Detector
from paneward.core.signals.marker import Grammar

DONE = b"--<[paneward:completed:Task done]>--"


def heard(*chunks: bytes, flush: bool = True, word: str = "paneward") -> list[tuple[str, str]]:
    detector = Detector(Grammar(word))
    found = [marker for chunk in chunks for marker in detector.feed(chunk, 0.0)]
    found += detector.flush() if flush else []
    return [(str(marker.state), marker.message) for marker in found]


# --- the published cases


def test_detector_basic_signal() -> None:
    assert heard(b"--<[schmux:completed:Task done]>--\n", flush=False) == [("completed", "Task done")]


def test_detector_chunk_split() -> None:
    detector = Detector()
    assert detector.feed(b"some output\n--<[schmux:comp", 0.0) == []
    [marker] = detector.feed(b"leted:Task done]>--\nmore output", 0.0)
    assert (marker.state, marker.message) == ("completed", "Task done")


def test_detector_flush() -> None:
    detector = Detector()
    assert detector.feed(b"--<[schmux:completed:Task done]>--", 0.0) == []
    assert [marker.message for marker in detector.flush()] == ["Task done"]
    assert detector.flush() == []


def test_detector_buffer_limit() -> None:
    detector = Detector()
    detector.feed(b"A" * 5000, 0.0)
    assert detector.pending <= LIMIT


def test_detector_ansi_in_signal() -> None:
    painted = (
        b"\x1b[?2026l\x1b[?2026h\x1b[38;2;255;255;255m\xe2\x8f\xba\x1b[1C\x1b[39m"
        b"--<[schmux:needs_input:How\x1b[1Ccan\x1b[1CI\x1b[1Chelp]>--\r\n"
    )
    assert heard(painted, flush=False) == [("needs_input", "How can I help")]


def test_detector_multiple_signals() -> None:
    output = b"--<[schmux:working:]>--\nsome output\n--<[schmux:completed:Done]>--\n"
    assert heard(output, flush=False) == [("working", ""), ("completed", "Done")]


def test_detector_near_miss_logging() -> None:
    missed: list[str] = []
    Detector(near_miss=missed.append).feed(b"I configured schmux to do something\n", 0.0)
    assert missed == []


def test_detector_near_miss_with_broken_signal() -> None:
    missed: list[str] = []
    Detector(near_miss=missed.append).feed(b"--<[schmux:completed:Taskdone\n", 0.0)
    assert missed == ["--<[schmux:completed:Taskdone"]


def test_detector_flush_timeout() -> None:
    detector = Detector()
    assert detector.feed(b"--<[schmux:completed:Done]>--", 10.0) == []
    assert not detector.should_flush(10.0 + FLUSH_AFTER - 0.01)
    assert detector.should_flush(10.0 + FLUSH_AFTER)
    assert detector.deadline() == 10.0 + FLUSH_AFTER


# --- and beyond


def test_a_marker_that_a_program_writes_slowly_is_heard_whole() -> None:
    detector = Detector()
    detector.feed(b"--<[paneward:comp", 0.0)
    assert detector.flush() == []
    assert not detector.should_flush(99.0)
    assert [marker.message for marker in detector.feed(b"leted:Task done]>--\n", 1.0)] == ["Task done"]


def test_a_flushed_marker_is_not_told_again_when_its_line_ends() -> None:
    detector = Detector()
    detector.feed(DONE, 0.0)
    assert len(detector.flush()) == 1
    assert detector.feed(b" and more\n", 1.0) == []


def test_a_line_written_over_itself_tells_a_marker_once() -> None:
    assert heard(*[b"\r" + DONE] * 50, b"\n") == [("completed", "Task done")]
    assert heard(b"\r".join([DONE] * 50)) == [("completed", "Task done")]
    assert len(heard(DONE + b" " + DONE + b"\r" + DONE + b"\n")) == 2
    assert len(heard(DONE + b"\n" + DONE + b"\n")) == 2


@pytest.mark.parametrize("before", [0, 100, LIMIT - 10, LIMIT, 40_000])
@pytest.mark.parametrize("after", [0, 100, LIMIT, 40_000])
@pytest.mark.parametrize("size", [1, 997, 65536])
def test_a_marker_in_an_overlong_line_is_heard_once_wherever_it_stands(before: int, after: int, size: int) -> None:
    line = b"x" * before + DONE + b"y" * after + b"\n"
    if size > 1 or len(line) < 5000:
        assert heard(*(line[at : at + size] for at in range(0, len(line), size))) == [("completed", "Task done")]


def test_memory_is_bounded_whatever_comes() -> None:
    detector = Detector()
    floods = [
        b"x" * 65536,
        b"\x1b]0;" + b"t" * 65536,
        b"\x1bP" + b"t" * 65536,
        b"--<[paneward:" * 5000,
        b"\xff" * 65536,
    ]
    tracemalloc.start()
    try:
        for flood in floods * 20:
            detector.feed(flood, 0.0)
            assert detector.pending <= LIMIT
        assert tracemalloc.get_traced_memory()[0] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "noise",
    [
        b"\x1b[1000000000C",
        b"\x1b[1000000000B",
        b"\xff\xfe\xe2\x28\xa1\n",
        b"\x1b[38;5\x18\n",
        b"\x00\x07\x08\n",
        b"\xc2\n",
    ],
)
def test_bad_output_before_a_marker_does_not_hide_it(noise: bytes) -> None:
    assert heard(noise + DONE + b"\n") == [("completed", "Task done")]


def test_an_unterminated_string_hides_what_it_holds_and_no_more() -> None:
    assert heard(b"\x1b]0;title " + DONE + b"\n\x1b[m" + DONE + b"\n") == [("completed", "Task done")]


def test_after_a_gap_nothing_is_put_together() -> None:
    detector = Detector()
    detector.feed(b"--<[paneward:completed:Task", 0.0)
    detector.gap()
    assert detector.feed(b" done]>--\n", 0.0) == []
    assert detector.deadline() is None


PIECES = [
    *(
        DONE,
        b"--<[schmux:error:x]y]>--",
        b"--<paneward:idle:bare>--",
        b"--<[paneward:state:message]>--",
        b"--<[paneward:",
    ),
    *(
        b"\n",
        b"\r",
        b"\r\n",
        b"text ",
        "❯ ü".encode(),
        b"\x1b[1C",
        b"\x1b[31m",
        b"\x1b]0;t\x07",
        b"\x1b[2B",
        b"`",
        b"'",
    ),
    *(b"x" * 70, b"<", b"--", b"]>--"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join), st.lists(st.integers(0, 300), max_size=8))
def test_chunking_never_changes_what_is_heard(output: bytes, cuts: list[int]) -> None:
    places = sorted({cut for cut in cuts if cut < len(output)})
    chunks = [output[a:b] for a, b in zip([0, *places], [*places, len(output)], strict=True)]
    assert heard(*chunks) == heard(output)


def test_every_chunk_boundary_of_a_painted_marker() -> None:
    painted = b"\x1b[1m\xe2\x8f\xba\x1b[1C--<[paneward:needs_input:How\x1b[1Ccan \xe2\x9c\xb3 help]>--\r\n"
    for at in range(len(painted) + 1):
        assert heard(painted[:at], painted[at:], flush=False) == [("needs_input", "How can ✳ help")]


# --- output of programs that paint


@given(st.integers(1, len(DONE) - 1))
def test_a_marker_is_found_among_what_is_skipped_wherever_it_is_cut(cut: int) -> None:
    detector = Detector()
    found = []
    for chunk in (b"a wheel\r\x1b[3", b"\x1b[1;1Ha clock " + DONE[:cut], DONE[cut:] + b"\r\n", b"a wheel\r"):
        if not detector.skips(chunk):
            found += detector.feed(chunk, 0.0)
    assert [marker.message for marker in found] == ["Task done"]


def test_what_is_skipped_is_not_joined_with_what_stood_before() -> None:
    detector = Detector()
    detector.feed(b"some words\x1b[3", 0.0)
    assert detector.skips(b"1m, red")
    assert detector.pending == 0
    assert [marker.message for marker in detector.feed(DONE + b"\n", 0.0)] == ["Task done"]
