"""Typing a text into a program and proving that it went in: a flow.

Preflight, type, see it rendered, settle, submit, see the composer let go of it. A text is typed again only where
the program dropped it before submit; whatever goes wrong later, a retry presses submit and nothing else.

What surprised us: the text stays on the screen after it was submitted, as transcript; so only what stands at
the insertion point counts. And a program that has taken the bytes may still be painting: submit is pressed
again only when the program is seen waiting for input with our text still in front of it.
"""

from dataclasses import replace

from paneward.core.delivery.draft import give_back, put_aside, taken_out
from paneward.core.delivery.input import pastes, too_long
from paneward.core.delivery.interrupt import ESCAPE_REST, interrupt
from paneward.core.delivery.one_key import Prompt, Reaction, prompt_for_keys, reaction, refused, taken
from paneward.core.delivery.order import Order as Order
from paneward.core.delivery.preflight import Clear, Refusal, at_rest, clear_to_type
from paneward.core.delivery.progress import Progress
from paneward.core.delivery.proof import ComposerReading, Judge, ProofOutcome
from paneward.core.delivery.retype import NOTE, Typings
from paneward.core.delivery.snippet import typing_delay
from paneward.core.delivery.unanswered import answered
from paneward.core.errors import Code, PaneMoved, TmuxError, Unanswered
from paneward.core.result import Rung, SendResult
from paneward.core.screen.appearance import troubles
from paneward.core.terminal.flow import Flow, LeaveMode, Look, Paste, Phase, Press, Rest, SavePhase, Type, Watch
from paneward.core.terminal.scene import Scene, Snapshot

UNSEEN = 2.0  # seconds of silence after which a text that left no trace counts as not drawn
UNSEEN_YET = 8.0  # the same of a program that takes its input at all times, and draws it when it comes to it
RENDER = 10.0  # seconds a program that never falls silent gets to draw what was typed
ODD = 1.0  # seconds of silence after which a text that was drawn in another form counts as drawn
VERIFY = 5.0  # seconds a program gets to react to submit
SWALLOWED = 0.3  # seconds without a reaction after which a waiting program has not taken submit
SWALLOWED_BLIND = 0.6  # the same where the process cannot be seen
SWALLOWED_EARLY = 1.0  # the same where it reads at all times, so that this says nothing
AS_SLOW = 3  # a program that took a while to draw the text gets so many times as long to react to submit
SEEN_HELD = 2  # looks at a waiting program that still holds the text, before submit is pressed again
TWICE = 0.004  # seconds between two looks that must agree
GHOST_STAYS = 1.0  # seconds after which dim text that Escape did not take away is none that submit would accept
BLINK = 0.03
STIRS = 3  # how often a screen that moved right before typing is judged again, before typing goes without that guard
LEFT_BEHIND = (
    "the text of an earlier send stood in the composer, and was never submitted: it was taken out, and is kept in the "
    "tmux buffer paneward-draft-{}"
)
UNSURE = "Read the pane: what stands there was not submitted."
AFTERMATH = 1.0  # seconds after a crash in which typed text may still be on its way to the screen


def deliver(order: Order) -> Flow[SendResult]:
    """Deliver a text; whatever the outside does, the answer is a result that says how far it came."""
    return DeliverySteps(order).run()


