"""Keeps one agent: a task follows it, words for it are delivered, and what a crash cut off is taken up.

Every delivery to an agent has a message id. Before anything is typed, `delivery_begun` is in the log: how it was meant
to be typed. With the text of its row that is enough to go on with it, by reading the pane first. A text that is not
kept as it was (a secret, or one with a credential in it) waits for its caller to ask again.
"""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from paneward.config import SignalSettings
from paneward.core.agent.addressee import addressee
from paneward.core.agent.events import DeliveryBegun, Event
from paneward.core.agent.nudge import attends
from paneward.core.agent.record import CUT_OFF, RESTING, Agent, Intent, Sent, Stage, Turn
from paneward.core.agent.review import by_record
from paneward.core.agent.utterance import Seen
from paneward.core.dialog.choice import Choice
from paneward.core.errors import HostUnreachable, PaneDead, PaneNotFound, PanewardError, StoreError
from paneward.core.profiles import version_seen
from paneward.core.readiness.rules import Assessment
from paneward.core.result import Menu, Rung, SendResult, Verdict
from paneward.core.screen.dialogs.asked import read_asked
from paneward.core.screen.turn import trouble
from paneward.core.state.claims import AWAITING, AgentState, Source, Standing
from paneward.core.terminal.scene import Scene
from paneward.ports import Clock
from paneward.services.agents.follower import Follower
from paneward.services.agents.plan import PLANNED, Plan
from paneward.services.agents.scrollback import CatchUp
from paneward.services.agents.signals import Tracker
from paneward.services.agents.turns import Turns
from paneward.services.delivery.desk import Request, check_same
from paneward.services.delivery.receipts import again, nothing_typed
from paneward.services.hooks import Ear
from paneward.services.hosts import Here, Way
from paneward.services.panes import Panes
from paneward.store import Delivery, Store, text_hash

FRESH: Final = 600.0  # seconds after which what was cut off is not typed any more
RECALLED: Final = 200  # events of an agent among which the plan of a delivery is looked for
SOON: Final = 0.2  # seconds until a lost pane is looked for; doubled each time
SHELLS: Final = ("shell", "generic")  # profiles of what is no agent, or may be none
log = logging.getLogger("paneward.agents")


def _asks(agent: Agent, answered: int | None) -> bool:
    return agent.stage is Stage.AWAITING_INPUT and agent.asked != answered


