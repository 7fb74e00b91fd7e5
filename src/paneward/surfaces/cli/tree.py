"""The tree of commands as typer sees it: it parses, helps, complains and completes. Commands are run by `main`.

Loaded only for that: most command lines are understood without it (`parsing`).
"""

import inspect
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Annotated, Any, get_args, get_origin

import typer

from paneward.surfaces.cli import COMMANDS
from paneward.surfaces.cli.commands import agents, hooks, hosts, panes, recordings, server, setup
from paneward.surfaces.cli.declarations import Argument, CliOption, Context, Parameter, UsageError
from paneward.surfaces.cli.options import root

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
    "devices": ("paneward devices", "paneward devices --sign-out 5f0c2b9a3d7e4410"),
    "token": ("paneward token --role auditor --agent nightly-report", 'paneward token --revoke "$TOKEN"'),
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
    group.command(name, help=_help(function), epilog=_epilog(path), rich_help_panel=panel, **more)(deferred(function))


def _help(function: Callable[..., None]) -> str:
    """A docstring with each paragraph on one line: the terminal breaks it where it must."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in (function.__doc__ or "").split("\n\n"))


def _group(path: str, **more: Any) -> typer.Typer:
    return typer.Typer(name=path, epilog=_epilog(path), rich_markup_mode="rich", **more)


# What typer raises for a wrong command line has no public name of its own.
Refused: type[Exception] = typer.BadParameter.__mro__[1]


def deferred(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command for typer: parsed, and handed back to be run."""

    def command(**given: Any) -> Callable[[], Any]:
        return partial(function, **given)

    return _declared(command, function)


def at_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """What typer calls while it parses."""

    def called(**given: Any) -> Any:
        return function(**given)

    return _declared(called, function)


def _declared(wrapper: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """With the parameters of `function`, in typer's own words."""
    signature = inspect.signature(function)
    parameters = [one.replace(annotation=_in_typer(one.annotation)) for one in signature.parameters.values()]
    wrapper.__name__, wrapper.__doc__ = function.__name__, function.__doc__
    wrapper.__annotations__ = {one.name: one.annotation for one in parameters}
    wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return wrapper


def _in_typer(hint: Any) -> Any:
    if hint is Context:
        return typer.Context
    if get_origin(hint) is not Annotated:
        return hint
    kind, declared = get_args(hint)
    return Annotated[kind, _parameter(declared)]


def _parameter(declared: Parameter) -> Any:
    told = {name: at_once(one) if callable(one) else one for name, one in declared.more.items()}
    kinds: dict[type[Parameter], Any] = {CliOption: typer.Option, Argument: typer.Argument}
    return kinds[type(declared)](*declared.names, **told)


def build() -> typer.Typer:
    app = typer.Typer(name="paneward", no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False)
    app.callback(help=_help(root))(at_once(root))
    panels = {panes: "Panes", server: "The server", agents: "Agents", hooks: "Agents"}
    homes = {home.__name__.rpartition(".")[2]: home for home in panels}
    for name, home in COMMANDS.items():
        _add(app, name, getattr(homes[home], name), panels[homes[home]])
    hook_group = _group("hooks", no_args_is_help=True, help="The hooks by which agents tell what they do.")
    _add(hook_group, "hooks install", hooks.install_hooks)
    _add(hook_group, "hooks remove", hooks.remove_hooks)
    _add(hook_group, "hooks status", hooks.show_hooks)
    app.add_typer(hook_group, rich_help_panel="Agents")
    _add(app, "record", recordings.record, "Agents")
    _add(app, "demo", setup.demo, "Around them")
    passed_on = {"ignore_unknown_options": True, "help_option_names": []}
    _add(app, "demo-agent", setup.demo_agent, "Around them", context_settings=passed_on)
    _add(app, "doctor", setup.doctor, "Around them")
    profiles = _group("profiles", invoke_without_command=True, callback=deferred(setup.profiles))
    _add(profiles, "profiles list", setup.list_profiles)
    _add(profiles, "profiles show", setup.show_profile)
    _add(profiles, "profiles check", setup.check_profile)
    cast = _group("cast", no_args_is_help=True, help="List recordings, or hand one out as asciicast.")
    _add(cast, "cast list", recordings.list_casts)
    _add(cast, "cast export", recordings.export_cast)
    app.add_typer(cast, rich_help_panel="Agents")
    config = _group("config", no_args_is_help=True, help="Show or check the configuration.")
    _add(config, "config show", setup.show_config)
    _add(config, "config check", setup.check_config)
    others = _group("hosts", invoke_without_command=True, callback=deferred(hosts.hosts))
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


def parsed(arguments: Sequence[str]) -> Callable[[], Any] | int:
    """What this line asks for, or the exit code where typer has answered it: by help, by completions."""
    _check_shell(arguments)
    try:
        found = _commands()(list(arguments), prog_name="paneward", standalone_mode=False)
    except Refused as refused:
        raise _usage(refused) from None
    return found if callable(found) else found if isinstance(found, int) else 0


def _check_shell(arguments: Sequence[str]) -> None:
    """typer writes the completions of the shell that runs it, whatever is named behind the option."""
    for option in ("--show-completion", "--install-completion"):
        if arguments and arguments[0] == option and len(arguments) > 1:
            raise UsageError(
                f"{option} takes no {arguments[1]!r}: it is for the shell that runs it",
                f"`bash -c 'paneward {option}'` is for bash; zsh and fish are known too.",
            )


def _usage(refused: Any) -> Exception:
    message = refused.format_message().strip().replace(": Value error, ", ": ")
    if type(refused).__name__ == "NoArgsIsHelpError":  # the help was printed instead of a message
        return UsageError("")
    path = refused.ctx.command_path if refused.ctx else "paneward"
    return UsageError(message, _moved(message) or f"`{path} --help` shows how it is used.")


def _moved(message: str) -> str:
    """The commonest slips: where tmux is stands before the command, and words that begin with a dash."""
    options = ("-L", "-S", "--host", "--transport", "--config")
    found = [option for option in options if message.startswith(f"No such option: {option}")]
    if found:
        return f"{found[0]} stands before the command: `paneward {found[0]} … COMMAND`."
    dashed = message.startswith("No such option: -")
    return (
        "Words that begin with a dash stand behind `--`: `paneward send PANE -- '- x'`."
        if dashed and _words(message)
        else ""
    )


def _words(message: str) -> bool:
    """What was taken for an option is none: it has a blank, or no letter behind its dashes."""
    named = message.removeprefix("No such option: ").partition(" Did you mean")[0]
    return " " in named or not named.strip("-")[:1].isalpha()
