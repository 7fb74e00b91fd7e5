"""The commands on agents: those that a server watches. Shape: functions, as in `panes`."""

from typing import Annotated

from paneward.surfaces.cli.declarations import Argument, CliOption, Context, done, flag
from paneward.surfaces.cli.options import (
    AgentName,
    Fingerprint,
    Json,
    MessageId,
    Multi,
    Other,
    Pane,
    Profile,
    Select,
    Startup,
    Timeout,
    place_of,
)


def ps(
    ctx: Context,
    watch: Annotated[bool, flag("--watch", help="Go on, and show each change; Ctrl-C ends it.")] = False,
    json: Json = False,
) -> None:
    """List the agents with what each of them does: who asks comes first.

    With --watch and --json: one document per line, at each change.
    """
    from paneward.client.agents import seats
    from paneward.surfaces.cli.work import ask, tell

    if watch:
        from paneward.surfaces.cli.commands.follow import watch_agents

        done(watch_agents(place_of(ctx)))
    tell(ctx, ask(place_of(ctx), seats, "asking the server"))


def adopt(
    ctx: Context,
    pane: Pane,
    name: Annotated[
        str | None, CliOption(metavar="NAME", help="What it is called; else its kind and a number: `claude-1`.")
    ] = None,
    role: Annotated[str, CliOption(metavar="ROLE", help="What it is there for; `--to ROLE` reaches it.")] = "",
    label: Annotated[
        list[str] | None, CliOption(metavar="LABEL", help="Any word that `--to` reaches it by; may be repeated.")
    ] = None,
    profile: Profile = None,
    host: Annotated[
        str | None, CliOption(metavar="HOST", help="On which host its pane is: one that `paneward hosts` lists.")
    ] = None,
    json: Json = False,
) -> None:
    """Take the program in a pane in as an agent: it gets a name, is watched, and is remembered."""
    from paneward.client.agents import adopted
    from paneward.surfaces.cli.work import ask, tell

    wanted = {"pane": pane, "name": name, "role": role, "labels": label or [], "profile": profile}
    place = place_of(ctx)
    place.host = host or place.host
    tell(ctx, ask(place, lambda remote: adopted(remote, place, wanted), f"adopting {pane}"))


def forget(
    ctx: Context,
    agent: AgentName,
    purge: Annotated[bool, flag("--purge", help="Delete its turns, deliveries and events too.")] = False,
    json: Json = False,
) -> None:
    """Watch an agent no longer. Its pane is left alone."""
    from paneward.client.agents import forgotten
    from paneward.surfaces.cli.work import ask, tell

    tell(ctx, ask(place_of(ctx), lambda remote: forgotten(remote, agent, purge), f"forgetting {agent}"))


def respond(
    ctx: Context,
    agent: AgentName,
    text: Annotated[
        str | None, Argument(metavar="[TEXT]", help="Words for a question that takes words.", show_default=False)
    ] = None,
    select: Select = None,
    other: Other = None,
    multi: Multi = None,
    fingerprint: Fingerprint = None,
    startup: Startup = False,
    message_id: MessageId = None,
    timeout: Timeout = 30.0,
    json: Json = False,
) -> None:
    """Answer an agent that asks: in words, by number, by label.

    Give exactly one of TEXT, --select, --other and --multi; --other may go with --select or --multi. The answer
    becomes a turn of the agent. An agent that does not ask is not answered: exit code 5.
    """
    from paneward.client.agents import responded
    from paneward.client.replies import CliReply
    from paneward.surfaces.cli.work import ask, option_named, options_named, tell, usage_unless

    several, one = options_named(multi), None if select is None else option_named(select)
    chosen = one is not None or several is not None
    usage_unless(
        sum(given is not None for given in (one, None if chosen else other, several, text)) == 1,
        "give exactly one of TEXT, --select, --other and --multi",
    )
    reply = CliReply(text, one, other, several, fingerprint, startup, message_id, timeout)
    tell(ctx, ask(place_of(ctx), lambda remote: responded(remote, agent, reply), f"answering {agent}"))


def events(
    ctx: Context,
    follow: Annotated[
        bool, flag("--follow", help="Go on, and print each event as it comes; Ctrl-C ends it. See also `-n 0`.")
    ] = False,
    types: Annotated[
        list[str] | None, CliOption("--types", metavar="KIND", help="Only events of this kind; may be repeated.")
    ] = None,
    agent: Annotated[str | None, CliOption(metavar="AGENT", help="Only those of this agent.")] = None,
    after: Annotated[
        int | None, CliOption(min=0, metavar="SEQ", help="Those behind this number; else the newest.")
    ] = None,
    limit: Annotated[int, CliOption("-n", "--limit", min=0, max=1000, metavar="N", help="How many.")] = 20,
    json: Json = False,
) -> None:
    """Print what happened: turns, changes of state, deliveries, agents that came and went.

    Each event has a number that only rises and leaves none out. With --follow nothing is missed, also while the
    server is started anew; with --json one document per line.
    """
    from paneward.client.agents import EventQuery, check_wanted, newest
    from paneward.surfaces.cli.work import ask, tell

    wanted = EventQuery(tuple(types or ()), agent, after, limit)
    ask(place_of(ctx), lambda remote: check_wanted(remote, wanted), "asking the server")
    if follow:
        from paneward.surfaces.cli.commands.follow import follow_events

        done(follow_events(place_of(ctx), wanted))
    tell(ctx, ask(place_of(ctx), lambda remote: newest(remote, wanted), "asking the server"))
