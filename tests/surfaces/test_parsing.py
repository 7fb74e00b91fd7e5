"""A plain command line is parsed without typer: whatever is understood so is understood by typer in the same way."""

import subprocess
import sys
from importlib import metadata
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paneward.core.version import VERSION
from paneward.surfaces.cli import COMMANDS, plainly
from paneward.surfaces.cli.declarations import Context, UsageError
from paneward.surfaces.cli.options import RootOptions
from paneward.surfaces.cli.tree import parsed

VALUES = """
%3 | work:1.0 | - | -- || 12 | 0 | -1 | 2.5 | nan | exec | wait | hold | all | completed | ü x | -x
"""
OPTIONS = """
--timeout --timeout=3 --timeout=x --file --exact --profile --profile=shell --when-busy --draft --to --json --secret -n
-n5 --lines --lines=7 --ansi --any --all --tmux --sign-in --watch --follow --types --select --multi --multi=2 --text
--help --nonsense --message-id --verify --after --limit=0 --agent --port --port=70000 --detach --tim
"""
LEADING = "-L -Lwork --socket-name=x -S --host --transport --transport=exec --config --json x"
WORDS = [*(word.strip() for word in VALUES.split("|")), *OPTIONS.split()]


def _called(command: Any) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Which function would be called, with what, and where tmux is."""
    function, arguments = (
        (command.func, command.keywords) if hasattr(command, "func") else command.__closure__ and _cells(command)
    )
    place = next((one.find_root().obj for one in arguments.values() if hasattr(one, "find_root")), None)
    plain = {name: value for name, value in arguments.items() if not hasattr(value, "find_root") and name != "json"}
    return function.__name__, plain, vars(place) if isinstance(place, RootOptions) else {}


def _cells(command: Any) -> tuple[Any, dict[str, Any]]:
    held = dict(zip(command.__code__.co_freevars, (cell.cell_contents for cell in command.__closure__), strict=True))
    return held["function"], held["given"]


@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(LEADING.split()), max_size=3),
    st.sampled_from(list(COMMANDS)),
    st.lists(st.sampled_from(WORDS), max_size=6),
)
def test_what_is_parsed_plainly_typer_parses_alike(before: list[str], verb: str, after: list[str]) -> None:
    line = [*before, verb, *after]
    plain = _outcome(plainly, line)
    if plain is not None:
        assert repr(plain) == repr(_outcome(parsed, line))


def _outcome(parse: Any, line: list[str]) -> Any:
    try:
        command = parse(line)
    except UsageError as refused:
        return refused.message
    return None if command is None else _called(command)


@pytest.mark.parametrize(
    "line",
    [
        "send %3 hello",
        "-L work send %3 - --timeout 5 --secret",
        "keys %3 C-u Enter --verify",
        "read %3 -n 5 --ansi",
        "read --lines=200 %3",
        "wait %1 %2 --any --timeout 3",
        "--json status --tmux",
        "ps",
        "signal completed done",
        "answer %3 --multi 1 --multi Types",
    ],
)
def test_the_usual_lines_need_no_typer(line: str) -> None:
    assert plainly(line.split()) is not None


@pytest.mark.parametrize(
    "line", ["", "--help", "send --help", "--version", "hosts add x", "send %3 x --timeout -1", "red %3"]
)
def test_what_is_not_plain_is_left_to_typer(line: str) -> None:
    assert plainly(line.split()) is None


def test_a_command_that_is_plain_loads_neither_typer_nor_rich_nor_asyncio() -> None:
    program = (
        "import sys; from paneward.surfaces.cli import main; main(['status', '--tmux']); main(['ps']);"
        "print([name for name in ('typer', 'rich', 'asyncio', 'httpx', 'sqlalchemy', 'yaml') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_context_of_a_plain_line_is_its_own_root() -> None:
    context = Context()
    assert context.find_root() is context


def test_the_version_is_that_of_the_package() -> None:
    assert metadata.version("paneward") == VERSION
