"""The outside, as the rest of Paneward sees it: Protocols only."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from paneward.core.recording.recorder import KeptRecording
    from paneward.core.terminal.scene import ProcessFacts, Scene, Snapshot
    from paneward.core.usage import Account


class Clock(Protocol):
    def now(self) -> float: ...  # monotonic seconds
    def wall(self) -> float: ...  # seconds since the epoch
    async def sleep(self, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class PaneInfo:
    """One row of `paneward panes`."""

    pane: str  # "%3"
    target: str  # "session:window.pane"
    window_name: str
    session: str
    command: str
    pid: int
    dead: bool
    width: int
    height: int
    title: str
    cwd: str


def always() -> bool:
    return True


class OutputWatch(Protocol):
    """The output of one pane from the moment of joining on. Nothing polls what can be pushed."""

    @property
    def snapshot(self) -> Snapshot: ...  # the screen at the moment of joining, to which the stream is gapless

    @property
    def output_seq(self) -> int: ...  # bytes of output since joining

    @property
    def last_output_at(self) -> float | None: ...  # clock time of the last output; of a flood, now

    @property
    def flooding(self) -> bool: ...  # it prints too much to be read: gaps, each with a snapshot, are all that comes

    @property
    def gone(self) -> bool: ...  # the pane closed, or its program died

    async def see(self) -> tuple[Snapshot, int] | None:
        """A look, and exactly the output that it shows; None where that cannot be had."""
        ...

    def saw(self, snapshot: Snapshot, seq: int) -> None: ...  # somebody looked; `seq` is the output before the look

    def unmoved(self) -> Snapshot | None:
        """What was seen last, if the pane is known to be still the same; None where that is not known."""
        ...

    async def wait(self, after: int, timeout: float, matters: Callable[[], bool] = always) -> bool:
        """Return True as soon as `output_seq > after` and that `matters`, or the pane is gone; False when `timeout`
        seconds passed. Who listens is told of the output before `matters` is asked."""
        ...

    def chunks(self) -> AsyncIterator[bytes | Snapshot | None]:
        """The raw output from joining on; None marks a gap (flood or reconnect), after which `snapshot` is new. A
        snapshot is what the screen shows at that place: one was asked for, or the pane has another size."""
        ...

    async def renew(self) -> None:
        """Have `chunks` tell a new snapshot, at its place in the output."""
        ...

    def listen(self, ear: Callable[[bytes | None], None]) -> bool:
        """Call `ear` with each piece of output the moment it comes, with None for a gap. False: there is no stream."""
        ...

    def leave(self, ear: Callable[[bytes | None], None]) -> None: ...  # `ear` is called no longer

    def recent(self, after: int) -> bytes | None:
        """Raw output after `output_seq` `after`; None when it is no longer held."""
        ...


class Tape(Protocol):
    """A part of a recording that is being written."""

    async def write(self, data: bytes) -> None: ...  # whole lines; `OSError` where the disk takes no more
    def close(self) -> None: ...  # behind all that was asked for


class Casts(Protocol):
    """The files of recordings."""

    async def fresh_name(self, agent_id: str, wall: float) -> str: ...  # of a recording that begins now
    async def open(self, agent_id: str, recording: str) -> tuple[Tape, int]: ...  # its next part, and which it is
    async def kept(self, agent_id: str | None = None) -> list[KeptRecording]: ...  # of one agent, or all
    async def remove(self, agent_id: str, recording: str | None = None) -> None: ...  # one, or all of an agent


class Api(Protocol):
    """A program's own way to be given a text, beside its terminal."""

    async def find(self, scene: Scene, look: Callable[[], Awaitable[Scene]]) -> Callable[[str], Awaitable[None]] | str:
        """What gives a text to the program in the pane. It raises `TmuxTimeout` where it may have been taken, another
        `TmuxError` where it was not. Or why there is none: "" where the program was not told to have one."""
        ...


@dataclass(frozen=True, slots=True)
class Spooled:
    """What a hook wrote, or a line of an agent's event file."""

    name: str  # `spool/4711.0`, `events/claude-1.jsonl`
    mark: str  # tells it from every other of that name
    data: bytes
    at: float  # seconds since the epoch
    agent: str | None = None  # whose event file it is; none for a hook


class Spool(Protocol):
    """Where hooks lie until they are taken."""

    def run(self, marks: Mapping[str, str]) -> AsyncIterator[list[Spooled]]: ...
    def taken(self, spooled: Spooled) -> None: ...


@dataclass(frozen=True, slots=True)
class TranscriptPlace:
    """Where the transcripts of an agent lie."""

    since: str  # when it was started, as its transcripts tell the time
    files: Mapping[str, bool]  # their paths, and whether each is a sub-agent's
    directories: frozenset[str]  # in which news of them come
    asked: tuple[int, str, float] | None = None  # what is asked instead: a port, of a directory, since when


@dataclass(frozen=True, slots=True)
class Grown:
    """What came of reading transcripts on."""

    told: bool  # something is used that was not known
    more: bool  # something was read: there may be more


class Transcripts(Protocol):
    """The transcripts of the agents on this machine."""

    async def find(self, kind: str, pane_pid: int, told: Collection[str]) -> TranscriptPlace | None: ...
    async def read(self, account: Account, place: TranscriptPlace) -> Grown: ...  # a bounded piece of each
    def watch(self, directories: Collection[str]) -> None: ...  # these and no others
    async def changed(self) -> set[str]: ...  # the directories in which something happened since


class Tmux(Protocol):
    """One tmux server. Failures of the outside raise `TmuxError` and its kin."""

    async def resolve(self, target: str) -> str: ...  # `%3`, `session:window.pane` or a window name -> "%3"
    async def panes(self) -> Sequence[PaneInfo]: ...
    async def look(self, pane: str, history: int = 0) -> Snapshot: ...
    async def process(self, snapshot: Snapshot) -> ProcessFacts | None: ...
    # Literal keys; and a buffer, bracketed where the program asked for it. With `seen` nothing is sent, and `PaneMoved`
    # raised, unless the cursor stands as it did there.
    async def type(self, pane: str, text: str, seen: Snapshot | None = None) -> None: ...
    async def paste(self, pane: str, text: str, seen: Snapshot | None = None) -> None: ...
    async def press(self, pane: str, *keys: str) -> None: ...  # key names, already checked
    async def leave_mode(self, pane: str) -> None: ...  # copy mode and the like
    # `sized`: a new size of the pane is told by a new snapshot, and snapshots keep the blanks at the ends of rows.
    def watch(self, pane: str, sized: bool = False) -> AbstractAsyncContextManager[OutputWatch]: ...
    async def run(self, *command: str) -> list[str]: ...  # any tmux command; its reply, line by line
    async def identity(self) -> str: ...  # names this tmux server for locks and receipts: host and socket path
    async def close(self) -> None: ...
