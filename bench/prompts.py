"""How soon a prompt is known after it was printed, against a bare control client that judges nothing (the floor), and
against a poll each half second.

All are timed by what the program in the pane wrote down right before it printed the prompt.
"""

import asyncio
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import paneward
from bench.bare import BareClient, bare_client
from bench.ground import TOP, command, private_server
from bench.row import Row, p50, p99
from paneward.app import Connection
from tests.adapters.conftest import TmuxServer

POLL = 0.5
SOON = 0.001
OF_BARE = 2.0
PROMPT = re.compile(r"[$#>%]\s*$")
ANSI = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]")
PANES = 8  # polled at the same time: a poll sleeps most of its time
BASH = ["env", "PROMPT_COMMAND=echo $EPOCHREALTIME >>{log}", "PS1=$ ", "bash", "--norc", "--noprofile", "-i"]


def prompt_known(quick: bool) -> Row:
    with private_server() as server:
        ours, bash, bare = asyncio.run(_all(server, 6 if quick else 60))
        polled = _all_polled(server, 1 if quick else 5)
    seen = sum(late is not None for late in (*ours, *bash))
    after = [late for late in ours if late is not None]
    after_bash = [late for late in bash if late is not None]
    of_bare = p50(after) / p50(bare)
    return Row(
        "prompt",
        "a prompt known after it was printed",
        f"at most {OF_BARE:.0f}x a bare control client that awaits the output, reads the process and captures once"
        " (p50); every prompt seen",
        {
            "of bare x": of_bare,
            "faster than a 0.5 s poll x": p50(polled) / max(p50(after), p50(after_bash)),
            "p50 ms": p50(after) * 1e3,
            "p99 ms": p99(after) * 1e3,
            "bash p50 ms": p50(after_bash) * 1e3,
            "bash p99 ms": p99(after_bash) * 1e3,
            "bare p50 ms": p50(bare) * 1e3,
            "poll p50 ms": p50(polled) * 1e3,
            "seen": f"{seen}/{len(ours) + len(bash)}",
        },
        of_bare <= OF_BARE and seen == len(ours) + len(bash),
    )


# --- ours


async def _all(server: TmuxServer, prompts: int) -> tuple[list[float | None], list[float | None], list[float]]:
    log, bash_log = server.home / "prompter", server.home / "bash"
    pane = server.new_pane([sys.executable, str(TOP / "bench/prompter.py"), str(log), "0.1", "0.4"])
    shell = server.new_pane([word.format(log=bash_log) for word in BASH])
    ours, bare = [], []
    async with paneward.connect(server.name, state=server.home / "state") as tmux:
        with bare_client(server, pane) as client:
            for number in range(1, 2 * prompts, 2):  # in turn, so that the load of the machine falls on both alike
                ours.append(await _known(tmux, pane, log, number, ""))
                bare.append(_bare(client, log, number + 1))
        await tmux.wait_ready(shell)
        bash = [
            await _known(tmux, shell, bash_log, number, f"sleep 0.{number % 3 + 1}") for number in range(2, prompts + 2)
        ]
    return ours, bash, bare


def _bare(client: BareClient, log: Path, number: int) -> float:
    """Seconds from the print of prompt `number` until the bare client has read all that we read."""
    while True:
        client.prompt()
        at, printed = time.time(), _printed(log)
        if len(printed) == number:  # else it was the prompt that we had waited for before
            client.press("Enter")
            _until_at_work(log, number)
            return at - float(printed[-1])


async def _known(tmux: Connection, pane: str, log: Path, number: int, work: str) -> float | None:
    """Seconds from the print of prompt `number` to our knowing it; None when it was not seen, or too early."""
    if work:
        await tmux.send_text(pane, work, profile="shell")
    ready = await tmux.wait_ready(pane)
    at = time.time()
    printed = _printed(log)
    if not work:
        await tmux.send_keys(pane, "Enter")
        await asyncio.to_thread(_until_at_work, log, number)
    return at - float(printed[-1]) if ready.is_ready and len(printed) == number else None


def _until_at_work(log: Path, number: int) -> None:
    """Until it works again after that prompt: what is seen from here on is the next one."""
    work = log.with_name(f"{log.name}.work")
    while len(_printed(work)) <= number:
        time.sleep(SOON)


def _printed(log: Path) -> list[str]:
    return log.read_text().split()


# --- the poll


def _all_polled(server: TmuxServer, prompts: int) -> list[float]:
    with ThreadPoolExecutor(PANES) as pool:
        return [late for some in pool.map(lambda at: _polled(server, at, prompts), range(PANES)) for late in some]


def _polled(server: TmuxServer, at: int, prompts: int) -> list[float]:
    log = server.home / f"polled-{at}"
    words = [sys.executable, str(TOP / "bench/prompter.py"), str(log), "0.6", "1.4"]
    pane = server.new_pane(words)
    after = []
    for _ in range(prompts):
        while not _prompt_stands(server, pane):
            time.sleep(POLL)
        after.append(time.time() - float(_printed(log)[-1]))
        subprocess.run(command(server, "send-keys", "-t", pane, "Enter"), check=True)
        time.sleep(0.1)
    return after


def _prompt_stands(server: TmuxServer, pane: str) -> bool:
    line = command(server, "capture-pane", "-t", pane, "-p", "-S", "-50")
    screen = ANSI.sub("", subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    lines = [row for row in screen.splitlines() if row.strip()]
    return bool(lines and PROMPT.search(lines[-1]))
