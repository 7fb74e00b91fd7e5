"""`python -m prove`: play the long proofs, or go on where the last run ended."""

import argparse
import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from prove import crashes, delivery, fuzz, hosts, openapi, readiness, senders, servers, signals, stores, streams
from prove.ledger import RESULTS, Ledger, Line, Proof, fingerprint
from prove.place import cores_loaded, loopback, missing
from prove.play import play_all

PROOFS = {
    proof.name: proof
    for proof in (
        *(delivery.PROOF, readiness.PROOF, crashes.PROOF),
        *(*senders.PROOFS, *servers.PROOFS, stores.PROOF, streams.PROOF, *signals.PROOFS, hosts.PROOF, fuzz.PROOF),
        openapi.PROOF,
    )
}
screen = Console()


def arguments(words: list[str]) -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="prove", description=__doc__)
    options.add_argument("--only", nargs="+", choices=list(PROOFS), help="these proofs")
    options.add_argument("--rounds", type=int, help="of every cell, instead of what the proof asks for")
    options.add_argument("--no-load", action="store_true", help="leave the cores alone")
    options.add_argument("--load", action="store_true", help="load every core (the default)")
    options.add_argument("--fresh", action="store_true", help="play again what was played")
    options.add_argument("--match", default="", help="only cells whose key contains this")
    return options.parse_args(words)


def main(words: list[str]) -> int:
    chosen = arguments(words)
    if lacking := missing():
        screen.print(f"missing: {', '.join(lacking)}; `make setup` installs what Debian has")
        return 2
    proofs = [PROOFS[name] for name in chosen.only or PROOFS]
    with ExitStack() as around:
        ssh_config = around.enter_context(loopback())
        around.enter_context(cores_loaded(not chosen.no_load))
        verdicts = [prove(proof, chosen, ssh_config) for proof in proofs]
    screen.print(table(verdicts))
    screen.print(f"load average {' '.join(f'{one:.2f}' for one in os.getloadavg())}, {os.cpu_count()} cores")
    for _, _, wrong in verdicts:
        for complaint in wrong:
            screen.print(complaint, style="red", markup=False)
    return 1 if any(wrong for _, _, wrong in verdicts) else 0


Proven = tuple[Proof, list[Line], list[str]]


def prove(proof: Proof, chosen: argparse.Namespace, ssh_config: Path) -> Proven:
    ledger = Ledger(RESULTS / f"{proof.name}.jsonl", fingerprint(), not chosen.no_load)
    if chosen.fresh:
        ledger.forget()
    cells = [cell for cell in proof.cells(chosen.rounds or proof.rounds) if chosen.match in cell.key]
    due = [cell for cell in cells if cell.key not in ledger.lines]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, disable=not sys.stdout.isatty()) as progress:
        task = progress.add_task(proof.name, total=len(cells), completed=len(cells) - len(due))
        asyncio.run(play_all(proof, due, ledger, ssh_config, _teller(progress, lambda: progress.advance(task))))
    lines = [ledger.lines[cell.key] for cell in cells]
    return proof, lines, proof.complaints(lines)


def _teller(progress: Progress, advance: Callable[[], None]) -> Callable[[Line], None]:
    def heard(line: Line) -> None:
        advance()
        if not line["ok"]:
            progress.console.print(f"{line['judgement']}: {line['key']}", style="red", markup=False)

    return heard


def table(verdicts: list[Proven]) -> Table:
    drawn = Table("proof", "cells", "judgements", "held", title="Proofs")
    for proof, lines, wrong in verdicts:
        counts = Counter(line["judgement"] for line in lines)
        told = ", ".join(f"{count} {name}" for name, count in counts.most_common())
        drawn.add_row(proof.name, str(len(lines)), told, "[red]no[/red]" if wrong else "yes")
    return drawn


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended then too
    sys.exit(main(sys.argv[1:]))
