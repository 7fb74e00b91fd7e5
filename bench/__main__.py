"""`python -m bench`: measure every row of the speed table against a baseline of the same run."""

import argparse
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from time import strftime

from rich.console import Console
from rich.table import Table

from bench import agents, appends, commands, hundred, prompts, sending, signals, starting, streams, strip, watching
from bench.ground import TOP
from bench.row import Row, load, machine

PAGE = TOP / "docs" / "benchmarks.md"
screen = Console()


def stripper(quick: bool) -> Row:
    """The row that `bench.strip` measures."""
    found = strip.run(2_000 if quick else 100_000)
    ratio = float(str(found["ratio"]))
    wanted = {
        "faster x": ratio,
        "MB/s": found["stripper_mb_per_s"],
        "byte machine MB/s": found["byte_machine_mb_per_s"],
    }
    wanted |= {"chunkings": found["chunkings"], "unequal": found["unequal"]}
    goal = "7x faster, equal output over 10^5 random chunkings"
    return Row(
        "stripper",
        "stripper on agent output against the byte machine",
        goal,
        wanted,
        ratio >= 7 and not found["unequal"],
    )


ROWS: dict[str, Callable[[bool], Row]] = {
    "one_command": commands.one_command,
    "in_flight": commands.in_flight,
    "prompt": prompts.prompt_known,
    "send": sending.send_verified,
    "stripper": stripper,
    "idle": watching.idle,
    "printing": watching.printing,
    "flood": watching.flood,
    "appends": appends.appends,
    "streams": streams.streams,
    "terminal": streams.terminal,
    "respond": streams.respond,
    "hundred_agents": hundred.hundred_agents,
    "marker": signals.marker,
    "repaints": signals.repaints,
    "idle_server": signals.idle_server,
    "beside_flood": signals.beside_flood,
    "restart": signals.restart,
    "hook_command": signals.hook_command,
    "import_and_help": starting.import_and_help,
    "hot_commands": starting.hot_commands,
    "hot_commands_alone": starting.hot_commands_alone,
    "agents": agents.real_agents,
}


def arguments(words: list[str]) -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="bench", description=__doc__)
    options.add_argument("--only", nargs="+", choices=list(ROWS), help="these rows")
    options.add_argument("--quick", action="store_true", help="few rounds, to see it work")
    options.add_argument("--json", type=Path, metavar="FILE", help="write the rows as JSON lines there too")
    options.add_argument("--write", action="store_true", help="write docs/benchmarks.md anew")
    return options.parse_args(words)


def main(words: list[str]) -> int:
    chosen = arguments(words)
    before, rows = load(), []
    for name in chosen.only or ROWS:
        started = load()
        row = ROWS[name](chosen.quick)
        rows.append(row)
        print(json.dumps(row.as_json() | {"load_before": started, "load_after": load()}), flush=True)
    around = f"load average {before} before, {load()} after"
    screen.print(table(rows), f"{machine()}; {around}", sep="\n")
    if chosen.json:
        chosen.json.write_text("".join(json.dumps(row.as_json() | {"load": around}) + "\n" for row in rows))
    if chosen.write:
        PAGE.write_text(page(rows, around))
    return 0 if all(row.held for row in rows) else 1


def table(rows: list[Row]) -> Table:
    drawn = Table("what", "measured", "at least", "held", title="Speed", show_lines=True)
    for row in rows:
        drawn.add_row(row.what, row.figures, row.goal, "yes" if row.held else "[red]no[/red]")
    return drawn


def page(rows: list[Row], around: str) -> str:
    lines = [f"| {row.what} | {row.figures} | {row.goal} | {'yes' if row.held else '**no**'} |" for row in rows]
    return f"""# Benchmarks

Written by `python -m bench --write`; `make bench` measures again. Every ratio is against a baseline of the same run,
measured in turn with what it is compared to, so that the load of the machine falls on both.

{strftime("%Y-%m-%d")}: {machine()}; {around}.

| what | measured | at least | held |
|---|---|---|---|
{chr(10).join(lines)}
"""


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended then too
    sys.exit(main(sys.argv[1:]))
