"""May a text be typed into the pane now? A flow that waits for it, or says why not.

Nothing is typed blindly: not into a menu (keys act at once), not behind a program that is at work, not into
what the operator is writing.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from paneward.core.agent.addressee import Mismatch, nobody_else
from paneward.core.errors import Code
from paneward.core.profiles import Profile
from paneward.core.readiness.rules import SETTLED, Assessment, Pace, assess
from paneward.core.result import ReadyVerdict
from paneward.core.screen.appearance import read_appearance
from paneward.core.screen.cells import Screen
from paneward.core.screen.composer import Composer, essence, read_composer
from paneward.core.screen.lines import typing_at
from paneward.core.terminal.flow import AnotherProgram, Flow, LeaveMode, Look, Watch
from paneward.core.terminal.scene import Scene, Snapshot

BLIND_QUIET = 2.0  # seconds of silence before typing where neither a prompt nor the process can be seen
RAW_QUIET = 5.0  # the same for a full-screen program that reads keys but shows no prompt: it may be loading
CALM = 0.02  # seconds of silence after which the screen shows all that the program drew before it began to read
RESTS = 1.0  # seconds that a program which settles gets to come to rest
BLINK = 0.03
MODES_LEFT = 3  # how often copy mode is left before we believe that somebody wants to be in it


class WhenBusy(StrEnum):
    WAIT = "wait"
    QUEUE = "queue"
    STEER = "steer"
    INTERRUPT = "interrupt"
    REFUSE = "refuse"


class Draft(StrEnum):
    HOLD = "hold"
    STASH = "stash"
    REFUSE = "refuse"


BusyPolicy = Literal["wait", "queue", "steer", "interrupt", "refuse"]  # the names of `WhenBusy`
DraftPolicy = Literal["hold", "stash", "refuse"]  # the names of `Draft`


@dataclass(frozen=True, slots=True)
class Refusal:
    code: Code
    evidence: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Clear:
    """It may be typed."""

    scene: Scene
    draft: str = ""  # to be put aside first
    ours: bool = False  # the draft is what an earlier send left there
    submit: tuple[str, ...] = ()  # other keys than the profile's own, for a program at work
    interrupt: tuple[str, ...] = ()  # to be pressed first


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which conditions to type."""

    profile: Profile
    prompt: re.Pattern[str]
    when_busy: WhenBusy = WhenBusy.WAIT
    draft: Draft = Draft.HOLD
    timeout: float = 30.0
    draft_hold: float = 10.0
    program: str = ""  # the command line that the profile was chosen for; empty: whatever runs there
    leftover: str = ""  # a text that an earlier send typed, and did not submit
    mismatch: Mismatch = nobody_else  # why what is typed now would go to another program than the one that is meant


def clear_to_type(terms: Terms) -> Flow[Clear | Refusal]:
    """Wait until the text may be typed, at most the time given. Raises `AnotherProgram`."""
    scene = yield from _out_of_mode()
    started, held_since, pace = scene.now, None, Pace()
    composer: Composer | None = None
    while True:
        if error := terms.mismatch(scene):
            return Refusal(error.code, error.message, error.hint)
        AnotherProgram.check(scene, terms.program)
        found = assess(scene, terms.profile, terms.prompt)
        refusal = _never(scene, found) or _busy_refused(found, terms)
        if refusal:
            return refusal
        if found.working and terms.when_busy is not WhenBusy.WAIT and found.rule == "busy_mark":
            return _despite_work(scene, terms)
        left = terms.timeout - (scene.now - started)
        draft = ""
        if not found.working and found.verdict is not ReadyVerdict.AWAITING_ANSWER:
            draft = draft_in(scene, terms.profile)
        if not draft and takes_input(scene, found):
            seen = read_composer(Screen.of(scene.snapshot), terms.profile)
            if scene.quiet >= CALM or seen == composer:
                return Clear(scene)
            composer = seen
            scene = yield Watch(CALM)
            continue
        if draft:
            held_since = scene.now if held_since is None else held_since
            left = min(left, terms.draft_hold - (scene.now - held_since))
            if terms.draft is not Draft.HOLD or _taken_back(draft, terms):
                return _put_aside(scene, draft, terms)
        else:
            held_since = None
        if left <= 0:
            return _draft_stands(draft, terms) if draft else _too_late(found)
        scene = yield Watch(min(pace.next(found, scene), left))
        if scene.snapshot.in_mode:
            scene = yield from _out_of_mode()


def _out_of_mode() -> Flow[Scene]:
    scene = yield Look()
    for _ in range(MODES_LEFT):
        if not scene.snapshot.in_mode or scene.gone or scene.snapshot.dead:
            break
        yield LeaveMode()
        scene = yield Look()
    return scene


def at_rest(scene: Scene) -> Flow[Scene]:
    """Until the program has taken what was typed, and waits for more. One that computes may not have noticed yet
    that a paste is over, and would take submit for a part of it; of two Escapes, it would make Meta-Escape."""
    until = scene.now + RESTS
    while (process := scene.process) and (process.unread or process.reading is False) and scene.now < until:
        if scene.gone or scene.snapshot.dead:
            break
        scene = yield Watch(BLINK)
    return scene


def takes_input(scene: Scene, found: Assessment) -> bool:
    """What is typed now will be taken as input, as far as can be told."""
    if found.verdict in (ReadyVerdict.READY, ReadyVerdict.AWAITING_ANSWER):
        return True
    if found.working or found.rule == "no_composer" or not _place_to_type(scene):
        return False
    process = scene.process
    if process is None or process.reading is None:
        return scene.quiet >= BLIND_QUIET
    if process.canonical:
        return process.reading and (not process.shell or scene.quiet >= SETTLED)
    return process.reading and scene.quiet >= RAW_QUIET


