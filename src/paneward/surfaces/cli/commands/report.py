"""The file of a report, and the case for the corpus that it becomes. Shape: functions.

A report is one JSON document: `contains` says what is in it. The screens in it have the fields of the corpus.
"""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from paneward.adapters.installed import version_of
from paneward.config import state_dir
from paneward.core.errors import PanewardError
from paneward.core.readiness.inspection import Inspection
from paneward.services.profile_report import FORMAT, Report, read_again
from paneward.surfaces import wire
from paneward.surfaces.cli.alone import host_called
from paneward.surfaces.cli.declarations import UsageError
from paneward.surfaces.cli.options import RootOptions
from paneward.surfaces.cli.upkeep import Written
from paneward.surfaces.cli.work import known_profiles, run, settings_of

CONTAINS = (
    "looks: the screen with its styles, the title, the cursor and the foreground process (command line included), "
    "at once and after a moment, each with all that was read from it",
    "profile: every field of the profile that was used, and the prompt pattern",
    "receipts: the newest deliveries to this pane with their texts",
    "versions: of Paneward, tmux, Python, the system and the agent",
)
CARE = "credentials are crossed out; names, paths and whatever else stands on the screen are not: read it first"
SCREEN = (
    "rows", "width", "height", "cursor_x", "cursor_y", "cursor_visible", "alternate", "command", "title"
)  # fmt: skip
UNREAD = "read by Paneward, not yet by a person: correct what is wrong, then remove this line"


def write_report(place: RootOptions, pane: str, profile: str | None, out: Path | None) -> Written:
    report = run(place, lambda tmux: tmux.report(pane, profile), f"looking at {pane}")
    installed = asyncio.run(_installed(place, report.looks[-1].reading.profile))
    report = replace(report, versions={**report.versions, "installed": installed})
    file = out or _name(report)
    _write(file, bundle(report), private=True)
    hint = f"`paneward report --corpus {file} DIR` makes a case for the corpus from it."
    return Written((file,), CONTAINS, (CARE, *report.notes), hint)


async def _installed(place: RootOptions, name: str) -> str:
    """What the agent on PATH says of itself; it may be another than the one in the pane."""
    launch = known_profiles(place)[name].launch.split()
    host = await host_called(place.host, settings_of(place), state_dir())
    try:
        return await version_of(host, launch[0]) or "not on PATH" if launch else "no program is named"
    except PanewardError as error:
        return error.message
    finally:
        await host.close()


def _name(report: Report) -> Path:
    moment = re.sub(r"[^\dT]", "", report.taken_at.partition("+")[0])
    return Path(f"paneward-report-{report.looks[-1].reading.profile}-{moment}.json")


def bundle(report: Report) -> dict[str, Any]:
    return {"paneward_report": FORMAT, "contains": [*CONTAINS, CARE], **wire.plain(report)}


def _write(file: Path, document: Mapping[str, Any], private: bool = False) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if private:
            file.touch(mode=0o600)
        file.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from None


# --- back


def open_bundle(file: Path) -> dict[str, Any]:
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    except ValueError:
        document = None
    if not isinstance(document, dict) or "paneward_report" not in document:
        raise UsageError(f"{file} is not a report of `paneward report`")
    if document["paneward_report"] > FORMAT:
        raise UsageError(f"{file} was written by a newer Paneward (format {document['paneward_report']})")
    return document


def readings(document: Mapping[str, Any]) -> list[Inspection]:
    """What the profile of a report reads from its screens, read anew."""
    return [read_again(look, document["profile"], document["prompt"]) for look in document["looks"]]


def write_case(file: Path, folder: Path, case: str) -> Written:
    """The last screen of a report as a case of the corpus, beside a stub of what must be read from it."""
    document = open_bundle(file)
    snapshot, reading = document["looks"][-1]["snapshot"], readings(document)[-1]
    place = folder / reading.profile / (reading.version or _number(document["versions"]) or "unknown")
    screen = place / f"{case}_{snapshot['width']}.json"
    _write(screen, {name: snapshot[name] for name in SCREEN})
    _write(screen.with_suffix(".expected.json"), _stub(reading))
    contains = ("the screen, as it was captured", "what Paneward reads from it: a stub, to be corrected by eye")
    hint = f"Correct {screen.with_suffix('.expected.json').name}, and remove its `note`."
    return Written((screen, screen.with_suffix(".expected.json")), contains, hint=hint)


def _number(versions: Mapping[str, str]) -> str:
    found = re.search(r"\d+\.\d+\.\d+", versions.get("installed", ""))
    return found[0] if found else ""


def _stub(reading: Inspection) -> dict[str, Any]:
    menu = reading.menu
    return {
        "note": UNREAD,
        "state": str(reading.state),
        "draft": reading.draft,
        "placeholder": reading.placeholder,
        "ghost": reading.ghost or None,
        "menu": None
        if menu is None
        else {
            "question": menu.question,
            "options": [option.label for option in menu.options],
            "selected": menu.selected,
            "free_text": menu.free_text,
            "multi": menu.multi,
            "hidden": [],
        },
        "queued": list(reading.queued),
        "mode": reading.mode,
        "question": reading.question or None,
    }
