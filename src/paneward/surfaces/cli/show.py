"""Answers for people: functions from an answer to lines on a terminal. The words are the same without colours."""

from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime
from json import dumps
from typing import Any, assert_never

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from paneward.app import Explanation, Resident
from paneward.core.profiles import Profile, as_data
from paneward.core.readiness import RULES
from paneward.core.reading import Reading
from paneward.core.result import Menu, Readiness, ReadyVerdict, SendResult, Verdict
from paneward.core.scene import ProcessFacts
from paneward.core.screen.cells import Row, Screen
from paneward.core.standing import Standing
from paneward.store import Delivery
from paneward.surfaces.cli.answers import (
    Answer,
    Asked,
    Captured,
    Checks,
    Config,
    Panes,
    Profiles,
    Receipts,
    State,
    Written,
)
from paneward.surfaces.cli.meaning import meanings
from paneward.surfaces.cli.regions import regions, shown_screen

SIGNS = {Verdict.CONFIRMED: ("✓", "green"), Verdict.UNCONFIRMED: ("?", "yellow"), Verdict.FAILED: ("✗", "red")}
STATES = {State.OK: ("✓", "green"), State.WARN: ("!", "yellow"), State.FAIL: ("✗", "red")}
READY = {
    ReadyVerdict.READY: ("✓", "green"),
    ReadyVerdict.AWAITING_ANSWER: ("?", "yellow"),
    ReadyVerdict.BUSY: ("…", "blue"),
    ReadyVerdict.STABLE: ("~", "yellow"),
    ReadyVerdict.DEAD: ("✗", "red"),
    ReadyVerdict.TIMEOUT: ("✗", "red"),
}
DUMPED = 12  # rows of the screen that are shown with a failure: the whole is in the JSON


def show(console: Console, answer: Answer) -> None:
    match answer:
        case SendResult():
            _receipt(console, answer)
        case Readiness():
            _readiness(console, answer)
        case Explanation():
            _explanation(console, answer)
        case Captured(text=text):
            console.file.write(f"{text}\n")
        case Asked(pane, menu):
            _menu(console, menu, pane) if menu else _say(console, ("no dialog is open in ", ""), (pane, "bold"))
        case Panes(panes):
            _panes(console, Panes(panes))
        case Receipts(deliveries):
            _deliveries(console, deliveries)
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
        case _:
            assert_never(answer)


def _say(console: Console, *parts: tuple[str, str]) -> None:
    """One line; on a terminal it is broken between words, elsewhere it stays whole for those who search it."""
    console.print(Text.assemble(*parts))


def _advise(console: Console, hint: str) -> None:
    if hint:
        _say(console, ("  → ", "cyan"), (hint, ""))


def _table(console: Console, heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="dim")
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in row))
    console.print(table)


# --- deliveries


def _receipt(console: Console, result: SendResult) -> None:
    sign, colour = SIGNS[result.verdict]
    named = result.error_type or result.verdict
    _say(console, (f"{sign} {named}", f"bold {colour}"), (f"  {result.pane}  ", "bold"), (_seen(result), ""))
    _advise(console, result.hint)
    _say(console, (f"  {' · '.join(_particulars(result))}", "dim"))
    for note in result.notes:
        _say(console, ("  note: ", "yellow"), (note, ""))
    if result.dump:
        _say(console, ("  the screen then:", "dim"))
        for row in result.dump.rstrip().splitlines()[-DUMPED:]:
            _say(console, ("  │ ", "dim"), (row, ""))


def _seen(result: SendResult) -> str:
    return result.detail or result.evidence


def _particulars(result: SendResult) -> list[str]:
    words = [f"rung {result.rung}"]
    if result.enters:
        words.append(f"{result.enters} Enter{'s' * (result.enters > 1)}")
    words.append(milliseconds(result.latency_ms))
    if result.profile:
        words.append(f"profile {result.profile}")
    if result.message_id:
        words.append(f"message {result.message_id}")
    return [*words, "the receipt of an earlier call"] if result.repeated else words


def milliseconds(spent: float) -> str:
    return f"{spent:.0f} ms" if spent < 1000 else f"{spent / 1000:.1f} s"


def _deliveries(console: Console, rows: tuple[Delivery, ...]) -> None:
    if not rows:
        _say(console, ("no delivery is on record", ""))
        return
    _table(console, ("when", "pane", "verdict", "rung", "took", "text"), (_delivery(row) for row in rows))


def _delivery(row: Delivery) -> tuple[Any, ...]:
    receipt = row.receipt
    text = f"({row.length} characters, secret)" if row.text is None else " ".join(row.text.split())
    when = f"{datetime.fromisoformat(row.created_at).astimezone():%Y-%m-%d %H:%M:%S}"
    if receipt is None:
        return when, row.pane, Text(f"unfinished: {row.phase}", "yellow"), "", "", _short(text)
    sign, colour = SIGNS[receipt.verdict]
    verdict = Text(f"{sign} {receipt.error_type or receipt.verdict}", colour)
    return when, row.pane, verdict, receipt.rung, milliseconds(receipt.latency_ms), _short(text)


def _short(text: str, most: int = 48) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


# --- readiness


def _readiness(console: Console, ready: Readiness) -> None:
    sign, colour = READY[ready.verdict]
    _say(console, (f"{sign} {ready.verdict}", f"bold {colour}"), (f"  {ready.question or ready.evidence}", ""))
    said = f": {ready.evidence}" if ready.question else ""
    _say(console, (f"  rule {ready.rule}{said} · {milliseconds(ready.elapsed * 1000)}", "dim"))
    _advise(console, NEXT.get(ready.verdict, "") if not ready.is_ready else "")


