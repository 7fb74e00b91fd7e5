"""Hooks and signals for people: functions from an answer to lines."""

from paneward.core.hook_install import Hooked
from paneward.surfaces.cli.output import print_words
from paneward.surfaces.cli.show.lines import Output, StyledWords, advise, table
from paneward.surfaces.cli.upkeep import Hooks

COLOURS = {"installed": "green", "outdated": "yellow", "absent": "dim", "broken": "red"}


def show_hooks(console: Output, answer: Hooks) -> None:
    table(console, ("agent", "hooks", "", "file"), [_row(one, answer.dry_run) for one in answer.agents])
    for one in answer.agents:
        if answer.dry_run and one.diff:
            print_words(one.diff, end="")
        advise(console, one.note)
    if answer.waiting:
        advise(console, f"{answer.waiting} hooks wait in {answer.spool} for a server: `paneward up --detach`.")


def _row(one: Hooked, dry: bool) -> tuple[object, ...]:
    verb = "would change" if dry else "changed"
    return one.agent, StyledWords(one.state, COLOURS[one.state]), verb if one.changed else "", one.path
