"""The event stream past the messages of ASGI: what uvicorn would have sent, and when it would have."""

import asyncio
import logging
from typing import Any, cast

from starlette.types import Message, Send
from uvicorn._types import HTTPScope
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from paneward.surfaces.http.stream import PIECE, Feed, StreamReader, serve_reader, straight
from tests.surfaces.http.conftest import until
from tests.surfaces.http.test_stream import Log, event, silent


class Wire(asyncio.Transport):
    """What uvicorn writes to."""

    def __init__(self) -> None:
        super().__init__()
        self.got = b""

    def write(self, data: Any) -> None:
        self.got += data


class Asked:
    """A request, as uvicorn knows it."""

    def __init__(self) -> None:
        self.wire = Wire()
        self.flow = FlowControl(self.wire)
        said, scope = logging.getLogger(), cast(HTTPScope, {"method": "GET"})
        self.cycle = RequestResponseCycle(
            scope, self.wire, self.flow, said, said, False, [], asyncio.Event(), False, True, lambda: None
        )
        self.send = cast(Send, self.cycle.send)


def head(*headers: tuple[bytes, bytes]) -> Message:
    return {"type": "http.response.start", "status": 200, "headers": headers}


def test_what_is_written_straight_is_what_uvicorn_would_have_sent() -> None:
    async def test() -> None:
        one, other = Asked(), Asked()
        for asked in (one, other):
            await asked.send(head())
        write = straight(one.send)
        assert write is not None
        for piece in (b"a piece", b"x" * PIECE, b"a piece"):
            assert write(piece)
            await other.send({"type": "http.response.body", "body": piece, "more_body": True})
        assert one.wire.got == other.wire.got

    asyncio.run(test())


def test_another_server_or_another_way_of_sending_is_left_to_itself() -> None:
    async def test() -> None:
        async def send(message: Message) -> None:
            pass

        asked = Asked()
        assert straight(send) is None
        assert straight(asked.send) is None  # before the head nobody knows how it will send
        await asked.send(head((b"content-length", b"3")))
        assert straight(asked.send) is None

    asyncio.run(test())


def test_who_does_not_read_is_waited_for_and_who_is_gone_gets_nothing() -> None:
    async def test() -> None:
        feed, asked = Feed(0), Asked()
        task = asyncio.ensure_future(serve_reader(StreamReader(feed, Log()), silent, asked.send))
        await until(lambda: feed._waiting)
        asked.flow.pause_writing()
        before = asked.wire.got
        for seq in (1, 2):
            feed.take([event(seq)])
            await asyncio.sleep(0)
        assert asked.wire.got == before
        asked.flow.resume_writing()
        await until(lambda: feed._waiting)
        feed.take([event(3)])
        assert [asked.wire.got.count(b"id: %d\n" % seq) for seq in (1, 2, 3)] == [1, 1, 1]
        asked.cycle.disconnected = True
        before = asked.wire.got
        feed.take([event(4)])
        feed.close()
        await task
        assert asked.wire.got == before

    asyncio.run(test())
