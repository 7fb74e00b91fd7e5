"""When an agent calls for the human, and when that is over: functions on its record.

A signal sets the nudge, and so does each entry into a state that needs the human, whether a signal came or not. What
several channels tell is one (`signals.signal`). Work clears it, and so does whoever attends to the agent. `nudge_seq`
rises by one with each signal and each clearing, never with a repaint or a restart.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from paneward.core.agent.events import Event, NudgeCleared, NudgeRaised, SignalSeen
from paneward.core.agent.record import Agent, Said, Stage
from paneward.core.signals.signal import SAID, TOGETHER, VAGUE, Channel, Signal, SignalState, joined, same_thing, worded

FRESH: Final = 1.0  # seconds for which what an agent said is not overruled by its being at work
ATTENDING: Final = frozenset({"Enter", "KPEnter", "C-m", "C-j", "CR", "Tab", "C-i", "BTab", "S-Tab", "Escape", "C-["})


@dataclass(frozen=True, slots=True)
class SignalEffect:
    """The record after something was told, what is to be published with it, and what later signals are held against."""

    agent: Agent
    events: tuple[Event, ...] = ()
    last: Signal | None = None


def attends(keys: Iterable[str]) -> bool:
    """Whoever presses these attends to the agent."""
    return not ATTENDING.isdisjoint(keys)


def recalled(agent: Agent, now: float, wall: float) -> Signal | None:
    """The last signal, as far as the record knows it."""
    if not agent.nudge_state or agent.last_signal_at is None:
        return None
    age = max(wall - agent.last_signal_at, 0.0)
    return _recalled(agent, now - age) if age <= TOGETHER else None


def _recalled(agent: Agent, at: float) -> Signal:
    return Signal(SignalState(agent.nudge_state), agent.nudge_summary, _channel(agent.nudge_source), at)


def hear(agent: Agent, signals: Sequence[Signal], last: Signal | None, now: float, wall: float) -> SignalEffect:
    """Take signals in, in their order. However many they are, the nudge is told once, as the newest has set it."""
    before, seen = agent, list[Event]()
    for signal in signals:
        if last is not None and same_thing(last, signal):
            both = joined(last, signal)
            agent, seen = _join(agent, both), [*seen, *_logged(agent, signal, now, signal.stronger_than(last))]
            last = both
            continue
        agent = _set(agent, signal, wall)
        seen += _logged(agent, signal, now, True)
        last = last if signal.source is Channel.BUDGET else signal  # the agent's own are held against each other
    return SignalEffect(agent, (*seen, *_told(before, agent)), last)


def clear(agent: Agent, reason: str) -> SignalEffect:
    """Somebody attends to it, or it works."""
    if not agent.nudge_state:
        return SignalEffect(agent)
    agent = replace(agent, nudge_state="", nudge_summary="", nudge_source="", nudge_seq=agent.nudge_seq + 1)
    return SignalEffect(agent, (NudgeCleared(agent.id, agent.nudge_seq, reason),))


def works(agent: Agent, last: Signal | None, now: float) -> SignalEffect:
    """It is at work: what it called for before is over. What it has said just now it said at work."""
    if last is not None and not last.stands and last.source in (*SAID, *VAGUE) and now - last.at < FRESH:
        return SignalEffect(agent, (), last)
    return clear(agent, "it works")


def entered(
    agent: Agent, before: Stage, said: Said, source: str, words: str, last: Signal | None, now: float, wall: float
) -> SignalEffect:
    """It has come to its state by what was said, in these words: the nudge that comes with that."""
    match agent.stage:
        case Stage.AWAITING_INPUT if said is Said.AGENT_QUESTION:
            state, words = SignalState.NEEDS_INPUT, agent.question.question if agent.question else words
            if source == Channel.EVENT_FILE and agent.nudge_state == state:
                return SignalEffect(agent, (), last)  # the signal itself has raised it
        case Stage.COMPLETE if before is not Stage.COMPLETE:
            state = SignalState.COMPLETED
        case _ if said in (Said.USER_COMMAND, Said.USER_ANSWER):
            return clear(agent, "it was told something")
        case Stage.PROCESSING if before is not Stage.PROCESSING:
            return works(agent, last, now)
        case _:
            return SignalEffect(agent, (), last)
    return hear(agent, [Signal(state, worded(words), _channel(source), now, stands=True)], last, now, wall)


def reworded(agent: Agent, text: str, last: Signal | None) -> SignalEffect:
    """It was seen to be done; now its hook tells its last words."""
    if agent.nudge_state != SignalState.COMPLETED or agent.nudge_summary:
        return SignalEffect(agent, (), last)
    worded_now = replace(agent, nudge_summary=worded(text), nudge_source=str(Channel.HOOK))
    last = None if last is None else replace(last, message=worded_now.nudge_summary, source=Channel.HOOK)
    return SignalEffect(worded_now, tuple(_told(agent, worded_now)), last)


def crashed(agent: Agent, reason: str, last: Signal | None, now: float, wall: float) -> SignalEffect:
    """Its program ended in the midst of its work."""
    return hear(agent, [Signal(SignalState.ERROR, worded(reason), Channel.PROCESS, now)], last, now, wall)


def _channel(source: str) -> Channel:
    return Channel(source) if source in list(Channel) else Channel.SCREEN


def _set(agent: Agent, signal: Signal, wall: float) -> Agent:
    working = signal.state is SignalState.WORKING
    return replace(
        agent,
        nudge_state="" if working else str(signal.state),
        nudge_summary="" if working else signal.message,
        nudge_source="" if working else str(signal.source),
        nudge_seq=agent.nudge_seq + 1,
        last_signal_at=wall,
    )


def _join(agent: Agent, both: Signal) -> Agent:
    """The same thing again, perhaps in better words; of one that was attended to meanwhile, or that a budget has taken
    the place of, nothing."""
    if not agent.nudge_state or agent.nudge_source == Channel.BUDGET:
        return agent
    source = str(both.source)
    return replace(agent, nudge_state=str(both.state), nudge_summary=both.message, nudge_source=source)


def _logged(agent: Agent, signal: Signal, now: float, worth: bool) -> list[Event]:
    if not worth or signal.stands or signal.source not in (*SAID, *VAGUE):
        return []
    lag = 0.0 if signal.old else round(max(now - signal.at, 0.0), 6)
    state, source = str(signal.state), str(signal.source)
    return [SignalSeen(agent.id, state, signal.message, source, signal.key, agent.nudge_seq, signal.old, lag)]


def _told(before: Agent, after: Agent) -> list[Event]:
    fields = ("nudge_state", "nudge_summary", "nudge_source", "nudge_seq")
    if all(getattr(before, name) == getattr(after, name) for name in fields):
        return []
    if after.nudge_state:
        told = after.nudge_state, after.nudge_summary, after.nudge_source
        return [NudgeRaised(after.id, after.nudge_seq, *told)]
    return [NudgeCleared(after.id, after.nudge_seq, "it works")] if before.nudge_state else []
