"""The event stream on real sockets: many readers, slow ones, and who may not."""

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from paneward.client.remote import Messages, StreamMessage
from paneward.core.agent.events import AgentLost
from paneward.surfaces.http.access.tokens import Role
from tests.surfaces.http.conftest import Open, Site, client, listening, until
from tests.surfaces.http.test_routes import code_of, run


async def stream(url: str, site: Site, count: int, **query: Any) -> list[StreamMessage]:
    """So many messages of the stream, over a connection of its own."""
    async with (
        httpx.AsyncClient(headers=site.token, timeout=30) as browser,
        browser.stream("GET", f"{url}/api/events/stream", params=query) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        return await _take(answer.aiter_lines(), count)


async def _take(lines: AsyncIterator[str], count: int) -> list[StreamMessage]:
    got: list[StreamMessage] = []
    messages = Messages()
    async for line in lines:
        got += [message] if (message := messages.feed(line)) else []
        if len(got) == count:
            break
    return got


def test_a_browser_hears_each_event_once_over_reconnections(open_site: Open) -> None:
    async def test(site: Site) -> None:
        async with listening(site.api) as url:
            store = site.server.store
            await store.append(*[AgentLost("ada", str(number)) for number in range(20)])
            first = await stream(url, site, 7, last_event_id=0)
            listeningto = asyncio.ensure_future(stream(url, site, store.last_seq - 7 + 5, last_event_id=first[-1].seq))
            await store.append(*[AgentLost("ada", str(number)) for number in range(5)])
            rest = await listeningto
            assert [one.seq for one in first + rest] == list(range(1, store.last_seq + 1))
            only = await stream(url, site, 1, last_event_id=0, types="server_started")
            assert [one.kind for one in only] == ["server_started"]

    run(open_site, test)


@pytest.mark.parametrize(("http", "straight"), [("httptools", True), ("h11", False)])
def test_readers_hear_the_same_whichever_way_they_are_written_to(open_site: Open, http: str, straight: bool) -> None:
    async def test(site: Site) -> None:
        async with listening(site.api, http=http) as url:
            store, feed = site.server.store, site.api.feed
            first = store.last_seq
            hearing = [asyncio.ensure_future(stream(url, site, 30)) for _ in range(3)]
            await until(lambda: len(feed._waiting) == 3)
            assert {one.write is not None for one in feed._waiting} == {straight}
            for number in range(30):
                await store.append(AgentLost("ada", f"{number} 🧪"))
            for heard_by_one in await asyncio.gather(*hearing):
                assert [one.seq for one in heard_by_one] == list(range(first + 1, first + 31))

    run(open_site, test)


def test_the_header_of_a_browser_resumes_as_well(open_site: Open) -> None:
    async def test(site: Site) -> None:
        async with listening(site.api) as url, httpx.AsyncClient(headers=site.token) as browser:
            await site.server.store.append(AgentLost("ada", "gone"))
            head = {"last-event-id": "1"}
            async with browser.stream("GET", f"{url}/api/events/stream", headers=head) as answer:
                assert [one.seq for one in await _take(answer.aiter_lines(), 1)] == [2]

    run(open_site, test)


def test_a_comment_comes_at_once_and_the_end_of_the_server_ends_the_stream(open_site: Open) -> None:
    async def test(site: Site) -> None:
        async with (
            listening(site.api) as url,
            httpx.AsyncClient(headers=site.token, timeout=30) as browser,
            browser.stream("GET", f"{url}/api/events/stream") as answer,
        ):
            lines = answer.aiter_lines()
            assert await anext(lines) == ": paneward"
            await until(lambda: site.api.feed._waiting)
            site.api.drain()
            assert [line async for line in lines] == ["retry: 1000", ""]

    run(open_site, test)


def test_who_leaves_is_forgotten(open_site: Open) -> None:
    async def test(site: Site) -> None:
        async with listening(site.api) as url:
            await asyncio.gather(*(stream(url, site, 1, last_event_id=0) for _ in range(20)))
            await until(lambda: not site.api.feed._waiting and not site.api._streams._open)

    run(open_site, test)


def test_a_client_that_does_not_read_gets_a_gap_and_delays_nobody(open_site: Open) -> None:
    async def test(site: Site) -> None:
        site.api.feed._held = 600_000
        async with listening(site.api) as url:
            place = urlsplit(url)
            slow = socket.create_connection((place.hostname, place.port))
            lines = ["GET /api/events/stream HTTP/1.1", f"Host: {place.netloc}"]
            slow.sendall("\r\n".join([*lines, f"Authorization: Bearer {site.access.token}", "", ""]).encode())
            await until(lambda: site.api.feed._waiting)
            store, flood = site.server.store, 4000
            quick = asyncio.ensure_future(stream(url, site, flood, last_event_id=store.last_seq))
            await until(lambda: len(site.api.feed._waiting) == 2)
            for _ in range(flood // 100):
                await store.append(*[AgentLost("ada", "x" * 2000) for _ in range(100)])
                await until(lambda: quick.done() or site.api.feed._waiting)  # the quick one has read
            assert len({one.seq for one in await quick}) == flood
            seen = await asyncio.to_thread(_drained, slow, b'"kind": "gap"')
            assert b'"reason": "slow"' in seen

    run(open_site, test)


def _drained(slow: socket.socket, word: bytes) -> bytes:
    """Read on until the word was seen."""
    seen = b""
    slow.settimeout(30)
    with slow:
        while word not in seen or b"\n\n" not in seen[seen.index(word) :]:
            more = slow.recv(1 << 20)
            assert more
            seen = seen[-1000:] + more
    return seen


def test_streams_are_bounded_and_a_stranger_gets_none(open_site: Open) -> None:
    async def test(site: Site) -> None:
        async with listening(site.api) as url, httpx.AsyncClient(headers=site.token, timeout=30) as browser:
            where = f"{url}/api/events/stream"
            async with browser.stream("GET", where), browser.stream("GET", where):
                answer = await browser.get(where)
                assert code_of(answer) == "TOO_MANY_STREAMS"
            async with client(site.api) as stranger:
                assert (await stranger.get("/api/events/stream")).status_code == 401
            auditor = {"authorization": f"Bearer {site.access.mint(Role.AUDITOR)}"}
            await until(lambda: not site.api._streams._open)
            async with browser.stream("GET", where, headers=auditor) as allowed:
                assert allowed.status_code == 200

    run(open_site, test, max_streams=2)
