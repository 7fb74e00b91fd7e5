"""One delivery at a time per pane: lock, store, drive, receipt.

Whatever happens outside, the caller gets a `SendResult`; only programming errors raise.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from paneward.config import Settings
from paneward.core.agent.addressee import Addressee, Mismatch
from paneward.core.agent.events import DeliveryChanged, Event
from paneward.core.agent.record import Intent
from paneward.core.audit import AuditEntry
from paneward.core.delivery.by_api import post
from paneward.core.delivery.deliver import Order, deliver
from paneward.core.delivery.preflight import Draft, Terms, WhenBusy, draft_in
from paneward.core.delivery.press import Keys, press
from paneward.core.dialog.answer import answer
from paneward.core.dialog.choice import Choice
from paneward.core.errors import Code, InvalidInput, PanewardError, StoreError, TmuxError
from paneward.core.profiles import PROMPT, Profile, choose, named
from paneward.core.readiness.rules import compile_prompt
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.screen.cells import Screen
from paneward.core.terminal.flow import AnotherProgram, Flow, Phase
from paneward.core.terminal.keys import check_keys
from paneward.core.terminal.scene import Scene
from paneward.core.text import MAX_TEXT, clean, redact
from paneward.ports import Api, Clock, OutputWatch, Tmux
from paneward.services.delivery.driver import Driver, pane_of
from paneward.services.delivery.receipts import again, cut_off_at, left_behind
from paneward.store import Delivery, Store, text_hash

LOOKED_BACK = 20  # deliveries to a pane, the refused ones among them

log = logging.getLogger("paneward.delivery")

Lock = Callable[[str, float], AbstractAsyncContextManager[None]]
Before = Callable[[], Sequence[Event]]
After = Callable[[Delivery, SendResult], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks to be delivered."""

    pane: str
    text: str
    profile: str | None = None
    verify_enter: bool = True
    detect_ghost_text: bool = True
    when_busy: WhenBusy = WhenBusy.WAIT
    draft: Draft = Draft.HOLD
    message_id: str | None = None
    made_up: bool = False  # nobody can have used this `message_id` before
    timeout: float = 30.0
    secret: bool = False
    as_command: bool = False
    notes: tuple[str, ...] = ()
    agent_id: str | None = None  # to whom, where the pane is that of an agent
    addressee: Addressee = field(default_factory=Addressee)  # to any other program nothing is typed
    intent: str = ""  # COMMAND or ANSWER, of an agent
    entry: AuditEntry | None = None  # who asked for it, to be put on record with its turn
    before: Before | None = field(default=None, compare=False)  # right before anything is typed: events to store first
    after: After | None = field(default=None, compare=False)  # stores the receipt in the place of the desk


