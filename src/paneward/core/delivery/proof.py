"""Does the composer hold our text, and has it let go of it? A machine fed with scenes.

It remembers three moments: before typing, when the text stood there settled, and the last look, because two
looks must agree before a screen that may be in mid-paint counts as proof.
"""

from dataclasses import dataclass
from enum import StrEnum

from paneward.core.profiles import Profile, Where
from paneward.core.profiles.patterns import search
from paneward.core.readiness.rules import PAINTED, busy_mark
from paneward.core.screen.appearance import Appearance, ScreenState, read_appearance
from paneward.core.screen.cells import Screen
from paneward.core.screen.composer import Composer, ends_with, essence, goes_on, read_composer
from paneward.core.screen.dialogs.asked import read_asked
from paneward.core.screen.dialogs.question import asks_anew, question, stands
from paneward.core.terminal.scene import ProcessFacts, Scene

WORKING = 0.3  # seconds a program runs without reading before that counts as having taken the text

HUNG_UP = ("", "signal 1")  # tmux hangs up on a program that closed its terminal and has not quite ended
STANDS = 0.3  # seconds without output after which what an agent shows in its composer is what it holds
SHOWN = 20  # characters at either end of a text by which it is found in a transcript: the rest may be folded
REAPED = 1.0  # seconds in which tmux learns how a program ended


class ProofOutcome(StrEnum):
    LET_GO = "let_go"
    LIKELY = "likely"  # it looks so; the next look must agree
    HOLDS = "holds"
    GREW = "grew"  # it still stands there, and more with it
    UNCLEAR = "unclear"
    ENDED = "ended"  # the pane or its program went away
    THROWN = "thrown"  # it was thrown away, and nobody has read it


@dataclass(frozen=True, slots=True)
class ComposerReading:
    """The composer at one look, compared with our text."""

    holds: bool = False  # our text stands in it, and ends at the insertion point
    foreign: bool = False  # so does somebody else's
    changed: bool = False  # something is different from before typing
    text: str = ""
    ghost: str = ""


