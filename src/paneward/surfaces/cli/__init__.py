"""`paneward`: the verbs for people and scripts. The command tree, and the one place where failures become words.

What is heavy (pydantic, sqlalchemy, asyncio, the library itself) is imported inside the command that needs it: a
command line pays for its imports at every start.
"""

import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from paneward.core.errors import PanewardError
from paneward.surfaces.cli import agents, hooking, hosts, house, panes, recording, serve
from paneward.surfaces.cli.options import Place, Transport, UsageError, flag

EXAMPLES: dict[str, tuple[str, ...]] = {
    "send": (
        "paneward send %3 'fix the failing test'",
        "git diff | paneward send work:1.0 - --timeout 120",
        "paneward --json send %3 'make test' --message-id nightly-7",
        "paneward send --to reviewer 'have a look at the last commit'",
    ),
    "keys": ("paneward keys %3 Escape C-u", "paneward keys %3 Down Down Enter"),
    "read": ("paneward read %3 --lines 200",),
    "wait": (
        "paneward wait %3 --timeout 120 && paneward send %3 'go on'",
        "paneward wait %3 --pattern 'mysql> $'",
        "paneward wait claude-1 codex-1 --any",
    ),
    "menu": ("paneward menu %3", "paneward --json menu %3"),
    "answer": (
        "paneward answer %3 --select 2",
        "paneward answer %3 --select Yes --fingerprint 3fb1c0ffee3fb1c0",
        "paneward answer %3 --other 'use tabs'",
        "paneward answer %3 --multi 1 --multi Types",
    ),
    "explain": ("paneward explain %3",),
    "panes": ("paneward panes", "paneward -L work panes"),
    "up": ("paneward up --demo", "paneward up --detach", "paneward --config team.yaml up --port 9000 --log json"),
    "down": ("paneward down",),
    "status": ("paneward status --sign-in", "paneward status --tmux"),
    "ps": ("paneward ps", "paneward ps --watch", "paneward --json ps"),
    "adopt": (
        "paneward adopt %3",
        "paneward adopt work:1.0 --name reviewer-1 --role reviewer --label backend",
        "paneward adopt --host build %3",
    ),
    "forget": ("paneward forget reviewer-1", "paneward forget reviewer-1 --purge"),
    "respond": (
        "paneward respond claude-1 --select 2",
        "paneward respond claude-1 'use the other branch'",
        "paneward respond claude-1 --multi 1 --multi Types",
    ),
    "events": (
        "paneward events --follow",
        "paneward --json events --types state_changed --agent claude-1 --after 120",
    ),
    "hooks": ("paneward hooks install claude", "paneward hooks status"),
    "hooks install": ("paneward hooks install claude --dry-run", "paneward hooks install all"),
    "hooks remove": ("paneward hooks remove claude",),
    "hooks status": ("paneward hooks status", "paneward --json hooks status"),
    "signal": ("paneward signal completed 'the tests are green'", "paneward signal needs_input 'which branch?'"),
    "record": (
        "paneward record claude-1",
        "paneward record claude-1 --stop",
        "paneward record work:1.0 --out work.cast",
    ),
    "cast": ("paneward cast list", "paneward cast export claude-1 --idle-cap 2 --out claude-1.cast"),
    "cast list": ("paneward cast list", "paneward --json cast list claude-1"),
    "cast export": (
        "paneward cast export claude-1 --idle-cap 2 --out claude-1.cast",
        "paneward cast export claude-1 --recording 20261116T084111Z --from 60 --to 120 > minute.cast",
        "paneward cast export work.cast --idle-cap 1 | asciinema play -",
    ),
    "export": ("paneward export > paneward.jsonl",),
    "token": ("paneward token --role auditor --agent nightly-report",),
    "popup": ("paneward popup >> ~/.tmux.conf", "paneward popup --answer"),
    "report": (
        "paneward report %3",
        "paneward report %3 --out claude-asks.json",
        "paneward report --corpus claude-asks.json tests/corpus --case permission",
    ),
    "deliveries": ("paneward deliveries --limit 5", "paneward --json deliveries %3"),
    "doctor": ("paneward doctor", "paneward --host build.example doctor"),
    "demo": ("paneward demo", "paneward demo --keep"),
    "demo-agent": ("tmux new-window paneward demo-agent --busy 3",),
    "hosts": ("paneward hosts", "paneward hosts add build"),
    "hosts list": ("paneward hosts list", "paneward --json hosts list"),
    "hosts add": ("paneward hosts add build", "paneward hosts add lab --ssh me@lab.example -o Port=2222"),
    "hosts connect": ("paneward hosts connect build",),
    "hosts remove": ("paneward hosts remove build",),
    "profiles": ("paneward profiles", "paneward profiles show shell"),
    "profiles list": ("paneward profiles list",),
    "profiles show": ("paneward profiles show generic",),
    "profiles check": ("paneward profiles check %3", "paneward profiles check %3 --profile claude --json"),
    "config": ("paneward config show", "paneward --config team.yaml config check"),
    "config show": ("paneward config show",),
    "config check": ("paneward --config team.yaml config check",),
}


