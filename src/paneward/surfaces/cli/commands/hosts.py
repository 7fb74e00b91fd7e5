"""The commands on hosts: other machines that agents live on. Shape: functions, as in `panes`."""

from pathlib import Path
from typing import Annotated

from paneward.surfaces.cli.declarations import Argument, CliOption, Context
from paneward.surfaces.cli.options import HostName, Json, place_of


def hosts(ctx: Context, json: Json = False) -> None:
    """Add, list and remove the machines that are reached by ssh."""
    if ctx.invoked_subcommand is None:
        list_hosts(ctx)


def list_hosts(ctx: Context, json: Json = False) -> None:
    """List the hosts: whether each answers, since when, what went wrong last, and who lives there.

    `http` says whether programs there can reach this server; for now they cannot.
    """
    from paneward.client.agents import all_hosts
    from paneward.surfaces.cli.work import ask, tell

    tell(ctx, ask(place_of(ctx), all_hosts, "asking the server"))


def add_host(
    ctx: Context,
    name: Annotated[str, Argument(metavar="NAME", help="What it is called here.", show_default=False)],
    ssh: Annotated[
        str | None,
        CliOption(metavar="DESTINATION", help="What ssh is told: an alias, or user@address; else NAME."),
    ] = None,
    option: Annotated[
        list[str] | None,
        CliOption("-o", "--option", metavar="KEY=VALUE", help="An option of ssh, as its own -o; may be repeated."),
    ] = None,
    ssh_config: Annotated[Path | None, CliOption(metavar="FILE", help="Another configuration file of ssh.")] = None,
    socket: Annotated[
        str | None, CliOption(metavar="NAME|PATH", help="The tmux socket there; else tmux's default one.")
    ] = None,
    tmux: Annotated[str | None, CliOption(metavar="PROGRAM", help="The tmux there; else `tmux.binary`.")] = None,
    json: Json = False,
) -> None:
    """Add a host, and connect to it. Nothing of Paneward has to be installed there, only tmux and sshd.

    ssh is never let to ask something: a host that wants a password waits until you have signed in by hand. One that
    cannot be reached now is added too, and tried again.
    """
    from paneward.client.agents import host_added
    from paneward.surfaces.cli.work import ask, tell

    wanted = {
        "name": name,
        "ssh": ssh,
        "options": option,
        "config": None if ssh_config is None else str(ssh_config.absolute()),
        "socket": socket,
        "binary": tmux,
    }
    tell(ctx, ask(place_of(ctx), lambda remote: host_added(remote, wanted), f"connecting to {name}"))


def connect_host(ctx: Context, name: HostName, json: Json = False) -> None:
    """Try a host now, also one that waited for you to sign in by hand. Exit code 1: it cannot be reached."""
    from paneward.client.agents import host_connected
    from paneward.surfaces.cli.work import ask, tell

    tell(ctx, ask(place_of(ctx), lambda remote: host_connected(remote, name), f"connecting to {name}"))


def remove_host(ctx: Context, name: HostName, json: Json = False) -> None:
    """Know a host no longer. Agents there have to be forgotten first; they run on."""
    from paneward.client.agents import host_removed
    from paneward.surfaces.cli.work import ask, tell

    tell(ctx, ask(place_of(ctx), lambda remote: host_removed(remote, name), f"removing {name}"))
