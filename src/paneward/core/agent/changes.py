"""What is said makes of an agent: functions. What they return is stored with what was said, by one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from paneward.core.agent.events import AgentFound, AgentLost, Event, StateChanged, TransitionRefused
from paneward.core.agent.nudge import crashed, entered
from paneward.core.agent.record import RESTING, Actor, Agent, Said, Stage, Turn, cut_off, next_stage
from paneward.core.result import Menu
from paneward.core.signals import Signal
from paneward.core.state.claims import Standing


@dataclass(frozen=True, slots=True)
class Grounds:
    """Who decided, by what, and what the others had said."""

    source: str
    reason: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """An agent as it is from now on, and what is told of that."""

    agent: Agent
    last: Signal | None = None  # what it signalled last: the next is held against it
    events: tuple[Event, ...] = ()
    ending: str = ""  # how its open command came to an end; empty: it goes on
    heard: Mapping[str, Any] | None = None  # which of its signals were heard, where that is new
    account: Mapping[str, Any] | None = None  # how its use was counted, where that is new


@dataclass(frozen=True, slots=True)
class Moment:
    """When it is, and what the agent signalled last."""

    now: float  # on the clock that signals are dated by
    wall: float  # seconds since the epoch
    last: Signal | None = None


def told_by(standing: Standing) -> Grounds:
    others = [claim for claim in standing.claims if claim.source is not standing.source]
    losers = tuple(f"{one.source}: {one.state} ({one.evidence})" for one in others if one.state is not standing.state)
    return Grounds(standing.source, standing.evidence, losers)


def judged(agent: Agent, said: Said, turn: Turn | None, told: Grounds, moment: Moment, ending: str = "done") -> Change:
    """What this leads to; `ending` of the command where it is a completion."""
    turn_id = None if turn is None else turn.id
    agent = agent if turn is None else replace(agent, turn=turn.id)
    to = next_stage(agent.stage, said)
    if to is None:
        return Change(agent, moment.last, (TransitionRefused(agent.id, agent.stage, said, turn_id),))
    moved = to is not agent.stage
    if moved:
        agent = replace(agent, source=told.source, reason=told.reason)
    fresh = replace(
        agent, stage=to, since=moment.wall if moved or said is Said.AGENT_QUESTION else agent.since,
        question=_question(agent, said, to, turn), asked=_asked(agent, said, to, turn),
    )  # fmt: skip
    change = StateChanged(agent.id, agent.stage, to, turn_id, told.source, told.reason, told.others)
    words = turn.text if turn is not None and turn.actor is Actor.AGENT else ""
    heard = entered(fresh, agent.stage, said, told.source, words, moment.last, moment.now, moment.wall)
    events = (*((change,) if moved else ()), *heard.events)
    return Change(heard.agent, heard.last, events, ending if said is Said.AGENT_COMPLETION else "")


def _question(agent: Agent, said: Said, to: Stage, turn: Turn | None) -> Menu | None:
    if to is not Stage.AWAITING_INPUT:
        return None
    return turn.question if said is Said.AGENT_QUESTION and turn is not None else agent.question


def _asked(agent: Agent, said: Said, to: Stage, turn: Turn | None) -> int | None:
    if to is not Stage.AWAITING_INPUT:
        return None
    return turn.id if said is Said.AGENT_QUESTION and turn is not None else agent.asked


def lost(agent: Agent, reason: str, ended: bool, moment: Moment) -> Change | None:
    """Its pane cannot be reached; or its program `ended`, and with it what it worked on. Said again, it tells nothing
    new; words that were going in when the program ended are lost with it."""
    events, ending, last = list[Event](), "", moment.last
    if not agent.gone or (ended and cut_off(agent)):  # its host is there again, and it is not
        agent = replace(agent, gone=reason)
        events.append(AgentLost(agent.id, reason))
    if ended and agent.stage not in RESTING:
        events.append(StateChanged(agent.id, agent.stage, Stage.IDLE, None, "process", reason))
        agent = replace(agent, stage=Stage.IDLE, since=moment.wall, source="process", reason=reason)
        heard = crashed(replace(agent, question=None, asked=None), reason, last, moment.now, moment.wall)
        agent, last, ending = heard.agent, heard.last, "lost"
        events += heard.events
    return Change(agent, last, tuple(events), ending) if events else None


def found(agent: Agent, evidence: str, moment: Moment) -> Change | None:
    """Its pane is there again."""
    if not agent.gone:
        return None
    return Change(replace(agent, gone=""), moment.last, (AgentFound(agent.id, evidence),))
