"""Who words are meant for, and whether it is the program that would get them: data and a function.

A pane outlives its programs. An agent exits, is suspended or starts another program, and then the shell that had
started it, or somebody else, reads the keys. So the foreground is compared with who is meant before each key.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from paneward.core.agent.program import Program
from paneward.core.agent.record import Agent
from paneward.core.errors import PaneNotFound, TmuxError, WrongProgram
from paneward.core.profiles import Profile, choose
from paneward.core.terminal.foreground import SHELLS
from paneward.core.terminal.scene import ProcessFacts, Scene

Mismatch = Callable[[Scene], TmuxError | None]
VAGUE: Final = ("", "shell", "generic")  # profiles that fit many programs: they tell nobody apart


@dataclass(frozen=True, slots=True)
class Addressee:
    """Who words are meant for; what is empty does not matter."""

    agent: str = ""  # its name
    pane: str = ""
    pane_pid: int = 0  # the process that the pane was opened with
    kind: str = ""  # the profile of its program
    given: bool = False  # somebody named that profile: the program may be any
    program: Program | None = None  # that was adopted
    expect: str = ""  # the name of a program or of a profile, as a caller gave it

    def mismatch(self, scene: Scene, profiles: Mapping[str, Profile]) -> TmuxError | None:
        """Why what is typed now would go to somebody else; None: it would not, as far as can be seen."""
        if self.pane_pid not in (0, scene.snapshot.pid):
            return PaneNotFound(
                f"another program lives in {scene.snapshot.pane} now", hint="Forget the agent, and adopt it anew."
            )
        if scene.gone or scene.snapshot.dead or not (self.agent or self.expect):
            return None
        process = scene.process or _by_name(scene.snapshot.command)
        if not process.argv:
            return None  # it is just ending, or about to become a program
        found = choose(scene.snapshot, process, profiles).name
        front = process.command or "no program"
        if self.agent and _known(scene.process, process.shell) and not self._is_agent(process, found):
            return WrongProgram(self._instead(front), hint=self._way_out(process.shell, front))
        if self.expect and self.expect not in _names(process, found):
            return WrongProgram(
                f"{front} is in the foreground of {scene.snapshot.pane}, not {self.expect}",
                hint=f"Start {self.expect} there; or send without --expect to whatever runs there.",
            )
        return None

    def _is_agent(self, process: ProcessFacts, found: str) -> bool:
        if self.kind not in VAGUE and (self.kind == found or not self.given):
            return self.kind == found
        if self.program is None:
            return self.kind == "shell" or not process.shell
        return self.program.name in SHELLS or self.program.is_same(process)  # what a shell starts is its work

    def _instead(self, front: str) -> str:
        name = self.kind
        if name in VAGUE:
            name = "its program" if self.program is None else self.program.name
        return f"{name} ended or was suspended: {front} is in the foreground in its place"

    def _way_out(self, shell: bool, front: str) -> str:
        back = "Start it again there (`fg`, if it was suspended)" if shell else f"End {front}"
        return f"{back}, or forget it. To type into {front}, name the pane {self.pane}."


def addressee(agent: Agent, expect: str = "") -> Addressee:
    """The program of an agent."""
    given = agent.profile is not None
    return Addressee(agent.id, agent.pane or "", agent.pane_pid, agent.kind, given, agent.program, expect)


def expected(who: str | Addressee | None) -> Addressee:
    """Whoever goes by this name; None: whoever gets the words."""
    return who if isinstance(who, Addressee) else Addressee(expect=who or "")


def nobody_else(scene: Scene) -> TmuxError | None:
    """Words are meant for whoever gets them."""
    return None


def _known(seen: ProcessFacts | None, shell: bool) -> bool:
    """Enough is known of the foreground to say that an agent is gone. Over ssh a look may come back without it."""
    return shell or (seen is not None and bool(seen.argv))


def _by_name(command: str) -> ProcessFacts:
    """What tmux knows where processes cannot be seen."""
    return ProcessFacts(command, command, shell=command in SHELLS)


def _names(process: ProcessFacts, profile: str) -> set[str]:
    """What the program in the foreground may be called: by itself, by its script, by its profile."""
    words = process.argv.split()[:2]
    return {process.command, profile, *(word.rpartition("/")[2] for word in words)} - {"", "generic"}
