"""Where things are: the state directory, the user's configuration. Every command looks here: it loads nothing heavy."""

import os
from collections.abc import Mapping
from pathlib import Path

from paneward.core.errors import StoreError

PREFIX = "PANEWARD_"


def state_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The directory of locks and receipts; made for its owner alone."""
    named = env.get(f"{PREFIX}STATE_DIR")
    place = (
        Path(named).absolute()
        if named
        else _absolute(env.get("XDG_STATE_HOME"), _home(env) / ".local/state") / "paneward"
    )
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make the state directory {place}: {error.strerror}",
            hint=f"{PREFIX}STATE_DIR names another one.",
        ) from None
    _check_owner(place)
    return place


def _check_owner(place: Path) -> None:
    """A directory that others could write to may hold what they put there: nothing in it can be trusted."""
    found = place.stat()
    if found.st_uid != os.geteuid():
        raise StoreError(
            f"the state directory {place} belongs to another user (uid {found.st_uid})",
            hint=f"{PREFIX}STATE_DIR names another one.",
        )
    if found.st_mode & 0o022:
        raise StoreError(
            f"others may write to the state directory {place} (mode {found.st_mode & 0o777:o})",
            hint=f"Look at what is in it, then `chmod 700 {place}`; or {PREFIX}STATE_DIR names another one.",
        )


def config_home(env: Mapping[str, str]) -> Path:
    return _absolute(env.get("XDG_CONFIG_HOME"), _home(env) / ".config")


def _absolute(named: str | None, otherwise: Path) -> Path:
    """The XDG rules ignore a relative path."""
    return Path(named) if named and Path(named).is_absolute() else otherwise


def _home(env: Mapping[str, str]) -> Path:
    return Path(env["HOME"]) if env.get("HOME") else Path.home()
