"""One frozen tree of settings from `config.yaml` and the environment, and the user's profiles.

`Settings()` is the defaults and reads nothing. `load` looks for the file and the variables; every value
remembers where it came from, and whatever is wrong is one error that names the place, the key, the value
and what would be allowed. Of the working directory only `.paneward.yaml` is read, for a few harmless keys.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path

from paneward.config.document import Document, read
from paneward.config.local import check_local, read_local
from paneward.config.own import profiles_of as profiles_of
from paneward.config.sections import SECTIONS as SECTIONS
from paneward.config.sections import BridgeSettings as BridgeSettings
from paneward.config.sections import HostSettings as HostSettings
from paneward.config.sections import NotificationSettings as NotificationSettings
from paneward.config.sections import ProfileSettings as ProfileSettings
from paneward.config.sections import ReadinessSettings as ReadinessSettings
from paneward.config.sections import RecordingSettings as RecordingSettings
from paneward.config.sections import ServerSettings as ServerSettings
from paneward.config.sections import Settings as Settings
from paneward.config.sections import SignalSettings as SignalSettings
from paneward.config.sections import StoreSettings as StoreSettings
from paneward.config.sections import TmuxSettings as TmuxSettings
from paneward.config.sections import UsageSettings as UsageSettings
from paneward.config.values import PREFIX, Given, judged, wrong
from paneward.config.values import allowed as allowed
from paneward.core.errors import StoreError

FILE = "config.yaml"


def load(path: Path | str | None = None, env: Mapping[str, str] = os.environ) -> Settings:
    """The settings in effect: defaults, then the file, then `.paneward.yaml`, then the environment.

    Where the file was named, by argument or variable, `.paneward.yaml` is not read.
    """
    settings, origins = Settings(), dict.fromkeys(_all_keys(), "default")
    local, notice = (None, "") if _asked_by(path, env) else read_local()
    for given in [*_from_file(path, env), *_from_local(local), *_from_environment(env)]:
        value = {given.key: judged(given)}
        settings = replace(settings, **{given.section: replace(getattr(settings, given.section), **value)})
        origins[f"{given.section}.{given.key}"] = given.origin
    return replace(settings, origins=origins, notice=notice)


def find_file(path: Path | str | None, env: Mapping[str, str]) -> Path | None:
    """The user's file: the one asked for, `$PANEWARD_CONFIG`, else the one in the user's configuration directory."""
    if path is not None:
        return Path(path)
    if named := env.get(f"{PREFIX}CONFIG"):
        return Path(named)
    own = _config_home(env) / "paneward" / FILE
    return own if own.is_file() else None


def state_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The directory of locks and receipts; made for its owner alone."""
    named = env.get(f"{PREFIX}STATE_DIR")
    place = (
        Path(named).absolute()
        if named
        else _absolute(env.get("XDG_STATE_HOME"), _home(env) / ".local/state") / "paneward"
    )
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make the state directory {place}: {error.strerror}",
            hint=f"{PREFIX}STATE_DIR names another one.",
        ) from None
    return place


def _all_keys() -> Iterator[str]:
    for section, kind in SECTIONS.items():
        yield from (f"{section}.{item.name}" for item in fields(kind))


# --- places


def _from_environment(env: Mapping[str, str]) -> Iterator[Given]:
    """`PANEWARD_<SECTION>__<KEY>`; names without the double underscore are not settings."""
    for name in sorted(env):
        section, divider, key = name.removeprefix(PREFIX).partition("__")
        if name.startswith(PREFIX) and divider:
            yield Given(section.lower(), key.lower(), env[name], name, Path.cwd())


def _from_file(path: Path | str | None, env: Mapping[str, str]) -> Iterator[Given]:
    found = find_file(path, env)
    if found is not None:
        yield from _given(read(found, _asked_by(path, env)), found.absolute().parent)


def _from_local(document: Document | None) -> Iterator[Given]:
    for given in _given(document, Path()) if document else ():
        check_local(given.section, given.key, given.origin)
        yield given


def _given(document: Document, folder: Path) -> Iterator[Given]:
    for section, rows in document.mapping().items():
        if section not in SECTIONS:
            raise wrong(
                f"{document.at(section)}: unknown section {section!r}",
                f"Allowed: {', '.join(SECTIONS)}. Another program's file? --config or {PREFIX}CONFIG names yours.",
            )
        for key, value in document.rows(section, rows).items():
            yield Given(section, key, value, document.at(section, key), folder)


def _asked_by(path: Path | str | None, env: Mapping[str, str]) -> str:
    """Who named the file; nothing where it is only looked for."""
    return "--config" if path is not None else f"{PREFIX}CONFIG" if env.get(f"{PREFIX}CONFIG") else ""


def _config_home(env: Mapping[str, str]) -> Path:
    return _absolute(env.get("XDG_CONFIG_HOME"), _home(env) / ".config")


def _absolute(named: str | None, otherwise: Path) -> Path:
    """The XDG rules ignore a relative path."""
    return Path(named) if named and Path(named).is_absolute() else otherwise


def _home(env: Mapping[str, str]) -> Path:
    return Path(env["HOME"]) if env.get("HOME") else Path.home()