class Judge:
    """`text` is what is typed; `asked` what the caller wanted to be delivered, where that is not the same.
    `command`: the program is meant to obey it."""

    def __init__(self, text: str, profile: Profile, asked: str | None = None, command: bool = False) -> None:
        self._profile = profile
        self._text = text
        self._raw = asked is None or asked == text  # nothing was added that keeps the program from obeying it
        self._command = command
        self._wanted = essence(text)
        self._before: Composer | None = None
        self._process_before: ProcessFacts | None = None
        self._settled: Composer | None = None
        self._likely: str | None = None
        self._looks = 0
        self._asked = False  # it was typed behind a question

    def begin(self, scene: Scene) -> None:
        """The scene right before typing."""
        self._before = self._composer(scene)
        self._process_before = scene.process
        self._asked = not self._profile.framed and question(Screen.of(scene.snapshot)) is not None

    def settled(self, scene: Scene) -> None:
        """The scene right before submit."""
        self._settled = self._composer(scene)
        self._likely, self._looks = None, 0

    def mode(self, scene: Scene) -> str:
        """What the composer takes the text for, where it is not a text."""
        found = self._appearance(scene).mode
        mark = next((mode.mark for mode in self._profile.modes if mode.name == found), None)
        if mark is None or found not in ("shell", "commands"):
            return ""
        # Rows are read without the newlines before them: what was typed may begin otherwise.
        told_by_text = mark.where is Where.DRAFT and not search(mark.pattern, self._text)
        return "" if told_by_text else found

    def beside(self, scene: Scene) -> str:
        """What else says that the text was taken."""
        if not self._profile.framed or scene.gone or scene.snapshot.dead or self._composer(scene) is None:
            return ""
        seen = self._appearance(scene)
        if any(one and self._wanted.startswith(essence(one.rstrip("…."))) for one in seen.queued):
            return ", and the text waits its turn"
        return f", and it works: {seen.evidence!r}" if seen.state is ScreenState.BUSY else ""

    def _appearance(self, scene: Scene) -> Appearance:
        return read_appearance(scene.snapshot, self._profile, scene.process)

    def _composer(self, scene: Scene) -> Composer | None:
        return read_composer(Screen.of(scene.snapshot), self._profile)

    def read(self, scene: Scene) -> ComposerReading:
        composer = self._composer(scene)
        if composer is None:
            return ComposerReading(changed=self._before is not None)
        changed = composer != self._before and not self._only_moved(composer)
        holds = changed and (self._holds(composer) or self._in_shell(scene, composer))
        return ComposerReading(holds, self._foreign(composer), changed, composer.text, composer.ghost)

    def _only_moved(self, composer: Composer) -> bool:
        """The line at the cursor reads as before one of ours was typed: what stands above it came or went. Of several
        lines the first are taken one by one, and a question may be asked anew."""
        before = self._before
        if before is None or self._profile.framed or self._asked or not self._wanted or "\n" in self._text:
            return False
        return (composer.before, composer.text) == (before.before, before.text)

    def _holds(self, composer: Composer) -> bool:
        if composer.has_placeholder(self._profile):
            return True
        if not self._wanted and self._settled is not None:
            return self._at(composer) == self._at(self._settled)
        if not self._wanted:
            return self._at(composer) != self._at(self._before)
        return ends_with(composer.rows, self._wanted)

    def _in_shell(self, scene: Scene, composer: Composer) -> bool:
        """What opens a shell in the composer stands in it as its prompt."""
        if not (self._raw and self._profile.modes and self._wanted.startswith("!")):
            return False
        return essence(composer.text) == self._wanted[1:] and self._appearance(scene).mode == "shell"

    def _foreign(self, composer: Composer) -> bool:
        """Other text stands in the composer with ours."""
        if not self._wanted or composer.has_placeholder(self._profile):
            return False
        if self._profile.framed:
            inside = essence(composer.text)
            return self._wanted in inside and inside != self._wanted
        if self._before is None or composer.y != self._before.y:
            return False
        line, prompt = essence(composer.before), essence(self._before.before)
        if not line.startswith(prompt) or self._wanted not in line[len(prompt) :]:
            return False
        return line != prompt + self._wanted

    def behind_question(self, scene: Scene) -> bool:
        """The text stands behind the question at which it was typed."""
        return self._asked and stands(self._before, scene, self._text, self._profile)

    def another_question(self, scene: Scene) -> bool:
        """The text was typed behind a question, and now another one stands at the cursor, without the text."""
        if not self._asked or self.behind_question(scene):
            return False
        return asks_anew(self._before, scene, self._profile)

    def after_submit(self, scene: Scene, since: float) -> tuple[ProofOutcome, str]:
        """What became of the text, `since` seconds after submit was pressed."""
        self._looks += 1
        if scene.gone or scene.snapshot.dead:
            reaped = scene.gone or scene.snapshot.dead_status or since >= REAPED
            return self._ended(scene) if reaped else (ProofOutcome.UNCLEAR, "the program ended")
        outcome, evidence = self._judge(scene, since)
        if outcome is not ProofOutcome.LIKELY:
            self._likely = None
            return outcome, evidence
        agreed, self._likely = self._likely == evidence, evidence
        return (ProofOutcome.LET_GO if agreed or self._painted(scene) else ProofOutcome.LIKELY), evidence

    def _painted(self, scene: Scene) -> bool:
        """One look is enough: of a program that is known to paint in one go, and was waiting for input before it."""
        process = scene.process
        told = self._profile.reads and not self._profile.floor
        return told and process is not None and process.reading is True and process.unread == 0

    def _ended(self, scene: Scene) -> tuple[ProofOutcome, str]:
        """A terminal that collects lines had handed ours over; another program may have died of anything."""
        before, seen = self._process_before, scene.snapshot
        by_itself = not scene.gone and (seen.dead_status.isdecimal() or seen.dead_status in HUNG_UP)
        if before and before.canonical and before.reading and by_itself:
            return ProofOutcome.LET_GO, "the program took the line and ended by itself"
        if self._raw and any(search(pattern, self._text) for pattern in self._profile.quits):
            return ProofOutcome.LET_GO, "the program ended, as the text asked it to"
        return ProofOutcome.ENDED, "the program ended right after submit"

    def _judge(self, scene: Scene, since: float) -> tuple[ProofOutcome, str]:
        screen = Screen.of(scene.snapshot)
        composer = read_composer(screen, self._profile)
        if self._profile.framed:
            return self._judge_framed(scene, screen, composer)
        assert composer is not None
        if unread := self._unread_line(scene, since):
            return unread
        if self._took_line(scene, composer):
            return ProofOutcome.LET_GO, "the program took the line"
        if self._fell_back(scene):
            return self._ended(scene)
        if scene.process is not None and scene.process.canonical and scene.process.unread:
            return ProofOutcome.UNCLEAR, "the line waits to be read"
        if self._moved_on(scene, since):
            return ProofOutcome.LET_GO, "the program left its prompt to work on it"
        if self._prompt_is_back(composer):
            return ProofOutcome.LIKELY, "the prompt is back and empty"
        if self._on_a_new_row(composer):
            return self._below_the_text(scene, composer, since)
        if self._grew(composer, screen.width):
            return ProofOutcome.GREW, "the text still stands in the input line, and more with it"
        if self._holds(composer):
            return ProofOutcome.HOLDS, "the text still stands at the cursor"
        if self._same_line(composer):
            return ProofOutcome.UNCLEAR, "the program drew the text in its own way, and still does so on the same line"
        if read_asked(scene.snapshot, self._profile):
            return ProofOutcome.LIKELY, "a dialog opened"
        return ProofOutcome.LIKELY, "the text left the input line"

    def _judge_framed(self, scene: Scene, screen: Screen, composer: Composer | None) -> tuple[ProofOutcome, str]:
        if composer is None:
            if read_asked(scene.snapshot, self._profile):
                return ProofOutcome.LIKELY, "a dialog opened"
            if mark := busy_mark(screen, self._profile, scene.process):
                return ProofOutcome.LIKELY, f"{mark!r} appeared"
            if self._command and scene.quiet >= PAINTED:
                return ProofOutcome.LIKELY, "the composer made room for what the command shows"
            return ProofOutcome.UNCLEAR, "no composer on the screen"
        inside = essence(composer.text)
        if not inside and self._forgotten(scene, screen, composer):
            return ProofOutcome.UNCLEAR, "the composer is empty, but the text is nowhere: it may have begun anew"
        if not inside:
            return ProofOutcome.LET_GO if self._profile.reads else ProofOutcome.LIKELY, "the composer is empty again"
        if self._foreign(composer):
            return ProofOutcome.GREW, "the composer still holds the text, and more with it"
        if self._holds(composer) or inside == self._wanted or self._in_shell(scene, composer):
            return ProofOutcome.HOLDS, "the composer still holds the text"
        working = busy_mark(screen, self._profile, scene.process)
        standing = scene.quiet >= STANDS or working  # it may be in the middle of drawing ours
        return ProofOutcome.LIKELY if standing else ProofOutcome.UNCLEAR, "the composer holds other text"

    def _forgotten(self, scene: Scene, screen: Screen, composer: Composer) -> bool:
        """An agent that is still loading empties its composer by drawing it anew: then what it took must be shown."""
        loading = self._profile.started and scene.process is not None and scene.process.young
        if not loading or self._command or composer.region is None or self.beside(scene):
            return False
        above = essence("".join(row.text for row in screen.rows[: composer.region.top]))
        return self._wanted[:SHOWN] not in above and self._wanted[-SHOWN:] not in above  # its beginning scrolls away

    def _grew(self, composer: Composer, width: int) -> bool:
        """Submit accepted a suggestion, or somebody types: to submit again would send more than our text."""
        if self._settled is None or not self._wanted or not self._holds(self._settled):
            return False
        return goes_on(composer.rows, self._settled.rows[-1], width) or (
            self._holds(composer) and self._foreign(composer)
        )

    def _same_line(self, composer: Composer) -> bool:
        """What was never seen as it is cannot be seen to go: the line that was drawn for it only went on."""
        if self._settled is None or self._holds(self._settled) or composer.y != self._settled.y:
            return False
        return composer.before.startswith(self._settled.before)

    def _unread_line(self, scene: Scene, since: float) -> tuple[ProofOutcome, str] | None:
        """A line that no longer waits, and that the program has not read: it flushes its input. A read that has just
        returned is counted a moment later."""
        before, now = self._process_before, scene.process
        if before is None or now is None or before.pid != now.pid or not now.canonical or now.unread:
            return None
        if before.taken is None or now.taken is None or not 0 <= now.taken - before.taken < len(self._text.encode()):
            return None
        if now.reading is False or since < WORKING:
            return ProofOutcome.UNCLEAR, "the line was not read yet"
        return ProofOutcome.THROWN, "the line was thrown away unread"

    def _took_line(self, scene: Scene, composer: Composer) -> bool:
        """A terminal that collects lines hands one over at Enter, whatever the program draws."""
        process = scene.process
        if process is None or not process.canonical or process.unread:
            return False
        if self._process_before is not None and not self._process_before.canonical:
            return False
        if process.echo is False:
            return self._looks >= 2
        return composer != self._settled and (composer.x, composer.y) != self._at(self._settled)

    @staticmethod
    def _at(composer: Composer | None) -> tuple[int, int] | None:
        return None if composer is None else (composer.x, composer.y)

    def _fell_back(self, scene: Scene) -> bool:
        """The shell that had started the program has the terminal again; of a line reader, anybody else."""
        before, now = self._process_before, scene.process
        if before is None or now is None or now.pid == before.pid:
            return False
        return bool(before.canonical) or (now.shell and not before.shell)

    def _moved_on(self, scene: Scene, since: float) -> bool:
        """The line editor gave up the terminal, or another program has it now. So does a program that ends: it
        gets the time to be gone."""
        before, now = self._process_before, scene.process
        if before is None or now is None or before.canonical is not False:
            return False
        return now.pid != before.pid or (now.canonical is True and (now.shell or since >= WORKING))

    def _prompt_is_back(self, composer: Composer) -> bool:
        before = self._before
        if before is None or composer == self._settled:
            return False
        return composer.before == before.before and composer.text == before.text

    def _on_a_new_row(self, composer: Composer) -> bool:
        moved = self._settled is not None and self._at(composer) != self._at(self._settled)
        return moved and not composer.rows[-1].strip() and ends_with(composer.rows[:-1], self._wanted)

    def _below_the_text(self, scene: Scene, composer: Composer, since: float) -> tuple[ProofOutcome, str]:
        """The cursor went to a new line under the text: taken, or only a line break in the composer?"""
        process = scene.process
        working = process is not None and process.reading is False and since >= WORKING
        if working or (composer.x == 0 and since >= WORKING):
            return ProofOutcome.LET_GO, "the cursor went to a new line and the program works"
        return ProofOutcome.UNCLEAR, "the cursor went to a new line under the text"
