"""What a command does once its line is understood: connect, wait with a sign of life, tell, exit. Shape: functions.

The library is loaded where no server is there to be asked.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

from paneward.client.whereabouts import Whereabouts, told
from paneward.config.places import state_dir
from paneward.core.errors import Code, PanewardError
from paneward.core.version import VERSION
from paneward.surfaces.cli.answers import Answer, document, exit_code
from paneward.surfaces.cli.declarations import Context, UsageError, done
from paneward.surfaces.cli.options import RootOptions, place_of
from paneward.surfaces.cli.output import Harmless
from paneward.surfaces.cli.output import print_json as print_json
from paneward.surfaces.cli.show.lines import say, terminal

if TYPE_CHECKING:
    import asyncio

    from paneward.app import Connection
    from paneward.client.panes import Served
    from paneward.client.remote import Remote
    from paneward.config import Settings
    from paneward.core.profiles import Profile
    from paneward.surfaces.cli.alone import Alone
    from paneward.surfaces.cli.upkeep import Config

PATIENCE = 1.0  # seconds before a person wants to see that something is going on
PRESSING = "pressing"
TYPING = ("sending", PRESSING, "answering")  # what a command does that types
TYPED = {  # by how far a delivery had come when it was interrupted
    None: "nothing was typed",
    "intended": "typing had begun, nothing was submitted",
    "typed": "the text was typed, and not submitted",
    "submitting": "the text was typed, and Enter may have been pressed",
    "done": "the text was submitted",
    PRESSING: "some of the keys may have been pressed",
}
T = TypeVar("T")
C = TypeVar("C")
Verbs: TypeAlias = "Alone | Served"


def answer_with(ctx: Context, verb: Callable[[Verbs], Coroutine[Any, Any, Answer]], doing: str) -> NoReturn:
    tell(ctx, run_verb(place_of(ctx), verb, doing))


def run(place: RootOptions, verb: Callable[[Connection], Awaitable[T]], doing: str) -> T:
    """Run the library on the panes of `place`."""
    return _run(place, connection(place), verb, doing)


def run_verb(place: RootOptions, verb: Callable[[Verbs], Coroutine[Any, Any, T]], doing: str) -> T:
    """Run one verb through the server that runs, else by the library."""
    remote = _serving(place)
    if remote is None:
        return _run(place, alone(place), verb, doing)
    from paneward.client.panes import Served, complete

    with sign_of_life(place, doing) as remote.waiting:
        try:
            return complete(verb(Served(remote, place)))
        except KeyboardInterrupt:
            if doing.startswith(TYPING):
                raise interrupted(
                    "the server goes on with it", "`paneward deliveries` tells what came of it."
                ) from None
            raise


def ask(place: RootOptions, question: Callable[[Remote], T], doing: str) -> T:
    """Ask the server that runs; an error where none does."""
    from paneward.client.remote import required

    remote = required(state_dir())
    _say_version(remote.where)
    with sign_of_life(place, doing) as remote.waiting:
        return question(remote)


def _run(
    place: RootOptions, opening: AbstractAsyncContextManager[C], verb: Callable[[C], Awaitable[T]], doing: str
) -> T:
    import asyncio

    log_to_stderr(os.environ.get("PANEWARD_LOG", "critical"))
    return asyncio.run(_patiently(place, opening, verb, doing))


async def _patiently(
    place: RootOptions, opening: AbstractAsyncContextManager[C], verb: Callable[[C], Awaitable[T]], doing: str
) -> T:
    import asyncio

    async with opening as there:
        task = asyncio.ensure_future(verb(there))
        with sign_of_life(place, doing) as waiting:
            try:
                await asyncio.wait({task}, timeout=PATIENCE)
                if not task.done():
                    waiting()
                return await task
            except asyncio.CancelledError:
                await _give_up(task, doing)
                raise
            finally:
                task.cancel()


async def _give_up(task: asyncio.Future[Any], doing: str) -> None:
    """End a verb on Ctrl-C; one that was typing says how far it had come."""
    import asyncio

    task.cancel()
    try:
        await task
    except asyncio.CancelledError as cancelled:
        if doing.startswith(TYPING):
            phase = PRESSING if doing.startswith(PRESSING) else cancelled.args[0] if cancelled.args else None
            raise interrupted(TYPED[phase]) from None


def interrupted(words: str, hint: str = "`paneward read` shows what stands there now.") -> PanewardError:
    return PanewardError(f"interrupted: {words}", code=Code.INTERRUPTED, hint=hint)


@contextlib.contextmanager
def sign_of_life(place: RootOptions, doing: str) -> Iterator[Callable[[], None]]:
    """What shows a person, once it is called, that something is going on."""
    with contextlib.ExitStack() as sign:
        shown: list[bool] = []

        def show_it() -> None:
            if not shown and not place.json and sys.stderr.isatty():
                from rich.markup import escape

                from paneward.surfaces.cli.show.console import HarmlessConsole

                shown.append(True)
                sign.enter_context(HarmlessConsole(stderr=True).status(f"{escape(doing)} … (Ctrl-C gives up)"))

        yield show_it


@asynccontextmanager
async def connection(place: RootOptions) -> AsyncIterator[Connection]:
    from paneward.app import connect
    from paneward.surfaces.cli.alone import host_called

    settings = settings_of(place)
    transport = place.transport or settings.tmux.transport
    host = await host_called(place.host, settings, state_dir())
    async with connect(place.socket_name, place.socket_path, host, transport, settings=settings) as tmux:
        yield tmux


@asynccontextmanager
async def alone(place: RootOptions) -> AsyncIterator[Alone]:
    """The verbs on tmux itself."""
    from paneward.surfaces.cli.alone import Alone

    async with AsyncExitStack() as stack:
        tmux = await stack.enter_async_context(connection(place))
        yield Alone(tmux, place, settings_of(place), state_dir(), stack)


def _serving(place: RootOptions) -> Remote | None:
    """The server that a verb goes through: one that runs, and that can do what is asked."""
    remote = None if beyond(place) else server_if_any()
    if remote is None or not place.host:
        return remote
    from paneward.client.panes import knows

    return remote if knows(remote, place.host) else None


def server_if_any() -> Remote | None:
    directory = state_dir()
    if told(directory) is None:  # the client is loaded only for somebody to talk to
        return None
    from paneward.client.remote import found

    remote = found(directory)
    if remote is not None:
        _say_version(remote.where)
    return remote


def beyond(place: RootOptions) -> bool:
    """The server acts by its own configuration."""
    return place.transport is not None or place.config is not None


def _say_version(where: Whereabouts) -> None:
    if where.version != VERSION:
        words = f"the server at {where.url} is Paneward {where.version}, this command is {VERSION}"
        complain(words, "`paneward down` and `paneward up --detach` start it anew; agents go on meanwhile.")


def located(place: RootOptions, target: str) -> tuple[RootOptions, str]:
    """Where a target is for the library: the pane of an agent by its name, else the target as it is."""
    elsewhere = target.startswith("%") or place.host is not None or beyond(place)
    agent = None if elsewhere else run_verb(place, lambda verbs: verbs.agent(target), f"looking for {target}")
    if agent is None or agent.pane is None:
        return place, target
    return place.moved_to(agent.socket, agent.host or None), agent.pane


def settings_of(place: RootOptions) -> Settings:
    """The settings in effect; that the working directory has a file of its own is said once in each command."""
    from paneward.config import load

    settings = load(place.config)
    if settings.notice and settings.notice not in place.said:
        place.said.add(settings.notice)
        say(terminal(stderr=True), (f"paneward: {settings.notice}", ""))
    return settings


def known_profiles(place: RootOptions) -> Mapping[str, Profile]:
    from paneward.config import profiles_of

    return profiles_of(settings_of(place))


def effective_config(place: RootOptions) -> Config:
    from dataclasses import fields

    from paneward.config import SECTIONS, profiles_of
    from paneward.surfaces.cli.upkeep import Config, Value

    settings = settings_of(place)
    names = [(section, item.name) for section, kind in SECTIONS.items() for item in fields(kind)]
    values = [
        Value(
            f"{section}.{key}", _shown(getattr(getattr(settings, section), key)), settings.origins[f"{section}.{key}"]
        )
        for section, key in names
    ]
    return Config(tuple(values), tuple(profiles_of(settings)))


def _shown(value: Any) -> Any:
    """A setting as it may be seen: the password of an address is crossed out."""
    import re

    return re.sub(r"(://[^/@:]*:)[^@]*@", r"\1***@", value) if isinstance(value, str) else value


def log_to_stderr(level: str) -> None:
    """Standard output belongs to the answer; what is worth knowing of a failure stands in the receipt."""
    import logging

    chosen = logging.getLevelNamesMapping().get(level.upper(), logging.WARNING)
    logging.basicConfig(stream=Harmless(sys.stderr), level=chosen, format="%(levelname)s %(name)s %(message)s")


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
    return written if exact or not written.endswith("\n") else written[:-1].removesuffix("\r")


def option_named(name: str) -> int | str:
    """An option of a menu by its number or its label."""
    return int(name) if name.isascii() and name.isdecimal() else name


def options_named(names: Sequence[str] | None) -> list[int | str] | None:
    return [option_named(name) for name in names] if names else None


def usage_unless(fine: bool, message: str) -> None:
    if not fine:
        raise UsageError(message)


# --- what is told


def tell(ctx: Context, answer: Answer) -> NoReturn:
    """Print the answer and end with its exit code."""
    if place_of(ctx).json:
        print_json(document(answer), indent=2 if sys.stdout.isatty() else None)
    else:
        from paneward.surfaces.cli.show.answers import show

        show(terminal(), answer)
    done(exit_code(answer))


def complain(message: str, hint: str) -> None:
    """What went wrong in one line, and what to do in another."""
    console = terminal(stderr=True)
    say(console, ("paneward:", "bold red"), (f" {message}", ""))
    if hint:
        say(console, (f"  {hint}", ""))
