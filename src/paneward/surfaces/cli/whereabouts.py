"""Where the running server is: the file `server.json` in the state directory, and the token. Shape: functions.

The file is written when the server listens and removed when it ends in order. A killed server leaves it behind, so
what it names counts only if it answers. Every command looks here first: nothing heavy is imported.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = "server.json"
TOKEN = "token"
LOG = "server.log"


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """A server that was started: it may be gone."""

    url: str
    pid: int
    version: str
    certificate: str | None = None  # of one that speaks TLS


def told(directory: Path) -> Whereabouts | None:
    """What the file says; none where there is no file that can be read."""
    try:
        data = json.loads((directory / FILE).read_text(encoding="utf-8"))
        return Whereabouts(str(data["url"]), int(data["pid"]), str(data["version"]), data.get("certificate"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def tell(directory: Path, where: Whereabouts) -> None:
    """Write the file, for its owner alone and in one step: a reader sees all of it or none."""
    fresh = directory / f"{FILE}.{where.pid}"
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(where), file)
    fresh.replace(directory / FILE)


def untell(directory: Path, pid: int) -> None:
    """Remove the file, unless another server wrote it meanwhile."""
    where = told(directory)
    if where is not None and where.pid == pid:
        with contextlib.suppress(OSError):
            (directory / FILE).unlink()


def token_of(directory: Path, env: Mapping[str, str] = os.environ) -> str:
    """The token that this command acts by: a runtime's own, else the operator's; empty where there is none."""
    named = env.get("PANEWARD_TOKEN_FILE")
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return (Path(named) if named else directory / TOKEN).read_text(encoding="utf-8").strip()
    return ""
