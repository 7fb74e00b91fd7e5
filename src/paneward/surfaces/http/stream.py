"""Events to many browsers: each is encoded once, and one piece of bytes goes to all who stand at the same place.

A `Feed` listens to the bus and holds the newest events as they are written. A reader is a number: how far it has come.
Nothing is queued for it, so a slow one costs nothing: when what it lacks is no longer held, it is told so by a `gap`
and goes on from there. Who comes back with an older number is served from the store until it has caught up.

Surprise: an event without data sets a browser's last event id and is not shown to the page. So readers who hear little,
by their own filter, still come back with a recent number.
"""

import asyncio
import json
import logging
from bisect import bisect_right
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

from starlette.types import Receive, Send
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from paneward.core.agent.events import SignalSeen, Stored
from paneward.services.bus import Bus
from paneward.surfaces.http.access.tokens import Clock

HELD: Final = 8 << 20  # bytes of events that are held in memory
PIECE: Final = 48 << 10  # bytes that are written to a reader at once: less than a socket takes
PAGE: Final = 500  # events that are read from the store at once
BEAT: Final = 15.0  # seconds between signs of life
HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]

Write = Callable[[bytes], bool]  # False where it has to wait: nothing was written

log = logging.getLogger(__name__)


class Log(Protocol):
    """What a feed needs of the store."""

    @property
    def last_seq(self) -> int: ...
    @property
    def first_seq(self) -> int: ...
    async def events(
        self, after: int = ..., limit: int = ..., kinds: Sequence[str] = ..., agent_id: str | None = ...
    ) -> Sequence[Stored]: ...


class EventFilter(NamedTuple):
    """Which events a reader asked for. A tuple, since pieces are looked up by it for every reader."""

    kinds: tuple[str, ...] = ()
    agent_id: str | None = None

    def fits(self, event: Stored) -> bool:
        if self.kinds and event.kind not in self.kinds:
            return False
        return self.agent_id is None or event.agent_id == self.agent_id


ALL: Final = EventFilter()


def as_object(event: Stored) -> dict[str, object]:
    """An event on the wire."""
    return {"seq": event.seq, "at": event.at, "kind": event.kind, "agent_id": event.agent_id, **event.data}


def encode(event: Stored) -> bytes:
    data = json.dumps(as_object(event), ensure_ascii=False, separators=(",", ":"))
    return f"id: {event.seq}\ndata: {data}\n\n".encode()


def encode_gap(after: int, seq: int, reason: str) -> bytes:
    """What came after `after` up to `seq` was not told here."""
    data = json.dumps({"kind": "gap", "after": after, "seq": seq, "reason": reason})
    return f"id: {seq}\ndata: {data}\n\n".encode()


class Feed:
    """The newest events, written once; readers wait here."""

    def __init__(self, seq: int, held: int = HELD) -> None:
        self.head = seq  # the last event there is
        self.beats = 0
        self.told: Counter[str] = Counter()  # kinds
        self.on_signal: Callable[[Stored], None] | None = None  # called with each signal of an agent
        self.closed = False
        self._held = held
        self._size = 0
        self._kept: list[tuple[Stored, bytes]] = []
        self._pieces: dict[tuple[int, EventFilter], tuple[bytes, int]] = {}
        self._waiting: set[StreamReader] = set()

    @property
    def first(self) -> int:
        """The oldest number from which a reader can be served here."""
        return self._kept[0][0].seq - 1 if self._kept else self.head

    def take(self, batch: Sequence[Stored]) -> None:
        for event in batch:
            if event.seq > self.head:
                written = encode(event)
                self._kept.append((event, written))
                self._size += len(written)
                self.head = event.seq
                self.told[event.kind] += 1
                if event.kind == SignalSeen.kind and self.on_signal is not None:
                    self.on_signal(event)
        self._trim()
        self._pieces.clear()
        for reader in [one for one in self._waiting if not one.push()]:
            reader.wake()

    def _trim(self) -> None:
        over = 0
        while self._size > self._held and over < len(self._kept) - 1:
            self._size -= len(self._kept[over][1])
            over += 1
        del self._kept[:over]

    def wake(self) -> None:
        for reader in self._waiting:
            reader.wake()

    def beat(self) -> None:
        self.beats += 1
        self.wake()

    def close(self) -> None:
        """Every stream ends; browsers come back to whoever listens then."""
        self.closed = True
        self.wake()

    def piece(self, after: int, wanted: EventFilter) -> tuple[bytes, int]:
        """What follows `after`, as much as is written at once, and how far that goes. The same bytes for all."""
        known = self._pieces.get((after, wanted))
        if known is None:
            known = self._pieces[after, wanted] = self._joined(after, wanted)
        return known

    def _joined(self, after: int, wanted: EventFilter) -> tuple[bytes, int]:
        parts: list[bytes] = []
        size, at = 0, after
        for number in range(after - self.first, len(self._kept)):
            event, written = self._kept[number]
            if wanted is ALL or wanted.fits(event):
                if size and size + len(written) > PIECE:
                    break
                parts.append(written)
                size += len(written)
            at = event.seq
        return b"".join(parts), at

    def wait(self, reader: "StreamReader") -> None:
        """Tell it of what is new, or that a sign of life is due."""
        self._waiting.add(reader)

    def forget(self, reader: "StreamReader") -> None:
        self._waiting.discard(reader)


