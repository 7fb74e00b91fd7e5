"""The event stream: pieces in-process, and many readers on real sockets."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest

from paneward.core.agent.events import AgentLost, Stored
from paneward.surfaces.http.stream import (
    PAGE,
    PIECE,
    EventFilter,
    Feed,
    StreamReader,
    encode,
    keep_beating,
    keep_fed,
    serve_reader,
)
from tests.surfaces.http.conftest import Open, Site, until
from tests.surfaces.http.test_routes import run


def event(seq: int, kind: str = "agent_lost", agent: str = "ada", size: int = 0) -> Stored:
    return Stored(seq, 1.5, kind, agent, {"agent_id": agent, "reason": "x" * size})


class Log:
    """A log in memory."""

    def __init__(self, last: int = 0, first: int = 1) -> None:
        self.all = [event(seq) for seq in range(first, last + 1)]
        self.first_seq = first
        self.reads = 0

    @property
    def last_seq(self) -> int:
        return self.all[-1].seq if self.all else 0

    async def events(
        self, after: int = 0, limit: int = 1000, kinds: Sequence[str] = (), agent_id: str | None = None
    ) -> list[Stored]:
        self.reads += 1
        wanted = EventFilter(tuple(kinds), agent_id)
        return [one for one in self.all if one.seq > after and wanted.fits(one)][:limit]


def parsed(pieces: bytes) -> list[dict[str, Any]]:
    messages = [dict(line.split(": ", 1) for line in block.split("\n")) for block in _blocks(pieces)]
    return [{**json.loads(one["data"]), "id": int(one["id"])} for one in messages]


def _blocks(pieces: bytes) -> list[str]:
    return [block for block in pieces.decode().split("\n\n") if "data: " in block]


async def read(reader: StreamReader, count: int) -> list[dict[str, Any]]:
    """So many messages."""
    got: list[dict[str, Any]] = []
    async with aclosing(reader.pieces()) as pieces:
        async for piece in pieces:
            got += parsed(piece)
            if len(got) >= count:
                break
    return got


def test_an_event_on_the_wire_has_its_number_its_kind_and_its_fields() -> None:
    [message] = parsed(encode(event(7)))
    assert message == {
        "seq": 7, "at": 1.5, "kind": "agent_lost", "agent_id": "ada", "reason": "", "id": 7,
    }  # fmt: skip


def test_text_with_newlines_stays_one_message() -> None:
    nasty = Stored(1, 0.0, "turn_stored", None, {"text": "a\n\ndata: b\r\nid: 9\u2028"})
    [message] = parsed(encode(nasty))
    assert message["text"] == "a\n\ndata: b\r\nid: 9\u2028"


def test_readers_at_the_same_place_get_the_very_same_bytes() -> None:
    feed = Feed(0)
    feed.take([event(1), event(2)])
    assert feed.piece(0, EventFilter())[0] is feed.piece(0, EventFilter())[0]
    assert feed.piece(0, EventFilter())[1] == 2
    assert parsed(feed.piece(1, EventFilter())[0])[0]["seq"] == 2


def test_a_batch_that_was_heard_before_changes_nothing() -> None:
    feed = Feed(0)
    feed.take([event(1), event(2)])
    feed.take([event(2), event(3)])
    assert [one["seq"] for one in parsed(feed.piece(0, EventFilter())[0])] == [1, 2, 3]
    assert feed.told == {"agent_lost": 3}


def test_a_long_burst_is_written_in_pieces_that_a_socket_takes() -> None:
    feed = Feed(0)
    feed.take([event(seq, size=1000) for seq in range(1, 201)])
    at, seen = 0, 0
    while at < 200:
        piece, at = feed.piece(at, EventFilter())
        assert len(piece) <= PIECE
        seen += len(parsed(piece))
    assert seen == 200


def test_a_reader_gets_what_it_asked_for_and_its_number_goes_on() -> None:
    async def test() -> None:
        feed = Feed(0)
        feed.take([event(1, agent="bob"), event(2, "turn_stored"), event(3), event(4, agent="bob")])
        reader = StreamReader(feed, Log(), EventFilter(("agent_lost",), "ada"), 0)
        pieces = reader.pieces()
        assert (await anext(pieces)).startswith(b": paneward\nretry: ")
        assert [one["seq"] for one in parsed(await anext(pieces))] == [3]
        waiting = asyncio.ensure_future(anext(pieces))
        await until(lambda: feed._waiting)
        feed.beat()
        assert await waiting == b": \nid: 4\n\n"

    asyncio.run(test())


def test_who_comes_back_is_served_from_the_store_and_then_live() -> None:
    async def test() -> None:
        log = Log(2 * PAGE + 10)
        feed = Feed(log.last_seq)
        reader = StreamReader(feed, log, after=5)
        reading = asyncio.ensure_future(read(reader, 2 * PAGE + 6))
        await until(lambda: log.reads > 1)
        feed.take([event(log.last_seq + 1)])
        assert [one["seq"] for one in await reading] == list(range(6, 2 * PAGE + 12))

    asyncio.run(test())


def test_a_filtered_reader_comes_back_through_pages_that_hold_nothing_for_it() -> None:
    async def test() -> None:
        log = Log(PAGE)
        feed = Feed(log.last_seq)
        feed.take([event(PAGE + 1, agent="bob")])
        reader = StreamReader(feed, log, EventFilter((), "bob"), 1)
        assert [one["seq"] for one in await read(reader, 1)] == [PAGE + 1]

    asyncio.run(test())


def test_a_slow_reader_is_told_of_the_gap_and_goes_on() -> None:
    async def test() -> None:
        feed, reasons = Feed(0, held=2000), list[str]()
        reader = StreamReader(feed, Log(), after=0, on_gap=reasons.append)
        pieces = reader.pieces()
        await anext(pieces)
        feed.take([event(1)])
        assert [one["seq"] for one in parsed(await anext(pieces))] == [1]
        feed.take([event(seq, size=100) for seq in range(2, 101)])
        [gap] = parsed(await anext(pieces))
        assert (gap["kind"], gap["after"], gap["seq"], gap["id"], gap["reason"]) == ("gap", 1, 100, 100, "slow")
        feed.take([event(101)])
        assert [one["seq"] for one in parsed(await anext(pieces))] == [101]
        assert reasons == ["slow"]

    asyncio.run(test())


@pytest.mark.parametrize(
    ("after", "first", "wanted"),
    [(3, 10, {"after": 3, "seq": 9, "reason": "trimmed"}), (99, 1, {"after": 99, "seq": 20, "reason": "unknown"})],
)
def test_what_is_not_kept_is_a_gap(after: int, first: int, wanted: dict[str, Any]) -> None:
    async def test() -> None:
        log = Log(20, first)
        reader = StreamReader(Feed(20), log, after=after)
        gap = (await read(reader, 1))[0]
        assert {name: gap[name] for name in wanted} == wanted

    asyncio.run(test())


def test_a_stream_ends_when_its_token_does_and_when_the_server_does() -> None:
    async def test() -> None:
        for end in ("token", "server"):
            feed, good = Feed(0), True
            reader = StreamReader(feed, Log(), good=lambda: good)  # noqa: B023
            reading = asyncio.ensure_future(_all(reader))
            await until(lambda: feed._waiting)  # noqa: B023
            if end == "token":
                good = False
                feed.beat()
            else:
                feed.close()
            assert len(await reading) == 1

    asyncio.run(test())


class Socket:
    """Takes what is written, or makes the writer wait."""

    def __init__(self) -> None:
        self.got = b""
        self.full: asyncio.Future[None] | None = None
        self.broken = False

    async def send(self, message: Any) -> None:
        if self.broken:
            raise RuntimeError("the client is broken")
        if self.full is not None:
            await self.full
        self.got += message.get("body", b"")


async def _waiting(feed: Feed, *sockets: Socket) -> list[asyncio.Task[None]]:
    """A reader for each socket, that waits for what is new."""
    tasks = [asyncio.ensure_future(serve_reader(StreamReader(feed, Log()), silent, one.send)) for one in sockets]
    await until(lambda: len(feed._waiting) == len(sockets))
    return tasks


async def silent() -> Any:
    return await asyncio.get_running_loop().create_future()


def test_readers_that_wait_are_written_to_before_anybody_is_woken() -> None:
    async def test() -> None:
        feed, sockets = Feed(0), [Socket(), Socket()]
        tasks = await _waiting(feed, *sockets)
        feed.take([event(1)])
        assert [[one["seq"] for one in parsed(socket.got)] for socket in sockets] == [[1], [1]]
        feed.take([event(2)])
        feed.close()
        await asyncio.gather(*tasks)
        assert [[one["seq"] for one in parsed(socket.got)] for socket in sockets] == [[1, 2], [1, 2]]

    asyncio.run(test())


def test_a_socket_that_is_full_holds_up_its_own_reader_alone() -> None:
    async def test() -> None:
        feed, slow, quick = Feed(0), Socket(), Socket()
        tasks = await _waiting(feed, slow, quick)
        slow.full = asyncio.get_running_loop().create_future()
        for seq in range(1, 5):
            feed.take([event(seq)])
            await asyncio.sleep(0)
        assert [one["seq"] for one in parsed(quick.got)] == [1, 2, 3, 4]
        assert parsed(slow.got) == []
        slow.full.set_result(None)
        slow.full = None
        await until(lambda: len(parsed(slow.got)) == 4)
        assert [one["seq"] for one in parsed(slow.got)] == [1, 2, 3, 4]
        feed.close()
        await asyncio.gather(*tasks)

    asyncio.run(test())


def test_a_broken_client_is_let_go_and_the_others_hear_on(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        feed, broken, well = Feed(0), Socket(), Socket()
        tasks = await _waiting(feed, broken, well)
        broken.broken = True
        feed.take([event(1)])
        await until(lambda: len(feed._waiting) == 1)
        feed.take([event(2)])
        assert [one["seq"] for one in parsed(well.got)] == [1, 2]
        feed.close()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(one) for one in ended] == [RuntimeError, type(None)]

    asyncio.run(test())
    assert "could not be written to" in caplog.text


async def _all(reader: StreamReader) -> list[bytes]:
    return [piece async for piece in reader.pieces()]


def test_what_the_bus_left_out_is_read_from_the_store(open_site: Open) -> None:
    async def test(site: Site) -> None:
        feed, store = Feed(0), site.server.store
        site.server.bus._kept = 3
        feeding = asyncio.ensure_future(keep_fed(feed, site.server.bus, store))
        await until(lambda: feed.head == store.last_seq)
        await store.append(*[AgentLost("ada", str(number)) for number in range(50)])
        await until(lambda: feed.head == store.last_seq)
        at, seqs = 0, list[int]()
        while at < feed.head:
            piece, at = feed.piece(at, EventFilter())
            seqs += [one["seq"] for one in parsed(piece)]
        assert seqs == list(range(1, store.last_seq + 1))
        feeding.cancel()

    run(open_site, test)


def test_signs_of_life_come_every_fifteen_seconds() -> None:
    class Clock:
        """Counts how long somebody slept; the third sleep ends it all."""

        def __init__(self) -> None:
            self.slept: list[float] = []

        def now(self) -> float:
            return 0.0

        def wall(self) -> float:
            return 0.0

        async def sleep(self, seconds: float) -> None:
            self.slept.append(seconds)
            if len(self.slept) == 3:
                feed.close()

    feed, clock = Feed(0), Clock()
    asyncio.run(keep_beating(feed, clock))
    assert clock.slept == [15.0] * 3
    assert feed.beats == 3
