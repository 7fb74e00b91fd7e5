"""What tests need: scenes from drawn text, a player for the dialogue of a flow, and a tmux that is not there.

    asked, result = play(deliver(order), [scene("> ‸"), scene("> fix it‸"), scene("> ‸")])

`‸` marks the cursor. Acts are answered with the last scene, looks with the next one; the last scene repeats.
`FakeTmux` has one pane with a well-behaved box in it; its time is a `FakeClock`, which passes only when waited for.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

from paneward.core.errors import PaneDead, PaneMoved, PaneNotFound
from paneward.core.terminal.flow import Effect, Flow, Look, Paste, Rest, SavePhase, Type, Watch
from paneward.core.terminal.scene import ProcessFacts, Scene, Snapshot
from paneward.ports import PaneInfo, always

T = TypeVar("T")
CURSOR = "‸"
EPOCH = 1_700_000_000.0  # what the clock on the wall shows when a fake one begins
TICK = 0.05  # seconds that pass with each look, where an effect does not say

READING = ProcessFacts(command="box", argv="box", pid=7, reading=True, canonical=False, echo=False, unread=0)
WORKING = replace(READING, reading=False)
LINES = replace(READING, canonical=True, echo=True)
SHELL = ProcessFacts("bash", "-bash", 5, shell=True, reading=True, canonical=False, echo=False, unread=0)


def snapshot(drawing: str, width: int = 80, height: int = 24, **facts: Any) -> Snapshot:
    """A snapshot from a drawing whose cursor is marked."""
    rows = drawing.split("\n")
    at = next((y for y, row in enumerate(rows) if CURSOR in row), 0)
    x = rows[at].find(CURSOR) if CURSOR in rows[at] else 0
    clean = tuple(row.replace(CURSOR, "") for row in rows)
    plain = Snapshot(pane="%1", rows=clean, width=width, height=height, cursor_x=x, cursor_y=at)
    return replace(plain, **facts)


def scene(
    drawing: str, process: ProcessFacts | None = READING, quiet: float = 0.5, gone: bool = False, **facts: Any
) -> Scene:
    return Scene(snapshot(drawing, **facts), process, quiet=quiet, gone=gone)


class Endless(AssertionError):
    """A flow that asks on and on."""


def play(flow: Flow[T], scenes: Sequence[Scene], limit: int = 2000, stirs: int = 0) -> tuple[list[Effect], T]:
    """Run a flow on these scenes; what it asked for, and what it answered. The screen moves right before the first
    `stirs` times that it types."""
    asked: list[Effect] = []
    now, rest = 0.0, list(scenes)
    last = rest.pop(0)
    try:
        effect = next(flow)
        for _ in range(limit):
            asked.append(effect)
            if stirs and isinstance(effect, Type | Paste) and effect.seen is not None:
                stirs -= 1
                effect = flow.throw(PaneMoved("it moved"))
                continue
            if isinstance(effect, Look | Watch | Rest):
                now += _passing(effect)
                if len(asked) > 1 and rest:
                    last = rest.pop(0)
            effect = flow.send(replace(last, now=now, output_seq=len(scenes) - len(rest)))
    except StopIteration as done:
        result: T = done.value
        return asked, result
    raise Endless(f"still asking after {limit} effects: {asked[-3:]}")


def _passing(effect: Look | Watch | Rest) -> float:
    match effect:
        case Watch(at_most):
            return min(at_most, TICK)
        case Rest(seconds):
            return seconds
    return 0.0


def acts(asked: Iterable[Effect]) -> list[Effect]:
    """What a flow did, without its looks and marks."""
    return [effect for effect in asked if not isinstance(effect, Look | Watch | Rest | SavePhase)]


class FakeClock:
    """Time that passes when somebody sleeps."""

    def __init__(self, now: float = 1000.0) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    def wall(self) -> float:
        return EPOCH + self._now

    async def sleep(self, seconds: float) -> None:
        self._now += seconds


class FakeTmux:
    """A server with one pane, `%1`: a box behind `> ` that takes text and submits it at Enter."""

    def __init__(self, clock: FakeClock) -> None:
        self.text = ""
        self.submitted: list[str] = []
        self.swallows = 0  # how many Enters are lost
        self.gone = self.dead = self.in_mode = False
        self.asked: list[tuple[str, ...]] = []
        self.looks = 0
        self.facts: ProcessFacts | None = READING
        self.clock = clock
        self.output_seq = 0
        self.heard: list[tuple[int, bytes]] = []  # where each output began
        self.last_output_at: float | None = None
        self.ears: list[Callable[[bytes | None], None]] = []
        self.flooding = False

    def put(self, text: str, printed: bytes = b"") -> None:
        """Draw: the box holds `text`. Unless it is told what was `printed` for that, the watch has lost it."""
        self.text = text
        self.heard.append((self.output_seq, printed))
        self.output_seq += len(printed) or 1
        self.last_output_at = self.clock.now()
        for ear in self.ears:
            ear(printed or None)

    def _take(self, pane: str, *words: str) -> None:
        self.asked.append(words)
        if self.gone or pane != "%1":
            raise PaneNotFound(f"can't find pane: {pane}")
        if self.dead:
            raise PaneDead(f"{pane} is dead")

    # --- the `Tmux` port

    async def resolve(self, target: str) -> str:
        if target != "%1" or self.gone:
            raise PaneNotFound(f"no pane is called {target!r}")
        return target

    async def panes(self) -> Sequence[PaneInfo]:
        return [PaneInfo("%1", "s:0.0", "box", "s", "box", 7, self.dead, 80, 24, "", "/")]

    async def look(self, pane: str, history: int = 0) -> Snapshot:
        self.looks += 1
        if self.gone or pane != "%1":
            raise PaneNotFound(f"can't find pane: {pane}")
        said = [f"you: {text}" for text in self.submitted]
        return snapshot("\n".join([*said, f"> {self.text}{CURSOR}"]), dead=self.dead, in_mode=self.in_mode, pid=7)

    async def process(self, snapshot: Snapshot) -> ProcessFacts | None:
        return self.facts

    async def type(self, pane: str, text: str, seen: Snapshot | None = None) -> None:
        self._take(pane, "type", text)
        self.put(self.text + text)

    async def paste(self, pane: str, text: str, seen: Snapshot | None = None) -> None:
        self._take(pane, "paste", text)
        self.put(self.text + text)

    async def press(self, pane: str, *keys: str) -> None:
        self._take(pane, "press", *keys)
        for key in keys:
            if key not in ("Enter", "CR"):
                continue
            if self.swallows:
                self.swallows -= 1
                continue
            self.submitted.append(self.text)
            self.put("")

    async def leave_mode(self, pane: str) -> None:
        self._take(pane, "leave_mode")
        self.in_mode = False

    async def run(self, *command: str) -> list[str]:
        self.asked.append(command)
        return []

    async def identity(self) -> str:
        return "local:/tmp/fake"

    async def close(self) -> None:
        return None

    @asynccontextmanager
    async def watch(self, pane: str, sized: bool = False) -> AsyncIterator["FakeWatch"]:
        yield FakeWatch(self, await self.look(pane))


class FakeWatch:
    """The output of the one pane."""

    def __init__(self, tmux: FakeTmux, snapshot: Snapshot) -> None:
        self._tmux = tmux
        self.snapshot = snapshot
        self._saw = snapshot, -1

    @property
    def output_seq(self) -> int:
        return self._tmux.output_seq

    @property
    def last_output_at(self) -> float | None:
        return self._tmux.last_output_at

    @property
    def flooding(self) -> bool:
        return self._tmux.flooding

    @property
    def gone(self) -> bool:
        return self._tmux.gone or self._tmux.dead

    async def see(self) -> tuple[Snapshot, int] | None:
        return (await self._tmux.look(self.snapshot.pane), self.output_seq) if not self.gone else None

    def saw(self, snapshot: Snapshot, seq: int) -> None:
        self._saw = snapshot, seq

    def unmoved(self) -> Snapshot | None:
        return self._saw[0] if self._saw[1] == self.output_seq and not self.gone else None

    async def wait(self, after: int, timeout: float, matters: Callable[[], bool] = always) -> bool:
        if (self.output_seq > after and matters()) or self.gone:
            return True
        await self._tmux.clock.sleep(timeout)
        return False

    async def chunks(self) -> AsyncIterator[bytes | None]:
        yield None

    async def renew(self) -> None:
        self._tmux.put(self._tmux.text)

    def listen(self, ear: Callable[[bytes | None], None]) -> bool:
        self._tmux.ears.append(ear)
        return True

    def leave(self, ear: Callable[[bytes | None], None]) -> None:
        if ear in self._tmux.ears:
            self._tmux.ears.remove(ear)

    def recent(self, after: int) -> bytes | None:
        since = [printed for seq, printed in self._tmux.heard if seq >= after]
        return b"".join(since) if all(since) else None
