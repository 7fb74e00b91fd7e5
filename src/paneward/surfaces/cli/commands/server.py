"""The commands on the server itself: up, down, status; and what goes with it. Shape: functions, as in `panes`."""

from typing import Annotated, Any, Literal

from paneward.surfaces.cli.declarations import CliOption, Context, done, flag
from paneward.surfaces.cli.options import Json, place_of

Role = Literal["participant", "coordinator", "operator", "auditor"]


def up(
    ctx: Context,
    host: Annotated[
        str | None, CliOption(metavar="ADDRESS", help="Where to listen; else `server.host`: this machine alone.")
    ] = None,
    port: Annotated[
        int | None,
        CliOption(min=0, max=65535, metavar="PORT", help="Its port; else `server.port`. 0 is any that is free."),
    ] = None,
    detach: Annotated[bool, flag("--detach", help="Return when it is up; it goes on by itself.")] = False,
    insecure_bind: Annotated[
        bool, flag("--insecure-bind", help="Listen beyond this machine without TLS: tokens can be read on the way.")
    ] = False,
    log: Annotated[
        Literal["text", "json"] | None,
        CliOption(metavar="text|json", help="Its log: lines for people, or one JSON object per line."),
    ] = None,
    demo: Annotated[
        bool, flag("--demo", help="With two demo agents that work and ask, in a tmux server of their own.")
    ] = False,
    daemon: Annotated[
        bool, flag("--daemon", help="Be nobody's child, and say by --json when it is up: what --detach starts.")
    ] = False,
    json: Json = False,
) -> None:
    """Start the server, which watches agents and answers the commands, a browser and programs.

    Prints an address that signs a browser in, once. Ctrl-C ends it; agents go on. If one runs already, it says where.
    With --json: one document, when it is up.
    """
    from paneward.surfaces.cli.work import tell
    from paneward.surfaces.server.start import detached, here, settings_with

    given: dict[str, Any] = {"host": host, "port": port, "insecure_bind": insecure_bind or None, "log": log}
    settings = settings_with(place_of(ctx), given)
    if detach:
        tell(ctx, detached(place_of(ctx), settings, given, demo))
    answer = here(place_of(ctx), settings, demo, daemon)
    if answer is not None:
        tell(ctx, answer)


def down(
    ctx: Context,
    timeout: Annotated[
        float, CliOption(min=0, max=3600, metavar="SECONDS", help="How long it may take to end.")
    ] = 20.0,
    force: Annotated[bool, flag("--force", help="Kill it if it does not end by then: nothing stored is lost.")] = False,
    json: Json = False,
) -> None:
    """End the server that runs, in order. Agents go on, and the next server finds them again.

    One that does not answer is sent SIGTERM. Exit code 124: it still runs.
    """
    from paneward.config import state_dir
    from paneward.surfaces.cli.work import tell
    from paneward.surfaces.server.shutdown import ended

    tell(ctx, ended(state_dir(), force, timeout))


def status(
    ctx: Context,
    tmux: Annotated[
        bool, flag("--tmux", help="One short line for tmux's status line: `2 ask · 1 works`; empty without a server.")
    ] = False,
    sign_in: Annotated[bool, flag("--sign-in", help="Also print a new address that signs a browser in, once.")] = False,
    json: Json = False,
) -> None:
    """Say whether a server runs, where, and what its agents do. Exit code 4: none runs."""
    from paneward.surfaces.cli.output import print_words
    from paneward.surfaces.cli.work import tell
    from paneward.surfaces.server.status import segment, standing

    if tmux:
        print_words(segment().replace("#", "##"))  # tmux would run `#(...)`
        return
    tell(ctx, standing(place_of(ctx), sign_in))


def export(ctx: Context) -> None:
    """Print all that is stored, one JSON object per line: agents, commands, turns, deliveries, events, audit."""
    from paneward.surfaces.server.start import print_all

    print_all(place_of(ctx))


def token(
    ctx: Context,
    role: Annotated[
        Role,
        CliOption(
            metavar="participant|coordinator|operator|auditor",
            help="What its holder may: look; also tell agents; all; look and read the audit.",
        ),
    ] = "auditor",
    agent: Annotated[str, CliOption(metavar="NAME", help="Who it is for: its name in the audit.")] = "",
    minutes: Annotated[float, CliOption(min=1, max=1440, metavar="MINUTES", help="How long it counts.")] = 15.0,
    revoke: Annotated[
        str | None, CliOption(metavar="TOKEN|ID", help="End this token instead; whatever it holds open ends.")
    ] = None,
    json: Json = False,
) -> None:
    """Make a token of an identity for the HTTP interface: it says who acts, and what they may.

    With --json it also tells the id of the token, by which it is revoked.
    """
    from paneward.surfaces.cli.work import tell
    from paneward.surfaces.server.start import minted, revoked

    if revoke is not None:
        tell(ctx, revoked(place_of(ctx), revoke))
    tell(ctx, minted(role, agent, minutes * 60))


def devices(
    ctx: Context,
    sign_out: Annotated[
        str | None, CliOption(metavar="ID", help="Sign that browser out; whatever it holds open ends.")
    ] = None,
    json: Json = False,
) -> None:
    """List the browsers that are signed in, or sign one out."""
    from urllib.parse import quote

    from paneward.client.devices import Device, Devices, SignedOut
    from paneward.client.records import revive
    from paneward.surfaces.cli.work import ask, tell

    place = place_of(ctx)
    if sign_out is not None:
        path = f"/api/devices/{quote(sign_out, safe='')}"
        ask(place, lambda remote: remote.ask("DELETE", path), "asking the server")
        tell(ctx, SignedOut(sign_out))
    found = ask(place, lambda remote: remote.get("/api/devices"), "asking the server")
    tell(ctx, Devices(tuple(revive(Device, one) for one in found["devices"])))


def popup(
    ctx: Context,
    answer: Annotated[bool, flag("--answer", help="Answer the agents that ask, one after the other.")] = False,
    key: Annotated[str, CliOption(metavar="KEY", help="The key that opens it, after tmux's prefix.")] = "a",
) -> None:
    """Print a line for tmux.conf: a key that opens a popup in which agents that ask are answered."""
    from paneward.surfaces.cli.commands.popup import binding, converse
    from paneward.surfaces.cli.output import print_words

    if not answer:
        print_words(binding(key))
        return
    done(converse(place_of(ctx)))
