"""Where the running server is: the file `server.json` in the state directory, and the token. Shape: functions.

The file is written when the server listens and removed when it ends in order. A killed server leaves it behind, so
it counts only while somebody listens on the socket beside it. Every command looks here first: it loads nothing heavy.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from paneward.core.errors import Code, ServerError

FILE = "server.json"
TOKEN = "token"
LOG = "server.log"


class Whereabouts(NamedTuple):
    """A server that was started: it may be gone."""

    url: str  # for browsers
    pid: int
    version: str


def told(directory: Path) -> Whereabouts | None:
    """What the file says; none where there is no file that can be read."""
    try:
        data = json.loads((directory / FILE).read_text(encoding="utf-8"))
        return Whereabouts(str(data["url"]), int(data["pid"]), str(data["version"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def tell(directory: Path, where: Whereabouts) -> None:
    """Write the file, for its owner alone and in one step: a reader sees all of it or none."""
    fresh = directory / f"{FILE}.{where.pid}"
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(where._asdict(), file)
    fresh.replace(directory / FILE)


def untell(directory: Path, pid: int) -> None:
    """Remove the file, unless another server wrote it meanwhile."""
    where = told(directory)
    if where is not None and where.pid == pid:
        with contextlib.suppress(OSError):
            (directory / FILE).unlink()


def token_of(directory: Path, env: Mapping[str, str] = os.environ) -> str:
    """The token that this command acts by: a runtime's own, else the operator's; empty where there is none."""
    named = named_token(env)
    try:
        return (named or directory / TOKEN).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        if named is None:
            return ""
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise ServerError(
            f"cannot read the token in {named}: {why}",
            code=Code.UNAUTHORIZED,
            hint="PANEWARD_TOKEN_FILE names it; unset it to act as the operator.",
        ) from None


def named_token(env: Mapping[str, str] = os.environ) -> Path | None:
    """The file of a runtime's own token, if one is named."""
    named = env.get("PANEWARD_TOKEN_FILE")
    return Path(named) if named else None
