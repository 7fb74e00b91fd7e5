"""A popup inside tmux that answers the agents that ask. Shape: a conversation on a terminal.

It reads one line per question: numbers, or words for an option that takes them.
"""

import re
import shutil
import sys

from paneward.client.agents import responded, seats
from paneward.client.remote import Remote
from paneward.client.replies import CliReply
from paneward.core.agent.record import Agent, Stage
from paneward.core.errors import Code, PanewardError
from paneward.core.result import Menu
from paneward.surfaces.cli.options import RootOptions
from paneward.surfaces.cli.output import print_words
from paneward.surfaces.cli.show.deliveries import options, receipt
from paneward.surfaces.cli.show.lines import Output, advise, say, terminal
from paneward.surfaces.cli.work import ask

HELP = "A number chooses; several with commas; other words are free text. Enter leaves it, q ends."


def binding(key: str) -> str:
    """The line for tmux.conf. The program is named by its path: tmux may have another PATH."""
    program = shutil.which("paneward") or "paneward"
    return f"bind-key {key} display-popup -E -w 80% -h 60% '{program} popup --answer'"


def converse(place: RootOptions) -> int:
    """Ask the person about each agent that asks; the exit code."""
    console = terminal()
    asking = ask(place, _asking, "asking the server")
    if not asking:
        say(console, ("nobody asks anything", ""))
    for agent in asking:
        if not _asked(place, console, agent):
            break
    return 0


def _asking(remote: Remote) -> list[Agent]:
    found = seats(remote)
    waiting = [seat.agent for seat in found.seats if seat.agent.stage is Stage.AWAITING_INPUT and not seat.agent.gone]
    return sorted(waiting, key=lambda agent: agent.since)


def _asked(place: RootOptions, console: Output, agent: Agent) -> bool:
    """One question, until it is answered or left; false when the person has had enough."""
    say(console, (agent.id, "bold cyan"), (f"  {agent.pane} {agent.cwd}", "dim"))
    if agent.question is not None:
        options(console, agent.question)
    advise(console, HELP)
    while True:
        print_words("> ", end="")
        console.file.flush()
        line = sys.stdin.readline()
        if not line or line.strip() == "q":
            return False
        if not line.strip() or _delivered(place, console, agent, reply_of(line.strip(), agent.question)):
            return True


def _delivered(place: RootOptions, console: Output, agent: Agent, reply: CliReply) -> bool:
    """Whether that was an answer: a number that is not there is asked for again."""
    try:
        answer = ask(place, lambda remote: responded(remote, agent.id, reply), f"answering {agent.id}")
    except PanewardError as error:
        say(console, (f"✗ {error.code}", "bold red"), (f"  {error.message}", ""))
        advise(console, error.hint)
        return error.code is not Code.UNKNOWN_OPTION
    receipt(console, answer.receipt)
    return answer.receipt.error_type is not Code.UNKNOWN_OPTION


def reply_of(line: str, menu: Menu | None) -> CliReply:
    """What a person means by a line: the options of these numbers, or words."""
    fingerprint = None if menu is None else menu.fingerprint
    numbers = [int(number) for number in re.findall(r"\d+", line)] if re.fullmatch(r"[\d ,]+", line) else []
    if menu is None or not menu.options or not numbers:
        free = menu is not None and bool(menu.options)
        return CliReply(other=line if free else None, text=None if free else line, fingerprint=fingerprint)
    if menu.multi:
        return CliReply(multi=numbers, fingerprint=fingerprint)
    return CliReply(select=numbers[0], fingerprint=fingerprint)
