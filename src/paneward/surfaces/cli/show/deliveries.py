"""Receipts, readiness and dialogs for people: what the verbs on panes and on agents answer with. Shape: functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paneward.core.result import Menu, Readiness, ReadyVerdict, SendResult, Verdict
from paneward.surfaces.cli.show.lines import Output, StyledWords, advise, milliseconds, say, short, table

if TYPE_CHECKING:
    from paneward.store import Delivery

SIGNS = {Verdict.CONFIRMED: ("✓", "green"), Verdict.UNCONFIRMED: ("?", "yellow"), Verdict.FAILED: ("✗", "red")}
READY = {
    ReadyVerdict.READY: ("✓", "green"),
    ReadyVerdict.AWAITING_ANSWER: ("?", "yellow"),
    ReadyVerdict.BUSY: ("…", "blue"),
    ReadyVerdict.STABLE: ("~", "yellow"),
    ReadyVerdict.DEAD: ("✗", "red"),
    ReadyVerdict.TIMEOUT: ("✗", "red"),
}
DUMPED = 12  # rows of the screen that are shown with a failure: the whole is in the JSON


# --- deliveries


def receipt(console: Output, result: SendResult) -> None:
    sign, colour = SIGNS[result.verdict]
    named = result.error_type or result.verdict
    say(console, (f"{sign} {named}", f"bold {colour}"), (f"  {result.pane}  ", "bold"), (_seen(result), ""))
    advise(console, result.hint)
    say(console, (f"  {' · '.join(_particulars(result))}", "dim"))
    for note in result.notes:
        say(console, ("  note: ", "yellow"), (note, ""))
    if result.dump:
        say(console, ("  the screen then:", "dim"))
        for row in result.dump.rstrip().splitlines()[-DUMPED:]:
            say(console, ("  │ ", "dim"), (row, ""))


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


def deliveries(console: Output, rows: tuple[Delivery, ...]) -> None:
    if not rows:
        say(console, ("no delivery is on record", ""))
        return
    servers = {row.pane: {one.tmux for one in rows if one.pane == row.pane} for row in rows}
    shown = (_delivery(row, twice=len(servers[row.pane]) > 1) for row in rows)
    table(console, ("when", "pane", "verdict", "rung", "took", "text"), shown)


def _delivery(row: Delivery, twice: bool) -> tuple[Any, ...]:
    """`twice`: panes of this id of several tmux servers are listed."""
    receipt = row.receipt
    pane = f"{row.pane} ({row.tmux.rpartition('/')[2]})" if twice else row.pane
    text = f"({row.length} characters, secret)" if row.text is None else " ".join(row.text.split())
    from datetime import datetime

    when = f"{datetime.fromisoformat(row.created_at).astimezone():%Y-%m-%d %H:%M:%S}"
    if receipt is None:
        return when, pane, StyledWords(f"unfinished: {row.phase}", "yellow"), "", "", short(text)
    sign, colour = SIGNS[receipt.verdict]
    verdict = StyledWords(f"{sign} {receipt.error_type or receipt.verdict}", colour)
    return when, pane, verdict, receipt.rung, milliseconds(receipt.latency_ms), short(text)


# --- readiness


def readiness(console: Output, ready: Readiness) -> None:
    sign, colour = READY[ready.verdict]
    say(console, (f"{sign} {ready.verdict}", f"bold {colour}"), (f"  {ready.question or ready.evidence}", ""))
    said = f": {ready.evidence}" if ready.question else ""
    say(console, (f"  rule {ready.rule}{said} · {milliseconds(ready.elapsed * 1000)}", "dim"))
    advise(console, _next(ready) if not ready.is_ready else "")


def _next(ready: Readiness) -> str:
    if ready.verdict is ReadyVerdict.AWAITING_ANSWER and ready.rule in ("question", "echo_off"):
        return "`paneward answer PANE --text WORDS` answers it" + (
            ", `--secret` keeps the words out of receipts." if ready.rule == "echo_off" else "."
        )
    return NEXT.get(ready.verdict, "")


NEXT = {
    ReadyVerdict.AWAITING_ANSWER: "`paneward menu` shows a dialog, `paneward answer` answers it.",
    ReadyVerdict.BUSY: "It is at work: wait longer with --timeout.",
    ReadyVerdict.STABLE: "Nothing moves and nothing proves more: --accept-stable counts this as ready.",
    ReadyVerdict.DEAD: "`paneward panes` lists the panes there are.",
    ReadyVerdict.TIMEOUT: "`paneward explain` shows what was seen; --pattern names another prompt.",
}


def menu(console: Output, menu: Menu, pane: str) -> None:
    options(console, menu)
    say(console, (f"  fingerprint {menu.fingerprint}", "dim"))
    ways = ["--select N"] if not menu.multi else ["--multi N --multi N"]
    ways += ["--other TEXT"] if menu.free_text is not None else []
    advise(console, f"`paneward answer {pane} {' | '.join(ways)}`")


def options(console: Output, menu: Menu) -> None:
    for row in menu.about.splitlines():
        say(console, ("  │ ", "dim"), (row, ""))
    say(console, (menu.question or "(no question could be read)", "bold"))
    for index, option in enumerate(menu.options):
        here = index == menu.selected
        box = "" if option.checked is None else ("[x] " if option.checked else "[ ] ")
        free = "  (free text)" if index == menu.free_text else ""
        mark = ("❯ ", "cyan") if here else ("  ", "")
        say(console, mark, (f"{option.number}. {box}{option.label}", "bold" if here else ""), (free, "dim"))
