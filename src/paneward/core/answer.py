"""Answering a dialog by what it says, not by where it stands: a flow.

The menu is read anew after every key, so a key that was swallowed or a dialog that changed is noticed before
anything is chosen.
"""

import re
from dataclasses import dataclass, replace

from paneward.core.delivery import Order, deliver, deliver_here
from paneward.core.errors import Code, PaneDead, PaneNotFound, TmuxError
from paneward.core.flow import Flow, Look, Press, Watch
from paneward.core.profiles import Frame, Profile
from paneward.core.result import Menu, Rung, SendResult, Verdict
from paneward.core.scene import Scene
from paneward.core.screen.cells import Screen
from paneward.core.screen.lines import typing_at
from paneward.core.screen.menu import read_menu

REACTION = 1.0  # seconds a menu gets to move its highlight
CLOSING = 5.0  # seconds it gets to close
SWALLOWED = 0.3
BLINK = 0.03
KEYS_PER_STEP = 3  # how often a key that moved nothing is pressed again
PAINTED = 0.05
_MARKED = re.compile(r"\W*[❯›>▶→➤▸»⏵]")


@dataclass(frozen=True, slots=True)
class Choice:
    """What to answer: exactly one of the four."""

    select: int | str | None = None
    multi: tuple[int | str, ...] | None = None
    other: str | None = None
    text: str | None = None
    fingerprint: str | None = None


class Refused(Exception):
    """Ends the flow with a result; never leaves this module."""

    def __init__(self, result: SendResult) -> None:
        super().__init__(result.evidence)
        self.result = result


def answer(choice: Choice, order: Order) -> Flow[SendResult]:
    """Answer the dialog on the screen; `order` says how free text is to be delivered."""
    try:
        scene = yield from _painted()
        menu = read_menu(scene.snapshot, order.profile)
        if menu is None:
            return (yield from _line_prompt(choice, order))
        _check_fingerprint(menu, choice.fingerprint)
        if choice.multi is not None:
            return (yield from _check_boxes(menu, choice.multi, order.profile))
        free = choice.other if choice.other is not None else choice.text
        if free is not None:
            return (yield from _free_text(menu, free, order))
        if choice.select is None:
            raise _refuse(Code.UNKNOWN_OPTION, "no answer was given", "Give select, multi, other or text.")
        return (yield from _choose(menu, find_option(menu, choice.select), order.profile))
    except Refused as refused:
        return refused.result
    except TmuxError as error:
        return SendResult(Verdict.FAILED, Rung.NOTHING, error.message, error.code, error.message, error.hint)


def _refuse(code: Code, evidence: str, hint: str = "", rung: Rung = Rung.NOTHING) -> Refused:
    return Refused(SendResult(Verdict.FAILED, rung, evidence, code, evidence, hint))


def _painted() -> Flow[Scene]:
    scene = yield Look()
    _alive(scene)
    began = scene.now
    while scene.quiet < PAINTED and scene.now - began < REACTION:
        scene = yield Watch(PAINTED)
        _alive(scene)
    return scene


def _alive(scene: Scene) -> None:
    if scene.gone:
        raise PaneNotFound("the pane closed")
    if scene.snapshot.dead:
        raise PaneDead("the program ended")


def _line_prompt(choice: Choice, order: Order) -> Flow[SendResult]:
    free = choice.text if choice.text is not None else choice.other
    if choice.fingerprint is not None:
        raise _refuse(Code.STALE_DIALOG, "the dialog you saw is no longer open", "`paneward menu` shows what is.")
    if free is None:
        raise _refuse(Code.NO_DIALOG, "no dialog is open in the pane", "`paneward read` shows the screen.")
    return (yield from deliver(order))


def _check_fingerprint(menu: Menu, fingerprint: str | None) -> None:
    if fingerprint is not None and fingerprint != menu.fingerprint:
        raise _refuse(
            Code.STALE_DIALOG,
            f"another dialog is open now: {menu.question}",
            "Read it with `paneward menu` and answer that one.",
        )


def find_option(menu: Menu, wanted: int | str) -> int:
    """The index of an option by the number shown, or by its label, whole or as a part that is unique."""
    if isinstance(wanted, int):
        found = [i for i, option in enumerate(menu.options) if option.number == wanted]
    else:
        label = wanted.casefold().strip()
        found = [i for i, option in enumerate(menu.options) if option.label.casefold() == label]
        found = found or [i for i, option in enumerate(menu.options) if label and label in option.label.casefold()]
    if len(found) == 1:
        return found[0]
    shown = "; ".join(f"{option.number}. {option.label}" for option in menu.options)
    problem = "is not one of the options" if not found else "fits more than one option"
    raise _refuse(Code.UNKNOWN_OPTION, f"{wanted!r} {problem}", f"There are: {shown}.")


