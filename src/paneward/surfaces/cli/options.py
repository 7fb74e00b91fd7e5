"""What the commands share: where tmux is, the options that several of them take, and what the shell completes.

Shape: data. Everything here is loaded at each start, so it imports nothing heavy: typer reads it later, if at all.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Literal

from paneward.surfaces.cli.declarations import Argument, CliOption, Context, UsageError, done, flag

TARGET = "`%3`, `session:window.pane`, the exact name of a window, or an agent's name."
Transport = Literal["control", "exec"]


class RootOptions:
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

    def moved_to(self, socket_path: str | None, host: str | None) -> "RootOptions":
        """The same command, on another tmux server."""
        moved = RootOptions(None, socket_path, host, self.transport, self.config, self.json)
        moved.said = self.said
        return moved


def _version(ctx: Context, wanted: bool) -> bool:
    if wanted:
        from paneward import __version__
        from paneward.surfaces.cli.output import print_words

        print_words(f"paneward {__version__}")
        done(0)
    return wanted


def root(
    ctx: Context,
    socket_name: Annotated[
        str | None, CliOption("-L", "--socket-name", metavar="NAME", help="The tmux socket of this name.")
    ] = None,
    socket_path: Annotated[
        str | None, CliOption("-S", "--socket-path", metavar="PATH", help="The tmux socket at this path.")
    ] = None,
    host: Annotated[str | None, CliOption(metavar="HOST", help="The tmux of another machine, over ssh.")] = None,
    transport: Annotated[
        Transport | None,
        CliOption(metavar="control|exec", help="By a control client (the default), or by a process per command."),
    ] = None,
    config: Annotated[Path | None, CliOption(metavar="FILE", help="The configuration file to use.")] = None,
    json: Annotated[bool, flag("--json", help="Answer with one JSON document.")] = False,
    version: Annotated[bool, flag("--version", is_eager=True, callback=_version, help="Print the version.")] = False,
) -> None:
    """Types into the programs in tmux panes, proves that it went in, and knows when they are ready.

    Without -L and -S the tmux server of $TMUX is used, else the default one.
    """
    if socket_name is not None and socket_path is not None:
        raise UsageError("give -L or -S, not both")
    ctx.obj = RootOptions(socket_name, socket_path, host, transport, config, json)


def place_of(ctx: Context) -> RootOptions:
    place = ctx.find_root().obj
    return place if isinstance(place, RootOptions) else _parsed_so_far(ctx)


def _parsed_so_far(ctx: Context) -> RootOptions:
    """While the shell completes, options are parsed but nothing ran yet."""
    given = ctx.find_root().params
    return RootOptions(
        given.get("socket_name"), given.get("socket_path"), given.get("host"), "exec", given.get("config")
    )


def _want_json(ctx: Context, value: bool) -> bool:
    if value:
        place_of(ctx).json = True
    return value


def complete_pane(ctx: Context, incomplete: str) -> Iterable[tuple[str, str]]:
    from paneward.surfaces.cli.completion import panes

    return panes(place_of(ctx), incomplete)


def _complete_profile(ctx: Context, incomplete: str) -> Iterable[tuple[str, str]]:
    from paneward.surfaces.cli.completion import profiles

    return profiles(place_of(ctx), incomplete)


def _complete_key(incomplete: str) -> Iterable[str]:
    from paneward.core.terminal.keys import NAMES

    return (name for name in NAMES if name.lower().startswith(incomplete.lower()))


def complete_agent(ctx: Context, incomplete: str) -> Iterable[tuple[str, str]]:
    from paneward.surfaces.cli.completion import agents

    return agents(incomplete)


def _complete_host(ctx: Context, incomplete: str) -> Iterable[tuple[str, str]]:
    from paneward.surfaces.cli.completion import hosts

    return hosts(incomplete)


Complete = Callable[..., Iterable[str] | Iterable[tuple[str, str]]]

Json = Annotated[
    bool,
    flag("--json", help="Answer with one JSON document.", callback=_want_json, expose_value=False),
]
Pane = Annotated[
    str,
    Argument(
        metavar="PANE",
        autocompletion=complete_pane,
        help=TARGET,
        show_default=False,
    ),
]
AgentName = Annotated[
    str, Argument(metavar="AGENT", autocompletion=complete_agent, help="Its name.", show_default=False)
]
HostName = Annotated[str, Argument(metavar="HOST", autocompletion=_complete_host, help="Its name.", show_default=False)]
To = Annotated[
    list[str] | None,
    CliOption(
        metavar="all|ROLE|LABEL",
        help="All agents, or those of a role or a label (also `role:NAME`, `label:NAME`); may be repeated.",
        show_default=False,
    ),
]
Keys = Annotated[
    list[str],
    Argument(metavar="KEY...", autocompletion=_complete_key, help="Names as tmux knows them, or single characters."),
]
Profile = Annotated[
    str | None,
    CliOption(
        metavar="NAME", autocompletion=_complete_profile, help="What is known of the program; else it is recognised."
    ),
]
ProfileName = Annotated[
    str, Argument(metavar="NAME", autocompletion=_complete_profile, help="Its name.", show_default=False)
]
Pattern = Annotated[
    str | None,
    CliOption(metavar="REGEX", help="What the prompt looks like at the cursor; else the profile's own pattern."),
]
Expect = Annotated[
    str | None,
    CliOption(metavar="PROGRAM", help="Refuse unless this program, by its name, is in the foreground."),
]
Timeout = Annotated[float, CliOption(min=0, metavar="SECONDS", help="How long to wait at most.")]
Select = Annotated[str | None, CliOption(metavar="N|LABEL", help="Choose the option of this number or label.")]
Other = Annotated[str | None, CliOption(metavar="TEXT", help="Choose the option for free text, and write this.")]
Multi = Annotated[
    list[str] | None, CliOption(metavar="N|LABEL", help="Tick these options and no others; may be repeated.")
]
Fingerprint = Annotated[
    str | None, CliOption(metavar="HEX", help="Refuse unless this very dialog, as `menu` showed it, is open.")
]
Startup = Annotated[
    bool, flag("--startup", help="Answer also what an agent asks before it starts: trust, a key, a sign-in.")
]
MessageId = Annotated[
    str | None,
    CliOption(
        metavar="ID",
        help="Send at most once under this id: a repeated call returns the first receipt, also after a crash.",
    ),
]
