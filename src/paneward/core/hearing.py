"""What an agent has said, told from where it is seen to stand: a machine.

It compares levels, not changes: whatever was missed (while Paneward was down, while a delivery was under way) is heard
at the next look. Three things keep it from hearing what nobody said:

- what is seen while our own words go in belongs to them, and is only remembered;
- a dialog that was answered may stand on the screen for a moment; the same one counts as asked again when something
  else was seen in between, or when it still stands after a while;
- an agent that was given words and shows no work has completed them by the rules of `pending` only, which `wait` goes
  by too.
"""

from dataclasses import dataclass
from typing import Final

from paneward.core.agent import Said, Stage
from paneward.core.pending import Pending, Sight, Words
from paneward.core.profiles.row import Profile
from paneward.core.result import Menu
from paneward.core.scene import Scene
from paneward.core.standing import AWAITING, AgentState, Standing

AGAIN: Final = 1.0  # seconds after which the dialog that was answered, and still stands, is asked again
STOOD: Final = 0.15  # seconds that a question has to stand: a dialog can be drawn twice within these
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
        self._asks: tuple[str, float] | None = None  # the dialog that stands there, and since when
        self._due: float | None = None

    @property
    def typing(self) -> bool:
        return self._typing > 0

    def begin(self, answered: Menu | None = None) -> None:
        """Our words are about to be typed: a new command, or the answer to this question."""
        self._typing, self._answered = self._typing + 1, answered
        self._pending, self._answers = Pending(), answered is not None

    def end(self, now: float, text: str = "") -> None:
        """They went in, or did not."""
        self._typing, self._told_at, self._asks = self._typing - 1, now, None
        self._pending = self._pending.told(Words(now, text, self._answers))

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
        if self.typing:
            return None
        if state in AWAITING:
            return self._question(stage, question, seen)
        if state is AgentState.BUSY:
            return _work(stage)
        if state is AgentState.IDLE and stage in _TOLD:
            return Said.AGENT_COMPLETION if self._at_rest(seen) else None
        return None

    def _remember(self, state: AgentState, seen: Seen) -> None:
        works = Sight.WORKING if state is AgentState.BUSY else Sight.NEITHER
        self._pending.see(Sight.ASKING if state in AWAITING else works, seen.now, seen.scene, seen.profile)
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
