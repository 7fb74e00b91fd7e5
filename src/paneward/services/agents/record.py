"""The record of one agent: changed by one transaction at a time, and in memory only as it was stored."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from paneward.core.agent import nudge
from paneward.core.agent.changes import Change, Grounds, Moment, judged
from paneward.core.agent.events import Event, TransitionRefused, UsageChanged
from paneward.core.agent.record import Agent, Said, Turn, opens
from paneward.core.audit import AuditEntry
from paneward.core.errors import StoreError
from paneward.core.result import SendResult
from paneward.core.signals import Channel, Memory, Signal, SignalState, worded
from paneward.core.usage import Usage
from paneward.ports import Clock
from paneward.services.agents.signals import Found, Tracker
from paneward.store import Store

log = logging.getLogger("paneward.agents")


class Record:
    def __init__(self, store: Store, clock: Clock, agent: Agent, tracker: Tracker | None = None) -> None:
        self._store = store
        self._clock = clock
        self._agent = agent
        self.speaking = asyncio.Lock()  # held from a turn to the state that it leads to
        self._changed = asyncio.Event()  # of the agent as it is now
        self._tracker = tracker or Tracker()
        self._written: Mapping[str, Any] = self._tracker.memory.written()
        self._last = nudge.recalled(agent, clock.now(), clock.wall())  # what the next signal is held against
        self._unsure = False  # a write failed: whether it was stored is not known
        self._storing: tuple[Found, Mapping[str, Any]] | None = None  # the last signals that were to be stored

    @property
    def agent(self) -> Agent:
        return self._agent

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Change the record, one at a time, from what is stored: after a write that failed, it is read anew."""
        async with self.speaking:
            if self._unsure:
                await self._read_anew()
                self._unsure = False
            try:
                yield
            except StoreError:
                self._unsure = True
                raise
            self._storing = None

    async def _read_anew(self) -> None:
        [agent] = await self._store.agents(self._agent.id)
        self._agent, self._written = agent, await self._store.heard(agent.id) or {}
        self._last = nudge.recalled(agent, self._clock.now(), self._clock.wall())
        found, written = self._storing or (Found(), {})
        if written == self._written:
            self._tracker.stored(found)
        self._storing = None

    async def until(self, condition: Callable[[Agent], bool]) -> None:
        """Until the agent has come to this."""
        while not condition(self._agent):
            await self._changed.wait()

    def remember(self, heard: Mapping[str, Any] | None) -> None:
        """Which of its signals were heard before."""
        self._tracker.memory = Memory.read(heard)
        self._written = self._tracker.memory.written()

    def veiled(self, text: str) -> str:
        """Words of its own, without what is not to be written down."""
        return self._tracker.veiled(text)

    async def spent(self, usage: Usage, account: Mapping[str, Any], crossed: str) -> None:
        """Store what it has used, how that was counted, and with `crossed` that a budget is used up: all of it or
        nothing."""
        async with self.alone():
            now, told = self._clock.now(), UsageChanged(self._agent.id, usage)
            signals = [Signal(SignalState.NEEDS_INPUT, worded(crossed), Channel.BUDGET, now)] if crossed else []
            heard = nudge.hear(replace(self._agent, usage=usage), signals, self._last, now, self._clock.wall())
            await self._change(Change(heard.agent, heard.last, (told, *heard.events), account=account))

    # --- changes of it

    @property
    def _moment(self) -> Moment:
        return Moment(self._clock.now(), self._clock.wall(), self._last)

    def _judged(
        self, said: Said, turn: Turn | None, told: Grounds, ending: str = "done", agent: Agent | None = None
    ) -> Change:
        return judged(agent or self._agent, said, turn, told, self._moment, ending)

    async def _take(
        self,
        turn: Turn,
        said: Said | None,
        judge: Callable[[Turn], Change],
        receipt: SendResult | None = None,
        *events: Event,
        entry: AuditEntry | None = None,
    ) -> Turn:
        """Store a turn, and what it makes of the agent; one that says nothing new joins the command it names."""
        opening = said is not None and opens(self._agent.stage, said)
        heard, change = self._heard_of(), None

        def judge_all(turn: Turn) -> Change:
            nonlocal change
            change = replace(_noted(judge(turn)), heard=heard)
            return change

        turn, agent = await self._store.take_turn(turn, opening, judge_all, receipt, *events, entry=entry)
        if agent is not None and change is not None:
            self._become(agent, change)
        return turn

    async def _change(self, change: Change | None) -> None:
        if change is not None:
            change = self._remembered(change)
            saved = await self._store.save(
                change.agent, *change.events, ending=change.ending, heard=change.heard, account=change.account
            )
            self._become(saved, change)

    def _remembered(self, change: Change) -> Change:
        """With what the tracker remembers."""
        _noted(change)
        return change if change.heard is not None else replace(change, heard=self._heard_of())

    def _heard_of(self) -> Mapping[str, Any] | None:
        """What the tracker remembers, where that is not stored; but not of signals that are not stored themselves."""
        written = self._written if self._tracker.found else self._tracker.memory.written()
        return written if written != self._written else None

    def _become(self, agent: Agent, change: Change) -> None:
        """As it was stored."""
        self._agent, self._last = agent, change.last
        if change.heard is not None:
            self._written = change.heard
        self._changed.set()
        self._changed = asyncio.Event()


def _noted(change: Change) -> Change:
    for event in change.events:
        if isinstance(event, TransitionRefused):
            log.info("%s: %s has no way from %s", event.agent_id, event.said, event.state)
    return change
