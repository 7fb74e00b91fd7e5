"""The way to a tmux server: here or on another host, by a control client or by one process per command."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from paneward.adapters.clock import SystemClock
from paneward.adapters.hosts.host import Host, HostGate
from paneward.adapters.kinds.opencode import OpenCodeApi
from paneward.adapters.tmux.control import ControlTmux
from paneward.adapters.tmux.processes import ExecTmux
from paneward.app.connection import Connection
from paneward.config import Settings, profiles_of, state_dir
from paneward.core.credentials import learn
from paneward.core.errors import Code, InvalidInput
from paneward.core.hosts.host import HostRecord
from paneward.ports import Tmux
from paneward.store import Store

Transport = Literal["control", "exec"]


@asynccontextmanager
async def connect(
    socket_name: str | None = None,
    socket_path: str | None = None,
    host: str | Host | None = None,
    transport: Transport = "control",
    *,
    settings: Settings | None = None,
    state: Path | None = None,
    store: Store | None = None,
) -> AsyncIterator[Connection]:
    """Connect to a tmux server: here or on `host` over ssh. A `store` that is given is shared, and not closed."""
    if transport not in ("control", "exec"):
        raise InvalidInput(
            f"no transport is called {transport!r}", code=Code.CONFIG_INVALID, hint="Allowed: control, exec."
        )
    settings = settings or Settings()
    learn(settings.store.redact)
    tmux = _tmux(transport, host, socket_name, socket_path, settings)
    here = host is None or (isinstance(host, Host) and host.local)
    apis = {"opencode": OpenCodeApi(SystemClock())} if here else {}
    connection = Connection(tmux, settings, profiles_of(settings), state or state_dir(), apis, store)
    try:
        yield connection
    finally:
        await connection.close()


def host_of(record: HostRecord, gate: HostGate | None = None) -> Host:
    """The way to a host that was added by name."""
    options = [word for option in record.options for word in ("-o", option)]
    config = ["-F", record.config] if record.config else []
    return Host.ssh(record.destination, *config, *options, name=record.name, gate=gate)


def socket_at(record: HostRecord, name: str | None, path: str | None) -> tuple[str | None, str | None]:
    """The name or the path of the tmux socket there: what was asked for, else the host's own."""
    if name or path or not record.socket:
        return name, path
    return (None, record.socket) if "/" in record.socket else (record.socket, None)


def _tmux(
    transport: Transport, host: str | Host | None, socket_name: str | None, socket_path: str | None, settings: Settings
) -> Tmux:
    place = host if isinstance(host, Host) else Host.ssh(host) if host else Host()
    timeout, binary = settings.tmux_bridge.subprocess_timeout, settings.tmux.binary
    if transport == "exec":
        return ExecTmux(place, socket_name, socket_path, timeout, tmux=binary)
    link = settings.tmux.link_foreign
    return ControlTmux(place, socket_name, socket_path, timeout, tmux=binary, link_foreign=link)
