"""The user's profiles: functions from the file that `profiles.file` names to profiles."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paneward.config.document import Document, read
from paneward.config.sections import Settings
from paneward.config.values import wrong
from paneward.core.errors import InvalidInput
from paneward.core.profiles import BUILT_IN, Profile, profile_from
from paneward.core.terminal.keys import check_keys


def profiles_of(settings: Settings) -> Mapping[str, Profile]:
    """All profiles in the order in which they are tried: the user's own, the built-in ones, generic."""
    if settings.profiles.file is None:
        return BUILT_IN
    path = Path(settings.profiles.file)
    document = read(path, f"profiles.file ({settings.origins.get('profiles.file', 'given')})")
    own: dict[str, Profile] = {}
    for name, row in document.mapping().items():
        own[name] = _profile(document, name, row, {**BUILT_IN, **own})
    known = {**own, **{name: profile for name, profile in BUILT_IN.items() if name not in own}}
    return {**{name: known[name] for name in known if name != "generic"}, "generic": known["generic"]}


def _profile(document: Document, name: str, row: Any, known: Mapping[str, Profile]) -> Profile:
    """Judged key by key, so that what is wrong has its line."""
    rows = document.rows(name, row)
    extends = {"extends": rows["extends"]} if "extends" in rows else {}
    for key, value in rows.items():
        try:
            _check_keys(key, value, profile_from(name, {**extends, key: value}, known))
        except InvalidInput as error:
            raise wrong(f"{document.at(name, key)}: {_naming(error.message, name)}", error.hint) from None
    return profile_from(name, rows, known)


def _naming(message: str, name: str) -> str:
    return message if f"profile {name!r}" in message else f"profile {name!r}: {message}"


def _check_keys(key: str, value: Any, profile: Profile) -> None:
    if key not in ("submit", "queue", "steer", "interrupt", "cut"):
        return
    if key == "submit" and not profile.submit:
        raise wrong(f"key 'submit': {value!r}", "Allowed: at least one key.")
    check_keys(name for name in getattr(profile, key) if name != "CR")  # CR: a literal carriage return
