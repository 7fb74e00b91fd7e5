"""The verbs on the panes of one tmux server, and what they need: built once per connection."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from paneward.adapters.clock import SystemClock
from paneward.adapters.tmux.pane_lock import pane_lock, sweep
from paneward.app.terminals import Terminals
from paneward.app.watches import Watches
from paneward.config import Settings
from paneward.core.agent.addressee import Addressee, expected
from paneward.core.agent.program import program_of
from paneward.core.agent.review import after_words, told_standing
from paneward.core.delivery.preflight import BusyPolicy, Draft, DraftPolicy, WhenBusy
from paneward.core.dialog.choice import Choice, one_way
from paneward.core.errors import PanewardError, StoreError, TmuxError
from paneward.core.profiles import Profile, Recognised, at_version, choose, named, nearest, recognise, version_seen
from paneward.core.readiness.inspection import Inspection, read
from paneward.core.readiness.pending import Pending
from paneward.core.readiness.rules import Assessment, Review, assess, compile_prompt, wait_ready
from paneward.core.result import Menu, Readiness, ReadyVerdict, SendResult
from paneward.core.screen.cells import Screen, last_lines
from paneward.core.screen.dialogs.asked import read_asked
from paneward.core.terminal.flow import AnotherProgram
from paneward.core.terminal.scene import Scene, Snapshot
from paneward.core.version import VERSION
from paneward.ports import Api, PaneInfo, Tmux
from paneward.services.agents.follower import Follower
from paneward.services.delivery.desk import Deliveries, Request, prompt_of
from paneward.services.delivery.driver import Driver, pane_of
from paneward.services.delivery.receipts import words_of
from paneward.services.panes import ByRecord
from paneward.services.profile_report import Explanation, Report, ReportedPane, Screenful, redacted, report_of
from paneward.store import Delivery, Store, newest_delivery

SETTLED = 1.2  # seconds after which the most patient rule has decided
LOCKS_KEPT = 7 * 86400.0  # seconds after which the lock file of a pane nobody writes to is removed
STORE = "deliveries.db"  # in the state directory
REPORTED = 10  # receipts in a report


@dataclass(frozen=True, slots=True)
class Resident:
    """A pane, and which program lives in it, as far as its profile can tell."""

    info: PaneInfo
    profile: str = ""  # empty for a pane that could not be looked at
    version: str | None = None  # on its screen
    version_known: bool | None = None  # the profile was proven on it; None: no version is on the screen


class Connection(Terminals):
    """The verbs on the panes of one tmux server."""

    def __init__(
        self,
        tmux: Tmux,
        settings: Settings,
        profiles: Mapping[str, Profile],
        directory: Path,
        apis: Mapping[str, Api] | None = None,
        store: Store | None = None,
    ) -> None:
        super().__init__(tmux, SystemClock())
        self._settings = settings
        self._profiles = profiles
        self._directory = directory
        self._watches = Watches(tmux)
        self._shared = store  # of a server, which closes it
        self._kept: Store | None = None
        self.desk = Deliveries(
            tmux=tmux,
            clock=self._clock,
            store=self._store,
            lock=lambda key, timeout: pane_lock(directory / "locks", key, timeout),
            watch=self._watches.open,
            settings=settings,
            profiles=profiles,
            apis=apis,
        )

    async def send_text(
        self,
        pane: str,
        text: str,
        *,
        profile: str | None = None,
        verify_enter: bool = True,
        detect_ghost_text: bool = True,
        when_busy: BusyPolicy = "wait",
        draft: DraftPolicy = "hold",
        as_command: bool = False,
        message_id: str | None = None,
        timeout: float = 30.0,
        secret: bool = False,
        expect: str | Addressee | None = None,
    ) -> SendResult:
        """Type a text into the program in `pane`, submit it, and prove that it went in.

        `when_busy`: what to do while the program works; `draft`: with unsent text of the operator; `as_command`: send
        it as it is, also where the program would not take it as text; `message_id`: a repeated call returns the first
        receipt; `secret`: keep only its length; `expect`: the program that must be in the foreground, by its name.
        """
        return await self.desk.send(
            Request(
                pane=pane,
                text=text,
                profile=profile,
                verify_enter=verify_enter,
                detect_ghost_text=detect_ghost_text,
                when_busy=WhenBusy(when_busy),
                draft=Draft(draft),
                message_id=message_id,
                timeout=timeout,
                secret=secret,
                as_command=as_command,
                addressee=expected(expect),
            )
        )

    async def send_keys(
        self,
        pane: str,
        *keys: str,
        verify_enter: bool = False,
        timeout: float = 30.0,
        expect: str | Addressee | None = None,
    ) -> SendResult:
        """Press keys by name: `Escape`, `C-u`, `Enter`."""
        request = Request(pane, "", verify_enter=verify_enter, timeout=timeout, addressee=expected(expect))
        return await self.desk.press(request, keys)

    async def answer(
        self,
        pane: str,
        text: str | None = None,
        *,
        select: int | str | None = None,
        other: str | None = None,
        multi: Sequence[int | str] | None = None,
        key: str | None = None,
        fingerprint: str | None = None,
        startup: bool = False,
        message_id: str | None = None,
        timeout: float = 30.0,
        secret: bool = False,
        expect: str | Addressee | None = None,
    ) -> SendResult:
        """Answer the dialog that is open in `pane`: by number or label, by several, by free text, by one key without
        Enter; with `other` beside `select` or `multi`, by both. Dialogs that an agent opens with are answered only with
        `startup`."""
        if not one_way(text, select, other, multi, key):
            raise ValueError("answer with exactly one of text, select, multi, key, other; other may go with an option")
        choice = Choice(select, None if multi is None else tuple(multi), other, text, fingerprint, startup, key)
        free = text if text is not None else other or ""
        how: Any = {"message_id": message_id, "timeout": timeout, "secret": secret, "addressee": expected(expect)}
        return await self.desk.answer(Request(pane, free, **how), choice)

    async def capture(self, pane: str, lines: int = 50, ansi: bool = False) -> str:
        """The last `lines` lines of the pane, scrollback included."""
        snapshot = await self._tmux.look(await pane_of(self._tmux, pane), history=max(lines, 0))
        return last_lines(snapshot, lines, ansi)

    async def screen(self, pane: str, lines: int = 50, ansi: bool = False) -> Screenful:
        """The same, with the cursor, the size, and the place in the output."""
        pane = await pane_of(self._tmux, pane)
        async with self._watches.open(pane) as watch:
            seq = watch.output_seq
            seen = await self._tmux.look(pane, history=max(lines, 0))
        text = last_lines(seen, lines, ansi)
        return Screenful(text, seq, seen.width, seen.height, (seen.cursor_x, seen.cursor_y), pane)

    async def past(self, pane: str, lines: int) -> Snapshot:
        """The screen with up to `lines` of the scrollback before it."""
        return await self._tmux.look(pane, history=lines)

    async def wait_ready(
        self,
        pane: str,
        timeout: float | None = None,
        prompt_pattern: str | None = None,
        accept_stable: bool | None = None,
        profile: str | None = None,
        by_record: ByRecord | None = None,
        expect: Addressee | None = None,
    ) -> Readiness:
        """Wait until the program in `pane` takes input, asks something, or the time is up. After words of ours
        that is not before the work on them has ended."""
        pattern = None if prompt_pattern is None else compile_prompt(prompt_pattern)
        stable = self._settings.readiness.accept_stable if accept_stable is None else accept_stable
        async with self._look(pane, profile) as (driver, _):
            began = self._clock.now()
            review = await self._review(driver.scene, by_record)
            while True:
                chosen, waited = self._recognised(driver.scene, profile).profile, self._clock.now() - began
                if expect is not None and (other := expect.mismatch(driver.scene, self._profiles)):
                    text = Screen.of(driver.scene.snapshot).text
                    return Readiness(
                        ReadyVerdict.DEAD, "wrong_program", other.message, waited, text, pane=driver.scene.snapshot.pane
                    )
                most = max(chosen.wait_timeout, self._settings.readiness.timeout) if timeout is None else timeout
                program = "" if profile and not expect else driver.scene.program
                prompt = pattern or self._prompt(chosen)
                with suppress(AnotherProgram):
                    left = max(most - waited, 0.0)
                    found = await driver.run(wait_ready(chosen, prompt, left, stable, program, review))
                    return replace(found, elapsed=found.elapsed + waited)

    async def menu(self, pane: str, expect: Addressee | None = None) -> Menu | None:
        """The dialog that is open in `pane`, as data."""
        snapshot = await self._tmux.look(await pane_of(self._tmux, pane))
        process = await self._tmux.process(snapshot)
        if expect is not None and (other := expect.mismatch(Scene(snapshot, process), self._profiles)):
            raise other
        return read_asked(snapshot, choose(snapshot, process, self._profiles))

    async def explain(
        self,
        pane: str,
        prompt_pattern: str | None = None,
        profile: str | None = None,
        by_record: ByRecord | None = None,
    ) -> Explanation:
        """Judge the pane as it is now, and say by which rules. Some rules need a moment without output to decide."""
        pattern = None if prompt_pattern is None else compile_prompt(prompt_pattern)
        async with self._look(pane, profile) as (driver, chosen):
            pattern = pattern or self._prompt(chosen)
            await driver.run(wait_ready(chosen, pattern, SETTLED, accept_stable=True))
            standing = await self._follower(driver, profile).once()
            scene, review = driver.scene, await self._review(driver.scene, by_record)
        found = review(assess(scene, chosen, pattern), scene, chosen)
        text, menu = Screen.of(scene.snapshot).text, read_asked(scene.snapshot, chosen)
        standing = told_standing(standing, found)
        return Explanation(scene.snapshot.pane, chosen.name, found, scene, text, menu, standing)

    async def panes(self) -> Sequence[PaneInfo]:
        return await self._tmux.panes()

    async def survey(self) -> list[Resident]:
        """All panes with the programs in them: a look at each."""
        return [await self._resident(info) for info in await self._tmux.panes()]

    async def check(self, pane: str, profile: str | None = None) -> Inspection:
        """What a profile reads from the pane as it is now, region by region."""
        *_, scene = await self._observe(pane, profile)
        found = self._recognised(scene, profile)
        return read(scene, found, self._prompt(found.profile))

    async def report(self, pane: str, profile: str | None = None) -> Report:
        """All that is needed to mend a profile that does not fit, without credentials."""
        import platform

        scenes = await self._observe(pane, profile)
        found = self._recognised(scenes[-1], profile)
        report = report_of(scenes, found, self._prompt(found.profile).pattern)
        receipts, notes = await self._receipts(report.pane)
        versions = {
            "paneward": VERSION,
            "tmux": "".join(await self._tmux.run("display-message", "-p", "#{version}")),
            "python": platform.python_version(),
            "os": platform.platform(),
            "agent": report.looks[-1].reading.version or "not on the screen",
        }
        taken_at = datetime.fromtimestamp(self._clock.wall(), UTC).isoformat(timespec="seconds")
        return replace(report, taken_at=taken_at, versions=versions, receipts=receipts, notes=notes)

    async def socket(self) -> str:
        """The path of the tmux server's socket."""
        return "".join(await self._tmux.run("display-message", "-p", "#{socket_path}"))

    async def place(self, pane: str, profile: str | None = None) -> ReportedPane:
        """Where a pane is, and what runs in it."""
        fixed = None if profile is None else named(profile, self._profiles)
        seen = await self._tmux.look(await pane_of(self._tmux, pane))
        process = await self._tmux.process(seen)
        found = fixed or recognise(seen, process, self._profiles).profile
        cwd = "".join(await self._tmux.run("display-message", "-p", "-t", seen.pane, "#{pane_current_path}"))
        version = version_seen(seen, found) or ""
        identity = await self._tmux.identity()
        where = (identity, await self.socket(), seen.pane, seen.pid, seen.dead)
        return ReportedPane(*where, found.name, version, cwd, None if process is None else program_of(process))

    def mismatch(self, who: Addressee, scene: Scene) -> TmuxError | None:
        """Why what is typed into a pane as it was seen would go to somebody else."""
        return who.mismatch(scene, self._profiles)

    async def resolve(self, target: str) -> str:
        """The pane id (`%3`) of a target: an id, `session:window.pane` or a window's name."""
        return await self._tmux.resolve(target)

    @asynccontextmanager
    async def follow(self, pane: str, profile: str | None = None) -> AsyncIterator[Follower]:
        """What the agent in a pane does: iterate over it for each change, with its evidence, until it is dead."""
        async with self._look(pane, profile) as (driver, _):
            follower = self._follower(driver, profile)
            try:
                yield follower
            finally:
                follower.leave()

    async def deliveries(self, limit: int = 50, pane: str | None = None) -> list[Delivery]:
        """The newest deliveries with their receipts."""
        return await self._store().recent(limit, pane)

    async def close(self) -> None:
        await self._watches.close()
        if self._kept is not None:
            await self._kept.close()
        await self._tmux.close()

    # --- inside

    @asynccontextmanager
    async def _look(self, pane: str, profile: str | None) -> AsyncIterator[tuple[Driver, Profile]]:
        fixed = None if profile is None else named(profile, self._profiles)
        pane = await pane_of(self._tmux, pane)
        async with self._watches.open(pane) as watch:
            driver = Driver(pane, self._tmux, self._clock, watch)
            scene = await driver.look()
            yield driver, fixed or choose(scene.snapshot, scene.process, self._profiles)

    def _follower(self, driver: Driver, profile: str | None) -> Follower:
        return Follower(driver, self._clock, lambda scene: self._recognised(scene, profile).profile)

    async def _review(self, scene: Scene, by_record: ByRecord | None) -> Review:
        """By the record of the agent where that tells, else by our last words for the program in the pane, whichever
        process typed them."""
        row = await self._newest(await self._tmux.identity(), scene.snapshot.pane)
        words = words_of(row, scene.snapshot.pid, self._clock.now(), self._clock.wall())
        pending = None if words is None else Pending(words)

        def review(found: Assessment, scene: Scene, profile: Profile) -> Assessment:
            told = None if by_record is None else by_record(found)
            if told is not None or pending is None:
                return found if told is None else told
            return after_words(found, pending, scene, profile)

        return review

    async def _newest(self, tmux: str, pane: str) -> Delivery | None:
        """The newest receipt of a pane; where it cannot be read, the pane alone tells."""
        opened = self._shared or self._kept
        if opened is None:
            return await asyncio.to_thread(newest_delivery, self._directory / STORE, tmux, pane)
        with suppress(StoreError):
            return await opened.newest(tmux, pane)
        return None

    async def _observe(self, pane: str, profile: str | None) -> list[Scene]:
        """The pane at once, and after a moment in which the most patient rule decides."""
        async with self._look(pane, profile) as (driver, chosen):
            first = driver.scene
            await driver.run(wait_ready(chosen, self._prompt(chosen), SETTLED, accept_stable=True))
            return [first, driver.scene]

    def _recognised(self, scene: Scene, profile: str | None) -> Recognised:
        if profile is None:
            return recognise(scene.snapshot, scene.process, self._profiles)
        fixed = named(profile, self._profiles)
        return Recognised(at_version(fixed, version_seen(scene.snapshot, fixed)))

    async def _resident(self, info: PaneInfo) -> Resident:
        try:
            snapshot = await self._tmux.look(info.pane)
            found = recognise(snapshot, await self._tmux.process(snapshot), self._profiles).profile
        except PanewardError:
            return Resident(info)  # it closed meanwhile
        version = version_seen(snapshot, found)
        return Resident(info, found.name, version, None if version is None else version == nearest(found, version))

    async def _receipts(self, pane: str) -> tuple[tuple[Delivery, ...], tuple[str, ...]]:
        """The newest receipts of a pane; a report is made without them too."""
        try:
            rows = await self._store().recent(REPORTED, pane)
        except StoreError as error:
            return (), (f"the receipts could not be read: {error.message}",)
        server = await self._tmux.identity()
        return tuple(redacted(row) for row in rows if row.tmux == server), ()

    def _prompt(self, profile: Profile) -> re.Pattern[str]:
        return compile_prompt(prompt_of(profile, self._settings))

    def _store(self) -> Store:
        if self._shared is not None:
            return self._shared
        if self._kept is None:
            self._kept = Store.open(self._directory / STORE)
            sweep(self._directory / "locks", self._clock.wall() - LOCKS_KEPT)
        return self._kept
