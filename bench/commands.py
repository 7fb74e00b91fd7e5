"""Commands to tmux: one at a time, and a hundred in flight.

The floor is a bare `tmux -C` whose pipe is read by blocking calls: nothing in Python can answer faster than that. The
baselines are processes, one after the other and eight at a time.
"""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import perf_counter

from bench.ground import command, control, private_server
from bench.row import Row, p50, p99
from paneward.adapters.tmux.control import ControlTmux
from tests.adapters.conftest import TmuxServer

ASK = ("display-message", "-p", "#{pane_id}")
IN_FLIGHT = 100
AT_ONCE = 8


def one_command(quick: bool) -> Row:
    rounds = 4 if quick else 20
    with private_server() as server:
        ours, floor, processes = asyncio.run(_one_command(server, rounds))
    faster, above = p50(processes) / p50(ours), p50(ours) / p50(floor)
    return Row(
        "one_command",
        "one command over control mode",
        "10x faster than a process per command; at most 3.5x the blocking-read floor (p50)",
        {
            "faster x": faster,
            "of floor x": above,
            "p50 ms": p50(ours) * 1e3,
            "p99 ms": p99(ours) * 1e3,
            "floor p50 ms": p50(floor) * 1e3,
            "process p50 ms": p50(processes) * 1e3,
        },
        faster >= 10 and above <= 3.5,
    )


async def _one_command(server: TmuxServer, rounds: int) -> tuple[list[float], list[float], list[float]]:
    """In turn, so that the load of the machine falls on all alike."""
    ours: list[float] = []
    floor: list[float] = []
    processes: list[float] = []
    async with control(server) as tmux:
        await tmux.run(*ASK)
        with _bare_client(server) as (to, back):
            for _ in range(rounds):
                for _ in range(50):
                    began = perf_counter()
                    await tmux.run(*ASK)
                    ours.append(perf_counter() - began)
                floor += [_blocking(to, back) for _ in range(50)]
                processes += [_process(server) for _ in range(5)]
    return ours, floor, processes


@contextmanager
def _bare_client(server: TmuxServer) -> Iterator[tuple[int, int]]:
    process = subprocess.Popen(
        command(server, "-C", "attach-session", "-f", "no-output,ignore-size"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        to, back = process.stdin.fileno(), process.stdout.fileno()
        greeting = b""
        while b"%session-changed" not in greeting or not greeting.endswith(b"\n"):
            greeting += os.read(back, 1 << 16)
        yield to, back
    finally:
        process.kill()
        process.wait()


def _blocking(to: int, back: int) -> float:
    began = perf_counter()
    os.write(to, b"display-message -p '#{pane_id}'\n")
    answer = b""
    while b"\n%end " not in answer or not answer.endswith(b"\n"):
        answer += os.read(back, 1 << 16)
    return perf_counter() - began


def _process(server: TmuxServer) -> float:
    began = perf_counter()
    subprocess.run(command(server, *ASK), capture_output=True, check=True)
    return perf_counter() - began


# --- a hundred in flight

WANTED = {"display": 60.0, "capture": 18.0, "send-keys": 60.0}


def in_flight(quick: bool) -> Row:
    with private_server() as server:
        pane = server.new_pane("seq 1 23; stty -echo; exec cat >/dev/null")
        kinds = {
            "display": ASK,
            "capture": ("capture-pane", "-p", "-t", pane),
            "send-keys": ("send-keys", "-t", pane, "-l", "x"),
        }
        rates = asyncio.run(_rates(server, kinds, 3 if quick else 12))
    ratios = {kind: ours / theirs for kind, (ours, theirs) in rates.items()}
    return Row(
        "in_flight",
        f"{IN_FLIGHT} commands in flight against {AT_ONCE} parallel processes (display / capture / send-keys)",
        "60x / 18x / 60x",
        {
            "faster x": ratios,
            "commands/s": {kind: ours for kind, (ours, _) in rates.items()},
            "by processes": {kind: theirs for kind, (_, theirs) in rates.items()},
        },
        all(ratios[kind] >= WANTED[kind] for kind in WANTED),
    )


async def _rates(server: TmuxServer, kinds: dict[str, tuple[str, ...]], rounds: int) -> dict[str, tuple[float, float]]:
    """Commands per second, the median of the rounds, of ours and of processes."""
    rates = {}
    async with control(server) as tmux:
        await tmux.run(*ASK)
        for kind, words in kinds.items():
            ours, theirs = [], []
            for _ in range(rounds):
                ours.append(await _many(tmux, words))
                theirs.append(_processes(server, words))
            rates[kind] = (p50(ours), p50(theirs))
    return rates


async def _many(tmux: ControlTmux, words: tuple[str, ...], each: int = 20) -> float:
    """As many askers as commands in flight, each asking again when it was answered."""

    async def ask() -> None:
        for _ in range(each):
            await tmux.run(*words)

    began = perf_counter()
    await asyncio.gather(*(ask() for _ in range(IN_FLIGHT)))
    return each * IN_FLIGHT / (perf_counter() - began)


def _processes(server: TmuxServer, words: tuple[str, ...], count: int = 80) -> float:
    line = command(server, *words)

    def one(_: int) -> None:
        subprocess.run(line, stdout=subprocess.DEVNULL, check=True)

    began = perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(one, range(count)))
    return count / (perf_counter() - began)
