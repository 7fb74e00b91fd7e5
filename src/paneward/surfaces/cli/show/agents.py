"""Agents and the server for people. Shape: functions, as in `show`."""

from __future__ import annotations

from typing import Any

from paneward.core.agent.record import DISCONNECTED, TIMED_OUT, Agent, Stage
from paneward.core.result import Readiness, SendResult
from paneward.core.text import natural
from paneward.surfaces.cli.answers import AgentList, OneOfMany, Outcomes, RunningServer, Seat
from paneward.surfaces.cli.show.deliveries import readiness, receipt
from paneward.surfaces.cli.show.lines import Output, StyledWords, advise, ago, say, short, table

STAGES = {
    Stage.AWAITING_INPUT: ("?", "bold yellow"),
    Stage.PROCESSING: ("…", "blue"),
    Stage.COMMANDED: ("→", "blue"),
    Stage.COMPLETE: ("✓", "green"),
    Stage.IDLE: ("·", "dim"),
    TIMED_OUT: ("!", "red"),
}
LOST = ("✗", "red")
WORDS = {
    Stage.AWAITING_INPUT: "ask",
    Stage.PROCESSING: "work",
    Stage.COMMANDED: "begin",
    TIMED_OUT: "are silent",
    "LOST": "are lost",
    DISCONNECTED: "are cut off",
}


def show_agents(console: Output, answer: AgentList | Outcomes | RunningServer) -> None:
    match answer:
        case Outcomes(outcomes):
            for outcome in outcomes:
                _outcome(console, outcome)
        case AgentList(seats):
            _agents(console, seats)
        case RunningServer():
            _running(console, answer)


def _outcome(console: Output, outcome: OneOfMany) -> None:
    say(console, (outcome.target, "bold cyan"))
    match outcome.answer:
        case SendResult() as result:
            receipt(console, result)
        case Readiness() as ready:
            readiness(console, ready)
    if outcome.failure is not None:
        say(console, (f"✗ {outcome.failure.code}", "bold red"), (f"  {outcome.failure.message}", ""))
        advise(console, outcome.failure.hint)


# --- agents


def agents_table(seats: tuple[Seat, ...]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Heads and rows: who asks comes first."""
    order = list(STAGES)
    rank = {state: at for at, state in enumerate(order)}
    ranked = sorted(seats, key=lambda seat: (rank.get(seat.shown, 0), natural(seat.agent.id)))
    panes = [(seat.agent.host, seat.agent.pane) for seat in seats]
    twice = {pane for pane in panes if panes.count(pane) > 1}
    uses = any(seat.agent.usage is not None for seat in seats)
    heads = ("agent", "state", "for", "pane", "program", "role", *(["uses"] if uses else []), "about")
    return heads, [_seat(seat, uses, (seat.agent.host, seat.agent.pane) in twice) for seat in ranked]


def _agents(console: Output, seats: tuple[Seat, ...]) -> None:
    if not seats:
        say(console, ("no agent is watched", ""))
        advise(console, "`paneward adopt PANE` takes one in.")
        return
    table(console, *agents_table(seats))
    asking = [seat.agent.id for seat in seats if seat.agent.stage is Stage.AWAITING_INPUT and not seat.agent.gone]
    if asking:
        advise(console, f"`paneward respond {asking[0]} …` answers; `paneward menu {asking[0]}` shows what it asks.")


def _seat(seat: Seat, uses: bool, twice: bool) -> tuple[Any, ...]:
    agent = seat.agent
    sign, colour = LOST if agent.gone else STAGES.get(seat.shown, ("·", ""))
    lost = "disconnected" if seat.shown == DISCONNECTED else "lost"
    state = StyledWords(f"{sign} {lost if agent.gone else seat.shown}", colour)
    program = f"{agent.kind} {agent.version}".strip()
    role = " ".join((agent.role, *(f"#{label}" for label in agent.labels))).strip()
    used = [agent.usage.summary if agent.usage else "-"] if uses else []
    return agent.id, state, ago(seat.lasts), place_of(agent, twice), program, role, *used, short(_about(agent), 60)


def place_of(agent: Agent, twice: bool = False) -> str:
    """Its pane; `twice`: another tmux server has one of this number too."""
    pane = f"{agent.pane or '-'} ({agent.socket.rpartition('/')[2]})" if twice else agent.pane or "-"
    return f"{agent.host}:{pane}" if agent.host else pane


def _about(agent: Agent) -> str:
    if agent.gone:
        return agent.gone
    if agent.question is None:
        return _nudge(agent) or agent.reason
    return " · ".join(" ".join(words.split()) for words in (agent.question.question, agent.question.about) if words)


def _nudge(agent: Agent) -> str:
    """What it calls for, in words where it gave any."""
    return f"{agent.nudge_state}: {agent.nudge_summary}".removesuffix(": ") if agent.nudge_state else ""


# --- the server


def _running(console: Output, server: RunningServer) -> None:
    sign = ("✓ started", "bold green") if server.fresh else ("✓ runs", "bold green")
    say(console, sign, (f"  {server.url}", "bold"), (f"  process {server.pid}, Paneward {server.version}", "dim"))
    if server.own_version and server.own_version != server.version:
        say(console, ("! ", "yellow"), (f"this command is Paneward {server.own_version}", ""))
        advise(console, "`paneward down` and `paneward up --detach` start it anew; agents go on meanwhile.")
    if not server.fresh:
        say(console, (f"  {in_words(server.states)}", ""))
    if server.log:
        say(console, (f"  log: {server.log}", "dim"))
    if server.sign_in:
        say(console, ("  open in a browser, once: ", ""), (server.sign_in, "bold underline"))


def in_words(states: dict[str, int] | Any) -> str:
    """`2 ask · 1 works`."""
    if not states:
        return "no agent is watched"
    told = [_count(states[name], words) for name, words in WORDS.items() if states.get(name)]
    rest = sum(number for name, number in states.items() if name not in WORDS)
    return " · ".join([*told, *([f"{rest} idle"] if rest else [])])


def _count(number: int, words: str) -> str:
    if number != 1:
        return f"{number} {words}"
    return f"1 {words.replace('are', 'is')}" if " " in words else f"1 {words}s"
