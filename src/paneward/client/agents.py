"""What the commands on agents ask of a server, and what they make of its answers. Shape: functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from paneward.adapters.clock import SystemClock
from paneward.client.panes import PATIENCE, agents_in, receipt, socket_of
from paneward.client.records import revive
from paneward.client.remote import Remote
from paneward.client.replies import CliReply, full_body, has_numbers
from paneward.core.agent.record import DISCONNECTED, Agent, shown
from paneward.core.result import Menu
from paneward.core.text import natural
from paneward.surfaces.cli.answers import AgentList, Seat
from paneward.surfaces.cli.options import RootOptions

if TYPE_CHECKING:
    from paneward.core.agent.events import Stored
    from paneward.surfaces.cli.upkeep import Adopted, Events, Forgotten, HostGone, HostList, HostTold, Responded

LOST = "LOST"


class EventQuery(NamedTuple):
    """Which events."""

    types: tuple[str, ...] = ()
    agent: str | None = None
    after: int | None = None
    limit: int = 20

    @property
    def filters(self) -> dict[str, Any]:
        return {"types": ",".join(self.types) or None, "agent": self.agent}


def seats(remote: Remote) -> AgentList:
    now = SystemClock().wall()
    agents = sorted(agents_in(remote.get("/api/agents")), key=lambda one: natural(one.id))
    return AgentList(tuple(Seat(one, shown(one, now), now - one.since if one.since else 0.0) for one in agents))


def counts(agents: AgentList) -> dict[str, int]:
    """How many agents stand where."""
    states = [LOST if seat.agent.gone and seat.shown != DISCONNECTED else str(seat.shown) for seat in agents.seats]
    return {state: states.count(state) for state in sorted(set(states))}


def adopted(remote: Remote, place: RootOptions, wanted: Mapping[str, Any]) -> Adopted:
    from paneward.surfaces.cli.upkeep import Adopted

    there = {"socket_name": place.socket_name, "socket_path": place.socket_path, "host": place.host}
    document = remote.post("/api/agents", {**wanted, **(there if place.host else {"socket_path": socket_of(place)})})
    return Adopted(revive(Agent, document["agent"]))


def forgotten(remote: Remote, agent: str, purge: bool) -> Forgotten:
    from paneward.surfaces.cli.upkeep import Forgotten

    remote.ask("DELETE", _of(agent), query={"purge": purge})
    return Forgotten(agent, purge)


def responded(remote: Remote, agent: str, reply: CliReply) -> Responded:
    from paneward.surfaces.cli.upkeep import Responded

    menu = _menu(remote, agent) if has_numbers(reply) else None
    path = f"/api/respond/{quote(agent, safe='')}"
    document = remote.post(path, full_body(reply, menu), reply.timeout + PATIENCE)
    return Responded(agent, str(document.get("new_state", "")), document.get("turn_id"), receipt(document))


def _menu(remote: Remote, agent: str) -> Menu | None:
    menu = (remote.get(f"{_of(agent)}/menu"))["menu"]
    return revive(Menu, menu) if menu else None


def check_wanted(remote: Remote, wanted: EventQuery) -> None:
    """A kind of event or an agent that does not exist would be waited for in vain."""
    from paneward.core.agent.events import KINDS
    from paneward.core.errors import Code, InvalidInput

    named = [kind for words in wanted.types for kind in words.split(",")]
    if wrong := [kind for kind in named if kind not in KINDS]:
        raise InvalidInput(
            f"no event is called {wrong[0]!r}", code=Code.BAD_REQUEST, hint=f"There are: {', '.join(sorted(KINDS))}."
        )
    if wanted.agent is None:
        return
    known = [str(row["id"]) for row in remote.get("/api/agents")["agents"]]
    told = remote.get("/api/events", limit=1, agent=wanted.agent)["events"]
    if wanted.agent not in known and not told:
        raise InvalidInput(
            f"no agent is called {wanted.agent!r}",
            code=Code.AGENT_NOT_FOUND,
            hint=f"There are: {', '.join(known)}." if known else "`paneward adopt` takes one in.",
        )


def newest(remote: Remote, wanted: EventQuery) -> Events:
    """The events behind a number, else the newest."""
    from paneward.surfaces.cli.upkeep import Events

    events, _ = page(remote, wanted)
    return Events(tuple(events))


def page(remote: Remote, wanted: EventQuery) -> tuple[list[Stored], int]:
    """A page of the log, and the number of the last event there is."""
    document = remote.get("/api/events", limit=max(1, wanted.limit), after=wanted.after, **wanted.filters)
    return [stored(row) for row in document["events"]], int(document["seq"])


def stored(row: Mapping[str, Any]) -> Stored:
    """An event as the log has it: on the wire its own fields stand beside those of the log."""
    from paneward.core.agent.events import Stored

    data = {name: value for name, value in row.items() if name not in ("seq", "at", "kind", "agent_id")}
    return Stored(int(row["seq"]), float(row["at"]), str(row["kind"]), row.get("agent_id"), data)


def all_hosts(remote: Remote) -> HostList:
    from paneward.core.hosts.host import HostStanding
    from paneward.surfaces.cli.upkeep import HostList

    found = [revive(HostStanding, one) for one in remote.get("/api/hosts")["hosts"]]
    return HostList(tuple(sorted(found, key=lambda one: natural(one.name))), SystemClock().wall())


def host_added(remote: Remote, wanted: Mapping[str, Any]) -> HostTold:
    from paneward.core.hosts.host import HostStanding
    from paneward.surfaces.cli.upkeep import HostTold

    document = remote.post("/api/hosts", wanted, 2 * PATIENCE)
    return HostTold(revive(HostStanding, document["host"]), "added")


def host_connected(remote: Remote, host: str) -> HostTold:
    from paneward.core.hosts.host import HostStanding
    from paneward.surfaces.cli.upkeep import HostTold

    document = remote.post(f"{_host(host)}/connect", {}, 2 * PATIENCE)
    return HostTold(revive(HostStanding, document["host"]), "connected")


def host_removed(remote: Remote, host: str) -> HostGone:
    from paneward.surfaces.cli.upkeep import HostGone

    remote.ask("DELETE", _host(host))
    return HostGone(host)


def _host(host: str) -> str:
    return f"/api/hosts/{quote(host, safe='')}"


def _of(agent: str) -> str:
    return f"/api/agents/{quote(agent, safe='')}"
