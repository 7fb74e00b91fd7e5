"""The proof of the event stream: a short round of it, and that what must not be cannot pass."""

import asyncio
import random

import httpx
import pytest

from prove import streams
from prove.place import missing, private_place


def judged(*seqs: list[int], total: int = 3) -> list[str]:
    client = httpx.AsyncClient()
    found = streams._judged([streams.Reader(client, random.Random(1), one) for one in seqs], total)
    wrong: list[str] = found["wrong"]
    return wrong


def test_a_reader_that_saw_each_once_is_right() -> None:
    assert judged([1, 2, 3]) == []


@pytest.mark.parametrize("seqs", [[1, 2], [1, 2, 2, 3], [1, 3, 2], [2, 3], []])
def test_a_lost_doubled_or_swapped_event_is_wrong(seqs: list[int]) -> None:
    assert len(judged([1, 2, 3], seqs)) == 1


def test_complaints_name_the_cell() -> None:
    line = {"key": "streams 1", "ok": False, "wrong": ["reader 3 saw 1 of 2"]}
    assert streams.complaints([line, {"key": "streams 2", "ok": True}]) == ["streams 1: ['reader 3 saw 1 of 2']"]


def test_later_rounds_only_add_cells() -> None:
    assert [cell.key for cell in streams.cells(2)] == ["streams 1", "streams 2"]


def test_readers_see_every_event_once_through_ends_of_the_server() -> None:
    if missing():
        pytest.skip("the place of a proof needs tmux and sshd")

    async def test() -> None:
        async with private_place() as place:
            seen = await streams.stream_round(place, 7, readers=8, restarts=3)
            assert seen["wrong"] == []
            assert seen["events"] > 3
            assert seen["visits"] > 8

    asyncio.run(test())
