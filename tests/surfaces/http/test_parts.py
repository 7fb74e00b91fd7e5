"""The parts behind the door, each alone: bodies, turns, figures, the document, the listener's end."""

import asyncio
import socket
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

import pytest

from paneward.core.agent.events import AgentLost
from paneward.core.audit import AuditEntry
from paneward.core.errors import Code, Denied, PanewardError
from paneward.core.result import Rung, SendResult, Verdict
from paneward.surfaces.http.access.gate import Gone, Signed, answer, read_body, replayed, unsigned
from paneward.surfaces.http.errors import delivered, envelope, refusal, status_of
from paneward.surfaces.http.metrics import METRICS, Counted, Figures, Metrics
from paneward.surfaces.http.mutations import KeyQueue, Mutations, UnsentAnswer
from paneward.surfaces.http.routes import bodies
from paneward.surfaces.http.routes.agents import named_keys
from paneward.surfaces.http.routes.params import Streams
from tests.surfaces.http.conftest import Open, Site, listening, until
from tests.surfaces.http.test_access import Hours
from tests.surfaces.http.test_routes import run

# --- bodies


async def _received(*messages: dict[str, Any], most: int = 10, length: str | None = None) -> bytes:
    waiting = list(messages)

    async def receive() -> dict[str, Any]:
        return waiting.pop(0)

    headers = {} if length is None else {b"content-length": [length]}
    return await read_body(receive, most, headers)


def chunk(body: bytes, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_is_read_whole() -> None:
    assert asyncio.run(_received(chunk(b"ab", True), chunk(b"", True), chunk(b"c"))) == b"abc"


def test_a_body_that_says_it_is_too_long_is_not_read() -> None:
    with pytest.raises(Denied, match="longer than 10"):
        asyncio.run(_received(length="11"))


def test_a_body_that_grows_too_long_is_not_read_on() -> None:
    with pytest.raises(Denied, match="longer than 10"):
        asyncio.run(_received(chunk(b"x" * 6, True), chunk(b"x" * 6, True), length="1"))


def test_who_leaves_while_asking_is_gone() -> None:
    with pytest.raises(Gone):
        asyncio.run(_received(chunk(b"x", True), {"type": "http.disconnect"}))


def test_a_body_is_handed_on_once_and_then_the_client_is_silent() -> None:
    async def test() -> None:
        receive = replayed(b"abc")
        assert await receive() == {"type": "http.request", "body": b"abc", "more_body": False}
        assert (await receive())["type"] == "http.disconnect"

    asyncio.run(test())


def test_what_a_body_asks_for_is_all_but_who_says_so() -> None:
    given = bodies.given(bodies.KeyPress(["Enter"], sender="ada"))
    assert given == {"keys": ["Enter"], "verify_enter": False, "timeout": 30.0, "expect": None}


def test_single_characters_are_not_shown_in_the_audit() -> None:
    assert named_keys(["s", "é", "Enter", "C-c"]) == "· · Enter C-c"


# --- heads and refusals


def test_only_the_head_of_an_answer_is_signed() -> None:
    async def test() -> None:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        signed = Signed(send, "r1")
        await signed({"type": "http.response.start", "status": 200, "headers": [(b"cache-control", b"no-cache")]})
        body = {"type": "http.response.body", "body": b"x"}
        await signed(body)
        head = dict(sent[0]["headers"])
        assert (head[b"x-request-id"], head[b"cache-control"]) == (b"r1", b"no-cache")
        assert sent[1] is body
        assert unsigned(signed) is send
        assert unsigned(send) is send

    asyncio.run(test())


def test_a_server_that_cannot_answer_a_websocket_closes_it() -> None:
    async def test() -> None:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect"}

        failure = PanewardError("no", code=Code.FORBIDDEN)
        await answer(refusal(failure, "r1"), {"type": "websocket", "extensions": {}}, receive, send)
        assert sent == [{"type": "websocket.close", "code": 1008}]

    asyncio.run(test())


def test_an_error_has_one_form() -> None:
    assert envelope(PanewardError("what", code=Code.WRONG_STATE, hint="do"), "r1") == {
        "status": "error",
        "error_type": "wrong_state",
        "error": {"code": "WRONG_STATE", "message": "what", "hint": "do", "request_id": "r1"},
    }


@pytest.mark.parametrize(
    ("verdict", "code", "status"),
    [
        (Verdict.CONFIRMED, None, 200),
        (Verdict.UNCONFIRMED, None, 202),
        (Verdict.FAILED, Code.SEND_FAILED, 502),
        (Verdict.FAILED, Code.TIMEOUT, 502),
        (Verdict.FAILED, Code.BLOCKED_BY_DIALOG, 409),
        (Verdict.FAILED, Code.TEXT_TOO_LONG, 413),
        (Verdict.FAILED, Code.PANE_DEAD, 503),
    ],
)
def test_a_receipt_is_answered_by_its_verdict(verdict: Verdict, code: Code | None, status: int) -> None:
    result = SendResult(verdict, Rung.TYPED, "seen", code)
    assert delivered(result, "r1", named=True).status_code == status


def test_a_pane_that_is_gone_is_a_wrong_name_only_of_who_named_it() -> None:
    assert (status_of(Code.PANE_NOT_FOUND, named=True), status_of(Code.PANE_NOT_FOUND, named=False)) == (404, 503)


# --- changes


class Records:
    """Keeps what it is told, as slowly as it is made to."""

    def __init__(self) -> None:
        self.entries: list[AuditEntry] = []
        self.gate = asyncio.Event()
        self.full = False

    async def audit(self, entry: AuditEntry) -> None:
        await self.gate.wait()
        if self.full:
            raise OSError("no space left")
        self.entries.append(entry)

    async def reply(self, identity: str, key: str) -> None:
        return None

    async def keep_reply(self, *parts: Any) -> None:
        return None


async def _asked(mutations: Mutations, method: str = "POST", path: str = "/api/agents") -> int:
    captured = UnsentAnswer()
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": []}
    await mutations({**scope, "state": {"identity": None, "request_id": "r1"}}, replayed(b"{}"), captured.take)
    return captured.status


async def _done(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"{}"})


