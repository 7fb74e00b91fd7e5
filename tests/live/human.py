"""An operator: a second, real tmux client on a pseudo-terminal, attached to the pane's session."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from contextlib import suppress

from tests.adapters.conftest import TmuxServer, until


class Human:
    """Types as a person does: through an attached client, not through tmux's commands."""

    def __init__(self, server: TmuxServer, pane: str, width: int = 80, height: int = 25) -> None:
        self._server, self._pane = server, pane
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        command = [server.tmux, "-u", "-L", server.name, "attach-session", "-t", server.value(pane, "session_id")]
        self._process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=server.env, start_new_session=True
        )
        os.close(slave)
        self._drain = threading.Thread(target=self._read, daemon=True)
        self._drain.start()
        until(lambda: server.run("list-clients", "-F", "#{client_control_mode}").count("0") >= 1)

    def _read(self) -> None:
        with suppress(OSError):
            while os.read(self._master, 65536):
                pass

    def type(self, text: str) -> None:
        """Type, and wait until it stands on the screen."""
        os.write(self._master, text.encode())
        if text.strip():
            until(lambda: text.strip() in self._server.screen(self._pane))

    def press(self, data: bytes) -> None:
        os.write(self._master, data)

    def leave(self) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._master)
        self._drain.join()
