"""Signals: from a marker in a pane to a hundred clients, what agents that repaint cost, a flood beside them, a restart
with a hundred of them, and what the command of a hook costs its agent.
"""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.ground import SHELL, TOP, beside, heard, many_panes, tell
from bench.row import Row, cpu_seconds, p50, p99
from bench.streams import Crowd
from paneward.app.server import serve
from paneward.config import Settings
from paneward.core.hook_install import command
from tests.adapters.conftest import TmuxServer

CLIENTS = 100
AGENTS = 100
REPAINTING = 10
RATE = 10  # repaints a second
IDLE_PANES = 1000
SETTLED = 45.0  # seconds after which an agent that has said nothing yet is hardly looked at any more
TICK = 0.05  # seconds at most between two looks at a screen that is being painted
FRAME = b"".join(b"\x1b[%d;1H\x1b[2Krow %d of a screen that an agent paints anew" % (row, row) for row in range(1, 23))
FLOODER = """
import os, sys
line = b"src/parser.py:120: warning: a line of a build that floods the pane\\n" * 100
written, counted = 0, os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
while True:
    written += os.write(1, line)
    os.pwrite(counted, b"%20d" % written, 0)
"""


# --- a server beside


@dataclass(frozen=True, slots=True)
class Hosted:
    process: subprocess.Popen[str]
    tracked: float  # seconds until what agents told before was known
    port: int
    token: str

    def crowd(self, count: int, agent: str = "") -> Crowd:
        """Clients that are told of nudges alone; with `agent`, of those of this one."""
        head = f"HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n\r\n"
        of = f"&agent={agent}" if agent else ""
        return Crowd(self.port, count, f"GET /api/events/stream?types=nudge_raised{of} {head}".encode())


