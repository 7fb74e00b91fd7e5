"""What the shell completes from the running system: functions. A completion never complains."""

import asyncio
from collections.abc import Iterator

from paneward.config import profiles_of
from paneward.core.errors import PanewardError
from paneward.ports import PaneInfo
from paneward.surfaces.cli.options import Place
from paneward.surfaces.cli.work import connection, settings_of


def panes(place: Place, incomplete: str) -> list[tuple[str, str]]:
    try:
        rows = asyncio.run(_panes(place))
    except PanewardError:
        return []
    names = [(name, about) for row in rows for name, about in _names(row)]
    return [(name, about) for name, about in names if name.startswith(incomplete)]


async def _panes(place: Place) -> list[PaneInfo]:
    async with connection(place) as tmux:
        return list(await tmux.panes())


def _names(row: PaneInfo) -> Iterator[tuple[str, str]]:
    yield row.pane, f"{row.target} {row.window_name}: {row.command}"
    yield row.window_name, f"{row.pane} {row.command}"


def profiles(place: Place, incomplete: str) -> list[tuple[str, str]]:
    try:
        known = profiles_of(settings_of(place))
    except PanewardError:
        return []
    return [(name, profile.about) for name, profile in known.items() if name.startswith(incomplete)]
