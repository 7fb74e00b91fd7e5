"""`paneward doctor`: looks at what Paneward needs, and says how to mend what is missing. Shape: functions.

Each check tries the real thing where it can: whether readers of a terminal can be seen is tried on one.
"""

import asyncio
import contextlib
import locale
import os
import pty
import shutil
import signal
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from paneward.adapters.clock import SystemClock
from paneward.adapters.hosts.host import Host
from paneward.adapters.installed import version_of
from paneward.adapters.process import local_facts
from paneward.adapters.tmux.words import check_version
from paneward.app import Resident
from paneward.config import Settings, find_file, profiles_of, state_dir
from paneward.core.errors import PanewardError, StoreError, TmuxTimeout
from paneward.core.profiles import BUILT_IN, Profile, nearest
from paneward.store import Store
from paneward.surfaces.cli.alone import host_called
from paneward.surfaces.cli.options import RootOptions
from paneward.surfaces.cli.show.agents import in_words
from paneward.surfaces.cli.upkeep import Check, Checks, CheckState
from paneward.surfaces.cli.work import connection, log_to_stderr, settings_of
from paneward.surfaces.server.address import check_bind, listening
from paneward.surfaces.server.status import standing

LOOKS, LOOK_EVERY = 100, 0.01  # a second for a program to begin reading: it takes milliseconds


def examine(place: RootOptions) -> Checks:
    log_to_stderr("critical")
    return Checks((*_here(place), *asyncio.run(_outside(place))))


def _ok(name: str, seen: str) -> Check:
    return Check(name, CheckState.OK, seen)


def _warn(name: str, seen: str, mend: str) -> Check:
    return Check(name, CheckState.WARN, seen, mend)


def _fail(name: str, seen: str, mend: str) -> Check:
    return Check(name, CheckState.FAIL, seen, mend)


def _failed(name: str, error: PanewardError) -> Check:
    return _fail(name, error.message, error.hint)


# --- this machine


def _here(place: RootOptions) -> Iterator[Check]:
    yield _python()
    yield _configuration(place)
    yield _state_directory()
    yield _receipts()
    yield _served(place)
    yield _locale()
    yield _setpriv()
    if place.host is None:
        yield _readers()


def _python() -> Check:
    return _ok("python", f"{sys.version.split()[0]} at {sys.executable}")


def _configuration(place: RootOptions) -> Check:
    try:
        settings = settings_of(place)
        known = profiles_of(settings)
    except PanewardError as error:
        return _failed("config", error)
    file = find_file(place.config, os.environ)
    seen = f"{file or 'no file, the defaults'}; profiles: {', '.join(known)}"
    if settings.notice:
        return _warn("config", f"{seen}; {settings.notice}", "Remove that file unless you trust who wrote it.")
    return _ok("config", seen)


def _state_directory() -> Check:
    try:
        folder = state_dir()
    except StoreError as error:
        return _failed("state", error)
    mode = stat.S_IMODE(folder.stat().st_mode)
    if not os.access(folder, os.W_OK | os.X_OK):
        return _fail("state", f"{folder} cannot be written", "PANEWARD_STATE_DIR names another directory.")
    if mode & 0o077:
        return _warn("state", f"{folder} is open to others ({mode:o})", f"`chmod 700 {folder}`")
    return _ok("state", f"{folder} ({mode:o})")


def _receipts() -> Check:
    """The file of receipts can be opened and written."""
    try:
        path = state_dir() / "deliveries.db"
        asyncio.run(_open_and_close(path))
    except StoreError as error:
        return _failed("receipts", error)
    return _ok("receipts", str(path))


async def _open_and_close(path: Path) -> None:
    await Store.open(path).close()


def _served(place: RootOptions) -> Check:
    """A server runs and is of this version; or one could be started where it would listen."""
    try:
        running = standing(place, sign_in=False)
    except PanewardError:
        return _port(place)
    if running.version != running.own_version:
        return _warn("paneward", f"{running.url} is of version {running.version}", "`paneward down`, `paneward up`.")
    return _ok("paneward", f"a server runs at {running.url}: {in_words(running.states)}")


def _port(place: RootOptions) -> Check:
    try:
        settings = settings_of(place).server
        check_bind(settings)
        with listening(settings):
            return _ok("paneward", f"no server runs; {settings.host} port {settings.port} is free for one")
    except PanewardError as error:
        return _warn("paneward", f"no server runs; {error.message}", error.hint)


def _locale() -> Check:
    encoding = sys.stdout.encoding or locale.getencoding()
    if encoding.lower().replace("-", "") != "utf8":
        return _warn("locale", f"the output is {encoding}", "`export LANG=C.UTF-8` shows every character.")
    return _ok("locale", encoding)


def _setpriv() -> Check:
    found = shutil.which("setpriv")
    if found is None:
        mend = "Install util-linux: without it, what Paneward opened may outlive it when it is killed."
        return _warn("setpriv", "not on PATH", mend)
    return _ok("setpriv", found)


def _readers() -> Check:
    """Whether a program that waits for its terminal can be told from one at work: tried on a real one."""
    with _reader() as pid:
        seen = asyncio.run(_seen_reading(pid))
    if seen:
        return _ok("processes", "a program that waits for input can be told from one at work")
    mend = "Readiness then rests on the screen alone: name prompts with --pattern, or allow reading /proc/PID/wchan."
    return _warn("processes", "whether a program waits for input cannot be seen here", mend)