def _choose(menu: Menu, index: int, profile: Profile) -> Flow[SendResult]:
    menu = yield from _go_to(menu, index, profile)
    return (yield from _close(menu, "Enter", profile))


def _go_to(menu: Menu, index: int, profile: Profile) -> Flow[Menu]:
    """Move the highlight, one key at a time, each seen to have moved it."""
    wasted = 0
    back, forth = ("Left", "Right") if menu.across else ("Up", "Down")
    while menu.selected != index:
        assert menu.selected is not None  # a list without a highlight is not read as a menu
        yield Press((forth if menu.selected < index else back,))
        moved = yield from _moved(menu, profile)
        wasted = wasted + 1 if moved == menu else 0
        if wasted >= KEYS_PER_STEP:
            raise _refuse(Code.SEND_FAILED, "the dialog did not react to the arrow keys", "Answer it in the pane.")
        menu = moved
    return menu


def _moved(menu: Menu, profile: Profile) -> Flow[Menu]:
    scene = yield Watch(BLINK)
    began = scene.now
    while True:
        _alive(scene)
        now = read_menu(scene.snapshot, profile)
        if now is not None and now.fingerprint == menu.fingerprint and now != menu:
            return now
        if (now is None or now.fingerprint != menu.fingerprint) and scene.quiet >= PAINTED:
            raise _refuse(Code.STALE_DIALOG, "the dialog changed while it was being answered")
        if scene.now - began >= REACTION:
            return menu
        scene = yield Watch(BLINK)


def _close(menu: Menu, key: str, profile: Profile) -> Flow[SendResult]:
    """Press the key that chooses, and see the dialog close."""
    for enters in range(1, KEYS_PER_STEP + 2):
        yield Press((key,))
        if (yield from _closed(menu, profile)):
            return SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "the dialog closed", enters=enters)
    return SendResult(
        Verdict.FAILED,
        Rung.TYPED,
        "the dialog is still open",
        Code.SEND_FAILED,
        f"{key} was pressed {enters} times and the dialog is still open",
        "Answer it in the pane.",
        enters=enters,
    )


def _closed(menu: Menu, profile: Profile) -> Flow[bool]:
    scene = yield Watch(BLINK)
    began, agreed = scene.now, False
    while True:
        if scene.gone or scene.snapshot.dead:
            return True
        now = read_menu(scene.snapshot, profile)
        if now is None or now.fingerprint != menu.fingerprint:
            if agreed:
                return True
            agreed = True
        else:
            agreed = False
            waited = scene.now - began
            waiting = scene.process is None or scene.process.reading is not False
            if waited >= CLOSING or (waited >= SWALLOWED and waiting and now == menu):
                return False
        scene = yield Watch(BLINK)


def _check_boxes(menu: Menu, wanted: tuple[int | str, ...], profile: Profile) -> Flow[SendResult]:
    if not menu.multi:
        raise _refuse(Code.UNKNOWN_OPTION, "the dialog takes one answer only", "Answer with select.")
    chosen = {find_option(menu, one) for one in wanted}
    for index, option in enumerate(menu.options):
        if option.checked is None or option.checked == (index in chosen):
            continue
        menu = yield from _go_to(menu, index, profile)
        yield Press(profile.menus.toggle)
        toggled = yield from _moved(menu, profile)
        if toggled.options[index].checked == option.checked:
            raise _refuse(Code.SEND_FAILED, f"{option.label!r} could not be ticked", "Answer it in the pane.")
        menu = toggled
    submit = next((i for i, o in enumerate(menu.options) if o.checked is None and "submit" in o.label.casefold()), None)
    if submit is not None:
        menu = yield from _go_to(menu, submit, profile)
    return (yield from _close(menu, "Enter", profile))


def _free_text(menu: Menu, text: str, order: Order) -> Flow[SendResult]:
    if menu.free_text is None:
        raise _refuse(
            Code.NO_FREE_TEXT,
            f"the dialog takes no free text: {menu.question}",
            "Choose one of its options with select.",
        )
    menu = yield from _go_to(menu, menu.free_text, order.profile)
    scene = yield Look()
    if _is_field(scene):
        return (yield from deliver_here(_in_field(order), scene))
    opened = yield from _close(menu, "Enter", order.profile)
    if not opened.success:
        return opened
    return (yield from deliver(order))


def _is_field(scene: Scene) -> bool:
    """The highlighted option is typed into in place: the cursor stands behind its mark; Enter would take it empty."""
    screen = Screen.of(scene.snapshot)
    at = typing_at(screen)
    return at is not None and bool(_MARKED.match(screen.row(at[1]).left(at[0])))


def _in_field(order: Order) -> Order:
    """A field in a dialog has no frame of its own, and Escape would leave the dialog."""
    return replace(order, ghost=False, terms=replace(order.terms, profile=replace(order.profile, frame=Frame.CURSOR)))
