"""What a command does once its line is understood: connect, wait with a sign of life, tell, exit. Shape: functions."""

import asyncio
import contextlib
import json
import logging
import os
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import typer
from rich.console import Console
from rich.markup import escape

from paneward.app import Connection, connect
from paneward.config import SECTIONS, Settings, load, profiles_of
from paneward.core.profiles import Profile
from paneward.core.result import Readiness, SendResult
from paneward.surfaces.cli.answers import Answer, Config, Value, document, exit_code
from paneward.surfaces.cli.options import Place, UsageError, place_of
from paneward.surfaces.cli.show import show

PATIENCE = 1.0  # seconds before a person wants to see that something is going on
WIDE = 10_000  # columns where no terminal says how many there are: nothing is broken or cut
T = TypeVar("T")


def answer_with(
    ctx: typer.Context, verb: Callable[[Connection], Awaitable[SendResult | Readiness]], doing: str
) -> NoReturn:
    tell(ctx, run(place_of(ctx), verb, doing))


def run(place: Place, verb: Callable[[Connection], Awaitable[T]], doing: str) -> T:
    """Run one verb on the panes of `place`."""
    log_to_stderr(os.environ.get("PANEWARD_LOG", "critical"))
    return asyncio.run(_run(place, verb, doing))


async def _run(place: Place, verb: Callable[[Connection], Awaitable[T]], doing: str) -> T:
    async with connection(place) as tmux:
        task = asyncio.ensure_future(verb(tmux))
        with contextlib.ExitStack() as sign:
            try:
                await asyncio.wait({task}, timeout=PATIENCE)
                if not task.done() and not place.json and sys.stderr.isatty():
                    sign.enter_context(Console(stderr=True).status(f"{escape(doing)} … (Ctrl-C gives up)"))
                return await task
            finally:
                task.cancel()


@asynccontextmanager
async def connection(place: Place) -> AsyncIterator[Connection]:
    settings = settings_of(place)
    transport = place.transport or settings.tmux.transport
    async with connect(place.socket_name, place.socket_path, place.host, transport, settings=settings) as tmux:
        yield tmux


def settings_of(place: Place) -> Settings:
    return load(place.config)


def known_profiles(place: Place) -> Mapping[str, Profile]:
    return profiles_of(settings_of(place))


def effective_config(place: Place) -> Config:
    settings = settings_of(place)
    names = [(section, item.name) for section, kind in SECTIONS.items() for item in fields(kind)]
    values = [
        Value(f"{section}.{key}", getattr(getattr(settings, section), key), settings.origins[f"{section}.{key}"])
        for section, key in names
    ]
    return Config(tuple(values), tuple(profiles_of(settings)))


def log_to_stderr(level: str) -> None:
    """Standard output belongs to the answer; what is worth knowing of a failure stands in the receipt."""
    chosen = logging.getLevelNamesMapping().get(level.upper(), logging.WARNING)
    logging.basicConfig(stream=sys.stderr, level=chosen, format="%(levelname)s %(name)s %(message)s")


# --- what was given


def given_text(text: str | None, file: Path | None, exact: bool) -> str:
    """The text of an argument as it is; of a file or standard input without the newline that ends its last line."""
    usage_unless((text is None) != (file is None), "give the text as an argument, `-` for standard input, or --file")
    if file is None and text != "-":
        return text or ""
    try:
        written = (file.read_bytes() if file else sys.stdin.buffer.read()).decode()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{file or 'standard input'} is not UTF-8: byte {error.start}") from None
    return written if exact else re.sub(r"\r?\n\Z", "", written)


def option_named(name: str) -> int | str:
    """An option of a menu by its number or its label."""
    return int(name) if name.isascii() and name.isdecimal() else name


def options_named(names: Sequence[str] | None) -> list[int | str] | None:
    return [option_named(name) for name in names] if names else None


def usage_unless(fine: bool, message: str) -> None:
    if not fine:
        raise UsageError(message)


# --- what is told


def tell(ctx: typer.Context, answer: Answer) -> NoReturn:
    """Print the answer and end with its exit code."""
    if place_of(ctx).json:
        print_json(document(answer))
    else:
        show(terminal(), answer)
    raise typer.Exit(exit_code(answer))


def terminal(stderr: bool = False) -> Console:
    """Colours and line breaks for a terminal; elsewhere the plain words, whole."""
    console = Console(stderr=stderr, highlight=False, emoji=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, emoji=False, width=WIDE)


def print_json(answer: dict[str, Any]) -> None:
    print(json.dumps(answer, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))


def complain(message: str, hint: str) -> None:
    """What went wrong in one line, and what to do in another."""
    console = terminal(stderr=True)
    console.print(f"[bold red]paneward:[/] {escape(message)}")
    if hint:
        console.print(f"  {escape(hint)}")
