"""Hooks and signals on their way to their agents.

Whatever makes a turn or a signal is in the log first, in the transaction that marks it as taken (`Listening`). The ear
of its agent hears it then; after a crash it is told again what it had heard and not judged yet (`Ear.recall`). What
only tells of a moment goes to the arbiter and is not kept.
"""

import logging
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from paneward.core.agent.events import HookHeard, Stored
from paneward.core.agent.record import RESTING, Agent
from paneward.core.errors import StoreError
from paneward.core.state.hooks import (
    AGENTS,
    Conversation,
    Echoes,
    Heard,
    MalformedHook,
    What,
    lasting,
    read_line,
    read_spooled,
)
from paneward.ports import Clock, Spool, Spooled
from paneward.services.agents.follower import Follower
from paneward.services.agents.turns import Turns
from paneward.store import Store

RECALLED: Final = 200  # of the last hooks of an agent: what was heard, and what would only repeat it
HELD: Final = 1000  # that only tell of a moment, of an agent that nobody follows
AGAIN: Final = 1.0  # seconds until a store that could not be written is tried again
log = logging.getLogger("paneward.hooks")


class Ear:
    """What the hooks of one agent have told, until it was judged."""

    def __init__(self, store: Store, clock: Clock, turns: Turns, on_news: Callable[[], None] = lambda: None) -> None:
        self._store = store
        self._clock = clock
        self._turns = turns
        self._echoes = Echoes()
        self._conversation = Conversation(turns.agent.conversation)
        self._untold: deque[tuple[int, Heard]] = deque()  # to the arbiter
        self._lasting: deque[tuple[int, Heard]] = deque()  # to be made turns of, once the arbiter knows
        self._on_news = on_news

    def takes(self, heard: Heard) -> bool:
        """Whether it is the agent's own, and new."""
        agent = self._turns.agent
        if heard.agent and agent.kind in AGENTS and heard.agent != agent.kind:
            return False  # another agent, that this one runs as a tool
        if not self._conversation.own(heard, agent.stage in RESTING):
            return False
        return not lasting(heard) or self._echoes.fresh(heard)

    async def veiled(self, heard: Heard) -> Heard:
        """What it tells, without words that are a secret."""
        if heard.what is not What.PROMPT:
            return replace(heard, text=self._turns.veiled(heard.text))
        secret = await self._turns.secret_of(heard)
        return heard if secret is None else replace(heard, text="", delivery=secret)

    def hear(self, heard: Heard, seq: int = 0) -> None:
        if len(self._untold) >= HELD and not seq:
            return  # nobody follows the agent: what tells of a moment is worth nothing later
        self._untold.append((seq, heard))
        self._on_news()

    async def recall(self) -> None:
        """After a start: what was heard, and not judged."""
        events = await self._store.events(
            kinds=(HookHeard.kind,), agent_id=self._turns.agent.id, before=self._store.last_seq + 1, limit=RECALLED
        )
        for event in events:
            heard = heard_of(event)
            if heard is None:
                continue
            self._echoes.fresh(heard)
            if event.seq > self._turns.agent.hook_seq:
                self._lasting.append((event.seq, heard))

    def tell(self, follower: Follower) -> bool:
        """Tell the arbiter; whether there was anything to tell."""
        told = bool(self._untold)
        while self._untold:
            seq, heard = self._untold.popleft()
            follower.tell(heard, max(self._clock.wall() - heard.at, 0.0))
            if seq:
                self._lasting.append((seq, heard))
        return told

    async def settle(self) -> None:
        """Make turns of it. While our own words go in, it waits: they may be what is told of."""
        while self._lasting and not self._turns.hearing.typing:
            seq, heard = self._lasting[0]
            if heard.what is What.PROMPT:
                await self._turns.prompted(heard, seq)
            elif heard.what is What.STOP:
                await self._turns.stopped(heard, seq)
            else:
                await self._turns.said(heard, seq)
            self._lasting.popleft()


def event_of(agent: Agent, heard: Heard) -> HookHeard:
    return HookHeard(
        agent.id, heard.what, heard.hook, heard.session, heard.turn, heard.text, heard.state, heard.at, heard.delivery
    )


