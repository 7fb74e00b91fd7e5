"""The last lines of a pane, by tmux alone: where no server runs and no agent has its name, nothing else is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paneward.client.whereabouts import told
from paneward.config.places import state_dir
from paneward.surfaces.cli.answers import CapturedLines
from paneward.surfaces.cli.work import beyond, settings_of

if TYPE_CHECKING:
    from paneward.surfaces.cli.options import RootOptions

STORE = "deliveries.db"


def glimpse(place: RootOptions, target: str, lines: int, ansi: bool) -> CapturedLines | None:
    """None where a server or the library has to be asked."""
    if place.host or place.transport or (not beyond(place) and told(state_dir()) is not None):
        return None
    settings = settings_of(place)
    if not target.startswith("%"):
        from paneward.store.rows.names import is_agent

        if settings.store.url is not None or is_agent(state_dir() / STORE, target) is not False:
            return None
    from paneward.adapters.tmux.glance import Glance
    from paneward.core.screen.cells import last_lines

    timeout, tmux = settings.tmux_bridge.subprocess_timeout, settings.tmux.binary
    glance = Glance(place.socket_name, place.socket_path, timeout, tmux)
    pane = target if target[1:].isdecimal() and target.startswith("%") else glance.resolve(target)
    return CapturedLines(pane, last_lines(glance.look(pane, lines), lines, ansi))
