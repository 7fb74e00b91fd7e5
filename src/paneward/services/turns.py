"""One agent: its record, and what was said to it and by it.

The turn first, the state that it leads to second; both are one transaction, and so is the receipt of words that went
in. Killed at any moment, nothing is lost, and nothing is said twice.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from paneward.core import nudge
from paneward.core.agent import SPOKEN, Actor, Agent, Intent, Said, Stage, Turn, opens
from paneward.core.audit import AuditEntry
from paneward.core.events import Event, NearMiss, OutputLost, TransitionRefused
from paneward.core.hearing import Hearing, Seen
from paneward.core.judging import Change, Moment, Told, found, judged, lost, told_by
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.signals import Channel, Memory, Signal, SignalState
from paneward.core.standing import AgentState, Ending, Standing
from paneward.ports import Clock
from paneward.services.delivery import changed
from paneward.services.tracker import Tracker
from paneward.store import Delivery, Store

TROUBLES: Final = {
    "sign_in": "it is not signed in",
    "limit": "it has reached a limit",
    "network": "it cannot reach its service",
    "refused": "its service refused",
}
PROMPTED: Final = 2.0  # seconds that it takes to type a prompt: work that begins sooner goes on with the last turn
DOUBT: Final = 60.0  # seconds for which work that begins proves that an unconfirmed delivery went in
AT_ONCE: Final = 4  # things that one look can tell: an answer that went in after all, work, a question, an end
SAID: Final = {spoken: said for said, spoken in SPOKEN.items()}
RUNGS: Final = list(Rung)
log = logging.getLogger("paneward.agents")


class Turns:
    def __init__(self, store: Store, clock: Clock, agent: Agent, tracker: Tracker | None = None) -> None:
        self._store = store
        self._clock = clock
        self._agent = agent
        self.speaking = asyncio.Lock()  # held from a turn to the state that it leads to
        self._delivery: Delivery | None = None  # the last that may have gone in: later evidence upgrades its receipt
        self._doubtful: tuple[Turn, float] | None = None  # an unconfirmed turn, and since when
        self._changed = asyncio.Event()  # of the agent as it is now
        self.hearing = Hearing()
        self._tracker = tracker or Tracker()
        self._written: Mapping[str, Any] = self._tracker.memory.written()
        self._last = nudge.recalled(agent, clock.now(), clock.wall())  # what the next signal is held against

    @property
    def agent(self) -> Agent:
        return self._agent

    # --- what others say to it

    async def delivered(
        self, delivery: Delivery, receipt: SendResult, text: str, entry: AuditEntry | None = None
    ) -> Turn | None:
        """The receipt of words for it. They went in, or may have: this is a turn, may change its state, and is put on
        record with `entry`."""
        told = changed(self._agent.id, delivery.id, receipt)
        if receipt.verdict is Verdict.FAILED:
            await self._store.finish(delivery.id, receipt, told)
            return None
        doubtful, intent = receipt.verdict is Verdict.UNCONFIRMED, Intent(delivery.intent)
        async with self.speaking:
            said = SAID[Actor.USER, intent]
            turn = Turn(
                self._agent.id, Actor.USER, intent, text, "delivery", receipt.evidence, delivery=delivery.id,
                answers=self._agent.asked if said is Said.USER_ANSWER else None, unconfirmed=doubtful,
            )  # fmt: skip
            joins = self._agent.stage is Stage.PROCESSING
            if entry is not None:
                entry = replace(entry, result="unconfirmed" if doubtful else "ok")
            turn = await self._take(turn, said, lambda turn: self._believed(said, turn), receipt, told, entry=entry)
            # Of words that join the work, what the agent does next proves nothing.
            self._delivery = None if joins else replace(delivery, receipt=receipt)
            if doubtful:
                self._doubtful = turn, self._clock.now()
            return turn

    def _believed(self, said: Said, turn: Turn) -> Change:
        """What nothing confirms changes no state."""
        if turn.unconfirmed:
            return Change(replace(self._agent, turn=turn.id), self._last)
        return self._judged(said, turn, Told(turn.source, turn.evidence))

    # --- what it signals

    async def signalled(self) -> None:
        """Store what the tracker found, and that it was heard, with the nudge that it sets: all of it or nothing."""
        async with self.speaking:
            found, written = self._tracker.found, self._tracker.memory.written()
            heard = nudge.hear(self._agent, found.signals, self._last, self._clock.now(), self._clock.wall())
            gaps = (OutputLost(self._agent.id, found.lost),) if found.lost else ()
            misses = (NearMiss(self._agent.id, line) for line in found.missed)
            await self._change(Change(heard.agent, heard.last, (*gaps, *misses, *heard.events), heard=written))
            self._tracker.stored(found)

    def remember(self, heard: Mapping[str, Any] | None) -> None:
        """Which of its signals were heard before."""
        self._tracker.memory = Memory.read(heard)
        self._written = self._tracker.memory.written()

    async def attended(self, reason: str) -> None:
        """Somebody attends to it."""
        async with self.speaking:
            cleared = nudge.clear(self._agent, reason)
            self._last = None
            if cleared.events:
                await self._change(Change(cleared.agent, None, cleared.events))

    # --- what it says

    async def see(self, seen: Seen) -> None:
        """Take in a look at it."""
        async with self.speaking:
            await self._reach(seen.standing)
            self._agent = replace(self._agent, alive_at=self._clock.wall() - seen.quiet)
            self._settle(seen.now)
            await self._trouble(seen)
            for _ in range(AT_ONCE):
                said = self.hearing.hear(self._agent.stage, self._agent.question, seen)
                busy = seen.standing.state is AgentState.BUSY
                cleared = None if said is None else self._cleared(told_by(seen.standing))
                if said is not None or (busy and not self.hearing.typing):
                    await self._upgrade(Rung.ACCEPTED if busy else Rung.ACTED, seen.standing.evidence, cleared)
                if said is None:
                    return
                if cleared is None:
                    await self._heard(said, seen)

    def _settle(self, now: float) -> None:
        """What nothing has confirmed for so long stays in doubt."""
        if self._doubtful is not None and now - self._doubtful[1] >= DOUBT:
            self._doubtful = self._delivery = None

    def _cleared(self, told: Told) -> Change | None:
        """What the words in doubt lead to, now that the agent has acted on them."""
        if self._doubtful is None:
            return None
        turn = self._doubtful[0]
        return self._judged(SAID[turn.actor, turn.intent], turn, told)

    async def _heard(self, said: Said, seen: Seen) -> None:
        told = told_by(seen.standing)
        ending = "interrupted" if seen.standing.ending is Ending.INTERRUPTED else "done"
        if self._is_prompted(said):
            self._tracker.begin_turn(ours=False)
        if self._worth_a_turn(said):
            turn = self._turn(said, seen, told)
            await self._take(turn, said, lambda turn: self._judged(said, turn, told, ending))
        else:
            await self._change(self._judged(said, None, told, ending))

    def _is_prompted(self, said: Said) -> bool:
        """Somebody else gave it words: what it signals from now on is new."""
        rested = self._clock.wall() - self._agent.since >= PROMPTED
        return rested and (said is Said.USER_ANSWER or opens(self._agent.stage, said))

    def _worth_a_turn(self, said: Said) -> bool:
        """Work on what it was told is none; work that nobody here had asked for begins a command."""
        return said is not Said.AGENT_PROGRESS or opens(self._agent.stage, said)

    def _turn(self, said: Said, seen: Seen, told: Told) -> Turn:
        actor, intent = SPOKEN[said]
        asks = said is Said.AGENT_QUESTION
        return Turn(
            self._agent.id, actor, intent, seen.question.question if asks else "", told.source, told.reason,
            question=seen.question if asks else None,
            answers=self._agent.asked if said is Said.USER_ANSWER else None,
        )  # fmt: skip

    async def _upgrade(self, rung: Rung, evidence: str, cleared: Change | None) -> None:
        """Later evidence: what went in is worked on, or was acted on; and what that makes of words in doubt."""
        delivery, receipt = self._delivery, None if self._delivery is None else self._delivery.receipt
        if delivery is None or receipt is None or RUNGS.index(rung) <= RUNGS.index(receipt.rung):
            await self._change(cleared)
        else:
            better = replace(receipt, verdict=Verdict.CONFIRMED, rung=rung, evidence=evidence)
            told = changed(self._agent.id, delivery.id, better)
            change = cleared and self._remembered(_noted(cleared))
            agent = await self._store.upgrade(delivery.id, better, told, change=change)
            if agent is not None and change is not None:
                self._become(agent, change)
            self._delivery = None if rung is Rung.ACTED else replace(delivery, receipt=better)
        if cleared is not None:
            self._doubtful = None

    # --- the state

    @property
    def _moment(self) -> Moment:
        return Moment(self._clock.now(), self._clock.wall(), self._last)

    def _judged(self, said: Said, turn: Turn | None, told: Told, ending: str = "done") -> Change:
        return judged(self._agent, said, turn, told, self._moment, ending)

    async def _take(
        self,
        turn: Turn,
        said: Said,
        judge: Callable[[Turn], Change],
        receipt: SendResult | None = None,
        *events: Event,
        entry: AuditEntry | None = None,
    ) -> Turn:
        """Store a turn, and what it makes of the agent."""
        opening, heard, change = opens(self._agent.stage, said), self._heard_of(), None

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
            _noted(change)
            saved = await self._store.save(change.agent, *change.events, ending=change.ending, heard=change.heard)
            self._become(saved, change)

    def _heard_of(self) -> Mapping[str, Any] | None:
        """What the tracker remembers, where that is not stored; but not of signals that are not stored themselves."""
        written = self._written if self._tracker.found else self._tracker.memory.written()
        return written if written != self._written else None

    def _remembered(self, change: Change) -> Change:
        return change if change.heard is not None else replace(change, heard=self._heard_of())

    def _become(self, agent: Agent, change: Change) -> None:
        """As it was stored."""
        self._agent, self._last = agent, change.last
        if change.heard is not None:
            self._written = change.heard
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, condition: Callable[[Agent], bool]) -> None:
        """Until the agent has come to this."""
        while not condition(self._agent):
            await self._changed.wait()

    async def _trouble(self, seen: Seen) -> None:
        """It says that it cannot work: once, however long it stands there."""
        if seen.trouble is None or seen.trouble == self._agent.trouble:
            return
        agent, words = replace(self._agent, trouble=seen.trouble), TROUBLES.get(seen.trouble, seen.trouble)
        signals = [Signal(SignalState.ERROR, words, Channel.SCREEN, seen.now)] if seen.trouble else []
        heard = nudge.hear(agent, signals, self._last, seen.now, self._clock.wall())
        await self._change(Change(heard.agent, heard.last, heard.events))

    # --- lost and found

    async def _reach(self, standing: Standing) -> None:
        if standing.state is AgentState.DEAD:
            await self._change(lost(self._agent, standing.evidence, True, self._moment))
        else:
            await self._change(found(self._agent, standing.evidence, self._moment))

    async def lose(self, reason: str, ended: bool = False) -> None:
        """Its pane cannot be reached; or its program `ended`."""
        async with self.speaking:
            await self._change(lost(self._agent, reason, ended, self._moment))

    async def recognise(self, kind: str, version: str) -> None:
        """It is known now what it is."""
        async with self.speaking:
            await self._change(Change(replace(self._agent, kind=kind, version=version), self._last))

    # --- after a crash

    async def recover(self) -> None:
        """Remember the last words that went in, or may have."""
        turns = await self._store.turns(self._agent.id)
        turn = next((turn for turn in turns if turn.delivery is not None), None)
        if turn is None or turn.delivery is None:
            return
        delivery = await self._store.delivery(turn.delivery)
        receipt = None if delivery is None else delivery.receipt
        if receipt is not None and receipt.verdict is Verdict.UNCONFIRMED:
            self._doubtful = turn, self._clock.now() - max(self._clock.wall() - turn.at, 0.0)
        self._delivery = delivery


def _noted(change: Change) -> Change:
    for event in change.events:
        if isinstance(event, TransitionRefused):
            log.info("%s: %s has no way from %s", event.agent_id, event.said, event.state)
    return change
