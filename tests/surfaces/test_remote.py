"""The client of a server, on a real socket, with a server that behaves as no good one does."""

import io
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from rich.console import Console

from paneward.client.agents import EventQuery
from paneward.client.remote import found, required
from paneward.client.unix_http import BrokenAnswer, HttpAnswer
from paneward.client.whereabouts import Whereabouts, tell
from paneward.core.agent.events import Stored
from paneward.core.errors import Code, PanewardError, ServerError
from paneward.surfaces.cli.answers import AgentList
from paneward.surfaces.cli.commands.follow import Pulse, _drawn, _say, events_for_ever
from paneward.surfaces.server.log import configure

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


class UnixServer(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True

    def get_request(self) -> tuple[Any, Any]:
        return self.socket.accept()[0], ("", 0)


@contextmanager
def serving(answering: Answering, directory: Path) -> Iterator[list[str]]:
    """A server on the socket of this state directory, and where it is."""
    handler = type("Handler", (Asked,), {"answering": staticmethod(answering), "seen": []})
    (directory / "server.sock").unlink(missing_ok=True)
    with UnixServer(str(directory / "server.sock"), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        tell(directory, Whereabouts("http://127.0.0.1:9", 77, "0.1.0"))
        (directory / "token").write_text("secret\n")
        try:
            yield handler.seen  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A state directory with a short path, which a plain socket of the standard library can be bound in."""
    with TemporaryDirectory(prefix="paneward-test-") as folder:
        monkeypatch.setenv("PANEWARD_STATE_DIR", folder)
        yield Path(folder)


# --- answers


def test_the_token_goes_with_each_request_and_what_is_not_given_stays_out(here: Path) -> None:
    with serving(lambda request: request.answer(200, {"fine": True}), here) as seen:
        assert required(here).get("/x", lines=3, agent=None, ansi=False) == {"fine": True}
    assert seen == ["/x?lines=3&ansi=false Bearer secret"]


@pytest.mark.parametrize(("status", "body"), [(502, "<html>bad gateway"), (200, "")])
def test_an_answer_that_is_no_document_is_an_error_or_the_text(status: int, body: str, here: Path) -> None:
    with serving(lambda request: request.answer(status, body), here):
        if status == 200:
            assert required(here).get("/x") == ""
        else:
            with pytest.raises(ServerError, match="HTTP 502"):
                required(here).get("/x")


def test_an_error_keeps_its_code_message_and_hint(here: Path) -> None:
    error = {"code": "WRONG_STATE", "message": "it is IDLE", "hint": "ps", "request_id": "1"}
    refusing = serving(lambda request: request.answer(409, {"status": "error", "error": error}), here)
    with refusing, pytest.raises(PanewardError) as caught:
        required(here).post("/api/respond/a", {})
    assert (caught.value.code, caught.value.message, caught.value.hint) == (Code.WRONG_STATE, "it is IDLE", "ps")


def test_a_failed_receipt_is_an_answer_and_no_exception(here: Path) -> None:
    written = {"verdict": "failed", "error": {"code": "SEND_FAILED", "message": "", "hint": ""}}
    with serving(lambda request: request.answer(502, written), here):
        assert required(here).post("/x", {}) == written


def test_a_server_that_is_silent_is_a_time_out_and_one_that_hangs_up_is_unreachable(here: Path) -> None:
    let_go = threading.Event()
    with serving(lambda request: (let_go.wait() and None) or None, here):
        with pytest.raises(ServerError, match="did not answer in time") as caught:
            required(here).get("/x", 0.05)
        let_go.set()
    assert caught.value.code is Code.TIMEOUT
    hanging_up = serving(lambda request: request.connection.close(), here)
    with hanging_up:
        remote = required(here)
        with pytest.raises(ServerError, match="cannot be reached"):
            remote.get("/x")
    with pytest.raises(ServerError, match="cannot be reached"):
        remote.get("/x")


def test_who_waits_long_is_shown_a_sign_of_life_and_still_gets_the_answer(here: Path) -> None:
    let_go = threading.Event()

    def answering(request: Asked) -> None:
        let_go.wait()
        request.answer(200, {"late": True})

    with serving(answering, here):
        remote = required(here)
        remote.waiting = let_go.set
        assert remote.get("/x") == {"late": True}


def test_other_requests_are_ended_by_hanging_up(here: Path) -> None:
    asked, let_go = threading.Event(), threading.Event()

    def answering(request: Asked) -> None:
        asked.set()
        let_go.wait()

    with serving(answering, here):
        remote, failures = required(here), []

        def ask() -> None:
            try:
                remote.get("/x", None)
            except ServerError as error:
                failures.append(error.message)

        thread = threading.Thread(target=ask)
        thread.start()
        asked.wait()
        remote.hang_up()
        thread.join()
        let_go.set()
    assert len(failures) == 1


# --- is it there?


def test_a_server_is_there_while_somebody_listens_on_its_socket(here: Path) -> None:
    assert found(here) is None
    tell(here, Whereabouts("http://127.0.0.1:9", 77, "0.1.0"))
    assert found(here) is None
    with serving(lambda request: request.answer(200, {}), here):
        assert found(here) is not None
    assert found(here) is None, "its socket was left behind"


def test_who_needs_one_is_told_that_there_is_none(here: Path) -> None:
    with pytest.raises(ServerError, match="no server runs") as caught:
        required(here)
    assert caught.value.code is Code.SERVER_NOT_RUNNING
    tell(here, Whereabouts("http://127.0.0.1:9", 77, "0.1.0"))
    with pytest.raises(ServerError, match=r"no server answers at http://127.0.0.1:9, .*process 77"):
        required(here)


def test_a_token_file_that_cannot_be_read_or_is_not_taken_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = here / "own-token"
    monkeypatch.setenv("PANEWARD_TOKEN_FILE", str(own))
    refused = {"error": {"code": "UNAUTHORIZED", "message": "the token is not one of this server", "hint": ""}}
    with serving(lambda request: request.answer(401, refused), here):
        with pytest.raises(PanewardError, match=r"cannot read the token in .*own-token: No such file"):
            required(here)
        own.write_text("stale")
        with pytest.raises(PanewardError, match="own-token") as caught:
            required(here).get("/x")
    assert caught.value.code is Code.UNAUTHORIZED
    assert "PANEWARD_TOKEN_FILE" in caught.value.hint


# --- the bytes of an answer


def said(text: bytes) -> tuple[int, bytes]:
    """The status and the body of an answer that ends with its connection."""
    ours, theirs = socket.socketpair()
    with ours:
        theirs.sendall(text)
        theirs.close()
        answer = HttpAnswer(ours)
        return answer.head(), answer.body()


@pytest.mark.parametrize(
    ("text", "status", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more", 200, b"hello"),
        (b"HTTP/1.1 404 Not Found\r\n\r\nuntil the end", 404, b"until the end"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
            200,
            b"abc0123456789",
        ),
    ],
)
def test_a_body_ends_by_its_length_its_last_chunk_or_the_connection(text: bytes, status: int, body: bytes) -> None:
    assert said(text) == (status, body)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 fine\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nab",
    ],
)
def test_an_answer_that_is_cut_off_or_is_none_is_broken(text: bytes) -> None:
    with pytest.raises(BrokenAnswer):
        said(text)


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


def followed(wanted: EventQuery, most: int) -> list[Stored]:
    events = (event for event in events_for_ever(wanted) if isinstance(event, Stored))
    return [next(events) for _ in range(most)]


def test_gaps_are_filled_from_the_log_and_broken_streams_taken_up(here: Path) -> None:
    with serving(Forgetful(), here) as seen:
        events = followed(EventQuery(after=0, types=("turn_stored", "state_changed"), agent="a"), 6)
    assert [event.seq for event in events] == [1, 2, 3, 4, 5, 6]
    assert events[0] == Stored(1, 1.0, "turn_stored", "a", {"turn": {"id": 1}})
    streams = [line for line in seen if "/api/events/stream" in line]
    assert all("types=turn_stored%2Cstate_changed&agent=a" in line for line in streams)


def test_without_a_number_the_newest_are_told_first(here: Path) -> None:
    with serving(Forgetful(), here):
        assert [event.seq for event in followed(EventQuery(limit=2), 2)] == [1, 2]


def test_a_server_that_goes_away_and_comes_back_is_told_of(here: Path) -> None:
    following = events_for_ever(EventQuery(after=0))
    with serving(Forgetful(), here):
        assert isinstance(next(following), Stored)
    assert any(event is Pulse.GONE for event in following)
    with serving(Forgetful(), here):
        assert any(event is Pulse.BACK for event in following)


def test_a_quiet_stream_ticks(here: Path) -> None:
    class Quiet(Forgetful):
        def stream(self, request: Asked, after: int) -> None:
            request.answer(200, ": paneward\n\n", "text/event-stream")
            request.wfile.flush()
            done.wait()

    done = threading.Event()
    with serving(Quiet(), here):
        following = events_for_ever(EventQuery(after=0), tick=0.01)
        assert next(following) is Pulse.TICK
        done.set()


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


def test_who_watches_is_told_that_the_server_is_gone(capsys: pytest.CaptureFixture[str]) -> None:
    _say(Pulse.GONE)
    assert capsys.readouterr().err.startswith("paneward: the server is gone\n")
    shown = Console(width=80, file=io.StringIO())
    shown.print(_drawn(AgentList(()), gone=True))
    assert "the server is gone" in shown.file.getvalue()  # type: ignore[attr-defined]
