"""`paneward demo`: the tour. A real agent in a real tmux pane, driven by the library before the reader's eyes.

Shape: a list of steps, each of which does one thing, shows what came of it and says if it was not as it should be.
The tmux server is the tour's own and ends with it, whatever happens; so does the directory of its receipts.
"""

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from paneward.adapters.clock import SystemClock
from paneward.adapters.hosts.host import Host
from paneward.app import Connection, connect
from paneward.core.errors import Code, TmuxError, TmuxNotInstalled
from paneward.core.result import Menu, Readiness, ReadyVerdict, SendResult
from paneward.surfaces.cli.answers import Answer, OpenDialog
from paneward.surfaces.cli.show.answers import show
from paneward.surfaces.cli.show.lines import WIDE
from paneward.surfaces.cli.work import log_to_stderr

WIDTH, HEIGHT = 74, 20  # of the pane: with a frame around it, it fits into 80 columns
READING = 2.2  # seconds a reader gets for each step: the whole takes about half a minute
PATIENCE = 60.0  # seconds for a loaded machine; it takes a fraction of a second
WORK = 1.5  # seconds that the agent works, after what a reader needs to see it


class NotAsItShouldBe(Exception):
    """Ends the tour; says what was expected and what was seen instead."""


@dataclass(frozen=True, slots=True)
class TourStage:
    """Where the tour plays: the pane, and the reader's terminal."""

    tmux: Connection
    pane: str
    console: Console
    socket: str
    reading: float

    async def pause(self) -> None:
        if self.reading:
            await SystemClock().sleep(self.reading)

    def say(self, words: str) -> None:
        self.console.print(Text(words), width=min(WIDTH, self.console.width) if self.console.is_terminal else None)

    def command(self, line: str) -> None:
        """The command that does the same from a shell."""
        self.console.print(Text.assemble(("$ ", "dim"), (f"paneward {line}", "bold cyan")), soft_wrap=True)

    def show(self, answer: Answer) -> None:
        show(self.console, answer)

    async def picture(self, rows: int = 8) -> None:
        """The last rows of the pane, with its colours."""
        seen = Text.from_ansi(await self.tmux.capture(self.pane, lines=rows, ansi=True))
        self.console.print(Panel(seen, title=f"pane {self.pane}", title_align="left", border_style="dim", expand=False))


Step = Callable[[TourStage], Awaitable[None]]


def require(fine: bool, expected: str, seen: object) -> None:
    if not fine:
        raise NotAsItShouldBe(f"expected {expected}, but saw {seen}")


def confirmed(result: SendResult) -> None:
    require(result.success, "a confirmed delivery", f"{result.error_type or result.verdict}: {result.evidence}")


async def ready_as(stage: TourStage, verdict: ReadyVerdict) -> Readiness:
    ready = await stage.tmux.wait_ready(stage.pane, PATIENCE)
    require(ready.verdict is verdict, f"{verdict}", f"{ready.verdict} by rule {ready.rule}: {ready.evidence}")
    return ready


async def open_menu(stage: TourStage) -> Menu:
    menu = await stage.tmux.menu(stage.pane)
    if menu is None:
        raise NotAsItShouldBe("expected a dialog on the screen, but no menu could be read")
    return menu


async def said(stage: TourStage, words: str) -> None:
    seen = await stage.tmux.capture(stage.pane)
    require(words in seen, f"the agent to say {words!r}", seen.strip()[-200:])


async def meet_the_agent(stage: TourStage) -> None:
    """Wait until it takes input"""
    stage.say(
        "A small agent was started in a tmux pane. When does it take input? Not after a sleep: when it is proven."
    )
    stage.command(f"wait {stage.pane}")
    stage.show(await ready_as(stage, ReadyVerdict.READY))
    await stage.picture()


