"""What a profile reads from a screen, for people: functions from a reading to a table, and to the screen with its rows
named."""

from collections.abc import Iterator

from rich.text import Text

from paneward.core.readiness.inspection import Inspection, SeenMark
from paneward.core.screen.appearance import ScreenState

COLOURS = {"composer": "green", "mark": "blue", "queued": "magenta", "question": "yellow", "version": "cyan"}
STATES = {ScreenState.IDLE: "green", ScreenState.BUSY: "blue", ScreenState.DIALOG: "yellow", ScreenState.UNKNOWN: "red"}
OPTION = "yellow"

Region = tuple[str, str, Text]  # its name, its rows, what was read


def regions(found: Inspection) -> Iterator[Region]:
    yield "profile", "", Text(f"{found.profile}: {_chosen(found)}")
    yield "version", rows_of(found, "version"), _version(found)
    yield "state", "", Text(f"{found.state}: {found.evidence}", STATES[found.state])
    yield "verdict", "", Text(f"{found.verdict or 'undecided'} by rule {found.rule}: {found.because}")
    yield "trouble", "", Text(found.trouble, "red") if found.trouble else Text("none that is known", "dim")
    yield from _composer(found)
    yield from _marks("busy marks", found, found.busy)
    yield from _marks("dialog marks", found, found.asks)
    yield from _dialog(found)


def _chosen(found: Inspection) -> str:
    if found.pattern:
        return f"{found.pattern} matches {found.line}"
    return "nothing else matched" if found.profile == "generic" else "asked for"


def _version(found: Inspection) -> Text:
    if found.version is None:
        known = f"; proven on {', '.join(found.proven)}" if found.proven else ""
        return Text(f"not on the screen{known}", "dim")
    if found.version_known:
        return Text(f"{found.version}, proven", "green")
    return Text(f"{found.version}, UNKNOWN: read as {found.read_as}", "yellow")


def _composer(found: Inspection) -> Iterator[Region]:
    if found.composer is None:
        absent = "" if found.state is ScreenState.DIALOG else ", or the profile has no frame for it"
        yield "composer", "", Text(f"none on the screen{absent}", "dim")
    else:
        box = found.composer
        cut = ", more in it than is shown" if box.cut else ""
        place = f"prompt {box.prompt!r}, columns {box.left} to {box.right}{cut}"
        yield "composer", rows_of(found, "composer"), Text(place, "green")
    guess = "" if found.whole else "  (not known character by character)"
    for name, value in (("draft", found.draft), ("placeholder", found.placeholder), ("ghost", found.ghost)):
        yield name, "", Text(f"{value!r}{guess if name == 'draft' else ''}") if value else Text("none", "dim")
    yield "mode", "", Text(found.mode, "yellow") if found.mode else Text("text", "dim")
    yield "queued", rows_of(found, "queued"), _listed(found.queued)


def _listed(texts: tuple[str, ...]) -> Text:
    return Text("\n".join(map(repr, texts)), "magenta") if texts else Text("none", "dim")


def _marks(name: str, found: Inspection, sights: tuple[SeenMark, ...]) -> Iterator[Region]:
    for number, sight in enumerate(sights):
        how = f"{sight.mark.where} /{sight.mark.pattern}/{f' {sight.mark.style}' if sight.mark.style else ''}"
        seen = Text.assemble((f"{sight.seen!r}", "blue"), (f"  {how}", "dim")) if sight.seen else None
        yield "" if number else name, "", seen or Text(f"not there: {how}", "dim")


def _dialog(found: Inspection) -> Iterator[Region]:
    if found.state is not ScreenState.DIALOG:
        yield "dialog", "", Text("none", "dim")
        return
    startup = ", before the agent works at all" if found.startup else ""
    yield "dialog", rows_of(found, "question"), Text(f"{found.kind or 'unnamed'}{startup}: {found.question}", "yellow")
    if found.menu is None:
        yield "menu", "", Text("none that could be read", "dim")


def rows_of(found: Inspection, what: str) -> str:
    spans = [spot for spot in found.spots if spot.what == what]
    return ", ".join(str(one.first) if one.first == one.last else f"{one.first}-{one.last}" for one in spans)


def shown_screen(found: Inspection) -> Iterator[Text]:
    """The rows with their numbers, each named by what was read from it."""
    names = [_name(found, y) for y in range(len(found.screen))]
    width = max([0, *map(len, names)])
    last = max([0, *(y for y, row in enumerate(found.screen) if row.strip())])
    for y, row in enumerate(found.screen[: last + 1]):
        colour = COLOURS.get(names[y].partition(",")[0], OPTION)
        yield Text.assemble((f"{y:>3} ", "dim"), (f"{names[y]:>{width}} ", colour), ("│ ", "dim"), row)


def _name(found: Inspection, y: int) -> str:
    """Those that share a row stand behind each other; a composer of many rows is named in each."""
    return ", ".join(dict.fromkeys(spot.what for spot in found.spots if spot.first <= y <= spot.last))
