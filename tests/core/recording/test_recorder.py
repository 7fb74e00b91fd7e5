import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paneward.core.recording.cast import Header
from paneward.core.recording.recorder import (
    GAP,
    Backdrop,
    KeptRecording,
    Limits,
    Next,
    RecordingEnd,
    Room,
    Scribe,
    file_name,
    is_name,
    judged,
    order,
    painted,
    to_remove,
)
from paneward.core.terminal.browser import TerminalFilter
from paneward.core.terminal.scene import Snapshot

SEEN = Snapshot("%1", ("one", "\x1b[1mtwo", "three"), 10, 3, 3, 1)
HEADER = Header(10, 3, 100.0, "worker", "20261116T084111Z")
LIMITS = Limits(part=100, recording=500, total=1000, age=60.0)


def entries(lines: bytes) -> list[Any]:
    return [json.loads(line) for line in lines.splitlines()]


def begun(why: str = "") -> Scribe:
    scribe = Scribe()
    scribe.begin(HEADER, SEEN, None, 50.0, why)
    return scribe


def text_of(lines: list[bytes]) -> str:
    return "".join(entry[2] for entry in entries(b"".join(lines)))


# --- the machine


def test_a_part_begins_with_its_header_and_the_screen() -> None:
    header, first = entries(Scribe().begin(HEADER, SEEN, None, 50.0))
    assert (header["width"], header["height"]) == (10, 3)
    assert first == [0.0, "o", painted(SEEN)]


def test_a_later_part_says_first_why_it_is_one() -> None:
    _, caption, first = entries(Scribe().begin(HEADER, SEEN, None, 50.0, "Paneward was started anew"))
    assert caption == [0.0, "m", "Paneward was started anew"]
    assert first[1] == "o"


def test_output_has_its_time_since_the_beginning() -> None:
    scribe = begun()
    assert entries(scribe.hear(b"a", 51.25)) == [[1.25, "o", "a"]]


@given(st.binary(), st.lists(st.integers(0, 300)))
def test_chunking_never_changes_the_text(data: bytes, cuts: list[int]) -> None:
    places = sorted({0, *(min(cut, len(data)) for cut in cuts), len(data)})
    scribe = begun()
    found = text_of([scribe.hear(data[start:end], 50.0) for start, end in pairwise(places)])
    assert found == text_of([begun().hear(data, 50.0)])


@given(st.text(st.characters(min_codepoint=32, exclude_characters="\x7f", exclude_categories=["Cs"])), st.data())
def test_text_comes_back_as_it_was_wherever_a_character_is_cut(text: str, data: st.DataObject) -> None:
    raw = text.replace("\x85", "").encode()
    raw = TerminalFilter().feed(raw)
    cut = data.draw(st.integers(0, len(raw)))
    scribe = begun()
    assert text_of([scribe.hear(raw[:cut], 50.0), scribe.hear(raw[cut:], 50.0)]) == raw.decode()


@given(st.lists(st.floats(0, 100)))
def test_times_never_run_backwards(moments: list[float]) -> None:
    scribe = begun()
    times = [entries(scribe.hear(b"x", at))[0][0] for at in moments]
    assert times == sorted(times)
    assert all(at >= 0 for at in times)


def test_what_asks_the_terminal_of_who_plays_it_is_not_recorded() -> None:
    found = text_of([begun().hear(b"a\x1b[c\x1b]52;c;aGk=\x07\x1b[?1000hb", 50.0)])
    assert found.replace("\x18", "") == "ab"


def test_bytes_that_are_no_text_are_left_out_as_tmux_does() -> None:
    assert text_of([begun().hear(b"a\xff\xfeb", 50.0)]) == "ab"


def test_a_gap_is_told_and_followed_by_the_screen() -> None:
    scribe = begun()
    scribe.hear(b"a\x1b[3", 51.0)  # the rest of the sequence is lost
    caption, screen = entries(scribe.gap(SEEN, None, 52.0))
    assert caption == [2.0, "m", GAP]
    assert screen == [2.0, "o", painted(SEEN)]
    assert scribe.gaps == 1
    assert entries(scribe.hear(b"1mb\xe2\x9c", 53.0)) == [[3.0, "o", "1mb"]]
    scribe.gap(SEEN, None, 54.0)
    assert entries(scribe.hear(b"\xbbc", 55.0)) == [[5.0, "o", "c"]]


def test_a_gap_with_a_reason_says_it() -> None:
    assert entries(begun().see(SEEN, None, 52.0, "tmux could not be reached"))[0][2] == "tmux could not be reached"


def test_a_new_size_is_told_once_with_the_screen_and_is_no_gap() -> None:
    scribe, wide = begun(), replace(SEEN, width=20)
    scribe.hear(b"a", 51.0)
    assert [entry[1:] for entry in entries(scribe.see(wide, None, 52.0))] == [["r", "20x3"], ["o", painted(wide)]]
    assert scribe.gaps == 0
    assert [entry[1] for entry in entries(scribe.see(wide, None, 53.0))] == ["o"]
    assert [entry[1] for entry in entries(scribe.gap(SEEN, None, 54.0))] == ["m", "r", "o"]


def test_where_there_is_no_stream_screens_follow_each_other_without_captions() -> None:
    scribe = begun()
    assert [entry[1] for entry in entries(scribe.gap(SEEN, None, 52.0) + scribe.gap(SEEN, None, 53.0))] == ["o", "o"]
    assert scribe.gaps == 0


# --- the screen (what tmux makes of it is tested live)


