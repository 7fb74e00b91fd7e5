"""What an agent has said, told from where it is seen to stand: a machine.

It compares levels, not changes: whatever was missed (while Paneward was down, while a delivery was under way) is heard
at the next look. Four things keep it from hearing what nobody said:

- what is seen while our own words go in belongs to them, and is only remembered;
- a dialog that was answered may stand on the screen for a moment; the same one counts as asked again when something
  else was seen in between, or when it still stands after a while;
- what the agent said itself (`signal needs_input`) is asked when it comes to rest, and stands until it works, is told
  something, or says something else: no screen can show that it is over;
- an agent that was given words and shows no work has completed them by the rules of `pending` only, which `wait` goes
  by too.
"""

from dataclasses import dataclass
from typing import Final

from paneward.core.agent.record import Said, Stage
from paneward.core.profiles.row import Profile
from paneward.core.readiness.pending import Pending, ProgramSight, SentWords
from paneward.core.result import Menu
from paneward.core.state.claims import AWAITING, AgentState, Standing
from paneward.core.terminal.scene import Scene

AGAIN: Final = 1.0  # seconds after which the dialog that was answered, and still stands, is asked again
STOOD: Final = 0.15  # seconds that a question has to stand: a dialog can be drawn twice within these
SIGNALLED: Final = "signal"  # kind of a question that no dialog shows: the agent has said that it waits for an answer
_TOLD: Final = (Stage.COMMANDED, Stage.PROCESSING, Stage.AWAITING_INPUT)


@dataclass(frozen=True, slots=True)
class Seen:
    """An agent at one look."""

    standing: Standing
    now: float
    menu: Menu | None = None  # the dialog on the screen, where it can be read
    quiet: float = 0.0  # seconds since it printed something
    trouble: str | None = None  # why it cannot work; None where that cannot be told at this moment
    scene: Scene | None = None  # the look itself, and the profile of the program
    profile: Profile | None = None

    @property
    def question(self) -> Menu:
        """What is asked, as data; of a dialog that cannot be read, its words alone."""
        if self.menu is not None:
            return self.menu
        return Menu(self.standing.question, (), None, None, False, "", kind=self.standing.kind)


def same_question(one: Menu | None, other: Menu | None) -> bool:
    """The same dialog, perhaps scrolled, or with words in its field: both change its options. A permission for another
    command is another one."""
    if one is None or other is None:
        return one is other
    if one.fingerprint == other.fingerprint:
        return True
    matters = {"".join(menu.about.split()) for menu in (one, other) if menu.about}
    return (one.question, one.kind) == (other.question, other.kind) and len(matters) < 2


class Hearing:
    """Fed with looks at one agent; told when our own words go in."""

    def __init__(self) -> None:
        self._pending = Pending()  # our last words
        self._answers = False  # they answer a question
        self._told_at = float("-inf")  # when they had gone in
        self._typing = 0  # of our deliveries, how many go in at this moment
        self._answered: Menu | None = None  # and nothing else was seen since
        self._wants: Menu | None = None  # what it has said that it waits for
        self._asks: tuple[str, float] | None = None  # the dialog that stands there, and since when
        self._due: float | None = None

    @property
    def typing(self) -> bool:
        return self._typing > 0

    def begin(self, answered: Menu | None = None) -> None:
        """Our words are about to be typed: a new command, or the answer to this question."""
        self._typing, self._answered, self._wants = self._typing + 1, answered, None
        self._pending, self._answers = Pending(), answered is not None

    def end(self, now: float, text: str = "") -> None:
        """They went in, or did not."""
        self._typing, self._told_at, self._asks = self._typing - 1, now, None
        self._pending = self._pending.told(SentWords(now, text, self._answers))

    def wants(self, question: str | None) -> None:
        """It has said that it waits for an answer to this; None: it has said something else."""
        asked = None if question is None else question or "it waits for an answer"
        self._wants = None if asked is None else Menu(asked, (), None, None, False, "", kind=SIGNALLED)

    def recall(self, question: Menu | None) -> None:
        """What it was known to ask, after a restart."""
        if question is not None and question.kind == SIGNALLED:
            self._wants = question

    def question(self, seen: Seen) -> Menu:
        """What it asks at this look: by a dialog, else in its own words."""
        return seen.question if seen.standing.state in AWAITING or self._wants is None else self._wants

    def outdated(self, looked_at: float) -> bool:
        """Our words went in after this look: it does not tell what became of them."""
        return not self.typing and looked_at < self._told_at

    def deadline(self) -> float | None:
        """When to look again although nothing was printed."""
        return self._due

    def hear(self, stage: Stage, question: Menu | None, seen: Seen) -> Said | None:
        """What the agent has said by standing so; `question` is what it was known to ask."""
        self._due = None
        state = seen.standing.state
        self._remember(state, seen)
        if state in AWAITING or (state is AgentState.BUSY and stage is Stage.AWAITING_INPUT):
            self._wants = None  # a dialog says what is asked; or it was answered in the pane
        if self.typing:
            return None
        if state in AWAITING:
            return self._question(stage, question, seen)
        if state is AgentState.BUSY:
            return _work(stage)
        if state is AgentState.IDLE:
            return self._rest(stage, question, seen)
        return None

    def _rest(self, stage: Stage, question: Menu | None, seen: Seen) -> Said | None:
        signalled = question is not None and question.kind == SIGNALLED
        if stage is Stage.AWAITING_INPUT and signalled:
            return None if self._wants is not None else Said.AGENT_COMPLETION
        if stage in _TOLD and not self._at_rest(seen):
            return None
        if self._wants is not None:
            return Said.AGENT_QUESTION
        return Said.AGENT_COMPLETION if stage in _TOLD else None

    def _remember(self, state: AgentState, seen: Seen) -> None:
        works = ProgramSight.WORKING if state is AgentState.BUSY else ProgramSight.NEITHER
        self._pending.see(ProgramSight.ASKING if state in AWAITING else works, seen.now, seen.scene, seen.profile)
        if state in AWAITING:
            return
        self._asks = None
        if state in (AgentState.BUSY, AgentState.IDLE):
            self._answered = None

    def _question(self, stage: Stage, known: Menu | None, seen: Seen) -> Said | None:
        asked = seen.question
        again = self._answered is not None and (seen.menu is None or asked.fingerprint == self._answered.fingerprint)
        if again and seen.now < self._told_at + AGAIN:
            self._due = self._told_at + AGAIN
            return None
        if stage is Stage.AWAITING_INPUT and same_question(known, asked):
            return None
        key = asked.fingerprint or asked.question
        if self._asks is None or self._asks[0] != key:
            self._asks = key, seen.now
        if seen.now < self._asks[1] + STOOD:
            self._due = self._asks[1] + STOOD
            return None
        self._answered = None
        return Said.AGENT_QUESTION

    def _at_rest(self, seen: Seen) -> bool:
        judged = self._pending.judge(seen.now, seen.scene, seen.profile)
        self._due = None if judged.over else judged.due
        return judged.over


def _work(stage: Stage) -> Said | None:
    """Work that begins; after a question, somebody has answered it in the pane."""
    if stage is Stage.AWAITING_INPUT:
        return Said.USER_ANSWER
    return None if stage is Stage.PROCESSING else Said.AGENT_PROGRESS
