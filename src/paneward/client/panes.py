"""The verbs on panes through a running server: the names of `Connection`, translated to requests.

The methods are coroutines since those of the library are; none of them ever waits for a loop, so `complete` runs them
without one. One lock and one log hold then for all who send. A target is an agent by its name, or any pane of any tmux
server of this machine; a pane that was adopted is its agent, so that what is typed into it becomes one of its turns.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from paneward.client.records import revive
from paneward.client.replies import CliReply, full_body, has_numbers
from paneward.core.agent.record import Agent, Stage
from paneward.core.errors import Code, PaneNotFound, PanewardError
from paneward.core.result import Menu, Readiness, SendResult
from paneward.surfaces.cli.answers import CapturedLines, OpenDialog
from paneward.surfaces.cli.options import RootOptions

if TYPE_CHECKING:
    from paneward.app import Explanation
    from paneward.client.remote import Remote
    from paneward.store import Delivery

T = TypeVar("T")
BESIDE = ("secret", "expect", "key")  # options of an answer that becomes no turn
PATIENCE = 30.0  # seconds that an answer may take beside what was asked for


def complete(verb: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for no loop."""
    try:
        verb.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise RuntimeError("it waits for a loop")


class NotAsking(Exception):
    """The agent is not seen to ask any more."""


class Served:
    """A server's verbs on the panes of one tmux, and on agents wherever they are."""

    def __init__(self, remote: Remote, place: RootOptions) -> None:
        self.remote = remote
        self._place = place
        self._agents: list[Agent] | None = None

    async def agents(self) -> list[Agent]:
        if self._agents is None:
            self._agents = agents_in(self.remote.get("/api/agents"))
        return self._agents

    async def send_text(self, pane: str, text: str, **options: Any) -> SendResult:
        return receipt(await self._post(pane, "send", {"text": text, **options}, options.get("timeout", 0.0)))

    async def send_keys(self, pane: str, *keys: str, timeout: float = 30.0, **options: Any) -> SendResult:
        body = {"keys": list(keys), "timeout": timeout, **options}
        return receipt(await self._post(pane, "keys", body, timeout))

    async def answer(self, pane: str, text: str | None = None, **options: Any) -> SendResult:
        """An agent that asks is answered by a turn of its own; what only the screen shows, as in any pane."""
        agent = await self.agent(pane)
        beside = any(options.get(name) for name in BESIDE)  # what is secret becomes no turn
        if agent is not None and agent.stage is Stage.AWAITING_INPUT and not beside:
            spoken = {name: value for name, value in options.items() if name not in BESIDE}
            reply, path = CliReply(text, **spoken), f"/api/respond/{quote(agent.id, safe='')}"
            menu = (await self.asked(pane)).menu if has_numbers(reply) else None
            with contextlib.suppress(NotAsking):
                return receipt(await self._respond(path, full_body(reply, menu), reply.timeout))
        body = {"text": text, **options}
        return receipt(await self._post(pane, "answer", body, options.get("timeout", 0.0)))

    async def _respond(self, path: str, body: Mapping[str, Any], timeout: float) -> Any:
        try:
            return self.remote.post(path, body, timeout + PATIENCE)
        except PanewardError as error:
            if error.code is Code.WRONG_STATE:
                raise NotAsking from None
            raise

    async def read(self, pane: str, lines: int, ansi: bool) -> CapturedLines:
        shown = await self._get(pane, "screen", lines=lines, ansi=ansi)
        return CapturedLines(shown["pane"], shown["text"])

    async def asked(self, pane: str) -> OpenDialog:
        shown = await self._get(pane, "menu")
        return OpenDialog(shown["pane"], revive(Menu, shown["menu"]) if shown["menu"] else None, pane)

    async def wait_ready(
        self,
        pane: str,
        timeout: float | None = None,
        prompt_pattern: str | None = None,
        accept_stable: bool | None = None,
        profile: str | None = None,
    ) -> Readiness:
        wanted = {"timeout": timeout, "pattern": prompt_pattern, "accept_stable": accept_stable, "profile": profile}
        patience = None if timeout is None else timeout + PATIENCE  # a profile may wait for minutes
        return revive(Readiness, await self._get(pane, "wait", patience, **wanted))

    async def explain(self, pane: str, pattern: str | None = None, profile: str | None = None) -> Explanation:
        from paneward.app import Explanation

        return revive(Explanation, await self._get(pane, "explain", pattern=pattern, profile=profile))

    async def deliveries(self, limit: int, pane: str | None = None) -> list[Delivery]:
        """The newest of the server's store: to a pane by its id, to an agent by its name, or all."""
        from paneward.store import Delivery

        agent = None if pane is None else await self.agent(pane)
        named = agent is not None and agent.id == pane
        path = f"/api/agents/{quote(str(pane), safe='')}/deliveries" if named else "/api/deliveries"
        if pane is not None and not named and not pane.startswith("%"):
            pane = str((await self._get(pane, "screen", lines=1))["pane"])
        document = self.remote.get(path, limit=limit, pane=None if named else pane)
        return [revive(Delivery, row) for row in document["deliveries"]]

    # --- where

    async def _post(self, target: str, verb: str, body: Mapping[str, Any], timeout: float) -> Any:
        path, query = await self._path(target)
        return self.remote.post(f"{path}/{verb}", body, timeout + PATIENCE, **query)

    async def _get(self, target: str, verb: str, patience: float | None = PATIENCE, **query: Any) -> Any:
        path, place = await self._path(target)
        return self.remote.get(f"{path}/{verb}", patience, **query, **place)

    async def _path(self, target: str) -> tuple[str, dict[str, str | None]]:
        """The route of a target, and which tmux is meant."""
        agent = await self.agent(target)
        if agent is not None:
            return f"/api/agents/{quote(agent.id, safe='')}", {}
        if "/" in target:
            raise PaneNotFound(f"{target!r} cannot be asked for through the server", hint="Name the pane by its id.")
        return f"/api/panes/{quote(target, safe='')}", _on(self._place.host or "", socket_of(self._place))

    async def agent(self, target: str) -> Agent | None:
        return named_agent(await self.agents(), target, self._place)


