"""What the generated pages say of the server: the states of an agent, the events, roles, metrics. Shape: functions from
the code to Markdown, as in `docs`.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from paneward.core.agent import events
from paneward.core.agent import record as agent
from paneward.core.hosts import host
from paneward.surfaces.cli.meaning import remarks
from paneward.surfaces.http.access.tokens import MAY, May, Role
from paneward.surfaces.http.metrics import METRICS
from scripts.agent_pages import code, table

SAID_MEANING = {
    agent.Said.USER_COMMAND: "it was given a command",
    agent.Said.USER_ANSWER: "its question was answered, through Paneward or in the pane",
    agent.Said.AGENT_PROGRESS: "it was seen at work",
    agent.Said.AGENT_QUESTION: "it was seen to ask",
    agent.Said.AGENT_COMPLETION: "its work was seen to end",
}
SHOWN = f"""A command that is done shows as `COMPLETE` for {agent.DONE_FOR:g} seconds, then as `IDLE`. Work without a
sign of life for {agent.SILENT:g} seconds shows as `{agent.TIMED_OUT}`, an agent whose host cannot be reached as
`{agent.DISCONNECTED}`. All this is only shown, and not stored.
"""
EVENTS = """Each has a number (`seq`) that rises by one and leaves none out, its time (`at`, seconds since the epoch)
and its `kind`; the fields below stand beside them. `paneward events` prints them, `/api/events` pages through them and
`/api/events/stream` brings them as they come. A reader that is too slow, or asks for what is no longer kept, gets
`gap`, which is no event: it has no number of its own, and says from where to where the reader has to look into the log.
"""


def agent_states() -> Iterator[str]:
    """The state of an agent: what each means, and the table that leads from one to the other."""
    meaning = remarks(agent.Stage)
    yield "## Agents\n"
    yield table(("state", "means"), ((code(one), meaning[one.name]) for one in agent.Stage))
    yield SHOWN
    yield "### From state to state\n"
    yield "A row is the state, a column what was said; a dash is refused: the turn is kept, the state stays.\n"
    yield table(("from", *(code(said) for said in agent.Said)), (_row(stage) for stage in agent.Stage))
    yield table(("said", "when"), ((code(said), SAID_MEANING[said]) for said in agent.Said))


def _row(stage: agent.Stage) -> tuple[Any, ...]:
    leads = agent.TRANSITIONS[stage]
    return code(stage), *(code(leads[said]) if said in leads else "-" for said in agent.Said)


def host_states() -> Iterator[str]:
    """Where the connection to a host stands, and what leads from one state to the other."""
    meaning, facts = remarks(host.HostState), remarks(host.HostFact)
    yield "## Hosts\n"
    yield table(("state", "means"), ((code(one), meaning[one.name]) for one in host.HostState))
    yield "A row is the state, a column what happened to the connection.\n"
    rows = ((code(one), *(code(host.TRANSITIONS[one][fact]) for fact in host.HostFact)) for one in host.HostState)
    yield table(("from", *(code(fact) for fact in host.HostFact)), rows)
    yield table(("happened", "when"), ((code(fact), facts[fact.name]) for fact in host.HostFact))


def event_list() -> Iterator[str]:
    yield "## Events\n"
    yield EVENTS
    yield table(("event", "tells", "fields"), (_event(name, kind) for name, kind in events.KINDS.items()))


def _event(name: str, kind: type[Any]) -> tuple[str, str, str]:
    says = " ".join((kind.__doc__ or "").split())
    return code(name), says, ", ".join(code(item.name) for item in fields(kind))


def roles() -> str:
    words = remarks(Role)
    rights = remarks(May)
    rows = ((code(role), words[role.name], _rights(role)) for role in Role)
    listed = table(("role", "is", "may"), rows)
    return listed + "\n" + table(("right", "to"), ((code(may), rights[may.name]) for may in May))


def _rights(role: Role) -> str:
    return ", ".join(code(may) for may in May if may in MAY[role])


def metrics() -> str:
    return table(("metric", ""), ((code(name), words) for name, words in METRICS.items()))
