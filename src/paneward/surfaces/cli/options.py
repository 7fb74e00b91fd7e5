"""What the commands share: where tmux is, the options that several of them take, and what the shell completes.

Shape: data. Everything here is loaded at each start, so it imports nothing heavy.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

TARGET = "`%3`, `session:window.pane`, the exact name of a window, or an agent's name."
Transport = Literal["control", "exec"]
# What typer raises for a wrong command line has no public name of its own.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def flag(name: str, help: str, **more: Any) -> Any:
    """An option without a value; typer would print a type behind it."""
    return typer.Option(name, metavar="", help=help, show_default=False, **more)


class Place:
    """Where the panes are, and how to answer: the options before the command."""

    def __init__(
        self,
        socket_name: str | None = None,
        socket_path: str | None = None,
        host: str | None = None,
        transport: Transport | None = None,
        config: Path | None = None,
        json: bool = False,
    ) -> None:
        self.socket_name = socket_name
        self.socket_path = socket_path
        self.host = host
        self.transport = transport
        self.config = config
        self.json = json
        self.said: set[str] = set()  # notices that were printed: once is enough

    def moved_to(self, socket_path: str | None, host: str | None) -> "Place":
        """The same command, on another tmux server."""
        moved = Place(None, socket_path, host, self.transport, self.config, self.json)
        moved.said = self.said
        return moved


def place_of(ctx: typer.Context) -> Place:
    place = ctx.find_root().obj
    return place if isinstance(place, Place) else _parsed_so_far(ctx)


def _parsed_so_far(ctx: typer.Context) -> Place:
    """While the shell completes, options are parsed but nothing ran yet."""
    given = ctx.find_root().params
    return Place(given.get("socket_name"), given.get("socket_path"), given.get("host"), "exec", given.get("config"))


def _want_json(ctx: typer.Context, value: bool) -> bool:
    if value:
        place_of(ctx).json = True
    return value


def complete_pane(ctx: typer.Context, incomplete: str) -> Iterable[tuple[str, str]]:
    from paneward.surfaces.cli.completion import panes

    return panes(place_of(ctx), incomplete)


def _complete_profile(ctx: typer.Context, incomplete: str) -> Iterable[tuple[str, str]]:
    from paneward.surfaces.cli.completion import profiles

    return profiles(place_of(ctx), incomplete)


def _complete_key(incomplete: str) -> Iterable[str]:
    from paneward.core.keys import NAMES

    return (name for name in NAMES if name.lower().startswith(incomplete.lower()))


def complete_agent(ctx: typer.Context, incomplete: str) -> Iterable[tuple[str, str]]:
    from paneward.surfaces.cli.completion import agents

    return agents(incomplete)


def _complete_host(ctx: typer.Context, incomplete: str) -> Iterable[tuple[str, str]]:
    from paneward.surfaces.cli.completion import hosts

    return hosts(incomplete)


Complete = Callable[..., Iterable[str] | Iterable[tuple[str, str]]]

Json = Annotated[
    bool,
    flag("--json", help="Answer with one JSON document.", callback=_want_json, expose_value=False),
]
Pane = Annotated[
    str,
    typer.Argument(
        metavar="PANE",
        autocompletion=complete_pane,
        help=TARGET,
        show_default=False,
    ),
]
AgentName = Annotated[
    str, typer.Argument(metavar="AGENT", autocompletion=complete_agent, help="Its name.", show_default=False)
]
HostName = Annotated[
    str, typer.Argument(metavar="HOST", autocompletion=_complete_host, help="Its name.", show_default=False)
]
To = Annotated[
    list[str] | None,
    typer.Option(
        metavar="all|ROLE|LABEL",
        help="All agents, or those of a role or a label (also `role:NAME`, `label:NAME`); may be repeated.",
        show_default=False,
    ),
]
Keys = Annotated[
    list[str],
    typer.Argument(
        metavar="KEY...", autocompletion=_complete_key, help="Names as tmux knows them, or single characters."
    ),
]
Profile = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", autocompletion=_complete_profile, help="What is known of the program; else it is recognised."
    ),
]
ProfileName = Annotated[
    str, typer.Argument(metavar="NAME", autocompletion=_complete_profile, help="Its name.", show_default=False)
]
Pattern = Annotated[
    str | None,
    typer.Option(metavar="REGEX", help="What the prompt looks like at the cursor; else the profile's own pattern."),
]
Timeout = Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long to wait at most.")]
Select = Annotated[str | None, typer.Option(metavar="N|LABEL", help="Choose the option of this number or label.")]
Other = Annotated[str | None, typer.Option(metavar="TEXT", help="Choose the option for free text, and write this.")]
Multi = Annotated[
    list[str] | None, typer.Option(metavar="N|LABEL", help="Tick these options and no others; may be repeated.")
]
Fingerprint = Annotated[
    str | None, typer.Option(metavar="HEX", help="Refuse unless this very dialog, as `menu` showed it, is open.")
]
Startup = Annotated[
    bool, flag("--startup", help="Answer also what an agent asks before it starts: trust, a key, a sign-in.")
]
MessageId = Annotated[
    str | None,
    typer.Option(
        metavar="ID",
        help="Send at most once under this id: a repeated call returns the first receipt, also after a crash.",
    ),
]
