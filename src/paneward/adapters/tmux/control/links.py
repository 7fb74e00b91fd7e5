"""Watching more sessions than clients can be attached to: their windows are linked into one session of ours.

What surprised us: linking costs a tenth of a millisecond where attaching another client costs a third of a second,
but a linked window outlives its owner's `kill-session`, so we end it ourselves when nobody else has it. The
session ends with its last client (`destroy-unattached`), so a crash leaves no link behind.
"""

import contextlib
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable

from paneward.adapters.tmux.door import Door
from paneward.adapters.tmux.words import OURS, classify
from paneward.core.errors import TmuxError
from paneward.core.terminal.control import CommandReply, encode

IDLE = "exec sleep 2147483647"  # a session needs a window of its own


class Links:
    """The session of ours, and how many watches need each window that is linked into it."""

    def __init__(self, ask: Callable[[bytes], Awaitable[CommandReply]], door: Door) -> None:
        self._ask = ask
        self._door = door
        self.session = ""
        self._needed: Counter[str] = Counter()

    async def open(self) -> str:
        """Our session; made at the first call, after sweeping what a crash may have left."""
        if not self.session:
            await self._sweep()
            name = f"{OURS}{secrets.token_hex(6)}"
            async with self._door.alone():
                [self.session] = await self._do("new-session", "-d", "-P", "-F", "#{session_id}", "-s", name, IDLE)
        return self.session

    def forget(self) -> None:
        """The session ended with its client, and all links with it."""
        self.session = ""
        self._needed.clear()

    async def keep_while_attached(self) -> None:
        """To be called once a client is attached: from then on the session ends with it."""
        await self._do("set-option", "-t", self.session, "destroy-unattached", "on")

    async def _sweep(self) -> None:
        """End the sessions of ours that nobody watches. A client for commands may sit on one by chance."""
        flags = "#{client_session} #{client_flags}"
        clients = [row.split(" ", 1) for row in await self._do("list-clients", "-F", flags)]
        watched = {name for name, flags in clients if "pause-after" in flags}
        for row in await self._do("list-sessions", "-F", "#{session_id} #{session_name}"):
            session, name = row.split(" ", 1)
            if name.startswith(OURS) and name not in watched:
                with contextlib.suppress(TmuxError):
                    async with self._door.alone():
                        await self._do("kill-session", "-t", session)

    async def add(self, window: str) -> None:
        if not self._needed[window]:
            await self._do("link-window", "-d", "-s", window, "-t", f"{self.session}:")
        self._needed[window] += 1

    async def drop(self, window: str) -> None:
        self._needed[window] -= 1
        if self._needed[window] <= 0:
            del self._needed[window]
            if window in await self._alone():
                await self._do("unlink-window", "-k", "-t", f"{self.session}:{window}")
            else:
                await self._do("unlink-window", "-t", f"{self.session}:{window}")

    async def reap(self) -> None:
        """End the windows that live by our link only: whoever owned them closed them."""
        for window in await self._alone():
            if self._needed.pop(window, 0):
                await self._do("unlink-window", "-k", "-t", f"{self.session}:{window}")

    async def _alone(self) -> list[str]:
        rows = await self._do("list-windows", "-t", self.session, "-F", "#{window_id} #{window_linked_sessions}")
        return [row.split()[0] for row in rows if row.split()[1] == "1"]

    async def close(self) -> None:
        for window in list(self._needed):
            self._needed[window] = 1
            await self.drop(window)
        if self.session:
            async with self._door.alone():
                await self._do("kill-session", "-t", self.session)
            self.session = ""

    async def _do(self, *command: str) -> list[str]:
        reply = await self._ask(encode(*command))
        if not reply.ok:
            raise classify(command[0], b"\n".join(reply.lines).decode("utf-8", "replace"))
        return [line.decode("utf-8", "replace") for line in reply.lines]


def too_many(sessions: int) -> TmuxError:
    return TmuxError(
        f"panes of {sessions} sessions are watched already",
        hint="Set `tmux.link_foreign: true` to watch more of them by linking their windows into one session.",
    )