def _on(host: str, socket: str | None) -> dict[str, str | None]:
    return {"socket": socket, "host": host or None}


def named_agent(agents: Sequence[Agent], target: str, place: RootOptions) -> Agent | None:
    """The agent whose name this is, or whose pane, as long as it lives there. Where -L, -S or --host was given, a name
    means something there."""
    socket, host = socket_of(place), place.host or ""
    explicit = host or place.socket_name is not None or place.socket_path is not None
    for one in agents:
        here = one.host == host and (
            socket is None or (one.socket == socket if host else same_socket(one.socket, socket))
        )
        if (one.pane == target and here and not one.gone) or (one.id == target and (here or not explicit)):
            return one
    return None


def knows(remote: Remote, host: str) -> bool:
    """Whether a server is connected to a host of that name."""
    return any(one["name"] == host for one in remote.get("/api/hosts")["hosts"])


def receipt(document: Mapping[str, Any]) -> SendResult:
    """The receipt in an answer; its error code is spelled as ours are."""
    data = dict(document.get("receipt") or document)
    data["error_type"] = (document.get("error") or {}).get("code")
    return revive(SendResult, data)


def agents_in(document: Any) -> list[Agent]:
    return [revive(Agent, row) for row in document["agents"]]


def socket_of(place: RootOptions, env: Mapping[str, str] = os.environ) -> str | None:
    """The path of the tmux socket that a command line means, as tmux itself finds it. On another host only tmux there
    knows: what was given, a path or a name."""
    if place.host:
        return place.socket_path or place.socket_name
    if place.socket_path:
        return str(Path(place.socket_path).absolute())
    if not place.socket_name and env.get("TMUX"):
        return env["TMUX"].split(",")[0]
    folder = Path(env.get("TMUX_TMPDIR") or "/tmp").resolve() / f"tmux-{os.getuid()}"
    return str(folder / (place.socket_name or "default"))


def same_socket(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
