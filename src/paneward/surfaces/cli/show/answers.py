"""Answers for people: functions from an answer to lines on a terminal. The words are the same without colours."""

from __future__ import annotations

from paneward.core.result import Readiness, SendResult
from paneward.surfaces.cli.answers import (
    AgentList,
    Answer,
    CapturedLines,
    OpenDialog,
    Outcomes,
    Receipts,
    RunningServer,
    Signalled,
)
from paneward.surfaces.cli.output import print_words
from paneward.surfaces.cli.show.deliveries import deliveries, menu, readiness, receipt
from paneward.surfaces.cli.show.lines import Output, say


def show(console: Output, answer: Answer) -> None:
    match answer:
        case SendResult():
            receipt(console, answer)
        case Readiness():
            readiness(console, answer)
        case CapturedLines(text=text):
            print_words(text, styles=True)
        case OpenDialog(_, asked, target):
            menu(console, asked, target) if asked else say(console, ("no dialog is open in ", ""), (target, "bold"))
        case Receipts(rows):
            deliveries(console, rows)
        case AgentList() | Outcomes() | RunningServer():
            from paneward.surfaces.cli.show.agents import show_agents

            show_agents(console, answer)
        case Signalled(state, message):
            say(console, ("✓ ", "green"), (state, "bold"), (f"  {message}", ""))
        case _:
            from paneward.surfaces.cli.show.upkeep import show_upkeep

            show_upkeep(console, answer)
