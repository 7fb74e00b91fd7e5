"""What one look at a pane shows: data.

A `Snapshot` is what tmux knows of the pane at one moment, taken by one command so that the screen and
the cursor belong together. `ProcessFacts` is what the operating system knows of the program in it. A
`Scene` is both with the time and the place in the output stream: all that any decision rests on.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The visible screen of a pane and tmux's own facts about it."""

    pane: str  # "%12"
    rows: tuple[str, ...]  # as `capture-pane -e -p` gives them: SGR styles inside, trailing blanks cut
    width: int
    height: int
    cursor_x: int
    cursor_y: int  # row index into the visible screen (the last `height` rows of `rows`)
    cursor_visible: bool = True
    dead: bool = False
    dead_status: str = ""  # exit status or signal of a dead pane
    in_mode: bool = False  # copy mode and the like: keys do not reach the program
    alternate: bool = False
    input_off: bool = False  # `select-pane -d`
    synchronized: bool = False  # `synchronize-panes`: keys go to other panes too
    bracketed: bool | None = None  # the program asked for bracketed paste; None where tmux cannot tell (before 3.7)
    pid: int = 0
    tty: str = ""
    command: str = ""  # pane_current_command
    title: str = ""
    session: str = ""  # "$3"
    window: str = ""  # "@5"
    history: int = 0  # lines of scrollback that precede the visible screen in `rows`
    scrolled: int = 0  # lines of scrollback that tmux holds


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """The program in the foreground of the pane's terminal, as the operating system sees it."""

    command: str = ""  # its name, without path
    argv: str = ""  # its command line, joined by blanks
    pid: int = 0  # the foreground process group
    shell: bool = False  # the foreground is an interactive-capable shell by name (bash, zsh, sh, ...)
    reading: bool | None = None  # blocked waiting for terminal input; None: cannot be seen
    canonical: bool | None = None  # the terminal collects whole lines; None: cannot be seen
    echo: bool | None = None
    young: bool = False  # started a moment ago (`foreground.YOUNG`), and may still be loading
    exe: str = ""  # the path of its executable; empty where it cannot be seen
    unread: int | None = None  # bytes typed that the program has not taken yet
    taken: int | None = None  # bytes it has read so far, of anything; only where it was doubted that it reads lines


@dataclass(frozen=True, slots=True)
class Scene:
    """One look at a pane: what a flow is sent after each effect."""

    snapshot: Snapshot
    process: ProcessFacts | None = None  # None where processes cannot be seen
    now: float = 0.0  # monotonic seconds
    output_seq: int = 0  # bytes of output seen so far by the watcher of this pane (0 where none watches)
    quiet: float = 0.0  # seconds since the last output that we know of
    gone: bool = field(default=False)  # the pane itself no longer exists; `snapshot` is the last one seen

    @property
    def program(self) -> str:
        """The command line in the foreground; empty where it cannot be seen."""
        return self.process.argv if self.process else ""
