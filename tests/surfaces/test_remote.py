"""The client of a server, on a real socket, with a server that behaves as no good one does."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from paneward.core.errors import Code, PanewardError, ServerError
from paneward.core.events import Stored
from paneward.surfaces.cli.asking import Wanted
from paneward.surfaces.cli.following import events_for_ever
from paneward.surfaces.cli.logs import configure
from paneward.surfaces.cli.remote import Remote, found, opened, required
from paneward.surfaces.cli.whereabouts import Whereabouts, tell

Answering = Callable[["Asked"], None]


class Asked(BaseHTTPRequestHandler):
    """One request, answered by the test."""

    answering: Answering
    seen: list[str]

    def do_GET(self) -> None:
        self.seen.append(f"{self.path} {self.headers.get('Authorization', '')}")
        type(self).answering(self)

    do_POST = do_GET

    def log_message(self, *_: Any) -> None:
        pass

    def answer(self, status: int, body: Any, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write((body if isinstance(body, str) else json.dumps(body)).encode())


@contextmanager
def serving(answering: Answering) -> Iterator[tuple[Whereabouts, list[str]]]:
    handler = type("Handler", (Asked,), {"answering": staticmethod(answering), "seen": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Whereabouts(f"http://127.0.0.1:{server.server_address[1]}", 1, "0.1.0"), handler.seen  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()


def asked(where: Whereabouts, question: Callable[[Remote], Any], token: str = "secret") -> Any:
    async def go() -> Any:
        async with opened(where, token) as remote:
            return await question(remote)

    return asyncio.run(go())


# --- answers


def test_the_token_goes_with_each_request_and_what_is_not_given_stays_out() -> None:
    with serving(lambda request: request.answer(200, {"fine": True})) as (where, seen):
        assert asked(where, lambda remote: remote.get("/x", lines=3, agent=None)) == {"fine": True}
    assert seen == ["/x?lines=3 Bearer secret"]


def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with serving(lambda request: request.answer(200, {})) as (where, _):
        assert asked(where, lambda remote: remote.get("/x")) == {}


@pytest.mark.parametrize(("status", "body"), [(502, "<html>bad gateway"), (200, "")])
def test_an_answer_that_is_no_document_is_an_error_or_the_text(status: int, body: str) -> None:
    with serving(lambda request: request.answer(status, body)) as (where, _):
        if status == 200:
            assert asked(where, lambda remote: remote.get("/x")) == ""
        else:
            with pytest.raises(ServerError, match="HTTP 502"):
                asked(where, lambda remote: remote.get("/x"))


def test_an_error_keeps_its_code_message_and_hint() -> None:
    error = {"code": "WRONG_STATE", "message": "it is IDLE", "hint": "ps", "request_id": "1"}
    refusing = serving(lambda request: request.answer(409, {"status": "error", "error": error}))
    with refusing as (where, _), pytest.raises(PanewardError) as caught:
        asked(where, lambda remote: remote.post("/api/respond/a", {}))
    assert (caught.value.code, caught.value.message, caught.value.hint) == (Code.WRONG_STATE, "it is IDLE", "ps")


def test_a_failed_receipt_is_an_answer_and_no_exception() -> None:
    written = {"verdict": "failed", "error": {"code": "SEND_FAILED", "message": "", "hint": ""}}
    with serving(lambda request: request.answer(502, written)) as (where, _):
        assert asked(where, lambda remote: remote.post("/x", {})) == written


def test_a_server_that_is_silent_is_a_time_out_and_one_that_hangs_up_is_unreachable() -> None:
    let_go = threading.Event()
    with serving(lambda request: (let_go.wait() and None) or None) as (where, _):
        with pytest.raises(ServerError, match="did not answer in time") as caught:
            asked(where, lambda remote: remote.get("/x", 0.05))
        let_go.set()
    assert caught.value.code is Code.TIMEOUT
    hanging_up = serving(lambda request: request.connection.close())
    with hanging_up as (where, _), pytest.raises(ServerError, match="cannot be reached"):
        asked(where, lambda remote: remote.get("/x"))
    with pytest.raises(ServerError, match="cannot be reached"):
        asked(where, lambda remote: remote.get("/x"))


# --- is it there?


def test_only_a_server_that_answers_to_the_token_is_one(tmp_path: Path) -> None:
    async def is_there() -> bool:
        async with found(tmp_path) as remote:
            return remote is not None

    assert asyncio.run(is_there()) is False
    (tmp_path / "token").write_text("secret\n")
    for status, body, there in [
        (200, {"version": "1"}, True),
        (401, {}, False),
        (200, "text", False),
        (200, [1], False),
    ]:
        with serving(lambda request, status=status, body=body: request.answer(status, body)) as (where, _):  # type: ignore[misc]
            tell(tmp_path, where)
            assert asyncio.run(is_there()) is there, body
    assert asyncio.run(is_there()) is False


def test_who_needs_one_is_told_that_there_is_none(tmp_path: Path) -> None:
    async def ask() -> None:
        async with required(tmp_path):
            pass

    with pytest.raises(ServerError, match="no server runs") as caught:
        asyncio.run(ask())
    assert caught.value.code is Code.SERVER_NOT_RUNNING
    tell(tmp_path, Whereabouts("http://127.0.0.1:9", 77, "0.1.0"))
    with pytest.raises(ServerError, match=r"no server answers at http://127.0.0.1:9, .*process 77"):
        asyncio.run(ask())


def test_a_certificate_that_is_gone_is_named(tmp_path: Path) -> None:
    where = Whereabouts("https://127.0.0.1:9", 77, "0.1.0", str(tmp_path / "gone.pem"))
    with pytest.raises(ServerError, match=r"gone\.pem"):
        asked(where, lambda remote: remote.get("/x"))


# --- following


def written(seq: int) -> dict[str, Any]:
    return {"seq": seq, "at": 1.0, "kind": "turn_stored", "agent_id": "a", "turn": {"id": seq}}


def message(seq: int) -> str:
    return f"id: {seq}\nevent: turn_stored\ndata: {json.dumps(written(seq))}\n\n"


class Forgetful:
    """A server that tells events 1 to 6, with a gap in its first stream and an end in the middle of the second."""

    def __init__(self) -> None:
        self.streams = 0

    def __call__(self, request: Asked) -> None:
        path, query = urlsplit(request.path).path, parse_qs(urlsplit(request.path).query)
        if path == "/api/version":
            request.answer(200, {"version": "0.1.0"})
        elif path == "/api/events":
            after, limit = int(query.get("after", ["0"])[0]), int(query["limit"][0])
            request.answer(200, {"events": [written(seq) for seq in range(after + 1, 7)][:limit], "seq": 6})
        else:
            self.stream(request, int(query["last_event_id"][0]))

    def stream(self, request: Asked, after: int) -> None:
        self.streams += 1
        gap = 'id: 4\nevent: gap\ndata: {"kind": "gap", "after": 1, "seq": 4, "reason": "slow"}\n\n'
        text = ": paneward\n\n" + message(1) + gap if self.streams == 1 else message(after + 1)
        request.answer(200, text, "text/event-stream")


def followed(wanted: Wanted, most: int) -> list[Stored]:
    async def go() -> list[Stored]:
        async with aclosing(events_for_ever(wanted)) as events:
            return [await anext(events) for _ in range(most)]

    return asyncio.run(go())


def test_gaps_are_filled_from_the_log_and_broken_streams_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANEWARD_STATE_DIR", str(tmp_path))
    (tmp_path / "token").write_text("secret\n")
    with serving(Forgetful()) as (where, seen):
        tell(tmp_path, where)
        events = followed(Wanted(after=0, types=("turn_stored", "state_changed"), agent="a"), 6)
    assert [event.seq for event in events] == [1, 2, 3, 4, 5, 6]
    assert events[0] == Stored(1, 1.0, "turn_stored", "a", {"turn": {"id": 1}})
    streams = [line for line in seen if "/api/events/stream" in line]
    assert all("types=turn_stored%2Cstate_changed&agent=a" in line for line in streams)


def test_without_a_number_the_newest_are_told_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANEWARD_STATE_DIR", str(tmp_path))
    (tmp_path / "token").write_text("secret\n")
    with serving(Forgetful()) as (where, _):
        tell(tmp_path, where)
        assert [event.seq for event in followed(Wanted(limit=2), 2)] == [1, 2]


# --- the log


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_log_tells_when_what_and_what_else_and_no_credentials(form: Any, tmp_path: Path) -> None:
    import logging

    root = logging.root
    before = root.handlers[:], root.level
    try:
        with open(tmp_path / "log", "w+") as file:
            configure(form, "info", file)
            secret = "sk-ant-" + "a" * 40
            logging.getLogger("paneward.server").info("a key %s", secret, extra={"pid": 12})
            logging.getLogger("paneward.server").debug("not this")
            logging.getLogger("uvicorn.error").info("nor this")
            try:
                raise ValueError(f"with {secret}")
            except ValueError:
                logging.getLogger("paneward.server").exception("it failed")
            file.seek(0)
            text = file.read()
    finally:
        root.handlers[:], root.level = before
    assert secret not in text
    assert "a key" in text
    assert "12" in text
    assert "ValueError" in text
    assert "this" not in text.replace("this log", "")
    if form == "json":
        assert [json.loads(line)["level"] for line in text.splitlines()] == ["info", "error"]
