"""A ground for each test: a private tmux server, a state directory, and connections of any kind to that server."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from paneward.adapters.hosts.host import Host
from paneward.app import Connection, Transport, connect
from paneward.config import Settings, TmuxSettings
from tests.adapters.conftest import TMUX, TmuxServer
from tests.adapters.conftest import ssh_config as ssh_config
from tests.adapters.conftest import tmux_server as tmux_server
from tests.live.ground import Stage

SETTINGS = Settings(tmux=TmuxSettings(binary=TMUX))


@dataclass(frozen=True, slots=True)
class Ground:
    server: TmuxServer
    directory: Path
    ssh: Callable[[], Path]

    @property
    def state(self) -> Path:
        return self.directory / "state"

    def stage(self, program: str, *options: str, width: int = 80, height: int = 24) -> Stage:
        """A hostile program in a pane of its own."""
        return Stage(self.server, self.directory, program, *options, width=width, height=height)

    def connect(
        self, transport: Transport = "control", host: str = "local", settings: Settings = SETTINGS, **other: Any
    ) -> AbstractAsyncContextManager[Connection]:
        place = Host.ssh("loopback", "-F", str(self.ssh())) if host == "ssh" else Host()
        named = {"socket_name": self.server.name, **other}
        return connect(host=place, transport=transport, settings=settings, state=self.state, **named)

    def shell(self, *command: str, **size: int) -> str:
        """A pane with a bash whose prompt is `$ `, or with another program."""
        bash = ["bash", "--norc", "--noprofile", "-i"]
        return self.server.new_pane(list(command) or ["env", "PS1=$ ", "HISTFILE=", *bash], remain=True, **size)


@pytest.fixture
def ground(
    tmux_server: TmuxServer, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Ground:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.delenv("TMUX_PANE", raising=False)
    (tmp_path / "state").mkdir()
    return Ground(tmux_server, tmp_path, lambda: Path(request.getfixturevalue("ssh_config")))
