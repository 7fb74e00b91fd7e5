"""Whether a socket can be trusted, from who owns what on the way to it. Shape: functions.

Who serves a tmux socket rules the clients that connect to it: a tmux client writes the files and runs the programs that
its server names. A socket file belongs to who made it, and nobody can give one away. So its owner tells who serves it,
as long as nobody else can put another file in its place.
"""

import stat
from collections.abc import Sequence
from dataclasses import dataclass

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file or a directory, as the system describes it."""

    path: str
    uid: int
    mode: int


def doubt_of_socket(socket: FileEntry | None, folders: Sequence[FileEntry], uid: int) -> str:
    """Why a socket may be somebody else's; nothing if it is ours. None: it is not there. `folders`: nearest first."""
    if socket is not None and not stat.S_ISSOCK(socket.mode):
        return f"{socket.path} is not a socket"
    if socket is not None and socket.uid != uid:
        return f"{socket.path} belongs to another user ({socket.uid})"
    found = (_doubt_of_folder(folder, uid, nearest=number == 0) for number, folder in enumerate(folders))
    return next(filter(None, found), "")


def _doubt_of_folder(folder: FileEntry, uid: int, nearest: bool) -> str:
    if folder.uid not in (uid, 0):
        return f"{folder.path} belongs to another user ({folder.uid})"
    if stat.S_ISLNK(folder.mode) or not folder.mode & OTHERS_WRITE:
        return ""
    if folder.mode & stat.S_ISVTX and not nearest:
        return ""  # as in /tmp: others can add something, and not replace what is ours
    return f"others can write to {folder.path}"