@contextmanager
def hosted(state: Path) -> Iterator[Hosted]:
    words = [sys.executable, "-m", "bench.hosting", str(state), "--http"]
    process = subprocess.Popen(words, cwd=TOP, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        _, tracked, port, token = heard(process, "ready").split()
        yield Hosted(process, float(tracked), int(port), token)
        tell(process, "end")
        process.wait(60)
    finally:
        process.kill()
        process.wait()


def adopted(tmux: TmuxServer, panes: Sequence[str]) -> Path:
    """A store with an agent in each of the panes."""
    state = tmux.home / "state"
    state.mkdir(mode=0o700)
    asyncio.run(_adopt(state, tmux.name, panes))
    return state


async def _adopt(state: Path, socket: str, panes: Sequence[str]) -> None:
    async with serve(Settings(), state, url="http://bench") as server:
        for number, pane in enumerate(panes):
            await server.agents.adopt(pane, name=f"agent-{number}", socket_name=socket)
        await server.agents.tracked()


# --- from a marker to its nudge


def marker(quick: bool) -> Row:
    rounds, clients = (20, 20) if quick else (200, CLIENTS)
    with many_panes(2) as (tmux, panes):
        state = adopted(tmux, [pane for pane, _ in panes])
        terminals = [os.open(tty, os.O_WRONLY | os.O_NOCTTY) for _, tty in panes]
        with hosted(state) as host, _echo() as echo:
            crowd = host.crowd(clients)
            times: dict[str, list[float]] = {"echo": [], "stream": [], "painted": []}
            for number in range(rounds):
                times["echo"].append(_echoed(echo))
                said = b"--<[paneward:needs_input:question %d]>--" % number
                times["stream"].append(_told(crowd, terminals[0], b"some words\r\n" + said + b"\r\n"))
                times["painted"].append(_told(crowd, terminals[1], FRAME + b"\x1b[12;1H" + said + b"\x1b[24;1H"))
                time.sleep(0.02)
            crowd.close()
        for one in terminals:
            os.close(one)
    bare = p99(times["echo"])
    goals = {"stream": 0.005, "painted": 0.060}
    return Row(
        "marker",
        f"marker printed in a pane until {clients} SSE clients have the nudge: printed lines; a painted screen",
        "p50 5 ms; 60 ms; p99 at most 3x that of a pipe's echo and a tick of 50 ms",
        {
            **{f"{way} p50 ms": p50(times[way]) * 1e3 for way in goals},
            **{f"{way} p99 ms": p99(times[way]) * 1e3 for way in goals},
            "echo p50 ms": p50(times["echo"]) * 1e3,
            "echo p99 ms": bare * 1e3,
        },
        all(p50(times[way]) <= goal and p99(times[way]) <= 3 * bare + TICK for way, goal in goals.items()),
    )


def _told(crowd: Crowd, terminal: int, written: bytes) -> float:
    """Seconds from writing into a pane until everybody was told of a nudge."""
    began = time.monotonic_ns()
    os.write(terminal, written)
    return (crowd.hear(1) - began) / 1e9


@contextmanager
def _echo() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def _echoed(echo: subprocess.Popen[bytes]) -> float:
    assert echo.stdin is not None
    assert echo.stdout is not None
    began = time.perf_counter()
    echo.stdin.write(b"a line\n")
    echo.stdout.read(7)
    return time.perf_counter() - began


# --- what tracking costs


def repaints(quick: bool) -> Row:
    seconds = 4.0 if quick else 20.0
    with many_panes(AGENTS) as (tmux, panes):
        state = adopted(tmux, [pane for pane, _ in panes])
        painted = panes[:REPAINTING]
        with hosted(state) as host, beside("capturer", tmux.tmux, tmux.name, "many", str(RATE), *dict(painted)) as bare:
            _repaint([tty for _, tty in painted], 5.0 if quick else SETTLED)
            before = cpu_seconds(host.process.pid), cpu_seconds(bare.pid)
            _repaint([tty for _, tty in painted], seconds)
            used = cpu_seconds(host.process.pid) - before[0], cpu_seconds(bare.pid) - before[1]
            tell(bare, "how many")
            captured = int(heard(bare, "said"))
    return Row(
        "repaints",
        f"{AGENTS} agents of which {REPAINTING} repaint {RATE} times a second, against a bare reader that captures at"
        " the same rate and compares",
        "at most 6x its CPU",
        {
            "x": used[0] / used[1],
            "% of a core": used[0] / seconds * 100,
            "bare % of a core": used[1] / seconds * 100,
            "bare captures": captured,
        },
        used[0] <= 6 * used[1],
    )


def _repaint(terminals: Sequence[str], seconds: float) -> None:
    files = [os.open(tty, os.O_WRONLY | os.O_NOCTTY) for tty in terminals]
    began = time.monotonic()
    for tick in range(int(seconds * RATE)):
        for file in files:
            os.write(file, FRAME + b"\x1b[5;1H\x1b[2Ktick %d\x1b[24;1H" % tick)
        time.sleep(max(0.0, began + (tick + 1) / RATE - time.monotonic()))
    for file in files:
        os.close(file)


def idle_server(quick: bool) -> Row:
    count, seconds = (100, 5.0) if quick else (IDLE_PANES, 30.0)
    with many_panes(count, SHELL) as (tmux, panes):
        state = adopted(tmux, [pane for pane, _ in panes])
        with hosted(state) as host:
            time.sleep(5.0)  # what the start has begun is over
            before = cpu_seconds(host.process.pid)
            time.sleep(seconds)
            share = (cpu_seconds(host.process.pid) - before) / seconds
    return Row(
        "idle_server",
        f"a server with {count} agents at rest (shells at their prompt)",
        "under 0.2 % of a core",
        {"% of a core": share * 100, "tracked after s": host.tracked},
        share < 0.002,
    )


def beside_flood(quick: bool) -> Row:
    rounds, seconds = (20, 2.0) if quick else (150, 6.0)
    with many_panes(3) as (tmux, panes):
        counted = tmux.home / "counted"
        (flooding, _), (_, other) = panes[0], panes[1]
        tmux.run("respawn-pane", "-k", "-t", flooding, f"exec {sys.executable} -c '{FLOODER}' {counted}")
        alone = _rate(counted, seconds)
        tmux.run("respawn-pane", "-k", "-t", flooding, "exec sleep 100000")
        state = adopted(tmux, [pane for pane, _ in panes])
        with hosted(state) as host:
            crowd = host.crowd(1, "agent-1")  # the other one's program is ended and begun anew
            watched: list[float] = []
            tmux.run("respawn-pane", "-k", "-t", flooding, f"exec {sys.executable} -c '{FLOODER}' {counted}")
            flood = threading.Thread(target=lambda: watched.append(_rate(counted, seconds)))
            flood.start()
            terminal = os.open(other, os.O_WRONLY | os.O_NOCTTY)
            delays = []
            for number in range(rounds):
                delays.append(_told(crowd, terminal, b"--<[paneward:needs_input:question %d]>--\r\n" % number))
                time.sleep(0.02)
            flood.join()
            os.close(terminal)
            crowd.close()
    return Row(
        "beside_flood",
        "flood in one agent's pane: signals of another one; the flood against one that nobody watches",
        "p50 under 10 ms; at least half its rate",
        {
            "p50 ms": p50(delays) * 1e3,
            "p99 ms": p99(delays) * 1e3,
            "of its rate x": watched[0] / alone,
            "MB/s": watched[0] / 1e6,
            "unwatched MB/s": alone / 1e6,
        },
        p50(delays) < 0.010 and watched[0] >= alone / 2,
    )


def _rate(counted: Path, seconds: float) -> float:
    """Bytes per second that the flooder gets rid of."""
    while not counted.exists() or not counted.read_text().strip():
        time.sleep(0.01)
    time.sleep(0.5)
    first, began = int(counted.read_text()), time.monotonic()
    time.sleep(seconds)
    return (int(counted.read_text()) - first) / (time.monotonic() - began)


def restart(quick: bool) -> Row:
    rounds = 2 if quick else 7
    with many_panes(AGENTS) as (tmux, panes):
        state = adopted(tmux, [pane for pane, _ in panes])
        times = []
        for _ in range(rounds):
            with hosted(state) as host:
                times.append(host.tracked)
    return Row(
        "restart",
        f"restart with {AGENTS} tracked agents, from the server's being up until all are tracked again",
        "under 2 s",
        {"p50 s": p50(times), "longest s": max(times)},
        p50(times) < 2.0,
    )


# --- the command of a hook


def hook_command(quick: bool) -> Row:
    rounds = 20 if quick else 300
    body = (b'{"hook_event_name": "PostToolUse", "tool_response": "' + b"x" * 2000 + b'"}',)
    with many_panes(1) as (tmux, panes):
        state = adopted(tmux, [pane for pane, _ in panes])
        spool, plain = state / "spool", tmux.home / "plain"
        line = command("claude", str(spool))
        with hosted(state):
            up = _in_turn(rounds, body[0], {"hook": line, "cat": f"cat >>{plain}"})
        gone = _in_turn(rounds, body[0], {"hook": line, "cat": f"cat >>{plain}"})
    ratios = [p50(one["hook"]) / p50(one["cat"]) for one in (up, gone)]
    return Row(
        "hook_command",
        "the command of a hook, with the server up and gone, against `sh -c 'cat >>f'`",
        "at most 3x",
        {
            "up x": ratios[0],
            "gone x": ratios[1],
            "hook p50 ms": p50(up["hook"]) * 1e3,
            "cat p50 ms": p50(up["cat"]) * 1e3,
        },
        max(ratios) <= 3,
    )


def _in_turn(rounds: int, body: bytes, lines: dict[str, str]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in lines}
    for _ in range(rounds):
        for name, line in lines.items():
            began = time.perf_counter()
            subprocess.run(["/bin/sh", "-c", line], input=body, check=True)
            times[name].append(time.perf_counter() - began)
    return times
