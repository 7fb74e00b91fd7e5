"""What is painted again is told from what is new, however the output is cut."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from paneward.core.terminal.novelty import FRAMES, LONGEST, MOST, Novelty


def frame(tick: int, *words: str) -> bytes:
    rows = ("a screen that is painted anew", f"{tick} s", *words)
    return b"".join(f"\x1b[{row};1H\x1b[2K{text}".encode() for row, text in enumerate(rows, 1)) + b"\x1b[24;1H"


def cut(data: bytes, places: list[int]) -> list[bytes]:
    return [data[start:end] for start, end in pairwise([0, *sorted(place % len(data) for place in places), len(data)])]


CUTS = st.lists(st.integers(0, 1 << 16), max_size=9)


@given(CUTS)
def test_a_frame_that_is_drawn_again_is_not_new(places: list[int]) -> None:
    novelty = Novelty()
    assert novelty.feed(frame(7))
    assert not any(novelty.feed(part) for part in cut(frame(138) + frame(1139), places) if part)


@given(CUTS)
def test_a_word_that_was_not_there_before_is_new(places: list[int]) -> None:
    novelty = Novelty()
    novelty.feed(frame(7))
    told = [novelty.feed(part) for part in cut(frame(8, "Do you want to proceed?"), places)]
    assert any(told)


def test_wheels_are_known_after_one_turn() -> None:
    novelty = Novelty()
    turn = [f"\x1b[12;1H{sign} Thinking… ({second}s)".encode() for second, sign in enumerate("✢✳✶✻✽")]
    assert [novelty.feed(step) for step in turn * 4] == [True] * len(turn) + [False] * len(turn) * 3


@given(CUTS)
def test_a_marker_is_new_although_only_its_number_is(places: list[int]) -> None:
    novelty = Novelty()
    novelty.feed(frame(7, "--<[paneward:needs_input:question 41]>--"))
    told = [novelty.feed(part) for part in cut(frame(8, "--<[paneward:needs_input:question 42]>--"), places)]
    assert any(told)
    assert not novelty.feed(frame(9, "--<[paneward:needs_input:question 42]>--"))


def test_lines_that_differ_are_new_and_what_was_forgotten_is_too() -> None:
    novelty = Novelty()
    assert [novelty.feed(line) for line in (b"one\r\n", b"two\r\n", b"three\r\n")] == [True, True, True]
    novelty.feed(frame(1))
    assert not novelty.feed(frame(2))
    novelty.forget()
    assert novelty.feed(frame(3))


def test_it_does_not_grow() -> None:
    novelty = Novelty()
    for number in range(3 * MOST):
        assert novelty.feed(b"\x1b[1m" + chr(0x4E00 + number).encode())
    assert novelty.feed(b"x" * 10 * LONGEST)
    assert novelty.feed(b"x" * 10 * LONGEST), "what is too long is always new"
    assert len(novelty._known) <= MOST
    assert len(novelty._open) <= LONGEST + 1


def test_digits_without_end_are_not_held() -> None:
    novelty = Novelty()
    novelty.feed(b"\x1b[1mpi: 3.")
    told = [novelty.feed(b"1415926535") for _ in range(LONGEST)]
    assert any(told)
    assert len(novelty._open) <= LONGEST + 1


@given(st.lists(st.sampled_from([b"\x1b[", b"1", b"2;", b"H", b"a", b"bc", b">", b"\x1b"]), max_size=60), CUTS)
def test_a_frame_known_as_a_whole_is_judged_as_its_pieces_are(parts: list[bytes], places: list[int]) -> None:
    novelty, plain = Novelty(), Novelty()
    data = b"".join(parts) + b"\x1b[H"
    for part in [data, data, *cut(data * 2, places), data]:
        plain._frames.clear()
        assert novelty.feed(part) == plain.feed(part)


def test_frames_are_forgotten_with_their_pieces() -> None:
    novelty = Novelty()
    for _ in range(3):
        novelty.feed(frame(1))
    novelty.forget()
    assert novelty.feed(frame(2))
    for number in range(3 * FRAMES):
        words = f"{'ab' * (number + 1)}"
        assert [novelty.feed(frame(1, words)) for _ in range(3)] == [True, False, False]
    assert len(novelty._frames) <= FRAMES
