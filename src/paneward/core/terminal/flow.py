"""The effects a flow may ask for: data.

A flow is a dialogue: it yields an effect and is sent the `Scene` that follows. After an act (`Type`,
`Paste`, `Press`, ...) that is the scene of the last look; `Look` and `Watch` bring a new one. A failed
act is thrown into the flow as a `TmuxError`.
"""

from collections.abc import Generator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from paneward.core.terminal.scene import Scene, Snapshot

T = TypeVar("T")


class AnotherProgram(Exception):
    """The pane has another program now than the one that the flow was made for; nothing was done to it."""

    @staticmethod
    def check(scene: Scene, expected: str) -> None:
        if expected and scene.program and scene.program != expected:
            raise AnotherProgram


class Phase(StrEnum):
    """How far a delivery has come, stored before the act that it announces."""

    INTENDED = "intended"  # nothing typed yet, or typing just began
    TYPED = "typed"  # the text was seen in the composer
    SUBMITTING = "submitting"  # submit may have been pressed
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Look:
    """Look at the pane now."""

    process: bool = True


@dataclass(frozen=True, slots=True)
class Watch:
    """Wait for output after the last look, `at_most` so many seconds, then look."""

    at_most: float
    process: bool = True


@dataclass(frozen=True, slots=True)
class Rest:
    """Let time pass where no evidence can come, then look."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Type:
    """Type a text; with `seen` only if the cursor still stands as it did there, else `PaneMoved` is thrown."""

    text: str
    seen: Snapshot | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Paste:
    """Paste a text; `seen` as with `Type`."""

    text: str
    seen: Snapshot | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Press:
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Post:
    """Give a text to the program by its own API; whether it may have been taken, the exception tells: `TmuxTimeout`."""

    text: str


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep the operator's draft in a tmux buffer while it is out of the composer; None: it is back."""

    draft: str | None


@dataclass(frozen=True, slots=True)
class LeaveMode:
    """Leave copy mode, in which keys do not reach the program."""


@dataclass(frozen=True, slots=True)
class SavePhase:
    """Store how far the delivery has come, durably, before going on."""

    phase: Phase


Effect = Look | Watch | Rest | Type | Paste | Press | Post | Keep | LeaveMode | SavePhase
Flow = Generator[Effect, Scene, T]
