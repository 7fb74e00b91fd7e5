"""Prompts that take one key, without Enter: functions and flows.

`read -n1`, getch, `git add -p`, pagers and installers act on each key. An Enter behind the key, or the rest of a word,
would answer the next question. So at such a prompt a key is typed and looked at, and nothing follows unless the same
question still stands with the key behind it: then a line editor reads there, which waits for Enter.

What surprised us: most line editors and most one-key prompts leave the terminal in the same mode. Only a terminal that
echoes by itself, without collecting lines, is never a line editor's.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from paneward.core.delivery.preflight import Refusal
from paneward.core.errors import Code
from paneward.core.profiles import Profile
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.screen.cells import Screen
from paneward.core.screen.composer import Composer, ends_with, essence, read_composer
from paneward.core.screen.dialogs.question import key_wanted, pager, question, stands
from paneward.core.terminal.flow import Flow, Watch
from paneward.core.terminal.scene import Scene

PAGERS = frozenset({"less", "more", "most", "man", "pg", "bat"})
BLINK = 0.03
DRAWN = 0.1  # seconds without output after which a program that waits for keys has drawn what it will
STILL = 0.3  # seconds without output after which a line that changed is not in mid-paint
UNSEEN = 2.0  # seconds without any reaction after which a key was ignored
REACTS = 10.0  # seconds a program that never falls silent gets to react to a key
_CHOICES = re.compile(r"[\[(<]([^\[\]()<>]{1,60})[\])>]\W*$|\b((?:\w+/)+\w+)\W*$")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question at which each key may act at once."""

    asked: str
    sure: bool  # no line editor reads there
    pages: bool = False  # it is a pager's
    offered: frozenset[str] = frozenset()  # the letters that it names; empty: none


class Reaction(StrEnum):
    TAKEN = "taken"  # the question is gone
    STANDS = "stands"  # the key stands behind the question
    IGNORED = "ignored"
    ENDED = "ended"  # the pane or its program went away


UNTAKEN = {
    Reaction.STANDS: "the key stands behind the question, and the program waits for more, or for Enter",
    Reaction.IGNORED: "nothing changed after the key",
    Reaction.ENDED: "the program ended right after the key",
}


def prompt_for_keys(scene: Scene, profile: Profile) -> Prompt | None:
    """The prompt at which a key may act at once; None where whole lines are read, or nothing is asked."""
    process, screen = scene.process, Screen.of(scene.snapshot)
    if profile.framed or (process is not None and process.canonical):
        return None
    asked = question(screen)
    if process is not None and process.command in PAGERS:
        return Prompt(asked or process.command, sure=True, pages=True)
    if asked is None:
        return None
    echoes = process is not None and process.canonical is False and process.echo is True
    pages = pager(screen)
    return Prompt(asked, pages or echoes or key_wanted(screen), pages, _offered(asked))


def _offered(asked: str) -> frozenset[str]:
    found = _CHOICES.search(asked)
    words = re.split(r"[/,|\s]+", found[1] or found[2]) if found else []
    return frozenset(word[0].casefold() for word in words if word) if len(words) > 1 else frozenset()


def refused(prompt: Prompt | None, text: str) -> Refusal | None:
    """Why a text cannot be typed at such a prompt: more than one of its characters would act."""
    if prompt is None or (len(text) <= 1 and not prompt.pages):
        return None
    if prompt.pages:
        return Refusal(
            Code.BLOCKED_BY_DIALOG,
            f"a pager is open, in which each key acts: {prompt.asked}",
            "`paneward keys PANE q` leaves it.",
        )
    if prompt.sure or (prompt.offered and text[0].casefold() not in prompt.offered):
        return Refusal(
            Code.BLOCKED_BY_DIALOG,
            f"the question takes one key, not {len(text)} characters: {prompt.asked}",
            "`paneward answer PANE --key KEY` presses one.",
        )
    return None


def taken(prompt: Prompt, reacted: Reaction, key: str, rest: str) -> SendResult:
    """The receipt of a key that acted, or was meant to; the `rest` of the text was not typed."""
    match reacted:
        case Reaction.TAKEN if not rest:
            told = f"the program took the key at once, and Enter was not pressed: {prompt.asked}"
            return SendResult(Verdict.CONFIRMED, Rung.SUBMITTED, told)
        case Reaction.TAKEN:
            told = f"the program took {key!r} alone, at once; the rest was not typed"
            hint = "Read the pane; `paneward answer PANE --key KEY` presses one key."
            return SendResult(Verdict.FAILED, Rung.TYPED, told, Code.NOT_TAKEN_AS_TEXT, told, hint)
    return SendResult(Verdict.UNCONFIRMED, Rung.TYPED, f"{UNTAKEN[reacted]}: {prompt.asked}")


def reaction(before: Scene, key: str, profile: Profile, sure: bool = True) -> Flow[tuple[Reaction, Scene]]:
    """What came of a key that was typed at the prompt of `before`; unless it is `sure` to act, a line editor may have
    it, which is seen when it waits for more with the key behind the question."""
    old = read_composer(Screen.of(before.snapshot), profile)
    scene = yield Watch(BLINK)
    began = scene.now
    while True:
        if scene.gone or scene.snapshot.dead:
            return Reaction.ENDED, scene
        waited = scene.now - began
        behind = stands(old, scene, key, profile)
        if behind and not sure and _waits(scene):
            return Reaction.STANDS, scene
        if _gone(old, before, scene, key, profile) and min(waited, scene.quiet) >= STILL:
            return Reaction.TAKEN, scene
        if min(waited, scene.quiet) >= UNSEEN or waited >= REACTS:
            return Reaction.STANDS if behind else Reaction.IGNORED, scene
        scene = yield Watch(BLINK)


def _waits(scene: Scene) -> bool:
    """The program has come to the key, drawn it, and waits for more."""
    process = scene.process
    if process is None or process.reading is None:
        return scene.quiet >= STILL
    return process.reading and not process.unread and scene.quiet >= DRAWN


def _masked(asked: str, now: str, key: str) -> bool:
    """The question stands there with a mark for each character that was typed: a line editor that hides them."""
    behind = now.strip().removeprefix(asked.strip()).strip()
    return len(behind) == len(key) and len(set(behind)) == 1 and not behind.isalnum() and behind != key


def _gone(old: Composer | None, before: Scene, scene: Scene, key: str, profile: Profile) -> bool:
    """Another line is at the cursor, the same question stands there anew, or the program no longer waits for keys."""
    now, process = read_composer(Screen.of(scene.snapshot), profile), scene.process
    if old is None or now is None or (process is not None and process.unread):
        return False
    held = stands(old, scene, key, profile) or _masked(old.before, now.before, key)
    another = now.before != old.before and not held
    if another or ends_with(now.rows[:-1], essence(old.before) + essence(key)):
        return True
    left = process is not None and before.process is not None and process.pid != before.process.pid
    return left or (process is not None and process.reading is False)
