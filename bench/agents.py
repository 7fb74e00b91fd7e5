"""From `send_text` to the request at the model, on the real agents, against the floor.

The floor is the least that can work: paste, read the box every 5 ms until it shows the text, Enter; no look before, no
settling but what the agent itself demands, no proof after. Both are measured in turn, to where the model gets the text.
"""

import asyncio
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import paneward
from bench.ground import control
from bench.row import Row, p50
from paneward.app import Connection
from paneward.core.profiles import BUILT_IN, GEMINI, Profile
from paneward.core.screen.cells import Screen
from paneward.core.screen.composer import read_composer
from paneward.ports import Tmux
from tests.lab.agents import LabAgent, installed, start
from tests.lab.recipes import pins
from tests.lab.sending import ARRIVES

ABOVE = 100.0  # milliseconds that a proven delivery may cost
READ_EVERY = 0.005
IDLE = 0.3  # seconds of rest before each send


def real_agents(quick: bool) -> Row:
    """One row for all agents that are installed."""
    measured: dict[str, object] = {}
    held = True
    for agent, version in pins():
        if installed(agent, version) is None:
            continue
        ours, floor = _measure(agent, version, 3 if quick else 15)
        above = p50(ours) - p50(floor)
        measured[f"{agent} {version} ms"] = f"{p50(ours):.0f} (floor {p50(floor):.0f}, {above:+.0f})"
        held = held and above <= ABOVE
    return Row(
        "agents",
        "`send_text` to the request at the model, per agent, p50",
        f"at most {ABOVE:.0f} ms above the floor: paste, read the box every 5 ms, Enter, no proof",
        measured,
        held and bool(measured),
    )


def _measure(agent: str, version: str, rounds: int) -> tuple[list[float], list[float]]:
    with (
        TemporaryDirectory(prefix="paneward-bench-", ignore_cleanup_errors=True) as name,
        start(agent, version, Path(name)) as lab,
    ):
        return asyncio.run(_all(lab, Path(name), rounds))


async def _all(lab: LabAgent, directory: Path, rounds: int) -> tuple[list[float], list[float]]:
    times: dict[str, list[float]] = {"ours": [], "floor": []}
    tmux = control(lab.server)
    async with paneward.connect(lab.server.name, state=directory / "state") as connection:
        await _timed(lab, connection, tmux, "ours", "a first one, so that everything is loaded")
        for number in range(rounds):
            for how in times:
                text = f"{number} {how}: look at the parser once more and say what you see"
                times[how].append(await _timed(lab, connection, tmux, how, text))
    await tmux.close()
    return times["ours"], times["floor"]


async def _timed(lab: LabAgent, connection: Connection, tmux: Tmux, how: str, text: str) -> float:
    """Milliseconds until the text is at the model."""
    await connection.wait_ready(lab.pane, timeout=ARRIVES)
    await asyncio.sleep(IDLE)
    before, began = len(lab.model.turns()), time.monotonic()
    if how == "ours":
        result = await connection.send_text(lab.pane, text)
        assert result.success, result
    else:
        await _floor(lab, tmux, text)
    assert await asyncio.to_thread(lab.model.wait, lambda: len(lab.model.turns()) > before, ARRIVES), lab.look().text
    assert lab.model.prompts()[-1] == text
    return (lab.model.turns()[before].at - began) * 1e3


async def _floor(lab: LabAgent, tmux: Tmux, text: str) -> None:
    profile = BUILT_IN[lab.recipe.name]
    await tmux.paste(lab.pane, text)
    while not await _shows(lab, tmux, profile, text):  # noqa: ASYNC110 - polling is what the floor does
        await asyncio.sleep(READ_EVERY)
    if profile is GEMINI:  # it takes an Enter that comes sooner for a newline
        await asyncio.sleep(profile.settle)
    await tmux.press(lab.pane, "Enter")


async def _shows(lab: LabAgent, tmux: Tmux, profile: Profile, text: str) -> bool:
    composer = read_composer(Screen.of(await tmux.look(lab.pane)), profile)
    return composer is not None and composer.holds(text, profile)
