"""Ending a server: asked by HTTP where it answers, told by a signal where it does not, killed where that is asked for.

Which process it is, is told by the file `server.json` together with the lock on the store, which the kernel takes from
a process that is gone: a number that was given to another process since is never signalled.
"""

import os
import select
import signal
from contextlib import suppress
from pathlib import Path

from paneward.client.remote import found
from paneward.client.whereabouts import LOG, Whereabouts, told, untell
from paneward.core.errors import Code, PanewardError, ServerError, StoreError
from paneward.surfaces.cli.upkeep import Stopped

LEASE = "deliveries.db.lease"  # of a store in the state directory
PROBE = 5.0  # seconds that a server may take to say that it will end
FORCE = "`paneward down --force` kills it: what is stored stays, and the next server goes on from there."


def ended(directory: Path, force: bool, patience: float) -> Stopped:
    where = told(directory)
    process = None if where is None else process_of(where, directory)
    if where is None or process is None:
        return Stopped()
    try:
        asked = _asked(directory)
        if not asked:
            signal.pidfd_send_signal(process, signal.SIGTERM)
        if not _gone(process, patience):
            if not force:
                raise _hangs(where, directory, patience, asked)
            signal.pidfd_send_signal(process, signal.SIGKILL)
            _gone(process, None)
            untell(directory, where.pid)
            return Stopped(where.url, where.pid, killed=True)
        return Stopped(where.url, where.pid)
    finally:
        os.close(process)


def refuse_beside_another(directory: Path) -> None:
    """Say what to do where a server runs and does not answer: a second one could only say that the store is in use."""
    where = told(directory)
    process = None if where is None else process_of(where, directory)
    if where is None or process is None:
        return
    os.close(process)
    raise StoreError(
        f"a server runs already (process {where.pid}, {where.url}), and does not answer",
        code=Code.STORE_LEASED,
        hint=f"`paneward down` ends it. If it hangs, {FORCE}",
    )


def process_of(where: Whereabouts, directory: Path) -> int | None:
    """A handle of the server's process; none where it is gone."""
    try:
        process = os.pidfd_open(where.pid)
    except OSError:
        return None
    if _holds_lease(where.pid, directory / LEASE) or _serves(where.pid):
        return process
    os.close(process)
    return None


def _holds_lease(pid: int, lease: Path) -> bool:
    """The kernel lists who locked what: `1: FLOCK ADVISORY WRITE 4242 fe:01:7311 0 EOF`."""
    try:
        inode = lease.stat().st_ino
        rows = [line.split() for line in Path("/proc/locks").read_text(encoding="ascii").splitlines()]
    except OSError:
        return False
    return any(row[1:2] == ["FLOCK"] and row[4] == str(pid) and row[5].endswith(f":{inode}") for row in rows)


def _serves(pid: int) -> bool:
    """A server with a store elsewhere is told by its command line, and by its user."""
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        ours = Path(f"/proc/{pid}").stat().st_uid == os.getuid()
        return ours and b"up" in words and any(b"paneward" in word for word in words)
    return False


def _asked(directory: Path) -> bool:
    """Whether it answered that it will end. Who may not end it is told so, and does not end it by a signal either."""
    try:
        remote = found(directory)
        if remote is None:
            return False
        remote.post("/api/shutdown", {}, PROBE)
    except PanewardError as error:
        if error.code in (Code.UNAUTHORIZED, Code.FORBIDDEN):
            raise
        return False
    return True


def _gone(process: int, patience: float | None) -> bool:
    """Whether the process ended: the kernel says so, nothing is looked for."""
    poll = select.poll()
    poll.register(process, select.POLLIN)
    return bool(poll.poll(None if patience is None else patience * 1000))


def _hangs(where: Whereabouts, directory: Path, patience: float, asked: bool) -> ServerError:
    how = "was asked to end" if asked else "does not answer, was sent SIGTERM"
    message = f"the server (process {where.pid}, {where.url}) {how}, and still runs after {patience:g} seconds"
    return ServerError(message, code=Code.TIMEOUT, hint=f"{directory / LOG} may tell why. {FORCE}")
