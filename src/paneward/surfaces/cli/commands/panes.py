"""The commands on panes. Shape: functions that translate a command line into one call of the library.

Their docstrings are what `--help` prints.
"""

from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from paneward.surfaces.cli.declarations import Argument, CliOption, Context, flag
from paneward.surfaces.cli.options import (
    TARGET,
    Expect,
    Fingerprint,
    Json,
    Keys,
    MessageId,
    Multi,
    Other,
    Pane,
    Pattern,
    Profile,
    Select,
    Startup,
    Timeout,
    To,
    complete_pane,
    place_of,
)

if TYPE_CHECKING:
    from paneward.core.result import Readiness
    from paneward.surfaces.cli.answers import Outcomes
    from paneward.surfaces.cli.work import Verbs

WhenBusy = Literal["wait", "queue", "steer", "interrupt", "refuse"]
Draft = Literal["hold", "stash", "refuse"]


def send(
    ctx: Context,
    pane: Annotated[
        str | None, Argument(metavar="PANE", autocompletion=complete_pane, help=TARGET, show_default=False)
    ] = None,
    text: Annotated[
        str | None, Argument(metavar="TEXT", help="The text; `-` reads standard input.", show_default=False)
    ] = None,
    file: Annotated[Path | None, CliOption(metavar="FILE", help="Read the text from a file.")] = None,
    exact: Annotated[bool, flag("--exact", help="Keep the newline that ends FILE or standard input.")] = False,
    profile: Profile = None,
    no_verify: Annotated[bool, flag("--no-verify", help="Do not check that Enter submitted it.")] = False,
    no_ghost: Annotated[bool, flag("--no-ghost", help="Do not look for suggestions at the cursor.")] = False,
    when_busy: Annotated[
        WhenBusy, CliOption(metavar="wait|queue|steer|interrupt|refuse", help="What to do while the program works.")
    ] = "wait",
    draft: Annotated[
        Draft, CliOption(metavar="hold|stash|refuse", help="What to do with unsent text of the operator.")
    ] = "hold",
    as_command: Annotated[
        bool,
        flag("--as-command", help="The text is a command of the program, such as /compact: sent as it is, unguarded."),
    ] = False,
    message_id: MessageId = None,
    timeout: Timeout = 30.0,
    secret: Annotated[bool, flag("--secret", help="Keep only the length of the text in receipts.")] = False,
    expect: Expect = None,
    to: To = None,
    json: Json = False,
) -> None:
    """Type a text, submit it, and prove that it went in.

    Prints the receipt: how far the text is proven to have come, and by what. Nothing is typed into a menu, behind
    a program at work, or into what somebody else is writing.
    """
    from paneward.surfaces.cli.commands.many import send_to
    from paneward.surfaces.cli.work import answer_with, given_text, usage_unless

    usage_unless(not to or pane is None or text is None, "give PANE or --to, not both")
    usage_unless(bool(to) or pane is not None, "give PANE and the text, or --to and the text")
    written = given_text(pane if to else text, file, exact)
    options: dict[str, Any] = {
        "profile": profile,
        "verify_enter": not no_verify,
        "detect_ghost_text": not no_ghost,
        "when_busy": when_busy,
        "draft": draft,
        "as_command": as_command,
        "timeout": timeout,
        "secret": secret,
        "expect": expect,
    }

    if to:
        answer_with(ctx, lambda verbs: send_to(verbs, to, written, message_id, options), f"sending to {', '.join(to)}")
    target = str(pane)
    doing = f"sending to {target}"
    answer_with(ctx, lambda verbs: verbs.send_text(target, written, message_id=message_id, **options), doing)


def keys(
    ctx: Context,
    pane: Pane,
    names: Keys,
    verify: Annotated[bool, flag("--verify", help="Check that an Enter among them submitted.")] = False,
    timeout: Timeout = 30.0,
    expect: Expect = None,
    json: Json = False,
) -> None:
    """Press keys by name: `Escape`, `C-u`, `Enter`, `Down`, `y`.

    A name that tmux does not know is refused: tmux itself would type it as text.
    """
    from paneward.surfaces.cli.work import answer_with

    options: dict[str, Any] = {"verify_enter": verify, "timeout": timeout, "expect": expect}
    answer_with(ctx, lambda verbs: verbs.send_keys(pane, *names, **options), f"pressing keys in {pane}")


