"""What OpenCode's API tells of its conversations, by a server that answers as it does."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from paneward.adapters.transcripts.asking import read
from paneward.core.usage import Account
from paneward.ports import Grown
from tests.adapters.conftest import TmuxServer
from tests.adapters.test_transcripts import found, started
from tests.core.usage.transcripts import tokens

BEGAN = 1_000.0  # when the agent was started


def counted(read: int, out: int, cached: int = 0) -> dict[str, Any]:
    return {"input": read, "output": out, "reasoning": 0, "cache": {"read": cached, "write": 0}}


def session(name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name, "directory": "/work", "cost": 0, "tokens": counted(800, 50, 200),
        "model": {"id": "lab-model", "providerID": "lab"}, "time": {"created": 1_001_000, "updated": 1_002_000}, **more,
    }  # fmt: skip


LAST = {"info": {"role": "assistant", "tokens": counted(700, 20, 100), "providerID": "lab", "modelID": "lab-model"}}
PROVIDERS = {"providers": [{"id": "lab", "models": {"lab-model": {"limit": {"context": 8200}}}}]}


class Answering(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        data = json.dumps(self.server.said[path]).encode() if path in self.server.said else b"{"  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def answering(*sessions: dict[str, Any]) -> Iterator[tuple[dict[str, Any], int]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    said: dict[str, Any] = {"/session": list(sessions), "/config/providers": PROVIDERS, "/session/main/message": [LAST]}
    server.said = said  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield said, int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_conversations_and_those_of_sub_agents_are_summed() -> None:
    others = session("far", directory="/elsewhere"), session("old", time={"created": 1, "updated": 2})
    with answering(session("main"), session("sub", parentID="main"), *others) as (said, port):
        account = Account("opencode", "")
        assert read(account, port, "/work", BEGAN) == Grown(True, False)
        assert read(account, port, "/work", BEGAN) == Grown(False, False)
        usage = account.usage(0)
        assert (tokens(usage), usage.cost, usage.source) == ((1600, 100, 400), None, "api")
        assert (usage.context_used, usage.context_left, usage.model) == (820, 90, "lab-model")
        said["/session"][0] = session("main", tokens=counted(900, 60, 200), cost=0.5)
        read(account, port, "/work", BEGAN)
        assert (tokens(account.usage(0)), account.usage(0).cost) == ((1700, 110, 400), 0.5)


def test_a_conversation_that_is_resumed_counts_from_there_on() -> None:
    resumed = session("main", time={"created": 5_000, "updated": 1_002_000})
    with answering(resumed) as (said, port):
        account = Account("opencode", "")
        read(account, port, "/work", BEGAN)
        assert tokens(account.usage(0)) == (0, 0, 0)
        said["/session"] = [{**resumed, "tokens": counted(850, 51, 200)}]
        read(account, port, "/work", BEGAN)
        assert tokens(account.usage(0)) == (50, 1, 0)


@pytest.mark.parametrize("wrong", [None, {}, [{}], [5], "text", [{**session("main"), "tokens": {"input": "x"}}]])
def test_words_that_are_not_known_tell_nothing(wrong: Any) -> None:
    with answering() as (said, port):
        said["/session"] = wrong
        account = Account("opencode", "")
        assert read(account, port, "/work", BEGAN) == Grown(False, False)
        assert tokens(account.usage(0)) == (0, 0, 0)


def test_who_does_not_answer_tells_nothing() -> None:
    with answering() as (_, port):
        pass
    assert read(Account("opencode", ""), port, "/work", BEGAN) == Grown(False, False)


def test_one_that_was_not_told_to_listen_is_not_asked(tmux_server: TmuxServer) -> None:
    assert found("opencode", started(tmux_server, "opencode")) is None
