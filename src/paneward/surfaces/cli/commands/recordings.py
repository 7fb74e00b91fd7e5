"""The commands on recordings: `record`, `cast list`, `cast export`. Shape: functions, as in `panes`."""

from pathlib import Path
from typing import Annotated

from paneward.surfaces.cli.declarations import Argument, CliOption, Context, flag
from paneward.surfaces.cli.options import TARGET, Json, complete_agent, complete_pane, place_of


def record(
    ctx: Context,
    agent: Annotated[
        str,
        Argument(
            metavar="AGENT", autocompletion=complete_pane, help=f"Its name; with --out: {TARGET}", show_default=False
        ),
    ],
    stop: Annotated[bool, flag("--stop", help="Record it no longer.")] = False,
    list_them: Annotated[bool, flag("--list", help="Show what was recorded of it.")] = False,
    out: Annotated[
        Path | None,
        CliOption(metavar="FILE", help="Record any pane into a new file until Ctrl-C, without a server."),
    ] = None,
    json: Json = False,
) -> None:
    """Record the output of an agent, as asciicast: until --stop, its end, or a limit.

    The server writes it, and goes on with it after a restart. `paneward cast export` hands it out. What stands on the
    screen stands in the recording.
    """
    from paneward.surfaces.cli.commands.casts import asked, written_here
    from paneward.surfaces.cli.work import ask, located, tell, usage_unless

    usage_unless(stop + list_them + (out is not None) <= 1, "give at most one of --stop, --list and --out")
    if out is not None:
        place, pane = located(place_of(ctx), agent)
        tell(ctx, written_here(place, pane, agent, out))
    tell(ctx, ask(place_of(ctx), lambda remote: asked(remote, agent, stop, list_them), f"asking for {agent}"))


def list_casts(
    ctx: Context,
    agent: Annotated[
        str | None,
        Argument(
            metavar="[AGENT]", autocompletion=complete_agent, help="Only those of this agent.", show_default=False
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List the recordings there are, the oldest first. No server is needed."""
    from paneward.surfaces.cli.commands.casts import all_kept
    from paneward.surfaces.cli.work import tell

    tell(ctx, all_kept(agent))


def export_cast(
    ctx: Context,
    what: Annotated[
        str,
        Argument(
            metavar="AGENT|FILE",
            autocompletion=complete_agent,
            help="The agent whose newest recording it is, or any asciicast of version 2.",
            show_default=False,
        ),
    ],
    recording: Annotated[
        str | None, CliOption(metavar="NAME", help="Another recording than the newest, as `cast list` names it.")
    ] = None,
    idle_cap: Annotated[float | None, CliOption(min=0, metavar="SECONDS", help="No pause is longer than this.")] = None,
    out: Annotated[
        Path | None, CliOption(metavar="FILE|-", help="Where it goes; else to standard output.", show_default=False)
    ] = None,
    start: Annotated[
        float | None, CliOption("--from", min=0, metavar="SECONDS", help="Begin here, with the screen as it was.")
    ] = None,
    to: Annotated[float | None, CliOption("--to", min=0, metavar="SECONDS", help="End here.")] = None,
    json: Json = False,
) -> None:
    """Write a recording as one asciicast: its parts joined, its pauses capped, or a piece of it.

    Any player of asciicasts plays it. --from and --to count the seconds before pauses are capped. No server is needed.
    """
    from paneward.surfaces.cli.commands.casts import Cut, exported
    from paneward.surfaces.cli.work import tell, usage_unless

    into = None if out is None or str(out) == "-" else out
    usage_unless(into is not None or not place_of(ctx).json, "--json needs --out FILE: the recording itself is printed")
    usage_unless(start is None or to is None or start <= to, "--from is behind --to")
    answer = exported(place_of(ctx), what, recording, Cut(idle_cap, start, to), into)
    if answer is not None:
        tell(ctx, answer)
