"""Runs flows on a real pane: performs each effect, and looks.

Output wakes it; nothing is polled where output tells. Under a flood it looks less and less often, so that one
noisy pane costs little.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from paneward.core.agent.addressee import Mismatch
from paneward.core.delivery.preflight import closed
from paneward.core.errors import PaneNotFound, TmuxError
from paneward.core.terminal.echo import drawn
from paneward.core.terminal.flow import (
    Effect,
    Flow,
    Keep,
    LeaveMode,
    Look,
    Paste,
    Phase,
    Post,
    Press,
    Rest,
    SavePhase,
    Type,
    Watch,
)
from paneward.core.terminal.scene import ProcessFacts, Scene
from paneward.ports import Clock, Tmux
from paneward.ports import OutputWatch as PaneWatch

T = TypeVar("T")
PANE_ID = re.compile(r"%\d+")
FIRST_GAP = 0.001  # seconds between later looks that output asks for; doubled while it keeps coming, up to
LONGEST_GAP = 0.05
CHANCES = 3
STILL = 0.02  # seconds without output after which what was seen last is all that was drawn
FRESH = 0.002  # seconds for which a look answers another one, unless something happened since


async def pane_of(tmux: Tmux, target: str) -> str:
    """The pane id of a target. An id is taken as it is: whether that pane is there, the first look tells."""
    return target if PANE_ID.fullmatch(target) else await tmux.resolve(target)


async def _nothing(_: Phase) -> None:
    return None


class Driver:
    """One pane and its watch; keeps the last scene."""

    def __init__(
        self,
        pane: str,
        tmux: Tmux,
        clock: Clock,
        watch: PaneWatch,
    ) -> None:
        self._pane = pane
        self._tmux = tmux
        self._clock = clock
        self._watch = watch
        self._mark: Callable[[Phase], Awaitable[None]] = _nothing
        self._post: Callable[[str], Awaitable[None]] | None = None
        self._mismatch: Mismatch | None = None
        self._joined_at = clock.now()
        self._scene = Scene(watch.snapshot, now=self._joined_at, output_seq=watch.output_seq)
        self._gap = 0.0
        self._acted = False
        self._exact = False  # the last scene shows what was printed up to its place in the output, and nothing else

    @property
    def scene(self) -> Scene:
        """The last look."""
        return self._scene

    @property
    def watch(self) -> PaneWatch:
        return self._watch

    def on_mark(self, mark: Callable[[Phase], Awaitable[None]]) -> None:
        """Call `mark`, and wait for it, whenever a flow says how far it has come."""
        self._mark = mark

    def on_post(self, post: Callable[[str], Awaitable[None]]) -> None:
        """Give texts that a flow posts to `post`."""
        self._post = post

    def on_act(self, mismatch: Mismatch) -> None:
        """Before anything is typed, ask whether it would go to another program than the one that is meant."""
        self._mismatch = mismatch

    async def run(self, flow: Flow[T]) -> T:
        try:
            effect = next(flow)
            while True:
                try:
                    scene = await self._perform(effect)
                except TmuxError as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(scene)
        except StopIteration as done:
            result: T = done.value
            return result

    async def _perform(self, effect: Effect) -> Scene:
        match effect:
            case Look(process):
                return self._scene if self._still_true() else await self.look(process)
            case Watch(at_most, process):
                return await self._watch_and_look(at_most, process)
            case Rest(seconds):
                await self._clock.sleep(seconds)
                return await self.look()
            case SavePhase(phase):
                await self._mark(phase)
            case _:
                await self._check_addressee()
                self._gap, self._acted = 0.0, True
                await self._act(effect)
        return self._scene

    async def _check_addressee(self) -> None:
        """The foreground can have changed since the last look. For a moment between two programs it is nobody's."""
        if self._mismatch is None:
            return
        facts = await self._tmux.process(self._scene.snapshot)
        for _ in range(CHANCES):
            if facts is None or facts.argv:
                break
            await self._clock.sleep(LONGEST_GAP)
            facts = await self._tmux.process(self._scene.snapshot)
        seen = facts is not None and bool(facts.argv)
        scene = replace(self._scene, process=facts) if seen else await self.look()
        if error := self._mismatch(scene):
            raise error

    def _still_true(self) -> bool:
        """Nothing was done or printed since the last look, and that was a moment ago."""
        scene = self._scene
        recent = scene.process is not None and self._clock.now() - scene.now < FRESH
        return recent and not self._acted and self._watch.output_seq == scene.output_seq

    async def _act(self, effect: Effect) -> None:
        if isinstance(effect, Type | Paste | Press) and (refusal := closed(self._scene.snapshot)):
            raise TmuxError(refusal.evidence, code=refusal.code, hint=refusal.hint)
        match effect:
            case Type(text, seen):
                await self._tmux.type(self._pane, text, seen)
            case Paste(text, seen):
                await self._tmux.paste(self._pane, text, seen)
            case Press(keys):
                await self._tmux.press(self._pane, *keys)
            case Post(text):
                assert self._post is not None
                await self._post(text)
            case LeaveMode():
                await self._tmux.leave_mode(self._pane)
            case Keep(draft):
                await self._keep(draft)

    async def _keep(self, draft: str | None) -> None:
        name = f"paneward-draft-{self._pane.lstrip('%')}"
        if draft is None:
            await self._tmux.run("delete-buffer", "-b", name)
        else:
            await self._tmux.run("set-buffer", "-b", name, "--", draft)

    async def _watch_and_look(self, at_most: float, process: bool) -> Scene:
        until = self._clock.now() + at_most
        if not await self._watch.wait(self._scene.output_seq, max(at_most, 0.0)):
            self._gap = 0.0
            return await self.look(process)
        await self._space_out(until)
        if not process and (echoed := self._echoed()) is not None:
            return echoed
        return await self.look(process, chances=CHANCES)

    def _echoed(self) -> Scene | None:
        """The scene that simple output made of the last one: what was typed is mostly echoed, and need not be asked
        for."""
        scene, seq = self._scene, self._watch.output_seq
        output = self._watch.recent(scene.output_seq) if self._exact else None
        snapshot = drawn(scene.snapshot, output) if output and not self._watch.gone else None
        if snapshot is None:
            return None
        self._acted, now = False, self._clock.now()
        self._scene = replace(scene, snapshot=snapshot, now=now, output_seq=seq, quiet=self._quiet(now))
        return self._scene

    async def _space_out(self, until: float) -> None:
        now = self._clock.now()
        pause = min(self._scene.now + self._gap - now, until - now)
        if pause > 0:
            await self._clock.sleep(pause)
        self._gap = min(max(self._gap * 2, FIRST_GAP), LONGEST_GAP)

    async def look(self, process: bool = True, chances: int = 1) -> Scene:
        """Look now, and keep the scene.

        The process comes first: what a program drew before it began to read must be on the screen that shows it
        reading. The other way round, an old screen would meet a new state.
        """
        self._acted = self._exact = False
        seq = self._watch.output_seq  # read before the screen: output that comes meanwhile counts as not yet seen
        facts = self._scene.process
        try:
            if process and not self._scene.snapshot.dead:
                facts = await self._process(chances)
            snapshot = await self._tmux.look(self._pane)
        except PaneNotFound:
            self._scene = replace(self._scene, gone=True, now=self._clock.now())
            return self._scene
        if self._scene.snapshot.dead and not snapshot.dead:  # it was started again: first its process, then its screen
            self._scene = Scene(snapshot, now=self._clock.now(), output_seq=seq)
            return await self.look(process, chances)
        now = self._clock.now()
        self._scene = Scene(snapshot, None if snapshot.dead else facts, now, seq, self._quiet(now))
        self._watch.saw(snapshot, seq)
        return self._scene

    async def glance(self) -> Scene:
        """The pane as it was seen last, if it has been still since; else a look. To type on it takes the guard of
        `seen`: what tmux has not told yet would be missed here. What refuses a pane changes untold, so it is asked for
        anew."""
        seq, snapshot = self._watch.output_seq, self._watch.unmoved()
        now = self._clock.now()
        if snapshot is None or self._quiet(now) < STILL or closed(snapshot) or snapshot.dead or snapshot.in_mode:
            return await self._look_exactly()
        facts = await self._tmux.process(snapshot)
        if facts is None:  # its process is gone, or cannot be seen
            return await self._look_exactly()
        self._scene = Scene(snapshot, facts, now, seq, self._quiet(now))
        self._exact = True
        return self._scene

    async def _look_exactly(self) -> Scene:
        """Look now, and know which output the screen shows."""
        facts = None if self._scene.snapshot.dead else await self._process(chances=1)
        seen = await self._watch.see()
        if seen is None or seen[0].dead:
            return await self.look()
        now = self._clock.now()
        self._scene = Scene(seen[0], facts, now, seen[1], self._quiet(now))
        self._watch.saw(*seen)
        self._acted, self._exact = False, True
        return self._scene

    async def _process(self, chances: int) -> ProcessFacts | None:
        """A program that just printed its prompt begins to read a moment later: it is given a few of them."""
        facts = await self._tmux.process(self._scene.snapshot)
        while chances > 1 and facts is not None and facts.reading is False:
            chances -= 1
            await self._clock.sleep(0)
            facts = await self._tmux.process(self._scene.snapshot)
        return facts

    def _quiet(self, now: float) -> float:
        last = self._watch.last_output_at
        return now - (self._joined_at if last is None else last)
