"""One process that watches many panes: what it costs while nothing happens, while some print, and during a flood."""

import json
import subprocess
import time
from typing import Any

from bench.ground import beside, heard, many_panes, tell
from bench.row import Row, cpu_seconds, p50, p99, resident_mb
from tests.adapters.conftest import TmuxServer

PANES = 1000
PRINTING = 100
EACH = 20  # lines per second
FLOOD = "exec yes 'src/parser.py:120: warning: a line of a build that floods the pane'"


def ask(watcher: subprocess.Popen[str], question: str) -> Any:
    tell(watcher, question)
    return json.loads(heard(watcher, "said"))


def idle(quick: bool) -> Row:
    panes, seconds = (200, 3.0) if quick else (PANES, 25.0)
    with many_panes(panes) as (server, _), beside("watcher", server.name, "many", "count") as watcher:
        time.sleep(2.0)  # what joining started is over
        before = cpu_seconds(watcher.pid)
        time.sleep(seconds)
        share = (cpu_seconds(watcher.pid) - before) / seconds
        size = resident_mb(watcher.pid)
    return Row(
        "idle",
        f"one process watching {panes} idle panes",
        "under 0.1 % of a core; under 80 MB",
        {"% of a core": share * 100, "MB": size},
        share < 0.001 and size < 80,
    )


def printing(quick: bool) -> Row:
    panes, seconds = (200, 3.0) if quick else (PANES, 20.0)
    with many_panes(panes) as (server, all_panes):
        terminals = [tty for _, tty in all_panes[:PRINTING]]
        figures = _printed(server, terminals, seconds)
    ratio = figures["watcher cpu"] / figures["reader cpu"]
    seen = figures["seen"] == figures["written"]
    return Row(
        "printing",
        f"one process watching {panes} panes of which {PRINTING} print {EACH} lines/s",
        "every line seen; at most 2x the CPU of a reader that only unescapes and counts",
        {
            "of the reader's CPU x": ratio,
            "% of a core": figures["watcher cpu"] / seconds * 100,
            "reader % of a core": figures["reader cpu"] / seconds * 100,
            "lines": f"{figures['seen']}/{figures['written']}",
        },
        seen and ratio <= 2,
    )


def _printed(server: TmuxServer, terminals: list[str], seconds: float) -> dict[str, float]:
    """Both at the same time on the same output, so that the load falls on both."""
    rate = str(len(terminals) * EACH)
    with (
        beside("watcher", server.name, "many", "count") as watcher,
        beside("reader", server.tmux, server.name, "many") as reader,
        beside("writer", "count", rate, str(seconds), *terminals) as writer,
    ):
        time.sleep(1.5)
        before = cpu_seconds(watcher.pid), cpu_seconds(reader.pid)
        tell(writer, "go")
        written = int(heard(writer, "done"))
        _until_seen(watcher, written)
        used = cpu_seconds(watcher.pid) - before[0], cpu_seconds(reader.pid) - before[1]
        seen = ask(watcher, "lines")["lines"]
    return {"watcher cpu": used[0], "reader cpu": used[1], "written": written, "seen": seen}


def _until_seen(watcher: subprocess.Popen[str], lines: int) -> None:
    for _ in range(20):
        if ask(watcher, "lines")["lines"] >= lines:
            return
        time.sleep(0.1)


def flood(quick: bool) -> Row:
    seconds = 2.0 if quick else 8.0
    with many_panes(11) as (server, panes):
        flooding, others = panes[0][0], [tty for _, tty in panes[1:]]
        with (
            beside("watcher", server.name, "many", "time") as watcher,
            beside("writer", "stamp", "100", str(seconds), *others) as writer,
        ):
            calm = _delays(watcher, writer)
            server.run("respawn-pane", "-k", "-t", flooding, FLOOD)
            time.sleep(0.5)
            loud = _delays(watcher, writer)
    wanted = int(100 * seconds)
    return Row(
        "flood",
        "flood in one pane: other panes' lines",
        "p50 under 5 ms; p99 at most 3x that without the flood",
        {
            "p50 ms": p50(loud),
            "p99 ms": p99(loud),
            "p99 of calm x": p99(loud) / p99(calm),
            "calm p50 ms": p50(calm),
            "calm p99 ms": p99(calm),
            "lines": f"{len(loud)}/{wanted}",
        },
        p50(loud) < 5 and p99(loud) <= 3 * p99(calm) and len(loud) == len(calm) == wanted,
    )


def _delays(watcher: subprocess.Popen[str], writer: subprocess.Popen[str]) -> list[float]:
    """Milliseconds from writing a line to hearing it."""
    ask(watcher, "delays")
    tell(writer, "go")
    heard(writer, "done")
    time.sleep(0.5)
    return [delay / 1e6 for delay in ask(watcher, "delays")]
