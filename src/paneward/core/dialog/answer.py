"""Answering a dialog by what it says, not by where it stands: a flow.

What surprised us:
- Claude Code draws a dialog twice within 150 ms. A key in between is swallowed, or the highlight goes elsewhere. So a
  dialog must have stood for a while, and each time before Enter the highlight is where it belongs.
- In some lists letters and digits act at once: only arrows and Enter are used.
- A reason for a "no" is typed into the dialog in one agent; in the next it is a message that follows the refusal.
"""

from dataclasses import replace
from functools import partial

from paneward.core.delivery.deliver import AFTERMATH, Order, deliver
from paneward.core.delivery.proof import Judge
from paneward.core.dialog.choice import Choice, ChoiceRefused, check, find_option, place, refuse, ticked
from paneward.core.dialog.field import field_open, type_words
from paneward.core.dialog.keys import BLINK, DEAF, KEYS_PER_STEP, REACTION, ROUND, TRIES_TO_OPEN, DialogKeys
from paneward.core.dialog.open import alive, dialog, line_prompt, press_key, unclear, unread, words_in_field
from paneward.core.errors import Code, TmuxError, Unanswered
from paneward.core.result import Menu, Option, Rung, SendResult, Verdict
from paneward.core.screen.dialogs.asked import read_asked
from paneward.core.screen.dialogs.menu import REFUSABLE
from paneward.core.terminal.flow import Flow, Look, Phase, Press, Rest, SavePhase, Type, Watch
from paneward.core.terminal.scene import Scene


def answer(choice: Choice, order: Order) -> Flow[SendResult]:
    """Answer the dialog on the screen; `order` says how free text is to be delivered."""
    try:
        if order.resume is not None:
            return (yield from _resume(choice, order, order.resume))
        return (yield from _afresh(choice, order))
    except ChoiceRefused as refused:
        return refused.result
    except Unanswered as error:
        return SendResult(Verdict.UNCONFIRMED, Rung.TYPED, f"{error.message}; look at the pane before you answer again")
    except TmuxError as error:
        return SendResult(Verdict.FAILED, Rung.NOTHING, error.message, error.code, error.message, error.hint)


def _afresh(choice: Choice, order: Order) -> Flow[SendResult]:
    if choice.key is not None:
        return (yield from press_key(choice, order, choice.key))
    menu = yield from dialog(choice, order)
    if isinstance(menu, SendResult):
        return menu
    check(menu, choice)
    yield SavePhase(Phase.INTENDED)
    return (yield from MenuAnswer(choice, order, menu).run())


def _resume(choice: Choice, order: Order, phase: Phase) -> Flow[SendResult]:
    """Go on after a crash: read the pane before any key is pressed."""
    if choice.key is not None:
        if phase is Phase.INTENDED:
            return (yield from _afresh(choice, replace(order, resume=None)))
        return SendResult(Verdict.UNCONFIRMED, Rung.TYPED, "after a crash: whether the key was taken is not known")
    scene = yield Rest(AFTERMATH)
    menu = read_asked(scene.snapshot, order.profile)
    if menu is None and choice.fingerprint is None:
        return (yield from line_prompt(choice, order))
    if choice.multi is None and (words := words_in_field(choice, order, scene)):
        return (yield from MenuAnswer(choice, order, menu or unread(choice)).hand_in(words))
    if phase is Phase.INTENDED:
        return (yield from _afresh(choice, replace(order, resume=None)))
    if phase is Phase.SUBMITTING and (menu is None or menu.fingerprint != choice.fingerprint):
        return SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, "after a crash, the dialog is no longer open", enters=1)
    return SendResult(Verdict.UNCONFIRMED, Rung.TYPED, unclear(menu, phase))


class MenuAnswer(DialogKeys):
    """One answer under way."""

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
        except ChoiceRefused:
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
                "Choose one of its options with --select.",
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
        """Every box as it is wanted. One that did not change is looked at anew before its key is pressed again: it may
        have changed late."""
        for _ in range(KEYS_PER_STEP):
            missed = ""
            for option in (yield from self._all_options()):
                if option.checked is None or option.checked == (option.number in chosen):
                    continue
                yield from self._go_to(option.number)
                yield Press(self._profile.menus.toggle)
                if not (yield from self._changes(option.checked, partial(ticked, number=option.number))):
                    missed = option.label
            if not missed:
                return
            yield from self._read_again()
        raise refuse(Code.SEND_FAILED, f"{missed!r} could not be ticked", "Answer it in the pane.", Rung.TYPED)

    def _all_options(self) -> Flow[tuple[Option, ...]]:
        return (yield from self._walk_through()).options if self._menu.hidden else self._menu.options

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
        """The menu as it is now: with our words in it, its options say something else."""
        scene = yield Look()
        began = scene.now
        while (now := read_asked(scene.snapshot, self._profile)) is None and scene.now - began < DEAF:
            scene = yield Watch(BLINK)
        if now is not None:
            self._menu, self._fingerprint = now, now.fingerprint

    def _in_field(self) -> Flow[SendResult]:
        """The dialog is a field: words, and Enter."""
        if self._choice.words is None:
            raise refuse(Code.UNKNOWN_OPTION, f"words are asked for: {self._menu.question}", "Answer with --text.")
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
                Code.NO_FREE_TEXT, f"{option.label!r} takes no words", "Choose it with --select alone.", Rung.TYPED
            )
        chosen = yield from self._choose(option)
        if not chosen.success:
            return chosen
        yield SavePhase(Phase.INTENDED)  # the words are still to come
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
            raise ChoiceRefused(typed)
        self._words = typed

    def hand_in(self, words: Judge) -> Flow[SendResult]:
        """Submit what stands in the field."""
        self._words = words
        return (yield from self._close(("Enter",)))

    def _submit_words(self, scene: Scene) -> Flow[SendResult]:
        yield from self._type(scene)
        result = yield from self._close(("Enter",))
        return replace(result, notes=(*self._order.notes, *result.notes))
