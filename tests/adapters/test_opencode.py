"""OpenCode's API as it answers, from a server in this very process: which session is found, and what is posted."""

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from paneward.adapters.clock import SystemClock
from paneward.adapters.kinds import opencode
from paneward.adapters.kinds.opencode import OpenCodeApi
from paneward.core.errors import TmuxError, TmuxTimeout
from paneward.core.terminal.scene import ProcessFacts, Scene, Snapshot

ROW = "  ┃  Build · Lab Model Lab"
SESSION = {"id": "ses_1", "title": "fix the parser", "agent": "build", "model": {"id": "m1", "providerID": "lab"}}
PROVIDERS = {"providers": [{"id": "lab", "name": "Lab", "models": {"m1": {"name": "Lab Model"}}}]}


class Answering(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Endpoint)
        self.sessions: list[dict[str, Any]] = [SESSION]
        self.messages: list[dict[str, Any]] = []
        self.posted: list[dict[str, Any]] = []
        self.status = 204
        self.shows = True


class Endpoint(BaseHTTPRequestHandler):
    server: Answering

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""

    def do_GET(self) -> None:
        whole = {"/session": self.server.sessions, "/config/providers": PROVIDERS}
        self._say(200, whole.get(self.path, self.server.messages))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.posted.append({"path": self.path, **body})
        if self.server.status == 204 and self.server.shows:
            message = {"info": {"id": f"msg_{len(self.server.messages)}", "role": "user"}, "parts": body["parts"]}
            self.server.messages.append(message)
        self._say(self.server.status, None)

    def _say(self, status: int, value: Any) -> None:
        data = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def answering() -> Iterator[Answering]:
    server = Answering()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def seen(server: Answering, title: str = "OC | fix the parser", row: str = ROW, argv: str = "") -> Scene:
    argv = argv or f"opencode --port {server.server_address[1]}"
    snapshot = Snapshot("%1", ("", row, "  ╹▀▀▀"), 80, 3, 0, 0, title=title)
    return Scene(snapshot, ProcessFacts("opencode", argv, os.getpid()))


def found(*scenes: Scene) -> bool:
    """Whether it is found in a pane that looks like one scene after the other, and like the last from then on."""
    coming = list(scenes)

    async def look() -> Scene:
        return coming.pop(0) if len(coming) > 1 else coming[0]

    async def act() -> bool:
        return not isinstance(await OpenCodeApi(SystemClock()).find(await look(), look), str)

    return asyncio.run(act())


def posted(scene: Scene, text: str) -> None:
    async def look() -> Scene:
        return scene

    async def act() -> None:
        post = await OpenCodeApi(SystemClock()).find(scene, look)
        assert not isinstance(post, str)
        await post(text)

    asyncio.run(act())


def test_a_text_goes_to_the_session_that_the_pane_shows_with_its_agent_and_model() -> None:
    with answering() as server:
        posted(seen(server), "exit")
        assert server.posted == [
            {
                "path": "/session/ses_1/prompt_async",
                "agent": "build",
                "model": {"providerID": "lab", "modelID": "m1"},
                "parts": [{"type": "text", "text": "exit"}],
            }
        ]


def test_a_port_is_found_by_what_the_process_listens_on_where_it_was_left_to_it() -> None:
    with answering() as server:
        assert found(seen(server, argv="opencode --port 0"))
        assert found(seen(server, argv=f"opencode --port={server.server_address[1]} --continue"))


@pytest.mark.parametrize(
    "how",
    [
        {"title": "OpenCode"},  # no session yet
        {"title": "OC | another one"},
        {"row": "  ┃  Plan · Lab Model Lab"},  # the operator chose another agent since
        {"row": "  ┃  Build · Other Model Lab"},
        {"row": "  Build · Lab Model Lab"},  # in the transcript
        {"argv": "opencode"},
        {"argv": "opencode --port 1"},  # somebody else's
    ],
)
def test_where_the_session_cannot_be_told_none_is_found(how: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opencode, "SETTLES", 0.1)
    with answering() as server:
        assert not found(seen(server, **how))


@pytest.mark.parametrize("how", [{"title": "OC | New session"}, {"row": "  ┃"}])
def test_a_pane_that_is_just_being_drawn_is_looked_at_again(how: dict[str, str]) -> None:
    with answering() as server:
        assert found(seen(server, **how), seen(server))


def test_two_sessions_of_one_title_cannot_be_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opencode, "SETTLES", 0.1)
    with answering() as server:
        server.sessions = [SESSION, {**SESSION, "id": "ses_2"}]
        assert not found(seen(server))
        server.sessions[1]["parentID"] = "ses_1"  # of a subagent, which the pane does not show
        assert found(seen(server))


def test_words_of_another_version_are_no_session() -> None:
    with answering() as server:
        server.sessions = [{"name": "what is this?"}]
        assert not found(seen(server))


def test_a_text_that_is_refused_was_not_taken() -> None:
    with answering() as server:
        server.status = 400
        with pytest.raises(TmuxError, match="did not take") as caught:
            posted(seen(server), "hello")
        assert not isinstance(caught.value, TmuxTimeout)


def test_a_text_that_is_taken_and_never_shown_may_have_been_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opencode, "TAKES", 0.2)
    with answering() as server:
        server.shows = False
        with pytest.raises(TmuxTimeout):
            posted(seen(server), "hello")


def test_an_older_message_of_the_same_words_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opencode, "TAKES", 0.2)
    with answering() as server:
        posted(seen(server), "again")
        server.shows = False
        with pytest.raises(TmuxTimeout):
            posted(seen(server), "again")
