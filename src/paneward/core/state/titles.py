"""What the title of a program tells of its work: a machine.

A title at rest is told by some programs during dialogs too, and by others at all times: it tells of rest only once it
was seen to tell of work.
"""

from paneward.core.profiles.row import Mark, Profile, Where
from paneward.core.screen.cells import Screen
from paneward.core.screen.marks import find_mark
from paneward.core.state.claims import AgentState, Claim, Source
from paneward.core.terminal.scene import Snapshot


class Title:
    def __init__(self) -> None:
        self.text = ""
        self._tells = False  # it was seen to tell of work, so that it also tells of rest

    def read(self, text: str, profile: Profile, now: float) -> Claim | None:
        """What it claims from now on."""
        self.text = text
        screen = Screen.of(Snapshot("", (), 0, 0, 0, 0, title=text))
        for state, marks in ((AgentState.BUSY, profile.busy), (AgentState.AWAITING_QUESTION, profile.dialog)):
            if find_mark(_in_titles(marks), screen, profile) is not None:
                self._tells = True
                return Claim(Source.TITLE, state, f"title {text!r}", now)
        return Claim(Source.TITLE, AgentState.IDLE, f"title {text!r}", now) if self._tells else None


def _in_titles(marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    return tuple(mark for mark in marks if mark.where is Where.TITLE)
