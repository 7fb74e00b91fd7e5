"""Panes and their screens for people: what is seen in them, and what is made of it. Shape: functions, as in `show`."""

from collections.abc import Iterable
from typing import Any

from rich.text import Text

from paneward.app import Explanation, Resident
from paneward.core.readiness.inspection import Inspection
from paneward.core.readiness.rules import RULES
from paneward.core.result import ReadyVerdict
from paneward.core.screen.cells import Row, Screen
from paneward.core.state.claims import Source, Standing
from paneward.core.terminal.scene import ProcessFacts
from paneward.surfaces.cli.show.deliveries import READY, menu
from paneward.surfaces.cli.show.lines import Output, advise, say, table
from paneward.surfaces.cli.show.regions import regions, shown_screen
from paneward.surfaces.cli.upkeep import Checked, Explained, PaneList

UNPROVEN = "its profile was not proven on this version; docs/agents/README.md says how to take a newer one"


def show_panes(console: Output, answer: Explained | Checked | PaneList) -> None:
    match answer:
        case Explained(explanation):
            _explanation(console, explanation)
        case Checked(reading):
            _reading(console, reading)
        case PaneList():
            _panes(console, answer)


def _explanation(console: Output, found: Explanation) -> None:
    judged = found.assessment
    sign, colour = READY[judged.verdict] if judged.verdict else ("…", "blue")
    verdict = judged.verdict or ("busy" if judged.working else "undecided")
    say(console, (f"{sign} {verdict}", f"bold {colour}"), (f"  {found.pane}  ", "bold"), (judged.evidence, ""))
    say(console, (f"  profile {found.profile} · {_process(found.scene.process)}", "dim"))
    _standing(console, found.standing)
    table(console, ("", "rule", "found"), _rules(found))
    _screen(console, found)
    if found.menu:
        menu(console, found.menu, found.pane)


def _standing(console: Output, found: Standing) -> None:
    """What the agent does, the fact that decided it, and what the other sources say."""
    more = ", ".join(word for word in (found.activity, found.ending, found.kind) if word)
    state = f"{found.state} ({more})" if more else str(found.state)
    say(console, ("  state ", "dim"), (state, "bold"), (_by(found), ""))
    for claim in found.claims:
        if claim.source is not found.source:
            say(console, (f"    its {claim.source} says {claim.state}: {claim.evidence}", "dim"))


def _by(found: Standing) -> str:
    return f"  {found.evidence}" if found.source is Source.NONE else f"  by its {found.source}: {found.evidence}"


def _rules(found: Explanation) -> Iterable[tuple[Any, ...]]:
    """Every rule in its order, the one that decided marked; those after it were not needed."""
    tried = {one.rule: one for one in found.assessment.tried}
    for name, _ in RULES:
        if name not in tried:
            yield "", Text(name, "dim"), Text("not needed", "dim")
        elif tried[name].decided:
            yield Text("▶", "bold green"), Text(name, "bold green"), Text(tried[name].found, "bold")
        else:
            yield "", name, tried[name].found


def _process(process: ProcessFacts | None) -> str:
    if process is None:
        return "its process cannot be seen"
    reading = {True: "waits for input", False: "does not read its terminal", None: "unknown whether it reads"}
    mode = {True: "whole lines", False: "raw", None: "mode unknown"}[process.canonical]
    echo = {True: "echo on", False: "echo off", None: "echo unknown"}[process.echo]
    unread = f"{process.unread} bytes unread" if process.unread else "nothing unread"
    return f"{process.command} (pid {process.pid}): {reading[process.reading]}, {mode}, {echo}, {unread}"


def _screen(console: Output, found: Explanation) -> None:
    """The screen in a frame; the cursor's row is pointed at, its cell reversed."""
    snapshot = found.scene.snapshot
    rows = Screen.of(snapshot).rows
    last = max([snapshot.cursor_y, *(y for y, row in enumerate(rows) if not row.blank)])
    say(console, (f"  screen {snapshot.width}x{snapshot.height}", "dim"), (_modes(found), "dim"))
    for y, row in enumerate(rows[: last + 1]):
        here = y == snapshot.cursor_y
        text = _with_cursor(row, snapshot.cursor_x) if here else Text(row.text)
        row_shown = Text.assemble(("▶ " if here else "  ", "cyan"), ("│ ", "dim"), text)
        console.print(row_shown, no_wrap=True, overflow="crop")


def _with_cursor(row: Row, x: int) -> Text:
    left, right = row.left(x), row.right(x) or " "
    return Text.assemble(left, (right[0], "reverse"), right[1:])


def _modes(found: Explanation) -> str:
    snapshot = found.scene.snapshot
    words = {"alternate screen": snapshot.alternate, "copy mode": snapshot.in_mode, "input off": snapshot.input_off}
    cursor = f", cursor in column {snapshot.cursor_x}, row {snapshot.cursor_y}"
    return cursor + "".join(f", {word}" for word, true in words.items() if true)


def _reading(console: Output, found: Inspection) -> None:
    sign, colour = READY[ReadyVerdict(found.verdict)] if found.verdict else ("…", "blue")
    verdict = found.verdict or "undecided"
    say(console, (f"{sign} {verdict}", f"bold {colour}"), (f"  {found.pane}  ", "bold"), (found.because, ""))
    table(console, ("region", "rows", "read"), regions(found))
    for row in shown_screen(found):
        console.print(row, no_wrap=True, overflow="crop")
    if found.version_known is False:
        say(console, (f"? {found.profile} {found.version}: ", "yellow"), (UNPROVEN, ""))
    if found.menu:
        menu(console, found.menu, found.pane)
    advise(console, f"Does it read something wrongly? `paneward report {found.pane}` keeps all of this in one file.")


def _panes(console: Output, found: PaneList) -> None:
    heads = ("pane", "target", "window", "command", "program", "size", "title")
    rows = (
        (one.info.pane, one.info.target, one.info.window_name,
         Text("dead", "red") if one.info.dead else one.info.command, _program(one),
         f"{one.info.width}x{one.info.height}", one.info.title)
        for one in found.panes
    )  # fmt: skip
    table(console, heads, rows)
    for one in found.panes:
        if one.version_known is False:
            say(console, (f"? {one.profile} {one.version} in {one.info.pane}: ", "yellow"), (UNPROVEN, ""))
            advise(console, f"`paneward profiles check {one.info.pane}` shows whether it still fits.")


def _program(one: Resident) -> Text:
    if one.version_known is False:
        return Text(f"{one.profile} {one.version}?", "yellow")
    return Text(f"{one.profile} {one.version or ''}".strip(), "dim" if one.profile == "generic" else "")
