"""One agent: what was said to it and by it, and what it signals.

The turn first, the state that it leads to second; both are one transaction, and so is the receipt of words that went
in. Killed at any moment, nothing is lost, and nothing is said twice.
"""

from dataclasses import replace
from itertools import takewhile
from typing import Final

from paneward.core.agent import nudge
from paneward.core.agent.changes import Change, Grounds, found, lost, told_by
from paneward.core.agent.events import Event, NearMiss, OutputLost
from paneward.core.agent.record import RESTING, SPOKEN, Actor, Agent, Intent, Said, Stage, Turn, opens
from paneward.core.agent.utterance import SIGNALLED, Hearing, Seen
from paneward.core.audit import AuditEntry
from paneward.core.errors import StoreError
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.signals import Channel, Signal, SignalState
from paneward.core.signals.signal import worded
from paneward.core.state.claims import AgentState, Ending, Standing
from paneward.core.state.hooks import Heard
from paneward.ports import Clock
from paneward.services.agents.record import Record
from paneward.services.agents.signals import Tracker
from paneward.services.delivery.desk import changed
from paneward.services.delivery.receipts import began_at, near, open_to, same_words
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
RECENT: Final = 50  # deliveries among which the one is looked for that a hook tells of
LATE: Final = 60.0  # seconds within which the words of an end that was seen belong to it
NEW: Final = 5.0  # seconds after which a signal is one of a time in which nobody listened
SAID: Final = {spoken: said for said, spoken in SPOKEN.items()}
RUNGS: Final = list(Rung)
Owed = tuple[Delivery, SendResult, str, AuditEntry | None]  # a delivery, its receipt, its words, who asked for it


