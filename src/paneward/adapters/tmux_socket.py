"""The socket of a tmux server on this machine: where it lies, and that it is ours.

It is looked at each time before a client connects. A client does what its server says: it writes files, and becomes
any program that the server names (`detach-client -E`, `lock-command`). So nothing is asked of a server of another user.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from paneward.core.errors import Code, TmuxError
from paneward.core.ownership import Entry, doubt_of_socket

HINT = "Use a tmux server of your own, with its socket in a directory that nobody else can write to (`tmux -L NAME`)."


def socket_path(name: str | None, path: str | None, env: Mapping[str, str] = os.environ) -> str:
    """Where tmux looks for the socket: as it was named, else that of $TMUX, else the default one."""
    if not path and not name and env.get("TMUX"):
        path = env["TMUX"].split(",")[0]
    folder = Path(env.get("TMUX_TMPDIR") or "/tmp") / f"tmux-{os.getuid()}"
    return os.path.abspath(path or folder / (name or "default"))


def check_socket(name: str | None, path: str | None) -> None:
    """Refuse a socket that another user may serve: by its own path, and by where links lead to."""
    lexical = socket_path(name, path)
    for place in dict.fromkeys((lexical, os.path.realpath(lexical))):
        doubt = doubt_of_socket(_entry(place, follow=True), _folders(place), os.geteuid())
        if doubt:
            raise TmuxError(f"this tmux server may be another user's: {doubt}", code=Code.SOCKET_NOT_OURS, hint=HINT)


def _folders(place: str) -> list[Entry]:
    return [entry for folder in Path(place).parents if (entry := _entry(str(folder), follow=False)) is not None]


def _entry(path: str, follow: bool) -> Entry | None:
    try:
        found = os.stat(path, follow_symlinks=follow)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise TmuxError(f"{path}: {error.strerror}", code=Code.SOCKET_NOT_OURS, hint=HINT) from None
    return Entry(path, found.st_uid, found.st_mode)
