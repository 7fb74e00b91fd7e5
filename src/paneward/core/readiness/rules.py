"""Will the program in the pane take input now? Functions that judge one scene, and the flow that waits.

`assess` tries the rules in their order of strength and stops at the first that decides; what was tried is
kept, so that `explain` can print it. A rule that finds the program at work ends the search without a
verdict: only time can tell then.

What surprised us: a screen that stands still proves nothing (`sleep 4` does), and one that moves neither (a
clock in the corner). Whether the program is blocked reading its terminal does, where it can be seen.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from paneward.core.errors import Code, InvalidInput
from paneward.core.pattern import SYNTAX, BadPattern
from paneward.core.profiles import Profile
from paneward.core.profiles.patterns import compiled, search
from paneward.core.readiness.away import BRIEFLY
from paneward.core.result import Readiness, ReadyVerdict
from paneward.core.screen.appearance import ScreenState, read_appearance
from paneward.core.screen.boxed import typing_point
from paneward.core.screen.cells import Screen
from paneward.core.screen.composer import read_composer
from paneward.core.screen.dialogs.menu import read_menu
from paneward.core.screen.dialogs.question import confirmation, question
from paneward.core.screen.marks import find_mark
from paneward.core.terminal.flow import AnotherProgram, Flow, Look, Watch
from paneward.core.terminal.scene import ProcessFacts, Scene

MARK_FADES = 1.5  # seconds without output after which a busy mark is only text on the screen
PAINTED = 0.05  # seconds without output after which a menu or question is wholly painted
SETTLED = 0.3  # the same where only the screen can be seen
LOADED = 3.0  # seconds without output after which a program that never said it has loaded counts as loaded
STABLE = 1.0  # seconds without output after which a screen counts as stable
SOON = 0.001  # seconds until the second look again at what changes without output; doubled each time, up to
GAZE = 0.25

_BARE_SHELL = re.compile(r"-?\S+(?: --?(?!c\b)\w\S*)*")  # not one that runs a script, which may be an agent's start
_NOT_A_PROMPT = re.compile(r"\d\s?%\s*$|<[^<>\s][^<>]*>\s*$")  # `50%`, `<html>`


@dataclass(frozen=True, slots=True)
class Tried:
    """One rule and what it found."""

    rule: str
    found: str
    decided: bool = False


@dataclass(frozen=True, slots=True)
class Assessment:
    verdict: ReadyVerdict | None  # None: not yet
    rule: str
    evidence: str
    tried: tuple[Tried, ...] = ()
    question: str | None = None
    working: bool = False  # proven to be at work
    look_again: float = GAZE  # seconds after which a look without output is worth its price
    soon: bool = False  # it may change any moment without output


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule answers when it ends the search."""

    evidence: str
    verdict: ReadyVerdict | None = None
    question: str | None = None
    working: bool = False
    look_again: float = GAZE
    soon: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A scene with what the rules ask of it."""

    scene: Scene
    screen: Screen
    profile: Profile
    prompt: re.Pattern[str]

    @property
    def process(self) -> ProcessFacts | None:
        return self.scene.process

    @property
    def line(self) -> str:
        """The live line: what stands left of the place where text would go."""
        x, y = typing_point(self.screen)
        return self.screen.row(y).left(x)

    @property
    def at_prompt(self) -> bool:
        return bool(self.prompt.search(self.line)) and not _NOT_A_PROMPT.search(self.line)


Review = Callable[[Assessment, Scene, Profile], Assessment]  # by what is known beside the pane: `core/agent/review.py`
Rule = Callable[[View], Finding | str]  # a finding ends the search; a text says why the rule did not apply


def compile_prompt(pattern: str) -> re.Pattern[str]:
    try:
        return compiled(pattern)
    except BadPattern as error:
        raise InvalidInput(
            f"the prompt pattern {pattern!r} is not valid: {error}", code=Code.INVALID_PATTERN, hint=SYNTAX
        ) from None


def assess(scene: Scene, profile: Profile, prompt: re.Pattern[str]) -> Assessment:
    """Judge one scene by the rules in their order."""
    view = View(scene, Screen.of(scene.snapshot), profile, prompt)
    tried: list[Tried] = []
    for name, rule in RULES:
        found = rule(view)
        if isinstance(found, str):
            tried.append(Tried(name, found))
            continue
        tried.append(Tried(name, found.evidence, decided=True))
        return Assessment(
            verdict=found.verdict,
            rule=name,
            evidence=found.evidence,
            tried=tuple(tried),
            question=found.question,
            working=found.working,
            look_again=found.look_again,
            soon=found.soon,
        )
    return Assessment(None, "none", "nothing proves more than the screen shows", tuple(tried))


def _alive(view: View) -> Finding | str:
    if view.scene.gone:
        return Finding("the pane is gone", ReadyVerdict.DEAD)
    if view.scene.snapshot.dead:
        return Finding(f"the program ended ({view.scene.snapshot.dead_status or 'status unknown'})", ReadyVerdict.DEAD)
    return "the pane is alive"


def _input_unread(view: View) -> Finding | str:
    if view.process is None or view.process.unread is None:
        return "whether input waits cannot be seen"
    if view.process.unread:
        return Finding(f"{view.process.unread} bytes of input are not read yet", working=True, soon=True)
    return "no input waits to be read"


def _busy_mark(view: View) -> Finding | str:
    found = find_mark(view.profile.busy, view.screen, view.profile, view.process)
    if found is None:
        return "no busy mark on the screen"
    mark, seen = found
    if mark.lasting:
        return Finding(f"{seen!r} on the screen", working=True)
    if view.scene.quiet >= MARK_FADES:
        return f"{seen!r} stands on the screen, but nothing moved for {view.scene.quiet:.1f} s"
    return Finding(f"{seen!r} on the screen", working=True, look_again=MARK_FADES - view.scene.quiet)


def busy_mark(screen: Screen, profile: Profile, process: ProcessFacts | None) -> str | None:
    found = find_mark(profile.busy, screen, profile, process)
    return found[1] if found else None


def _dialog(view: View) -> Finding | str:
    """Of agents that are known to ask: in their own words, with or without a menu that can be read."""
    if not view.profile.dialogs:
        return "the profile knows no dialogs"
    found = read_appearance(view.scene.snapshot, view.profile, view.process)
    if found.state is not ScreenState.DIALOG:
        return "no dialog"
    if view.scene.quiet < PAINTED:
        return Finding("a dialog is being painted", look_again=PAINTED)
    return Finding(found.evidence, ReadyVerdict.AWAITING_ANSWER, found.question)


def _menu(view: View) -> Finding | str:
    menu = read_menu(view.scene.snapshot, view.profile)
    if menu is None:
        return "no menu"
    if view.scene.quiet < PAINTED:
        return Finding("a menu is being painted", look_again=PAINTED)
    return Finding(f"a menu of {len(menu.options)} options", ReadyVerdict.AWAITING_ANSWER, menu.question or "a menu")


def _composer(view: View) -> Finding | str:
    if not view.profile.framed:
        return "the profile has no framed composer"
    if _left(view):
        return _left(view)
    if read_composer(view.screen, view.profile) is None:
        return "the composer is not on the screen"
    if (left := _loading(view)) > 0:
        return Finding("its composer is on the screen, but it may still be loading", look_again=left)
    return Finding("the composer is on the screen", ReadyVerdict.READY)


def _loading(view: View) -> float:
    """Seconds of silence that are still missing, of an agent that has just been started: what it draws anew when it
    has loaded, it draws without what it had been given."""
    if not view.profile.started or view.process is None or not view.process.young:
        return 0.0
    loaded = search(view.profile.started, view.screen.text)
    return (SETTLED if loaded else LOADED) - view.scene.quiet


def _no_composer(view: View) -> Finding | str:
    if not view.profile.framed:
        return "the profile has no framed composer"
    return Finding(view.profile.closed or _left(view) or "the composer is not on the screen")


def _left(view: View) -> str:
    """Said of an agent that ended and left its last screen to the shell that started it."""
    process = view.process
    if not view.profile.launch or process is None or not _BARE_SHELL.fullmatch(process.argv) or not process.shell:
        return ""
    return f"{process.command} is in the foreground, and no longer {view.profile.name}"


def _not_reading(view: View) -> Finding | str:
    if view.process is None or view.process.reading is None:
        return "whether the program reads its terminal cannot be seen"
    if not view.process.reading:
        return Finding(f"{view.process.command} is not reading its terminal", working=True, soon=True)
    return f"{view.process.command} is reading its terminal"


def _secret(view: View) -> Finding | str:
    if view.process is None or not (view.process.echo is False and view.process.canonical):
        return "the terminal echoes, or it cannot be seen"
    asked = question(view.screen) or view.line.strip() or "input without echo"
    return Finding("the terminal's echo is off", ReadyVerdict.AWAITING_ANSWER, asked)


def _line_question(view: View) -> Finding | str:
    asked = question(view.screen)
    if asked is None:
        return "no question on the cursor's line"
    if _edits_lines(view.process) and not confirmation(view.screen):
        return f"{asked!r} is a shell's own prompt"
    if view.scene.quiet < _patience(view):
        return Finding("a question is being painted", look_again=_patience(view) - view.scene.quiet)
    return Finding(f"{asked!r} on the cursor's line", ReadyVerdict.AWAITING_ANSWER, asked)


def _shell(view: View) -> Finding | str:
    if not _edits_lines(view.process):
        return "no shell is editing a line"
    assert view.process is not None
    return Finding(f"{view.process.command} is editing a command line", ReadyVerdict.READY)


def _edits_lines(process: ProcessFacts | None) -> bool:
    return process is not None and process.shell and bool(process.reading) and process.canonical is False


def _prompt(view: View) -> Finding | str:
    if not view.at_prompt:
        return f"{view.line[-40:]!r} does not match {view.prompt.pattern!r}"
    return _doubt(view) or Finding(_matches(view), ReadyVerdict.READY)


def _prompt_unproven(view: View) -> Finding | str:
    """Ready as far as can be told; the name of the rule says that this is not far."""
    if not view.at_prompt:
        return "no prompt"
    if view.scene.quiet < _patience(view) and not _reads(view):
        return Finding("a prompt, but it may be in mid-output", look_again=_patience(view) - view.scene.quiet)
    return Finding(f"{_matches(view)}, but {_doubt(view)}", ReadyVerdict.READY)


def _matches(view: View) -> str:
    return f"{view.line[-40:]!r} matches {view.prompt.pattern!r}"


def _doubt(view: View) -> str:
    """Why a prompt does not prove that what is typed will be taken; empty: it does."""
    process = view.process
    if process is None or process.reading is None:
        return "whether the program reads its terminal cannot be seen"
    if process.young and process.canonical is False:
        return "the program started less than a minute ago: it may still be loading, and drop what is typed"
    return ""


def _reads(view: View) -> bool:
    return view.process is not None and view.process.reading is True


def _patience(view: View) -> float:
    return PAINTED if _reads(view) else SETTLED


def _stable(view: View) -> Finding | str:
    if view.scene.quiet < STABLE:
        return f"output {view.scene.quiet:.1f} s ago"
    return Finding(f"nothing moved for {view.scene.quiet:.1f} s", ReadyVerdict.STABLE)


RULES: tuple[tuple[str, Rule], ...] = (
    ("alive", _alive),
    ("input_unread", _input_unread),
    ("dialog", _dialog),
    ("busy_mark", _busy_mark),
    ("composer", _composer),
    ("menu", _menu),
    ("no_composer", _no_composer),
    ("not_reading", _not_reading),
    ("echo_off", _secret),
    ("question", _line_question),
    ("shell", _shell),
    ("prompt", _prompt),
    ("prompt_unproven", _prompt_unproven),
    ("stable", _stable),
)


class Pace:
    """How long to wait for output before looking anyway: not at all at first, then ever longer."""

    def __init__(self) -> None:
        self._nap = 0.0
        self._output_seq = -1

    def next(self, found: Assessment, scene: Scene) -> float:
        if not found.soon:
            return found.look_again
        moved, self._output_seq = scene.output_seq != self._output_seq, scene.output_seq
        self._nap = 0.0 if moved else min(max(self._nap * 2, SOON), GAZE)
        return self._nap


def wait_ready(
    profile: Profile,
    prompt: re.Pattern[str],
    timeout: float,
    accept_stable: bool = False,
    program: str = "",
    review: Review | None = None,
) -> Flow[Readiness]:
    """Wait until a verdict is proven, at most `timeout` seconds, and stands its `review`; but one look does not tell a
    program that works from one that only paints. With the `program` that the profile was chosen for: raises
    `AnotherProgram`."""
    scene = yield Look()
    started, pace = scene.now, Pace()
    while True:
        AnotherProgram.check(scene, program)
        found = assess(scene, profile, prompt)
        found = found if review is None else review(found, scene, profile)
        elapsed = scene.now - started
        if found.verdict is not None and (found.verdict is not ReadyVerdict.STABLE or accept_stable):
            break
        limit = max(timeout, BRIEFLY) if found.soon else timeout
        if elapsed >= limit:
            found = replace(found, verdict=_late(found))
            break
        scene = yield Watch(min(pace.next(found, scene), limit - elapsed))
    assert found.verdict is not None
    return Readiness(
        verdict=found.verdict,
        rule=found.rule,
        evidence=found.evidence,
        elapsed=elapsed,
        screen=Screen.of(scene.snapshot).text,
        question=found.question,
        accept_stable=accept_stable,
        pane=scene.snapshot.pane,
    )


def _late(found: Assessment) -> ReadyVerdict:
    if found.verdict is not None:
        return found.verdict
    return ReadyVerdict.BUSY if found.working else ReadyVerdict.TIMEOUT
