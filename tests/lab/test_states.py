"""The state of every real agent through a turn with a tool and one that is broken off, sampled every 50 ms.

`make prove-states` plays many more turns and counts output events. What is held to here holds on a busy machine too: no
state is wrong for long, none is taken back, and each turn is said to have ended as it did.
"""

import asyncio
from pathlib import Path

import pytest

from paneward.core.state.claims import AgentState
from prove.ledger import Outcome
from prove.states import play, with_notices
from prove.turns import interrupted, permitted, staged
from tests.lab.agents import LabAgent
from tests.lab.conftest import StartAgent
from tests.lab.recipes import pins

pytestmark = pytest.mark.real
LONG = 10.0  # seconds: a state that stays wrong is stuck; a machine that is busy with four agents tells late


async def played(agent: LabAgent, directory: Path) -> tuple[list[Outcome], AgentState, str]:
    async with staged(agent, directory) as stage:
        outcomes = [await play(stage, turn, number) for number, turn in enumerate((permitted, interrupted), 1)]
        explained = (await stage.tmux.explain(agent.pane)).standing
        return outcomes, explained.state, explained.evidence


@pytest.mark.parametrize(("agent", "version"), pins())
def test_the_state_is_right_through_a_tool_and_an_interruption(
    agent: str, version: str, start_agent: StartAgent, tmp_path: Path
) -> None:
    running = start_agent(agent, version, files=with_notices(agent))
    outcomes, state, evidence = asyncio.run(played(running, tmp_path))
    for outcome in outcomes:
        assert outcome.details["longest"] < LONG, outcome.details
        assert not outcome.details["reversals"], outcome.details
    assert [outcome.details["ending"] for outcome in outcomes] == ["done", "interrupted"]
    assert state is AgentState.IDLE
    assert evidence
