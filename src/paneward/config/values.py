"""One value that somebody set, judged: functions. What is wrong is an error that names place, key, value and what is
allowed. pydantic judges whatever is not plainly right; to load it takes longer than most commands.
"""

import re
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from paneward.config.sections import PATHS, SECTIONS, Rule
from paneward.core.errors import Code, InvalidInput

PREFIX = "PANEWARD_"
EXACT = 1 << 53  # up to here a float holds every whole number


class Given(NamedTuple):
    """One value somebody set, and where: `config.yaml, line 3` or the name of a variable."""

    section: str
    key: str
    value: Any
    origin: str
    folder: Path  # what a relative path in it is relative to


def wrong(message: str, hint: str) -> InvalidInput:
    return InvalidInput(message, code=Code.CONFIG_INVALID, hint=hint)


def judged(given: Given) -> Any:
    """The value as the settings hold it."""
    hint = _hint_of(given)
    text = isinstance(given.value, str) and given.origin.startswith(PREFIX)
    value = _meant(given.value, hint, text)
    if not plainly(value, hint):
        value = _judged(given, hint, value, strict=not text)
    if not all(rule.holds(value) for rule in _rules(hint)):
        raise _unfit(given, hint)
    place = f"{given.section}.{given.key}"
    if place == "tmux.binary":
        return _beside(value, given.folder) if "/" in value else value  # a bare name is looked for on PATH
    if place == "store.url" and value is not None and "://" in value:
        return _address(value, given.folder)
    return _beside(value, given.folder) if place in PATHS and value is not None else value


def plainly(value: Any, hint: Any) -> bool:
    """The value is one of the type as it stands, whoever judges it."""
    for kind in _kinds(hint):
        words = get_args(kind) if get_origin(kind) is Literal else ()
        if (type(value) is kind and kind in (bool, int, NoneType)) or (type(value) is str and value in words):
            return True
        if (type(value) is kind is str and value.isascii()) or (type(value) is kind is float and isfinite(value)):
            return True
    return False


def _judged(given: Given, hint: Any, value: Any, strict: bool) -> Any:
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(hint).validate_python(value, strict=strict)
    except ValidationError:
        raise _unfit(given, hint) from None


def _address(url: str, folder: Path) -> str:
    """Of the addresses of stores only SQLite's are paths: `sqlite:///relative`, `sqlite:////absolute`."""
    scheme, _, path = url.partition("://")
    relative = scheme.startswith("sqlite") and path.startswith("/") and path not in ("/", "/:memory:")
    return f"{scheme}:///{folder / path[1:]}" if relative else url


def _beside(path: str, folder: Path) -> str:
    return str(folder / Path(path).expanduser())


def allowed(hint: Any) -> str:
    """What a value of this type may be, for people."""
    kind, *others = _kinds(hint)
    if get_origin(kind) is Literal:
        return ", ".join(map(str, get_args(kind)))
    words = {bool: "true, false", int: "a whole number", float: "a number", str: "a text", tuple: "a list of texts"}
    said = words[get_origin(kind) or kind]
    return f"{said}{''.join(rule.words for rule in _rules(hint))}{' or null' if NoneType in others else ''}"


def _meant(value: Any, hint: Any, text: bool) -> Any:
    """A variable says null by nothing at all, and several texts with commas between them; YAML has lists."""
    several = get_origin(_kinds(hint)[0]) is tuple
    if text and several:
        return tuple(part.strip() for part in value.split(",")) if value.strip() else ()
    if text and value in ("", "null") and NoneType in _kinds(hint):
        return None
    if several and isinstance(value, list):
        return tuple(value)
    return _number(value, _kinds(hint), text)


def _number(value: Any, kinds: tuple[Any, ...], text: bool) -> Any:
    """Digits in a variable are a number where one is meant, and a whole number may stand for any."""
    if text and re.fullmatch(r"[0-9]{1,15}", value) and {int, float} & set(kinds):
        value = int(value)
    return float(value) if type(value) is int and float in kinds and abs(value) < EXACT else value


def _hint_of(given: Given) -> Any:
    if given.section not in SECTIONS:
        raise wrong(f"{given.origin}: unknown section {given.section!r}", f"Allowed: {', '.join(SECTIONS)}.")
    hints = get_type_hints(SECTIONS[given.section], include_extras=True)
    if given.key not in hints:
        known = ", ".join(sorted(hints))
        raise wrong(f"{given.origin}: unknown key {given.section}.{given.key}", f"Allowed: {known}.")
    return hints[given.key]


def _unfit(given: Given, hint: Any) -> InvalidInput:
    return wrong(f"{given.origin}: {given.section}.{given.key}: {given.value!r}", f"Allowed: {allowed(hint)}.")


def _rules(hint: Any) -> list[Rule]:
    return [mark for mark in get_args(hint) if isinstance(mark, Rule)]


def _kinds(hint: Any) -> tuple[Any, ...]:
    """The types a value may have: `str | None` is two."""
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return get_args(bare) if get_args(bare) and get_origin(bare) not in (Literal, tuple) else (bare,)
