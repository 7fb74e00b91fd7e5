"""The state of all agents, as the log alone tells it: what the tables are held against."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from paneward.core.agent.events import Stored
from paneward.core.agent.record import Agent


@dataclass(frozen=True, slots=True)
class Told:
    """What the log says of one agent."""

    stage: str
    source: str
    reason: str
    gone: str
    seq: int
    nudge_state: str = ""
    nudge_seq: int = 0


def told_of(agent: Agent) -> Told:
    """What the tables say of it."""
    stood = agent.stage, agent.source, agent.reason, agent.gone, agent.seq
    return Told(*stood, agent.nudge_state, agent.nudge_seq)


def fold(events: Iterable[Stored]) -> dict[str, Told]:
    agents: dict[str, Told] = {}
    for event in events:
        _heard(agents, event)
    return agents


def _heard(agents: dict[str, Told], event: Stored) -> None:
    name, data = event.agent_id, event.data
    if name is None or data.get("purged"):
        agents.pop(name or "", None)
        return
    match event.kind:
        case "agent_adopted":
            agent = data["agent"]
            agents[name] = Told(agent["stage"], agent["source"], agent["reason"], agent["gone"], event.seq)
        case "agent_forgotten":
            agents.pop(name, None)
        case "state_changed":
            told = {"stage": data["new_state"], "source": data["source"], "reason": data["reason"]}
            agents[name] = replace(agents[name], seq=event.seq, **told)
        case "agent_lost":
            agents[name] = replace(agents[name], seq=event.seq, gone=data["reason"])
        case "nudge_raised" | "nudge_cleared":
            told = {"nudge_state": data.get("nudge_state", ""), "nudge_seq": data["nudge_seq"]}
            agents[name] = replace(agents[name], seq=event.seq, **told)
        case "agent_found":
            agents[name] = replace(agents[name], seq=event.seq, gone="")
        case _ if name in agents:
            agents[name] = replace(agents[name], seq=event.seq)
