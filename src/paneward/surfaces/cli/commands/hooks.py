"""The commands about hooks and signals. Shape: functions, as in `panes`."""

from typing import Annotated, Literal

from paneward.surfaces.cli.declarations import Argument, Context, flag
from paneward.surfaces.cli.options import Json

Which = Annotated[
    Literal["claude", "codex", "opencode", "gemini", "all"],
    Argument(
        metavar="[claude|codex|opencode|gemini|all]",
        help="Whose settings; `all` are those whose folder is there.",
        show_default=False,
    ),
]
DryRun = Annotated[bool, flag("--dry-run", help="Say what would be changed, and change nothing.")]
Signal = Annotated[
    Literal["working", "needs_input", "needs_testing", "completed", "error", "idle"],
    Argument(metavar="STATE", help="working, needs_input, needs_testing, completed, error or idle."),
]


def install_hooks(ctx: Context, agent: Which = "all", dry_run: DryRun = False, json: Json = False) -> None:
    """Put hooks into the settings of agents, by which they tell Paneward what they do.

    Only entries of Paneward's own are added; all else in the file stays as it is, byte by byte. A file that cannot be
    read is left alone. Once more changes nothing.
    """
    _change(ctx, agent, True, dry_run)


def remove_hooks(ctx: Context, agent: Which = "all", dry_run: DryRun = False, json: Json = False) -> None:
    """Take exactly these hooks out again."""
    _change(ctx, agent, False, dry_run)


def show_hooks(ctx: Context, agent: Which = "all", json: Json = False) -> None:
    """Show which agents have hooks, and how many that ran nobody has taken yet. Exit code 1 if a file is broken."""
    from paneward.adapters.hooks.settings import look
    from paneward.config.places import state_dir
    from paneward.core.hook_install import HOOKING
    from paneward.surfaces.cli.upkeep import Hooks
    from paneward.surfaces.cli.work import tell

    spool = state_dir() / "spool"
    waiting = sum(1 for _ in spool.iterdir()) if spool.is_dir() else 0
    agents = tuple(HOOKING) if agent == "all" else (agent,)
    tell(ctx, Hooks(tuple(look(one, spool) for one in agents), str(spool), waiting))


def _change(ctx: Context, agent: str, install: bool, dry_run: bool) -> None:
    from dataclasses import replace

    from paneward.adapters.hooks.settings import change, is_there, look
    from paneward.config.places import state_dir
    from paneward.core.errors import PanewardError
    from paneward.core.hook_install import HOOKING
    from paneward.surfaces.cli.upkeep import Hooks
    from paneward.surfaces.cli.work import tell

    spool, done = state_dir() / "spool", []
    for one in HOOKING if agent == "all" else (agent,):
        try:
            done.append(change(one, spool, install, dry_run) if agent == one or is_there(one) else look(one, spool))
        except PanewardError as why:
            if agent != "all":
                raise
            done.append(replace(look(one, spool), state="broken", note=f"{why.message}. {why.hint}"))
    tell(ctx, Hooks(tuple(done), str(spool), dry_run=dry_run))


def signal(
    ctx: Context,
    state: Signal,
    message: Annotated[str, Argument(metavar="[MESSAGE]", help="What it is about.")] = "",
    json: Json = False,
) -> None:
    """Say how you stand: for an agent, from inside its pane.

    The signal goes into the file that $PANEWARD_EVENTS names, else into the spool with the pane it came from. No server
    is needed; one that starts later takes it.
    """
    from paneward.adapters.hooks.spool import put_signal
    from paneward.config.places import state_dir
    from paneward.core.errors import StoreError
    from paneward.surfaces.cli.answers import Signalled
    from paneward.surfaces.cli.work import tell

    try:
        place = put_signal(state_dir(), state, message)
    except OSError as error:
        raise StoreError(
            f"cannot write {error.filename}: {error.strerror}", hint="$PANEWARD_EVENTS names it."
        ) from None
    tell(ctx, Signalled(state, message, place))
