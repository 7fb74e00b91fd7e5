"""One agent: its record, and what was said to it and by it. The turn is stored first, the state changes second.

Each of the two is one transaction. Killed between them, `recover` finds a turn by which the state was not judged yet,
and judges it then: so nothing is lost, and nothing is said twice.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from paneward.core.agent import RESTING, SPOKEN, Actor, Agent, Intent, Said, Stage, Turn, next_stage, opens
from paneward.core.events import AgentFound, AgentLost, Event, StateChanged, TransitionRefused
from paneward.core.hearing import Hearing, Seen
from paneward.core.result import Menu, Rung, SendResult, Verdict
from paneward.core.standing import AgentState, Ending, Standing
from paneward.ports import Clock
from paneward.services.delivery import changed
from paneward.store import Delivery, Store

DOUBT: Final = 60.0  # seconds for which work that begins proves that an unconfirmed delivery went in
AT_ONCE: Final = 4  # things that one look can tell: an answer that went in after all, work, a question, an end
SAID: Final = {spoken: said for said, spoken in SPOKEN.items()}
RUNGS: Final = list(Rung)
log = logging.getLogger("paneward.agents")


class Turns:
    def __init__(self, store: Store, clock: Clock, agent: Agent) -> None:
        self._store = store
        self._clock = clock
        self._agent = agent
        self.speaking = asyncio.Lock()  # held from a turn to the state that it leads to
        self._delivery: Delivery | None = None  # the last that may have gone in: later evidence upgrades its receipt
        self._doubtful: tuple[Turn, float] | None = None  # an unconfirmed turn, and since when
        self.hearing = Hearing()

    @property
    def agent(self) -> Agent:
        return self._agent

    # --- what others say to it

    async def delivered(self, delivery: Delivery, text: str) -> Turn:
        """Words went in, or may have: store the turn, then change the state. Said twice, it counts once."""
        receipt, intent = delivery.receipt, Intent(delivery.intent)
        assert receipt is not None
        doubtful = receipt.verdict is Verdict.UNCONFIRMED
        async with self.speaking:
            said = SAID[Actor.USER, intent]
            turn = Turn(
                self._agent.id, Actor.USER, intent, text, "delivery", receipt.evidence, delivery=delivery.id,
                answers=self._agent.asked if said is Said.USER_ANSWER else None, unconfirmed=doubtful,
            )  # fmt: skip
            turn = await self._store.take_turn(turn, opens(self._agent.stage, said))
            if turn.id > self._agent.turn:
                # Of words that join the work, what the agent does next proves nothing.
                self._delivery = None if self._agent.stage is Stage.PROCESSING else delivery
                await self._take(turn, self._clock.now())
            return turn

    async def _take(self, turn: Turn, now: float) -> None:
        """Judge a stored turn; one that nothing confirms changes no state."""
        said = SAID[turn.actor, turn.intent]
        if turn.unconfirmed:
            self._doubtful = turn, now
            await self._save(replace(self._agent, turn=turn.id))
        else:
            await self._judge(said, turn, turn.source, turn.evidence)

    # --- what it says

    async def see(self, seen: Seen) -> None:
        """Take in a look at it."""
        async with self.speaking:
            await self._reach(seen.standing)
            self._agent = replace(self._agent, alive_at=self._clock.wall() - seen.quiet)
            self._settle(seen.now)
            for _ in range(AT_ONCE):
                said = self.hearing.hear(self._agent.stage, self._agent.question, seen)
                busy = seen.standing.state is AgentState.BUSY
                if said is not None or (busy and not self.hearing.typing):
                    await self._upgrade(Rung.ACCEPTED if busy else Rung.ACTED, seen.standing.evidence)
                if said is None:
                    return
                await self._heard(said, seen)

    def _settle(self, now: float) -> None:
        """What nothing has confirmed for so long stays in doubt."""
        if self._doubtful is not None and now - self._doubtful[1] >= DOUBT:
            self._doubtful = self._delivery = None

    async def _heard(self, said: Said, seen: Seen) -> None:
        if self._doubtful is not None:
            doubtful, self._doubtful = self._doubtful[0], None
            await self._judge(SAID[doubtful.actor, doubtful.intent], doubtful, *_told(seen.standing))
            return
        source, reason, others = _told(seen.standing)
        turn = await self._turn(said, seen, source, reason) if self._worth_a_turn(said) else None
        ending = "interrupted" if seen.standing.ending is Ending.INTERRUPTED else "done"
        await self._judge(said, turn, source, reason, others, ending)

    def _worth_a_turn(self, said: Said) -> bool:
        """Work on what it was told is none; work that nobody here had asked for begins a command."""
        return said is not Said.AGENT_PROGRESS or opens(self._agent.stage, said)

    async def _turn(self, said: Said, seen: Seen, source: str, reason: str) -> Turn:
        actor, intent = SPOKEN[said]
        asks = said is Said.AGENT_QUESTION
        turn = Turn(
            self._agent.id, actor, intent, seen.question.question if asks else "", source, reason,
            question=seen.question if asks else None,
            answers=self._agent.asked if said is Said.USER_ANSWER else None,
        )  # fmt: skip
        return await self._store.take_turn(turn, opens(self._agent.stage, said))

    async def _upgrade(self, rung: Rung, evidence: str) -> None:
        """Later evidence: what went in is worked on, or was acted on."""
        delivery, receipt = self._delivery, None if self._delivery is None else self._delivery.receipt
        if delivery is None or receipt is None or RUNGS.index(rung) <= RUNGS.index(receipt.rung):
            return
        better = replace(receipt, verdict=Verdict.CONFIRMED, rung=rung, evidence=evidence)
        await self._store.upgrade(delivery.id, better, changed(self._agent.id, delivery.id, better))
        self._delivery = None if rung is Rung.ACTED else replace(delivery, receipt=better)

    # --- the state

    async def _judge(
        self, said: Said, turn: Turn | None, source: str, reason: str, others: tuple[str, ...] = (), ending: str = ""
    ) -> None:
        agent = self._agent if turn is None else replace(self._agent, turn=turn.id)
        turn_id = None if turn is None else turn.id
        to = next_stage(agent.stage, said)
        if to is None:
            log.info("%s: %s has no way from %s", agent.id, said, agent.stage)
            await self._save(agent, TransitionRefused(agent.id, agent.stage, said, turn_id))
            return
        if said is Said.AGENT_COMPLETION:
            await self._store.close_command(agent.id, ending or "done")
        moved = to is not agent.stage
        fresh = replace(
            agent, stage=to, source=source, reason=reason,
            since=self._clock.wall() if moved or said is Said.AGENT_QUESTION else agent.since,
            question=_question(agent, said, to, turn), asked=_asked(agent, said, to, turn),
        )  # fmt: skip
        events = [StateChanged(agent.id, agent.stage, to, turn_id, source, reason, others)] if moved else []
        await self._save(fresh, *events)

    async def _save(self, agent: Agent, *events: Event) -> None:
        self._agent = await self._store.save(agent, *events)

    # --- lost and found

    async def _reach(self, standing: Standing) -> None:
        if standing.state is AgentState.DEAD:
            await self._lose(standing.evidence, ended=True)
        elif self._agent.gone:
            await self._save(replace(self._agent, gone=""), AgentFound(self._agent.id, standing.evidence))

    async def lose(self, reason: str, ended: bool = False) -> None:
        """Its pane cannot be reached; or its program `ended`, and with it what it worked on."""
        async with self.speaking:
            await self._lose(reason, ended)

    async def _lose(self, reason: str, ended: bool) -> None:
        """Said again, it tells nothing new; words that were going in when the program ended are lost with it."""
        agent, events = self._agent, list[Event]()
        if not agent.gone:
            agent = replace(agent, gone=reason)
            events.append(AgentLost(agent.id, reason))
        if ended and agent.stage not in RESTING:
            await self._store.close_command(agent.id, "lost")
            events.append(StateChanged(agent.id, agent.stage, Stage.IDLE, None, "process", reason))
            agent = replace(agent, stage=Stage.IDLE, since=self._clock.wall(), source="process", reason=reason)
            agent = replace(agent, question=None, asked=None)
        if events:
            await self._save(agent, *events)

    async def recognise(self, kind: str, version: str) -> None:
        """It is known now what it is."""
        async with self.speaking:
            await self._save(replace(self._agent, kind=kind, version=version))

    # --- after a crash

    async def recover(self, unturned: Sequence[tuple[Delivery, str]]) -> None:
        """Judge the turns that no state was judged by, and give deliveries without a turn theirs: each with what was
        said by it."""
        now = self._clock.now()
        async with self.speaking:
            recent = await self._store.turns(self._agent.id)
            for turn in reversed(recent):
                if turn.id > self._agent.turn:
                    await self._take(turn, now)
            await self._remember(next((turn for turn in recent if turn.delivery is not None), None), now)
        for delivery, text in unturned:
            await self.delivered(delivery, text)

    async def _remember(self, turn: Turn | None, now: float) -> None:
        """The last words that went in, or may have."""
        if turn is None or turn.delivery is None:
            return
        delivery = await self._store.delivery(turn.delivery)
        receipt = None if delivery is None else delivery.receipt
        if receipt is not None and receipt.verdict is Verdict.UNCONFIRMED:
            self._doubtful = turn, now - max(self._clock.wall() - turn.at, 0.0)
        self._delivery = delivery


def _told(standing: Standing) -> tuple[str, str, tuple[str, ...]]:
    """Who decided, by what, and what the others said."""
    others = [claim for claim in standing.claims if claim.source is not standing.source]
    losers = tuple(f"{one.source}: {one.state} ({one.evidence})" for one in others if one.state is not standing.state)
    return standing.source, standing.evidence, losers


def _question(agent: Agent, said: Said, to: Stage, turn: Turn | None) -> Menu | None:
    if to is not Stage.AWAITING_INPUT:
        return None
    return turn.question if said is Said.AGENT_QUESTION and turn is not None else agent.question


def _asked(agent: Agent, said: Said, to: Stage, turn: Turn | None) -> int | None:
    if to is not Stage.AWAITING_INPUT:
        return None
    return turn.id if said is Said.AGENT_QUESTION and turn is not None else agent.asked


def went_in(receipt: SendResult) -> bool:
    """Whether a turn belongs to it."""
    return receipt.verdict is not Verdict.FAILED
