"""All watches of one tmux server: which client hears which pane, and what to do when that changes."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Protocol

from paneward.adapters.tmux.control.client import UPHEAVAL, Client, ClientLost
from paneward.adapters.tmux.control.deaths import Deaths
from paneward.adapters.tmux.control.links import Links, too_many
from paneward.adapters.tmux.control.watching import PaneWatch, SessionWatcher
from paneward.adapters.tmux.door import Door
from paneward.adapters.tmux.words import classify
from paneward.core.errors import HostUnreachable, PaneNotFound, TmuxError, TmuxTimeout
from paneward.core.terminal.control import CommandReply
from paneward.core.terminal.scene import Snapshot
from paneward.ports import Clock

SESSIONS = 30  # attaching grows with the square of the clients: 300 of them took 94 s
AGAIN = (0.01, 0.03, 0.1, 0.3, 1.0)  # seconds between attempts to join again
HUNG = 1.0  # seconds between looks at a tmux that does not answer
LINGER = 5.0  # seconds that an unused client is kept: opening one costs more than hearing for nobody


Tell = Callable[[PaneWatch], None]


class Opener(Protocol):
    def __call__(
        self, *attach: str, on_event: Callable[..., None] | None = ..., on_lost: Callable[[], None] | None = ...
    ) -> Client: ...


class Looker(Protocol):
    def __call__(
        self,
        client: Client,
        pane: str,
        history: int = ...,
        early: Callable[[Snapshot], None] | None = ...,
        blanks: bool = ...,
    ) -> Awaitable[Snapshot]: ...


@dataclass(frozen=True, slots=True)
class PanePosition:
    """Where a pane is; a pane of a linked window has several."""

    session: str
    window: str
    dead: bool


Places = dict[str, list[PanePosition]]


class Watchers:
    def __init__(
        self,
        local: bool,
        clock: Clock,
        door: Door,
        open_client: Opener,
        look: Looker,
        ask: Callable[[bytes], Awaitable[CommandReply]],
        link_foreign: bool,
    ) -> None:
        self._clock = clock
        self._door = door
        self._open = open_client
        self._look = look
        self._ask = ask
        self._links = Links(ask, door) if link_foreign else None
        self._sessions: dict[str, SessionWatcher] = {}
        self._home: dict[PaneWatch, SessionWatcher] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._checking = False
        self._closed = False
        self._linking = asyncio.Lock()
        self._deaths = Deaths(local, clock, self._open_spare, ask, self._check, self._start)

    async def _open_spare(self) -> Client:
        async with self._door.alone():
            client = self._open("-f", "no-output,ignore-size")
            try:
                await client.introduced()
            except BaseException:
                client.close()
                raise
            return client

    async def _places(self) -> Places:
        """The places of every pane; those where it is watched by a link come last."""
        reply = await self._ask(b"list-panes -a -F '#{pane_id} #{session_id} #{window_id} #{pane_dead}'")
        if not reply.ok:
            raise classify("list-panes", b"\n".join(reply.lines).decode("utf-8", "replace"))
        places: Places = defaultdict(list)
        for line in reply.lines:
            pane, session, window, dead = line.decode().split()
            places[pane].append(PanePosition(session, window, dead == "1"))
        linked = self._links.session if self._links is not None else ""
        for mine in places.values():
            mine.sort(key=lambda place: place.session == linked)
        return places

    # --- joining and leaving

    async def join(self, pane: str, session: str, window: str, sized: bool = False) -> PaneWatch:
        watch = PaneWatch(pane, self._clock, self._refresh, self._look_at, sized)
        try:
            await self._attach(watch, session, window)
        except BaseException:
            self.leave(watch)
            raise
        await self._deaths.follow(watch)
        return watch

    async def _attach(self, watch: PaneWatch, session: str, window: str) -> None:
        home = self._watcher(session) or await self._linked(watch, window)
        self._home[watch] = home
        home.add(watch)
        await self._refresh(watch)

    async def _linked(self, watch: PaneWatch, window: str) -> SessionWatcher:
        """Too many sessions for a client each: bring the window to us."""
        if self._links is None:
            raise too_many(SESSIONS)
        async with self._linking:
            if self._links.session and self._links.session not in self._sessions:
                self._links.forget()
            session = await self._links.open()
            home = self._sessions.get(session)
            if home is None:
                home = self._sessions[session] = SessionWatcher(*self._wiring(session))
                await (await self._client_of(home)).ask(b"display-message -p attached")
                await self._links.keep_while_attached()
            await self._links.add(window)
        watch.link = window
        return home

    async def _refresh(self, watch: PaneWatch) -> None:
        """Capture on the watching client: the stream goes on exactly behind it."""
        watch.joined = False
        await self._look_at(watch, watch.join)

    async def _look_at(self, watch: PaneWatch, early: Callable[[Snapshot], None]) -> None:
        """A snapshot by the watching client: `early` gets it at its place in the stream."""
        try:
            client = await self._client_of(self._home[watch])
            await self._look(client, watch.pane, early=early, blanks=watch.sized)
        except ClientLost as lost:
            raise TmuxError(f"the watching client ended: {lost}") from None

    def _watcher(self, session: str) -> SessionWatcher | None:
        """The client on that session; None when it would be one too many."""
        if self._links is not None and session == self._links.session:
            return None
        if session not in self._sessions:
            if len(self._sessions) >= SESSIONS and not self._make_room():
                return None
            self._sessions[session] = SessionWatcher(*self._wiring(session))
        return self._sessions[session]

    def _make_room(self) -> bool:
        idle = next((home for home in self._sessions.values() if not home.watches), None)
        if idle is not None:
            self._drop(idle)
        return idle is not None

    async def _client_of(self, home: SessionWatcher) -> Client:
        async with home.opening:
            if self._sessions.get(home.session) is not home:
                raise TmuxError("the session is no longer watched by this client")
            if home.ended:
                await self._clock.sleep(UPHEAVAL)
                home.ended = False
            if home.client is None or home.client.lost is not None:
                flags = "pause-after=1,ignore-size"
                async with self._door.alone():
                    client = self._open("-t", home.session, "-f", flags, on_event=home.hear, on_lost=home.lost)
                    home.client = client
                    await client.introduced()
                return client
            return home.client

    def leave(self, watch: PaneWatch) -> None:
        self._deaths.unfollow(watch)
        home = self._home.pop(watch, None)
        if home is None:
            return
        home.remove(watch)
        if watch.link:
            self._start(self._unlink(watch))
        elif not home.watches:
            home.linger = asyncio.get_running_loop().call_later(LINGER, self._drop, home)

    async def _unlink(self, watch: PaneWatch) -> None:
        window, watch.link = watch.link, ""
        with contextlib.suppress(TmuxError, ClientLost):
            if self._links is not None:
                await self._links.drop(window)

    def _drop(self, home: SessionWatcher) -> None:
        home.close()
        if self._sessions.get(home.session) is home:
            del self._sessions[home.session]

    # --- when something happened to a pane

    def _start(self, work: Coroutine[None, None, None]) -> None:
        if self._closed:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _wiring(self, session: str) -> tuple[str, Clock, Callable[[], None], Tell, Tell]:
        return session, self._clock, self._suspect, self._rejoin_soon, self._renew_soon

    def _renew_soon(self, watch: PaneWatch) -> None:
        self._start(self._renew(watch))

    async def _renew(self, watch: PaneWatch) -> None:
        with contextlib.suppress(TmuxError):  # a client that is lost is replaced, with a new snapshot
            if watch in self._home:
                await watch.renew()

    def _rejoin_soon(self, watch: PaneWatch) -> None:
        self._start(self._rejoin(watch))

    async def _rejoin(self, watch: PaneWatch) -> None:
        """Find the pane wherever it is now and go on there; its watchers see a gap."""
        tries = 0
        while tries < len(AGAIN):
            try:
                await self._rejoin_once(watch)
                return
            except (TmuxTimeout, HostUnreachable):
                await self._clock.sleep(HUNG)
            except TmuxError:  # what we were attached to is just ending
                await self._clock.sleep(AGAIN[tries])
                tries += 1
        watch.end()

    async def _rejoin_once(self, watch: PaneWatch) -> None:
        mine = (await self._places())[watch.pane]
        home = self._home.get(watch)
        if home is None:
            return
        if not mine:
            watch.end()
        elif any(place.session == home.session for place in mine):
            await self._refresh(watch)
        else:
            await self._move(watch, mine[0])

    async def _move(self, watch: PaneWatch, place: PanePosition) -> None:
        home = self._home[watch]
        home.remove(watch)
        if watch.link and (home.client is None or home.client.lost is not None):
            watch.link = ""  # our session ended with its client, and the links with it
            self._drop(home)
        elif watch.link:
            await self._unlink(watch)
        elif not home.watches:
            self._drop(home)
        await self._attach(watch, place.session, place.window)

    def _suspect(self) -> None:
        """Something closed, died or moved; ask once, however many notifications say so."""
        if not self._checking:
            self._checking = True
            self._start(self._check())

    async def _check(self) -> None:
        """Ask where all panes are. Only tmux's own word ends a watch, not that it cannot be reached."""
        self._checking = False
        if self._links is not None and self._links.session:
            with contextlib.suppress(TmuxError, ClientLost):  # our session may be gone; that says nothing of the panes
                await self._links.reap()
        try:
            places = await self._places()
        except PaneNotFound:
            places = defaultdict(list)
        except (TmuxError, ClientLost):
            return
        for watch in list(self._home):
            self._judge(watch, places[watch.pane])

    def _judge(self, watch: PaneWatch, mine: list[PanePosition]) -> None:
        if not mine or mine[0].dead:
            watch.end()
        elif watch.joined and self._home[watch].session not in [place.session for place in mine]:
            watch.joined = False
            self._rejoin_soon(watch)

    async def close(self) -> None:
        self._closed = True
        for task in list(self._tasks):  # first of all: they would open clients again
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._deaths.close()
        if self._links is not None:
            with contextlib.suppress(TmuxError, ClientLost):
                await self._links.close()
        for watch in list(self._home):
            watch.link = ""
            watch.end()
            self.leave(watch)
        for home in list(self._sessions.values()):
            self._drop(home)
