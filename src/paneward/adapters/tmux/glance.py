"""One look at a pane of this machine by one process of tmux, without an event loop: functions.

`read` needs nothing else, and loading the rest of the library takes several times as long as the look itself. The words
are those of the other two ways to tmux (`words.py`); a client that is open already would answer faster.
"""

import subprocess
from collections.abc import Sequence

from paneward.adapters.tmux.socket import check_socket
from paneward.adapters.tmux.words import (
    check_version,
    choose,
    classify,
    look_format,
    nonce,
    panes_format,
    read_look,
    read_panes,
)
from paneward.core.errors import TmuxNotInstalled, TmuxTimeout
from paneward.core.terminal.scene import Snapshot


class Glance:
    """The panes of one tmux server."""

    def __init__(self, socket_name: str | None, socket_path: str | None, timeout: float, tmux: str) -> None:
        self._argv = [tmux, "-u"]
        self._argv += ["-S", socket_path] if socket_path else ["-L", socket_name] if socket_name else []
        self._named = socket_name, socket_path
        self._timeout = timeout

    def resolve(self, target: str) -> str:
        """The pane id of a target."""
        secret = nonce()
        return choose(target, read_panes(self._run("list-panes", "-a", "-F", panes_format(secret)), secret))

    def look(self, pane: str, history: int) -> Snapshot:
        """The screen, with up to `history` lines of the scrollback before it."""
        secret = nonce()
        answer = self._run(
            *("display-message", "-p", "-t", pane, "#{version}", ";"),
            *("capture-pane", "-p", "-e", "-t", pane, "-S", f"-{history}", ";"),
            *("display-message", "-p", "-t", pane, look_format(secret)),
        )
        version, _, seen = answer.partition(b"\n")
        check_version(version.decode("utf-8", "replace"))
        body, _, trailer = (b"\n" + seen).rpartition(f"\n{secret} ".encode())
        return read_look(pane, trailer.removesuffix(b"\n"), body.split(b"\n")[1:], secret)

    def _run(self, *words: str) -> bytes:
        check_socket(*self._named)
        command: Sequence[str] = [*self._argv, *words]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=self._timeout)
        except FileNotFoundError:
            raise TmuxNotInstalled from None
        except subprocess.TimeoutExpired:
            raise TmuxTimeout(f"tmux did not answer `{words[0]}` within {self._timeout:g} s") from None
        if done.returncode:
            raise classify(words[0], done.stderr.decode("utf-8", "replace"))
        return done.stdout
