"""The keys of a dialog and their effect: flows.

The dialog is read anew after every key, so a key that was swallowed or a dialog that changed is noticed before
anything is chosen. A key that chooses is pressed again only where the first is known to be lost: an agent that is slow
would take a second one for the answer to its next dialog.

What surprised us: that a key was read says nothing; that the agent has drawn something since, and the dialog is the
same, does. Gemini CLI shows a dialog that was answered until it has started anew, with words about that below it; in a
low pane it shows the command that a dialog is about only when the highlight has moved.
"""

from collections.abc import Callable
from dataclasses import replace

from paneward.core.delivery.deliver import Order
from paneward.core.delivery.proof import Judge
from paneward.core.dialog.choice import Choice, place, refuse
from paneward.core.dialog.open import alive
from paneward.core.errors import Code
from paneward.core.profiles import Profile
from paneward.core.profiles.patterns import search
from paneward.core.result import Menu, Rung, SendResult, Verdict
from paneward.core.screen.appearance import ScreenState, read_appearance
from paneward.core.screen.cells import Screen
from paneward.core.screen.dialogs.asked import read_asked
from paneward.core.terminal.flow import Flow, Phase, Press, SavePhase, Watch
from paneward.core.terminal.scene import Scene

REACTION = 1.0  # seconds a menu gets to move its highlight, or to open a field
DEAF = 3.0  # seconds after which an agent that took a key and did nothing has lost it
DRAWN_SINCE = 1.0  # the same of one that has drawn other things, so much later that it must have come to the key
LATER = 0.5
CLOSING = 5.0  # seconds a dialog gets to close
CLOSING_SLOW = 15.0
SWALLOWED = 0.3
BLINK = 0.03
TRIES_TO_OPEN = 2  # how often the keys that open a field are pressed
KEYS_PER_STEP = 3  # how often a key that moved nothing is pressed again
ROUND = 60  # options of a list that scrolls
PAINTED = 0.05
SHOWN = (ScreenState.IDLE, ScreenState.BUSY)


def _shows_more(before: Menu, now: Menu) -> bool:
    """The same dialog says all that it said, and more."""
    same = (before.kind, before.question, before.options) == (now.kind, now.question, now.options)
    return same and bool(before.about) and now.about.startswith(f"{before.about}\n")


