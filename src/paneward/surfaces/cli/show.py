"""Answers for people: functions from an answer to lines on a terminal. The words are the same without colours."""

from collections.abc import Iterable
from dataclasses import fields
from json import dumps
from typing import Any, assert_never

from rich.console import Console
from rich.text import Text

from paneward.app import Explanation, Resident
from paneward.core.profiles import Profile, as_data
from paneward.core.readiness import RULES
from paneward.core.reading import Reading
from paneward.core.result import Readiness, ReadyVerdict, SendResult
from paneward.core.scene import ProcessFacts
from paneward.core.screen.cells import Row, Screen
from paneward.core.standing import Standing
from paneward.surfaces.cli.answers import (
    Adopted,
    Agents,
    Answer,
    Asked,
    Captured,
    Cast,
    Checks,
    Config,
    Events,
    Forgotten,
    Hooks,
    HostGone,
    HostList,
    HostTold,
    Outcomes,
    Panes,
    Profiles,
    Receipts,
    Recording,
    Recordings,
    Responded,
    Running,
    Signalled,
    State,
    Stopped,
    Token,
    Written,
)
from paneward.surfaces.cli.lines import advise, say, table
from paneward.surfaces.cli.meaning import meanings
from paneward.surfaces.cli.regions import regions, shown_screen
from paneward.surfaces.cli.shown_agents import show_agents
from paneward.surfaces.cli.shown_deliveries import READY, deliveries, menu, readiness, receipt
from paneward.surfaces.cli.shown_hooks import show_hooks
from paneward.surfaces.cli.shown_hosts import show_hosts
from paneward.surfaces.cli.shown_recordings import show_recordings

STATES = {State.OK: ("✓", "green"), State.WARN: ("!", "yellow"), State.FAIL: ("✗", "red")}


def show(console: Console, answer: Answer) -> None:
    match answer:
        case SendResult():
            receipt(console, answer)
        case Readiness():
            readiness(console, answer)
        case Explanation():
            _explanation(console, answer)
        case Captured(text=text):
            console.file.write(f"{text}\n")
        case Asked(pane, asked):
            menu(console, asked, pane) if asked else say(console, ("no dialog is open in ", ""), (pane, "bold"))
        case Panes(panes):
            _panes(console, Panes(panes))
        case Receipts(rows):
            deliveries(console, rows)
        case Profile():
            _profile(console, answer)
        case Profiles(profiles):
            _profiles(console, profiles)
        case Checks():
            _checks(console, answer)
        case Config():
            _config(console, answer)
        case Reading():
            _reading(console, answer)
        case Written():
            _written(console, answer)
        case Hooks() | Signalled():
            show_hooks(console, answer)
        case Adopted() | Agents() | Events() | Forgotten() | Outcomes() | Responded() | Running() | Stopped() | Token():
            show_agents(console, answer)
        case HostList() | HostTold() | HostGone():
            show_hosts(console, answer)
        case Cast() | Recording() | Recordings():
            show_recordings(console, answer)
        case _:
            assert_never(answer)


# --- panes


def _explanation(console: Console, found: Explanation) -> None:
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


def _standing(console: Console, found: Standing) -> None:
    """What the agent does, the fact that decided it, and what the other sources say."""
    more = ", ".join(word for word in (found.activity, found.ending, found.kind) if word)
    state = f"{found.state} ({more})" if more else str(found.state)
    say(console, ("  state ", "dim"), (state, "bold"), (f"  by its {found.source}: {found.evidence}", ""))
    for claim in found.claims:
        if claim.source is not found.source:
            say(console, (f"    its {claim.source} says {claim.state}: {claim.evidence}", "dim"))


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


def _screen(console: Console, found: Explanation) -> None:
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


# --- around


def _panes(console: Console, found: Panes) -> None:
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


UNPROVEN = "its profile was not proven on this version; docs/agents/README.md says how to take a newer one"


def _program(one: Resident) -> Text:
    if one.version_known is False:
        return Text(f"{one.profile} {one.version}?", "yellow")
    return Text(f"{one.profile} {one.version or ''}".strip(), "dim" if one.profile == "generic" else "")


def _checks(console: Console, found: Checks) -> None:
    width = max(len(check.name) for check in found.checks)
    for check in found.checks:
        sign, colour = STATES[check.state]
        say(console, (f"{sign} {check.state:<4}", colour), (f"  {check.name:<{width}}  ", "bold"), (check.seen, ""))
        advise(console, check.mend)


def _profiles(console: Console, profiles: tuple[Profile, ...]) -> None:
    heads = ("profile", "about", "proven on", "recognised by")
    rows = (
        (one.name, one.about, ", ".join(one.versions) or "-", "\n".join(one.match) or "what is left")
        for one in profiles
    )
    table(console, heads, rows)


def _profile(console: Console, profile: Profile) -> None:
    """As a row of a profiles file, to be copied and changed: never broken, and each field with what it means."""
    means = meanings(Profile)
    console.print(Text(f"{profile.name}:", "bold"), soft_wrap=True)
    for field in fields(profile):
        if field.name != "name":
            if words := means.get(field.name):
                console.print(Text(f"  # {words}", "dim"), soft_wrap=True)
            _field(console, field.name, as_data(getattr(profile, field.name)))


def _field(console: Console, name: str, value: Any) -> None:
    several = isinstance(value, list) and len(value) > 1 and not all(isinstance(item, str) for item in value)
    if not several:
        console.print(Text.assemble((f"  {name}: ", "cyan"), yaml_value(value)), soft_wrap=True)
        return
    console.print(Text(f"  {name}:", "cyan"), soft_wrap=True)
    for item in value:
        console.print(Text(f"    - {yaml_value(item)}"), soft_wrap=True)


def _reading(console: Console, found: Reading) -> None:
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


def _written(console: Console, written: Written) -> None:
    for file in written.files:
        say(console, ("✓ written ", "bold green"), (str(file), "bold"))
    for words in written.contains:
        say(console, ("  ", ""), (words, ""))
    for note in written.notes:
        say(console, ("  note: ", "yellow"), (note, ""))
    advise(console, written.hint)


def yaml_value(value: Any) -> str:
    """A value as YAML on one line; texts in single quotes, in which a backslash is a backslash."""
    match value:
        case bool():
            return "true" if value else "false"
        case tuple() | list():
            return f"[{', '.join(yaml_value(item) for item in value)}]"
        case dict():
            return f"{{{', '.join(f'{key}: {yaml_value(item)}' for key, item in value.items())}}}"
        case str() if not value.isprintable():
            return dumps(value)
        case str():
            return "'" + value.replace("'", "''") + "'"
        case None:
            return "null"
    return str(value)


def _config(console: Console, found: Config) -> None:
    if found.checked:
        origins = sorted({value.origin.partition(", line")[0] for value in found.settings} - {"default"})
        say(console, ("✓ valid", "bold green"), (f"  {', '.join(origins) or 'defaults only'}", ""))
    else:
        rows = ((value.key, yaml_value(value.value), Text(value.origin, "dim")) for value in found.settings)
        table(console, ("key", "value", "from"), rows)
    say(console, (f"  profiles: {', '.join(found.profiles)}", "dim"))
