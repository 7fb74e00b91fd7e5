"""What the shell completes from the running system: functions. A completion never complains."""

import asyncio
from collections.abc import Iterator

from paneward.client.panes import agents_in
from paneward.config import profiles_of
from paneward.core.agent.record import Agent
from paneward.core.errors import PanewardError
from paneward.ports import PaneInfo
from paneward.surfaces.cli.options import RootOptions
from paneward.surfaces.cli.work import connection, server_if_any, settings_of


def panes(place: RootOptions, incomplete: str) -> list[tuple[str, str]]:
    try:
        rows = asyncio.run(_panes(place))
    except PanewardError:
        rows = []
    names = [(name, about) for row in rows for name, about in _names(row)]
    return [*agents(incomplete), *((name, about) for name, about in names if name.startswith(incomplete))]


def agents(incomplete: str) -> list[tuple[str, str]]:
    """The agents of a server, if one runs."""
    try:
        rows = _agents()
    except PanewardError:
        return []
    return [(one.id, f"{one.pane} {one.kind}: {one.stage}") for one in rows if one.id.startswith(incomplete)]


def hosts(incomplete: str) -> list[tuple[str, str]]:
    """The hosts of a server, if one runs."""
    try:
        rows = _hosts()
    except PanewardError:
        return []
    return [(one["name"], one["state"]) for one in rows if one["name"].startswith(incomplete)]


def _hosts() -> list[dict[str, str]]:
    remote = server_if_any()
    return [] if remote is None else list(remote.get("/api/hosts")["hosts"])


def _agents() -> list[Agent]:
    remote = server_if_any()
    return [] if remote is None else agents_in(remote.get("/api/agents"))


async def _panes(place: RootOptions) -> list[PaneInfo]:
    async with connection(place) as tmux:
        return list(await tmux.panes())


def _names(row: PaneInfo) -> Iterator[tuple[str, str]]:
    yield row.pane, f"{row.target} {row.window_name}: {row.command}"
    yield row.window_name, f"{row.pane} {row.command}"


def profiles(place: RootOptions, incomplete: str) -> list[tuple[str, str]]:
    try:
        known = profiles_of(settings_of(place))
    except PanewardError:
        return []
    return [(name, profile.about) for name, profile in known.items() if name.startswith(incomplete)]