NEXT = {
    ReadyVerdict.AWAITING_ANSWER: "`paneward menu` shows a dialog, `paneward answer` answers it.",
    ReadyVerdict.BUSY: "It is at work: wait longer with --timeout.",
    ReadyVerdict.STABLE: "Nothing moves and nothing proves more: --accept-stable counts this as ready.",
    ReadyVerdict.DEAD: "`paneward panes` lists the panes there are.",
    ReadyVerdict.TIMEOUT: "`paneward explain` shows what was seen; --pattern names another prompt.",
}


def _menu(console: Console, menu: Menu, pane: str) -> None:
    _say(console, (menu.question or "(no question could be read)", "bold"))
    for index, option in enumerate(menu.options):
        here = index == menu.selected
        box = "" if option.checked is None else ("[x] " if option.checked else "[ ] ")
        free = "  (free text)" if index == menu.free_text else ""
        mark = ("❯ ", "cyan") if here else ("  ", "")
        _say(console, mark, (f"{option.number}. {box}{option.label}", "bold" if here else ""), (free, "dim"))
    _say(console, (f"  fingerprint {menu.fingerprint}", "dim"))
    ways = ["--select N"] if not menu.multi else ["--multi N --multi N"]
    ways += ["--other TEXT"] if menu.free_text is not None else []
    _advise(console, f"`paneward answer {pane} {' | '.join(ways)}`")


def _explanation(console: Console, found: Explanation) -> None:
    judged = found.assessment
    sign, colour = READY[judged.verdict] if judged.verdict else ("…", "blue")
    verdict = judged.verdict or ("busy" if judged.working else "undecided")
    _say(console, (f"{sign} {verdict}", f"bold {colour}"), (f"  {found.pane}  ", "bold"), (judged.evidence, ""))
    _say(console, (f"  profile {found.profile} · {_process(found.scene.process)}", "dim"))
    _standing(console, found.standing)
    _table(console, ("", "rule", "found"), _rules(found))
    _screen(console, found)
    if found.menu:
        _menu(console, found.menu, found.pane)


def _standing(console: Console, found: Standing) -> None:
    """What the agent does, the fact that decided it, and what the other sources say."""
    more = ", ".join(word for word in (found.activity, found.ending, found.kind) if word)
    state = f"{found.state} ({more})" if more else str(found.state)
    _say(console, ("  state ", "dim"), (state, "bold"), (f"  by its {found.source}: {found.evidence}", ""))
    for claim in found.claims:
        if claim.source is not found.source:
            _say(console, (f"    its {claim.source} says {claim.state}: {claim.evidence}", "dim"))


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
    _say(console, (f"  screen {snapshot.width}x{snapshot.height}", "dim"), (_modes(found), "dim"))
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
    _table(console, heads, rows)
    for one in found.panes:
        if one.version_known is False:
            _say(console, (f"? {one.profile} {one.version} in {one.info.pane}: ", "yellow"), (UNPROVEN, ""))
            _advise(console, f"`paneward profiles check {one.info.pane}` shows whether it still fits.")


UNPROVEN = "its profile was not proven on this version; docs/agents/README.md says how to take a newer one"


def _program(one: Resident) -> Text:
    if one.version_known is False:
        return Text(f"{one.profile} {one.version}?", "yellow")
    return Text(f"{one.profile} {one.version or ''}".strip(), "dim" if one.profile == "generic" else "")


def _checks(console: Console, found: Checks) -> None:
    width = max(len(check.name) for check in found.checks)
    for check in found.checks:
        sign, colour = STATES[check.state]
        _say(console, (f"{sign} {check.state:<4}", colour), (f"  {check.name:<{width}}  ", "bold"), (check.seen, ""))
        _advise(console, check.mend)


def _profiles(console: Console, profiles: tuple[Profile, ...]) -> None:
    heads = ("profile", "about", "proven on", "recognised by")
    rows = (
        (one.name, one.about, ", ".join(one.versions) or "-", "\n".join(one.match) or "what is left")
        for one in profiles
    )
    _table(console, heads, rows)


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
    _say(console, (f"{sign} {verdict}", f"bold {colour}"), (f"  {found.pane}  ", "bold"), (found.because, ""))
    _table(console, ("region", "rows", "read"), regions(found))
    for row in shown_screen(found):
        console.print(row, no_wrap=True, overflow="crop")
    if found.version_known is False:
        _say(console, (f"? {found.profile} {found.version}: ", "yellow"), (UNPROVEN, ""))
    if found.menu:
        _menu(console, found.menu, found.pane)
    _advise(console, f"Does it read something wrongly? `paneward report {found.pane}` keeps all of this in one file.")


def _written(console: Console, written: Written) -> None:
    for file in written.files:
        _say(console, ("✓ written ", "bold green"), (str(file), "bold"))
    for words in written.contains:
        _say(console, ("  ", ""), (words, ""))
    for note in written.notes:
        _say(console, ("  note: ", "yellow"), (note, ""))
    _advise(console, written.hint)


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
        _say(console, ("✓ valid", "bold green"), (f"  {', '.join(origins) or 'defaults only'}", ""))
    else:
        rows = ((value.key, yaml_value(value.value), Text(value.origin, "dim")) for value in found.settings)
        _table(console, ("key", "value", "from"), rows)
    _say(console, (f"  profiles: {', '.join(found.profiles)}", "dim"))
