"""Follows what an agent does: output wakes it, words in the stream are heard at once, looks are spaced out.

Nothing is polled: a look is taken when something was printed, or when the machine says that one is due. Under a flood
looks come ever less often, and so they do where only what was painted before is painted again, but every word of the
stream is still heard when it comes. What is heard is judged at once, and wakes nobody unless it matters: an agent that
turns its wheel all day costs next to nothing.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Protocol

from paneward.core.profiles import Profile
from paneward.core.state.arbiter import StateMachine
from paneward.core.state.claims import Standing
from paneward.core.state.hooks import Heard
from paneward.core.terminal.novelty import Novelty
from paneward.core.terminal.osc import TITLES, OscReader
from paneward.core.terminal.scene import Scene
from paneward.ports import Clock
from paneward.services.delivery.driver import FIRST_GAP, LONGEST_GAP, Driver

FOREVER = 3600.0  # seconds without anything to do
DULL = 0.25  # seconds between looks at a screen on which nothing new is painted: a clock, a wheel
DULLEST = 4.0  # the same, of one that has been so for long; when the painting stops, the shorter time counts again
LONG = 12  # looks in a row that told nothing; from there on the time doubles with each


class Ears(Protocol):
    """Who else is told what is heard and seen."""

    def hear(self, data: bytes | None) -> None: ...  # None: some was lost
    def unheard(self) -> None: ...  # nothing will be heard here: only looks tell
    def see(self, scene: Scene, profile: Profile) -> None: ...


class Follower:
    """One pane, its watch, and the machine that says where its agent stands."""

    def __init__(self, driver: Driver, clock: Clock, choose: Callable[[Scene], Profile]) -> None:
        self._driver = driver
        self._watch = watch = driver.watch
        self._clock = clock
        self._choose = choose
        self._profile: Profile | None = None
        self._machine = StateMachine()
        self._reader = OscReader()
        self._heard = watch.output_seq
        self._listens = False  # from the first step on
        self._streams = False  # there is something to be heard
        self._title_heard = False
        self._gap = 0.0
        self._novelty = Novelty()
        self._novel = True  # something was painted since the last look that was not painted before
        self._dull = 0  # looks in a row that told nothing
        self._stood = self._machine.standing  # while that was painted
        self._over = False
        self._told: Standing | None = None
        self._ears: Ears | None = None

    def listen(self, ears: Ears) -> None:
        """Tell somebody else too, from here on."""
        self._ears = ears
        if not self._watch.listen(ears.hear):
            ears.unheard()

    def leave(self) -> None:
        """Hear no more, and tell nobody."""
        self._watch.leave(self._hear)
        if self._ears is not None:
            self._watch.leave(self._ears.hear)
            self._ears = None

    @property
    def standing(self) -> Standing:
        """Where the agent stands now."""
        return self._machine.standing

    @property
    def profile(self) -> Profile:
        assert self._profile is not None
        return self._profile

    @property
    def scene(self) -> Scene:
        """The last look."""
        return self._driver.scene

    @property
    def current(self) -> bool:
        """Nothing was printed since the last look."""
        watch = self._watch
        return self._driver.scene.output_seq == watch.output_seq and not watch.gone and not watch.flooding

    @property
    def flooding(self) -> bool:
        """It prints too much to be heard: only looks tell."""
        return self._watch.flooding

    @property
    def over(self) -> bool:
        """The pane is gone, or its program ended: nothing will change any more."""
        return self._over

    def take(self) -> Standing:
        """Where the agent stands, for a caller that steps on its own: what comes after this is news."""
        self._told = self.standing
        return self.standing

    def tell(self, heard: Heard, age: float) -> None:
        """A hook of the agent, which ran `age` seconds ago."""
        self._machine.tell(heard, age, self._clock.now())

    def __aiter__(self) -> AsyncIterator[Standing]:
        return self.changes()

    async def look(self) -> Standing:
        """Look now."""
        scene = await self._driver.look()
        if self._watch.gone and not scene.snapshot.dead:  # the watch hears of it before tmux can tell how
            scene = replace(scene, gone=True)
        self._profile = self._chosen(scene)
        self._over = scene.gone or scene.snapshot.dead
        before, dull = self.standing, not self._novel
        self._novel = False
        standing = self._machine.see(scene, self._profile, self._title_heard)
        self._dull = self._dull + 1 if dull and not _differ(standing, before) else 0
        self._title_heard = True  # from here on the stream tells every title
        if self._ears is not None:
            self._ears.see(scene, self._profile)
        return standing

    async def once(self) -> Standing:
        """Where the agent stands, by all that is known at this moment."""
        self._remember()
        return await self.look()

    async def changes(self) -> AsyncIterator[Standing]:
        """Where the agent stands, and each change of it, until it is dead."""
        if self._told is None:
            await self.once()
        while True:
            if self._news():
                yield self.take()
            if self._over:
                return
            await self.step()

    async def step(self) -> None:
        """Wait for the next thing that can tell something, and take it in."""
        self._listen_on()
        seen = self._driver.scene.output_seq
        if self._watch.output_seq <= seen and not self._watch.gone:
            due = self._machine.deadline()
            patience = FOREVER if due is None else max(due - self._clock.now(), 0.0)
            if not await self._watch.wait(seen, patience):
                await self.look()
                return
        if not self._streams:
            self._hear(None)
        if self._news():
            return  # a word of the stream is told before the next look
        await self._space_out()
        await self.look()

    def _remember(self) -> None:
        """What the program said of itself since its output is watched, if all of that is still held."""
        self._heard = self._watch.output_seq
        for osc in self._reader.feed(self._watch.recent(0) or b""):
            if osc.code not in TITLES:
                self._machine.hear(osc, self._clock.now())

    def _listen_on(self) -> None:
        """Hear what was printed since, and from here on each piece when it comes."""
        if not self._listens:
            self._listens, self._streams = True, self._watch.listen(self._hear)
            self._hear(self._watch.recent(self._heard))

    def _hear(self, data: bytes | None) -> None:
        """Output, the moment it comes; None: some was lost."""
        if data is None:  # the next look has to tell the title too
            self._reader.gap()
            self._machine.gap()
            self._title_heard, self._novel = False, True
            return
        if _differ(self._machine.standing, self._stood):  # by whatever source: what it paints from here on is new
            self._stood = self._machine.standing
            self._novelty.forget()
        self._novel = self._novelty.feed(data) or self._novel
        for osc in self._reader.feed(data):
            self._machine.hear(osc, self._clock.now())

    async def _space_out(self) -> None:
        """Under a flood, or a wheel that turns, look less and less often, and go on hearing."""
        if self._clock.now() - self._driver.scene.now > LONGEST_GAP:
            self._gap = 0.0  # no flood
        while (left := self._due() - self._clock.now()) > 0 and not self._watch.gone:
            await self._watch.wait(self._driver.scene.output_seq, left, self._stirs(self._novel))
            if self._news():
                return
        self._gap = min(max(self._gap * 2, FIRST_GAP), LONGEST_GAP)

    def _stirs(self, novel: bool) -> Callable[[], bool]:
        """Whether what was heard changes when to look."""
        return lambda: self._novel is not novel or self._news()

    def _due(self) -> float:
        """When to look at what was painted."""
        last = self._driver.scene.now
        soon = last + self._gap
        if self._novel:
            return soon
        between = min(DULL * 2.0 ** max(min(self._dull, 2 * LONG) - LONG, 0), DULLEST)
        rarely = min(last + between, (self._watch.last_output_at or last) + DULL)
        due = self._machine.deadline(moving=True)
        return rarely if due is None else min(max(due, soon), rarely)

    def _news(self) -> bool:
        """Something changed since the last time that this was asked."""
        return self._told is None or _differ(self._machine.standing, self._told)

    def _chosen(self, scene: Scene) -> Profile:
        """The profile of what runs in the pane. That a known program cannot be told for a moment changes nothing."""
        chosen = self._choose(scene)
        unknown = chosen.name == "generic" and not scene.gone
        return self._profile if unknown and self._profile is not None else chosen


def _differ(one: Standing, other: Standing) -> bool:
    """Asked with each piece of output, mostly of one and the same."""
    return one is not other and _essence(one) != _essence(other)


def _essence(standing: Standing) -> tuple[str, ...]:
    return standing.state, standing.activity, standing.ending, standing.kind, standing.question
