"""What goes on until it is ended: the events as they come, the agents as they change. Shape: functions.

Nothing is missed: an event stream that breaks is taken up behind the last event that was seen, also of a server that
was started anew meanwhile.
"""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from paneward.adapters.clock import SystemClock
from paneward.config import state_dir
from paneward.core.errors import ServerError
from paneward.core.events import Stored
from paneward.surfaces.cli.answers import Agents, document
from paneward.surfaces.cli.asking import Wanted, flat, page, seats, stored
from paneward.surfaces.cli.lines import columns
from paneward.surfaces.cli.options import Place
from paneward.surfaces.cli.remote import Remote, found, required
from paneward.surfaces.cli.shown_agents import agents_table, show_event
from paneward.surfaces.cli.work import terminal

AGAIN = 0.5  # seconds between looks for a server that went away
TICK = 1.0  # seconds after which what is shown is drawn anew: how long something lasts changes
INTERRUPTED = 130


def follow_events(place: Place, wanted: Wanted) -> int:
    """Print events until Ctrl-C."""
    with suppress(KeyboardInterrupt, BrokenPipeError):
        asyncio.run(_follow_events(place, wanted))
    return INTERRUPTED


async def _follow_events(place: Place, wanted: Wanted) -> None:
    console = terminal()
    async with required(state_dir()):  # a server has to be there to begin with
        pass
    async with aclosing(events_for_ever(wanted)) as events:
        async for event in events:
            if place.json:
                print(json.dumps(flat(event), ensure_ascii=False), flush=True)
            else:
                show_event(console, event)


async def events_for_ever(wanted: Wanted) -> AsyncGenerator[Stored, None]:
    """Every event that is wanted, once and in order."""
    after: int | None = None
    while True:
        async with found(state_dir()) as remote:
            if remote is not None:
                begin, earlier = await _begin(remote, wanted, after)
                after = begin
                for event in earlier:
                    yield event
                async with aclosing(_stream(remote, wanted, begin)) as events:
                    with suppress(ServerError):
                        async for event in events:
                            after = event.seq
                            if event.kind:
                                yield event
        await SystemClock().sleep(AGAIN)


async def _begin(remote: Remote, wanted: Wanted, after: int | None) -> tuple[int, list[Stored]]:
    """From where the stream goes on, and what is told before it."""
    if after is not None:
        return after, []
    if wanted.after is not None:
        return wanted.after, []
    events, seq = await page(remote, wanted)
    return seq, events if wanted.limit else []


async def _stream(remote: Remote, wanted: Wanted, after: int) -> AsyncGenerator[Stored, None]:
    """The events behind `after`; what the stream left out is read from the log. One without a kind only counts."""
    async with remote.events(after, **wanted.filters) as messages:
        async for message in messages:
            if message.kind == "gap":
                for event in await _between(remote, wanted, after, int(message.data["seq"])):
                    yield event
                yield Stored(int(message.data["seq"]), 0.0, "", None, {})
            elif isinstance(message.data, dict):
                yield stored(message.data)
            after = message.seq if message.seq is not None else after


async def _between(remote: Remote, wanted: Wanted, after: int, until: int) -> list[Stored]:
    found: list[Stored] = []
    while after < until:
        events, _ = await page(remote, wanted._replace(after=after, limit=500))
        found += [event for event in events if event.seq <= until]
        after = events[-1].seq if events else until
    return found


# --- agents


def watch_agents(place: Place) -> int:
    """Show the agents until Ctrl-C, and each change at once."""
    with suppress(KeyboardInterrupt, BrokenPipeError):
        asyncio.run(_watch_agents(place))
    return INTERRUPTED


async def _watch_agents(place: Place) -> None:
    console = terminal()
    async with required(state_dir()) as remote:
        first = await seats(remote)
    if place.json or not console.is_terminal:
        await _print_agents(place, console, first)
    with Live(_drawn(first), console=console, auto_refresh=False, screen=console.is_terminal) as live:
        async with aclosing(_changes(tick=TICK)) as changes:
            async for agents in changes:
                live.update(_drawn(agents), refresh=True)


async def _print_agents(place: Place, console: Console, first: Agents) -> None:
    _print(place, console, first)
    async with aclosing(_changes(tick=None)) as changes:
        async for agents in changes:
            _print(place, console, agents)


def _print(place: Place, console: Console, agents: Agents) -> None:
    if place.json:
        print(json.dumps(document(agents), ensure_ascii=False), flush=True)
    else:
        console.print(_drawn(agents))
        sys.stdout.flush()


async def _changes(tick: float | None) -> AsyncGenerator[Agents, None]:
    """The agents after each event, and after each tick."""
    events = events_for_ever(Wanted(limit=0))
    waiting: asyncio.Task[Any] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait({waiting}, timeout=tick)
            waiting = None if done else waiting
            with suppress(ServerError):
                async with required(state_dir()) as remote:
                    yield await seats(remote)
    finally:
        if waiting is not None:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        await events.aclose()


def _drawn(agents: Agents) -> Table | Text:
    if not agents.seats:
        return Text("no agent is watched")
    return columns(*agents_table(agents.seats))
