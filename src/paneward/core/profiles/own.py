"""A profile from a user's file, and back: functions.

The fields and their types are read from the row itself, so that a new field needs nothing here.
"""

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any, get_args, get_origin, get_type_hints

from paneward.core.errors import Code, InvalidInput
from paneward.core.pattern import SYNTAX, BadPattern
from paneward.core.profiles.patterns import compiled
from paneward.core.profiles.row import Mark, Profile, Variant

# The fields that hold patterns, of the row and of what stands in it.
PATTERNS = frozenset(
    {"match", "version", "rule", "glyph", "prompt", "placeholders", "ghosts", "quits", "quotes", "started"}
    | {"pattern", "item", "after", "before", "refuse", "done", "answered"}
)
TEXTS = frozenset({"guards.before", "guards.after"})  # called like patterns elsewhere, and none
STYLES = re.compile(r"(?:!?(?:bold|dim|italic|underline|blink|reverse)|[fb]g!?=(?:default|\d{1,3}|#[0-9a-f]{6}))")


def changed(start: Profile, row: Mapping[str, Any]) -> Profile:
    """The profile with the fields of a row; a variant no longer changes what the row says."""
    hints = get_type_hints(Profile)
    changes: dict[str, Any] = {}
    for key, value in row.items():
        if key not in hints or key == "name":
            allowed = ", ".join(sorted({field.name for field in fields(Profile)} - {"name"} | {"extends"}))
            raise _broken(f"profile {start.name!r}: unknown key {key!r}", f"Allowed: {allowed}.")
        changes[key] = _convert(f"profile {start.name!r}, key {key!r}", key, value, hints[key])
    if "variants" not in changes:
        changes["variants"] = tuple(_without(variant, changes) for variant in start.variants)
    return replace(start, **changes)


def _without(variant: Variant, said: Mapping[str, Any]) -> Variant:
    return replace(variant, changes=tuple((name, value) for name, value in variant.changes if name not in said))


def as_data(value: Any) -> Any:
    """A profile, or a part of one, as a file would hold it; what equals its default is left out."""
    if isinstance(value, Variant):
        changes = {name: as_data(item) for name, item in value.changes}
        return {"versions": list(value.versions), "changes": changes}
    if is_dataclass(value) and not isinstance(value, type):
        items = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: as_data(item) for field, item in items if field.default is MISSING or item != field.default}
    return [as_data(item) for item in value] if isinstance(value, tuple) else value


def _convert(where: str, path: str, value: Any, kind: Any) -> Any:
    """A value of the file as the row wants it; `path` names its field, after the field it stands in."""
    if is_dataclass(kind) and isinstance(kind, type):
        return _part(where, path, value, kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        if value not in list(kind):
            raise _broken(f"{where}: {value!r}", f"Allowed: {', '.join(kind)}.")
        return kind(value)
    if kind in (float, int) and isinstance(value, int | kind) and not isinstance(value, bool):
        return kind(value)
    if kind in (str, bool) and isinstance(value, kind):
        return _checked(where, path, value) if kind is str else value
    if get_origin(kind) is tuple and isinstance(value, list | tuple):
        return _several(where, path, value, get_args(kind)[0])
    raise _broken(f"{where}: {value!r}", f"Allowed: {_wanted(kind)}.")


def _several(where: str, path: str, values: Any, kind: Any) -> tuple[Any, ...]:
    if kind is str and not all(isinstance(value, str) for value in values):
        raise _broken(f"{where}: {values!r}", "Allowed: a list of texts.")
    return tuple(_convert(where, path, value, kind) for value in values)


def _part(where: str, path: str, value: Any, kind: type) -> Any:
    if isinstance(value, kind):
        return value
    if kind is Mark and isinstance(value, str):
        value = {"pattern": value}
    if not isinstance(value, Mapping):
        raise _broken(f"{where}: {value!r}", f"Allowed: {_wanted(kind)}.")
    if kind is Variant:
        return _variant(where, value)
    hints = get_type_hints(kind)
    if unknown := set(value) - set(hints):
        raise _broken(f"{where}: unknown key {min(unknown, key=str)!r}", f"Allowed: {_wanted(kind)}.")
    given = {key: _convert(where, f"{path}.{key}", item, hints[key]) for key, item in value.items()}
    required = {item.name for item in fields(kind) if item.default is MISSING}
    if missing := required - set(given):
        raise _broken(f"{where}: {min(missing)!r} is missing", f"Allowed: {_wanted(kind)}.")
    return kind(**given)


def _variant(where: str, value: Mapping[str, Any]) -> Variant:
    if set(value) != {"versions", "changes"} or not isinstance(value["changes"], Mapping):
        raise _broken(f"{where}: {value!r}", f"Allowed: {_wanted(Variant)}.")
    hints = get_type_hints(Profile)
    changes = value["changes"]
    if unknown := set(changes) - set(hints):
        raise _broken(f"{where}: unknown key {min(unknown, key=str)!r}", "Allowed: the fields of a profile.")
    return Variant(
        _convert(where, "versions", value["versions"], tuple[str, ...]),
        tuple((name, _convert(where, name, item, hints[name])) for name, item in changes.items()),
    )


def _wanted(kind: Any) -> str:
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        return "a list of texts" if inner is str else f"a list, each {_wanted(inner)}"
    if is_dataclass(kind):
        return f"a mapping of {', '.join(field.name for field in fields(kind))}"
    return getattr(kind, "__name__", str(kind))


def _checked(where: str, path: str, value: str) -> str:
    name = path.rpartition(".")[2]
    if name in PATTERNS and path not in TEXTS:
        try:
            compiled(value)
        except BadPattern as error:
            raise _broken(f"{where}: {value!r} is not a pattern: {error}", SYNTAX) from None
    if name in ("style", "glyph_style", "prose") and not all(STYLES.fullmatch(word) for word in value.split()):
        raise _broken(f"{where}: {value!r} is not a style", "Allowed: words like bold, !reverse, fg=246, fg!=default.")
    return value


def _broken(message: str, hint: str) -> InvalidInput:
    return InvalidInput(message, code=Code.CONFIG_INVALID, hint=hint)