async def send_a_text(stage: TourStage) -> None:
    """Send a text, get a receipt"""
    stage.say("The text is typed, seen in the input box, submitted, and seen to have left the box.")
    stage.command(f"send {stage.pane} 'fix the failing test'")
    result = await stage.tmux.send_text(stage.pane, "fix the failing test", timeout=PATIENCE)
    stage.show(result)
    confirmed(result)
    await stage.picture(9)


async def wait_for_it(stage: TourStage) -> None:
    """Wait until the work is done"""
    stage.say("The agent is at work. Output wakes the wait; nothing is written into the pane to find out.")
    stage.command(f"wait {stage.pane}")
    stage.show(await ready_as(stage, ReadyVerdict.READY))
    await said(stage, "Done: fix the failing test")


async def be_asked(stage: TourStage) -> None:
    """Read its question as data"""
    stage.say("Now it asks something. A menu on the screen becomes a question, options and a fingerprint.")
    confirmed(await stage.tmux.send_text(stage.pane, "ask", timeout=PATIENCE))
    await ready_as(stage, ReadyVerdict.AWAITING_ANSWER)
    await stage.picture(9)
    stage.command(f"menu {stage.pane}")
    stage.show(OpenDialog(stage.pane, await open_menu(stage), stage.pane))


async def be_refused(stage: TourStage) -> None:
    """A text is never typed into a menu"""
    stage.say("The first letter could choose something nobody wanted. So this is refused, and nothing is typed.")
    stage.command(f"send {stage.pane} 'go on'")
    result = await stage.tmux.send_text(stage.pane, "go on", timeout=PATIENCE)
    stage.show(result)
    require(result.error_type is Code.BLOCKED_BY_DIALOG, f"{Code.BLOCKED_BY_DIALOG}", result.error_type)


async def answer_by_label(stage: TourStage) -> None:
    """Answer by label"""
    menu = await open_menu(stage)
    stage.command(f"answer {stage.pane} --select Green --fingerprint {menu.fingerprint}")
    result = await stage.tmux.answer(stage.pane, select="Green", fingerprint=menu.fingerprint, timeout=PATIENCE)
    stage.show(result)
    confirmed(result)
    await ready_as(stage, ReadyVerdict.READY)
    await said(stage, "You chose Green")
    await stage.picture(8)


async def answer_in_words(stage: TourStage) -> None:
    """Answer in your own words"""
    stage.say("It wants to run a command. The answer is no, and why.")
    confirmed(await stage.tmux.send_text(stage.pane, "permit rm -r build", timeout=PATIENCE))
    await ready_as(stage, ReadyVerdict.AWAITING_ANSWER)
    stage.show(OpenDialog(stage.pane, await open_menu(stage), stage.pane))
    stage.command(f"answer {stage.pane} --other 'keep it, I still need the logs'")
    result = await stage.tmux.answer(stage.pane, other="keep it, I still need the logs", timeout=PATIENCE)
    stage.show(result)
    confirmed(result)
    await ready_as(stage, ReadyVerdict.READY)
    await said(stage, "Not run: keep it, I still need the logs")
    await stage.picture(8)


async def explain_it(stage: TourStage) -> None:
    """Ask why"""
    stage.say("Whatever Paneward says of a pane, it can tell by which rule.")
    await stage.tmux.wait_ready(stage.pane)  # an answer that caused no work is known to have caused none after a while
    stage.command(f"explain {stage.pane}")
    found = await stage.tmux.explain(stage.pane)
    for one in found.assessment.tried:
        mark, style = ("▶ ", "bold green") if one.decided else ("  ", "")
        stage.console.print(Text.assemble((f"  {mark}{one.rule:<14}", style), one.found), soft_wrap=True)
    require(found.assessment.verdict is ReadyVerdict.READY, "ready", found.assessment.evidence)


STEPS: tuple[Step, ...] = (
    meet_the_agent,
    send_a_text,
    wait_for_it,
    be_asked,
    be_refused,
    answer_by_label,
    answer_in_words,
    explain_it,
)