class DialogKeys:
    """A dialog to which keys are given."""

    def __init__(self, choice: Choice, order: Order, menu: Menu) -> None:
        self._choice = choice
        self._order = order
        self._menu = menu  # as it was read last
        self._fingerprint = menu.fingerprint
        self._words: Judge | None = None  # tells whether our words stand in a field

    @property
    def _profile(self) -> Profile:
        return self._order.profile

    # --- to the option

    def _go_to(self, number: float) -> Flow[None]:
        """Move the highlight, one key at a time, each seen to have moved it."""
        back, forth = ("Left", "Right") if self._menu.across else ("Up", "Down")
        for _ in range(2 * ROUND):
            if place(self._menu) == number:
                return
            yield from self._step(forth if place(self._menu) < number else back)
        raise refuse(Code.SEND_FAILED, "the highlight did not come to the option", "Answer it in the pane.", Rung.TYPED)

    def _step(self, key: str, must: bool = True) -> Flow[bool]:
        """Press an arrow and see the menu move; False where it does not."""
        for _ in range(KEYS_PER_STEP if must else 1):
            yield Press((key,))
            if (yield from self._changes(place(self._menu), place)):
                return True
        if must:
            raise refuse(
                Code.SEND_FAILED, "the dialog did not react to the arrow keys", "Answer it in the pane.", Rung.TYPED
            )
        return False

    def _changes(self, before: object, read: Callable[[Menu], object]) -> Flow[bool]:
        """Wait until what is read from the menu is something else than before. Another menu is none that was asked."""
        scene = yield Watch(BLINK)
        began = scene.now
        while True:
            alive(scene)
            now = read_asked(scene.snapshot, self._profile)
            if now is not None and self._profile.menus.unfolds and _shows_more(self._menu, now):
                self._fingerprint = now.fingerprint
            same = now is not None and now.fingerprint == self._fingerprint
            if now is not None and same and read(now) != before:
                self._menu = now
                return True
            if not same and scene.quiet >= PAINTED and scene.now - began >= SWALLOWED:
                raise refuse(
                    Code.STALE_DIALOG, "the dialog changed while it was being answered", "Read it anew.", Rung.TYPED
                )
            waited = scene.now - began
            if waited >= (REACTION if self._profile.reads else CLOSING_SLOW) or self._deaf(scene, waited):
                return False
            scene = yield Watch(BLINK)

    def _deaf(self, scene: Scene, waited: float) -> bool:
        """An agent, which cannot be seen to wait for a key, has lost the one that was pressed `waited` seconds ago."""
        unread = scene.process is not None and bool(scene.process.unread)
        drawn_since = waited >= DRAWN_SINCE and waited - scene.quiet >= LATER
        return not self._profile.reads and not unread and (waited >= DEAF or drawn_since)

    # --- keys and their effect

    def _gap(self) -> Flow[None]:
        yield Watch(self._choice.key_gap)

    def _press(self, keys: tuple[str, ...]) -> Flow[None]:
        """Keys one after the other; each is drawn, or given the time, before the next."""
        for key in keys[:-1]:
            yield Press((key,))
            yield from self._gap()
        yield Press(keys[-1:])

    def _close(self, keys: tuple[str, ...], number: float | None = None) -> Flow[SendResult]:
        """Press the keys that choose, each time with the highlight on the option, and see the dialog close."""
        for enters in range(1, KEYS_PER_STEP + 2):
            if number is not None:
                yield from self._go_to(number)
            yield SavePhase(Phase.SUBMITTING)
            yield from self._press(keys)
            closed = yield from self._closed()
            if closed is not None:
                return replace(closed, enters=enters)
        return SendResult(
            Verdict.FAILED,
            Rung.TYPED,
            "the dialog is still open",
            Code.SEND_FAILED,
            f"{' '.join(keys)} was pressed {'once' if enters == 1 else f'{enters} times'}; the dialog is still open",
            "Answer it in the pane.",
            enters=enters,
        )

    def _closed(self) -> Flow[SendResult | None]:
        """The dialog closed, and how that is known; None where it did not."""
        scene = yield Watch(BLINK)
        began, before = scene.now, ""
        while True:
            if scene.gone or scene.snapshot.dead:
                return SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "the dialog closed with its program")
            waited = scene.now - began
            said = self._instead(scene)
            if said and said == before:
                return SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, said)
            if not said and self._stays(scene, waited):
                return None
            if waited >= CLOSING_SLOW:
                return SendResult(Verdict.UNCONFIRMED, Rung.TYPED, "the dialog cannot be read any more")
            before = said
            scene = yield Watch(BLINK)

    def _instead(self, scene: Scene) -> str:
        """What is there instead of the dialog; nothing where it is still there, in mid-paint, or cannot be told."""
        if said := self._answered(scene):
            return said
        now = read_asked(scene.snapshot, self._profile)
        if now is not None:
            again = now.fingerprint == self._fingerprint
            return "" if again else f"the dialog closed, the next one asks: {now.question}"
        if self._words and self._words.read(scene).holds:
            return ""
        shown = self._profile.reads or read_appearance(scene.snapshot, self._profile, scene.process).state in SHOWN
        return "the dialog closed" if shown else ""

    def _answered(self, scene: Scene) -> str:
        """What the program says of an answer that it took while it still shows the dialog."""
        pattern = self._profile.menus.answered
        rows = (row.text.strip() for row in Screen.of(scene.snapshot).rows) if pattern else ()
        return next((f"the dialog was answered: {row}" for row in rows if search(pattern, row)), "")

    def _stays(self, scene: Scene, waited: float) -> bool:
        """The dialog is there, and the key was lost or the time is up."""
        now = read_asked(scene.snapshot, self._profile)
        if self._profile.reads:
            waiting = scene.process is None or scene.process.reading is not False
            same = now == self._menu or self._words is not None
            return waited >= CLOSING or (waited >= SWALLOWED and waiting and same)
        lost = self._deaf(scene, waited)
        if lost and now is not None:
            self._menu = now
        return lost and (now is not None or bool(self._words and self._words.read(scene).holds))