class Keeper:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        panes: Panes | None,
        agent: Agent,
        probe: float,
        signals: SignalSettings | None = None,
        way: Way | None = None,
    ) -> None:
        self._panes = panes  # none for an agent without a pane
        self.way = way or Here(clock)  # to the machine that its pane is on
        self._store = store
        self._clock = clock
        self._probe = probe
        self._cut_off: list[Delivery] = []
        self._ready = asyncio.Event()  # what was cut off is over: words may go in
        self._stirred = asyncio.Event()  # something besides the pane may tell more
        self.tracker = Tracker(clock.now, self._stirred.set, signals)
        self._turns = Turns(store, clock, agent, self.tracker)
        self.spent = self._turns.spent
        self.recorded = self._turns.recorded  # stores which recording its output goes into
        self.ear = Ear(store, clock, self._turns, self._stirred.set)
        self.standing: Standing | None = None  # where it stood at the last look
        self._past = CatchUp(self.tracker, clock)
        self._task: asyncio.Task[None] | None = None
        self._follower: Follower | None = None
        self._under_way: set[asyncio.Task[Sent]] = set()

    @property
    def agent(self) -> Agent:
        return self._turns.agent

    @property
    def panes(self) -> Panes:
        assert self._panes is not None
        return self._panes

    def by_record(self, found: Assessment) -> Assessment | None:
        """What its record makes of a look at its pane; None where nobody follows it, or words for it are in doubt."""
        doubtful = self._follower is None or self._turns.doubtful
        return None if doubtful else by_record(found, self.agent, self.standing)

    def start(self) -> None:
        if self.agent.pane is None:
            self._ready.set()
            self._past.known.set()
        else:
            self._task = asyncio.create_task(self._run(self.agent.pane), name=f"agent {self.agent.id}")

    async def stop(self) -> None:
        """Words that are being typed go in first; those that still wait for their moment do not."""
        if not self._turns.hearing.typing:
            for task in self._under_way:
                task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        if self._task is not None:
            async with self._turns.speaking:  # a turn is not left without its state
                self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    def stir(self) -> None:
        """Something besides its pane may tell more: its host was lost."""
        self._stirred.set()

    async def settled(self) -> None:
        """Until it is known whether it can be reached, and what was cut off is over."""
        await self._ready.wait()

    async def tracked(self) -> None:
        await self._past.known.wait()

    # --- words for it

    async def menu(self, pane: str) -> Menu | None:
        """The dialog that is open. What was seen last is good as long as nothing was printed since."""
        follower = self._follower
        if follower is not None and follower.current:
            return read_asked(follower.scene.snapshot, follower.profile)
        return await self.panes.menu(pane)

    async def asks_next(self, answered: int | None, timeout: float) -> bool:
        """It asks another question than the one of that turn, before `timeout` seconds have passed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._turns.until(lambda agent: _asks(agent, answered) or agent.stage in RESTING)
        return _asks(self.agent, answered)

    async def deliver(self, request: Request, choice: Choice | None = None, picked: str = "") -> Sent:
        """Type and prove it, then store the turn and change the state."""
        await self._ready.wait()
        plan = Plan({name: getattr(request, name) for name in PLANNED}, choice, picked)
        task = asyncio.create_task(self._deliver(request, plan, begun=False))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await asyncio.shield(task)  # a caller that goes away leaves no text half submitted

    async def _deliver(self, request: Request, plan: Plan, begun: bool) -> Sent:
        hearing, typing = self._turns.hearing, False
        turn: Turn | None = None
        delivery: Delivery | None = None

        def before() -> list[Event]:
            nonlocal typing
            typing = True
            answers = request.intent == Intent.ANSWER
            hearing.begin(self.agent.question if answers else None)
            prompt = "" if answers else request.text
            self.tracker.begin_turn(ours=True, prompt=prompt)  # what it says to this can be there before the receipt
            told = DeliveryBegun(self.agent.id, request.message_id or "", request.intent, plan.written())
            return [] if begun else [told]

        async def after(row: Delivery, receipt: SendResult) -> None:
            nonlocal turn, delivery
            turn = await self._turns.delivered(row, receipt, plan.spoken(row), request.entry)
            delivery = None if nothing_typed(receipt) else row

        if request.secret:
            self.tracker.keep_secret(request.text)
        request = replace(self._addressed(request), before=before, after=after)
        try:
            desk = self.panes.desk
            result = await (desk.send(request) if plan.choice is None else desk.answer(request, plan.choice))
        finally:
            if typing:
                hearing.end(self._clock.now(), request.text)
                self._stirred.set()
        if result.repeated:
            return await self._sent(await self._store.find(request.message_id or ""), result)
        on_record = turn is not None and request.entry is not None
        return Sent(result, self.agent, turn, None if delivery is None else delivery.id, on_record)

    def _addressed(self, request: Request) -> Request:
        return replace(request, addressee=addressee(self.agent, request.addressee.expect))

    async def _sent(self, row: Delivery | None, result: SendResult) -> Sent:
        """What was answered before."""
        if row is None:
            return Sent(result, self.agent)
        return Sent(result, self.agent, await self._store.turn_of(row.id), row.id)

    async def known(self, message_id: str, text: str) -> Sent | None:
        """What a call with this message id was answered with, if it is over; one that was cut off is gone on with."""
        await self._ready.wait()
        row = await self._store.find(message_id)
        if row is None:
            return None
        check_same(row, text, self.agent.id)
        if again(row):
            return None
        assert row.receipt is not None
        return await self._sent(row, replace(row.receipt, repeated=True))

    async def press(self, request: Request, keys: tuple[str, ...]) -> SendResult:
        pressed = await self.panes.desk.press(self._addressed(request), keys)
        if pressed.verdict is not Verdict.FAILED:
            await self.typed(keys)
        return pressed

    async def typed(self, keys: Sequence[str]) -> None:
        """Somebody pressed these in its pane, by Paneward."""
        if self.agent.nudge_state and attends(keys):
            await self._turns.attended("somebody attends to it")

    # --- after a crash

    async def recover(self, unfinished: list[Delivery]) -> None:
        """Whatever needs no pane; the rest waits for the task."""
        self._cut_off = unfinished
        self._turns.remember(await self._store.heard(self.agent.id))
        await self._turns.recover()
        await self.ear.recall()

    async def _plans(self) -> dict[str, Plan]:
        events = await self._store.events(
            kinds=(DeliveryBegun.kind,), agent_id=self.agent.id, before=self._store.last_seq + 1, limit=RECALLED
        )
        return {event.data["message_id"]: Plan.read(event.data["plan"]) for event in events}

    async def take_up(self) -> None:
        """Go on with what was cut off, the oldest first. Other words wait until that is over."""
        plans = await self._plans() if self._cut_off else {}
        while self._cut_off:
            row = self._cut_off[0]
            plan = plans.get(row.message_id or "")
            if plan is None or row.pane_pid != self.agent.pane_pid or self._age(row) > FRESH:
                await self._give_up(row)
            elif row.text is not None and text_hash(row.text) == row.text_hash:
                await self._go_on(row, row.text, plan)
            self._cut_off.pop(0)
        self._ready.set()

    async def _go_on(self, row: Delivery, text: str, plan: Plan) -> None:
        request = Request(
            row.pane, text, message_id=row.message_id, agent_id=self.agent.id, intent=row.intent, **plan.how
        )
        sent = await self._deliver(request, replace(plan, choice=plan.choice_with(text)), begun=True)
        log.info("%s: a delivery that was cut off: %s", self.agent.id, sent.result.evidence)

    async def _give_up(self, row: Delivery) -> None:
        """Nobody can tell any more what became of it."""
        evidence = f"Paneward ended while this was delivered ({row.phase}), and it was not gone on with"
        receipt = SendResult(Verdict.UNCONFIRMED, Rung.TYPED, evidence, pane=row.pane, message_id=row.message_id)
        await self._turns.delivered(row, receipt, row.text or "")

    def _age(self, row: Delivery) -> float:
        return self._store.at_most(datetime.fromisoformat(row.created_at).timestamp())

    # --- the task

    async def _run(self, pane: str) -> None:
        wait = SOON
        while True:
            try:
                await self.way.up()
                async with self.panes.follow(pane, self.agent.profile) as follower:
                    if await self._is_there(follower.scene):
                        wait = SOON
                        await self.take_up()
                        await self._follow(follower)
            except PanewardError as error:
                await self._told(error)
            except Exception:
                log.exception("%s: following it failed", self.agent.id)
            self._ready.set()
            self._past.known.set()
            await self.way.rest(wait)
            wait = min(wait * 2, self._probe)

    async def _told(self, error: PanewardError) -> None:
        if isinstance(error, StoreError):
            log.warning("%s: what it does is not stored: %s", self.agent.id, error.message)
            return
        with contextlib.suppress(PanewardError):  # a store that cannot be written is told to whoever asks it next
            if isinstance(error, HostUnreachable):
                await self._turns.lose(f"{CUT_OFF}{error.message}")
            else:
                await self._turns.lose(error.message, ended=isinstance(error, PaneNotFound | PaneDead))

    async def _is_there(self, scene: Scene) -> bool:
        """Its pane is there, with the program that was adopted."""
        if scene.gone or scene.snapshot.dead or scene.snapshot.pid != self.agent.pane_pid:
            await self._turns.lose(f"{scene.snapshot.pane} closed, or another program lives in it", ended=True)
            return False
        return True

    async def _follow(self, follower: Follower) -> None:
        await follower.once()
        self._follower = follower
        self.tracker.gap()
        follower.listen(self.tracker)
        step: asyncio.Task[None] | None = None
        try:
            while True:
                self._stirred.clear()
                self.way.check()
                if not follower.over and not await self._is_there(follower.scene):
                    return
                await self._recognise(follower)
                if self.ear.tell(follower):
                    await _given_up(step)  # it waits for longer than what was told lasts
                    step = None
                await self.ear.settle()
                if self._turns.hearing.outdated(follower.scene.now):
                    await _given_up(step)
                    step = None
                    await follower.look()
                await self._turns.see(self._seen(follower))
                await self._track(follower)
                if follower.over:
                    return
                step = step or asyncio.create_task(follower.step())
                await self._next(follower, step)
                if step.done():
                    step.result()
                    step = None
        finally:
            self._follower = None
            follower.leave()
            if step is not None:
                step.cancel()
                await asyncio.wait({step})

    async def _track(self, follower: Follower) -> None:
        """Store what it told beside its work."""
        tracker, now = self.tracker, self._clock.now()
        await self._past.read(follower, self.panes, now)
        if follower.over:
            tracker.finish()
        tracker.tick(now, follower.current)
        if tracker.found:
            await self._turns.signalled()

    async def _recognise(self, follower: Follower) -> None:
        """What it is can be told better than when it was adopted."""
        found = follower.profile
        if found.name not in (*SHELLS, self.agent.kind) and self.agent.profile is None:
            await self._turns.recognise(found.name, version_seen(follower.scene.snapshot, found) or "")

    async def _next(self, follower: Follower, step: asyncio.Task[None]) -> None:
        """Until the pane tells something, or a delivery ended, or it is time to judge again."""
        dues = [self._turns.hearing.deadline(), self.tracker.deadline(), self._past.due(follower)]
        due = min((one for one in dues if one is not None), default=None)
        others: list[asyncio.Task[Any]] = [asyncio.create_task(self._stirred.wait())]
        if due is not None:
            others.append(asyncio.create_task(self._clock.sleep(max(due - self._clock.now(), 0.0))))
        try:
            await asyncio.wait({step, *others}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for other in others:
                other.cancel()

    def _seen(self, follower: Follower) -> Seen:
        scene, standing, now = follower.scene, self._standing(follower), self._clock.now()
        menu = read_asked(scene.snapshot, follower.profile) if standing.state in AWAITING else None
        told = trouble(scene, follower.profile) if standing.state is AgentState.IDLE else None
        calm = "" if standing.state is AgentState.BUSY else told
        quiet = scene.quiet + now - scene.now
        return Seen(standing, now, menu, quiet, calm, scene, follower.profile)

    def _standing(self, follower: Follower) -> Standing:
        """Where it stands. Another program in its place means that it ended, perhaps unseen."""
        self.standing = standing = follower.take()
        other = self.panes.mismatch(addressee(self.agent), follower.scene)
        if other is None:
            return standing
        return replace(standing, state=AgentState.DEAD, source=Source.PROCESS, evidence=other.message)


async def _given_up(step: asyncio.Task[None] | None) -> None:
    """It is interrupted; what it failed with, if it had ended, is raised."""
    if step is None:
        return
    step.cancel()
    await asyncio.wait({step})
    if not step.cancelled():
        step.result()
