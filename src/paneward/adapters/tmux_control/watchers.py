"""All watches of one tmux server: which client hears which pane, and what to do when that changes."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Protocol

from paneward.adapters.tmux_control.client import Client, Lost
from paneward.adapters.tmux_control.deaths import Deaths
from paneward.adapters.tmux_control.watching import PaneWatch, SessionWatcher
from paneward.core.control import Reply
from paneward.core.errors import TmuxError, TmuxTimeout
from paneward.core.scene import Snapshot
from paneward.ports import Clock

SESSIONS = 30  # attaching grows with the square of the clients: 300 of them took 94 s
HUNG = 1.0  # seconds between looks at a tmux that does not answer
LINGER = 5.0  # seconds that an unused client is kept: opening one costs more than hearing for nobody


class Opener(Protocol):
    def __call__(
        self, *attach: str, on_event: Callable[..., None] | None = ..., on_lost: Callable[[], None] | None = ...
    ) -> Client: ...


class Looker(Protocol):
    def __call__(
        self, client: Client, pane: str, history: int = ..., early: Callable[[Snapshot], None] | None = ...
    ) -> Awaitable[Snapshot]: ...


Places = list[tuple[str, str, bool]]


class Watchers:
    def __init__(
        self,
        local: bool,
        clock: Clock,
        open_client: Opener,
        look: Looker,
        ask: Callable[[bytes], Awaitable[Reply]],
        link_foreign: bool,
    ) -> None:
        self._clock = clock
        self._open = open_client
        self._look = look
        self._ask = ask
        self._link_foreign = link_foreign
        self._sessions: dict[str, SessionWatcher] = {}
        self._home: dict[PaneWatch, SessionWatcher] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._checking = False
        self._deaths = Deaths(local, clock, self._open_spare, ask, self._check, self._start)

    def _open_spare(self) -> Client:
        return self._open("-f", "no-output,ignore-size")

    async def _places(self) -> Places:
        """Pane, session and whether it is dead, for every pane."""
        reply = await self._ask(b"list-panes -a -F '#{pane_id} #{session_id} #{pane_dead}'")
        rows = [line.decode().split() for line in reply.lines] if reply.ok else []
        return [(pane, session, dead == "1") for pane, session, dead in rows]

    # --- joining and leaving

    async def join(self, pane: str, session: str) -> PaneWatch:
        watch = PaneWatch(pane, self._clock, self._refresh)
        try:
            await self._attach(watch, session)
        except BaseException:
            self.leave(watch)
            raise
        await self._deaths.follow(watch)
        return watch

    async def _attach(self, watch: PaneWatch, session: str) -> None:
        home = self._watcher(session)
        self._home[watch] = home
        home.add(watch)
        await self._refresh(watch)

    async def _refresh(self, watch: PaneWatch) -> None:
        """Capture on the watching client: the stream goes on exactly behind it."""
        home = self._home[watch]
        watch.joined = False
        try:
            client = await self._client_of(home)
            await self._look(client, watch.pane, early=watch.join)
        except Lost as lost:
            raise TmuxError(f"the watching client ended: {lost}") from None

    def _watcher(self, session: str) -> SessionWatcher:
        if session not in self._sessions:
            if len(self._sessions) >= SESSIONS:
                self._make_room()
            self._sessions[session] = SessionWatcher(session, self._suspect, self._rejoin_soon)
        return self._sessions[session]

    def _make_room(self) -> None:
        idle = next((home for home in self._sessions.values() if not home.watches), None)
        if idle is None:
            raise TmuxError(
                f"panes of {SESSIONS} sessions are watched already",
                hint="Set `tmux.link_foreign: true` to watch more sessions by linking their windows.",
            )
        self._drop(idle)

    async def _client_of(self, home: SessionWatcher) -> Client:
        async with home.opening:
            if home.client is None or home.client.lost is not None:
                flags = "pause-after=1,ignore-size"
                home.client = self._open("-t", home.session, "-f", flags, on_event=home.hear, on_lost=home.lost)
            return home.client

    def leave(self, watch: PaneWatch) -> None:
        self._deaths.unfollow(watch)
        home = self._home.pop(watch, None)
        if home is None:
            return
        home.remove(watch)
        if not home.watches:
            home.linger = asyncio.get_running_loop().call_later(LINGER, self._drop, home)

    def _drop(self, home: SessionWatcher) -> None:
        home.close()
        if self._sessions.get(home.session) is home:
            del self._sessions[home.session]

    # --- when something happened to a pane

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _rejoin_soon(self, watch: PaneWatch) -> None:
        self._start(self._rejoin(watch))

    async def _rejoin(self, watch: PaneWatch) -> None:
        """Find the pane wherever it is now and go on there; its watchers see a gap."""
        tries = 3
        while tries:
            try:
                await self._rejoin_once(watch)
                return
            except TmuxTimeout:
                await self._clock.sleep(HUNG)
            except TmuxError:
                tries -= 1
        watch.end()

    async def _rejoin_once(self, watch: PaneWatch) -> None:
        sessions = [session for pane, session, _ in await self._places() if pane == watch.pane]
        home = self._home.get(watch)
        if home is None:
            return
        if not sessions:
            watch.end()
        elif home.session in sessions:
            await self._refresh(watch)
        else:
            await self._move(watch, sessions[0])

    async def _move(self, watch: PaneWatch, session: str) -> None:
        home = self._home[watch]
        home.remove(watch)
        if not home.watches:
            self._drop(home)
        await self._attach(watch, session)

    def _suspect(self) -> None:
        """Something closed, died or moved; ask once, however many notifications say so."""
        if not self._checking:
            self._checking = True
            self._start(self._check())

    async def _check(self) -> None:
        self._checking = False
        try:
            places = await self._places()
        except TmuxTimeout:
            return
        except TmuxError:
            places = []
        for watch in list(self._home):
            self._judge(watch, places)

    def _judge(self, watch: PaneWatch, places: Places) -> None:
        mine = [(session, dead) for pane, session, dead in places if pane == watch.pane]
        if not mine or mine[0][1]:
            watch.end()
        elif watch.joined and self._home[watch].session not in [session for session, _ in mine]:
            watch.joined = False
            self._rejoin_soon(watch)

    async def close(self) -> None:
        await self._deaths.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for watch in list(self._home):
            watch.end()
            self.leave(watch)
        for home in list(self._sessions.values()):
            self._drop(home)
