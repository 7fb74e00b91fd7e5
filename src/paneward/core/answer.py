"""Answering a dialog by what it says, not by where it stands: a flow.

The dialog is read anew after every key, so a key that was swallowed or a dialog that changed is noticed before
anything is chosen. A key that chooses is pressed again only where the first is known to be lost: an agent that is slow
would take a second one for the answer to its next dialog.

What surprised us:
- Claude Code draws a dialog twice within 150 ms. A key in between is swallowed, or the highlight goes elsewhere. So a
  dialog must have stood for a while, and each time before Enter the highlight is where it belongs.
- That a key was read says nothing; that the agent has drawn something since, and the dialog is the same, does.
- In some lists letters and digits act at once: only arrows and Enter are used.
- A reason for a "no" is typed into the dialog in one agent; in the next it is a message that follows the refusal.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from paneward.core.asking import alive, dialog, line_prompt, unclear, unread, words_in_field
from paneward.core.choice import Choice, Refused, check, find_option, place, refuse, ticked
from paneward.core.delivery import AFTERMATH, Order, deliver
from paneward.core.errors import Code, TmuxError
from paneward.core.field import field_open, type_words
from paneward.core.flow import Flow, Look, Mark, Phase, Press, Rest, Type, Watch
from paneward.core.profiles import Profile
from paneward.core.result import Menu, Option, Rung, SendResult, Verdict
from paneward.core.scene import Scene
from paneward.core.screen.appearance import State, read_appearance
from paneward.core.screen.asked import read_asked
from paneward.core.screen.menu import REFUSABLE
from paneward.core.submission import Judge

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
SHOWN = (State.IDLE, State.BUSY)


def answer(choice: Choice, order: Order) -> Flow[SendResult]:
    """Answer the dialog on the screen; `order` says how free text is to be delivered."""
    try:
        if order.resume is not None:
            return (yield from _resume(choice, order, order.resume))
        return (yield from _afresh(choice, order))
    except Refused as refused:
        return refused.result
    except TmuxError as error:
        return SendResult(Verdict.FAILED, Rung.NOTHING, error.message, error.code, error.message, error.hint)


def _afresh(choice: Choice, order: Order) -> Flow[SendResult]:
    menu = yield from dialog(choice, order)
    if isinstance(menu, SendResult):
        return menu
    check(menu, choice)
    yield Mark(Phase.INTENDED)
    return (yield from Answer(choice, order, menu).run())


def _resume(choice: Choice, order: Order, phase: Phase) -> Flow[SendResult]:
    """Go on after a crash: read the pane before any key is pressed."""
    scene = yield Rest(AFTERMATH)
    menu = read_asked(scene.snapshot, order.profile)
    if menu is None and choice.fingerprint is None:
        return (yield from line_prompt(choice, order))
    if choice.multi is None and (words := words_in_field(choice, order, scene)):
        return (yield from Answer(choice, order, menu or unread(choice)).hand_in(words))
    if phase is Phase.INTENDED:
        return (yield from _afresh(choice, replace(order, resume=None)))
    if phase is Phase.SUBMITTING and (menu is None or menu.fingerprint != choice.fingerprint):
        return SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "after a crash, the dialog is no longer open", enters=1)
    return SendResult(Verdict.UNCONFIRMED, Rung.TYPED, unclear(menu, phase))


class Answer:
    """One answer under way."""

    def __init__(self, choice: Choice, order: Order, menu: Menu) -> None:
        self._choice = choice
        self._order = order
        self._menu = menu  # as it was read last
        self._fingerprint = menu.fingerprint
        self._words: Judge | None = None  # tells whether our words stand in a field

    @property
    def _profile(self) -> Profile:
        return self._order.profile

    def run(self) -> Flow[SendResult]:
        choice, menu = self._choice, self._menu
        if menu.field:
            return (yield from self._in_field())
        wanted = choice.multi if choice.multi is not None else () if choice.select is None else (choice.select,)
        chosen = yield from self._find(wanted)
        if menu.multi and (choice.select is None or chosen[0].checked is not None):
            return (yield from self._tick(chosen))
        if choice.words is not None:
            option = chosen[0] if chosen else (yield from self._free_option())
            return (yield from self._with_words(option))
        return (yield from self._choose(chosen[0]))

    # --- which option

    def _find(self, wanted: tuple[int | str, ...]) -> Flow[list[Option]]:
        """The options asked for; a list that scrolls is walked through until they are seen."""
        try:
            return [find_option(self._menu, one) for one in wanted]
        except Refused:
            if not self._menu.hidden:
                raise
        whole = yield from self._walk_through()
        return [find_option(whole, one) for one in wanted]

    def _free_option(self) -> Flow[Option]:
        menu = self._menu
        if menu.free_text is None and menu.hidden:
            menu = yield from self._walk_through()
        if menu.free_text is None:
            raise refuse(
                Code.NO_FREE_TEXT,
                f"the dialog takes no free text: {menu.question}",
                "Choose one of its options with select.",
            )
        return menu.options[menu.free_text]

    def _walk_through(self) -> Flow[Menu]:
        """The menu with all its options, seen one screenful after the other: down once round, or to the end."""
        seen = {option.number: option for option in self._menu.options}
        free = self._free_number()
        began, key = place(self._menu), "Down"
        for _ in range(ROUND):
            moved = yield from self._step(key, must=False)
            seen |= {option.number: option for option in self._menu.options}
            free = free if free is not None else self._free_number()
            if not moved and key == "Up":
                break
            key = key if moved else "Up"
            if place(self._menu) == began:
                break
        options = tuple(seen[number] for number in sorted(seen))
        at = next((i for i, option in enumerate(options) if option.number == free), None)
        return replace(self._menu, options=options, free_text=at, hidden=False)

    def _free_number(self) -> int | None:
        menu = self._menu
        return None if menu.free_text is None else menu.options[menu.free_text].number

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

    # --- the answers

    def _choose(self, option: Option) -> Flow[SendResult]:
        if self._menu.line:
            yield Type(option.key)
            yield from self._gap()
            return (yield from self._close(("Enter",)))
        if self._menu.keys:
            return (yield from self._close((option.key,)))
        return (yield from self._close(("Enter",), option.number))

    def _tick(self, chosen: list[Option]) -> Flow[SendResult]:
        """Tick what is asked for and nothing else, add words where there are some, and hand it in."""
        yield from self._untick_others({option.number for option in chosen})
        if self._choice.words is not None:
            yield from self._add_words()
        menus = self._profile.menus
        if menus.done:
            return (yield from self._close(("Enter",), float("inf")))
        if menus.hand_in:
            return (yield from self._close(menus.hand_in))
        submit = next((o for o in self._menu.options if o.checked is None and "submit" in o.label.casefold()), None)
        return (yield from self._close(("Enter",), submit.number if submit else None))

    def _untick_others(self, chosen: set[int]) -> Flow[None]:
        options = self._menu.options
        if self._menu.hidden:
            options = (yield from self._walk_through()).options
        for option in options:
            if option.checked is None or option.checked == (option.number in chosen):
                continue
            yield from self._go_to(option.number)
            yield Press(self._profile.menus.toggle)
            if not (yield from self._changes(option.checked, partial(ticked, number=option.number))):
                raise refuse(
                    Code.SEND_FAILED, f"{option.label!r} could not be ticked", "Answer it in the pane.", Rung.TYPED
                )

    def _add_words(self) -> Flow[None]:
        option = yield from self._free_option()
        yield from self._go_to(option.number)
        scene = yield from self._opened(self._profile.menus.field)
        if scene is None:
            raise refuse(Code.NO_FREE_TEXT, f"{option.label!r} opened no field", "Answer it in the pane.", Rung.TYPED)
        yield from self._type(scene)
        if self._profile.menus.keep:
            yield from self._press(self._profile.menus.keep)
        yield from self._read_again()

    def _read_again(self) -> Flow[None]:
        """The menu with our words in it: its options say something else now."""
        scene = yield Look()
        began = scene.now
        while (now := read_asked(scene.snapshot, self._profile)) is None and scene.now - began < DEAF:
            scene = yield Watch(BLINK)
        if now is not None:
            self._menu, self._fingerprint = now, now.fingerprint

    def _in_field(self) -> Flow[SendResult]:
        """The dialog is a field: words, and Enter."""
        if self._choice.words is None:
            raise refuse(Code.UNKNOWN_OPTION, f"words are asked for: {self._menu.question}", "Answer with text.")
        return (yield from self._submit_words((yield Look())))

    def _with_words(self, option: Option) -> Flow[SendResult]:
        """Choose an option and give words with it: in its field, or as the message that follows."""
        refusable = self._menu.kind in REFUSABLE
        if not self._menu.line:
            yield from self._go_to(option.number)
            scene = yield from self._opened(self._profile.menus.amend if refusable else self._profile.menus.field)
            if scene is not None:
                return (yield from self._submit_words(scene))
        if option.number != self._free_number():
            raise refuse(
                Code.NO_FREE_TEXT, f"{option.label!r} takes no words", "Choose it with select alone.", Rung.TYPED
            )
        chosen = yield from self._choose(option)
        if not chosen.success:
            return chosen
        yield Mark(Phase.INTENDED)  # the words are still to come
        sent = yield from deliver(self._order)
        return replace(sent, notes=(*sent.notes, f"{option.label!r} was chosen, the words follow as a message"))

    def _opened(self, keys: tuple[str, ...]) -> Flow[Scene | None]:
        """The scene in which the field of the highlighted option is open, or None where it has none."""
        scene = yield Look()
        if field_open(scene, self._profile):
            return scene
        for _ in range(TRIES_TO_OPEN if keys else 0):
            yield from self._press(keys)
            scene = yield from self._until_field()
            if field_open(scene, self._profile):
                return scene
        return None

    def _until_field(self) -> Flow[Scene]:
        scene = yield Watch(BLINK)
        began = scene.now
        while not field_open(scene, self._profile):
            alive(scene)
            waited = scene.now - began
            if waited >= (REACTION if self._profile.reads else DEAF) or self._deaf(scene, waited):
                break
            scene = yield Watch(BLINK)
        return scene

    def _type(self, scene: Scene) -> Flow[None]:
        typed = yield from type_words(self._order, scene)
        if isinstance(typed, SendResult):
            raise Refused(typed)
        self._words = typed

    def hand_in(self, words: Judge) -> Flow[SendResult]:
        """Submit what stands in the field."""
        self._words = words
        return (yield from self._close(("Enter",)))

    def _submit_words(self, scene: Scene) -> Flow[SendResult]:
        yield from self._type(scene)
        result = yield from self._close(("Enter",))
        return replace(result, notes=(*self._order.notes, *result.notes))

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
            yield Mark(Phase.SUBMITTING)
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
        now = read_asked(scene.snapshot, self._profile)
        if now is not None:
            again = now.fingerprint == self._fingerprint
            return "" if again else f"the dialog closed, the next one asks: {now.question}"
        if self._words and self._words.read(scene).holds:
            return ""
        shown = self._profile.reads or read_appearance(scene.snapshot, self._profile, scene.process).state in SHOWN
        return "the dialog closed" if shown else ""

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
