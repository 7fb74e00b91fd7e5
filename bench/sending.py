"""A verified send of 200 characters, against a bare control client that judges nothing (the floor), and against the
flow of fixed waits: type, wait, look for ghost text, Enter, look.

The program forgets what was submitted, so that both can verify it; it writes down what it got, and every text must be
there once.
"""

import asyncio
import subprocess
import sys
import time

import paneward
from bench.bare import BareClient, bare_client
from bench.ground import TOP, command, private_server
from bench.row import Row, p50, p99
from paneward.core.delivery.snippet import extract_verification_snippet
from tests.adapters.conftest import TmuxServer

BASE_DELAY, CLEAR_DELAY, RETRIES = 0.120, 0.200, 3
OF_BARE = 2.0
IDLE = 0.1  # seconds of rest before each send: the pane of an agent that waits has not just moved


def send_verified(quick: bool) -> Row:
    rounds = 5 if quick else 40
    with private_server() as server:
        log = server.home / "box.log"
        pane = server.new_pane([sys.executable, str(TOP / "bench/box.py"), str(log)], width=240)
        with bare_client(server, pane) as bare:
            times, sent = asyncio.run(_all(server, pane, rounds, bare))
        arrived = [line for line in log.read_text().split("\n") if line]  # a retry of the other flow can be too early
    fast, generic, floor, fixed = (times[name] for name in ("shell", "generic", "bare", "fixed"))
    of_bare = p50(fast) / p50(floor)
    return Row(
        "send",
        "`send_text` verified, 200 characters, with a profile whose floor is 0, and with `generic`",
        f"at most {OF_BARE:.0f}x a bare control client that pastes, awaits the output, presses Enter, awaits the output"
        " and captures once; not slower than the flow of fixed waits",
        {
            "of bare x": of_bare,
            "faster x": p50(fixed) / p50(fast),
            "generic faster x": p50(fixed) / p50(generic),
            "p50 ms": p50(fast) * 1e3,
            "p99 ms": p99(fast) * 1e3,
            "generic p50 ms": p50(generic) * 1e3,
            "bare p50 ms": p50(floor) * 1e3,
            "fixed waits p50 ms": p50(fixed) * 1e3,
            "arrived": f"{sum(arrived.count(text) == 1 for text in sent)}/{len(sent)}",
            "why": "a proof takes the pane's lock, looks before the first key, and reads the process before and after",
        },
        of_bare <= OF_BARE and p50(generic) <= p50(fixed) and arrived == sent,
    )


def _text(number: int, how: str) -> str:
    text = f"{number} {how}: please look at the parser once more and tell what you see "
    return (text * 4)[:198] + f"{number:02d}"


async def _all(
    server: TmuxServer, pane: str, rounds: int, bare: BareClient
) -> tuple[dict[str, list[float]], list[str]]:
    times: dict[str, list[float]] = {"shell": [], "generic": [], "bare": [], "fixed": []}
    sent = []
    async with paneward.connect(server.name, state=server.home / "state") as tmux:
        await tmux.wait_ready(pane)
        await tmux.send_text(pane, "a first one, so that everything is loaded", profile="shell")
        sent.append("a first one, so that everything is loaded")
        for number in range(rounds):
            for how in times:
                text = _text(number, how)
                sent.append(text)
                await asyncio.sleep(IDLE)
                began = time.perf_counter()
                if how == "bare":
                    bare.send(text)
                elif how == "fixed":
                    send_with_fixed_waits(server, pane, text)  # under load it can be wrong about its own outcome
                else:
                    result = await tmux.send_text(pane, text, profile=how)
                    assert result.success, result
                times[how].append(time.perf_counter() - began)
    return times, sent


# --- the flow of fixed waits


def send_with_fixed_waits(server: TmuxServer, pane: str, text: str) -> bool:
    """Literal keys, an adaptive delay, ghost text dismissed, Enter, and a look whether the end of the text is gone."""
    _tmux(server, "send-keys", "-t", pane, "-l", text)
    time.sleep(BASE_DELAY + max(0, len(text) - 200) // 10 / 1000)
    _dismiss_ghost(server, pane)
    snippet = extract_verification_snippet(text)
    before = _tmux(server, "capture-pane", "-p", "-t", pane)
    for _ in range(1 + RETRIES):
        _tmux(server, "send-keys", "-t", pane, "Enter")
        after = _tmux(server, "capture-pane", "-p", "-t", pane)
        if (snippet not in after) if snippet else (after != before):
            return True
        _dismiss_ghost(server, pane)
    return False


def _dismiss_ghost(server: TmuxServer, pane: str) -> None:
    last = _tmux(server, "capture-pane", "-p", "-e", "-t", pane).splitlines()[-3:]
    if any("\x1b[2m" in line or "\x1b[90m" in line for line in last):
        _tmux(server, "send-keys", "-t", pane, "Escape")
        time.sleep(CLEAR_DELAY)


def _tmux(server: TmuxServer, *words: str) -> str:
    return subprocess.run(command(server, *words), capture_output=True, text=True, check=True).stdout
