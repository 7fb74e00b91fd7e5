"""What a look at a pane shows, held against what is known beside it: functions.

A screen can look idle although the program was told something a moment ago, or has said by another channel that it
waits for an answer. The record of an agent knows both; of a pane that nobody has adopted, its newest receipt does.
`wait` and `explain` go by these functions, so that they say what `ps` says.
"""

from dataclasses import replace

from paneward.core.agent.record import RESTING, Agent, Stage
from paneward.core.profiles.row import Profile
from paneward.core.readiness.pending import Pending, ProgramSight
from paneward.core.readiness.rules import GAZE, Assessment, Tried
from paneward.core.result import ReadyVerdict
from paneward.core.state.claims import AgentState, Source, Standing
from paneward.core.terminal.scene import Scene

AT_REST = (ReadyVerdict.READY, ReadyVerdict.STABLE)
TELLS = (AgentState.IDLE, AgentState.BUSY, AgentState.AWAITING_PERMISSION, AgentState.AWAITING_QUESTION)


def after_words(found: Assessment, pending: Pending, scene: Scene, profile: Profile) -> Assessment:
    """The assessment of a program that was told something: at rest is only who has dealt with that."""
    pending.see(_sight(found), scene.now, scene, profile)
    if found.verdict not in AT_REST:
        return found
    judged = pending.judge(scene.now, scene, profile)
    if judged.over and judged.rule != "unseen":
        return replace(found, tried=(*found.tried, Tried(judged.rule, judged.evidence)))
    tried = (*_undecided(found), Tried(judged.rule, judged.evidence, decided=True))
    if judged.over:  # it rests on time alone, and says so
        return replace(found, rule=judged.rule, evidence=f"{found.evidence}; {judged.evidence}", tried=tried)
    again = min(max(judged.due - scene.now, 0.0), GAZE)
    return Assessment(None, judged.rule, judged.evidence, tried, look_again=again)


def _sight(found: Assessment) -> ProgramSight:
    """What that tells of the work. Input that was not read yet may be what we just typed."""
    if found.verdict is ReadyVerdict.AWAITING_ANSWER:
        return ProgramSight.ASKING
    if found.rule == "not_reading":
        return ProgramSight.AWAY
    return ProgramSight.WORKING if found.rule == "busy_mark" and found.working else ProgramSight.NEITHER


def _undecided(found: Assessment) -> tuple[Tried, ...]:
    return tuple(replace(one, decided=False) for one in found.tried)


def by_record(found: Assessment, agent: Agent, standing: Standing | None) -> Assessment | None:
    """The assessment of a pane whose agent is followed, by its record; None where that does not tell."""
    if agent.gone or standing is None or standing.state not in TELLS:
        return None
    if found.verdict not in AT_REST or agent.stage in RESTING:
        return found
    evidence = f"{agent.id} is {agent.stage}: {agent.reason}"
    tried = (*_undecided(found), Tried("record", evidence, decided=True))
    if agent.stage is Stage.AWAITING_INPUT:
        asked = (agent.question.question if agent.question else "") or agent.reason
        return Assessment(ReadyVerdict.AWAITING_ANSWER, "record", evidence, tried, asked)
    return Assessment(None, "record", evidence, tried, working=agent.stage is Stage.PROCESSING)


def told_standing(standing: Standing, found: Assessment) -> Standing:
    """Where a program stands that only looks idle."""
    if standing.state is not AgentState.IDLE or found.verdict in AT_REST:
        return standing
    if found.rule not in ("delivered", "record"):
        return standing
    asks = found.verdict is ReadyVerdict.AWAITING_ANSWER
    state, source = (AgentState.AWAITING_QUESTION, Source.SIGNAL) if asks else (AgentState.BUSY, Source.DELIVERY)
    return replace(standing, state=state, source=source, evidence=found.evidence, question=found.question or "")
