"""What was true of an agent's state, what was said of it, and the judgement: data and functions."""

import time
from dataclasses import dataclass, field, replace
from itertools import pairwise

from paneward.core.state.claims import AgentState, Standing

SILENCE = 0.3  # seconds without output after which a wrong state is one too long
BURST = 0.01  # seconds within which what is printed is one event: tmux tells one repaint in several pieces


@dataclass(frozen=True, slots=True)
class Era:
    """From a moment on these states are right; `strict`: from the first output event after it."""

    at: float
    states: frozenset[AgentState]
    why: str
    strict: bool = False


@dataclass(slots=True)
class Record:
    """What happened in one turn: what was true, what was said, when something was printed."""

    eras: list[Era] = field(default_factory=list)
    said: list[tuple[float, Standing]] = field(default_factory=list)
    samples: list[tuple[float, AgentState]] = field(default_factory=list)
    printed: list[float] = field(default_factory=list)

    def true(self, why: str, *states: AgentState) -> None:
        """One of these from now on; a single one from the next output event on."""
        self.eras.append(Era(time.monotonic(), frozenset(states), why, strict=len(states) == 1))


@dataclass(frozen=True, slots=True)
class Wrong:
    start: float
    end: float
    state: str
    why: str
    events: int  # printed within
    silence: float  # the longest, within


def judge(record: Record) -> tuple[int, list[Wrong], list[str]]:
    """How many samples are right, the stretches that are wrong, and changes that nothing had asked for."""
    spans = _spans(record)
    right = sum(_allowed(spans, at, state) for at, state in record.samples)
    wrong = []
    for at, end, state in _stretches(record):
        for begin, stop, era in spans:
            if state not in era.states and min(stop, end) > max(begin, at):
                wrong.append(_wrong(record, max(begin, at), min(stop, end), state, era.why))
    return right, wrong, _reversals(record, spans)


Span = tuple[float, float, Era]


def _spans(record: Record) -> list[Span]:
    """The eras with their ends. A strict one begins with the next output event; until then the one before holds too."""
    found: list[Span] = []
    ends = [era.at for era in record.eras[1:]] + [float("inf")]
    before: frozenset[AgentState] = frozenset()
    for era, end in zip(record.eras, ends, strict=True):
        printed = next((at for at in record.printed if at > era.at), float("inf"))
        begin = min(printed, era.at + SILENCE, end) if era.strict and before else era.at
        if begin > era.at:
            found.append((era.at, begin, replace(era, states=before | era.states)))
        if end > begin:
            found.append((begin, end, era))
        before = era.states
    return found


def _allowed(spans: list[Span], at: float, state: AgentState) -> bool:
    return all(state in era.states for start, end, era in spans if start <= at < end)


def _stretches(record: Record) -> list[tuple[float, float, AgentState]]:
    times = [at for at, _ in record.said[1:]] + [record.samples[-1][0]]
    return [(at, end, said.state) for (at, said), end in zip(record.said, times, strict=True)]


def _wrong(record: Record, start: float, end: float, state: str, why: str) -> Wrong:
    within = [at for at in _events(record.printed) if start < at < end]
    edges = [start, *within, end]
    silence = max(late - early for early, late in pairwise(edges))
    return Wrong(start, end, state, why, len(within), silence)


def _events(printed: list[float]) -> list[float]:
    """When each burst began."""
    found: list[float] = []
    for at in printed:
        if not found or at - found[-1] > BURST:
            found.append(at)
    return found


def _reversals(record: Record, spans: list[Span]) -> list[str]:
    """Within one era, to leave a state and come back to it."""
    found = []
    for begin, end, era in spans:
        states = [state for at, until, state in _stretches(record) if at < end and until > begin]
        runs = [state for at, state in enumerate(states) if at == 0 or state is not states[at - 1]]
        found += [f"{era.why}: {' > '.join(runs)}"] if len(runs) != len(set(runs)) else []
    return found
