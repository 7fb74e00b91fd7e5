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
from collections.abc import Awaitable, Callable, Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from paneward.core.errors import TmuxError, TmuxTimeout
from paneward.core.screen.cells import Screen
from paneward.core.terminal.scene import Scene
from paneward.ports import Clock

FINDS = 10.0  # seconds in which it must answer to be used at all; a loaded machine keeps it busy for several
SETTLES = 1.0  # seconds that the pane and the API have to agree: a title is drawn a moment after it is given
TAKES = 15.0  # seconds in which it must show a text that it was given
AGAIN = 0.02
NEWEST = 6  # messages that are looked at
MOST = 64_000_000  # bytes of an answer: it is read in one piece
LISTENS = "0A"  # in /proc/net/tcp
Look = Callable[[], Awaitable[Scene]]
_PORT = re.compile(r"--port[= ](\d+)\b")
_TITLE = re.compile(r"OC \| (.+)")


@dataclass(frozen=True, slots=True)
class OpenCodeSession:
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

    async def find(self, scene: Scene, look: Look) -> Callable[[str], Awaitable[None]] | str:
        """What gives a text to the session that the pane shows; or why that cannot be told."""
        port = _port(scene)
        if not port:
            return ""
        try:
            session = await self._shown(port, scene, look)
            if isinstance(session, str):
                return session
            return partial(self._post, session, await asyncio.to_thread(_messages, session))
        except OSError as error:
            return f"OpenCode's API does not answer ({error})"
        except (ValueError, KeyError, TypeError):
            return "OpenCode's API answers in words that are not known here"

    async def _post(self, session: OpenCodeSession, before: Container[str], text: str) -> None:
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

    async def _shown(self, port: int, scene: Scene, look: Look) -> OpenCodeSession | str:
        """The session that the pane shows, as soon as pane and API agree on it."""
        if port not in self._names:
            self._names[port] = await asyncio.to_thread(ask, port, "/config/providers")
        until = self._clock.now() + SETTLES
        while True:
            session = await asyncio.to_thread(_shown, port, self._names[port], scene)
            if isinstance(session, OpenCodeSession) or not _title(scene) or self._clock.now() >= until:
                return session
            await self._clock.sleep(AGAIN)
            scene = await look()


def _title(scene: Scene) -> str:
    """Of the session in the pane; none before the first turn."""
    title = _TITLE.fullmatch(scene.snapshot.title.strip())
    return title[1].rstrip("….") if title else ""


def _shown(port: int, names: Any, scene: Scene) -> OpenCodeSession | str:
    """The session with the title of the pane, if there is one only and the composer names its agent and model."""
    title = _title(scene)
    if not title:
        return "the pane shows no session of OpenCode yet"
    found = [one for one in ask(port, "/session") if str(one["title"]).startswith(title) and not one.get("parentID")]
    if len(found) != 1:  # those of subagents are not shown
        return f"OpenCode has {len(found) or 'no'} sessions titled '{title}'"
    [one] = found
    session = OpenCodeSession(port, one["id"], one["agent"], one["model"]["providerID"], one["model"]["id"])
    if not _named(session, names, Screen.of(scene.snapshot).lines):
        return "OpenCode's composer names another agent or model than the session"
    return session


def _port(scene: Scene) -> int:
    return 0 if scene.process is None else port_of(scene.process.pid, scene.process.argv)


def port_of(pid: int, argv: str) -> int:
    """The port on which a process was told to listen, and does."""
    named = _PORT.search(argv)
    if named is None:
        return 0
    open_ports = set(_listening(pid))
    if int(named[1]):
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


def _named(session: OpenCodeSession, names: Any, rows: Sequence[str]) -> bool:
    """The composer names the agent and the model of the session: the operator has chosen no others since."""
    provider = {one["id"]: one for one in names["providers"]}[session.provider]
    label = f"{session.agent} · {provider['models'][session.model]['name']} {provider['name']}".casefold()
    return any("┃" in row and label in row.casefold() for row in rows)


def _give(session: OpenCodeSession, text: str) -> None:
    from urllib.error import HTTPError

    try:
        ask(session.port, f"/session/{session.id}/prompt_async", session.body(text), TAKES)
    except HTTPError as error:
        raise TmuxError(f"OpenCode's API did not take the text: {error}") from None
    except OSError as error:
        raise TmuxTimeout(f"OpenCode's API did not say whether it took the text: {error}") from None


def _messages(session: OpenCodeSession) -> dict[str, str]:
    """The newest messages of the user, by their ids."""
    messages = ask(session.port, f"/session/{session.id}/message?limit={NEWEST}")
    return {
        one["info"]["id"]: "".join(part.get("text", "") for part in one["parts"] if part["type"] == "text")
        for one in messages
        if one["info"]["role"] == "user"
    }


def ask(port: int, path: str, body: dict[str, Any] | None = None, seconds: float = FINDS) -> Any:
    from urllib import error, request  # every command would load them, and few meet OpenCode with a port

    data = None if body is None else json.dumps(body).encode()
    asked = request.Request(
        f"http://127.0.0.1:{port}{path}", data, {"content-type": "application/json"}, method="POST" if body else "GET"
    )
    opener = request.build_opener(request.ProxyHandler({}))  # loopback goes through no proxy
    try:
        with opener.open(asked, timeout=seconds) as answer:
            said = answer.read(MOST + 1)
    except error.HTTPError as refused:
        refused.close()  # it holds the connection
        raise
    if len(said) > MOST:
        raise OSError(f"{path} answers with more than {MOST} bytes")
    return json.loads(said) if said else None
