"""Awkward places of the real agents: each is recognised or said to be unknown, and nothing is typed blindly.

What the lab cannot produce stands in tests/corpus as a captured screen, or in tests/core/screen/test_troubles.py as a
drawn one.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from paneward.app import Connection, connect
from paneward.core.errors import Code
from paneward.core.readiness.inspection import Inspection
from paneward.core.result import Rung, SendResult, Verdict
from paneward.core.screen.appearance import ScreenState
from tests.adapters.conftest import until
from tests.lab.agents import LabAgent, newest
from tests.lab.conftest import StartAgent
from tests.lab.recipes import CLAUDE, CODEX, RECIPES

pytestmark = pytest.mark.real
T = TypeVar("T")
SOON = 4.0  # seconds that a send may wait for a composer that is not to come
NARROW = "a short text at forty columns, which has to wrap"
TRUSTED = '[projects."{work}"]\ntrust_level = "trusted"\n'
CODEX_FILE = ".codex/config.toml"


def ask(agent: LabAgent, act: Callable[[Connection], Awaitable[T]]) -> T:
    socket = agent.server.run("display-message", "-p", "#{socket_path}").strip()

    async def connected() -> T:
        async with connect(socket_path=socket, state=agent.home / "state") as tmux:
            return await act(tmux)

    return asyncio.run(connected())


def reading(agent: LabAgent, profile: str | None = None) -> Inspection:
    return ask(agent, lambda tmux: tmux.check(agent.pane, profile))


def send(agent: LabAgent, text: str, **more: Any) -> SendResult:
    return ask(agent, lambda tmux: tmux.send_text(agent.pane, text, **{"timeout": SOON, **more}))


def refused(result: SendResult, *codes: Code) -> None:
    assert (result.verdict, result.rung) == (Verdict.FAILED, Rung.NOTHING), result
    assert result.error_type in codes, result


def beside(agent: LabAgent, *command: str) -> LabAgent:
    """The same lab with another pane of its server."""
    return replace(agent, pane=agent.server.new_pane(list(command), width=100, height=34))


# --- all agents


@pytest.mark.parametrize("name", RECIPES)
def test_forty_columns_are_enough_and_a_model_that_is_gone_is_no_prompt(name: str, start_agent: StartAgent) -> None:
    agent = start_agent(name, newest(name), width=40, height=30)
    idle = reading(agent)
    assert (idle.profile, idle.state, idle.draft) == (name, ScreenState.IDLE, "")
    assert send(agent, NARROW, timeout=180).success
    agent.arrived(1)
    assert agent.model.prompts() == [NARROW]
    agent.wait_screen("Understood")
    agent.wait_screen(r"(?m)^.*[❯›>┃]", still=1.0)
    agent.model.__exit__()  # nobody listens at its port any more
    assert send(agent, "is anybody there", timeout=180).success
    found = ask(agent, lambda tmux: tmux.wait_ready(agent.pane, timeout=6))
    assert found.question is None, "a failure is no dialog"
    assert reading(agent).state in (ScreenState.BUSY, ScreenState.IDLE)


# --- Claude Code


@pytest.fixture
def vim(start_agent: StartAgent) -> LabAgent:
    home = dict(CLAUDE.files)[".claude.json"].replace("{", '{"editorMode": "vim", ', 1)
    return start_agent("claude", newest("claude"), files={".claude.json": home})


def test_vim_mode_takes_texts_as_texts_in_both_of_its_modes_and_shows_its_drafts(vim: LabAgent) -> None:
    vim.wait_screen("-- INSERT --")
    assert send(vim, "typed in insert mode").success
    vim.arrived(1)
    vim.wait_screen("Understood")
    vim.keys("Escape")
    vim.wait_screen(r"\? for shortcuts")
    assert send(vim, "dd is no command", timeout=180).success
    vim.arrived(2)
    assert vim.model.prompts() == ["typed in insert mode", "dd is no command"]
    vim.keys("i")
    vim.wait_screen("-- INSERT --")
    vim.type("a thought")
    vim.wait_screen("a thought")
    vim.keys("Escape")
    vim.wait_screen(r"❯.a thought(?s:.*)\Z(?<!INSERT --)")
    refused(send(vim, "not now", draft="refuse"), Code.OPERATOR_DRAFT)


def test_inside_another_tmux_nothing_is_typed_unless_the_program_is_named(start_agent: StartAgent) -> None:
    agent = start_agent("claude", newest("claude"))
    socket = agent.server.run("display-message", "-p", "#{socket_path}").strip()
    session = agent.server.run("display-message", "-p", "-t", agent.pane, "#{session_name}").strip()
    outer = beside(agent, "env", "-u", "TMUX", "tmux", "-S", socket, "attach", "-t", session)
    outer.wait_screen(r"\[\w+\] 0:", still=0.5)
    assert (reading(outer).profile, reading(outer).state) == ("multiplexer", ScreenState.UNKNOWN)
    blind = send(outer, "to whom?")
    refused(blind, Code.NOT_READY)
    assert "-L" in blind.detail
    assert "--profile" in blind.detail
    assert send(outer, "to you", profile="claude", timeout=180).success
    agent.arrived(1)
    assert agent.model.prompts() == ["to you"]


@pytest.mark.parametrize("name", ["claude", "gemini"])
def test_an_agent_that_crashed_to_the_shell_is_a_shell_and_its_box_is_no_box(
    name: str, start_agent: StartAgent
) -> None:
    agent = start_agent(name, newest(name), wait=False)
    fallen = beside(agent, "bash", "--norc", "--noprofile")
    fallen.wait_screen(r"\$|#")
    fallen.type(f"sh {agent.home}/launch")
    fallen.keys("Enter")
    fallen.wait_composer()
    assert reading(fallen).profile == name
    shell = int(fallen.server.run("display-message", "-p", "-t", fallen.pane, "#{pane_pid}"))
    for child in Path(f"/proc/{shell}/task/{shell}/children").read_text().split():
        os.kill(int(child), 9)
    until(lambda: Path(f"/proc/{shell}/stat").read_text().split()[7] == str(shell))  # the foreground is its own again
    assert reading(fallen).profile == "shell"
    seen = reading(fallen, name)
    assert (seen.state, seen.verdict) == (ScreenState.UNKNOWN, None)
    refused(send(fallen, "touch typed-blindly", profile=name), Code.NOT_READY)
    assert not list(agent.work.glob("typed*"))


# --- before they work at all


def test_who_is_not_signed_in_is_told_so_by_claude_and_paneward_repeats_it(start_agent: StartAgent) -> None:
    agent = start_agent("claude", newest("claude"), environment={"ANTHROPIC_API_KEY": ""})
    assert send(agent, "hello", timeout=180).success
    agent.wait_screen("Not logged in")
    found = reading(agent)
    assert (found.state, found.trouble) == (ScreenState.IDLE, "sign_in")
    assert agent.model.prompts() == []


def test_the_first_start_of_claude_without_its_vendor_ends_and_says_so(start_agent: StartAgent) -> None:
    agent = start_agent("claude", newest("claude"), files={".claude.json": ""}, wait=False)
    agent.wait_screen("Unable to connect|Pane is dead")
    found = ask(agent, lambda tmux: tmux.wait_ready(agent.pane, timeout=180))
    assert found.verdict == "dead"
    refused(send(agent, "hello"), Code.PANE_DEAD)


@pytest.mark.parametrize(
    ("kind", "files"),
    [
        ("sign_in", {CODEX_FILE: f"check_for_update_on_startup = false\n{TRUSTED}"}),
        (
            "update",
            {
                CODEX_FILE: dict(CODEX.files)[CODEX_FILE].replace("check_for_update_on_startup = false\n", ""),
                ".codex/version.json": '{"latest_version": "9.9.9", "last_checked_at": "2030-01-01T00:00:00Z"}',
            },
        ),
    ],
)
def test_codex_asks_before_it_works_and_no_text_answers(
    kind: str, files: dict[str, str], start_agent: StartAgent
) -> None:
    agent = start_agent("codex", newest("codex"), files=files, wait=False)
    agent.wait_screen(r"(?m)^[>›] 1\. ", seconds=60, still=0.5)
    found = reading(agent)
    assert (found.state, found.kind, found.startup) == (ScreenState.DIALOG, kind, True)
    refused(send(agent, "hello"), Code.BLOCKED_BY_DIALOG)
    assert reading(agent).question == found.question
