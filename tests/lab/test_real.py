"""Every real agent takes a text, and its model gets exactly that."""

import pytest

from tests.lab.agents import processes_of
from tests.lab.conftest import StartAgent
from tests.lab.recipes import pins
from tests.lab.replies import Reply

pytestmark = pytest.mark.real
TEXT = "Count the words of this line, all 9 of them"


@pytest.mark.parametrize(("agent", "version"), pins())
def test_a_pasted_line_arrives_at_the_model_exactly_once(agent: str, version: str, start_agent: StartAgent) -> None:
    running = start_agent(agent, version)
    running.model.script(Reply("There are nine."))
    running.say(TEXT)
    running.arrived(1, seconds=60)
    running.wait_screen("There are nine", seconds=60)
    assert running.model.prompts() == [TEXT]
    assert processes_of(running.home)