def read(
    ctx: Context,
    pane: Pane,
    lines: Annotated[
        int, CliOption("-n", "--lines", min=1, metavar="N", help="How many lines, scrollback included.")
    ] = 50,
    ansi: Annotated[bool, flag("--ansi", help="Keep colours and styles.")] = False,
    json: Json = False,
) -> None:
    """Print the last lines of a pane."""
    from paneward.surfaces.cli.commands.glimpse import glimpse
    from paneward.surfaces.cli.work import answer_with, tell

    if (seen := glimpse(place_of(ctx), pane, lines, ansi)) is not None:
        tell(ctx, seen)
    answer_with(ctx, lambda verbs: verbs.read(pane, lines, ansi), f"reading {pane}")


def wait(
    ctx: Context,
    panes: Annotated[
        list[str] | None,
        Argument(metavar="PANE...", autocompletion=complete_pane, help=TARGET, show_default=False),
    ] = None,
    timeout: Annotated[
        float | None,
        CliOption(
            min=0, metavar="SECONDS", help="How long to wait at most; else what the profile says.", show_default=False
        ),
    ] = None,
    pattern: Pattern = None,
    accept_stable: Annotated[bool, flag("--accept-stable", help="A screen that stands still counts as ready.")] = False,
    profile: Profile = None,
    any: Annotated[
        bool, flag("--any", help="Of several: until the first takes input, asks something, or ends.")
    ] = False,
    all: Annotated[bool, flag("--all", help="Of several: until each of them does; this is the default.")] = False,
    to: To = None,
    json: Json = False,
) -> None:
    """Wait until the program in a pane takes input, asks something, or ends.

    Nothing is written into the pane to find out. Exit code 0: ready, 5: it asks or works, 3: only stable, 4: it
    ended, 124: none of these in time. Of several it is what those that are not ready have in common, else 1.
    """
    from paneward.surfaces.cli.commands.many import members, on_all, on_any
    from paneward.surfaces.cli.work import answer_with, usage_unless

    usage_unless(bool(panes) != bool(to), "give PANE, several of them, or --to")
    usage_unless(not (any and all), "give --any or --all, not both")

    async def wait_for(verbs: "Verbs") -> "Readiness | Outcomes":
        def ready(target: str) -> "Awaitable[Readiness]":
            return verbs.wait_ready(target, timeout, pattern, accept_stable or None, profile)

        targets = panes or await members(verbs, to or ())
        if len(targets) == 1 and not (any or all or to):
            return await ready(targets[0])
        return await (on_any if any else on_all)(verbs, targets, ready)

    answer_with(ctx, wait_for, f"waiting for {', '.join(panes or to or ())}")


def menu(ctx: Context, pane: Pane, json: Json = False) -> None:
    """Show the dialog that is open in a pane: its question, options and fingerprint."""
    from paneward.surfaces.cli.work import answer_with

    answer_with(ctx, lambda verbs: verbs.asked(pane), f"reading {pane}")


