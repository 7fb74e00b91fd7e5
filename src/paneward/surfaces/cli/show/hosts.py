"""Hosts for people. Shape: functions, as in `show`."""

from typing import Any

from paneward.core.hosts.host import HostStanding, HostState
from paneward.surfaces.cli.show.lines import Output, StyledWords, advise, ago, say, short, table
from paneward.surfaces.cli.upkeep import HostGone, HostList, HostTold

SIGNS = {
    HostState.CONNECTED: ("✓", "green"),
    HostState.CONNECTING: ("…", "blue"),
    HostState.DISCONNECTED: ("✗", "red"),
    HostState.NEEDS_LOGIN: ("?", "bold yellow"),
}
HEADS = ("host", "state", "for", "ssh", "tmux", "agents", "http", "about")


def show_hosts(console: Output, answer: HostList | HostTold | HostGone) -> None:
    match answer:
        case HostList(hosts, now):
            _hosts(console, hosts, now)
        case HostTold(host, done):
            _told(console, host, done)
        case HostGone(name):
            say(console, ("✓ removed", "bold green"), (f"  {name}", ""))


def _hosts(console: Output, hosts: tuple[HostStanding, ...], now: float) -> None:
    if not hosts:
        say(console, ("no host is known", ""))
        advise(console, "`paneward hosts add NAME` adds one.")
        return
    table(console, HEADS, (_row(host, now) for host in hosts))
    for host in hosts:
        if host.error is not None and host.state is HostState.NEEDS_LOGIN:
            advise(console, host.error.hint)


def _row(host: HostStanding, now: float) -> tuple[Any, ...]:
    sign, colour = SIGNS[host.state]
    state = StyledWords(f"{sign} {host.state}", colour)
    agents = short(", ".join(host.agents), 40) or "-"
    return (
        host.name,
        state,
        ago(now - host.since),
        host.destination,
        host.tmux or "-",
        agents,
        host.http,
        _about(host, now),
    )


def _about(host: HostStanding, now: float) -> str:
    if host.error is None:
        return ""
    again = "" if host.retry_at is None else f" · tried again in {ago(host.retry_at - now)}"
    return f"{short(host.error.message, 80)} ({host.error.code}){again}"


def _told(console: Output, host: HostStanding, done: str) -> None:
    say(console, (f"✓ {done}", "bold green"), (f"  {host.name}", "bold"), (f"  {_where(host)}", ""))
    if host.error is None:
        advise(console, f"`paneward adopt --host {host.name} PANE` takes an agent in.")
        return
    sign, colour = SIGNS[host.state]
    say(console, (f"{sign} {host.state}", colour), (f"  {host.error.message} ({host.error.code})", ""))
    advise(console, host.error.hint)


def _where(host: HostStanding) -> str:
    return f"{host.destination}, tmux {host.tmux}" if host.tmux else host.destination