class Deliveries:
    def __init__(
        self,
        tmux: Tmux,
        clock: Clock,
        store: Callable[[], Store],
        lock: Lock,
        watch: Callable[[str], AbstractAsyncContextManager[OutputWatch]],
        settings: Settings,
        profiles: Mapping[str, Profile],
        apis: Mapping[str, Api] | None = None,
    ) -> None:
        self._tmux = tmux
        self._clock = clock
        self._store = store
        self._lock = lock
        self._watch = watch
        self._settings = settings
        self._profiles = profiles
        self._apis = apis or {}  # of the programs that have one, by their profiles

    async def send(self, request: Request) -> SendResult:
        """Type a text, submit it, and prove that it went in."""
        return await self._attempt(_cleaned(request), deliver)

    async def answer(self, request: Request, choice: Choice) -> SendResult:
        """Answer the dialog that is open in the pane; `request.text` is the free text, if any."""
        if choice.key is not None:
            check_keys((choice.key,))
        paced = replace(choice, key_gap=self._settings.tmux_bridge.sequential_send_delay_ms / 1000)
        request = replace(request, intent=request.intent or Intent.ANSWER)
        return await self._attempt(_cleaned(request), lambda order: answer(paced, order))

    async def press(self, request: Request, keys: tuple[str, ...]) -> SendResult:
        """Press keys by name."""
        order = Keys(keys, request.verify_enter, self._settings.tmux_bridge.max_enter_retries)

        async def act(started: float) -> SendResult:
            check_keys(keys)
            async with self._hold(request) as driver:
                scene = await driver.look()  # keys are pressed without the guard that a glance needs
                self._check_addressee(request, scene)
                return await driver.run(press(order))

        return await self._receipt(request, act)

    # --- the steps

    async def _receipt(self, request: Request, act: Callable[[float], Awaitable[SendResult]]) -> SendResult:
        """A result for whatever happens, with the time it took."""
        started = self._clock.now()
        try:
            result = await act(started)
        except PanewardError as error:
            result = SendResult(Verdict.FAILED, Rung.NOTHING, error.message, error.code, error.message, error.hint)
        if result.latency_ms:
            return result
        return replace(result, latency_ms=self._since(started), pane=result.pane or await self._named(request.pane))

    async def _named(self, target: str) -> str:
        """The pane by its id, where there is one."""
        with suppress(TmuxError):
            return await pane_of(self._tmux, target)
        return target

    def _since(self, started: float) -> float:
        return round((self._clock.now() - started) * 1000, 3)

    async def _attempt(self, request: Request, plan: Callable[[Order], Flow[SendResult]]) -> SendResult:
        async def act(started: float) -> SendResult:
            _check_text(request, may_be_empty=plan is not deliver)
            if request.profile is not None:
                named(request.profile, self._profiles)  # wrong names are told before anything is waited for
            async with self._hold(request) as driver:
                return await self._recorded(request, driver, plan, started)

        return await self._receipt(request, act)

    @asynccontextmanager
    async def _hold(self, request: Request) -> AsyncIterator[Driver]:
        """The pane, for us alone."""
        pane = await pane_of(self._tmux, request.pane)
        key = f"{await self._tmux.identity()} {pane}"
        async with self._lock(key, request.timeout), self._watch(pane) as watch:
            driver = Driver(pane, self._tmux, self._clock, watch)
            if request.addressee != Addressee():
                driver.on_act(self._mismatch(request))
            yield driver

    def _mismatch(self, request: Request) -> Mismatch:
        return partial(request.addressee.mismatch, profiles=self._profiles)

    def _check_addressee(self, request: Request, scene: Scene) -> None:
        if error := self._mismatch(request)(scene):
            raise error

    async def _recorded(
        self, request: Request, driver: Driver, plan: Callable[[Order], Flow[SendResult]], started: float
    ) -> SendResult:
        """Store the intent, act, store the receipt."""
        scene = await (driver.glance() if plan is deliver else driver.look())
        self._check_addressee(request, scene)
        ledger = Ledger(self._store(), request, await self._tmux.identity(), lambda: driver.scene)
        known = await ledger.known()
        if known is not None and known.receipt is not None and not again(known):
            return replace(known.receipt, repeated=True)
        driver.on_mark(ledger.mark)
        try:
            resume = None if known is None else cut_off_at(known)
            result, profile = await self._carried_out(request, driver, plan, resume)
        except asyncio.CancelledError as cancelled:  # whoever gives up is told how far it had come
            cancelled.args = (ledger.phase,)
            raise
        result = replace(
            result, latency_ms=self._since(started), pane=scene.snapshot.pane, profile=profile.name,
            message_id=request.message_id, dump=_dump(result, request.secret, driver.scene),
        )  # fmt: skip
        _say(result)
        return await ledger.finish(result)

    async def _carried_out(
        self, request: Request, driver: Driver, plan: Callable[[Order], Flow[SendResult]], resume: Phase | None
    ) -> tuple[SendResult, Profile]:
        """By the profile of the program that is there when it is typed to: a script may have become an agent."""
        until = self._clock.now() + request.timeout
        while True:
            order = self._order(request, driver.scene, max(until - self._clock.now(), 0.0), resume)
            if resume is None and draft_in(driver.scene, order.profile):
                order = replace(order, terms=replace(order.terms, leftover=await self._leftover(driver.scene)))
            way = plan
            if plan is deliver:
                way, order = await self._way(driver, order)
            with suppress(AnotherProgram):
                return await driver.run(way(order)), order.profile

    async def _leftover(self, scene: Scene) -> str:
        """What a send that was not answered, or whose sender died, may have left in the composer."""
        pane = scene.snapshot.pane
        try:
            rows = await self._store().recent(LOOKED_BACK, pane)
        except StoreError:
            return ""
        return left_behind(rows, await self._tmux.identity(), scene.snapshot.pid)

    async def _way(self, driver: Driver, order: Order) -> tuple[Callable[[Order], Flow[SendResult]], Order]:
        """By the program's own API where that leads to what the pane shows. A command is typed: there it is text."""
        api = self._apis.get(order.profile.name)
        if api is None or order.as_command or order.resume is not None:
            return deliver, order
        found = await api.find(driver.scene, driver.look)
        if isinstance(found, str):
            return deliver, replace(order, notes=(*order.notes, f"{found}: it was typed")) if found else order
        driver.on_post(found)
        return post, order

    def _order(self, request: Request, scene: Scene, timeout: float, resume: Phase | None) -> Order:
        bridge = self._settings.tmux_bridge
        fixed = named(request.profile, self._profiles) if request.profile else None
        profile = fixed or choose(scene.snapshot, scene.process, self._profiles)
        terms = Terms(
            profile=profile,
            prompt=compile_prompt(prompt_of(profile, self._settings)),
            when_busy=request.when_busy,
            draft=request.draft,
            timeout=timeout,
            draft_hold=bridge.draft_hold_s,
            program="" if fixed else scene.program,
            mismatch=self._mismatch(request),
        )
        return Order(
            text=request.text,
            terms=terms,
            as_command=request.as_command,
            verify=request.verify_enter,
            ghost=request.detect_ghost_text,
            base_delay=bridge.text_enter_delay_ms / 1000,
            clear_delay=bridge.clear_delay_ms / 1000,
            retries=bridge.max_enter_retries,
            resume=resume,
            notes=request.notes,
        )


