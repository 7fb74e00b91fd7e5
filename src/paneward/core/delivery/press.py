"""Pressing keys by name, and proving that an Enter among them was taken: a flow."""

from dataclasses import dataclass

from paneward.core.errors import Code, PaneDead, PaneNotFound, TmuxError, Unanswered
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.terminal.flow import Flow, Look, Press, Watch
from paneward.core.terminal.scene import Scene

ENTERS = ("Enter", "KPEnter", "C-m", "CR")
VERIFY = 5.0
SWALLOWED = 0.3
BLINK = 0.03


@dataclass(frozen=True, slots=True)
class Keys:
    keys: tuple[str, ...]
    verify: bool = False
    retries: int = 3


def press(order: Keys) -> Flow[SendResult]:
    try:
        scene = yield Look()
        if scene.gone or scene.snapshot.dead:
            return _gone(scene)
        at = next((i for i, key in enumerate(order.keys) if key in ENTERS), None)
        if not order.verify or at is None:
            yield Press(order.keys)
            return SendResult(Verdict.CONFIRMED, Rung.TYPED, "tmux took the keys")
        return (yield from _verified(order, at))
    except Unanswered as error:
        return SendResult(Verdict.UNCONFIRMED, Rung.TYPED, f"{error.message}; look at the pane before you press again")
    except TmuxError as error:
        return _failed(error)


def _verified(order: Keys, at: int) -> Flow[SendResult]:
    if order.keys[:at]:
        yield Press(order.keys[:at])
        yield Watch(BLINK)
    before = yield Look()
    enters, scene = 0, before
    while enters <= order.retries:
        yield Press((order.keys[at],))
        enters += 1
        scene = yield from _reaction(before)
        if scene.gone or scene.snapshot.dead:
            return SendResult(Verdict.UNCONFIRMED, Rung.TYPED, "the program ended after Enter", enters=enters)
        if _moved(before, scene):
            if order.keys[at + 1 :]:
                yield Press(order.keys[at + 1 :])
            return SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "the screen changed after Enter", enters=enters)
    return SendResult(
        Verdict.FAILED,
        Rung.TYPED,
        f"nothing changed after {enters} Enters",
        Code.SEND_FAILED,
        f"nothing changed after {enters} Enters",
        "`paneward explain` shows what the program is doing.",
        enters=enters,
    )


def _reaction(before: Scene) -> Flow[Scene]:
    """Wait until the pane moved, or the program waits for input again as if nothing had happened."""
    scene = yield Watch(BLINK)
    since = scene.now
    while not (scene.gone or scene.snapshot.dead or _moved(before, scene)):
        waited = scene.now - since
        reading = scene.process is None or scene.process.reading is not False
        if waited >= VERIFY or (waited >= SWALLOWED and reading):
            break
        scene = yield Watch(BLINK)
    return scene


def _moved(before: Scene, scene: Scene) -> bool:
    old, new = before.snapshot, scene.snapshot
    return (old.rows, old.cursor_x, old.cursor_y) != (new.rows, new.cursor_x, new.cursor_y)


def _gone(scene: Scene) -> SendResult:
    error = PaneNotFound("the pane closed") if scene.gone else PaneDead("the program ended")
    return _failed(error)


def _failed(error: TmuxError) -> SendResult:
    return SendResult(Verdict.FAILED, Rung.NOTHING, error.message, error.code, error.message, error.hint)
