import json
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.errors import Code, InvalidInput
from paneward.core.recording.cast import (
    CAPTION,
    LONGEST_LINE,
    OUTPUT,
    RESIZE,
    CastLine,
    Header,
    Part,
    capped,
    clipped,
    exported,
    joined,
    read_entry,
    read_part,
    written,
    written_header,
)

HEADER = Header(80, 24, 1_700_000_000.25, "worker", "20261116T084111Z", 2)
kinds = st.sampled_from([OUTPUT, RESIZE, CAPTION])
seconds = st.floats(0, 1e6)
texts = st.text(st.characters(exclude_categories=["Cs"]))
entry_lists = st.lists(st.builds(CastLine, seconds, kinds, texts))


def in_order(entries: list[CastLine]) -> list[CastLine]:
    return sorted(entries, key=lambda entry: entry.at)


def read(*lines: bytes) -> tuple[Header, list[CastLine], list[str]]:
    notes: list[str] = []
    part = read_part(lines, "x.cast", notes.append)
    return part.header, list(part.entries), notes


def refused(*lines: bytes) -> str:
    with pytest.raises(InvalidInput) as failure:
        read(*lines)
    assert failure.value.code is Code.INVALID_RECORDING
    assert failure.value.hint
    return failure.value.message


def part(began: float, *entries: CastLine, width: int = 80) -> Part:
    return Part(Header(width, 24, began), iter(entries))


# --- the format


def test_a_header_is_what_players_expect_with_our_own_beside_it() -> None:
    found = json.loads(written_header(HEADER))
    assert {name: found[name] for name in ("version", "width", "height", "timestamp", "title")} == {
        "version": 2,
        "width": 80,
        "height": 24,
        "timestamp": 1_700_000_000,
        "title": "worker",
    }
    assert found["paneward"] == {"recording": "20261116T084111Z", "part": 2, "began": 1_700_000_000.25}


def test_an_entry_is_one_line_whatever_is_in_it() -> None:
    line = written(CastLine(1.5, OUTPUT, "\x1b[1mä\r\n\u2028 ✻"))
    assert line.count(b"\n") == 1
    assert json.loads(line) == [1.5, "o", "\x1b[1mä\r\n\u2028 ✻"]
    assert "✻".encode() in line


@given(entry_lists)
def test_what_is_exported_is_read_again_and_never_runs_backwards(entries: list[CastLine]) -> None:
    header, found, notes = read(*exported(HEADER, in_order(entries)))
    assert header == HEADER
    assert notes == []
    assert [(entry.kind, entry.data) for entry in found] == [(entry.kind, entry.data) for entry in in_order(entries)]
    assert all(first.at <= second.at for first, second in pairwise(found))
    assert all(
        math.isclose(one.at, other.at, abs_tol=1e-6) for one, other in zip(found, in_order(entries), strict=True)
    )


@given(entry_lists, st.data())
def test_a_file_that_was_cut_off_anywhere_gives_all_whole_lines_and_says_so(
    entries: list[CastLine], data: st.DataObject
) -> None:
    lines = list(exported(HEADER, in_order(entries)))
    whole = b"".join(lines)
    cut = data.draw(st.integers(len(lines[0]), len(whole)))
    _, found, notes = read(*whole[:cut].splitlines(keepends=True))
    complete = whole[:cut].count(b"\n") - 1
    assert [entry.data for entry in found] == [entry.data for entry in in_order(entries)[:complete]]
    torn = not whole[:cut].endswith(b"\n")
    assert notes == (["x.cast: its last line was cut off, and is left out"] if torn else [])


def test_times_that_run_backwards_in_a_file_stand_still() -> None:
    _, found, _ = read(written_header(HEADER), b'[2, "o", "a"]\n', b'[1, "o", "b"]\n', b'[3, "o", "c"]\n')
    assert [entry.at for entry in found] == [2, 2, 3]


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense\n",
        b"{}\n",
        b'["1", "o", "a"]\n',
        b'[true, "o", "a"]\n',
        b'[-1, "o", "a"]\n',
        b'[NaN, "o", "a"]\n',
        b'[Infinity, "o", "a"]\n',
        b"[1" + b"0" * 400 + b', "o", "a"]\n',
        b'[1, "o"]\n',
        b'[1, "o", 2]\n',
        b'[1, "o", "\xff"]\n',
        b"[" * 100_000 + b"\n",
        b'[1, "o", "' + b"a" * LONGEST_LINE + b'"]\n',
    ],
)
def test_a_line_that_cannot_be_read_is_left_out_and_said(line: bytes) -> None:
    assert read_entry(line) is None
    _, found, notes = read(written_header(HEADER), line, b"\n", b'[1, "o", "kept"]\n')
    assert [entry.data for entry in found] == ["kept"]
    assert notes == ["x.cast: line 2 cannot be read, and is left out"]