def answer(
    ctx: Context,
    pane: Pane,
    select: Select = None,
    other: Other = None,
    multi: Multi = None,
    text: Annotated[
        str | None,
        CliOption(metavar="TEXT", help="Answer a line prompt, or a dialog that takes words; `-` reads standard input."),
    ] = None,
    secret: Annotated[bool, flag("--secret", help="Keep only the length of the text in receipts.")] = False,
    key: Annotated[
        str | None, CliOption(metavar="KEY", help="Press one key without Enter, at a prompt that takes one.")
    ] = None,
    fingerprint: Fingerprint = None,
    startup: Startup = False,
    message_id: MessageId = None,
    timeout: Timeout = 30.0,
    expect: Expect = None,
    json: Json = False,
) -> None:
    """Answer the dialog that is open in a pane: by number, by label, or by free text.

    Give exactly one of --select, --other, --multi, --text and --key; --other may go with --select or --multi: a reason,
    or one more answer.
    """
    from paneward.surfaces.cli.work import answer_with, given_text, option_named, options_named, usage_unless

    text = given_text(text, None, exact=False) if text == "-" else text
    several = options_named(multi)
    chosen = select is not None or several is not None
    usage_unless(
        sum(given is not None for given in (select, None if chosen else other, several, text, key)) == 1,
        "give exactly one of --select, --other, --multi, --text and --key",
    )
    answer_with(
        ctx,
        lambda verbs: verbs.answer(
            pane,
            text,
            select=None if select is None else option_named(select),
            other=other,
            multi=several,
            key=key,
            fingerprint=fingerprint,
            startup=startup,
            secret=secret,
            message_id=message_id,
            timeout=timeout,
            expect=expect,
        ),
        f"answering in {pane}",
    )


def explain(ctx: Context, pane: Pane, pattern: Pattern = None, profile: Profile = None, json: Json = False) -> None:
    """Say what is seen in a pane, which rules were tried on it, and which one won.

    Of an agent it also says what its hooks have told the server.
    """
    from paneward.surfaces.cli.upkeep import Explained
    from paneward.surfaces.cli.work import run_verb, tell

    place = place_of(ctx)
    tell(ctx, Explained(run_verb(place, lambda verbs: verbs.explain(pane, pattern, profile), f"looking at {pane}")))


def panes(ctx: Context, json: Json = False) -> None:
    """List the panes of the tmux server, and the programs in them.

    A version behind which stands `?` is one that the profile was not proven on.
    """
    from paneward.core.text import natural
    from paneward.surfaces.cli.upkeep import PaneList
    from paneward.surfaces.cli.work import run, tell

    found = run(place_of(ctx), lambda tmux: tmux.survey(), "listing panes")
    tell(ctx, PaneList(tuple(sorted(found, key=lambda one: natural(one.info.target)))))


def deliveries(
    ctx: Context,
    pane: Annotated[
        str | None, Argument(metavar="[PANE]", help="Only those to this pane, by its id, or to this agent.")
    ] = None,
    limit: Annotated[int, CliOption("-n", "--limit", min=1, metavar="N", help="How many.")] = 20,
    json: Json = False,
) -> None:
    """List the newest deliveries with their receipts.

    They are kept by pane id, of all tmux servers: where a server runs, in its store.
    """
    from paneward.surfaces.cli.answers import Receipts
    from paneward.surfaces.cli.work import run_verb, tell

    rows = run_verb(place_of(ctx), lambda verbs: verbs.deliveries(limit, pane), "reading receipts")
    tell(ctx, Receipts(tuple(rows)))


def report(
    ctx: Context,
    pane: Annotated[
        str | None,
        Argument(
            metavar="[PANE]",
            autocompletion=complete_pane,
            help=TARGET,
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, CliOption(metavar="FILE", help="Where to write it; else `paneward-report-….json` here.")
    ] = None,
    profile: Profile = None,
    corpus: Annotated[
        tuple[Path, Path] | None,
        CliOption(metavar="FILE DIR", help="Make a case for the corpus in DIR from a report, instead of a report."),
    ] = None,
    case: Annotated[str | None, CliOption(metavar="NAME", help="What the case shows, such as `permission`.")] = None,
    json: Json = False,
) -> None:
    """Write one file with all that is needed to mend a profile that does not fit.

    Credentials are crossed out; what else stands on the screen is in it, so read it before you pass it on. With
    --corpus, a report becomes DIR/AGENT/VERSION/NAME_WIDTH.json and a stub of what must be read from it.
    """
    from paneward.surfaces.cli.commands.report import write_case, write_report
    from paneward.surfaces.cli.work import located, tell, usage_unless

    usage_unless((pane is None) != (corpus is None), "give a pane, or --corpus FILE DIR")
    if corpus is not None:
        tell(ctx, write_case(*corpus, case or "report"))
    tell(ctx, write_report(*located(place_of(ctx), str(pane)), profile, out))
