"""Real agents with the hooks that a user installs, and reviews where that is asked for."""

import contextlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from paneward.core.hook_install import HOOKING, edit
from tests.adapters.conftest import until
from tests.lab.agents import LabAgent, NotSeen, newest
from tests.lab.recipes import RECIPES

SPINS = re.compile("[⠀-⣿]")  # a title at work
REVIEW = r"Hooks need review"
GAVE_UP = "Error: timed out discarding buffered terminal input"
TRIES = 60
LOADS = 240.0  # seconds; a cold start on a loaded machine takes a tenth of it
LIBRARY = "@opencode-ai/plugin"  # what OpenCode fetches from a registry before it loads a plugin, unless it is there


def settings_name(agent: str) -> str:
    """The file of its settings, below HOME."""
    return f"{HOOKING[agent].folder}/{HOOKING[agent].file}"


def settings_before(agent: str, files: Mapping[str, str]) -> str | None:
    name = settings_name(agent)
    return files.get(name) or dict(RECIPES[agent].files).get(name)


def with_hooks(agent: str, spool: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Files of an agent, with our hooks in its settings."""
    if agent not in HOOKING:
        return dict(files)
    spool.mkdir(parents=True, exist_ok=True)
    library = at_hand(HOOKING[agent].folder, newest(agent)) if agent == "opencode" else {}
    return {**files, **library, settings_name(agent): edit(agent, settings_before(agent, files), str(spool)) or ""}


def at_hand(folder: str, version: str) -> dict[str, str]:
    """Files that make OpenCode believe that its library for plugins is installed: ours needs nothing of it."""
    wanted = {"dependencies": {LIBRARY: version}}
    lock = {"lockfileVersion": 3, "packages": {"": wanted, f"node_modules/{LIBRARY}": {"version": version}}}
    return {
        f"{folder}/package.json": json.dumps(wanted),
        f"{folder}/package-lock.json": json.dumps(lock),
        f"{folder}/node_modules/{LIBRARY}/package.json": json.dumps({"name": LIBRARY, "version": version}),
    }


def reviewed(lab: LabAgent) -> LabAgent:
    """Started without waiting: until it takes input, its hooks reviewed."""
    if lab.recipe.name != "codex":
        lab.wait_screen(lab.recipe.composer, seconds=LOADS)
        lab.wait_started()
        return lab
    while not _trusted(lab):
        lab.server.run("respawn-pane", "-k", "-t", lab.pane)
    lab.wait_composer()
    until(lambda: not SPINS.match(lab.look().title))  # it runs its hooks of the start
    return lab


def _trusted(lab: LabAgent) -> bool:
    """Codex has its hooks reviewed; or it gave up, as it did once in some hundred starts, on a loaded machine."""
    lab.wait_screen(REVIEW, seconds=90)
    for _ in range(TRIES):  # it is drawn before it listens
        lab.keys("Down")
        with contextlib.suppress(NotSeen):
            lab.wait_screen(rf"(?m)^› 2\. Trust all|{GAVE_UP}", seconds=1.0)
            break
    lab.keys("Enter")
    return GAVE_UP not in lab.wait_screen(rf"(?m)^› (?!\d\.)|{GAVE_UP}", seconds=60).text
