"""`paneward`: the verbs for people and scripts. From a command line to an exit code; here alone failures become words.

A command pays for its imports at every start. So a line that is plainly right is parsed by `parsing`, and typer is
loaded for all others (`tree`); what is heavy (asyncio, sqlalchemy, rich) is imported by the command that needs it.
"""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from paneward.core.errors import Code, PanewardError
from paneward.surfaces.cli.declarations import CommandEnded, Context, UsageError
from paneward.surfaces.cli.exits import OF_CODE, Exit

# The commands that are no groups, and the modules that declare them: in the order of the help.
COMMANDS = {
    **dict.fromkeys(
        ("send", "keys", "read", "wait", "menu", "answer", "explain", "panes", "deliveries", "report"), "panes"
    ),
    **dict.fromkeys(("up", "down", "status", "popup", "token", "devices", "export"), "server"),
    **dict.fromkeys(("ps", "adopt", "forget", "respond", "events"), "agents"),
    "signal": "hooks",
}
PROGRAM = "paneward"
COMPLETING = f"_{PROGRAM.upper()}_COMPLETE"  # set by the shell that asks for completions


def __getattr__(name: str) -> Any:
    """The tree of typer, for those that document it."""
    if name in ("app", "EXAMPLES"):
        from paneward.surfaces.cli import tree

        return getattr(tree, name)
    raise AttributeError(name)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")  # a screen may hold what a locale lacks
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read it has had enough
        _say_no_more()
        return Exit.FAILED
    except OSError as error:
        _say_no_more()
        return _cannot(error)
    return code


def _run(arguments: Sequence[str]) -> int:
    try:
        _check_characters(arguments)
        command = understood(arguments)
        if not isinstance(command, int):
            command()
        return command if isinstance(command, int) else Exit.DONE
    except CommandEnded as done:
        return done.code
    except UsageError as failure:
        return _usage(failure, arguments)
    except PanewardError as failure:
        return _refuse(failure, arguments)
    except KeyboardInterrupt:
        if wants_json(arguments):
            _refuse(PanewardError("interrupted", code=Code.INTERRUPTED), arguments)
        return Exit.INTERRUPTED


def _check_characters(arguments: Sequence[str]) -> None:
    """What is not UTF-8 cannot be typed, stored or sent: it is refused before anything is done."""
    for number, word in enumerate(arguments, 1):
        if any("\ud800" <= character <= "\udfff" for character in word):
            raise UsageError(f"argument {number} is not UTF-8", "`--file` and standard input are checked the same way.")


def _cannot(error: OSError) -> int:
    """The system refused something that no command expects: a full disk, a directory of somebody else."""
    from paneward.surfaces.cli.work import complain

    what = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
    with suppress(OSError):
        complain(f"{what}{error.strerror or error}", "`paneward doctor` looks at what it needs.")
    return Exit.FAILED


def _say_no_more() -> None:
    """Standard output cannot be written: Python would try once more at its end, and say so with a traceback."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def understood(arguments: Sequence[str]) -> Callable[[], Any] | int:
    """The command that a line asks for; an exit code where nothing is left to do."""
    command = None if COMPLETING in os.environ else plainly(arguments)
    if command is not None:
        return command
    from paneward.surfaces.cli.tree import parsed

    return parsed(arguments)


def plainly(arguments: Sequence[str]) -> Callable[[], Any] | None:
    """The command of a line that is plainly right; none where typer has to look at it."""
    from importlib import import_module

    from paneward.surfaces.cli import parsing
    from paneward.surfaces.cli.options import root

    ctx = Context()
    try:
        before, rest = parsing.leading(root, arguments)
        home = COMMANDS.get(rest[0]) if rest else None
        if home is None:
            return None
        root(**parsing.called_with(root, before, ctx))
        function = getattr(import_module(f"{__name__}.commands.{home}"), rest[0])
        given = parsing.parsed(function, rest[1:], ctx)
    except parsing.Unclear:
        return None
    return lambda: function(**given)


def wants_json(arguments: Sequence[str]) -> bool:
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in before


def _refuse(failure: PanewardError, arguments: Sequence[str]) -> int:
    from paneward.surfaces import wire
    from paneward.surfaces.cli.work import complain, print_json

    if wants_json(arguments):
        print_json(wire.error(failure))
    else:
        complain(f"{failure.message} ({failure.code})", failure.hint)
    return OF_CODE[failure.code]


def _usage(failure: UsageError, arguments: Sequence[str]) -> int:
    from paneward.surfaces import wire
    from paneward.surfaces.cli.work import complain, print_json

    verb = next((f" {word}" for word in arguments if word in COMMANDS), "")
    hint = failure.hint or f"`{PROGRAM}{verb} --help` shows how it is used."
    if failure.message and wants_json(arguments):
        print_json(wire.usage_error(failure.message, hint))
    elif failure.message:
        complain(failure.message, hint)
    return Exit.USAGE
