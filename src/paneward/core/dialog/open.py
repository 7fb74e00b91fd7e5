"""The dialog on the screen before it is answered: flows and functions.

It has stood long enough, its program is alive, no dialog is open at all; and after a crash, what is left of an answer.
"""

from dataclasses import replace

from paneward.core.delivery.deliver import Order, deliver
from paneward.core.delivery.one_key import UNTAKEN, Reaction, prompt_for_keys, reaction
from paneward.core.delivery.proof import Judge
from paneward.core.dialog.choice import Choice, ChoiceRefused, check, refuse
from paneward.core.dialog.field import field_open
from paneward.core.errors import Code, PaneDead, PaneNotFound
from paneward.core.profiles import Frame, Profile
from paneward.core.result import Menu, Rung, SendResult, Verdict
from paneward.core.screen.dialogs.asked import read_asked
from paneward.core.terminal.flow import Flow, Look, Phase, Press, SavePhase, Watch
from paneward.core.terminal.scene import Scene

PAINTING = 2.0  # seconds after which a dialog that never stands still is answered all the same
BLINK = 0.03


def painted(profile: Profile) -> Flow[Scene]:
    """The dialog once it has stood as long as it takes: without any output, or the same at every look."""
    scene = yield Look()
    began = since = scene.now
    seen = read_asked(scene.snapshot, profile)
    while max(scene.quiet, scene.now - since if seen else 0.0) < profile.menus.settle and scene.now - began < PAINTING:
        alive(scene)
        scene = yield Watch(BLINK)
        now = read_asked(scene.snapshot, profile)
        seen, since = now, since if now == seen else scene.now
    alive(scene)
    return scene


def alive(scene: Scene) -> None:
    if scene.gone:
        raise PaneNotFound("the pane closed")
    if scene.snapshot.dead:
        raise PaneDead("the program ended")


def dialog(choice: Choice, order: Order) -> Flow[Menu | SendResult]:
    """The dialog that is open; where there is none, what came of the words as a message."""
    scene = yield from painted(order.profile)
    menu = read_asked(scene.snapshot, order.profile)
    if menu is not None:
        return menu
    sent = yield from line_prompt(choice, order)
    if sent.error_type is Code.BLOCKED_BY_DIALOG:  # it was not drawn yet
        menu = read_asked((yield Look()).snapshot, order.profile)
    return menu or sent


def line_prompt(choice: Choice, order: Order) -> Flow[SendResult]:
    """No dialog is open: words are typed as a message."""
    if choice.fingerprint is not None:
        raise refuse(Code.STALE_DIALOG, "the dialog you saw is no longer open", "`paneward menu` shows what is.")
    if choice.words is None or choice.select is not None or choice.multi is not None:
        raise refuse(Code.NO_DIALOG, "no dialog is open in the pane", "`paneward read` shows the screen.")
    return (yield from deliver(order))


def press_key(choice: Choice, order: Order, key: str) -> Flow[SendResult]:
    """Press one key at a prompt or a dialog that acts on it, and see it go."""
    scene = yield from painted(order.profile)
    menu, prompt = read_asked(scene.snapshot, order.profile), prompt_for_keys(scene, order.profile)
    if menu is not None:
        check(menu, choice)
    elif choice.fingerprint is not None:
        raise refuse(Code.STALE_DIALOG, "the dialog you saw is no longer open", "`paneward menu` shows what is.")
    elif prompt is None:
        raise _no_prompt(scene)
    yield SavePhase(Phase.SUBMITTING)
    yield Press((key,))
    reacted, scene = yield from reaction(scene, key, order.profile)
    now = read_asked(scene.snapshot, order.profile) if menu is not None else None
    if menu is not None and (now is None or now.fingerprint != menu.fingerprint):
        return SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "the dialog closed")
    if menu is None and reacted is Reaction.TAKEN:
        return SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "the program took the key")
    return SendResult(Verdict.UNCONFIRMED, Rung.TYPED, UNTAKEN.get(reacted, "the same dialog is still open"))


def _no_prompt(scene: Scene) -> ChoiceRefused:
    if scene.process is not None and scene.process.canonical:
        return refuse(Code.NO_DIALOG, "the program reads whole lines, not keys", "Answer with --text.")
    return refuse(Code.NO_DIALOG, "nothing in the pane waits for a key", "`paneward keys` presses any key anywhere.")


def words_in_field(choice: Choice, order: Order, scene: Scene) -> Judge | None:
    """What judges our words, where they stand in the dialog's field and were not submitted."""
    judge = Judge(order.text, replace(order.profile, frame=Frame.CURSOR))
    stands = choice.words and field_open(scene, order.profile) and judge.read(scene).holds
    return judge if stands else None


def unread(choice: Choice) -> Menu:
    """The dialog that is answered, where the words in its field keep it from being read."""
    return Menu("", (), None, None, False, choice.fingerprint or "")


def unclear(menu: Menu | None, phase: Phase) -> str:
    """Why nobody can tell what became of an answer. The same dialog can have been opened anew."""
    if phase is Phase.TYPED:
        return "the words stood in the dialog's field before a crash, and no longer do"
    asks = "" if menu is None else f": {menu.question}"
    return f"after a crash while it was answered, the same dialog is open{asks}"
