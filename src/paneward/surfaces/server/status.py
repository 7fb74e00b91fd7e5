"""What a server says of itself: for `status`, for tmux's status line, and before another one is started. Functions."""

import contextlib
from pathlib import Path

from paneward.client.agents import counts, seats
from paneward.client.remote import Remote, found, not_running
from paneward.config.places import state_dir
from paneward.core.errors import PanewardError
from paneward.core.version import VERSION
from paneward.surfaces.cli.answers import RunningServer
from paneward.surfaces.cli.options import RootOptions
from paneward.surfaces.cli.show.agents import in_words

PROBE = 5.0  # seconds that a server may take to say that it is there


def standing(place: RootOptions, sign_in: bool) -> RunningServer:
    directory = state_dir()
    running = described_if_any(directory, sign_in)
    if running is None:
        raise not_running(directory)
    return running


def described_if_any(directory: Path, sign_in: bool) -> RunningServer | None:
    remote = found(directory)
    return None if remote is None else _described(remote, sign_in)


def _described(remote: Remote, sign_in: bool) -> RunningServer:
    where, says = remote.where, remote.get("/api/version", PROBE)
    return RunningServer(
        where.url,
        where.pid,
        str(says.get("version", where.version)),
        remote.post("/api/signin-code", {})["url"] if sign_in else "",
        own_version=VERSION,
        states=counts(seats(remote)),
    )


def segment() -> str:
    """For a status line: nothing is said where nothing is to be done, and never an error."""
    with contextlib.suppress(PanewardError):
        running = described_if_any(state_dir(), sign_in=False)
        return in_words(running.states) if running is not None and running.states else ""
    return ""
