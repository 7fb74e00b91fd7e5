"""What goes on until it is ended: the events as they come, the agents as they change. Shape: functions.

Nothing is missed: an event stream that breaks is taken up behind the last event that was seen, also of a server that
was started anew meanwhile.
"""

import sys
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from paneward.adapters.clock import SystemClock
from paneward.client.agents import EventQuery, page, seats, stored
from paneward.client.remote import Remote, found, required
from paneward.config.places import state_dir
from paneward.core.agent.events import Stored
from paneward.core.errors import ServerError
from paneward.surfaces.cli.answers import AgentList, document, flat
from paneward.surfaces.cli.options import RootOptions
from paneward.surfaces.cli.output import print_json
from paneward.surfaces.cli.show.agents import agents_table
from paneward.surfaces.cli.show.lines import Output, Paper, columns, terminal
from paneward.surfaces.cli.show.server import show_event
from paneward.surfaces.cli.work import complain

AGAIN = 0.5  # seconds between looks for a server that went away
TICK = 1.0  # seconds after which what is shown is drawn anew: how long something lasts changes
INTERRUPTED = 130
GONE, BACK = "the server is gone", "the server is back"
WAITS = "This goes on when the next one runs; `paneward up --detach` starts it."


class Pulse(Enum):
    """What is told between events."""

    TICK = "nothing for a while"
    GONE = "the server is gone"
    BACK = "a server is there again"


def follow_events(place: RootOptions, wanted: EventQuery) -> int:
    """Print events until Ctrl-C."""
    with suppress(KeyboardInterrupt, BrokenPipeError):
        _follow_events(place, wanted)
    return INTERRUPTED


def _follow_events(place: RootOptions, wanted: EventQuery) -> None:
    console = terminal()
    required(state_dir())  # a server has to be there to begin with
    for event in events_for_ever(wanted):
        if isinstance(event, Pulse):
            _say(event)
        elif place.json:
            print_json(flat(event), flush=True)
        else:
            show_event(console, event)


def _say(pulse: Pulse) -> None:
    if pulse is Pulse.GONE:
        complain(GONE, WAITS)
    elif pulse is Pulse.BACK:
        complain(BACK, "")


def events_for_ever(wanted: EventQuery, tick: float | None = None) -> Iterator[Stored | Pulse]:
    """Every event that is wanted, once and in order; and whether there is a server to tell of them."""
    after: int | None = None
    gone = False
    while True:
        with suppress(ServerError):
            if (remote := found(state_dir())) is not None:
                begin, earlier = _begin(remote, wanted, after)
                if gone:
                    gone = False
                    yield Pulse.BACK
                after = begin
                yield from earlier
                for event in _stream(remote, wanted, begin, tick):
                    after = event.seq if isinstance(event, Stored) else after
                    if isinstance(event, Pulse) or event.kind:
                        yield event
        if not gone:
            gone = True
            yield Pulse.GONE
        SystemClock().pause(AGAIN)


def _begin(remote: Remote, wanted: EventQuery, after: int | None) -> tuple[int, list[Stored]]:
    """From where the stream goes on, and what is told before it."""
    if after is not None:
        return after, []
    if wanted.after is not None:
        return wanted.after, []
    events, seq = page(remote, wanted)
    return seq, events if wanted.limit else []


def _stream(remote: Remote, wanted: EventQuery, after: int, tick: float | None) -> Iterator[Stored | Pulse]:
    """The events behind `after`; what the stream left out is read from the log. One without a kind only counts."""
    with remote.events(after, tick, **wanted.filters) as messages:
        for message in messages:
            if message is None:
                yield Pulse.TICK
                continue
            if message.kind == "gap":
                yield from _between(remote, wanted, after, int(message.data["seq"]))
                yield Stored(int(message.data["seq"]), 0.0, "", None, {})
            elif isinstance(message.data, dict):
                yield stored(message.data)
            after = message.seq if message.seq is not None else after


def _between(remote: Remote, wanted: EventQuery, after: int, until: int) -> list[Stored]:
    found: list[Stored] = []
    while after < until:
        events, _ = page(remote, wanted._replace(after=after, limit=500))
        found += [event for event in events if event.seq <= until]
        after = events[-1].seq if events else until
    return found


# --- agents


def watch_agents(place: RootOptions) -> int:
    """Show the agents until Ctrl-C, and each change at once."""
    with suppress(KeyboardInterrupt, BrokenPipeError):
        _watch_agents(place)
    return INTERRUPTED


def _watch_agents(place: RootOptions) -> None:
    console = terminal()
    first = seats(required(state_dir()))
    if place.json or isinstance(console, Paper):
        _print(place, console, first)
        for change in _changes(tick=None):
            _say(change) if isinstance(change, Pulse) else _print(place, console, change)
        return
    last = first
    with Live(_drawn(first), console=console, auto_refresh=False, screen=True) as live:
        for change in _changes(tick=TICK):
            last = last if isinstance(change, Pulse) else change
            live.update(_drawn(last, gone=change is Pulse.GONE), refresh=True)


def _print(place: RootOptions, console: Output, agents: AgentList) -> None:
    if place.json:
        print_json(document(agents), flush=True)
    else:
        console.print(_drawn(agents))
        sys.stdout.flush()


def _changes(tick: float | None) -> Iterator[AgentList | Pulse]:
    """The agents after each event, and after each tick; that the server went away, or is back."""
    for event in events_for_ever(EventQuery(limit=0), tick):
        if event in (Pulse.GONE, Pulse.BACK):
            yield Pulse(event)
        if event is not Pulse.GONE:
            with suppress(ServerError):
                yield seats(required(state_dir()))


def _drawn(agents: AgentList, gone: bool = False) -> RenderableType:
    drawn = columns(*agents_table(agents.seats)) if agents.seats else Text("no agent is watched")
    return Group(Text(f"{GONE}. {WAITS}", "bold yellow"), drawn) if gone else drawn
