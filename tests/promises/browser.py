"""A browser as far as a server can tell: headers, a cookie jar, streams that stay open; and raw connections."""

import json
import socket
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from typing import Any

from paneward.adapters.clock import SystemClock
from paneward.surfaces.http.access.tokens import Access, Role
from tests.surfaces.serving import Up


@dataclass
class Answer:
    status: int
    headers: Any
    body: bytes

    @property
    def code(self) -> str:
        return str(json.loads(self.body)["error"]["code"])

    @property
    def document(self) -> Any:
        return json.loads(self.body)


@dataclass
class Browser:
    url: str
    cookie: str = ""
    headers: dict[str, str] = field(default_factory=lambda: {"sec-fetch-site": "same-origin"})

    def open(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> Any:
        """A response whose body is not read yet; an error is one as well."""
        given = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if self.cookie:
            given["cookie"] = self.cookie
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            given["content-type"] = "application/json"
        request = urllib.request.Request(f"{self.url}{path}", data, given, method=method)
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        for cookie in answer.headers.get_all("set-cookie", []):
            self.cookie = cookie.partition(";")[0]
        return answer

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> Answer:
        with self.open(path, method, body, **headers) as answer:
            return Answer(answer.status, answer.headers, answer.read())


def signed_in(server: Up) -> Browser:
    operator = bearer(server, "operator")
    code = operator.ask("/api/signin-code", "POST", {}).document["url"].rpartition("code=")[2]
    browser = Browser(server.said["url"])
    assert browser.ask(f"/signin?code={code}", sec_fetch_site="none").status == 200
    return browser


def bearer(server: Up, role: str, seconds: float = 900.0, agent: str = "") -> Browser:
    """A program with a token of a role."""
    token = Access.open(server.state, SystemClock()).mint(Role(role), agent, seconds=seconds)
    return Browser(server.said["url"], headers={"authorization": f"Bearer {token}"})


def connected(server: Up) -> socket.socket:
    """A connection that has not said anything."""
    at = urllib.parse.urlsplit(server.said["url"])
    return socket.create_connection((at.hostname or "", at.port or 0))


def said_to(server: Up, request: bytes) -> bytes:
    """What the server answers to some bytes, until it closes; nothing where it does not let us finish."""
    with connected(server) as sock:
        try:
            sock.sendall(request)
            return b"".join(iter(lambda: sock.recv(65536), b""))
        except (BrokenPipeError, ConnectionResetError):
            return b""
