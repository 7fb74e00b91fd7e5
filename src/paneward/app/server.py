"""The server without its doors: the store with its lease, the bus, and the agents."""

import asyncio
import logging
import os
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib import metadata
from itertools import count
from pathlib import Path

from paneward.adapters.clock import SystemClock
from paneward.adapters.hooks.spool import Spool
from paneward.adapters.recordings import Casts
from paneward.adapters.transcripts import Transcripts
from paneward.app.connecting import connect
from paneward.app.connection import Connection
from paneward.app.lines import Lines
from paneward.config import RecordingSettings, Settings, UsageSettings
from paneward.core.agent.events import ServerStarted, ServerStopped, Stored
from paneward.core.credentials import learn
from paneward.core.errors import PanewardError, StoreError
from paneward.core.recording.recorder import Limits
from paneward.core.usage import Budget, price, window
from paneward.services.agents.agents import Agents
from paneward.services.agents.servers import Connect
from paneward.services.bus import Bus
from paneward.services.hooks import Listening
from paneward.services.hosts import Hosts
from paneward.services.recordings.recordings import Recordings
from paneward.services.usage import Meters
from paneward.store import Store

DAY, MINUTE = 86400.0, 60.0
STORE = "deliveries.db"  # the file that the library writes to as well
log = logging.getLogger("paneward.server")


@dataclass(frozen=True, slots=True)
class Server:
    store: Store
    bus: Bus
    agents: Agents[Connection]
    hosts: Hosts
    recordings: Recordings
    settings: Settings
    directory: Path
    clock: SystemClock
    url: str
    version: str
    started_at: float  # seconds since the epoch
    listening: Listening
    meters: Meters


@asynccontextmanager
async def serve(settings: Settings, directory: Path, *, url: str) -> AsyncIterator[Server]:
    """Take over the store and its agents; at the end, leave them in order. A second server is refused."""
    clock, bus, version = SystemClock(), Bus(), metadata.version("paneward")
    learn(settings.store.redact)
    place = settings.store.url or directory / STORE
    store = await asyncio.to_thread(Store.open, place, lease=f"pid {os.getpid()}, {url}")
    store.on_commit = _publisher(bus)
    reason = "it failed"
    try:
        await store.append(ServerStarted(version))
        lines = Lines(settings, directory, store, clock)
        hosts = Hosts(store, clock, lines.open, random.random, settings.hosts.longest_pause)
        connector = _connector(settings, directory, store, hosts, lines)
        probe = settings.tmux_bridge.health_check_interval
        agents = Agents(store, clock, connector, probe, settings.signals, hosts)
        hosts.on_lost, hosts.on_removed, hosts.inhabitants = agents.cut_off, lines.forget, agents.on
        transcripts = Transcripts(clock)
        meters = Meters(store, clock, transcripts, agents, bus, _budget(settings.usage))
        spool = Spool(directory, clock)
        listening = Listening(store, clock, spool, agents.ear_of, meters.told)
        lines.listen(agents.ear_of, listening.counts)
        tasks = [
            asyncio.create_task(_tidy(store, clock, settings.store.retention_days)),
            asyncio.create_task(_let_go(agents, clock)),
        ]
        try:
            await hosts.load()
            await agents.start()
            hosts.start()  # now: what hooks there tell is told to the agents that there are
            tasks.append(asyncio.create_task(meters.run()))
            tasks.append(asyncio.create_task(_listen(agents, listening)))
            async with _recordings(agents, store, spool, settings.recording, directory, clock) as recordings:
                yield Server(
                    store, bus, agents, hosts, recordings, settings, directory, clock, url, version, clock.wall(),
                    listening, meters,
                )  # fmt: skip
                reason = "it was told to"
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            transcripts.close()
            await agents.close()
            await hosts.close()
            await lines.close()
    finally:
        await _end(store, bus, reason)


def _publisher(bus: Bus) -> Callable[[Sequence[Stored]], None]:
    """Whoever hears an event finds what it tells of: those who wait for the commit are woken before subscribers."""
    loop = asyncio.get_running_loop()

    def publish(events: Sequence[Stored]) -> None:
        loop.call_soon(bus.publish, events)

    return publish


def _connector(settings: Settings, directory: Path, store: Store, hosts: Hosts, lines: Lines) -> Connect[Connection]:
    """Opens connections that share the server's store."""

    def connector(host: str, name: str | None, path: str | None) -> AbstractAsyncContextManager[Connection]:
        if host:
            return lines.connect(hosts.record(host), name, path)
        return connect(name, path, transport=settings.tmux.transport, settings=settings, state=directory, store=store)

    return connector


def _budget(settings: UsageSettings) -> Budget:
    prices, windows = tuple(map(price, settings.prices)), tuple(map(window, settings.windows))
    return Budget(settings.budget_tokens, settings.budget_cost, settings.context_left_below, prices, windows)


async def _listen(agents: Agents[Connection], listening: Listening) -> None:
    """Once it is known which agents are there: hooks are told to those that live in their panes."""
    await agents.settled()
    await listening.run()


async def _end(store: Store, bus: Bus, reason: str) -> None:
    try:
        await store.append(ServerStopped(reason))
    except StoreError as error:
        log.warning("the end was not stored: %s", error.message)
    bus.close()
    await store.close()


async def _tidy(store: Store, clock: SystemClock, days: float) -> None:
    """What is older than the retention limit goes, at the start and once a day. The clock is watched all the time."""
    for minute in count():
        try:
            if minute % (DAY / MINUTE):
                await store.watch_clock()
            elif removed := await store.trim(days):
                log.info("%d rows were older than %g days, and are gone", removed, days)
        except StoreError as error:
            log.warning("nothing was tidied: %s", error.message)
        await clock.sleep(MINUTE)


@asynccontextmanager
async def _recordings(
    agents: Agents[Connection],
    store: Store,
    spool: Spool,
    settings: RecordingSettings,
    directory: Path,
    clock: SystemClock,
) -> AsyncIterator[Recordings]:
    casts = Casts(directory)
    size, part, total = settings.max_size, settings.max_part_size, settings.max_total_size
    limits = Limits(part, size, total, settings.max_age_days * DAY)
    recordings = Recordings(agents, casts, clock, limits, store.cutoff)

    async def drop(agent_id: str, purge: bool) -> None:
        await recordings.drop(agent_id, purge)
        if purge:
            spool.remove(agent_id)
            await store.take({}, [f"events/{agent_id}.jsonl"])

    agents.on_forget = drop
    tidying = asyncio.create_task(_keep_tidy(recordings, clock))
    try:
        await recordings.start()
        yield recordings
    finally:
        tidying.cancel()
        await asyncio.gather(tidying, return_exceptions=True)
        await recordings.close()
        await casts.close()


async def _keep_tidy(recordings: Recordings, clock: SystemClock) -> None:
    """Recordings that are too old, or too many."""
    while True:
        await clock.sleep(MINUTE)
        try:
            await recordings.tidy()
        except (PanewardError, OSError) as error:
            log.warning("the recordings were not tidied: %s", error)


async def _let_go(agents: Agents[Connection], clock: SystemClock) -> None:
    """Tmux servers that nobody asks for any more."""
    while True:
        await clock.sleep(MINUTE)
        try:
            await agents.tidy()
        except (PanewardError, OSError) as error:
            log.warning("a connection to tmux was not closed: %s", error)
