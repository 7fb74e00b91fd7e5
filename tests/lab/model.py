"""The model that real agents talk to in the lab: a server on loopback that answers by script and keeps what arrived.

A driver that types into an agent can only be judged by what the agent finally sends to its model. A request is a
*turn* when it offers tools (or when `toolless` says that this agent never does): turns take the next scripted reply.
Side requests (titles, summaries, token counts) never do; they get a short answer that keeps the agent going.

Where the reply to a turn comes from: a directive in the typed text, `((model {"before": 3}))`, for a person who drives
the lab by hand; else the script (`model.script(...)`, or a POST to /_model/script); else the default.
"""

import gzip
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from tests.lab.dialects import Asked, Json, dialect_of, new_texts, read
from tests.lab.replies import STREAM, WHOLE, Event, Hold, Pause, Reply, Stop, from_schema, reply_from, spoken

DIRECTIVE = re.compile(r"\(\(model (\{.*\})\)\)", re.DOTALL)
SUGGESTED = Reply("run the tests")
ASIDE = Reply("an answer beside the point")
AFTER_TOOL = Reply("The tool said: {tool}")
DEFAULT = Reply("Understood.")
LONGEST_HOLD = 600.0
MODELS = ("lab-model", "claude-sonnet-4-5", "gpt-5", "gemini-2.5-flash")


@dataclass(frozen=True, slots=True)
class Arrival:
    """One request as it arrived."""

    number: int
    at: float  # monotonic seconds
    path: str
    asked: Asked
    turn: bool
    body: Json


class Model:
    """A model server of one agent: its script, and the log of what arrived. Use it as a context."""

    def __init__(self, toolless: bool = False, log: Path | None = None, port: int = 0) -> None:
        self._toolless = toolless
        self._log = log
        self._changed = threading.Condition()
        self._script: list[Reply] = []
        self._arrivals: list[Arrival] = []
        self._released = 0
        self._held = 0
        self.default = DEFAULT
        self._server = _Server(("127.0.0.1", port), _Endpoint)
        self._server.model = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._released = 1 << 30
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    # --- for tests

    def script(self, *replies: Reply) -> None:
        """Replies for the next turns, one each."""
        with self._changed:
            self._script.extend(replies)

    def release(self) -> None:
        """Let the held reply go on."""
        with self._changed:
            self._released += 1
            self._changed.notify_all()

    @property
    def holding(self) -> bool:
        """A reply waits to be released."""
        with self._changed:
            return self._held > self._released

    def arrivals(self) -> tuple[Arrival, ...]:
        with self._changed:
            return tuple(self._arrivals)

    def turns(self) -> tuple[Arrival, ...]:
        return tuple(one for one in self.arrivals() if one.turn)

    def prompts(self) -> list[str]:
        """Exactly what was typed, in the order in which it arrived, each text once per submission."""
        found: list[str] = []
        before: tuple[str, ...] = ()
        for typed in (turn.asked.typed for turn in self.turns() if turn.asked.typed):
            found += new_texts(before, typed)
            before = typed
        return found

    def results(self) -> list[str]:
        """What tools said, one per turn that brought a result."""
        return [turn.asked.result for turn in self.turns() if turn.asked.result is not None]

    def wait(self, condition: Callable[[], object], seconds: float = 90.0) -> bool:
        """Until a condition over the arrivals holds; False when the time is up."""
        until = time.monotonic() + seconds
        while not condition():
            with self._changed:
                left = until - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(min(left, 0.25))
        return True

    # --- for the endpoint

    def take(self, path: str, dialect: str, body: Json) -> tuple[Asked, Reply]:
        """Keep a request and choose its reply."""
        asked = read(dialect, path, body)
        turn = bool(asked.tools or (self._toolless and asked.typed)) and not asked.suggests
        with self._changed:
            reply = self._choose(asked, turn)
            arrival = Arrival(len(self._arrivals) + 1, time.monotonic(), path, asked, turn, body)
            self._arrivals.append(arrival)
            self._write(arrival)
            self._changed.notify_all()
        return asked, spoken(reply, asked)

    def _choose(self, asked: Asked, turn: bool) -> Reply:
        if not turn:
            return SUGGESTED if asked.suggests else ASIDE
        directive = DIRECTIVE.search(asked.newest) if asked.result is None else None
        if directive:
            return directed(directive[1])
        if self._script:
            return self._script.pop(0)
        return self.default if asked.result is None else AFTER_TOOL

    def _write(self, arrival: Arrival) -> None:
        if self._log is None:
            return
        row = {"number": arrival.number, "path": arrival.path, "turn": arrival.turn, "body": arrival.body}
        with self._log.open("a") as log:
            log.write(json.dumps(row, ensure_ascii=False) + "\n")

    def hold(self) -> None:
        """Wait until this reply is released, or the lab closes."""
        with self._changed:
            self._held += 1
            mine = self._held
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._released >= mine, LONGEST_HOLD)


