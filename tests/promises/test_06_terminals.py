"""Agents are read the same in every usual terminal: colours, sizes, `TERM`, versions of Node.

The screens were captured from the real agents (tests/corpus); what is true of them is what the script knows that led
there. `make prove-terminals` plays the agents in all the terminals.
"""

import asyncio
from pathlib import Path

import pytest

from paneward.core.screen.appearance import read_appearance
from prove.terminals import (
    answers_a_permission,
    becomes_ready,
    cells,
    chosen_terminals,
    leaves_a_draft,
    pairs,
    play,
    sends_and_waits,
    terminals,
    values,
)
from tests.core.screen.agents import CAPTURES, Capture, as_data, each_of
from tests.lab.agents import newest
from tests.lab.conftest import StartAgent
from tests.lab.recipes import pins
from tests.lab.terminals import COLOURS, FORMS, SIZES, TERMS, Terminal

USUAL = ("60", "100", "200", "light")  # tmux-256color, without COLORTERM, on Node 22
OTHERS = [capture for capture in CAPTURES if capture.form not in USUAL]
CASES = {"idle", "draft", "draft_lines", "thinking", "streaming", "done", "permission", "error", "interrupted"}


# Without colours aider draws nothing while it works: the mode of its terminal tells, and no screen does.
UNSEEN = {("aider", "nocolor"): {"thinking", "streaming"}}


@each_of(OTHERS)
def test_a_screen_is_read_by_what_it_says_and_not_by_its_colours(capture: Capture) -> None:
    truth, seen = capture.truth, read_appearance(capture.snapshot, capture.profile)
    assert (seen.state, seen.mode) == (truth["state"], truth["mode"])
    assert as_data(seen.menu) == capture.menu
    if not capture.dialog:
        assert capture.ghost.fullmatch(seen.ghost)
        assert bool(seen.draft) is bool(truth["draft"])


@pytest.mark.parametrize("form", ["colours16", "truecolor", "nocolor"])
@pytest.mark.parametrize(("agent", "version"), pins())
def test_every_agent_was_captured_in_every_kind_of_terminal(agent: str, version: str, form: str) -> None:
    found = {one.case for one in OTHERS if (one.agent, one.version, one.form) == (agent, version, form)}
    assert found >= CASES - UNSEEN.get((agent, form), set())


def test_gemini_was_captured_on_the_version_of_node_that_gives_it_256_colours() -> None:
    assert FORMS["colours256"].node == "20"
    assert {one.case for one in OTHERS if (one.agent, one.form) == ("gemini", "colours256")} >= CASES


@pytest.mark.parametrize("node", [True, False])
def test_the_proof_knows_every_terminal_and_begins_with_those_that_differ_most(node: bool) -> None:
    every = terminals(node)
    assert len(set(every)) == len(every) == len(TERMS) * len(COLOURS) * len(SIZES) * (3 if node else 1)
    assert {(one.width, one.height) for one in every} >= {(64, 20), (240, 60)}
    for coverage, facets, most in (("each", values, 5), ("pairs", pairs, 16)):
        first = chosen_terminals(node, coverage)
        assert len(first) <= most
        assert set().union(*map(facets, first)) == set().union(*map(facets, every))


def test_each_agent_has_its_cells_and_no_two_are_the_same() -> None:
    every = cells(pins(), "all")
    assert {(cell.agent, cell.version) for cell in every} == set(pins())
    assert len({cell.key for cell in every}) == len(every)


SCENES = (becomes_ready, sends_and_waits, leaves_a_draft, answers_a_permission)
REAL = (
    ("gemini", FORMS["colours256"], "▄▄▄▄"),
    ("gemini", Terminal("screen", "NO_COLOR", "", 64, 20), "▄▄▄▄"),
    ("claude", Terminal("screen", "NO_COLOR", "", 64, 20), "\x1b[38"),
)


@pytest.mark.real
@pytest.mark.parametrize(("agent", "terminal", "absent"), REAL, ids=lambda one: getattr(one, "name", one))
def test_a_real_agent_is_driven_where_it_draws_itself_otherwise(
    agent: str, terminal: Terminal, absent: str, start_agent: StartAgent, tmp_path: Path
) -> None:
    lab = start_agent(agent, newest(agent), **terminal.settings)
    assert absent not in "".join(lab.look().rows)  # else it was given another terminal
    outcome = asyncio.run(play(lab, tmp_path / "state", SCENES))
    assert outcome.ok, outcome.details["wrong"]
