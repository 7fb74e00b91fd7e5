"""Options and arguments as data, in the annotations of the commands; and how a command ends. Shape: data.

Two parsers read them: `parsing`, which understands a right command line and loads nothing, and typer (`tree`), which
is loaded for help, for groups of commands, and to say what is wrong. So there is one definition of each option.
"""

from typing import Any, NoReturn


class Parameter:
    """What typer is told of an option or an argument."""

    def __init__(self, *names: str, **more: Any) -> None:
        self.names = names
        self.more = more


class CliOption(Parameter):
    """By its names; without any, by that of the parameter."""


class Argument(Parameter):
    """By its place."""


def flag(name: str, help: str, **more: Any) -> Any:
    """An option without a value; typer would print a type behind it."""
    return CliOption(name, metavar="", help=help, show_default=False, **more)


class Context:
    """What a command knows of the line that it was given by; typer's own context has the same two names."""

    def __init__(self) -> None:
        self.obj: Any = None
        self.params: dict[str, Any] = {}
        self.invoked_subcommand: str | None = None

    def find_root(self) -> "Context":
        return self


class CommandEnded(Exception):
    """The command has ended, with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class UsageError(Exception):
    """The command line cannot be used as it is."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def done(code: int) -> NoReturn:
    raise CommandEnded(code)
