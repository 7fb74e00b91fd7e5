"""Starting, finding and ending a server: functions behind `up`, `down` and `status`.

A detached server is a process of its own: it prints one document when it is up, or why it is not, and then writes to
its log alone. Whoever started it reads that document; nothing is polled.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from paneward.adapters.clock import SystemClock
from paneward.client.records import revive
from paneward.client.remote import failure, required
from paneward.client.remote import found as running
from paneward.client.whereabouts import LOG
from paneward.config import Settings, state_dir
from paneward.core.errors import PanewardError, ServerError
from paneward.surfaces import wire
from paneward.surfaces.cli.answers import RunningServer, document
from paneward.surfaces.cli.options import RootOptions
from paneward.surfaces.cli.show.answers import show
from paneward.surfaces.cli.show.lines import terminal
from paneward.surfaces.cli.upkeep import Revoked, Token
from paneward.surfaces.cli.work import ask, print_json, settings_of, usage_unless
from paneward.surfaces.server.shutdown import refuse_beside_another
from paneward.surfaces.server.status import described_if_any

LOG_KEPT = 4 << 20  # bytes of a log beyond which the next server begins a new one


def settings_with(place: RootOptions, given: Mapping[str, Any]) -> Settings:
    """The settings in effect, those of the command line included."""
    settings = settings_of(place)
    own = {name: value for name, value in given.items() if value is not None}
    return replace(settings, server=replace(settings.server, **own))


# --- up


def here(place: RootOptions, settings: Settings, demo: bool, daemon: bool) -> RunningServer | None:
    """Serve in this process until the end; where one runs already, say so at once."""
    directory = state_dir()
    if (running := _beside(directory)) is not None:
        return _with_company(running, directory, demo)
    if daemon:
        _leave_the_terminal()
    from paneward.demo.company import company, nobody
    from paneward.surfaces.server import hosting
    from paneward.surfaces.server import log as logs

    logs.configure(settings.server.log, os.environ.get("PANEWARD_LOG", "info"), file=directory / LOG)
    hosting.host(settings, directory, lambda server: _announce(place, server), company if demo else nobody)
    return None


def _with_company(running: RunningServer, directory: Path, demo: bool) -> RunningServer:
    """A server that runs already; the demo agents come only with one that is started with them."""
    from paneward.demo.company import TASKS

    if demo:
        there = {str(row["id"]) for row in required(directory).get("/api/agents")["agents"]}
        if not there.issuperset(TASKS):
            raise ServerError(
                f"a server runs already at {running.url}, without the demo agents",
                hint="`paneward down` ends it, agents go on; then `paneward up --demo`.",
            )
    return running


def _announce(place: RootOptions, server: RunningServer) -> None:
    if place.json:
        print_json(document(server))
    else:
        show(terminal(), server)
    sys.stdout.flush()


def _leave_the_terminal() -> None:
    """Be nobody's child, so that nobody has to wait for it: the process that was started ends at once."""
    if os.fork():
        os._exit(0)


def _beside(directory: Path) -> RunningServer | None:
    """The server that runs already; an error that says what to do where it does not answer."""
    try:
        running = described_if_any(directory, sign_in=True)
    except PanewardError:
        refuse_beside_another(directory)
        raise
    if running is None:
        refuse_beside_another(directory)
    return running


def detached(place: RootOptions, settings: Settings, given: Mapping[str, Any], demo: bool) -> RunningServer:
    """Start a server that goes on by itself; returns when it answers."""
    directory = state_dir()
    if (running := _beside(directory)) is not None:
        return _with_company(running, directory, demo)
    with _log(directory) as log:
        child = subprocess.Popen(
            _command(place, given, demo),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
    with child:
        said = child.stdout.readline() if child.stdout is not None else b""
    return _started(said, directory / LOG)


def _command(place: RootOptions, given: Mapping[str, Any], demo: bool) -> list[str]:
    config = ["--config", str(place.config)] if place.config is not None else []
    flags = [f"--{name.replace('_', '-')}" for name, value in given.items() if value is True]
    values = [f"--{name}={value}" for name, value in given.items() if value is not None and value is not True]
    more = ["--demo"] if demo else []
    return [sys.executable, "-P", "-m", "paneward", *config, "--json", "up", "--daemon", *flags, *values, *more]


def _started(said: bytes, log: Path) -> RunningServer:
    try:
        answer = json.loads(said)
    except ValueError:
        raise ServerError("the server ended before it was up", hint=f"Its log tells why: {log}") from None
    if not answer.get("ok"):
        raise failure(answer, 0)
    return replace(revive(RunningServer, answer), log=str(log))


@contextlib.contextmanager
def _log(directory: Path) -> Any:
    """The log of a server that runs by itself; a long one is put aside."""
    path = directory / LOG
    if path.exists() and path.stat().st_size > LOG_KEPT:
        path.replace(path.with_suffix(".old.log"))
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
        yield file


# --- around


def print_all(place: RootOptions) -> None:
    asyncio.run(_print_all(settings_of(place), state_dir()))


async def _print_all(settings: Settings, directory: Path) -> None:
    from paneward.store import Store

    store = Store.open(settings.store.url or directory / "deliveries.db")
    try:
        rows: AsyncIterator[Any] = store.export()
        async for row in rows:
            print_json(wire.plain(row))
    finally:
        await store.close()


def minted(role: str, agent: str, seconds: float) -> Token:
    """A token of an identity, signed with the key of the state directory: no server is needed for it."""
    from paneward.surfaces.http.access.tokens import Access, Role, token_id

    access = Access.open(state_dir(), SystemClock())
    token = access.mint(Role(role), agent, seconds=seconds)
    return Token(token, role, agent, seconds, token_id(token))


def revoked(place: RootOptions, given: str) -> Revoked:
    """End a token: by the server that runs, else in the file that the next one reads."""
    from paneward.surfaces.http.access.tokens import Access, token_id

    found = token_id(given.strip())
    usage_unless(bool(found), "--revoke takes a token, or its id: `paneward --json token` shows it")
    if running(state_dir()) is None:
        Access.open(state_dir(), SystemClock()).revoke(found)
    else:
        ask(place, lambda remote: remote.ask("DELETE", f"/api/tokens/{found}"), "asking the server")
    return Revoked(found)
