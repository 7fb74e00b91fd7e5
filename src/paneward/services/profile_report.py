"""One report of a pane that a profile does not fit: what was seen, what was made of it, and with which versions.

Shape: data and functions. Credentials are crossed out before anything is read, so that the readings in a report are
those of the screens in it, whoever reads them again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from paneward.core.agent.program import Program
from paneward.core.profiles import Profile, Recognised, as_data
from paneward.core.profiles.own import changed
from paneward.core.readiness.inspection import Inspection, read
from paneward.core.readiness.rules import Assessment, compile_prompt
from paneward.core.result import Menu
from paneward.core.screen.masking import mask_rows
from paneward.core.state.claims import Standing
from paneward.core.terminal.scene import ProcessFacts, Scene, Snapshot
from paneward.core.text import mask, redact
from paneward.store import Delivery

FORMAT = 1  # of the file; a reader refuses a higher one


@dataclass(frozen=True, slots=True)
class Explanation:
    """What was seen in a pane, which rules were tried on it, and which one won."""

    pane: str
    profile: str
    assessment: Assessment
    scene: Scene
    screen: str
    menu: Menu | None
    standing: Standing


@dataclass(frozen=True, slots=True)
class Screenful:
    """The last lines of a pane, and where its output had come to."""

    text: str
    output_seq: int  # bytes since the pane is watched
    width: int
    height: int
    cursor: tuple[int, int]  # column and row of the visible screen
    pane: str


@dataclass(frozen=True, slots=True)
class ReportedPane:
    """Where a pane is, and what runs in it."""

    tmux: str  # host and socket
    socket: str  # the path
    pane: str
    pid: int
    dead: bool
    profile: str  # that fits the program
    version: str
    cwd: str
    program: Program | None = None


@dataclass(frozen=True, slots=True)
class ReportedLook:
    """One look at the pane, and what the profile made of it."""

    snapshot: Snapshot
    process: ProcessFacts | None
    quiet: float
    reading: Inspection


@dataclass(frozen=True, slots=True)
class Report:
    pane: str
    taken_at: str  # ISO, UTC
    versions: Mapping[str, str]  # of Paneward, tmux, Python, the system, the agent
    profile: Mapping[str, Any]  # every field of the row that was used, as a file would hold it
    prompt: str  # the pattern that was looked for
    looks: tuple[ReportedLook, ...]  # the first is from the moment of asking, the last from when the screen had settled
    receipts: tuple[Delivery, ...]  # newest first
    notes: tuple[str, ...] = ()


def report_of(scenes: Sequence[Scene], found: Recognised, prompt: str) -> Report:
    """The part of a report that is read from a pane; the rest is filled in by who knows it."""
    safe = replace(found, line=mask(found.line))
    looks = tuple(_look(masked(scene), safe, prompt) for scene in scenes)
    row = {item.name: as_data(getattr(found.profile, item.name)) for item in fields(Profile)}
    return Report(scenes[-1].snapshot.pane, "", {}, row, prompt, looks, ())


def _look(scene: Scene, found: Recognised, prompt: str) -> ReportedLook:
    return ReportedLook(scene.snapshot, scene.process, scene.quiet, read(scene, found, compile_prompt(prompt)))


def masked(scene: Scene) -> Scene:
    """A scene without credentials, in which everything stands where it stood."""
    seen, process = scene.snapshot, scene.process
    return replace(
        scene,
        quiet=round(scene.quiet, 3),  # as it will be written
        snapshot=replace(seen, rows=mask_rows(seen.rows, seen.width), title=mask(seen.title)),
        process=replace(process, argv=mask(process.argv)) if process else None,
    )


def redacted(row: Delivery) -> Delivery:
    receipt = row.receipt
    if receipt:
        words: Any = {name: redact(getattr(receipt, name)) for name in ("evidence", "detail", "hint", "dump")}
        receipt = replace(receipt, **words)
    return replace(row, text=None if row.text is None else redact(row.text), text_hash="", receipt=receipt)


def read_again(look: Mapping[str, Any], profile: Mapping[str, Any], prompt: str) -> Inspection:
    """The reading of a look as a file holds it, by the profile of that file."""
    seen, process = look["snapshot"], look["process"]
    snapshot = Snapshot(**{**seen, "rows": tuple(seen["rows"])})
    scene = Scene(snapshot, ProcessFacts(**process) if process else None, quiet=look["quiet"])
    row = changed(Profile(profile["name"]), {name: value for name, value in profile.items() if name != "name"})
    found = Recognised(row, look["reading"]["pattern"], look["reading"]["line"])
    return read(scene, found, compile_prompt(prompt))