def test_a_line_without_an_end_is_not_read_for_ever() -> None:
    _, found, notes = read(written_header(HEADER), b"[" * (LONGEST_LINE + 1), b'[1, "o", "a"]\n')
    assert found == []
    assert notes == ["x.cast: line 2 is too long, and left out with all behind it"]


def test_what_is_no_cast_is_refused_with_its_name_and_the_reason() -> None:
    assert refused() == "x.cast is no asciicast that can be read: it is empty"
    assert refused(b'{"version": 2').endswith("its first line was cut off")
    assert refused(b"hello\n").endswith("its first line is no header")
    assert refused(b'[1, "o", "a"]\n').endswith("its first line is no header")
    assert refused(b'{"version": 3, "term": {"cols": 80}}\n').endswith("it has version 3")
    assert refused(b'{"version": 2, "width": 0, "height": 24}\n').endswith("its size is 0 by 24")
    assert refused(b'{"version": 2, "width": true, "height": 24}\n').endswith("its size is True by 24")
    assert refused(b'{"version": 2, "width": 80}\n').endswith("its size is 80 by None")


def test_a_header_of_another_program_has_what_it_says_and_defaults() -> None:
    header, _, _ = read(b'{"version": 2, "width": 80, "height": 24, "timestamp": 7, "title": null, "paneward": 1}\n')
    assert header == Header(80, 24, 7.0)
    header, _, _ = read(b'{"version": 2, "width": 1, "height": 2, "timestamp": "x", "paneward": {"part": "a"}}\n')
    assert header == Header(1, 2)


# --- parts


def test_parts_follow_each_other_at_their_places_in_time() -> None:
    first = part(100.0, CastLine(0, OUTPUT, "a"), CastLine(5, OUTPUT, "b"))
    second = part(130.5, CastLine(0, CAPTION, "again"), CastLine(1, OUTPUT, "c"))
    assert [(entry.at, entry.data) for entry in joined([first, second])] == [
        (0, "a"),
        (5, "b"),
        (30.5, "again"),
        (31.5, "c"),
    ]


def test_a_part_of_a_clock_that_was_set_back_follows_all_the_same() -> None:
    parts = [part(100.0, CastLine(5, OUTPUT, "a")), part(90.0, CastLine(1, OUTPUT, "b"))]
    assert [entry.at for entry in joined(parts)] == [5, 6]


def test_a_part_of_another_size_begins_with_that_size() -> None:
    parts = [part(0.0, CastLine(1, RESIZE, "100x24")), part(2.0, width=100), part(3.0, CastLine(0, OUTPUT, "a"))]
    assert list(joined(parts)) == [
        CastLine(1, RESIZE, "100x24"),
        CastLine(3, RESIZE, "80x24"),
        CastLine(3, OUTPUT, "a"),
    ]


@given(st.lists(st.tuples(st.floats(0, 1e9), entry_lists)))
def test_joined_parts_never_run_backwards_and_lose_nothing(parts: list[tuple[float, list[CastLine]]]) -> None:
    found = list(joined([part(began, *in_order(entries)) for began, entries in parts]))
    assert all(first.at <= second.at for first, second in pairwise(found))
    told = [entry.data for _, entries in parts for entry in in_order(entries) if entry.kind != RESIZE]
    assert [entry.data for entry in found if entry.kind != RESIZE] == told


# --- shortened


@given(entry_lists, st.floats(0, 100))
def test_no_pause_is_longer_than_the_cap_and_nothing_is_lost(entries: list[CastLine], idle: float) -> None:
    entries = in_order(entries)
    found = list(capped(entries, idle))
    assert [(entry.kind, entry.data) for entry in found] == [(entry.kind, entry.data) for entry in entries]
    times = [0.0, *(entry.at for entry in found)]
    assert all(0 <= second - first <= idle + 1e-6 for first, second in pairwise(times))


def test_pauses_below_the_cap_stay_as_they_are() -> None:
    entries = [CastLine(1, OUTPUT, "a"), CastLine(9, OUTPUT, "b"), CastLine(10.5, OUTPUT, "c")]
    assert [entry.at for entry in capped(entries, 2)] == [1, 3, 4.5]


def test_a_piece_begins_with_all_that_was_on_the_screen() -> None:
    entries = [
        CastLine(1, OUTPUT, "a"),
        CastLine(2, CAPTION, "m"),
        CastLine(3, RESIZE, "9x9"),
        CastLine(5, OUTPUT, "b"),
    ]
    entries += [CastLine(7, CAPTION, "n"), CastLine(9, OUTPUT, "c")]
    found = list(clipped(entries, 4, 8))
    assert found == [
        CastLine(0, OUTPUT, "a"),
        CastLine(0, RESIZE, "9x9"),
        CastLine(1, OUTPUT, "b"),
        CastLine(3, CAPTION, "n"),
    ]
    assert list(clipped(entries)) == entries