def test_an_answer_waits_until_the_action_is_on_record() -> None:
    async def test() -> None:
        records = Records()
        asking = asyncio.ensure_future(_asked(Mutations(_done, records, 100)))
        await asyncio.sleep(0)
        assert not asking.done()
        records.gate.set()
        assert await asking == 200
        assert [entry.result for entry in records.entries] == ["ok"]

    asyncio.run(test())


def test_an_entry_that_cannot_be_written_is_in_the_log_and_what_was_done_is_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        records = Records()
        records.full = True
        records.gate.set()
        assert await _asked(Mutations(_done, records, 100)) == 200

    asyncio.run(test())
    assert "no space left" in caplog.text


def test_one_at_a_time_for_each_key_and_nothing_is_left_behind() -> None:
    async def test() -> None:
        turns, inside, most = KeyQueue(), Counter[str](), 0

        async def work(key: str) -> None:
            nonlocal most
            async with turns.of(key):
                inside[key] += 1
                most = max(most, inside[key])
                await asyncio.sleep(0)
                inside[key] -= 1

        await asyncio.gather(*(work(key) for key in "aabbab"))
        assert most == 1
        assert not turns._locks
        assert not turns._users

    asyncio.run(test())


# --- figures


def figures() -> Metrics:
    return Metrics(
        Figures(
            lambda: ["IDLE", "IDLE", "AWAITING_INPUT"],
            lambda: 7,
            lambda: 2.5,
            Counter(turn_stored=3),
            Counter(echo=2),
            lambda: ["connected"],
            Counter({("codex", "out"): 50}),
            lambda: (2, 4096, 1),
        )
    )


def test_every_figure_is_told_with_what_it_means() -> None:
    metrics = figures()
    metrics.answered("/api/agents", "GET", 200, 0.003)
    metrics.gap("slow")
    with metrics.stream("events"):
        text = metrics.text().decode()
    assert 'paneward_agents{state="IDLE"} 2.0' in text
    assert 'paneward_hosts{state="connected"} 1.0' in text
    assert 'paneward_events_total{kind="turn_stored"} 3.0' in text
    assert "paneward_recordings 2.0\n" in text
    assert "paneward_recorded_bytes_total 4096.0\n" in text
    assert "paneward_recording_gaps_total 1.0\n" in text
    assert 'paneward_streams_open{kind="events"} 1.0' in text
    assert 'paneward_gaps_total{reason="slow"} 1.0' in text
    for name, words in METRICS.items():
        assert f"# HELP {name} {words}" in text


def test_a_path_of_a_stranger_is_no_label() -> None:
    async def test() -> None:
        metrics = figures()
        scope = {"type": "http", "method": "GET", "path": "/whatever", "state": {}}
        await Counted(_done, metrics, Hours())(scope, replayed(b""), UnsentAnswer().take)
        assert 'paneward_requests_total{method="GET",route="-",status="200"} 1.0' in metrics.text().decode()

    asyncio.run(test())


def test_streams_are_counted_down_again() -> None:
    streams = Streams(1, figures())
    for _ in range(3):
        with streams.open("events"), pytest.raises(Denied), streams.open("terminal"):
            raise AssertionError("it was opened")


# --- the end


def test_a_client_that_does_not_read_does_not_hold_up_the_end(open_site: Open) -> None:
    async def test(site: Site) -> None:
        with socket.socket() as slow:
            async with asyncio.timeout(60), listening(site.api, timeout_graceful_shutdown=None) as url:
                place = urlsplit(url)
                await asyncio.to_thread(slow.connect, (place.hostname, place.port))
                lines = ["GET /api/events/stream HTTP/1.1", f"Host: {place.netloc}"]
                slow.sendall("\r\n".join([*lines, f"Authorization: Bearer {site.access.token}", "", ""]).encode())
                await until(lambda: site.api.feed._waiting)
                for _ in range(60):
                    await site.server.store.append(*[AgentLost("ada", "x" * 2000) for _ in range(100)])
                await until(lambda: not site.api.feed._waiting)

    run(open_site, test)