def _place_to_type(scene: Scene) -> bool:
    """A program that took the keys for itself shows a cursor, or draws one; without, it may be a dialog."""
    raw = scene.process is None or scene.process.canonical is False
    return not raw or typing_at(Screen.of(scene.snapshot)) is not None


def draft_in(scene: Scene, profile: Profile) -> str:
    """The operator's unsent text, as it stands in the composer; what opened a shell in it is a draft as well."""
    composer = read_composer(Screen.of(scene.snapshot), profile)
    if composer is None or composer.text or not profile.modes:
        return composer.text if composer else ""
    return "!" if read_appearance(scene.snapshot, profile).mode == "shell" else ""


def _never(scene: Scene, found: Assessment) -> Refusal | None:
    """What no waiting mends."""
    if scene.gone:
        return Refusal(Code.PANE_NOT_FOUND, "the pane closed", "`paneward panes` lists the panes there are.")
    if found.verdict is ReadyVerdict.DEAD:
        return Refusal(Code.PANE_DEAD, found.evidence, "`tmux respawn-pane` starts its program again.")
    if found.rule in ("dialog", "menu") and found.verdict is ReadyVerdict.AWAITING_ANSWER:
        return Refusal(
            Code.BLOCKED_BY_DIALOG,
            f"a dialog is open: {found.question}",
            "`paneward menu` shows it, `paneward answer` answers it.",
        )
    if refusal := closed(scene.snapshot):
        return refusal
    if scene.snapshot.in_mode:
        return Refusal(Code.NOT_READY, "the pane stays in copy mode", "Leave it with `q` and send again.")
    return None


def closed(snapshot: Snapshot) -> Refusal | None:
    """Why keys would not reach this pane, or not this pane alone."""
    if snapshot.input_off:
        return Refusal(Code.NOT_READY, "input to the pane is switched off", "`tmux select-pane -e` switches it on.")
    if snapshot.synchronized:
        return Refusal(
            Code.NOT_READY,
            "the window's panes are synchronised: keys would go to the others too",
            "`tmux set-option -w synchronize-panes off` ends that.",
        )
    return None


def _busy_refused(found: Assessment, terms: Terms) -> Refusal | None:
    if not found.working or terms.when_busy is WhenBusy.WAIT:
        return None
    if terms.when_busy is WhenBusy.REFUSE:
        return Refusal(Code.NOT_READY, f"the program is busy: {found.evidence}", "Send with --when-busy wait.")
    keys = {
        WhenBusy.QUEUE: terms.profile.queue,
        WhenBusy.STEER: terms.profile.steer,
        WhenBusy.INTERRUPT: terms.profile.interrupt,
    }[terms.when_busy]
    if keys and (found.rule == "busy_mark" or terms.when_busy is WhenBusy.INTERRUPT):
        return None
    if keys:
        return Refusal(Code.NOT_READY, f"not at its composer: {found.evidence}", "Send with --when-busy wait.")
    return Refusal(
        Code.NOT_READY,
        f"the program is busy and profile {terms.profile.name!r} has no keys to {terms.when_busy}",
        "Send with --when-busy wait.",
    )


def _despite_work(scene: Scene, terms: Terms) -> Clear | Refusal:
    draft = draft_in(scene, terms.profile)
    if draft:
        return _draft_stands(draft, terms)
    match terms.when_busy:
        case WhenBusy.QUEUE:
            return Clear(scene, submit=terms.profile.queue)
        case WhenBusy.STEER:
            return Clear(scene, submit=terms.profile.steer)
    return Clear(scene, interrupt=terms.profile.interrupt)


def _put_aside(scene: Scene, draft: str, terms: Terms) -> Clear | Refusal:
    if _taken_back(draft, terms):
        return Clear(scene, draft=draft, ours=True)
    if terms.draft is Draft.REFUSE or not terms.profile.cut or not _can_be_typed_again(scene, draft, terms):
        return _draft_stands(draft, terms)
    return Clear(scene, draft=draft)


def _ours(draft: str, terms: Terms) -> bool:
    """It is what an earlier send left there, to the letter: nobody else typed."""
    return bool(terms.leftover) and essence(draft) == essence(terms.leftover)


def _taken_back(draft: str, terms: Terms) -> bool:
    """It is ours, and the profile knows how to take it out."""
    return bool(terms.profile.cut) and _ours(draft, terms)


def _can_be_typed_again(scene: Scene, draft: str, terms: Terms) -> bool:
    """The draft is known character by character, and would be the same text again: no placeholder, no shell."""
    if not terms.profile.framed or "\n" in draft or len(draft) >= scene.snapshot.width - 8:
        return False
    seen = read_appearance(scene.snapshot, terms.profile)
    return seen.whole and not seen.mode


def _draft_stands(draft: str, terms: Terms) -> Refusal:
    if _ours(draft, terms):
        evidence = f"the text of an earlier send stands in the composer, and was never submitted: {draft[:60]!r}"
        return Refusal(Code.OPERATOR_DRAFT, evidence, "Submit it with `paneward keys PANE Enter`, or clear it.")
    hint = "Submit or clear it, or wait longer for it: --draft hold."
    return Refusal(Code.OPERATOR_DRAFT, f"unsent text stands in the composer: {draft[:60]!r}", hint)


def _too_late(found: Assessment) -> Refusal:
    return Refusal(Code.NOT_READY, found.evidence, "`paneward explain` shows what was seen; nothing was typed.")