def directed(spec: str) -> Reply:
    """The reply that a directive asks for; what is wrong with it is said as the answer."""
    try:
        return reply_from(json.loads(spec))
    except (ValueError, TypeError, KeyError) as error:
        return Reply(f"The directive cannot be read: {error}")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a held reply must not keep the lab from closing
    request_queue_size = 64
    model: Model

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Agents break connections off when a turn is interrupted; that is no news."""


class _Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """The log of the lab is the arrivals."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/_model/prompts":
            self._json(self.server.model.prompts())
        elif path.endswith("/models"):
            rows = [{"id": name, "object": "model", "type": "model", "display_name": name} for name in MODELS]
            self._json({"object": "list", "data": rows})
        else:
            self._json({"error": {"type": "not_found_error", "message": path}}, 404)

    def do_POST(self) -> None:
        path, raw = urlsplit(self.path).path, self._body()
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            return self._json({"error": {"message": "the body is not JSON"}}, 400)
        try:
            if path.startswith("/_model/"):
                self._control(path.removeprefix("/_model/"), body)
            else:
                self._answer(path, body)
        except ConnectionError:
            self.close_connection = True  # the agent gave the turn up
        return None

    def _control(self, verb: str, body: Any) -> None:
        if verb == "script":
            self.server.model.script(*map(reply_from, body if isinstance(body, list) else [body]))
        elif verb == "release":
            self.server.model.release()
        else:
            return self._json({"error": "script, release or prompts"}, 404)
        return self._json({"ok": True})

    def _answer(self, path: str, body: Json) -> None:
        if path.endswith(("/count_tokens", ":countTokens")):
            count = max(1, len(json.dumps(body)) // 4)
            return self._json({"input_tokens": count, "totalTokens": count})
        dialect = dialect_of(path)
        if dialect is None:
            return self._json({}, 200 if "event" in path else 404)  # telemetry is content with anything
        asked, reply = self.server.model.take(path, dialect, body)
        time.sleep(reply.before)
        if reply.hold is Hold.BEFORE:
            self.server.model.hold()
        if reply.status != 200:
            error = {"type": "api_error", "code": reply.status, "message": reply.error}
            return self._json({"type": "error", "error": error}, reply.status)
        if (schema := _schema(body)) is not None and not asked.tools:
            reply = Reply(json.dumps(from_schema(schema)))
        if asked.stream:
            return self._stream(STREAM[dialect](reply, asked))
        return self._json(WHOLE[dialect](reply, asked))

    def _stream(self, pieces: Iterator[Event | Pause | Stop]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            match piece:
                case Event():
                    self._chunk(piece.encode())
                case Pause(seconds):
                    time.sleep(seconds)
                case Stop.HOLD:
                    self.server.model.hold()
                case Stop.CUT:
                    raise ConnectionAbortedError
        self._chunk(b"")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _json(self, value: Any, status: int = 200) -> None:
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _body(self) -> bytes:
        chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        data = self._chunked() if chunked else self.rfile.read(int(self.headers.get("content-length") or 0))
        return gzip.decompress(data) if self.headers.get("content-encoding") == "gzip" else data

    def _chunked(self) -> bytes:
        data = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data


def _schema(body: Json) -> Any:
    config = body.get("generationConfig") or {}
    return config.get("responseJsonSchema") or config.get("responseSchema")