class Ledger:
    """What the store is told of one delivery.

    Nothing is written before typing begins, since only then it is known whether the terminal hides what is typed and
    the text is a secret. For a caller who may ask again, by `message_id`, the intent is durable before anything is
    typed, and so is each further step before it is taken. For others one write says it all, and nobody waits for it.
    """

    def __init__(self, store: Store, request: Request, tmux: str, look: Callable[[], Scene]) -> None:
        self._store = store
        self._request = request
        self._tmux = tmux
        self._look = look
        self._earlier: Delivery | None = None
        self._row: Delivery | None = None
        self._hidden = False
        self.phase: Phase | None = None  # how far it has come; none: nothing was typed

    async def known(self) -> Delivery | None:
        """The earlier delivery with this message id."""
        if self._request.message_id is not None and not self._request.made_up:
            self._earlier = await self._store.find(self._request.message_id)
        if self._earlier is not None:
            self._check(self._earlier)
        return self._earlier

    def _check(self, row: Delivery) -> None:
        check_same(row, self._request.text, self._request.agent_id)

    def _place(self) -> dict[str, Any]:
        snapshot = self._look().snapshot
        return {
            "tmux": self._tmux,
            "pane": snapshot.pane,
            "pane_pid": snapshot.pid,
            "text": self._request.text,
            "secret": self._request.secret or self._hidden,
            **self._whose(),
        }

    def _whose(self) -> dict[str, Any]:
        if self._request.agent_id is None:
            return {"intent": self._request.intent}
        return {"agent_id": self._request.agent_id, "intent": self._request.intent}

    async def mark(self, phase: Phase) -> None:
        self.phase = phase
        self._hidden = self._hidden or _hidden(self._look())
        if self._request.message_id is None:
            return
        if self._row is None:
            told = self._request.before() if self._request.before is not None else ()
            place = self._place()
            self._row, fresh = await self._store.begin(message_id=self._request.message_id, **place, events=told)
            if not fresh and self._earlier is None:
                raise InvalidInput(
                    f"message_id {self._row.message_id!r} is being delivered to {self._row.pane} at this moment",
                    code=Code.IDEMPOTENCY_CONFLICT,
                    hint="Give every message an id of its own.",
                )
        if phase is not self._row.phase:
            await self._store.mark(self._row.id, phase)
            self._row = replace(self._row, phase=phase)

    async def finish(self, receipt: SendResult) -> SendResult:
        """Store the receipt. What was typed stays typed: a store that fails now does not change the verdict.

        A refusal, of which nothing was typed, does not use up its `message_id`: the caller may try again.
        """
        row = self._row or self._earlier
        try:
            if row is None:
                await self._store.record(receipt=receipt, **self._place())
            elif self._request.after is not None:
                await self._request.after(row, receipt)
            else:
                await self._store.finish(row.id, receipt)
        except StoreError as error:
            log.warning("%s: receipt not stored: %s", receipt.pane, error.message)
            return replace(receipt, notes=(*receipt.notes, f"the receipt could not be stored: {error.message}"))
        return receipt