NEXT = """Try it on your own panes:

  paneward panes                     the panes of your tmux
  paneward send PANE 'echo hello'    with a receipt
  paneward wait PANE                 until it takes input
  paneward explain PANE              what is seen, by which rule
  paneward doctor                    whether this machine has all it takes
"""


async def perform(stage: TourStage) -> None:
    for number, step in enumerate(STEPS, start=1):
        stage.console.print()
        stage.console.print(Text(f"{number}. {step.__doc__}", "bold"), soft_wrap=True)
        await step(stage)
        await stage.pause()


def play(keep: bool = False, fast: bool = False, console: Console | None = None) -> int:
    """Play the tour; the exit code."""
    log_to_stderr("critical")
    console = console or Console(highlight=False, emoji=False, width=None if sys.stdout.isatty() else WIDE)
    reading = READING if console.is_terminal and not fast else 0.0
    try:
        return asyncio.run(_play(console, reading, keep))
    except asyncio.CancelledError:
        return 128 + signal.SIGTERM


async def _play(console: Console, reading: float, keep: bool) -> int:
    _end_on_signal(asyncio.current_task())
    console.print(Text("Paneward: a tour. It takes half a minute and touches none of your own panes.", "bold"))
    try:
        async with _stage(console, reading, keep) as stage:
            await perform(stage)
            console.print()
            console.print(Text(NEXT if not keep else _attach(stage)), soft_wrap=True)
    except NotAsItShouldBe as problem:
        console.print(Text.assemble(("✗ not as it should be: ", "bold red"), str(problem)), soft_wrap=True)
        return 1
    return 0


def _end_on_signal(task: "asyncio.Task[int] | None") -> None:
    """A terminal that closes must not leave a tmux server behind; Ctrl-C is seen to by asyncio itself."""
    if task is not None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)


def _attach(stage: TourStage) -> str:
    return f"""The demo agent goes on running. In another terminal:

  tmux -L {stage.socket} attach                    look at it, and type `help`
  paneward -L {stage.socket} send {stage.pane} 'permit rm -r build'
  paneward -L {stage.socket} menu {stage.pane}
  tmux -L {stage.socket} kill-server               when you have seen enough
"""


@asynccontextmanager
async def _stage(console: Console, reading: float, keep: bool) -> AsyncIterator[TourStage]:
    socket = f"paneward-demo-{os.getpid()}"
    pane = await _start(socket, reading)
    done = False
    try:
        with tempfile.TemporaryDirectory(prefix="paneward-demo-") as state:
            async with connect(socket_name=socket, state=Path(state)) as tmux:
                yield TourStage(tmux, pane, console, socket, reading)
        done = True
    finally:
        if not (keep and done):
            await end_server(socket)


async def end_server(socket: str) -> None:
    """End the server; some versions of tmux leave the socket's file behind."""
    path = await tmux(socket, "display-message", "-p", "#{socket_path}")
    await tmux(socket, "kill-server")
    _remove(path)


def _remove(path: str) -> None:
    if path:
        Path(path).unlink(missing_ok=True)


async def _start(socket: str, reading: float) -> str:
    """The demo agent in a pane of a server of its own."""
    agent = [sys.executable, "-P", "-m", "paneward", "demo-agent", "--busy", str(WORK + reading)]
    size = ["-x", str(WIDTH), "-y", str(HEIGHT)]
    return await tmux(socket, "new-session", "-d", "-n", "agent", *size, "-P", "-F", "#{pane_id}", *agent)


async def tmux(socket: str, *words: str) -> str:
    try:
        done = await Host().run(["tmux", "-u", "-L", socket, "-f", "/dev/null", *words], timeout=PATIENCE)
    except FileNotFoundError:
        raise TmuxNotInstalled from None
    if done.status and "no server running" not in done.words:
        raise TmuxError(f"tmux {words[0]}: {done.words}")
    return done.stdout.decode().strip()
