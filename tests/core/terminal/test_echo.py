"""What simple output makes of a screen; that tmux makes the same of it, tests/adapters/test_echo.py tells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.terminal.echo import drawn
from paneward.core.terminal.scene import Snapshot

SIMPLE = st.sampled_from([b"a", b"some words", b" ", b"\r", b"\x08", b"\x1b[K", b"\x1b[0K", b"\x1b[?2004h"])


def box(row: str = "> ", x: int = 2, **more: object) -> Snapshot:
    return Snapshot("%1", ("above", row, ""), 40, 3, x, 1, **more)  # type: ignore[arg-type]


def shown(output: bytes, before: Snapshot | None = None) -> tuple[str, int] | None:
    after = drawn(before or box(), output)
    if after is None:
        return None
    assert (after.rows[0], after.rows[2], after.cursor_y) == ("above", "", 1)
    return after.rows[1], after.cursor_x


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (b"some words", ("> some words", 12)),
        (b"\r\x1b[K> some words ", ("> some words", 13)),
        (b"ab\x08\x1b[Kc", ("> ac", 4)),
        (b"\r\x08x", ("x", 1)),
        (b"\x1b[?2004l\x1b[?2004h", (">", 2)),
        (b"x" * 37, ("> " + "x" * 37, 39)),
    ],
)
def test_letters_and_a_row_that_is_drawn_again(output: bytes, expected: tuple[str, int]) -> None:
    assert shown(output) == expected


@pytest.mark.parametrize(
    "output",
    [
        b"one\r\ntwo",
        b"\x1b[31mred",
        "ä".encode(),
        b"x" * 38,
        b"\x1b[2K",
        b"a\tb",
        b"\x07",
        b"torn\x1b",
        b"\x1b]0;a\x07",
    ],
)
def test_what_is_more_than_that_is_for_tmux_to_know(output: bytes) -> None:
    assert shown(output) is None


@pytest.mark.parametrize(
    "before", [box("> \x1b[2mghost"), box("> ä"), box(in_mode=True), box(dead=True), Snapshot("%1", (), 40, 3, 0, 1)]
)
def test_so_is_a_screen_that_is_not_simple(before: Snapshot) -> None:
    assert shown(b"words", before) is None


@given(st.lists(SIMPLE, max_size=8), st.integers(0, 8))
def test_chunking_never_changes_what_is_drawn(parts: list[bytes], cut: int) -> None:
    first = drawn(box(), b"".join(parts[:cut]))
    twice = None if first is None else drawn(first, b"".join(parts[cut:]))
    whole = drawn(box(), b"".join(parts))
    if whole is not None and twice is not None:
        assert (twice.rows[1].rstrip(), twice.cursor_x) == (whole.rows[1].rstrip(), whole.cursor_x)
