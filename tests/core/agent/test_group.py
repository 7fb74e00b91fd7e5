"""Who `--to` names."""

import pytest

from paneward.core.agent.group import members
from paneward.core.agent.record import Agent
from paneward.core.errors import Code, PanewardError

AGENTS = [
    Agent("a", role="reviewer", labels=("backend",)),
    Agent("b", role="builder", labels=("backend", "reviewer")),
    Agent("c", role="builder"),
]


@pytest.mark.parametrize(
    ("groups", "names"),
    [
        (["all"], "abc"),
        (["reviewer"], "ab"),
        (["role:reviewer"], "a"),
        (["label:reviewer"], "b"),
        (["backend", "builder"], "abc"),
    ],
)
def test_a_group_is_all_a_role_or_a_label(groups: list[str], names: str) -> None:
    assert "".join(agent.id for agent in members(AGENTS, groups)) == names


def test_a_group_of_nobody_is_an_error_that_names_the_groups_there_are() -> None:
    with pytest.raises(PanewardError) as caught:
        members(AGENTS, ["testers"])
    assert caught.value.code is Code.AGENT_NOT_FOUND
    assert "backend, builder, reviewer" in caught.value.hint