@contextlib.contextmanager
def _reader() -> Iterator[int]:
    """A program that waits for a terminal of its own."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp("cat", ["cat"])
    try:
        yield pid
    finally:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


async def _seen_reading(pid: int) -> bool:
    clock = SystemClock()
    for _ in range(LOOKS):
        with contextlib.suppress(OSError):
            facts = local_facts(pid, os.readlink(f"/proc/{pid}/fd/0"))
            if facts is not None and facts.reading:
                return True
        await clock.sleep(LOOK_EVERY)
    return False


# --- tmux, here or there


async def _outside(place: RootOptions) -> list[Check]:
    try:
        settings = settings_of(place)
    except PanewardError:
        settings = Settings()  # what is wrong with it was said above
    checks = [await _ssh(place)] if place.host is not None else []
    if any(check.state is CheckState.FAIL for check in checks):
        return checks
    checks.append(await _tmux(place, settings.tmux.binary))
    if checks[-1].state is not CheckState.FAIL:
        checks += await _server(place)
    return [*checks, *await _agents(place, _profiles(settings))]


async def _host(place: RootOptions) -> Host:
    try:
        return await host_called(place.host, settings_of(place), state_dir())
    except PanewardError:  # what is wrong with them is said elsewhere
        return Host.ssh(place.host) if place.host else Host()


async def _ssh(place: RootOptions) -> Check:
    assert place.host is not None
    if shutil.which("ssh") is None:
        return _fail("ssh", "not on PATH", "Install it: `apt-get install openssh-client`.")
    host = await _host(place)
    try:
        done = await host.run(["true"], timeout=15.0)
    except PanewardError as error:
        return _failed("ssh", error)
    finally:
        await host.close()
    return (
        _ok("ssh", place.host) if done.status == 0 else _fail("ssh", done.words, f"`ssh {place.host} true` must work.")
    )


async def _tmux(place: RootOptions, binary: str) -> Check:
    host = await _host(place)
    if host.has(binary) is False:
        return _fail("tmux", f"no `{binary}` on PATH", "Install it: `apt-get install tmux`.")
    try:
        words = (await host.run([binary, "-V"])).stdout.decode("utf-8", "replace").strip()
        check_version(words)
    except PanewardError as error:
        return _failed("tmux", error)
    finally:
        await host.close()
    return _ok("tmux", f"{words} at {shutil.which(binary)}" if host.local else words)


async def _server(place: RootOptions) -> list[Check]:
    """No server is no fault: there is just nothing to type into yet."""
    try:
        async with connection(place) as tmux:
            panes = await tmux.survey()
    except TmuxTimeout as error:
        return [_failed("server", error)]
    except PanewardError as error:
        return [_warn("server", error.message, error.hint or "`tmux new-session -d` starts one.")]
    count = f"{len(panes)} pane{'s' * (len(panes) != 1)}, {_named(place)}"
    return [_ok("server", count), *(_unproven_in(one) for one in panes if one.version_known is False)]


def _unproven_in(one: Resident) -> Check:
    mend = f"`paneward profiles check {one.info.pane}` shows whether it still fits. {NEWER}"
    return _warn(one.info.pane, f"{one.profile} {one.version}: a version its profile was not proven on", mend)


def _named(place: RootOptions) -> str:
    there = f" on {place.host}" if place.host else ""
    if place.socket_path or place.socket_name:
        return f"the socket {place.socket_path or place.socket_name}{there}"
    if place.host is None and (socket := os.environ.get("TMUX", "").partition(",")[0]):
        return f"the socket {socket} of $TMUX"
    return f"the default socket{there}"


# --- agents

NEWER = (
    "A newer row for it goes into a file that `profiles.file` of ~/.config/paneward/config.yaml names: "
    "docs/agents/README.md has an example."
)


def _profiles(settings: Settings) -> Mapping[str, Profile]:
    try:
        return profiles_of(settings)
    except PanewardError:
        return BUILT_IN  # what is wrong with them was said above


async def _agents(place: RootOptions, profiles: Mapping[str, Profile]) -> list[Check]:
    """The agents on PATH, all asked at once: some take seconds to tell their version."""
    agents = [profile for profile in profiles.values() if profile.launch]
    host = await _host(place)
    try:
        checks = await asyncio.gather(*(_agent(host, profile) for profile in agents))
    finally:
        await host.close()
    absent = [profile.name for profile, check in zip(agents, checks, strict=True) if check is None]
    rest = [_ok("agents", f"not on PATH: {', '.join(absent)}")] if absent else []
    return [*(check for check in checks if check), *rest]


async def _agent(host: Host, profile: Profile) -> Check | None:
    program = profile.launch.split()[0]
    try:
        version = await version_of(host, program)
    except (PanewardError, OSError) as error:
        return _warn(profile.name, str(error), f"`{program} --version` must answer.")
    if version is None:
        return None
    if version in profile.versions:
        return _ok(profile.name, f"{version}, which its profile was proven on")
    taken = f"taken for {nearest(profile, version)}" if profile.versions else "proven on no version"
    mend = f"`paneward profiles check PANE` shows whether it still fits. {NEWER}"
    return _warn(profile.name, f"{version} is an unknown version: {taken}", mend)
