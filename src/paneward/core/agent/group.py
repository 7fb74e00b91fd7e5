"""Which agents a group names, as in `send --to reviewer`: functions."""

from collections.abc import Sequence

from paneward.core.agent.record import Agent
from paneward.core.errors import AgentNotFound
from paneward.core.text import natural


def members(agents: Sequence[Agent], groups: Sequence[str]) -> list[Agent]:
    """The agents of these groups: `all`, `role:NAME`, `label:NAME`, or NAME for either."""
    found = [one for one in agents if any(_belongs(one, group) for group in groups)]
    if not found:
        named = {one.role for one in agents if one.role} | {label for one in agents for label in one.labels}
        roles = sorted(named, key=natural)
        known = f"Roles and labels there are: {', '.join(roles)}." if roles else "`paneward ps` lists the agents."
        raise AgentNotFound(f"no agent belongs to {', '.join(groups)}", hint=known)
    return sorted(found, key=lambda one: natural(one.id))


def _belongs(agent: Agent, group: str) -> bool:
    kind, divided, name = group.partition(":")
    if divided and kind in ("role", "label"):
        return name == agent.role if kind == "role" else name in agent.labels
    return group == "all" or group == agent.role or group in agent.labels
