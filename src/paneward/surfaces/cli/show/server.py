"""What a server did and what happened there, for people. Shape: functions, as in `show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paneward.core.agent.record import Agent
from paneward.surfaces.cli.output import print_words
from paneward.surfaces.cli.show.agents import place_of
from paneward.surfaces.cli.show.deliveries import receipt
from paneward.surfaces.cli.show.lines import Output, advise, say, short
from paneward.surfaces.cli.upkeep import Adopted, Events, Forgotten, Responded, Revoked, Stopped, Token

if TYPE_CHECKING:
    from paneward.core.agent.events import Stored


def show_server(console: Output, answer: Adopted | Events | Forgotten | Responded | Stopped | Token | Revoked) -> None:
    match answer:
        case Adopted(agent):
            _adopted(console, agent)
        case Forgotten(agent_id, purged):
            kept = "and all that was stored of it is gone" if purged else "its pane was left alone"
            say(console, ("✓ forgotten", "bold green"), (f"  {agent_id}: {kept}", ""))
        case Responded():
            receipt(console, answer.receipt)
            say(console, (f"  {answer.agent_id} is {answer.new_state}", "dim"))
        case Events(events):
            for event in events:
                show_event(console, event)
        case Stopped(url, _, killed):
            words = ("✓ killed" if killed else "✓ ended", "bold green") if url else ("no server runs", "")
            say(console, words, (f"  {url}" if url else "", ""))
        case Token():
            print_words(answer.token)
        case Revoked(id):
            say(console, ("✓ revoked", "bold green"), (f"  the token {id}", ""))


def _adopted(console: Output, agent: Agent) -> None:
    program = f" ({agent.kind} {agent.version})".replace(" )", ")") if agent.kind else ""
    say(console, ("✓ adopted", "bold green"), (f"  {agent.id}", "bold"), (f"  {place_of(agent)}{program}", ""))
    advise(console, f"`paneward send {agent.id} TEXT` gives it work, `paneward ps` tells where it stands.")


# --- events


def show_event(console: Output, event: Stored) -> None:
    from datetime import datetime

    when = f"{datetime.fromtimestamp(event.at).astimezone():%H:%M:%S}"
    words = (
        (f"{event.seq:>6} {when}  ", "dim"),
        (f"{event.kind:<18} ", "cyan"),
        (f"{event.agent_id or '-':<14} ", "bold"),
    )
    say(console, *words, (_told(event), ""))


def _told(event: Stored) -> str:
    """The one line that tells an event to people; the whole is in the JSON."""
    data = event.data
    match event.kind:
        case "state_changed":
            return f"{data.get('old_state')} → {data.get('new_state')}: {short(str(data.get('reason', '')), 80)}"
        case "turn_stored":
            turn = data.get("turn") or {}
            return f"{turn.get('actor')} {turn.get('intent')}: {short(' '.join(str(turn.get('text', '')).split()), 80)}"
        case "agent_adopted":
            return str((data.get("agent") or {}).get("pane", ""))
        case "usage_changed":
            return _used(data.get("usage") or {})
    plain = {name: value for name, value in data.items() if name != "agent_id" and not isinstance(value, dict | list)}
    return short(" · ".join(f"{name} {value}" for name, value in plain.items() if value not in (None, "")), 100)


def _used(usage: dict[str, Any]) -> str:
    from paneward.core.usage import Usage

    known = {name: usage[name] for name in ("tokens_in", "tokens_out", "cost", "context_left") if name in usage}
    return Usage(**known).summary
