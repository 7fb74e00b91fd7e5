"""The verbs without a server: the library, and the agents that the store remembers by their names.

A name is looked up only where it can be one of an agent, and only if there is a store: other targets cost nothing.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

from paneward.adapters.hosts.host import Host
from paneward.app import Connection, Explanation, connect
from paneward.app.connecting import host_of
from paneward.client.panes import named_agent
from paneward.config import Settings
from paneward.core.agent.addressee import Addressee, addressee
from paneward.core.agent.record import NAME, Agent
from paneward.core.result import Readiness, SendResult
from paneward.store import Delivery, Store
from paneward.surfaces.cli.answers import CapturedLines, OpenDialog
from paneward.surfaces.cli.options import RootOptions

STORE = "deliveries.db"
T = TypeVar("T")


class Alone:
    """The names of `Connection`; an agent may live in another tmux server than the one that is meant."""

    def __init__(
        self, tmux: Connection, place: RootOptions, settings: Settings, directory: Path, stack: AsyncExitStack
    ) -> None:
        self._tmux = tmux
        self._place = place
        self._settings = settings
        self._directory = directory
        self._stack = stack
        self._agents: Sequence[Agent] | None = None

    async def send_text(self, pane: str, text: str, **options: Any) -> SendResult:
        tmux, found = await self._at(pane)
        return await tmux.send_text(found, text, **{**options, "expect": await self._meant(pane, options)})

    async def send_keys(self, pane: str, *keys: str, **options: Any) -> SendResult:
        tmux, found = await self._at(pane)
        return await tmux.send_keys(found, *keys, **{**options, "expect": await self._meant(pane, options)})

    async def answer(self, pane: str, text: str | None = None, **options: Any) -> SendResult:
        tmux, found = await self._at(pane)
        return await tmux.answer(found, text, **{**options, "expect": await self._meant(pane, options)})

    async def read(self, pane: str, lines: int, ansi: bool) -> CapturedLines:
        tmux, found = await self._at(pane)
        found = await tmux.resolve(found)
        return CapturedLines(found, await tmux.capture(found, lines, ansi))

    async def asked(self, pane: str) -> OpenDialog:
        tmux, found = await self._at(pane)
        found = await tmux.resolve(found)
        return OpenDialog(found, await tmux.menu(found, await self._meant(pane, {})), pane)

    async def wait_ready(
        self,
        pane: str,
        timeout: float | None = None,
        pattern: str | None = None,
        accept_stable: bool | None = None,
        profile: str | None = None,
    ) -> Readiness:
        tmux, found = await self._at(pane)
        return await tmux.wait_ready(
            found, timeout, pattern, accept_stable, profile, expect=await self._meant(pane, {})
        )

    async def explain(self, pane: str, pattern: str | None = None, profile: str | None = None) -> Explanation:
        tmux, found = await self._at(pane)
        return await tmux.explain(found, pattern, profile)

    async def deliveries(self, limit: int, pane: str | None = None) -> list[Delivery]:
        """The newest: those of the library, and those that a server kept in a store elsewhere."""
        agent = None if pane is None else await self.agent(pane)
        pane = pane if agent is None else agent.pane
        if pane is not None and not pane.startswith("%"):
            pane = await self._tmux.resolve(pane)
        rows = await self._tmux.deliveries(limit, pane)
        if self._settings.store.url is not None:
            rows += await _kept(self._settings.store.url, lambda store: store.recent(limit, pane))
        return sorted(rows, key=lambda row: row.created_at, reverse=True)[:limit]

    async def _meant(self, target: str, options: Mapping[str, Any]) -> Addressee:
        agent, expect = await self.agent(target), options.get("expect") or ""
        return Addressee(expect=expect) if agent is None else addressee(agent, expect)

    async def _at(self, target: str) -> tuple[Connection, str]:
        agent = await self.agent(target)
        if agent is None or agent.pane is None:
            return self._tmux, target
        host = await host_called(agent.host, self._settings, self._directory)
        transport = self._settings.tmux.transport
        own = connect(socket_path=agent.socket, host=host, transport=transport, settings=self._settings)
        return await self._stack.enter_async_context(own), agent.pane

    async def agent(self, target: str) -> Agent | None:
        if not NAME.fullmatch(target):
            return None
        if self._agents is None:
            self._agents = await remembered(self._settings, self._directory)
        return named_agent(self._agents, target, self._place)


async def remembered(settings: Settings, directory: Path) -> list[Agent]:
    return await _rows(settings, directory, lambda store: store.agents())


async def host_called(name: str | None, settings: Settings, directory: Path) -> Host:
    """This machine, or another one: that was added under this name, else what ssh knows by it."""
    if not name:
        return Host()
    for record in await _rows(settings, directory, lambda store: store.hosts()):
        if record.name == name:
            return host_of(record)
    return Host.ssh(name)


async def _rows(settings: Settings, directory: Path, wanted: Callable[[Store], Awaitable[list[T]]]) -> list[T]:
    """Of the store; nothing is made where there is none."""
    if settings.store.url is None and not (directory / STORE).exists():
        return []
    return await _kept(settings.store.url or directory / STORE, wanted)


async def _kept(place: str | Path, wanted: Callable[[Store], Awaitable[T]]) -> T:
    store = Store.open(place)
    try:
        return await wanted(store)
    finally:
        await store.close()