def test_a_screen_is_painted_row_by_row_with_the_cursor_in_its_place() -> None:
    found = painted(SEEN)
    assert found.endswith(
        "\x1b[2J\x1b[1;1Hone\x1b[2;1H\x1b[1mtwo\x1b[3;1Hthree\x1b[0m\x1b[2;4H\x1b[?25h",
    )
    assert painted(replace(SEEN, cursor_visible=False)).endswith("\x1b[2;4H\x1b[?25l")


def test_scrollback_before_the_screen_is_not_painted() -> None:
    assert painted(replace(SEEN, rows=("old", *SEEN.rows))) == painted(SEEN)


def test_what_later_output_rests_on_is_set() -> None:
    behind = Backdrop(region=(1, 2), wrap=False, insert=True)
    assert painted(SEEN, behind).endswith("three\x1b[0m\x1b[2;3r\x1b[?7l\x1b[4h\x1b[2;4H\x1b[?25h")
    assert painted(SEEN, Backdrop(region=(0, 2))) == painted(SEEN)


def test_under_origin_mode_the_cursor_is_counted_from_the_region() -> None:
    assert painted(SEEN, Backdrop(region=(1, 2), origin=True)).endswith("\x1b[2;3r\x1b[?6h\x1b[1;4H\x1b[?25h")


def test_a_cursor_that_waits_to_wrap_is_put_there_by_its_own_row() -> None:
    full = Snapshot("%1", ("\x1b[31mred", "abcdefghij"), 10, 2, 10, 1)
    assert painted(full).endswith("\x1b[0m\x1b[31m\x1b[2;1Habcdefghij\x1b[0m\x1b[?25h")


def test_below_an_alternate_screen_lies_the_one_that_is_gone_back_to() -> None:
    found = painted(replace(SEEN, alternate=True), Backdrop(below=("shell $", ""), below_x=7))
    before, after = found.split("\x1b[?1049h")
    assert before.endswith("\x1b[1;1Hshell $\x1b[1;8H")
    assert after.startswith("\x1b[H\x1b[2J\x1b[1;1Hone")


# --- names


def test_a_recording_is_named_after_its_beginning_and_nothing_else_is_a_name() -> None:
    assert is_name("20261116T084111Z")
    assert is_name("20261116T084111Z-2")
    name = "20261116T084111Z"
    for text in ("", "x", "..", f"../{name}", f"{name}/..", f"{name}\n", f"{name}-", f"{name}.1.cast", f"{name}\0"):
        assert not is_name(text)
    assert sorted([f"{name}-10", "20261117T000000Z", f"{name}-2", name], key=order) == [
        name,
        f"{name}-2",
        f"{name}-10",
        "20261117T000000Z",
    ]
    assert not is_name("２０261116T084111Z")
    assert file_name("20261116T084111Z", 3) == "20261116T084111Z.3.cast"


# --- limits


@pytest.mark.parametrize(
    ("room", "more", "found"),
    [
        (Room(0, 0, 0, 0), 50, (Next.WRITE, None)),
        (Room(50, 50, 50, 0), 50, (Next.WRITE, None)),
        (Room(51, 51, 51, 0), 50, (Next.NEXT_PART, None)),
        (Room(0, 0, 0, 0), 200, (Next.WRITE, None)),  # a screen that is larger than a part may be
        (Room(10, 450, 450, 0), 50, (Next.WRITE, None)),
        (Room(10, 451, 451, 0), 50, (Next.STOP, RecordingEnd.LIMIT)),
        (Room(10, 100, 951, 0), 50, (Next.MAKE_ROOM, RecordingEnd.LIMIT)),
        (Room(10, 10, 10, 60.0), 1, (Next.STOP, RecordingEnd.AGE)),
    ],
)
def test_each_limit_decides_before_it_is_passed(room: Room, more: int, found: tuple[Next, RecordingEnd | None]) -> None:
    assert judged(room, more, LIMITS) == found


def kept(name: str, ended: float, size: int, running: bool = False) -> KeptRecording:
    return KeptRecording("a", name, ended - 10, ended, size, 1, running)


def test_what_is_too_old_goes_but_not_what_runs() -> None:
    old, running, fresh = kept("old", 40, 1), kept("running", 30, 1, running=True), kept("fresh", 41, 1)
    assert to_remove([fresh, running, old], LIMITS, cutoff=40.0) == [old]


def test_the_oldest_go_until_there_is_room() -> None:
    first, second, third = kept("1", 51, 400), kept("2", 52, 400), kept("3", 53, 200)
    assert to_remove([third, second, first], LIMITS, cutoff=0.0) == []
    assert to_remove([third, second, first], LIMITS, cutoff=0.0, more=1) == [first]
    assert to_remove([third, second, first], LIMITS, cutoff=0.0, more=500) == [first, second]


def test_nothing_goes_in_vain() -> None:
    assert to_remove([kept("1", 51, 100), kept("r", 60, 990, running=True)], LIMITS, cutoff=0.0, more=50) == []


@given(st.lists(st.builds(kept, st.text(), st.floats(0, 100), st.integers(0, 900), st.booleans())), st.integers(0, 900))
def test_what_stays_fits_unless_what_runs_is_too_much(all_kept: list[KeptRecording], more: int) -> None:
    gone = to_remove(all_kept, LIMITS, cutoff=40.0, more=more)
    assert not any(one.running for one in gone)
    running = sum(one.bytes for one in all_kept if one.running)
    left = sum(one.bytes for one in all_kept) - sum(one.bytes for one in gone)
    assert left + more <= LIMITS.total or running + more > LIMITS.total