def changed(agent_id: str, id: str, receipt: SendResult) -> DeliveryChanged:
    """What is told of a delivery to an agent."""
    return DeliveryChanged(agent_id, id, receipt.verdict, receipt.rung, receipt.evidence, receipt.error_type)


def check_same(row: Delivery, text: str, agent_id: str | None) -> None:
    """A message id belongs to one text for one agent."""
    other_text = row.text_hash and row.text_hash != text_hash(text)  # a secret has none
    if other_text or row.agent_id != agent_id:
        raise InvalidInput(
            f"message_id {row.message_id!r} was used for another {'text' if other_text else 'agent'}",
            code=Code.IDEMPOTENCY_CONFLICT,
            hint="Give every message an id of its own.",
        )


def prompt_of(profile: Profile, settings: Settings) -> str:
    """The pattern of a prompt: the configured one, else what the profile says."""
    configured = settings.readiness.prompt_pattern
    return profile.prompt if configured == PROMPT else configured


def _cleaned(request: Request) -> Request:
    cleaned = clean(request.text)
    return replace(request, text=cleaned.text, notes=cleaned.notes)


def _check_text(request: Request, may_be_empty: bool) -> None:
    if not request.text and not may_be_empty:
        raise InvalidInput(
            "there is no text to send", code=Code.EMPTY_TEXT, hint="`paneward keys PANE Enter` presses Enter alone."
        )
    length = len(request.text.encode())
    if length > MAX_TEXT:
        raise InvalidInput(
            f"the text has {length} bytes; {MAX_TEXT} are the most", code=Code.TEXT_TOO_LONG, hint="Send a file's name."
        )


def _hidden(scene: Scene) -> bool:
    return scene.process is not None and scene.process.echo is False and bool(scene.process.canonical)


def _dump(result: SendResult, secret: bool, scene: Scene) -> str:
    """The screen that goes with a failure, without what must not be kept."""
    if result.error_type is not Code.SEND_FAILED:
        return ""
    if secret or _hidden(scene):
        return "(the screen of a secret is not kept)"
    return redact(Screen.of(scene.snapshot).text)


def _say(result: SendResult) -> None:
    if result.error_type is Code.SEND_FAILED:
        log.warning("%s: delivery failed: %s\n%s", result.pane, result.evidence, result.dump)
