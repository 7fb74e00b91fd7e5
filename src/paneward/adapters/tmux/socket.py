"""The socket of a tmux server: where it lies, and that it is ours.

It is looked at each time before a client connects. A client does what its server says: it writes files, and becomes
any program that the server names (`detach-client -E`, `lock-command`). So nothing is asked of a server of another user.
On another host a shell looks, before it becomes tmux, and only where a path was named: tmux itself refuses a directory
for `-L NAME` that is not its user's alone.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from paneward.core.errors import Code, TmuxError
from paneward.core.ownership import FileEntry, doubt_of_socket

NOT_OURS = "this tmux server may be another user's"
HINT = "Use a tmux server of your own, with its socket in a directory that nobody else can write to (`tmux -L NAME`)."

# The same as `doubt_of_socket`, for the other side: $0 is tmux, $1 the path. A link is refused, since it may be changed
# in between; links on the way are followed once.
REMOTE_CHECK = f"""
refuse() {{ echo "{NOT_OURS}: $1" >&2; exit 1; }}
is() {{ path=$1; shift; [ -n "$(find "$path" -prune "$@")" ]; }}
socket=$1; shift; me=$(id -u)
place=$(cd -P -- "$(dirname -- "$socket")" 2>/dev/null && pwd -P) || exec "$0" -S "$socket" "$@"
name=$(basename -- "$socket"); folder=$place; socket=${{place%/}}/$name; nearest=yes
[ ! -h "$socket" ] || refuse "$socket is a link"
[ ! -e "$socket" ] || is "$socket" -user "$me" || refuse "$socket belongs to another user"
while :; do
  is "$folder" -user 0 || is "$folder" -user "$me" || refuse "$folder belongs to another user"
  if is "$folder" \\( -perm -0020 -o -perm -0002 \\); then
    [ -z "$nearest" ] && is "$folder" -perm -1000 || refuse "others can write to $folder"
  fi
  [ "$folder" != / ] || break
  folder=$(dirname -- "$folder") nearest=
done
exec "$0" -S "$socket" "$@"
"""


def tmux_command(tmux: str, local: bool, name: str | None, path: str | None, *flags: str) -> list[str]:
    """What each command to a tmux server begins with."""
    if path and not local:
        return ["sh", "-c", REMOTE_CHECK, tmux, path, "-u", *flags]
    return [tmux, "-u", *flags, *(["-S", path] if path else ["-L", name] if name else [])]


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
            raise TmuxError(f"{NOT_OURS}: {doubt}", code=Code.SOCKET_NOT_OURS, hint=HINT)


def _folders(place: str) -> list[FileEntry]:
    return [entry for folder in Path(place).parents if (entry := _entry(str(folder), follow=False)) is not None]


def _entry(path: str, follow: bool) -> FileEntry | None:
    try:
        found = os.stat(path, follow_symlinks=follow)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise TmuxError(f"{path}: {error.strerror}", code=Code.SOCKET_NOT_OURS, hint=HINT) from None
    return FileEntry(path, found.st_uid, found.st_mode)
