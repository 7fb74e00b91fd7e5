"""The commands around the panes: doctor, profiles, config, demo. Shape: functions, as in `panes`."""

from typing import Annotated

from paneward.surfaces.cli.declarations import Argument, Context, done, flag
from paneward.surfaces.cli.options import Json, Pane, Profile, ProfileName, place_of


def doctor(ctx: Context, json: Json = False) -> None:
    """Check what Paneward needs on this machine, and say how to mend what is missing."""
    from paneward.surfaces.cli.commands.doctor import examine
    from paneward.surfaces.cli.work import tell

    tell(ctx, examine(place_of(ctx)))


def demo(
    keep: Annotated[bool, flag("--keep", help="Leave the demo agent running, and say how to attach.")] = False,
    fast: Annotated[bool, flag("--fast", help="Without the pauses for reading.")] = False,
) -> None:
    """Play the tour: a real agent in a pane, a send, its receipt, a menu answered. Takes 30 seconds.

    It runs in a tmux server of its own, which is ended afterwards. Exit code 1 if anything was not as it should be.
    """
    from paneward.demo.tour import play

    done(play(keep=keep, fast=fast))


def demo_agent(
    arguments: Annotated[list[str] | None, Argument(metavar="[OPTIONS]", help="`--help` lists them.")] = None,
) -> None:
    """Run the demo agent: a small real program to try Paneward on."""
    from paneward.demo.agent import main

    done(main(arguments or []))


def profiles(ctx: Context, json: Json = False) -> None:
    """Show what is known of each kind of program."""
    if ctx.invoked_subcommand is None:
        list_profiles(ctx)


def list_profiles(ctx: Context, json: Json = False) -> None:
    """List the profiles, your own included."""
    from paneward.surfaces.cli.upkeep import Profiles
    from paneward.surfaces.cli.work import known_profiles, tell

    tell(ctx, Profiles(tuple(known_profiles(place_of(ctx)).values())))


def show_profile(ctx: Context, name: ProfileName, json: Json = False) -> None:
    """Show every field of one profile with what it means, in the form of an override file."""
    from paneward.core.profiles import named
    from paneward.surfaces.cli.upkeep import Described
    from paneward.surfaces.cli.work import known_profiles, tell

    tell(ctx, Described(named(name, known_profiles(place_of(ctx)))))


def check_profile(ctx: Context, pane: Pane, profile: Profile = None, json: Json = False) -> None:
    """Show what a profile reads from a pane, region by region, with the rows of the screen it stands on.

    By which pattern the profile was chosen, the version and whether it is known, the composer and what is in it, the
    marks of work that were found, the dialog as data, the verdict. Nothing is typed.
    """
    from paneward.surfaces.cli.upkeep import Checked
    from paneward.surfaces.cli.work import located, run, tell

    place, found = located(place_of(ctx), pane)
    tell(ctx, Checked(run(place, lambda tmux: tmux.check(found, profile), f"reading {pane}")))


def show_config(ctx: Context, json: Json = False) -> None:
    """Print every setting in effect and where it comes from."""
    from paneward.surfaces.cli.work import effective_config, tell

    tell(ctx, effective_config(place_of(ctx)))


def check_config(ctx: Context, json: Json = False) -> None:
    """Check the configuration and the profiles file; exit code 2 if something in them is wrong."""
    from dataclasses import replace

    from paneward.surfaces.cli.work import effective_config, tell

    tell(ctx, replace(effective_config(place_of(ctx)), checked=True))
