"""OpenCode's own HTTP API, where it was started with a port: exact text, whatever it begins or ends with.

It is asked only on loopback, and only where the process in the pane itself listens. The API knows sessions, not what
the pane shows: the session is found by the title of the pane, and what the operator has chosen (agent and model) must
be what the composer names, or the text would go to another one than the operator sees. In all other cases the text is
pasted.
"""

import asyncio
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from paneward.core.errors import TmuxError, TmuxTimeout
from paneward.core.scene import Scene
from paneward.core.screen.cells import Screen
from paneward.ports import Clock

FINDS = 2.0  # seconds in which it must answer to be used at all
TAKES = 15.0  # seconds in which it must show a text that it was given
AGAIN = 0.02
NEWEST = 6  # messages that are looked at
LISTENS = "0A"  # in /proc/net/tcp
_PORT = re.compile(r"--port[= ](\d+)\b")
_TITLE = re.compile(r"OC \| (.+)")


@dataclass(frozen=True, slots=True)
class Session:
    """Where a text goes."""

    port: int
    id: str
    agent: str
    provider: str
    model: str

    def body(self, text: str) -> dict[str, Any]:
        chosen = {"providerID": self.provider, "modelID": self.model}
        return {"agent": self.agent, "model": chosen, "parts": [{"type": "text", "text": text}]}


class OpenCodeApi:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._names: dict[int, Any] = {}  # of providers and models, by port

    async def find(self, scene: Scene) -> Callable[[str], Awaitable[None]] | None:
        """What gives a text to the session that the pane shows; None where that cannot be told."""
        try:
            session = await self._shown(scene)
            if session is None:
                return None
            return partial(self._post, session, await asyncio.to_thread(_messages, session))
        except (OSError, ValueError, KeyError, TypeError):  # not there, too slow, or another version's words
            return None

    async def _post(self, session: Session, before: Container[str], text: str) -> None:
        """Give it the text, and see it among the messages of the session."""
        await asyncio.to_thread(_give, session, text)
        until = self._clock.now() + TAKES
        while self._clock.now() < until:
            with suppress(OSError, ValueError):
                messages = await asyncio.to_thread(_messages, session)
                if any(text == said for name, said in messages.items() if name not in before):
                    return
            await self._clock.sleep(AGAIN)
        raise TmuxTimeout("OpenCode's API took the text, and does not show it")

    async def _shown(self, scene: Scene) -> Session | None:
        """The session with the title of the pane, if there is one only and the composer names its agent and model."""
        title = _TITLE.fullmatch(scene.snapshot.title.strip())
        if scene.process is None or title is None or not (port := _port(scene.process.argv, scene.process.pid)):
            return None
        session = await asyncio.to_thread(_titled, port, title[1].rstrip("…."))
        if session is None:
            return None
        if port not in self._names:
            self._names[port] = await asyncio.to_thread(_ask, port, "/config/providers")
        return session if _named(session, self._names[port], Screen.of(scene.snapshot).lines) else None


def _port(argv: str, pid: int) -> int:
    """The port on which the process was told to listen, and does."""
    named = _PORT.search(argv)
    open_ports = set(_listening(pid)) if named else set()
    if named and int(named[1]):
        return int(named[1]) if int(named[1]) in open_ports else 0
    return open_ports.pop() if len(open_ports) == 1 else 0


def _listening(pid: int) -> Iterator[int]:
    """The ports of this machine on which a process listens."""
    sockets = set()
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                sockets.add(os.readlink(f"/proc/{pid}/fd/{name}"))
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for row in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
                words = row.split()
                if words[3] == LISTENS and f"socket:[{words[9]}]" in sockets:
                    yield int(words[1].rpartition(":")[2], 16)


def _titled(port: int, begins: str) -> Session | None:
    """The only session of that title; those of subagents are not shown."""
    found = [one for one in _ask(port, "/session") if str(one["title"]).startswith(begins) and not one.get("parentID")]
    if len(found) != 1:
        return None
    [one] = found
    return Session(port, one["id"], one["agent"], one["model"]["providerID"], one["model"]["id"])


def _named(session: Session, names: Any, rows: Sequence[str]) -> bool:
    """The composer names the agent and the model of the session: the operator has chosen no others since."""
    provider = {one["id"]: one for one in names["providers"]}[session.provider]
    label = f"{session.agent} · {provider['models'][session.model]['name']} {provider['name']}".casefold()
    return any("┃" in row and label in row.casefold() for row in rows)


def _give(session: Session, text: str) -> None:
    try:
        _ask(session.port, f"/session/{session.id}/prompt_async", session.body(text), TAKES)
    except urllib.error.HTTPError as error:
        raise TmuxError(f"OpenCode's API did not take the text: {error}") from None
    except OSError as error:
        raise TmuxTimeout(f"OpenCode's API did not say whether it took the text: {error}") from None


def _messages(session: Session) -> dict[str, str]:
    """The newest messages of the user, by their ids."""
    messages = _ask(session.port, f"/session/{session.id}/message?limit={NEWEST}")
    return {
        one["info"]["id"]: "".join(part.get("text", "") for part in one["parts"] if part["type"] == "text")
        for one in messages
        if one["info"]["role"] == "user"
    }


def _ask(port: int, path: str, body: dict[str, Any] | None = None, seconds: float = FINDS) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", data, {"content-type": "application/json"}, method="POST" if body else "GET"
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback goes through no proxy
    try:
        with opener.open(request, timeout=seconds) as answer:
            said = answer.read()
    except urllib.error.HTTPError as refused:
        refused.close()  # it holds the connection
        raise
    return json.loads(said) if said else None
