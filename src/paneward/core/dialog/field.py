"""Words typed into the field of a dialog: functions and a flow. Submit is not pressed here.

A field has no frame of its own: it stands where the cursor does, behind the mark of its option or below it.
"""

import re
from contextlib import suppress
from dataclasses import replace

from paneward.core.delivery.deliver import Order
from paneward.core.delivery.input import pastes
from paneward.core.delivery.proof import Judge
from paneward.core.errors import Code, PaneDead, PaneMoved, PaneNotFound
from paneward.core.profiles import Frame, Profile
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.screen.appearance import ScreenState, read_appearance
from paneward.core.screen.cells import Screen
from paneward.core.screen.lines import typing_at
from paneward.core.terminal.flow import Flow, Paste, Phase, SavePhase, Type, Watch
from paneward.core.terminal.scene import Scene

OPEN = 3.0  # seconds a field that moves gets to stand still
DRAWN = 10.0  # seconds an agent gets to draw the words
STILL = 0.1  # seconds without output after which they are all drawn
BLINK = 0.03
_MARKED = re.compile(r"\W*[❯›>▶→➤▸»⏵●]")


def field_open(scene: Scene, profile: Profile) -> bool:
    """Words can be typed where the cursor stands: behind the mark of an option, or elsewhere in the dialog."""
    screen = Screen.of(scene.snapshot)
    at = typing_at(screen)
    if at is None:
        return False
    marked = bool(_MARKED.match(screen.row(at[1]).left(at[0])))
    if not profile.framed:
        return marked
    state = read_appearance(scene.snapshot, profile, scene.process).state
    return state is ScreenState.DIALOG or (marked and state is ScreenState.UNKNOWN)


def type_words(order: Order, scene: Scene) -> Flow[Judge | SendResult]:
    """Type the words into the field that is open in `scene`; once they stand in it, its judge, else what went wrong."""
    judge = Judge(order.text, replace(order.profile, frame=Frame.CURSOR))
    yield SavePhase(Phase.INTENDED)
    if not (yield from _typed(order, judge, scene)):
        return _failed(
            Code.STALE_DIALOG, "the dialog's field closed before the words were typed", "Read it anew.", Rung.NOTHING
        )
    scene = yield Watch(BLINK)
    began = scene.now
    while scene.now - began < DRAWN:
        if scene.gone or scene.snapshot.dead:
            error = PaneNotFound("the pane closed") if scene.gone else PaneDead("the program ended")
            return _failed(error.code, f"{error.message} while the words were typed", error.hint)
        if judge.read(scene).holds and scene.quiet >= max(STILL, order.profile.settle):
            yield SavePhase(Phase.TYPED)
            return judge
        scene = yield Watch(BLINK)
    return _failed(
        Code.SEND_FAILED, "the words never appeared in the dialog's field; nothing was submitted", "Look at the pane."
    )


def _typed(order: Order, judge: Judge, scene: Scene) -> Flow[bool]:
    """Type the words where the cursor stands; one that moved right before, as it does in mid-paint, is judged again."""
    began, is_open = scene.now, True
    act = Paste if pastes(order.text, order.profile) else Type
    while scene.now - began < OPEN:
        if is_open:
            judge.begin(scene)
            with suppress(PaneMoved):
                yield act(order.text, scene.snapshot)
                return True
        scene = yield Watch(BLINK)
        is_open = field_open(scene, order.profile)
    return False


def _failed(code: Code, evidence: str, hint: str, rung: Rung = Rung.TYPED) -> SendResult:
    return SendResult(Verdict.FAILED, rung, evidence, code, evidence, hint)
