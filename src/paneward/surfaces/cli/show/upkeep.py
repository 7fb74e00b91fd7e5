"""Answers of the commands that are not run all the time, for people. Shape: functions, as in `show`."""

from __future__ import annotations

from dataclasses import fields
from json import dumps
from typing import TYPE_CHECKING, Any, assert_never

from paneward.client.devices import Devices, SignedOut
from paneward.surfaces.cli.show.lines import Output, StyledWords, advise, say, table
from paneward.surfaces.cli.upkeep import (
    Adopted,
    Cast,
    Checked,
    Checks,
    CheckState,
    Config,
    Described,
    Events,
    Explained,
    Forgotten,
    Hooks,
    HostGone,
    HostList,
    HostTold,
    PaneList,
    Profiles,
    Recording,
    RecordingList,
    Responded,
    Revoked,
    Stopped,
    Token,
    Upkeep,
    Written,
)

if TYPE_CHECKING:
    from paneward.core.profiles import Profile

STATES = {CheckState.OK: ("✓", "green"), CheckState.WARN: ("!", "yellow"), CheckState.FAIL: ("✗", "red")}


def show_upkeep(console: Output, answer: Upkeep) -> None:
    match answer:
        case Explained() | Checked() | PaneList():
            from paneward.surfaces.cli.show.panes import show_panes

            show_panes(console, answer)
        case Described(profile):
            _profile(console, profile)
        case Profiles(profiles):
            _profiles(console, profiles)
        case Checks():
            _checks(console, answer)
        case Config():
            _config(console, answer)
        case Written():
            _written(console, answer)
        case Devices() | SignedOut():
            from paneward.surfaces.cli.show.devices import show_devices

            show_devices(console, answer)
        case Hooks():
            from paneward.surfaces.cli.show.hooks import show_hooks

            show_hooks(console, answer)
        case Adopted() | Events() | Forgotten() | Responded() | Stopped() | Token() | Revoked():
            from paneward.surfaces.cli.show.server import show_server

            show_server(console, answer)
        case HostList() | HostTold() | HostGone():
            from paneward.surfaces.cli.show.hosts import show_hosts

            show_hosts(console, answer)
        case Cast() | Recording() | RecordingList():
            from paneward.surfaces.cli.show.recordings import show_recordings

            show_recordings(console, answer)
        case _:
            assert_never(answer)


def _checks(console: Output, found: Checks) -> None:
    width = max(len(check.name) for check in found.checks)
    for check in found.checks:
        sign, colour = STATES[check.state]
        say(console, (f"{sign} {check.state:<4}", colour), (f"  {check.name:<{width}}  ", "bold"), (check.seen, ""))
        advise(console, check.mend)


def _profiles(console: Output, profiles: tuple[Profile, ...]) -> None:
    heads = ("profile", "about", "proven on", "recognised by")
    rows = (
        (one.name, one.about, ", ".join(one.versions) or "-", "\n".join(one.match) or "what is left")
        for one in profiles
    )
    table(console, heads, rows)


def _profile(console: Output, profile: Profile) -> None:
    """As a row of a profiles file, to be copied and changed: never broken, and each field with what it means."""
    from rich.text import Text

    from paneward.core.profiles import as_data
    from paneward.surfaces.cli.meaning import meanings

    means = meanings(type(profile))
    console.print(Text(f"{profile.name}:", "bold"), soft_wrap=True)
    for field in fields(profile):
        if field.name != "name":
            if words := means.get(field.name):
                console.print(Text(f"  # {words}", "dim"), soft_wrap=True)
            _field(console, field.name, as_data(getattr(profile, field.name)))


def _field(console: Output, name: str, value: Any) -> None:
    from rich.text import Text

    several = isinstance(value, list) and len(value) > 1 and not all(isinstance(item, str) for item in value)
    if not several:
        console.print(Text.assemble((f"  {name}: ", "cyan"), yaml_value(value)), soft_wrap=True)
        return
    console.print(Text(f"  {name}:", "cyan"), soft_wrap=True)
    for item in value:
        console.print(Text(f"    - {yaml_value(item)}"), soft_wrap=True)


def _written(console: Output, written: Written) -> None:
    for file in written.files:
        say(console, ("✓ written ", "bold green"), (str(file), "bold"))
    for words in written.contains:
        say(console, ("  ", ""), (words, ""))
    for note in written.notes:
        say(console, ("  note: ", "yellow"), (note, ""))
    advise(console, written.hint)


def yaml_value(value: Any) -> str:
    """A value as YAML on one line; texts in single quotes, in which a backslash is a backslash."""
    match value:
        case bool():
            return "true" if value else "false"
        case tuple() | list():
            return f"[{', '.join(yaml_value(item) for item in value)}]"
        case dict():
            return f"{{{', '.join(f'{key}: {yaml_value(item)}' for key, item in value.items())}}}"
        case str() if not value.isprintable():
            return dumps(value)
        case str():
            return "'" + value.replace("'", "''") + "'"
        case None:
            return "null"
    return str(value)


def _config(console: Output, found: Config) -> None:
    if found.checked:
        origins = sorted({value.origin.partition(", line")[0] for value in found.settings} - {"default"})
        say(console, ("✓ valid", "bold green"), (f"  {', '.join(origins) or 'defaults only'}", ""))
    else:
        rows = ((value.key, yaml_value(value.value), StyledWords(value.origin, "dim")) for value in found.settings)
        table(console, ("key", "value", "from"), rows)
    say(console, (f"  profiles: {', '.join(found.profiles)}", "dim"))