def _epilog(name: str) -> str:
    lines = (line.replace("[", r"\[") for line in EXAMPLES[name])
    return "\n\n".join(["[bold]For example[/bold]", *(f"  [green]{line}[/green]" for line in lines)])


def _add(group: typer.Typer, path: str, function: Callable[..., None], panel: str | None = None, **more: Any) -> None:
    name = path.rpartition(" ")[2]
    group.command(name, help=_help(function), epilog=_epilog(path), rich_help_panel=panel, **more)(function)


def _help(function: Callable[..., None]) -> str:
    """A docstring with each paragraph on one line: the terminal breaks it where it must."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in (function.__doc__ or "").split("\n\n"))


def _group(path: str, **more: Any) -> typer.Typer:
    return typer.Typer(name=path, epilog=_epilog(path), rich_markup_mode="rich", **more)


def _version(wanted: bool) -> None:
    if wanted:
        from paneward import __version__

        print(f"paneward {__version__}")
        raise typer.Exit


def root(
    ctx: typer.Context,
    socket_name: Annotated[
        str | None, typer.Option("-L", "--socket-name", metavar="NAME", help="The tmux socket of this name.")
    ] = None,
    socket_path: Annotated[
        str | None, typer.Option("-S", "--socket-path", metavar="PATH", help="The tmux socket at this path.")
    ] = None,
    host: Annotated[str | None, typer.Option(metavar="HOST", help="The tmux of another machine, over ssh.")] = None,
    transport: Annotated[
        Transport | None,
        typer.Option(metavar="control|exec", help="By a control client (the default), or by a process per command."),
    ] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="The configuration file to use.")] = None,
    json: Annotated[bool, flag("--json", help="Answer with one JSON document.")] = False,
    version: Annotated[bool, flag("--version", is_eager=True, callback=_version, help="Print the version.")] = False,
) -> None:
    """Types into the programs in tmux panes, proves that it went in, and knows when they are ready.

    Without -L and -S the tmux server of $TMUX is used, else the default one.
    """
    if socket_name is not None and socket_path is not None:
        raise UsageError("give -L or -S, not both", ctx)
    ctx.obj = Place(socket_name, socket_path, host, transport, config, json)


def build() -> typer.Typer:
    app = typer.Typer(name="paneward", no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False)
    app.callback(help=_help(root))(root)
    for name in ("send", "keys", "read", "wait", "menu", "answer", "explain", "panes", "deliveries", "report"):
        _add(app, name, getattr(panes, name), "Panes")
    for name in ("up", "down", "status", "popup", "token", "export"):
        _add(app, name, getattr(serve, name), "The server")
    for name in ("ps", "adopt", "forget", "respond", "events"):
        _add(app, name, getattr(agents, name), "Agents")
    _add(app, "signal", hooking.signal, "Agents")
    hooks = _group("hooks", no_args_is_help=True, help="The hooks by which agents tell what they do.")
    _add(hooks, "hooks install", hooking.install_hooks)
    _add(hooks, "hooks remove", hooking.remove_hooks)
    _add(hooks, "hooks status", hooking.show_hooks)
    app.add_typer(hooks, rich_help_panel="Agents")
    _add(app, "record", recording.record, "Agents")
    _add(app, "demo", house.demo, "Around them")
    passed_on = {"ignore_unknown_options": True, "help_option_names": []}
    _add(app, "demo-agent", house.demo_agent, "Around them", context_settings=passed_on)
    _add(app, "doctor", house.doctor, "Around them")
    profiles = _group("profiles", invoke_without_command=True, callback=house.profiles)
    _add(profiles, "profiles list", house.list_profiles)
    _add(profiles, "profiles show", house.show_profile)
    _add(profiles, "profiles check", house.check_profile)
    cast = _group("cast", no_args_is_help=True, help="List recordings, or hand one out as asciicast.")
    _add(cast, "cast list", recording.list_casts)
    _add(cast, "cast export", recording.export_cast)
    app.add_typer(cast, rich_help_panel="Agents")
    config = _group("config", no_args_is_help=True, help="Show or check the configuration.")
    _add(config, "config show", house.show_config)
    _add(config, "config check", house.check_config)
    others = _group("hosts", invoke_without_command=True, callback=hosts.hosts)
    _add(others, "hosts list", hosts.list_hosts)
    _add(others, "hosts add", hosts.add_host)
    _add(others, "hosts connect", hosts.connect_host)
    _add(others, "hosts remove", hosts.remove_host)
    app.add_typer(others, rich_help_panel="The server")
    app.add_typer(profiles, rich_help_panel="Around them")
    app.add_typer(config, rich_help_panel="Around them")
    return app


app = build()


@cache
def _commands() -> Callable[..., Any]:
    """The tree as it is run: to build it takes longer than most commands do."""
    return typer.main.get_command(app)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")  # a screen may hold what a locale lacks
    try:
        code = _commands()(arguments, prog_name="paneward", standalone_mode=False)
    except UsageError as failure:
        return _usage(failure, arguments)
    except PanewardError as failure:
        return _refuse(failure, arguments)
    return code if isinstance(code, int) else 0


def wants_json(arguments: Sequence[str]) -> bool:
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in before


def _refuse(failure: PanewardError, arguments: Sequence[str]) -> int:
    from paneward.surfaces import wire
    from paneward.surfaces.cli.exits import OF_CODE
    from paneward.surfaces.cli.work import complain, print_json

    if wants_json(arguments):
        print_json(wire.error(failure))
    else:
        complain(f"{failure.message} ({failure.code})", failure.hint)
    return OF_CODE[failure.code]


def _usage(failure: Any, arguments: Sequence[str]) -> int:
    from paneward.surfaces import wire
    from paneward.surfaces.cli.exits import Exit
    from paneward.surfaces.cli.work import complain, print_json

    message = failure.format_message().strip()
    if type(failure).__name__ == "NoArgsIsHelpError":  # the help was printed instead of a message
        return Exit.USAGE
    path = failure.ctx.command_path if failure.ctx else "paneward"
    hint = _moved(message) or f"`{path} --help` shows how it is used."
    if wants_json(arguments):
        print_json(wire.usage_error(message, hint))
    else:
        complain(message, hint)
    return Exit.USAGE


def _moved(message: str) -> str:
    """The commonest slip: where tmux is stands before the command."""
    options = ("-L", "-S", "--host", "--transport", "--config")
    found = [option for option in options if message.startswith(f"No such option: {option}")]
    return f"{found[0]} stands before the command: `paneward {found[0]} … COMMAND`." if found else ""