class Turns(Record):
    def __init__(self, store: Store, clock: Clock, agent: Agent, tracker: Tracker | None = None) -> None:
        super().__init__(store, clock, agent, tracker)
        self._delivery: Delivery | None = None  # the last that may have gone in: later evidence upgrades its receipt
        self._doubtful: tuple[Turn, float] | None = None  # an unconfirmed turn, and since when
        self._told_at = 0.0  # seconds since the epoch: when the last words for it began to go in
        self._unworded: Turn | None = None  # the last end that was seen, whose words are not known
        self._begun: Turn | None = None  # the last work that opened a command, as nobody had told of its words
        self._owed: list[Owed] = []  # receipts that could not be stored: nothing else is told before them
        self.hearing = Hearing()
        self.hearing.recall(agent.question)

    @property
    def doubtful(self) -> bool:
        """Nothing proves yet that the last words for it went in."""
        return self._doubtful is not None

    # --- what others say to it

    async def delivered(
        self, delivery: Delivery, receipt: SendResult, text: str, entry: AuditEntry | None = None
    ) -> Turn | None:
        """The receipt of words for it. They went in, or may have: this is a turn, may change its state, and is put on
        record with `entry`."""
        try:
            async with self.alone():  # which reads, where a write failed before: that can fail as well
                return await self._received(delivery, receipt, text, entry)
        except StoreError:
            self._owed.append((delivery, receipt, text, entry))
            raise

    async def _received(
        self, delivery: Delivery, receipt: SendResult, text: str, entry: AuditEntry | None
    ) -> Turn | None:
        if receipt.verdict is not Verdict.FAILED:
            return await self._delivered(delivery, receipt, text, self._agent, entry)
        await self._store.finish(delivery.id, receipt, changed(self._agent.id, delivery.id, receipt))
        return None

    async def _read_anew(self) -> None:
        """As it is stored; then what could not be stored."""
        await super()._read_anew()
        await self.recover()
        while self._owed:
            await self._received(*self._owed[0])
            self._owed.pop(0)

    async def _delivered(
        self, delivery: Delivery, receipt: SendResult, text: str, agent: Agent, entry: AuditEntry | None = None
    ) -> Turn:
        told = changed(agent.id, delivery.id, receipt)
        doubtful, intent = receipt.verdict is Verdict.UNCONFIRMED, Intent(delivery.intent)
        said, joins = SAID[Actor.USER, intent], agent.stage is Stage.PROCESSING
        turn = Turn(
            agent.id, Actor.USER, intent, text, "delivery", receipt.evidence, delivery=delivery.id,
            answers=agent.asked if said is Said.USER_ANSWER else None, unconfirmed=doubtful,
        )  # fmt: skip
        if entry is not None:
            entry = replace(entry, result="unconfirmed" if doubtful else "ok")
        self._told_at, self._begun = max(self._told_at, began_at(delivery)), None
        turn = await self._take(turn, said, lambda turn: self._believed(said, turn, agent), receipt, told, entry=entry)
        # Of words that join the work, what the agent does next proves nothing.
        self._delivery = None if joins else replace(delivery, receipt=receipt)
        if doubtful:
            self._doubtful = turn, self._clock.now()
        return turn

    def _believed(self, said: Said, turn: Turn, agent: Agent) -> Change:
        """What nothing confirms changes no state."""
        if turn.unconfirmed:
            return Change(replace(agent, turn=turn.id), self._last)
        return self._judged(said, turn, Grounds(turn.source, turn.evidence), agent=agent)

    # --- what it signals

    async def signalled(self) -> None:
        """Store what the tracker found, and that it was heard, with the nudge that it sets: all of it or nothing."""
        async with self.alone():
            found, written = self._tracker.found, self._tracker.memory.written()
            heard = nudge.hear(self._agent, found.signals, self._last, self._clock.now(), self._clock.wall())
            gaps = (OutputLost(self._agent.id, found.lost),) if found.lost else ()
            misses = (NearMiss(self._agent.id, line) for line in found.missed)
            self._storing = found, written
            await self._change(Change(heard.agent, heard.last, (*gaps, *misses, *heard.events), heard=written))
            self._tracker.stored(found)

    async def attended(self, reason: str) -> None:
        """Somebody attends to it."""
        async with self.alone():
            cleared = nudge.clear(self._agent, reason)
            self._last = None
            if cleared.events:
                await self._change(Change(cleared.agent, None, cleared.events))

    async def _trouble(self, seen: Seen) -> None:
        """It says that it cannot work: once, however long it stands there."""
        if seen.trouble is None or seen.trouble == self._agent.trouble:
            return
        words = TROUBLES.get(seen.trouble, seen.trouble)
        signals = [Signal(SignalState.ERROR, words, Channel.SCREEN, seen.now)] if seen.trouble else []
        await self._nudge(replace(self._agent, trouble=seen.trouble), *signals)

    async def _nudge(self, agent: Agent, *signals: Signal) -> None:
        heard = nudge.hear(agent, signals, self._last, self._clock.now(), self._clock.wall())
        await self._change(Change(heard.agent, heard.last, heard.events))

    # --- what it says

    async def see(self, seen: Seen) -> None:
        """Take in a look at it."""
        async with self.alone():
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

    def _cleared(self, told: Grounds) -> Change | None:
        """What the words in doubt lead to, now that the agent has acted on them."""
        if self._doubtful is None:
            return None
        turn = self._doubtful[0]
        return self._judged(SAID[turn.actor, turn.intent], turn, told)

    async def _heard(self, said: Said, seen: Seen) -> None:
        told = self._told_of(said, seen)
        ending = "interrupted" if seen.standing.ending is Ending.INTERRUPTED else "done"
        if self._rested and (said is Said.USER_ANSWER or opens(self._agent.stage, said)):
            self._tracker.begin_turn(ours=False)  # somebody else gave it words
        if self._worth_a_turn(said):
            turn = self._turn(said, seen, told)
            turn = await self._take(turn, said, lambda turn: self._judged(said, turn, told, ending))
            self._unworded = turn if said is Said.AGENT_COMPLETION else None
            if said is Said.AGENT_PROGRESS:
                self._begun = turn
        else:
            await self._change(self._judged(said, None, told, ending))

    def _told_of(self, said: Said, seen: Seen) -> Grounds:
        asked = self.hearing.question(seen)
        if said is Said.AGENT_QUESTION and asked.kind == SIGNALLED:
            return Grounds(Channel.EVENT_FILE, f"it has said so: {asked.question}")
        return told_by(seen.standing)

    @property
    def _rested(self) -> bool:
        """It has been as it is for so long that somebody may have typed words for it."""
        return self._clock.wall() - self._agent.since >= PROMPTED

    def _worth_a_turn(self, said: Said) -> bool:
        """Work on what it was told is none; work that nobody here had asked for begins a command."""
        return said is not Said.AGENT_PROGRESS or opens(self._agent.stage, said)

    def _turn(self, said: Said, seen: Seen, told: Grounds) -> Turn:
        actor, intent = SPOKEN[said]
        asks, asked = said is Said.AGENT_QUESTION, self.hearing.question(seen)
        return Turn(
            self._agent.id, actor, intent, asked.question if asks else "", told.source, told.reason,
            question=asked if asks else None,
            answers=self._agent.asked if said is Said.USER_ANSWER else None,
        )  # fmt: skip

    async def _upgrade(self, rung: Rung, evidence: str, cleared: Change | None = None) -> None:
        """Later evidence: what went in is worked on, or was acted on; and what that makes of words in doubt."""
        delivery, receipt = self._delivery, None if self._delivery is None else self._delivery.receipt
        if delivery is None or receipt is None or RUNGS.index(rung) <= RUNGS.index(receipt.rung):
            await self._change(cleared)
        else:
            better = replace(receipt, verdict=Verdict.CONFIRMED, rung=rung, evidence=evidence)
            await self._prove(delivery, better, cleared)
        if cleared is not None:
            self._doubtful = None

    async def _prove(self, delivery: Delivery, better: SendResult, change: Change | None) -> None:
        """Give a delivery a better receipt, and its agent what that leads to."""
        change = change and self._remembered(change)
        told = changed(self._agent.id, delivery.id, better)
        agent = await self._store.upgrade(delivery.id, better, told, change=change)
        if agent is not None and change is not None:
            self._become(agent, change)
        if self._delivery is not None and self._delivery.id == delivery.id:
            self._delivery = None if better.rung is Rung.ACTED else replace(delivery, receipt=better)

    # --- what its hooks say: `seq` of the log is judged with what it leads to

    async def prompted(self, heard: Heard, seq: int) -> None:
        """It got a prompt: one of ours, which is proven by that, or one that somebody typed."""
        async with self.alone():
            delivery = await self._delivery_of(heard, seq)
            agent = replace(self._agent, hook_seq=seq, conversation=heard.session or self._agent.conversation)
            if delivery is None:
                await self._typed(heard, agent)
            elif delivery.receipt is None:
                await self._change(Change(agent, self._last))  # it was cut off, and is gone on with
            else:
                await self._proven(delivery, delivery.receipt, heard, agent)

    async def _delivery_of(self, heard: Heard, seq: int) -> Delivery | None:
        if heard.delivery:
            return await self._store.delivery(heard.delivery)
        recent = await self._store.recent(RECENT, agent_id=self._agent.id)
        return next((one for one in recent if open_to(one, heard, seq) and same_words(one, heard.text)), None)

    async def secret_of(self, heard: Heard) -> str | None:
        """The delivery whose secret the prompt is: all that is known of it is how long it is."""
        recent = await self._store.recent(RECENT, agent_id=self._agent.id)
        lengths = {len(heard.text), len(heard.text.strip())}
        hidden = [one for one in recent if not one.text_hash and (one.receipt is None or not one.receipt.hook)]
        return next((one.id for one in hidden if one.length in lengths and near(one, heard)), None)

    async def _typed(self, heard: Heard, agent: Agent) -> None:
        """Somebody typed it in the pane."""
        began, self._begun = self._begun, None
        if began is not None and agent.stage in RESTING and heard.at <= began.at:
            await self._told_late(heard, agent, began.command)
            return
        if agent.stage in RESTING:
            self.hearing.begin()
            self.hearing.end(self._clock.now())
        if agent.stage in RESTING or self._rested:
            self._tracker.begin_turn(ours=False)
        self._told_at = max(self._told_at, heard.at)
        turn, told = Turn(agent.id, Actor.USER, Intent.COMMAND, heard.text, *_by(heard)), Grounds(*_by(heard))
        await self._take(turn, Said.USER_COMMAND, lambda turn: self._judged(Said.USER_COMMAND, turn, told, agent=agent))

    async def _told_late(self, heard: Heard, agent: Agent, command: int | None) -> None:
        """These were the words of work that has begun since, and ended."""
        turn = Turn(agent.id, Actor.USER, Intent.COMMAND, heard.text, *_by(heard), command=command)
        await self._take(turn, None, lambda turn: Change(agent, self._last))

    async def _proven(self, delivery: Delivery, receipt: SendResult, heard: Heard, agent: Agent) -> None:
        """The agent itself tells that it got words of ours."""
        better = replace(
            receipt, verdict=Verdict.CONFIRMED, rung=max(receipt.rung, Rung.ACCEPTED, key=RUNGS.index),
            evidence=f"{heard.evidence} told of it, with its text", error_type=None, detail="", hint="",
            hook=agent.hook_seq,
        )  # fmt: skip
        turn = await self._store.turn_of(delivery.id)
        if turn is None:
            await self._delivered(delivery, better, delivery.text or "", agent)
        elif turn.unconfirmed:
            said = SAID[turn.actor, turn.intent]
            await self._prove(delivery, better, self._judged(said, turn, Grounds(*_by(heard)), agent=agent))
            self._doubtful = None
        else:
            await self._prove(delivery, better, Change(agent, self._last))

    async def stopped(self, heard: Heard, seq: int) -> None:
        """It is done, and these were its last words."""
        async with self.alone():
            seen, told = self._unworded, Grounds(*_by(heard))
            if self._agent.stage not in RESTING and heard.at >= self._told_at:
                await self._upgrade(Rung.ACTED, heard.evidence)
                agent, said = replace(self._agent, hook_seq=seq), Said.AGENT_COMPLETION
                turn = Turn(agent.id, Actor.AGENT, Intent.COMPLETION, heard.text, *_by(heard))
                await self._take(turn, said, lambda turn: self._judged(said, turn, told, agent=agent))
            elif seen is not None and heard.text and abs(seen.at - heard.at) < LATE:
                await self._amend(replace(seen, text=heard.text), replace(self._agent, hook_seq=seq))
            else:
                await self._change(Change(replace(self._agent, hook_seq=seq), self._last))
            self._unworded = None

    async def _amend(self, turn: Turn, agent: Agent) -> None:
        """The words of an end that was seen are known now, and so are those of its nudge."""
        heard = nudge.reworded(agent, turn.text, self._last)
        change = self._remembered(Change(heard.agent, heard.last, heard.events))
        self._become(await self._store.amend_turn(turn, change), change)

    async def said(self, heard: Heard, seq: int) -> None:
        """A signal that it wrote down."""
        async with self.alone():
            age = max(self._clock.wall() - heard.at, 0.0)
            message = self._tracker.veiled(worded(heard.text))
            signal = Signal(
                SignalState(heard.state), message, Channel.EVENT_FILE, self._clock.now() - age, old=age > NEW
            )
            await self._nudge(replace(self._agent, hook_seq=seq), signal)
            if heard.at >= self._told_at:
                self.hearing.wants(message if signal.state is SignalState.NEEDS_INPUT else None)

    # --- lost and found

    async def _reach(self, standing: Standing) -> None:
        if standing.state is AgentState.DEAD:
            await self._change(lost(self._agent, standing.evidence, True, self._moment))
        else:
            await self._change(found(self._agent, standing.evidence, self._moment))

    async def lose(self, reason: str, ended: bool = False) -> None:
        """Its pane cannot be reached; or its program `ended`."""
        async with self.alone():
            await self._change(lost(self._agent, reason, ended, self._moment))

    async def recognise(self, kind: str, version: str) -> None:
        """It is known now what it is."""
        async with self.alone():
            await self._change(Change(replace(self._agent, kind=kind, version=version), self._last))

    async def recorded(self, name: str, event: Event) -> None:
        """Its output goes into this recording from now on; empty: into none."""
        async with self.alone():
            await self._change(Change(replace(self._agent, recording=name), self._last, (event,)))

    # --- after a crash

    async def recover(self) -> None:
        """Remember the last words that went in, or may have, and what was heard without words."""
        turns = await self._store.turns(self._agent.id)
        self._doubtful = self._unworded = None
        if turns and turns[0].intent is Intent.COMPLETION and not turns[0].text:
            self._unworded = turns[0]
        since = takewhile(lambda turn: turn.actor is Actor.AGENT, turns)
        self._begun = next((turn for turn in since if turn.intent is Intent.PROGRESS), None)
        turn = next((turn for turn in turns if turn.delivery is not None), None)
        if turn is None or turn.delivery is None:
            return
        delivery = await self._store.delivery(turn.delivery)
        receipt = None if delivery is None else delivery.receipt
        if receipt is not None and receipt.verdict is Verdict.UNCONFIRMED:
            self._doubtful = turn, self._clock.now() - max(self._clock.wall() - turn.at, 0.0)
        self._delivery = delivery
        self._told_at = 0.0 if delivery is None else began_at(delivery)


def _by(heard: Heard) -> tuple[str, str]:
    return "hook", heard.evidence
