"""The verbs on agents: adopt and forget, send and respond, look and wait.

Each agent has a task that follows it and one record. Words for it are written down before they are typed (`Deliveries`)
and become a turn afterwards (`Turns`); whatever was cut off by a crash is taken up by the task before it follows.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Generic, TypeVar

from paneward.config import SignalSettings
from paneward.core.agent.addressee import Addressee, addressee
from paneward.core.agent.events import RecordingStarted, RecordingStopped
from paneward.core.agent.record import (
    Agent,
    Answer,
    Intent,
    Sent,
    check_name,
    free_name,
)
from paneward.core.agent.review import told_standing
from paneward.core.audit import AuditEntry
from paneward.core.delivery.preflight import Draft, WhenBusy
from paneward.core.errors import AgentNotFound, Code, InvalidInput, PaneDead
from paneward.core.result import Menu, Readiness, SendResult
from paneward.core.state.hooks import Heard
from paneward.core.usage import Usage
from paneward.ports import Clock
from paneward.services.agents.answers import made_up_id, respond
from paneward.services.agents.keeper import Keeper
from paneward.services.agents.servers import Connect, Key, Servers
from paneward.services.delivery.desk import Request
from paneward.services.hooks import Ear
from paneward.services.hosts import Here, Hosts, Way
from paneward.services.panes import Panes
from paneward.services.profile_report import Explanation, Screenful
from paneward.store import Store

P = TypeVar("P", bound=Panes)


class Agents(Generic[P]):
    def __init__(
        self,
        store: Store,
        clock: Clock,
        connect: Connect[P],
        probe: float = 30.0,
        signals: SignalSettings | None = None,
        hosts: Hosts | None = None,
    ) -> None:
        self._store = store
        self._hosts = hosts
        self._clock = clock
        self._signals = signals
        self._probe = probe  # seconds between looks for a pane that is gone
        self.on_forget: Callable[[str, bool], Awaitable[None]] = _nothing  # called before an agent is, with `purge`
        self._keepers: dict[str, Keeper] = {}
        self._servers = Servers(connect, clock, lambda: {_home(keeper.agent) for keeper in self._keepers.values()})

    async def start(self) -> None:
        """Take over the agents of the store, and what was under way."""
        unfinished = await self._store.unfinished()
        for agent in await self._store.agents():
            keeper = await self._keep(agent)
            await keeper.recover([one for one in unfinished if one.agent_id == agent.id])
        for keeper in self._keepers.values():
            keeper.start()

    async def settled(self) -> None:
        """Until each of them on this machine is followed, or known to be lost. Hosts are waited for by nobody."""
        for keeper in list(self._keepers.values()):
            if not keeper.agent.host:
                await keeper.settled()

    async def tracked(self) -> None:
        """Until it is known of each of them what it told while nobody listened."""
        for keeper in list(self._keepers.values()):
            if keeper.way.decided:
                await keeper.tracked()

    async def close(self) -> None:
        for keeper in self._keepers.values():
            await keeper.stop()
        self._keepers.clear()
        await self._servers.close()

    # --- who there is

    def all(self) -> list[Agent]:
        return [keeper.agent for keeper in self._keepers.values()]

    def get(self, agent_id: str) -> Agent:
        return self._keeper(agent_id).agent

    def connection(self, agent_id: str) -> tuple[P, str]:
        """The tmux server of an agent, and its pane there."""
        agent = self.get(agent_id)
        pane = _pane(agent)
        return self._servers[_home(agent)], pane

    async def at(self, socket: str | None = None, host: str = "") -> P:
        """The connection to a tmux server, for who uses it at once: by the name of its socket, or by its path."""
        return await self._servers.at(socket, host)

    @asynccontextmanager
    async def using(self, socket: str | None = None, host: str = "") -> AsyncIterator[P]:
        """The same, for as long as it takes. A host that is being connected to is waited for."""
        await self._way(host).up()
        async with self._servers.using(socket, host) as panes:
            yield panes

    def on(self, host: str) -> tuple[str, ...]:
        """The names of those that live on a host."""
        return tuple(keeper.agent.id for keeper in self._keepers.values() if keeper.agent.host == host)

    def cut_off(self, host: str) -> None:
        """A host was lost."""
        for name in self.on(host):
            self._keepers[name].stir()

    async def remove_host(self, host: str) -> None:
        """Know a host no longer; nobody lives there."""
        assert self._hosts is not None
        await self._hosts.remove(host)
        await self._servers.drop(host)

    async def tidy(self) -> None:
        """Close the connections that nobody has used for a while."""
        await self._servers.tidy()

    async def adopt(
        self,
        pane: str,
        *,
        name: str | None = None,
        socket_name: str | None = None,
        socket_path: str | None = None,
        host: str = "",
        profile: str | None = None,
        role: str = "",
        labels: Sequence[str] = (),
    ) -> Agent:
        """Give the program in a pane a name, and watch it."""
        if name is not None:
            check_name(name)
        async with self.using(socket_path or socket_name, host) as panes:
            place = await panes.place(pane, profile)
        if place.dead:
            raise PaneDead(f"the program in {place.pane} ended")
        agent = Agent(
            id=name or free_name(place.profile, self._keepers),
            host=host,
            tmux=place.tmux,
            socket=place.socket,
            pane=place.pane,
            pane_pid=place.pid,
            profile=profile,
            role=role,
            labels=tuple(labels),
            kind=place.profile,
            program=place.program,
            version=place.version,
            cwd=place.cwd,
        )
        keeper = await self._keep(await self._store.adopt(agent))
        keeper.start()
        return keeper.agent

    async def forget(self, agent_id: str, purge: bool = False) -> None:
        """Watch an agent no longer. Its pane is left alone."""
        keeper = self._keeper(agent_id)
        await self.on_forget(agent_id, purge)
        await keeper.stop()
        try:
            await self._store.forget(agent_id, purge)
        except BaseException:
            keeper.start()
            raise
        del self._keepers[agent_id]

    # --- words for it

    async def send(
        self,
        agent_id: str,
        text: str,
        *,
        when_busy: str = "wait",
        draft: str = "hold",
        as_command: bool = False,
        message_id: str | None = None,
        timeout: float = 30.0,
        secret: bool = False,
        profile: str | None = None,
        verify_enter: bool = True,
        detect_ghost_text: bool = True,
        expect: str | None = None,
        entry: AuditEntry | None = None,
    ) -> Sent:
        """Give an agent a command: typed, submitted, and proven to have gone in."""
        keeper = self._keeper(agent_id)
        request = Request(
            pane=_pane(keeper.agent),
            text=text,
            profile=profile or keeper.agent.profile,
            verify_enter=verify_enter,
            detect_ghost_text=detect_ghost_text,
            when_busy=WhenBusy(when_busy),
            draft=Draft(draft),
            message_id=message_id or made_up_id(agent_id),
            made_up=message_id is None,
            timeout=timeout,
            secret=secret,
            as_command=as_command,
            agent_id=agent_id,
            intent=Intent.COMMAND,
            entry=entry,
            addressee=Addressee(expect=expect or ""),
        )
        return await keeper.deliver(request)

    async def keys(self, agent_id: str, *keys: str, expect: str | None = None, **how: Any) -> SendResult:
        """Press keys by name; `how`: `verify_enter`, `timeout`."""
        keeper = self._keeper(agent_id)
        request = Request(_pane(keeper.agent), "", addressee=Addressee(expect=expect or ""), **how)
        return await keeper.press(request, keys)

    async def typed(self, host: str, socket: str, pane: str, keys: Sequence[str]) -> None:
        """Somebody pressed these in a terminal of Paneward."""
        for keeper in list(self._keepers.values()):
            if (*_home(keeper.agent), keeper.agent.pane) == (host, socket, pane):
                await keeper.typed(keys)

    async def spent(self, agent_id: str, usage: Usage, account: Mapping[str, Any], crossed: str) -> None:
        """What an agent has used, and how that was counted; `crossed`: which budget is used up, in words."""
        await self._keeper(agent_id).spent(usage, account, crossed)

    async def respond(
        self,
        agent_id: str,
        answer: Answer,
        message_id: str | None = None,
        timeout: float = 30.0,
        entry: AuditEntry | None = None,
    ) -> Sent:
        """Answer what an agent asks."""
        keeper = self._keeper(agent_id)
        return await respond(keeper, _pane(keeper.agent), answer, message_id, timeout, entry)

    # --- what can be seen of it

    async def screen(self, agent_id: str, lines: int = 50, ansi: bool = False) -> Screenful:
        panes, pane = self.connection(agent_id)
        return await panes.screen(pane, lines, ansi)

    async def menu(self, agent_id: str) -> Menu | None:
        """The dialog that is open."""
        panes, pane = self.connection(agent_id)
        return await panes.menu(pane, addressee(self.get(agent_id)))

    async def explain(
        self, agent_id: str, prompt_pattern: str | None = None, profile: str | None = None
    ) -> Explanation:
        """Where it stands, and by which rules. What decided its state is kept with the agent: `source`, `reason`."""
        (panes, pane), keeper = self.connection(agent_id), self._keeper(agent_id)
        found = await panes.explain(pane, prompt_pattern, profile or keeper.agent.profile, keeper.by_record)
        standing = keeper.standing  # it knows what hooks have told
        return found if standing is None else replace(found, standing=told_standing(standing, found.assessment))

    async def wait(
        self,
        agent_id: str,
        timeout: float | None = None,
        prompt_pattern: str | None = None,
        accept_stable: bool | None = None,
        profile: str | None = None,
    ) -> Readiness:
        (panes, pane), keeper = self.connection(agent_id), self._keeper(agent_id)
        how = (timeout, prompt_pattern, accept_stable, profile or keeper.agent.profile)
        return await panes.wait_ready(pane, *how, keeper.by_record, addressee(keeper.agent))

    async def mark_recording(self, agent_id: str, name: str, event: RecordingStarted | RecordingStopped) -> Agent:
        """Store which recording its output goes into from now on; empty: into none."""
        keeper = self._keeper(agent_id)
        await keeper.recorded(name, event)
        return keeper.agent

    def ear_of(self, heard: Heard, agent_id: str | None = None, host: str = "") -> tuple[Agent, Ear] | None:
        """Who is told of a hook that ran on a host: the agent in its pane, else the one whose conversation it is."""
        living = [keeper for keeper in self._keepers.values() if keeper.agent.host == host]
        if agent_id is not None:
            return next(((keeper.agent, keeper.ear) for keeper in living if keeper.agent.id == agent_id), None)
        found = [keeper for keeper in living if _ran_in(keeper.agent, heard)]
        there = [keeper for keeper in found if not keeper.agent.gone] or found
        return (there[0].agent, there[0].ear) if len(there) == 1 else None

    # --- inside

    def _keeper(self, agent_id: str) -> Keeper:
        if agent_id not in self._keepers:
            raise AgentNotFound(f"no agent is called {agent_id!r:.80}")
        return self._keepers[agent_id]

    async def _keep(self, agent: Agent) -> Keeper:
        panes = None if agent.pane is None else await self.at(agent.socket, agent.host)
        way = self._way(agent.host)
        keeper = Keeper(self._store, self._clock, panes, agent, self._probe, self._signals, way)
        self._keepers[agent.id] = keeper
        return keeper

    def _way(self, host: str) -> Way:
        return Here(self._clock) if self._hosts is None else self._hosts.way(host)


def _home(agent: Agent) -> Key:
    return agent.host, agent.socket


async def _nothing(agent_id: str, purge: bool) -> None:
    return None


def _pane(agent: Agent) -> str:
    if agent.pane is None:
        raise InvalidInput(
            f"{agent.id} has no pane", code=Code.NO_PANE_ID, hint="Forget it, and adopt the pane it lives in."
        )
    return agent.pane


def _ran_in(agent: Agent, heard: Heard) -> bool:
    if not heard.pane:
        return bool(heard.session) and agent.conversation == heard.session
    return agent.pane == heard.pane and heard.socket in ("", agent.socket)
