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
from paneward.config.places import config_home
from paneward.config.sections import SECTIONS, Settings
from paneward.config.values import PREFIX, Given, judged, wrong

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
    own = config_home(env) / "paneward" / FILE
    return own if own.is_file() else None


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