class StreamReader:
    """One client of the stream: what it is written next."""

    def __init__(
        self,
        feed: Feed,
        store: Log,
        wanted: EventFilter = ALL,
        after: int | None = None,
        good: Callable[[], bool] = lambda: True,
        on_gap: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._feed = feed
        self._store = store
        self._wanted = ALL if wanted == ALL else wanted
        self._after = feed.head if after is None else after
        self._good = good  # the token still is
        self._on_gap = on_gap
        self._gone = False
        self._waiter: asyncio.Future[None] | None = None
        self._rest: Awaitable[None] | None = None  # of a piece that could not be written at once
        self.send: Send | None = None  # where the feed may write to while the reader waits
        self.write: Write | None = None  # a shorter way there, if there is one

    def leave(self) -> None:
        """The client is gone."""
        self._gone = True
        self.wake()

    def wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def push(self) -> bool:
        """Write what is new without waking anybody: False where that is not all, or takes longer."""
        if self.send is None or self._rest is not None or self._after < self._feed.first:
            return False
        piece, at = self._feed.piece(self._after, self._wanted)
        self._after = at
        try:
            if piece and not (self.write is not None and self.write(piece)):
                self._rest = begun(self.send({"type": "http.response.body", "body": piece, "more_body": True}))
        except Exception:  # of one reader, in the middle of all the others
            log.exception("a reader of the event stream could not be written to")
            self.leave()
        return self._rest is None and at == self._feed.head

    async def _stirred(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        self._feed.wait(self)
        try:
            await self._waiter
        finally:
            self._feed.forget(self)
        if self._rest is not None:
            await self._rest
            self._rest = None

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        yield b": paneward\nretry: 1000\n\n"
        async for piece in self._caught_up():
            yield piece
        feed, beats = self._feed, self._feed.beats
        while not (feed.closed or self._gone):
            if self._after < feed.first:
                yield self._gap(feed.head, "slow")
            elif self._after < feed.head:
                piece, self._after = feed.piece(self._after, self._wanted)
                if piece:
                    yield piece
            elif beats != feed.beats:
                beats = feed.beats
                if not self._good():
                    return
                yield f": \nid: {self._after}\n\n".encode()
            else:
                await self._stirred()

    async def _caught_up(self) -> AsyncIterator[bytes]:
        """What the store has and the feed no longer holds."""
        if self._after > self._feed.head:
            yield self._gap(self._feed.head, "unknown")
        elif self._after < self._store.first_seq - 1:
            yield self._gap(self._store.first_seq - 1, "trimmed")
        while self._after < self._feed.first and not (self._feed.closed or self._gone):
            head = self._feed.first
            page = await self._store.events(
                after=self._after, limit=PAGE, kinds=self._wanted.kinds, agent_id=self._wanted.agent_id
            )
            page = page[: bisect_right(page, head, key=lambda event: event.seq)]
            self._after = page[-1].seq if len(page) == PAGE else head
            if page:
                yield b"".join(map(encode, page))

    def _gap(self, seq: int, reason: str) -> bytes:
        after, self._after = self._after, seq
        self._on_gap(reason)
        return encode_gap(after, seq, reason)


def begun(sending: Awaitable[None]) -> Awaitable[None] | None:
    """Take the first step of a coroutine here and now; None where that was the last, else what is left of it.

    A thousand tasks that are woken to write a line each cost three times as much as the writing."""
    steps = sending.__await__()
    try:
        return _Rest(steps, next(steps))
    except StopIteration:
        return None


class _Rest:
    """What is left of a coroutine that waits for something."""

    def __init__(self, steps: Generator[Any, Any, None], waits_for: Any) -> None:
        self._steps = steps
        self._waits_for = waits_for

    def __await__(self) -> Generator[Any, Any, None]:
        yield self._waits_for
        yield from self._steps


def straight(send: Send) -> Write | None:
    """Past the messages of ASGI, where uvicorn sends in chunks: the same one for all, made once. None elsewhere.

    To be asked for when the head is sent, and used until the end is."""
    cycle = getattr(send, "__self__", None)
    if not isinstance(cycle, RequestResponseCycle) or not cycle.chunked_encoding:
        return None
    transport, flow = cycle.transport, cycle.flow

    def write(piece: bytes) -> bool:
        if flow.write_paused or cycle.disconnected:
            return False
        transport.write(_chunk(piece))
        return True

    return write


@lru_cache(16)
def _chunk(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece)


async def serve_reader(reader: StreamReader, receive: Receive, send: Send, body: Send | None = None) -> None:
    """Write to one client until either side ends. `body` is a shorter way for what follows the head."""
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    reader.send = send = body or send
    reader.write = straight(send)
    leaving = asyncio.ensure_future(_left(receive))
    leaving.add_done_callback(lambda _: reader.leave())
    try:
        async for piece in reader.pieces():
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        leaving.cancel()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def keep_fed(feed: Feed, bus: Bus, store: Log) -> None:
    """Hand on what the bus tells; what it had to leave out is read from the store."""
    while not feed.closed:
        with bus.subscribe() as subscription:
            while page := await store.events(after=feed.head, limit=PAGE):
                feed.take(page)
            async for batch in subscription:
                feed.take(batch)
            if not subscription.lagged:
                return


async def keep_beating(feed: Feed, clock: Clock) -> None:
    while not feed.closed:
        await clock.sleep(BEAT)
        feed.beat()