class DeliverySteps(Progress):
    """One delivery under way: the steps that take it further."""

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self._judge = Judge(self._defused.text, order.profile, asked=order.text, command=order.as_command)
        self._typings = Typings(self._defused.text, order.terms)
        self._submit = order.profile.submit
        self._prompt: Prompt | None = None  # at which each key may act at once
        self._behind = False  # the text was seen behind the question that it answers
        self._drawn_in = 0.0  # seconds the program took to draw the text

    def run(self) -> Flow[SendResult]:
        if self._defused.left is not None:
            return self._no_text(self._defused.left)
        try:
            if self._order.resume is not None:
                return (yield from self._resume(self._order.resume))
            return (yield from self._afresh())
        except Unanswered as error:
            return (yield from self._unanswered(error))
        except TmuxError as error:
            return self._failed(error.code, error.message, error.hint)

    def _resume(self, phase: Phase) -> Flow[SendResult]:
        """Go on after a crash: read the pane before anything is typed."""
        scene = yield Rest(AFTERMATH)
        reading = self._judge.read(scene)
        if reading.holds:
            self._rung = Rung.RENDERED
            return (yield from self._settle_and_submit(scene))
        match phase:
            case Phase.INTENDED:
                return (yield from self._afresh())
            case Phase.TYPED:
                self._rung = Rung.TYPED
                return self._unconfirmed("the text stood in the composer before a crash, and no longer does")
        self._enters = 1
        return self._confirmed("after a crash while submitting, the composer no longer holds the text")

    def _unanswered(self, error: Unanswered) -> Flow[SendResult]:
        """What was handed to tmux may have been done: look again when it answers, and go on from there."""
        if self._rung is Rung.NOTHING:
            self._rung = Rung.TYPED
        scene = yield from answered()
        if scene is None:
            return self._unconfirmed(f"{error.message}; look at the pane before it is sent again")
        if self._enters:
            return (yield from self._verify())
        if self._judge.read(scene).holds:
            self._rung = Rung.RENDERED
            return (yield from self._settle_and_submit(scene))
        return self._unconfirmed(f"{error.message}; the text does not stand in the composer")

    def _afresh(self) -> Flow[SendResult]:
        """Type and submit; what the program dropped before that is typed again."""
        while (result := (yield from self._once())) is None:
            yield Press(self._typings.again())
            self._order = replace(self._order, notes=(*self._order.notes, NOTE))
        return result

    def _once(self) -> Flow[SendResult | None]:
        start = yield from self._typed()
        if isinstance(start, SendResult):
            return start
        self._notes = troubles(start.scene, self._order.profile)
        if self._prompt is None and not start.draft:
            self._typings.typed(start.scene)
        result = (yield from self._key_taken(start.scene)) or (yield from self._see_and_submit())
        if result is None or not start.draft:
            return result
        return replace(result, notes=(*result.notes, *(yield from give_back(start.draft, self._order.profile))))

    def _typed(self) -> Flow[Clear | SendResult]:
        """Wait until the text may be typed, and type it; a screen that moved in between is judged again."""
        stirs = 0
        while True:
            start = yield from self._clear()
            if isinstance(start, SendResult):
                return start
            self._judge.begin(start.scene)
            guarded = stirs < STIRS and not start.draft
            try:
                yield from self._type(start.scene.snapshot if guarded else None)
                return start
            except PaneMoved:
                stirs += 1

    def _clear(self) -> Flow[Clear | SendResult]:
        """Wait until the text may be typed, and make room for it."""
        start = yield from clear_to_type(self._order.terms)
        if isinstance(start, Refusal):
            return self._failed(start.code, start.evidence, start.hint)
        self._prompt = None if self._order.as_command else prompt_for_keys(start.scene, self._order.profile)
        text = self._defused.text
        room = too_long(text, start.scene) or refused(self._prompt, text) or (yield from self._make_room(start))
        if isinstance(room, Refusal):
            return self._failed(room.code, room.evidence, room.hint)
        return room

    def _make_room(self, start: Clear) -> Flow[Clear | Refusal]:
        if start.submit:
            self._submit = start.submit
        if start.interrupt:
            return (yield from interrupt(start.scene, self._order.terms))
        if not start.draft:
            return start
        room = yield from put_aside(start, self._order.profile)
        if isinstance(room, Refusal) or not start.ours:
            return room
        note = LEFT_BEHIND.format(start.scene.snapshot.pane.lstrip("%"))
        self._order = replace(self._order, notes=(*self._order.notes, note))
        return replace(room, draft="")

    def _type(self, seen: Snapshot | None = None) -> Flow[None]:
        yield SavePhase(Phase.INTENDED)
        text = self._defused.text if self._prompt is None else self._defused.text[:1]
        yield self._act(text, seen)
        self._rung = Rung.TYPED

    def _act(self, text: str, seen: Snapshot | None) -> Type | Paste:
        return Paste(text, seen) if pastes(text, self._order.profile) else Type(text, seen)

    def _key_taken(self, before: Scene) -> Flow[SendResult | None]:
        """What came of the first key, where each may act at once. None: more is waited for, and submit."""
        if self._prompt is None:
            return None
        key, rest = self._defused.text[:1], self._defused.text[1:]
        reacted, scene = yield from reaction(before, key, self._order.profile, self._prompt.sure)
        if reacted is not Reaction.STANDS or self._prompt.sure:
            return replace(taken(self._prompt, reacted, key, rest), notes=self._order.notes)
        if rest:
            yield self._act(rest, scene.snapshot)
        return None

    def _see_and_submit(self) -> Flow[SendResult | None]:
        """None: the program dropped it, and it may be typed again."""
        scene = yield Watch(BLINK, process=False)
        began = scene.now
        while True:
            reading = self._judge.read(scene)
            waited = scene.now - began
            if scene.gone or scene.snapshot.dead:
                return self._lost(scene)
            if reading.foreign:
                return self._mixed()
            if reading.holds:
                self._rung, self._drawn_in = Rung.RENDERED, waited
                self._behind = self._judge.behind_question(scene)
                break
            if self._cannot_be_seen(scene, reading, waited):
                break
            if not reading.changed and self._typings.dropped(scene):
                if waited >= self._typings.gap:
                    return None
            elif self._never_came(scene, reading, waited):
                return self._failed(
                    Code.SEND_FAILED,
                    "what was typed never appeared in the pane",
                    "Is the program taking input? `paneward explain` shows what it does.",
                )
            scene = yield Watch(BLINK)
        if self._typings.missed and not (yield from self._typings.stays_alone(scene)):
            return self._failed(Code.SEND_FAILED, "it was typed again, and does not stand there once", UNSURE)
        yield SavePhase(Phase.TYPED)
        return (yield from self._settle_and_submit(scene))

    def _cannot_be_seen(self, scene: Scene, reading: ComposerReading, waited: float) -> bool:
        """No look will show the text: the terminal does not echo, or the program drew it in its own way."""
        if scene.process and scene.process.echo is False and scene.process.canonical:
            return True
        if scene.process and scene.process.unread:
            return False
        return reading.changed and (scene.quiet >= ODD or waited >= RENDER)

    def _never_came(self, scene: Scene, reading: ComposerReading, waited: float) -> bool:
        if scene.process and scene.process.unread:
            return waited >= self._order.terms.timeout
        unseen = UNSEEN if self._order.profile.reads else UNSEEN_YET
        return not reading.changed and (min(scene.quiet, waited) >= unseen or waited >= RENDER)

    def _settle_and_submit(self, scene: Scene) -> Flow[SendResult]:
        scene = yield from self._settle(scene)
        scene = yield from self._seen_again(scene)
        if scene.gone or scene.snapshot.dead:
            return self._lost(scene)
        if self._vanished(scene):
            return self._unconfirmed("the text stood in the composer, and was gone before submit was pressed")
        scene = yield from self._dismiss_ghost(scene)
        if self._judge.read(scene).foreign:
            return self._mixed()
        if self._question_changed(scene):
            evidence = "the question changed before submit was pressed"
            return self._failed(Code.STALE_DIALOG, evidence, "Read the pane: what was typed may stand there.")
        if not self._order.as_command and (mode := self._judge.mode(scene)):
            return (yield from self._take_back(mode))
        self._judge.settled(scene)
        yield SavePhase(Phase.SUBMITTING)
        yield Press(self._next_key())
        if not self._order.verify:
            return replace(self._confirmed("tmux took the text and the key"), rung=Rung.TYPED)
        return (yield from self._verify())

    def _question_changed(self, scene: Scene) -> bool:
        return (self._behind and not self._judge.behind_question(scene)) or self._judge.another_question(scene)

    def _take_back(self, mode: str) -> Flow[SendResult]:
        """The program took the text for something else: it is not submitted, and taken out again where that is safe."""
        cut = self._order.profile.cut
        scene = (yield from taken_out(self._order.profile)) if cut else (yield Look())
        left = self._judge.read(scene).text or self._judge.mode(scene)
        fate = "it still stands there" if left else "it was taken out again"
        return self._failed(
            Code.NOT_TAKEN_AS_TEXT,
            f"the text put the composer into its mode for {mode}; {fate}",
            "If that is what you want, send it with as_command; else tell the profile with a guard.",
        )

    def _next_key(self) -> tuple[str, ...]:
        key = self._submit[min(self._enters, len(self._submit) - 1)]
        self._enters += 1
        return (key,)

    def _settle(self, scene: Scene) -> Flow[Scene]:
        """Until the composer has stood still as long as this kind of program needs."""
        order, seen_at = self._order, scene.now
        floor = typing_delay(len(self._defused.text), order.base_delay) if order.profile.floor else 0.0
        delay = max(order.profile.settle, floor)
        while (left := seen_at + delay - scene.now) > 0 and not (scene.gone or scene.snapshot.dead):
            scene = yield Watch(left, process=False)
        if delay and not order.profile.reads:
            scene = yield from at_rest((yield Look()))
        while scene.snapshot.in_mode and not scene.gone:
            yield LeaveMode()
            scene = yield Look()
        return scene

    def _vanished(self, scene: Scene) -> bool:
        """The composer had the text, and now it is empty or away: submit would mean something else."""
        if self._rung is not Rung.RENDERED or not self._order.profile.framed or scene.gone:
            return False
        reading = self._judge.read(scene)
        return not (reading.holds or reading.text)

    def _seen_again(self, scene: Scene) -> Flow[Scene]:
        """What is drawn anew is empty for a moment."""
        began = scene.now
        while self._vanished(scene) and not scene.snapshot.dead and scene.now - began < VERIFY:
            scene = yield Watch(BLINK)
        return scene

    def _dismiss_ghost(self, scene: Scene) -> Flow[Scene]:
        if not (self._order.ghost and self._order.profile.escape_dismisses and self._judge.read(scene).ghost):
            return scene
        yield Press(("Escape",))
        scene = yield Rest(max(self._order.clear_delay, ESCAPE_REST))
        rested = scene.now
        # A program that has not come to Escape yet would read it together with Enter.
        while self._judge.read(scene).ghost and scene.now - rested < max(GHOST_STAYS, self._patience):
            scene = yield Watch(BLINK)
        return scene

    def _verify(self) -> Flow[SendResult]:
        scene = yield Watch(BLINK)
        pressed_at, held = scene.now, 0
        while True:
            since = scene.now - pressed_at
            outcome, evidence = self._judge.after_submit(scene, since)
            held = held + 1 if outcome is ProofOutcome.HOLDS and self._swallowed(scene, since) else 0
            match outcome:
                case ProofOutcome.LET_GO:
                    return self._confirmed(evidence + self._judge.beside(scene))
                case ProofOutcome.ENDED:
                    return self._unconfirmed(evidence)
                case ProofOutcome.THROWN:
                    return self._failed(Code.SEND_FAILED, evidence, "Send it again: the program did not get it.")
                case ProofOutcome.GREW if self._swallowed(scene, since):
                    return self._unconfirmed(evidence)
                case ProofOutcome.HOLDS if held >= SEEN_HELD:
                    if self._enters > self._order.retries:
                        return self._still_held()
                    scene = yield from self._submit_again(scene)
                    pressed_at, held = scene.now, 0
                    continue
            if since >= max(VERIFY, 2 * self._order.profile.takes):
                return self._unconfirmed(evidence)
            scene = yield Watch(self._until_next_look(outcome, scene))

    def _submit_again(self, scene: Scene) -> Flow[Scene]:
        yield from self._dismiss_ghost(scene)
        yield Press(self._next_key())
        return (yield Watch(BLINK))

    def _until_next_look(self, outcome: ProofOutcome, scene: Scene) -> float:
        if outcome is not ProofOutcome.LIKELY:
            return BLINK
        done_painting = scene.process is not None and scene.process.reading is True
        return 0.0 if done_painting else TWICE

    def _swallowed(self, scene: Scene, since: float) -> bool:
        """The program waits for input again, and our text still stands in front of it."""
        process = scene.process
        if process is None or process.reading is None:
            return since >= max(SWALLOWED_BLIND, self._patience)
        swallowed = max(SWALLOWED if self._order.profile.reads else SWALLOWED_EARLY, self._order.profile.takes)
        return since >= max(swallowed, self._patience) and process.reading and not process.unread

    @property
    def _patience(self) -> float:
        """Seconds to wait for a program that draws as slowly as this one did."""
        return min(AS_SLOW * self._drawn_in, VERIFY / 2)
