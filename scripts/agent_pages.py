"""The parts of docs/agents/ that are read from the profiles, so that they cannot go stale.

Shape: functions from a profile to Markdown. A page is written by hand but for what stands between
`<!-- from the profile: NAME -->` and `<!-- end -->`; `make docs` fills these places anew.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from paneward.core.profiles import BUILT_IN, Profile
from paneward.core.profiles.row import Guard, Mark, Menus, Variant
from paneward.surfaces.cli.meaning import remarks

TOP = Path(__file__).resolve().parent.parent
AGENTS = tuple(profile for profile in BUILT_IN.values() if profile.launch)
BLOCK = re.compile(r"(?<=<!-- from the profile: )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)
SHOWN = {" ": "a blank", "\n": "a newline"}


def table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *([str(cell).replace("|", r"\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def code(text: object) -> str:
    words = str(text)
    ticks = "``" if "`" in words else "`"
    return f"{ticks}{words}{ticks}" if words else ""


def filled(page: Path, profile: Profile | None = None) -> str:
    """The page with its generated places written anew."""
    return BLOCK.sub(lambda found: f"{found[1]}{found[2]}{BLOCKS[found[1]](profile)}", page.read_text())


# --- one agent


def versions(profile: Profile) -> str:
    return (
        f"Proven on {', '.join(profile.versions)}. Recognised by the command line of the program in the foreground:\n\n"
        + "".join(f"- {code(pattern)}\n" for pattern in profile.match)
    )


def reading(profile: Profile) -> str:
    rows = [
        ("composer", _frame(profile)),
        *(("busy", _mark(mark)) for mark in profile.busy),
        *(("asks", _mark(mark)) for mark in profile.dialog),
        *(
            (f"asks: {one.kind}", code(one.pattern) + (" (at the start)" if one.startup else ""))
            for one in profile.dialogs
        ),
        *((f"takes {mode.name}, not text", _mark(mode.mark)) for mode in profile.modes),
        *(("paste shown as", code(pattern)) for pattern in profile.placeholders),
        *(("queued", code(one.item)) for one in profile.queued),
        *((f"cannot work: {one.name}", code(one.pattern)) for one in profile.troubles),
        ("version", code(profile.version)),
    ]
    return table(("what", "told by"), rows)


def _frame(profile: Profile) -> str:
    words = remarks(type(profile.frame))[profile.frame.name]
    prompt = f"; its prompt is {code(profile.glyph)}" if profile.glyph else ""
    return f"{words}{prompt}"


def _mark(mark: Mark) -> str:
    where = remarks(type(mark.where))[mark.where.name]
    style = f", drawn {code(mark.style)}" if mark.style else ""
    return f"{code(mark.pattern) or 'anything'} {where}{style}"


def texts(profile: Profile) -> str:
    edits = remarks(type(profile.edits[0])) if profile.edits else {}
    says = "".join(f"- {edits[edit.name]}\n" for edit in profile.edits) or "- nothing\n"
    parts = [f"What the agent itself changes in every text:\n\n{says}", _guards(profile.guards, "")]
    parts += [
        _guards(dict(one.changes)["guards"], _of(one)) for one in profile.variants if "guards" in dict(one.changes)
    ]
    return "\n".join(parts)


def _of(variant: Variant) -> str:
    return f" in {', '.join(variant.versions)}"


def _guards(guards: Sequence[Guard], where: str) -> str:
    rows = ((code(one.pattern), one.means, _remedy(one), _arrives(one)) for one in guards)
    return f"Texts that are no text to it{where}:\n\n" + table(
        ("text", "it would be", "what is added", "arrives"), rows
    )


def _remedy(guard: Guard) -> str:
    if not guard.defused:
        return "nothing helps: refused, unless sent with `--as-command`"
    times = f"{guard.times} times " if guard.times > 1 else ""
    before = f"{SHOWN.get(guard.before, code(guard.before))} in front" if guard.before else ""
    after = f"{times}{SHOWN.get(guard.after, code(guard.after))} behind" if guard.after else ""
    return " and ".join(filter(None, (before, after)))


def _arrives(guard: Guard) -> str:
    if not guard.defused:
        return ""
    return "exactly" if guard.exact else "with what was added"


def keys(profile: Profile) -> str:
    rows = [
        ("submit", profile.submit),
        ("while it works: wait its turn", profile.queue),
        ("while it works: join the work", profile.steer),
        ("stop the work", profile.interrupt),
        ("take a draft out of the composer", profile.cut),
        *_menu_keys(profile.menus),
    ]
    return table(("to", "keys"), ((what, " ".join(map(code, names)) or "none") for what, names in rows))


def _menu_keys(menus: Menus) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield (
        "dialog: choose at once",
        tuple(word for word, true in (("digit", menus.digits), ("letter", menus.letters)) if true),
    )
    yield "dialog: open the field for free text", menus.field
    yield "dialog: add words to an option", menus.amend
    yield "dialog: tick an option", menus.toggle
    yield "dialog: leave", menus.leave


def corpus(profile: Profile) -> str:
    """The captured screens that the profile is held to."""
    screens = sorted((TOP / "tests/corpus" / profile.name).glob("*/*.expected.json"))
    cases = {path.name.removesuffix(".expected.json").rpartition("_")[0] for path in screens}
    count = Counter(path.parent.name for path in screens)
    each = ", ".join(f"{number} of {version}" for version, number in sorted(count.items()))
    return f"Held to {len(screens)} captured screens ({each}): {', '.join(sorted(cases))}.\n"


# --- all of them


def index(_: Profile | None) -> str:
    rows = (
        (
            f"[{one.about}]({one.name}.md)",
            ", ".join(one.versions),
            ", ".join(dict.fromkeys(d.kind for d in one.dialogs)),
        )
        for one in AGENTS
    )
    return table(("agent", "proven on", "dialogs known by their words"), rows)


BLOCKS: dict[str, Any] = {
    "versions": versions,
    "reading": reading,
    "texts": texts,
    "keys": keys,
    "corpus": corpus,
    "index": index,
}