def heard_of(event: Stored) -> Heard | None:
    data = event.data
    if "what" not in data:
        return None  # it was purged
    return Heard(
        What(data["what"]), "", data["ran_at"], hook=data["hook"], session=data["session"], turn=data["prompt_id"],
        text=data["text"], state=data["signal"], delivery=data["delivery"],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class TakenHook:
    """One thing that was taken, and to whom it was told."""

    spooled: Spooled
    heard: Heard | None = None
    ear: Ear | None = None
    event: HookHeard | None = None


class Listening:
    """Takes what lies in the spool, each once."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        spool: Spool,
        find: Callable[[Heard, str | None], tuple[Agent, Ear] | None],
        on_transcript: Callable[[str, str], None] = lambda agent_id, path: None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._spool = spool
        self._find = find
        self._on_transcript = on_transcript  # told whose transcript is where
        self._done: list[str] = []  # names whose marks are needed no longer
        self.counts: Counter[str] = Counter()  # by what was heard; and `malformed`, `echo`, `nobody`

    async def run(self) -> None:
        while True:
            try:
                async for found in self._spool.run(await self._store.marks()):
                    await self.take(found)
            except (OSError, StoreError) as error:
                log.warning("hooks cannot be listened to: %s", error)
            except Exception:
                log.exception("listening to hooks failed")
            await self._clock.sleep(AGAIN)

    async def take(self, found: Sequence[Spooled]) -> None:
        told = [await self._told(one) for one in found]
        events = [one.event for one in told if one.event is not None]
        lines = {one.spooled.name: one.spooled.mark for one in told if one.spooled.agent is not None}
        files = {one.spooled.name: one.spooled.mark for one in told if one.event is not None}
        stored: list[Stored] = []
        if events or lines:
            marks = {**files, **lines}
            stored = list(await self._stored(marks, [name for name in self._done if name not in marks], *events))
            self._done = []
        for one in told:
            seq = stored.pop(0).seq if one.event is not None else 0
            if one.ear is not None and one.heard is not None:
                one.ear.hear(one.heard, seq)
            self._spool.taken(one.spooled)
        self._done += [name for name in files if name not in lines]

    async def hear(self, agent: Agent, ear: Ear, heard: Heard) -> bool:
        """A hook that did not lie in the spool; whether it is new. It is stored then."""
        judged = await self._judged(agent, ear, heard)
        if judged is None:
            return False
        heard, event = judged
        ear.hear(heard, 0 if event is None else (await self._stored({}, [], event))[0].seq)
        return True

    async def _stored(self, marks: dict[str, str], done: list[str], *events: HookHeard) -> tuple[Stored, ...]:
        """However long it takes: what was judged to be new would count as an echo the next time."""
        while True:
            try:
                return await self._store.take(marks, done, *events)
            except StoreError as error:
                log.warning("hooks are not stored yet: %s", error.message)
                await self._clock.sleep(AGAIN)

    async def _told(self, spooled: Spooled) -> TakenHook:
        if spooled.agent is not None and not spooled.data.strip():
            return TakenHook(spooled)
        try:
            read = read_spooled if spooled.agent is None else read_line
            heard = read(spooled.data, spooled.at)
        except MalformedHook as why:
            self._count("malformed")
            if self.counts["malformed"].bit_count() == 1:  # the 1st, 2nd, 4th, 8th, ...: a flood fills no log
                log.warning("%s: %s (%d of that kind)", spooled.name, why, self.counts["malformed"])
            return TakenHook(spooled)
        found = self._find(heard, spooled.agent)
        if found is None:
            self._count("nobody")
            return TakenHook(spooled)
        agent, ear = found
        judged = await self._judged(agent, ear, heard)
        return TakenHook(spooled) if judged is None else TakenHook(spooled, judged[0], ear, judged[1])

    async def _judged(self, agent: Agent, ear: Ear, heard: Heard) -> tuple[Heard, HookHeard | None] | None:
        """What is told of it, and what is written down; None where it is not the agent's own, or not new."""
        if not ear.takes(heard):
            self._count("echo")
            return None
        self._count(heard.what)
        if heard.transcript:
            self._on_transcript(agent.id, heard.transcript)
        if not lasting(heard):
            return heard, None
        heard = await ear.veiled(heard)
        return heard, event_of(agent, heard)

    def _count(self, what: str) -> None:
        self.counts[what] += 1
